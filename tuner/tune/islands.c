// SPDX-License-Identifier: Apache-2.0
// Searches beside each other (--island) read each other's results: what one has measured on a device
// of the same kind, no other one measures.  Parts (--shard) only read how fast the best of the others is.
//
// Their databases may be missing, be written to at this moment, or be damaged: they are read again at
// the next checkpoint, and the search goes on without them.  Results of others are not stored: merging
// brings all of them together, each once.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "base/file.h"
#include "judge/policy.h"
#include "protocol/scratch.h"

#include <stdlib.h>
#include <string.h>

/* A result of another island that may be one of this search's experiments. */
struct candidate {
    int64_t index;
    struct ct_hash experiment;
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
};

struct candidates {
    struct ct_search *search;
    const struct ct_map *busy; /* indices that have results, or soon have */
    const struct ct_db_record *record;
    struct candidate *items;
    size_t count;
    size_t capacity;
};

static enum ct_status collect(void *user, const struct ct_db_known *known,
                              struct ct_err *err)
{
    struct candidates *list = user;
    struct ct_search *search = list->search;
    uint64_t seen;
    int64_t index;
    enum ct_status status;

    if (strcmp(known->status, "interrupted") == 0 ||
        ct_map_find_hash(&search->islands.seen, &known->experiment, &seen))
        return CT_OK;
    status = ct_search_stored_index(search, known, &index, err);
    /* Each island measures the default itself: it shows that the device works. */
    if (status || index == CT_OUTSIDE || index == search->work.default_index ||
        ct_map_has(list->busy, (uint64_t)index))
        return status;
    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                     sizeof(*list->items)))
        return ct_err_nomem(err);
    list->items[list->count++] =
        (struct candidate){index, known->experiment, list->record->of.device_id,
                           list->record->of.kernel_id, list->record->of.problem_id};
    return CT_OK;
}

static enum ct_status adopt(struct ct_search *search, struct ct_db *db,
                            const struct candidate *candidate, struct ct_err *err)
{
    struct ct_evaluated entry = {.index = candidate->index};
    struct ct_arena arena = {0};
    struct ct_hash experiment;
    struct ct_db_result result;
    struct ct_plan plan;
    enum ct_status status;

    ct_workload_values(&search->work, candidate->index);
    /* What has no plan is refused again, without a device. */
    if (ct_workload_plan(&search->work, search->objective.needs, &arena, &plan, NULL)) {
        ct_arena_release(&arena);
        return CT_OK;
    }
    experiment = ct_workload_experiment(&search->work, &plan);
    if (strcmp(experiment.text, candidate->experiment.text) != 0) {
        /* Of another device, problem or version: it stays so. */
        ct_arena_release(&arena);
        return ct_map_put_hash(&search->islands.seen, &candidate->experiment, 0)
                   ? CT_OK
                   : ct_err_nomem(err);
    }
    entry.experiment = experiment;
    status =
        ct_db_result_get_of(db, candidate->device_id, candidate->kernel_id,
                            candidate->problem_id, &experiment, &arena, &result, err);
    if (!status && ct_search_take_foreign(search, &result, &entry)) {
        status = ct_search_add(search, &entry, err);
        if (!status) {
            search->islands.adopted++;
            ct_search_learn(search, &entry);
            ct_search_show(search, &entry, "", NULL);
        }
    }
    ct_arena_release(&arena);
    return status;
}

/* Indices with results, and those that the scheduler has. */
static enum ct_status find_busy(const struct ct_search *search, struct ct_map *busy,
                                struct ct_err *err)
{
    bool enough = true;

    for (size_t i = 0; i < search->results.done_count && enough; i++)
        enough = ct_map_put(busy, (uint64_t)search->results.done[i].index, 0);
    for (size_t i = 0; i < search->jobs.pending_count && enough; i++)
        enough = ct_map_put(busy, (uint64_t)search->jobs.pending[i]->entry.index, 0);
    for (size_t i = 0; i < search->canary.held_count && enough; i++)
        enough =
            ct_map_put(busy, (uint64_t)search->canary.held[i].pending->entry.index, 0);
    return enough ? CT_OK : ct_err_nomem(err);
}

static enum ct_status adopt_all(struct ct_search *search, struct ct_db *db,
                                struct ct_err *err)
{
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_map busy = {0};
    struct candidates list = {.search = search, .busy = &busy};
    struct ct_arena arena = {0};
    struct ct_db_record *records = NULL;
    size_t count = 0;
    enum ct_status status = find_busy(search, &busy, err);

    query.kernel = search->work.spec->kernel.name;
    if (!status)
        status = ct_db_records(db, &query, &arena, &records, &count, err);
    for (size_t i = 0; i < count && !status; i++) {
        list.record = &records[i];
        status = ct_db_results_each(db, records[i].of.device_id, records[i].of.kernel_id,
                                    records[i].of.problem_id, collect, &list, err);
    }
    for (size_t i = 0; i < list.count && !status; i++) {
        /* Two records may have it. */
        if (ct_map_has(&busy, (uint64_t)list.items[i].index))
            continue;
        status = adopt(search, db, &list.items[i], err);
        if (!status && search->results.done_count &&
            search->results.done[search->results.done_count - 1].index ==
                list.items[i].index &&
            !ct_map_put(&busy, (uint64_t)list.items[i].index, 0))
            status = ct_err_nomem(err);
    }
    ct_map_release(&busy);
    ct_arena_release(&arena);
    free(list.items);
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

/* The databases of the searches beside this one. */
struct others {
    const char *const *paths;
    size_t count;
};

static struct others others_of(const struct ct_tune_options *options)
{
    if (options->island.of)
        return (struct others){options->with, options->with_count};
    return options->shard.of ? (struct others){options->beside, options->beside_count}
                             : (struct others){NULL, 0};
}

/* Reads one of them. */
static enum ct_status read_other(struct ct_search *search, const char *path,
                                 struct ct_db_seen *seen, struct ct_err *err)
{
    struct ct_scratch scratch = {.lock = -1};
    struct ct_db *db = NULL;
    enum ct_status status = ct_scratch_open(&scratch, err);

    if (!status)
        status = ct_db_snapshot_open(path, scratch.path.data, seen, &db, err);
    if (!status && db)
        status = search->options->shard.of ? ct_search_read_bar(search, db, err)
                                           : adopt_all(search, db, err);
    ct_db_close(db);
    ct_scratch_close(&scratch);
    return status;
}

static void warn(struct ct_search *search, size_t number, const struct ct_err *why)
{
    struct ct_island *other = &search->islands.others[number];

    if (!other->warned)
        ct_observer_warn(search->observer,
                         "the results of another search are not read now: %s; this one "
                         "continues without them and tries again",
                         why->message);
    other->warned = true;
}

/* Usual at the start; but a name may be misspelt. */
static void warn_missing(const struct ct_search *search, size_t count, const char *first)
{
    if (count == 1)
        ct_observer_warn(search->observer,
                         "no results of another search in %s yet: they are read when "
                         "there are some",
                         first);
    else if (count)
        ct_observer_warn(search->observer,
                         "no results of other searches in %zu databases yet, such as %s: "
                         "they are read when there are some",
                         count, first);
}

enum ct_status ct_search_read_islands(struct ct_search *search, struct ct_err *err)
{
    const struct others others = others_of(search->options);
    uint64_t start_ns = ct_clock_now_ns();
    const char *own = search->store.db ? ct_db_path(search->store.db) : "";
    size_t missing = 0;
    size_t missed = 0;
    bool first = !search->islands.others;
    enum ct_spent before;

    if (!others.count || start_ns < search->islands.next_ns)
        return CT_OK;
    if (first)
        search->islands.others =
            ct_mem_array(others.count, sizeof(*search->islands.others));
    if (!search->islands.others)
        return ct_err_nomem(err);
    before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    for (size_t i = 0; i < others.count; i++) {
        const char *path = others.paths[i];
        struct ct_err why = CT_ERR_INIT;
        enum ct_status status = CT_OK;

        if (strcmp(path, own) != 0 && !ct_file_is_same(path, own))
            status = read_other(search, path, &search->islands.others[i].seen, &why);
        if (status == CT_E_NOMEM) {
            ct_meter_turn(&search->meter, before);
            *err = why;
            return status;
        }
        if (status == CT_E_NOT_FOUND) {
            missed = missing++ ? missed : i;
        } else if (status) {
            warn(search, i, &why);
        }
    }
    if (first)
        warn_missing(search, missing, others.paths[missed]);
    ct_meter_turn(&search->meter, before);
    search->islands.next_ns = ct_clock_now_ns() + CT_POLICY_ISLANDS_NS +
                              CT_POLICY_ISLANDS_SHARE * (ct_clock_now_ns() - start_ns);
    return CT_OK;
}

void ct_search_release_islands(struct ct_search *search)
{
    free(search->islands.others);
    ct_map_release(&search->islands.seen);
}
