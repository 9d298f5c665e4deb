// SPDX-License-Identifier: Apache-2.0
// Configurations in the form that a program gets.
#ifndef CT_ONLINE_CONFIGS_H
#define CT_ONLINE_CONFIGS_H

#include "base/map.h"
#include "online/work.h"

/* One configuration; lives as long as the list. */
struct ct_online_config {
    cltunedb_tune_config shown;
    struct ct_hash experiment;
    const char *json; /* canonical */
};

/* All that were used so far; starts as {0}. */
struct ct_online_configs {
    struct ct_arena arena;
    struct ct_map places; /* addresses, by index in the space */
};

/* The configuration `index`, made when it is asked for the first time; NULL: it cannot run on the
 * device.  CT_E_NOMEM. */
enum ct_status ct_online_configs_get(struct ct_online_configs *configs,
                                     struct ct_online_work *work, uint64_t index,
                                     struct ct_online_config **out, struct ct_err *err);

void ct_online_configs_release(struct ct_online_configs *configs);

#endif
