// SPDX-License-Identifier: Apache-2.0
// Asks cltune for stored configurations (layer/questions.h).
#ifndef CT_LAYER_ASK_H
#define CT_LAYER_ASK_H

#include "layer/launch.h"

struct ct_ask_macro {
    char *name;
    char *value;
};

/* What to use instead of what a launch asks for. */
struct ct_ask_answer {
    char experiment[40];
    char *text; /* the configuration, for messages */
    bool has_local;
    size_t local[3]; /* all 0: the driver chooses */
    bool has_global;
    size_t global[3];
    char **options;
    size_t option_count;
    struct ct_ask_macro *macros;
    size_t macro_count;
};

/* Asks for a launch.  False if nothing is known, or nobody answers, which is said once.  The caller
 * holds no lock, and releases the answer. */
bool ct_ask(const struct ct_layer_launch *launch, struct ct_ask_answer *out);
void ct_ask_release(struct ct_ask_answer *answer);

/* Tells that a configuration was wrong. */
void ct_ask_tell_wrong(const struct ct_layer_launch *launch,
                       const struct ct_ask_answer *answer);

/* In a forked child: the conversation is the parent's. */
void ct_ask_forget(void);

#endif
