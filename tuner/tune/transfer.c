// SPDX-License-Identifier: Apache-2.0
// Gives a strategy that can use them stored results of the same kernel on other devices, for
// other problems or in older versions.
#include "tune/search_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sources used; those of this device first, then those with most results. */
enum { SOURCES = 4 };

struct transfer {
    uint64_t index;
    struct ct_strategy_result result;
};

struct transfer_list {
    struct ct_search *search;
    struct transfer *items;
    size_t count;
    size_t capacity;
};

/* The cost a result from elsewhere would have here; NAN: not comparable. */
static double cost_of(const struct ct_search *search, const struct ct_db_known *known)
{
    if (search->objective.kind == CT_OBJECTIVE_TIME)
        return known->time_ns;
    if (strcmp(known->objective, search->objective.name) != 0 ||
        known->maximize != search->objective.maximize)
        return NAN;
    return search->objective.maximize ? -known->objective_value : known->objective_value;
}

static enum ct_status collect_source(void *user, const struct ct_db_known *known,
                                     struct ct_err *err)
{
    struct transfer_list *list = user;
    bool ok = strcmp(known->status, "ok") == 0;
    struct ct_strategy_result result = {.ok = ok,
                                        .objective = cost_of(list->search, known)};
    int64_t index;
    enum ct_status status;

    if (strcmp(known->status, "interrupted") == 0 || (ok && isnan(result.objective)))
        return CT_OK;
    status = ct_search_stored_index(list->search, known, &index, err);
    if (status || index == CT_OUTSIDE)
        return status;
    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                     sizeof(*list->items)))
        return ct_err_nomem(err);
    list->items[list->count++] = (struct transfer){(uint64_t)index, result};
    return CT_OK;
}

/* Passes on the results of one source; returns how many. */
static enum ct_status tell_all(struct ct_search *search,
                               const struct ct_db_record *subject, unsigned source,
                               size_t *passed, struct ct_err *err)
{
    struct transfer_list list = {.search = search};
    enum ct_spent before;
    enum ct_status status =
        ct_db_results_each(search->store.db, subject->of.device_id, subject->of.kernel_id,
                           subject->of.problem_id, collect_source, &list, err);

    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    /* The newest first: a configuration counts the first time. */
    for (size_t i = list.count; i-- > 0 && !status;)
        ct_strategy_transfer(search->proposer.strategy, list.items[i].index,
                             &list.items[i].result, source);
    ct_meter_turn(&search->meter, before);
    *passed = list.count;
    free(list.items);
    return status;
}

/* Whether `a` takes precedence over `b`. */
static bool source_precedes(const struct ct_search *search, const struct ct_db_record *a,
                            const struct ct_db_record *b)
{
    bool here_a = a->of.device_id == search->store.run.device_id;
    bool here_b = b->of.device_id == search->store.run.device_id;

    return here_a != here_b ? here_a : a->result_count > b->result_count;
}

/* Selects sources that are not this search's own, in order of preference; returns how many. */
static size_t choose_sources(const struct ct_search *search, struct ct_db_record *listed,
                             size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct ct_db_record subject = listed[i];
        size_t at = kept;

        if (subject.of.device_id == search->store.run.device_id &&
            subject.of.kernel_id == search->store.run.kernel_id &&
            subject.of.problem_id == search->store.run.problem_id)
            continue;
        for (; at > 0 && source_precedes(search, &subject, &listed[at - 1]); at--)
            listed[at] = listed[at - 1];
        listed[at] = subject;
        kept++;
    }
    return kept;
}

enum ct_status ct_search_transfer(struct ct_search *search, struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_arena arena = {0};
    struct ct_db_record *listed = NULL;
    size_t count = 0;
    enum ct_status status;

    if (search->options->no_transfer ||
        !ct_strategy_has_transfer(search->proposer.strategy))
        return CT_OK;
    query.kernel = search->work.spec->kernel.name;
    status = ct_db_records(search->store.db, &query, &arena, &listed, &count, err);
    if (status == CT_E_NOT_FOUND) {
        status = CT_OK;
        count = 0;
    }
    count = choose_sources(search, listed, count);
    for (size_t i = 0;
         i < count && search->proposer.transfer_sources < SOURCES && !status; i++) {
        size_t passed;

        status = tell_all(search, &listed[i], (unsigned)i, &passed, err);
        search->proposer.transfer_count += passed;
        search->proposer.transfer_sources += passed > 0;
    }
    ct_arena_release(&arena);
    if (!status && search->proposer.transfer_count)
        ct_observer_event(search->observer, &(struct ct_event){.kind = CT_EVENT_TRANSFER,
                                                               .search = search});
    return status;
}
