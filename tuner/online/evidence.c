// SPDX-License-Identifier: Apache-2.0
// Gives online tuning what the databases know.
#include "online/evidence.h"

#include "base/mem.h"
#include "db/tuning.h"
#include "plan/stored_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Other devices and problems that are used, and candidates that are asked for. */
enum { SOURCES = 5, CANDIDATES = 10, TOP = 3 };

/* One result, as the strategy is told. */
struct item {
    uint64_t index;
    struct ct_strategy_result result;
};

struct item_list {
    struct ct_online_work *work;
    struct item *items;
    size_t count;
    size_t capacity;
};

/* A kernel, device and problem in a layer. */
struct source {
    struct ct_db *db;
    struct ct_db_tuned ids;
    uint64_t result_count;
    bool outdated;
};

struct loading {
    const struct ct_online_question *question;
    struct ct_trials *trials;
    struct ct_online_settled *out;
    struct ct_str problem; /* canonical JSON */
    struct source *sources;
    size_t source_count;
    size_t source_capacity;
};

static enum ct_failure failure_of(const char *status)
{
    static const struct {
        const char *status;
        enum ct_failure failure;
    } names[] = {{"build_failed", CT_FAILURE_BUILD}, {"invalid", CT_FAILURE_INVALID},
                 {"skipped", CT_FAILURE_INVALID},    {"wrong", CT_FAILURE_WRONG},
                 {"crashed", CT_FAILURE_CRASHED},    {"timeout", CT_FAILURE_TIMEOUT}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].status, status) == 0)
            return names[i].failure;
    return CT_FAILURE_NONE;
}

static enum ct_status collect(void *user, const struct ct_db_known *known,
                              struct ct_err *err)
{
    struct item_list *list = user;
    bool ok = strcmp(known->status, "ok") == 0;
    struct item item = {.result = {.ok = ok, .failure = failure_of(known->status)}};
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    bool valid;
    enum ct_status status;

    /* Interrupted: no outcome. */
    if (ok ? !(known->time_ns > 0) : !item.result.failure)
        return CT_OK;
    status = ct_db_parse(&arena, known->configuration, &values, &count, err);
    valid = !status && ct_online_work_find(list->work, values, count, &item.index);
    ct_arena_release(&arena);
    if (status || !valid)
        return status;
    item.result.objective = ok ? known->time_ns : 0;
    if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(item)))
        return ct_err_nomem(err);
    list->items[list->count++] = item;
    return CT_OK;
}

static enum ct_status collect_all(struct loading *loading, struct ct_db *db,
                                  const struct ct_db_tuned *ids, struct item_list *list,
                                  struct ct_err *err)
{
    *list = (struct item_list){.work = loading->question->work};
    return ct_db_results_each(db, ids->device_id, ids->kernel_id, ids->problem_id,
                              collect, list, err);
}

/* --- this very device, driver, problem and version --- */

/* The leaders of the same, as candidates; the first is the stored best. */
static enum ct_status take_leaders(struct loading *loading, struct ct_db *db,
                                   const struct ct_db_tuned *ids, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result top[TOP];
    size_t count = 0;
    enum ct_status status =
        ct_db_best_top(db, ids->device_id, ids->kernel_id, ids->problem_id, "time", false,
                       TOP, &arena, top, &count, err);

    for (size_t i = 0; i < count && !status; i++) {
        struct ct_db_value *values;
        size_t value_count;
        uint64_t index;

        status = ct_db_parse(&arena, top[i].configuration, &values, &value_count, err);
        if (status ||
            !ct_online_work_find(loading->question->work, values, value_count, &index))
            continue;
        if (i == 0 && ids->done && !loading->out->any && !loading->question->again)
            *loading->out = (struct ct_online_settled){true, index, top[i].time_ns};
        status = ct_trials_candidate(loading->trials, index, err);
    }
    ct_arena_release(&arena);
    return status;
}

static enum ct_status take_own(struct loading *loading, struct ct_db *db,
                               struct ct_err *err)
{
    const struct ct_online_question *question = loading->question;
    struct ct_db_tuned ids;
    struct item_list list = {0};
    enum ct_status status =
        ct_db_tuned_find(db, &question->work->device, question->work->spec->kernel.name,
                         &question->version, loading->problem.data, &ids, err);

    if (status || !ids.device_id || !ids.kernel_id || !ids.problem_id)
        return status;
    status = collect_all(loading, db, &ids, &list, err);
    /* The newest first: a configuration counts the first time. */
    for (size_t i = list.count; i-- > 0 && !status;)
        if (question->again && list.items[i].result.ok)
            ct_trials_transfer(loading->trials, list.items[i].index,
                               &list.items[i].result, 0);
        else
            status = ct_trials_known(loading->trials, list.items[i].index,
                                     &list.items[i].result, err);
    free(list.items);
    return status ? status : take_leaders(loading, db, &ids, err);
}

/* --- others --- */

static enum ct_status insert_source(struct loading *loading, const struct source *source,
                                    struct ct_err *err)
{
    size_t at = loading->source_count;

    if (!ct_mem_grow(&loading->sources, &loading->source_capacity, at + 1,
                     sizeof(*source)))
        return ct_err_nomem(err);
    for (; at > 0 && source->result_count > loading->sources[at - 1].result_count; at--)
        loading->sources[at] = loading->sources[at - 1];
    loading->sources[at] = *source;
    loading->source_count++;
    return CT_OK;
}

static enum ct_status list_sources(struct loading *loading, struct ct_db *db,
                                   struct ct_err *err)
{
    const struct ct_online_question *question = loading->question;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    struct ct_arena arena = {0};
    struct ct_db_record *listed = NULL;
    struct ct_db_tuned own;
    size_t count = 0;
    enum ct_status status =
        ct_db_tuned_find(db, &question->work->device, question->work->spec->kernel.name,
                         &question->version, loading->problem.data, &own, err);

    query.kernel = question->work->spec->kernel.name;
    if (!status)
        status = ct_db_records(db, &query, &arena, &listed, &count, err);
    if (status == CT_E_NOT_FOUND) {
        status = CT_OK;
        count = 0;
    }
    for (size_t i = 0; i < count && !status; i++) {
        struct source source = {
            .db = db,
            .ids = {listed[i].of.device_id, listed[i].of.kernel_id,
                    listed[i].of.problem_id, false},
            .result_count = listed[i].result_count,
            .outdated = own.kernel_id ? listed[i].of.kernel_id != own.kernel_id
                                      : listed[i].of.outdated,
        };

        if (source.ids.device_id != own.device_id ||
            source.ids.kernel_id != own.kernel_id ||
            source.ids.problem_id != own.problem_id)
            status = insert_source(loading, &source, err);
    }
    ct_arena_release(&arena);
    return status;
}

/* What was wrong or crashed must not touch the program's data. */
static bool is_dangerous(const struct source *source, const struct item *item)
{
    return !source->outdated && (item->result.failure == CT_FAILURE_WRONG ||
                                 item->result.failure == CT_FAILURE_CRASHED);
}

static enum ct_status take_sources(struct loading *loading, struct ct_err *err)
{
    unsigned used = 0;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < loading->source_count && !status; i++) {
        const struct source *source = &loading->sources[i];
        struct item_list list;

        status = collect_all(loading, source->db, &source->ids, &list, err);
        for (size_t k = list.count; k-- > 0 && !status;) {
            const struct item *item = &list.items[k];

            if (is_dangerous(source, item))
                status =
                    ct_trials_known(loading->trials, item->index, &item->result, err);
            else if (used < SOURCES)
                ct_trials_transfer(loading->trials, item->index, &item->result, used + 1);
        }
        used += list.count > 0;
        free(list.items);
    }
    return status;
}

/* --- candidates --- */

static void describe_device(const struct ct_devinfo *device, cltunedb_query *query)
{
    query->device_name = ct_devinfo_text(device, CT_DEVICE_NAME);
    query->device_vendor = ct_devinfo_text(device, CT_DEVICE_VENDOR);
    query->device_type = device->type;
    query->driver_version = device->driver_version;
    query->compute_units =
        (uint32_t)ct_devinfo_int(device, CT_DEVICE_MAX_COMPUTE_UNITS, 0);
}

static cltunedb_value public_value(const char *name, const struct ct_value *value)
{
    return (cltunedb_value){.name = name,
                            .kind = value->kind == CT_INT    ? CLTUNEDB_INT
                                    : value->kind == CT_REAL ? CLTUNEDB_REAL
                                                             : CLTUNEDB_TEXT,
                            .i = value->kind == CT_INT ? value->u.i : 0,
                            .r = value->kind == CT_TEXT ? 0 : ct_value_number(*value),
                            .s = value->kind == CT_TEXT ? value->u.s : ""};
}

/* The private form of an answer's configuration: texts are borrowed. */
static bool find_answer(struct ct_online_work *work, const cltunedb_answer *answer,
                        uint64_t *index)
{
    struct ct_db_value *values =
        ct_mem_array(answer->configuration_count, sizeof(*values));
    bool found;

    for (size_t i = 0; values && i < answer->configuration_count; i++) {
        const cltunedb_value *value = &answer->configuration[i];

        values[i].name = value->name;
        values[i].value = value->kind == CLTUNEDB_INT    ? ct_value_int(value->i)
                          : value->kind == CLTUNEDB_REAL ? ct_value_real(value->r)
                                                         : ct_value_text(value->s);
    }
    found =
        values && ct_online_work_find(work, values, answer->configuration_count, index);
    free(values);
    return found;
}

static enum ct_status take_answers(struct loading *loading,
                                   const struct ct_layers *layers, struct ct_err *err)
{
    struct ct_online_work *work = loading->question->work;
    const struct ct_spec *spec = work->spec;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_answers *answers = NULL;
    cltunedb_value limits[CT_DEVPROP_COUNT];
    cltunedb_value *problem = ct_mem_array(spec->slots.count, sizeof(*problem));
    enum ct_status status = problem ? CT_OK : ct_err_nomem(err);
    struct ct_err why = CT_ERR_INIT;

    for (size_t i = 0; i < spec->slots.count && problem; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM)
            problem[query.problem_count++] =
                public_value(spec->slots.symbols[i].name, &work->binding->fixed[i]);
    for (int i = 0; i < CT_DEVPROP_COUNT; i++)
        if (work->device.props[i].kind == CT_INT)
            limits[query.limit_count++] =
                public_value(ct_devprops[i].name, &work->device.props[i]);
    query.kernel = spec->kernel.name;
    query.problem = problem;
    query.limits = limits;
    query.objective = "time";
    query.candidates = CANDIDATES;
    describe_device(&work->device, &query);
    /* No answer is no failure. */
    if (!status && ct_layers_find(layers, &query, &answers, &why) == CT_OK)
        for (size_t i = 0; i < cltunedb_answer_count(answers) && !status; i++) {
            uint64_t index;

            if (find_answer(work, cltunedb_answer_at(answers, i), &index))
                status = ct_trials_candidate(loading->trials, index, err);
        }
    cltunedb_free(answers);
    free(problem);
    return status;
}

enum ct_status ct_online_evidence_load(const struct ct_layers *layers,
                                       const struct ct_online_question *question,
                                       struct ct_trials *trials,
                                       struct ct_online_settled *out, struct ct_err *err)
{
    struct loading loading = {.question = question, .trials = trials, .out = out};
    enum ct_status status;

    *out = (struct ct_online_settled){0};
    ct_str_init(&loading.problem);
    status = ct_stored_problem(question->work->binding, &loading.problem, err);
    for (size_t i = 0; i < layers->count && !status; i++)
        if (layers->items[i].db)
            status = take_own(&loading, layers->items[i].db, err);
    for (size_t i = 0; i < layers->count && !status; i++)
        if (layers->items[i].db)
            status = list_sources(&loading, layers->items[i].db, err);
    if (!status)
        status = take_sources(&loading, err);
    if (!status && layers->count)
        status = take_answers(&loading, layers, err);
    if (!status)
        status = ct_trials_candidate(trials, question->work->default_index, err);
    free(loading.sources);
    ct_str_release(&loading.problem);
    return status;
}
