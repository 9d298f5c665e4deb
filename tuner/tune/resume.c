// SPDX-License-Identifier: Apache-2.0
// Stored results of earlier runs: reused, tried again, or settled if in flight.
#include "tune/search_impl.h"

#include "tune/observed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The deadline to compare a stored timeout's with: of a build, --build-timeout, else --timeout. */
static uint64_t wanted_deadline_ns(const struct ct_search *search, const char *phase)
{
    const struct ct_deadlines *deadlines = &search->options->deadlines;

    return strcmp(phase, ct_phase_name(CT_PHASE_BUILD)) == 0
               ? deadlines->ns[CT_PHASE_BUILD]
               : deadlines->ns[CT_PHASE_MEASURE];
}

static int by_hash(const void *key, const void *item)
{
    const struct ct_hash *experiment = key;
    const struct ct_db_orphan *orphan = item;

    return strcmp(experiment->text, orphan->experiment.text);
}

/* What an experiment that was in flight when cltune or the machine died left behind, or NULL. */
static const struct ct_db_orphan *find_orphan(const struct ct_search *search,
                                              const struct ct_hash *experiment)
{
    if (!search->store.orphan_count)
        return NULL;
    return bsearch(experiment, search->store.orphans, search->store.orphan_count,
                   sizeof(*search->store.orphans), by_hash);
}

static enum ct_result_status status_by_name(const char *name)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (strcmp(ct_result_status_name((enum ct_result_status)i), name) == 0)
            return (enum ct_result_status)i;
    return CT_RESULT_INTERRUPTED;
}

/* A result's stored quantities. */
static struct ct_quantities stored_quantities(const struct ct_db_result *result)
{
    struct ct_quantities known = {0};

    if (status_by_name(result->status) != CT_RESULT_OK)
        return known;
    /* What cannot be read is unknown, and measured again if needed. */
    if (ct_observed_get(result->observed ? result->observed : "", &known, NULL))
        memset(&known, 0, sizeof(known));
    ct_quantities_set(&known, CT_QUANTITY_TIME_NS, result->time_ns);
    if (result->end_to_end.time_ns > 0)
        ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, result->end_to_end.time_ns);
    /* Before this column existed, only the objective's value was stored. */
    else if (result->stored.objective &&
             strcmp(result->stored.objective, "end_to_end") == 0)
        ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, result->objective_value);
    return known;
}

/* Whether a stored result need not be evaluated again.  It is not final if a longer deadline,
 * another try or the user's request could change it, or if it lacks what the objective is
 * computed from, unless it is of this very run. */
static bool final(const struct ct_search *search, const struct ct_db_result *result)
{
    enum ct_result_status status = status_by_name(result->status);

    if (search->store.begun && result->run_id == search->store.run.id)
        return status != CT_RESULT_INTERRUPTED;
    if (search->options->fresh || status == CT_RESULT_INTERRUPTED ||
        search->options->retry & 1u << status)
        return false;
    if (status == CT_RESULT_OK &&
        search->objective.needs & ~stored_quantities(result).known)
        return false;
    return status != CT_RESULT_TIMEOUT ||
           result->failure.deadline_ns >=
               wanted_deadline_ns(search, result->failure.phase);
}

/* Messages for an experiment without a report.  They are also compared with: they record earlier
 * deaths. */
static const char killed_text[] = "cltune was killed while it was in flight; that says "
                                  "nothing about it, and it is tried again";
static const char machine_text[] =
    "the machine went down while it was in flight; it is tried once more, last and alone";
static const char condemned_text[] =
    "the machine went down while it was in flight, and again when it was tried alone "
    "(--retry crashed tries it once more)";

/* Whether a result says that the machine went down. */
static bool machine_died_before(const struct ct_db_result *result)
{
    return status_by_name(result->status) == CT_RESULT_INTERRUPTED &&
           result->failure.message && strcmp(result->failure.message, machine_text) == 0;
}

static bool is_interrupted(const struct ct_db_result *result)
{
    return status_by_name(result->status) == CT_RESULT_INTERRUPTED;
}

/* Whether an experiment comes last and alone: the machine went down while it was in flight, or
 * cltune was killed for the second time. */
static bool is_in_flight_retry(const struct ct_db_result *result)
{
    return is_interrupted(result) &&
           (machine_died_before(result) || result->attempts > 1);
}

/* Stores the outcome of an experiment that has no report.  Its own worker did not die, or there
 * would be a report.  That cltune was killed, however often, says nothing about it; but if it was
 * in flight when the machine went down, and alone when that happened again, it is taken to be the
 * cause. */
static enum ct_status store_orphan(struct ct_search *search, const struct ct_plan *plan,
                                   const struct ct_db_orphan *orphan,
                                   const struct ct_db_result *before, struct ct_err *err)
{
    bool twice = before && machine_died_before(before);
    bool condemned = twice && orphan->machine_died && orphan->alone;
    struct ct_outcome outcome = {
        .status = condemned ? CT_RESULT_CRASHED : CT_RESULT_INTERRUPTED,
        .phase = CT_PHASE_START,
        .message = condemned                       ? condemned_text
                   : twice || orphan->machine_died ? machine_text
                                                   : killed_text,
        .build_log = "",
    };

    return ct_store_result(&search->store, plan, &orphan->experiment, &outcome, NULL,
                           err);
}

/* Settles an orphan, given its earlier result, if any.  `*settled`: what is stored has changed. */
static enum ct_status settle_orphan(struct ct_search *search, const struct ct_plan *plan,
                                    const struct ct_db_orphan *orphan,
                                    const struct ct_db_result *before, bool *settled,
                                    struct ct_err *err)
{
    bool again = before && is_interrupted(before);

    *settled = false;
    /* On the user's request it is tried alone a third time. */
    if (again &&
        (search->options->fresh || search->options->retry & 1u << CT_RESULT_CRASHED))
        return CT_OK;
    if (before && !again)
        return final(search, before)
                   ? ct_db_orphan_end(search->store.db, search->store.run.device_id,
                                      &orphan->experiment, err)
                   : CT_OK;
    *settled = true;
    return store_orphan(search, plan, orphan, before, err);
}

enum ct_status ct_search_peek(struct ct_search *search, const struct ct_hash *experiment,
                              bool *known, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result result = ct_db_result_init;
    enum ct_status status = CT_OK;
    const char *name = search->options->db;
    const struct ct_db_orphan *orphan;
    char *path = NULL;
    int64_t device_id;

    *known = false;
    if (!name) {
        status = ct_db_default_path(&path, err);
        name = path;
    }
    if (status || !name)
        return status;
    if (access(name, F_OK) == 0)
        status = ct_db_open(search->options->db, NULL, &search->store.db, err);
    free(path);
    if (status || !search->store.db)
        return status;
    status = ct_db_begin(search->store.db, err);
    if (status)
        return status;
    status = ct_db_device_put(search->store.db, search->work.device, &device_id, err);
    if (!status)
        status = ct_db_orphans(search->store.db, device_id, &search->store.orphan_arena,
                               &search->store.orphans, &search->store.orphan_count, err);
    if (!status)
        status = ct_db_result_get(search->store.db, device_id, experiment, &arena,
                                  &result, err);
    *known = !status && (final(search, &result) || is_in_flight_retry(&result));
    orphan = find_orphan(search, experiment);
    if (orphan && (orphan->machine_died || (!status && is_interrupted(&result))))
        *known = true;
    ct_db_rollback(search->store.db);
    ct_arena_release(&arena);
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

/* Looks up without settling. */
static enum ct_status get_stored(struct ct_search *search,
                                 const struct ct_hash *experiment, struct ct_arena *arena,
                                 struct ct_db_result *result, bool *stored,
                                 struct ct_err *err)
{
    enum ct_status status = ct_db_result_get_of(
        search->store.db, search->store.run.device_id, search->store.run.kernel_id,
        search->store.run.problem_id, experiment, arena, result, err);

    *stored = !status;
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

/* Fills in an entry from a stored result of the configuration in search->work.values. */
static void take_result(struct ct_search *search, const struct ct_db_result *result,
                        struct ct_evaluated *out)
{
    out->status = status_by_name(result->status);
    out->stored = true;
    out->verified = result->verified;
    out->time_ns = result->time_ns;
    out->low_ns = result->low_ns;
    out->high_ns = result->high_ns;
    out->stopped_early = result->samples.stopped_early;
    snprintf(out->duplicate_of.text, sizeof(out->duplicate_of.text), "%s",
             result->twin_of ? result->twin_of : "");
    out->measured_unix_s = result->measured_unix_s;
    out->rounds = result->playoff.rounds;
    out->raw_ns = result->playoff.rounds ? result->playoff.raw_ns : result->time_ns;
    out->observed = stored_quantities(result);
    out->value = ct_objective_value(&search->objective, search->work.binding,
                                    search->work.values, &out->observed);
    out->spent_ns = (double)(result->spent.build_ns + result->spent.first_ns +
                             result->spent.check_ns + result->spent.measure_ns);
    /* Failures of earlier runs are shown again, not only counted. */
    ct_results_note_failure(&search->results, &search->work, out->status,
                            result->failure.message, result->failure.log);
}

bool ct_search_take_foreign(struct ct_search *search, struct ct_db_result *result,
                            struct ct_evaluated *out)
{
    result->run_id = 0; /* of another database: it is none of ours */
    if (!final(search, result))
        return false;
    take_result(search, result, out);
    out->duplicate_of = (struct ct_hash){""}; /* its original may be nowhere here */
    out->rounds = 0;
    return true;
}

enum ct_status ct_search_find_stored(struct ct_search *search, const struct ct_plan *plan,
                                     const struct ct_hash *experiment,
                                     struct ct_evaluated *out, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result result;
    const struct ct_db_orphan *orphan = find_orphan(search, experiment);
    enum ct_spent before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    bool settled = false;
    bool stored;
    enum ct_status status = get_stored(search, experiment, &arena, &result, &stored, err);

    out->experiment = *experiment;
    /* What this run has stored is settled already. */
    if (!status && orphan && !(stored && result.run_id == search->store.run.id))
        status =
            settle_orphan(search, plan, orphan, stored ? &result : NULL, &settled, err);
    if (!status && settled)
        status = get_stored(search, experiment, &arena, &result, &stored, err);
    if (status)
        goto out;
    if (!stored || !final(search, &result)) {
        out->in_flight_retry =
            (orphan && orphan->machine_died) || (stored && is_in_flight_retry(&result));
        status = CT_E_NOT_FOUND;
        goto out;
    }
    take_result(search, &result, out);
    /* Measured for an older version of the space file, another name, problem or objective, but
     * the same experiment: it counts for this one, too. */
    if (result.stored.kernel_id != search->store.run.kernel_id ||
        result.stored.problem_id != search->store.run.problem_id ||
        result.stored.maximize != search->store.run.maximize ||
        strcmp(result.stored.objective, search->store.run.objective) != 0)
        status = ct_store_copy(&search->store, plan, &result, &out->observed, err);
out:
    ct_arena_release(&arena);
    ct_meter_turn(&search->meter, before);
    return status;
}

/* Results by configuration, collected before any planning: the callback must not use the
 * database. */
struct known_list {
    struct ct_search *search;
    int64_t *indices;
    size_t count;
    size_t capacity;
};

static int64_t index_of(struct ct_search *search, const struct ct_db_value *values,
                        size_t count)
{
    const struct ct_spec *spec = search->work.spec;
    uint64_t index;

    if (count != spec->param_count)
        return CT_OUTSIDE;
    for (size_t i = 0; i < count; i++) {
        int p = ct_spec_find_param(spec, values[i].name);

        if (p < 0)
            return CT_OUTSIDE;
        search->work.values[p] = values[i].value;
    }
    return ct_space_find(search->work.space, search->work.values, &index) ? (int64_t)index
                                                                          : CT_OUTSIDE;
}

enum ct_status ct_search_stored_index(struct ct_search *search,
                                      const struct ct_db_known *known, int64_t *index,
                                      struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    enum ct_status status =
        ct_db_parse(&arena, known->configuration, &values, &count, err);

    if (!status)
        *index = index_of(search, values, count);
    ct_arena_release(&arena);
    return status;
}

static enum ct_status collect_known(void *user, const struct ct_db_known *known,
                                    struct ct_err *err)
{
    struct known_list *list = user;
    int64_t index;
    enum ct_status status = ct_search_stored_index(list->search, known, &index, err);

    if (status || index == CT_OUTSIDE)
        return status;
    if (!ct_mem_grow(&list->indices, &list->capacity, list->count + 1, sizeof(index)))
        return ct_err_nomem(err);
    list->indices[list->count++] = index;
    return CT_OK;
}

static int by_index(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

enum ct_status ct_search_refused(const struct ct_search *search, const struct ct_err *why,
                                 struct ct_hash *experiment, struct ct_err *err)
{
    const struct ct_plan nothing = {0};
    struct ct_hash empty = ct_workload_experiment(&search->work, &nothing);
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    ct_str_addf(&text, "%s\n%lld %lld\n%s\n", empty.text,
                (long long)search->store.run.kernel_id,
                (long long)search->store.run.problem_id, why->message);
    ct_binding_print(search->work.binding, search->work.values, NULL, &text);
    *experiment = ct_hash_bytes(text.data, text.length);
    status = text.failed ? ct_err_nomem(err) : CT_OK;
    ct_str_release(&text);
    return status;
}

/* Plans the experiment of a stored configuration as it would be today; reused only if it is the
 * same. */
static enum ct_status take_over(struct ct_search *search, int64_t index,
                                struct ct_err *err)
{
    struct ct_evaluated entry = {.index = index};
    struct ct_err why = CT_ERR_INIT;
    struct ct_hash experiment;
    struct ct_plan plan;
    enum ct_status status;

    ct_workload_values(&search->work, index);
    ct_arena_release(&search->work.arena);
    status = ct_workload_plan(&search->work, search->objective.needs, &search->work.arena,
                              &plan, &why);
    if (!status) {
        experiment = ct_workload_experiment(&search->work, &plan);
    } else if (status == CT_E_SPEC && index != search->work.default_index) {
        memset(&plan, 0, sizeof(plan));
        status = ct_search_refused(search, &why, &experiment, err);
    } else {
        *err = why;
    }
    if (status)
        return status;
    status = ct_search_find_stored(search, &plan, &experiment, &entry, err);
    if (status)
        return status == CT_E_NOT_FOUND ? CT_OK : status;
    status = ct_search_add(search, &entry, err);
    if (!status)
        ct_search_learn(search, &entry);
    return status;
}

enum ct_status ct_search_resume(struct ct_search *search, struct ct_err *err)
{
    struct known_list list = {.search = search};
    enum ct_spent before;
    enum ct_status status;

    if (search->options->fresh)
        return CT_OK;
    before = ct_meter_turn(&search->meter, CT_SPENT_STORE);
    status = ct_db_results_each(search->store.db, search->store.run.device_id,
                                search->store.run.kernel_id, search->store.run.problem_id,
                                collect_known, &list, err);
    ct_meter_turn(&search->meter, before);
    if (list.count)
        qsort(list.indices, list.count, sizeof(*list.indices), by_index);
    for (size_t i = 0; !status && i < list.count; i++)
        if (!i || list.indices[i] != list.indices[i - 1])
            status = take_over(search, list.indices[i], err);
    free(list.indices);
    return status;
}
