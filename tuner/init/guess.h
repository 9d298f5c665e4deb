// SPDX-License-Identifier: Apache-2.0
// Guesses a launch, data and parameters for a kernel.
#ifndef CT_INIT_GUESS_H
#define CT_INIT_GUESS_H

#include "base/devinfo.h"
#include "capture/macros.h"
#include "init/draft.h"
#include "init/parts.h"
#include "init/usage.h"

/* A name that the source uses and nothing defines. */
struct ct_undefined {
    const char *name;
    bool is_type;      /* it stands where a type does */
    bool is_specifier; /* it stands in front of a type: it may be nothing */
    bool is_width;     /* it is pasted to the name of a type or a function: floatWIDTH */
    bool is_small;     /* what is usual does not compile */
};

/* What is known of a kernel. */
struct ct_subject {
    struct ct_code *code;
    const struct ct_parts *parts;        /* the files of the code */
    const struct ct_kernel_code *kernel; /* NULL: only the driver knows it */
    const char *function;
    const struct ct_described_arg *args;
    size_t arg_count;
    uint64_t required[3]; /* of the driver; all 0: none */
    struct ct_usage usage;
    struct ct_macros macros;  /* that the source defines (capture/macros.h) */
    struct ct_macros options; /* that the user's options define */
    struct ct_undefined *undefined;
    size_t undefined_count;
    uint64_t group_max; /* work-items in a work-group of the device */
};

/* How to guess.  Trials change it until the default configuration runs. */
struct ct_guess {
    uint64_t sizes[3];   /* of --size, or the default */
    size_t dims;         /* of --size; 0: those of the kernel */
    unsigned factor;     /* buffers have so many times the launch's work-items */
    bool is_square;      /* and that squared */
    bool small_integers; /* integers in buffers are 0, unknown integer arguments 1 */
};

/* Fills dims, problem, args, launch, params, defines and constraints of a draft.  CT_E_USAGE names
 * an argument that cannot be guessed; CT_E_NOMEM. */
enum ct_status ct_guess_all(const struct ct_subject *subject,
                            const struct ct_guess *guess, struct ct_draft *draft,
                            struct ct_err *err);

/* --- its parts --- */

/* The parameters and macros; before the launch. */
void ct_guess_params(const struct ct_subject *subject, struct ct_draft *draft);

/* The value that a macro is compiled with before anything else is known; NULL: not one of ours. */
const char *ct_guess_macro_value(const struct ct_undefined *name);

/* The arguments; after the launch. */
enum ct_status ct_guess_args(const struct ct_subject *subject,
                             const struct ct_guess *guess, struct ct_draft *draft,
                             struct ct_err *err);

#endif
