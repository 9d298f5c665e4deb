// SPDX-License-Identifier: Apache-2.0
// Gives a strategy that can use them stored results of the same kernel on other devices, for
// other problems or in older versions.
#include "tune/search_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sources used; those of this device first, then those with most results. */
enum { SOURCES = 5 };

/* One source: a kernel, device and problem in one of the databases. */
struct source {
    struct ct_db *db;
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    uint64_t result_count;
    bool here; /* of this device, in this search's database */
};

struct source_list {
    struct source *items;
    size_t count;
    size_t capacity;
    struct ct_db **opened; /* other databases */
    size_t opened_count;
};

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
static enum ct_status tell_all(struct ct_search *search, const struct source *source,
                               unsigned number, size_t *passed, struct ct_err *err)
{
    struct transfer_list list = {.search = search};
    enum ct_spent before;
    enum ct_status status =
        ct_db_results_each(source->db, source->device_id, source->kernel_id,
                           source->problem_id, collect_source, &list, err);

    before = ct_meter_turn(&search->meter, CT_SPENT_STRATEGY);
    /* The newest first: a configuration counts the first time. */
    for (size_t i = list.count; i-- > 0 && !status;)
        ct_strategy_transfer(search->proposer.strategy, list.items[i].index,
                             &list.items[i].result, number);
    ct_meter_turn(&search->meter, before);
    *passed = list.count;
    free(list.items);
    return status;
}

/* Whether `a` takes precedence over `b`. */
static bool source_precedes(const struct source *a, const struct source *b)
{
    return a->here != b->here ? a->here : a->result_count > b->result_count;
}

/* Inserts a source in order of preference, equals in the order listed. */
static enum ct_status insert_source(struct source_list *list, const struct source *source,
                                    struct ct_err *err)
{
    size_t at = list->count;

    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                     sizeof(*list->items)))
        return ct_err_nomem(err);
    for (; at > 0 && source_precedes(source, &list->items[at - 1]); at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = *source;
    list->count++;
    return CT_OK;
}

enum ct_status ct_search_list_records(const struct ct_search *search, struct ct_db *db,
                                      struct ct_arena *arena,
                                      struct ct_db_record **listed, size_t *count,
                                      struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    enum ct_status status;

    *count = 0;
    query.kernel = search->work.spec->kernel.name;
    status = ct_db_records(db, &query, arena, listed, count, err);
    if (status != CT_E_NOT_FOUND)
        return status;
    *count = 0;
    return CT_OK;
}

/* Lists the sources in one database that are not this search's own. */
static enum ct_status list_sources(const struct ct_search *search, struct ct_db *db,
                                   struct source_list *list, struct ct_err *err)
{
    bool own = db == search->store.db;
    struct ct_arena arena = {0};
    struct ct_db_record *listed = NULL;
    size_t count = 0;
    enum ct_status status =
        ct_search_list_records(search, db, &arena, &listed, &count, err);

    for (size_t i = 0; i < count && !status; i++) {
        struct source source = {db,
                                listed[i].of.device_id,
                                listed[i].of.kernel_id,
                                listed[i].of.problem_id,
                                listed[i].result_count,
                                own && listed[i].of.device_id ==
                                           search->store.run.device_id};

        if (source.here && source.kernel_id == search->store.run.kernel_id &&
            source.problem_id == search->store.run.problem_id)
            continue;
        status = insert_source(list, &source, err);
    }
    ct_arena_release(&arena);
    return status;
}

/* Opens the databases of --with, read-only, and lists their sources. */
static enum ct_status list_others(const struct ct_search *search,
                                  struct source_list *list, struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    size_t count = search->options->with_count;
    enum ct_status status = CT_OK;

    /* An island's are of this device, and read again and again (islands.c). */
    if (!count || search->options->island.of)
        return CT_OK;
    list->opened = ct_mem_array(count, sizeof(struct ct_db *));
    if (!list->opened)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count && !status; i++) {
        status = ct_db_open(search->options->with[i], &reading, &list->opened[i], err);
        if (status)
            break;
        list->opened_count++;
        status = list_sources(search, list->opened[i], list, err);
    }
    return status;
}

enum ct_status ct_search_transfer(struct ct_search *search, struct ct_err *err)
{
    struct source_list list = {0};
    enum ct_status status;

    if (search->options->no_transfer ||
        !ct_strategy_has_transfer(search->proposer.strategy))
        return CT_OK;
    status = list_sources(search, search->store.db, &list, err);
    if (!status)
        status = list_others(search, &list, err);
    for (size_t i = 0;
         i < list.count && search->proposer.transfer_sources < SOURCES && !status; i++) {
        size_t passed;

        status = tell_all(search, &list.items[i], (unsigned)i, &passed, err);
        search->proposer.transfer_count += passed;
        search->proposer.transfer_sources += passed > 0;
    }
    for (size_t i = 0; i < list.opened_count; i++)
        ct_db_close(list.opened[i]);
    free(list.opened);
    free(list.items);
    if (!status && search->proposer.transfer_count)
        ct_observer_event(search->observer, &(struct ct_event){.kind = CT_EVENT_TRANSFER,
                                                               .search = search});
    return status;
}
