// SPDX-License-Identifier: Apache-2.0
// Compares a search's results with the device's ceilings, which `cltune peak` has stored.
#include "tune/search.h"

#include <math.h>
#include <string.h>

static void look_up(const struct ct_search *search, struct ct_ceilings *ceilings)
{
    struct ct_arena arena = {0};
    struct ct_db_ceiling *list;
    size_t count;

    /* Without a run in the database, the device is not there either. */
    if (search->store.begun &&
        !ct_db_ceilings(search->store.db, search->store.run.device_id, &arena, &list,
                        &count, NULL))
        for (size_t i = 0; i < count; i++) {
            if (strcmp(list[i].name, "copy") == 0)
                ceilings->memory.most = list[i].value;
            else if (strcmp(list[i].name, "mad") == 0)
                ceilings->arithmetic.most = list[i].value;
        }
    ct_arena_release(&arena);
}

struct ct_ceilings ct_search_ceilings(const struct ct_search *search,
                                      const struct ct_evaluated *entry)
{
    struct ct_ceilings ceilings = {{NAN, NAN}, {NAN, NAN}};

    if (!entry || !(entry->time_ns > 0))
        return ceilings;
    ct_workload_values(&search->work, entry->index);
    ceilings.memory.reached =
        ct_workload_metric(&search->work, "bytes", &entry->observed) / entry->time_ns;
    ceilings.arithmetic.reached =
        ct_workload_metric(&search->work, "operations", &entry->observed) /
        entry->time_ns;
    look_up(search, &ceilings);
    return ceilings;
}

bool ct_share_is_known(const struct ct_share *share)
{
    return share->reached > 0 && share->most > 0;
}
