// SPDX-License-Identifier: Apache-2.0
// The bar of early stops that the parts of a search share (--beside): a part's own best is mostly slower than
// that of the whole space, so that it would time what the whole search stops early.
//
// Only a result of this search's own experiment counts: of the same kernel, device, driver and problem.
#include "tune/search_impl.h"

#include <stdlib.h>
#include <string.h>

/* A result of another part that would raise the bar. */
struct rival {
    int64_t index;
    struct ct_hash experiment;
    double time_ns;
};

struct bar_rivals {
    struct ct_search *search;
    struct rival *items;
    size_t count;
    size_t capacity;
};

double ct_search_bar_ns(const struct ct_search *search)
{
    double own_ns = search->results.best_ns;
    double bar_ns = search->islands.bar_ns;

    return bar_ns > 0 && !(own_ns > 0 && own_ns <= bar_ns) ? bar_ns : own_ns;
}

static enum ct_status note_rival(void *user, const struct ct_db_known *known,
                                 struct ct_err *err)
{
    struct bar_rivals *rivals = user;
    struct ct_search *search = rivals->search;
    double bar_ns = ct_search_bar_ns(search);
    int64_t index;
    uint64_t seen;
    enum ct_status status;

    if (strcmp(known->status, "ok") != 0 || !(known->time_ns > 0) ||
        (bar_ns > 0 && known->time_ns >= bar_ns) ||
        ct_map_find_hash(&search->islands.seen, &known->experiment, &seen))
        return CT_OK;
    status = ct_search_stored_index(search, known, &index, err);
    if (status || index == CT_OUTSIDE)
        return status;
    if (!ct_mem_grow(&rivals->items, &rivals->capacity, rivals->count + 1,
                     sizeof(*rivals->items)))
        return ct_err_nomem(err);
    rivals->items[rivals->count++] =
        (struct rival){index, known->experiment, known->time_ns};
    return CT_OK;
}

static int compare_rivals(const void *a, const void *b)
{
    const struct rival *left = a;
    const struct rival *right = b;

    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* Whether this search would evaluate the same experiment for that configuration. */
static bool is_own_experiment(struct ct_search *search, const struct rival *rival)
{
    struct ct_arena arena = {0};
    struct ct_plan plan;
    bool same = false;

    ct_workload_values(&search->work, rival->index);
    if (!ct_workload_plan(&search->work, search->objective.needs, &arena, &plan, NULL))
        same = strcmp(ct_workload_experiment(&search->work, &plan).text,
                      rival->experiment.text) == 0;
    ct_arena_release(&arena);
    return same;
}

/* The fastest that is an experiment of this search; those before it never are. */
static enum ct_status choose_bar(struct bar_rivals *rivals, struct ct_err *err)
{
    struct ct_search *search = rivals->search;

    if (rivals->count)
        qsort(rivals->items, rivals->count, sizeof(*rivals->items), compare_rivals);
    for (size_t i = 0; i < rivals->count; i++) {
        if (is_own_experiment(search, &rivals->items[i])) {
            search->islands.bar_ns = rivals->items[i].time_ns;
            return CT_OK;
        }
        if (!ct_map_put_hash(&search->islands.seen, &rivals->items[i].experiment, 0))
            return ct_err_nomem(err);
    }
    return CT_OK;
}

enum ct_status ct_search_read_bar(struct ct_search *search, struct ct_db *db,
                                  struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct bar_rivals rivals = {.search = search};
    struct ct_arena arena = {0};
    struct ct_db_record *records = NULL;
    size_t count = 0;
    enum ct_status status;

    query.kernel = search->work.spec->kernel.name;
    status = ct_db_records(db, &query, &arena, &records, &count, err);
    for (size_t i = 0; i < count && !status; i++)
        status = ct_db_results_each(db, records[i].of.device_id, records[i].of.kernel_id,
                                    records[i].of.problem_id, note_rival, &rivals, err);
    if (!status)
        status = choose_bar(&rivals, err);
    ct_arena_release(&arena);
    free(rivals.items);
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}
