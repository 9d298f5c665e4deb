// SPDX-License-Identifier: Apache-2.0
// Duplicates: entries with the same program share the results of one of them.
#include "tune/search_impl.h"

#include "base/map.h"

#include <string.h>

enum { CHAIN_MOST = 16 }; /* longest chain of duplicates of duplicates */

struct ct_hash ct_search_root(const struct ct_search *search,
                              const struct ct_map *experiments,
                              const struct ct_evaluated *entry)
{
    struct ct_hash root = entry->experiment;
    uint64_t index;

    for (int i = 0; *entry->duplicate_of.text && i < CHAIN_MOST; i++) {
        root = entry->duplicate_of;
        if (!ct_map_find_hash(experiments, &root, &index))
            break;
        entry = &search->results.done[index];
    }
    return root;
}

void ct_search_map_experiments(const struct ct_search *search, struct ct_map *out)
{
    for (size_t i = 0; i < search->results.done_count; i++)
        ct_map_put_hash(out, &search->results.done[i].experiment, i);
}

double ct_search_value(const struct ct_search *search, const struct ct_evaluated *entry,
                       const struct ct_quantities *known)
{
    ct_workload_values(&search->work, entry->index);
    return ct_objective_value(&search->objective, search->work.binding,
                              search->work.values, known);
}

void ct_search_scale(const struct ct_search *search, struct ct_evaluated *entry,
                     double factor)
{
    double end_ns = ct_quantities_get(&entry->observed, CT_QUANTITY_END_TO_END_NS);

    entry->time_ns *= factor;
    entry->low_ns *= factor;
    entry->high_ns *= factor;
    ct_quantities_set(&entry->observed, CT_QUANTITY_TIME_NS, entry->time_ns);
    if (end_ns > 0)
        ct_quantities_set(&entry->observed, CT_QUANTITY_END_TO_END_NS, end_ns * factor);
    entry->value = ct_search_value(search, entry, &entry->observed);
}

static void share_times(struct ct_search *search, struct ct_evaluated *entry,
                        const struct ct_evaluated *from)
{
    if (!entry->rounds)
        entry->raw_ns = entry->time_ns;
    entry->time_ns = from->time_ns;
    entry->low_ns = from->low_ns;
    entry->high_ns = from->high_ns;
    entry->rounds = from->rounds;
    entry->rank = from->rank;
    entry->tied = from->tied;
    entry->to_best = from->to_best;
    entry->stopped_early = from->stopped_early;
    entry->epoch = from->epoch;
    entry->played = from->played;
    entry->observed = from->observed;
    entry->value = ct_search_value(search, entry, &entry->observed);
}

void ct_search_share(struct ct_search *search)
{
    struct ct_map experiments = {0};
    struct ct_map played = {0};

    ct_search_map_experiments(search, &experiments);
    for (size_t i = 0; i < search->results.done_count; i++)
        if (search->results.done[i].rank) {
            struct ct_hash root =
                ct_search_root(search, &experiments, &search->results.done[i]);

            ct_map_put_hash(&played, &root, i);
        }
    for (size_t i = 0; played.count && i < search->results.done_count; i++) {
        struct ct_evaluated *entry = &search->results.done[i];
        struct ct_hash root = ct_search_root(search, &experiments, entry);
        uint64_t index;

        if (!entry->rank && entry->status == CT_RESULT_OK &&
            ct_map_find_hash(&played, &root, &index))
            share_times(search, entry, &search->results.done[index]);
    }
    ct_map_release(&experiments);
    ct_map_release(&played);
}
