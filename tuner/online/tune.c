// SPDX-License-Identifier: Apache-2.0
// The public interface of online tuning: cltunedb-tune.h.
#include "db/cltunedb-tune.h"

#include "base/clock.h"
#include "db/lookup.h"
#include "db/tuning.h"
#include "db/plain_locale.h"
#include "online/configs.h"
#include "online/evidence.h"
#include "online/record.h"
#include "plan/identity.h"
#include "spacefile/trusted.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cltunedb_tune {
    char *database; /* as requested; NULL: the layers */
    struct ct_trials_budget budget;
    uint64_t seed;
    struct ct_online_work work;
    struct ct_online_configs configs;
    struct ct_trials *trials;
    struct ct_online_record record;
    unsigned regressions;
    struct ct_online_config *current; /* that cltunedb_tune_next gave; NULL: reported */
    struct ct_trial trial;
    uint64_t since_ns;
    struct ct_err fault; /* the first; code 0: none */
};

static bool is_enabled(const struct cltunedb_tune *tune)
{
    return tune->budget.launches || tune->budget.spent_ns > 0;
}

/* Tuning goes on without the database. */
static void note_fault(struct cltunedb_tune *tune, const struct ct_err *why)
{
    if (!tune->fault.code)
        tune->fault = *why;
}

/* --- beginning --- */

/* Plans any configuration: for what all have in common. */
static enum ct_status plan_any(struct cltunedb_tune *tune, struct ct_arena *arena,
                               struct ct_plan *plan, struct ct_err *err)
{
    enum { TRIED = 64 };
    uint64_t count = ct_space_count(tune->work.space);
    struct ct_err first = CT_ERR_INIT;
    enum ct_status status =
        ct_online_work_plan(&tune->work, tune->work.default_index, arena, plan, &first);

    for (uint64_t i = 0; i < count && i < TRIED && status == CT_E_SPEC; i++) {
        ct_arena_release(arena);
        *plan = (struct ct_plan){0};
        status = ct_online_work_plan(&tune->work, i, arena, plan, NULL);
    }
    if (status && err)
        *err = first;
    return status;
}

/* Reads what is known, and begins with it. */
static enum ct_status begin_trials(struct cltunedb_tune *tune, bool again,
                                   struct ct_err *err)
{
    struct ct_online_question question = {.work = &tune->work, .again = again};
    struct ct_online_settled settled = {0};
    struct ct_layers layers = {0};
    struct ct_arena arena = {0};
    struct ct_plan plan = {0};
    struct ct_err why = CT_ERR_INIT;
    enum ct_status status = plan_any(tune, &arena, &plan, err);
    enum ct_status opened;

    if (!status) {
        question.version = ct_spec_version(tune->work.spec, &plan);
        status = ct_trials_new(tune->work.space, tune->seed + tune->regressions,
                               &tune->budget, tune->regressions, &tune->trials, err);
    }
    ct_arena_release(&arena);
    if (status)
        return status;
    opened = ct_layers_open(&layers, tune->database, &why);
    if (opened && opened != CT_E_NOT_FOUND)
        note_fault(tune, &why);
    /* Without layers the default is left. */
    if (opened)
        ct_layers_close(&layers);
    why = (struct ct_err)CT_ERR_INIT;
    status = ct_online_evidence_load(&layers, &question, tune->trials, &settled, &why);
    if (status == CT_E_DB) {
        note_fault(tune, &why);
        status = ct_trials_candidate(tune->trials, tune->work.default_index, &why);
    }
    if (status && err)
        *err = why;
    ct_layers_close(&layers);
    if (!status && settled.any && !ct_trials_failed(tune->trials, settled.index))
        ct_trials_settle(tune->trials, settled.index, settled.time_ns);
    return status;
}

/* Where the kernel's space file was on this machine. */
static enum ct_status find_space(const char *database, const char *kernel, char **out,
                                 struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    struct ct_arena arena = {0};
    struct ct_db *db = NULL;
    const char *place = "";
    enum ct_status status = ct_db_open(database, &reading, &db, err);

    if (!status)
        status = ct_db_kernel_place(db, kernel, &arena, &place, err);
    if (!status && !*place)
        status =
            ct_err_set(err, CT_E_NOT_FOUND,
                       "the database does not say where the space file of %s is: name "
                       "it in the request",
                       kernel);
    if (!status && !ct_trusted_space(place))
        status = ct_err_set(err, CT_E_USAGE,
                            "the database names %s as the space file of %s, but you have "
                            "not searched it yet: name it in the request",
                            place, kernel);
    if (!status) {
        *out = ct_mem_copy(place, strlen(place));
        status = *out ? CT_OK : ct_err_nomem(err);
    }
    ct_db_close(db);
    ct_arena_release(&arena);
    return status;
}

/* Copies a request over one of the same form that is empty: a program of an older version has a shorter
 * one. */
static bool copy_request(const cltunedb_tune_request *given, cltunedb_tune_request *out)
{
    size_t bytes = given ? given->struct_bytes : 0;

    if (bytes < offsetof(cltunedb_tune_request, files))
        return false;
    memcpy(out, given, bytes < sizeof(*out) ? bytes : sizeof(*out));
    return true;
}

static enum ct_status check_files(const cltunedb_tune_request *request,
                                  struct ct_err *err)
{
    if (request->file_count && (!request->files || !request->space_file))
        return ct_err_set(err, CT_E_USAGE,
                          "the request counts files that it does not have, or has files "
                          "without the name of the space file");
    for (size_t i = 0; i < request->file_count; i++)
        if (!request->files[i].path || !request->files[i].text)
            return ct_err_set(err, CT_E_USAGE,
                              "file %zu of the request has no path or no text", i + 1);
    return CT_OK;
}

static enum ct_status check_request(const cltunedb_tune_request *request,
                                    struct ct_err *err)
{
    if (!request->space_file && !request->kernel)
        return ct_err_set(err, CT_E_USAGE,
                          "the request has neither a space file nor a kernel");
    if ((request->device_count && !request->device) ||
        (request->problem_count && !request->problem))
        return ct_err_set(err, CT_E_USAGE,
                          "the request counts values of the device or the problem that "
                          "it does not have");
    if (!(request->budget_ms >= 0))
        return ct_err_set(err, CT_E_USAGE, "the budget of %g ms is not a number above 0",
                          request->budget_ms);
    return check_files(request, err);
}

static enum ct_status begin(const cltunedb_tune_request *request, cltunedb_tune *tune,
                            struct ct_err *err)
{
    char *found = NULL;
    enum ct_status status = CT_OK;

    tune->budget =
        (struct ct_trials_budget){request->budget_launches, request->budget_ms * 1e6};
    tune->seed = request->seed;
    if (request->database) {
        tune->database = ct_mem_copy(request->database, strlen(request->database));
        if (!tune->database)
            return ct_err_nomem(err);
    }
    tune->record.path = tune->database;
    if (!request->space_file)
        status = find_space(tune->database, request->kernel, &found, err);
    if (!status)
        status = ct_online_work_open(&tune->work, request,
                                     found ? found : request->space_file, err);
    free(found);
    return status ? status : begin_trials(tune, false, err);
}

static void release(cltunedb_tune *tune)
{
    ct_online_record_end(&tune->record, "interrupted", NULL);
    ct_trials_free(tune->trials);
    ct_online_configs_release(&tune->configs);
    ct_online_work_release(&tune->work);
    free(tune->database);
    free(tune);
}

/* As ct_lookup_outcome, for a space file's mistakes, too. */
static cltunedb_status public_status(enum ct_status status, const struct ct_err *err,
                                     char *message, size_t message_bytes)
{
    bool argument = status == CT_E_SPEC || status == CT_E_IO;

    return ct_lookup_outcome(argument ? CT_E_USAGE : status, err, message, message_bytes);
}

cltunedb_status cltunedb_tune_begin(const cltunedb_tune_request *request,
                                    cltunedb_tune **out, char *message,
                                    size_t message_bytes)
{
    struct ct_err err = CT_ERR_INIT;
    cltunedb_tune *tune = NULL;
    cltunedb_tune_request own = CLTUNEDB_TUNE_REQUEST_INIT;
    struct ct_plain_locale plain;
    enum ct_status status;

    if (out)
        *out = NULL;
    if (!out || !copy_request(request, &own))
        return public_status(
            ct_err_set(&err, CT_E_USAGE,
                       "the request or the handle is NULL, or the request was not set to "
                       "CLTUNEDB_TUNE_REQUEST_INIT"),
            &err, message, message_bytes);
    plain = ct_plain_locale_begin();
    status = check_request(&own, &err);
    if (!status) {
        tune = ct_mem_array(1, sizeof(*tune));
        status = tune ? begin(&own, tune, &err) : ct_err_nomem(&err);
    }
    if (status && tune)
        release(tune);
    ct_plain_locale_end(&plain);
    if (!status)
        *out = tune;
    return public_status(status, &err, message, message_bytes);
}

/* --- storing --- */

/* Opens the record.  False if that is not possible. */
static bool open_record(struct cltunedb_tune *tune)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_arena arena = {0};
    struct ct_plan plan = {0};
    enum ct_status status;

    if (tune->record.db)
        return true;
    if (tune->fault.code)
        return false;
    status = plan_any(tune, &arena, &plan, &err);
    if (!status)
        status =
            ct_online_record_open(&tune->record, &tune->work, &plan, tune->seed, &err);
    ct_arena_release(&arena);
    if (status)
        note_fault(tune, &err);
    return !status;
}

static struct ct_online_result describe(const struct cltunedb_tune *tune,
                                        const struct ct_online_config *config)
{
    return (struct ct_online_result){.experiment = config->experiment,
                                     .configuration = config->json,
                                     .flags = config->shown.flags,
                                     .is_default = config->shown.number ==
                                                   tune->work.default_index};
}

static void store_result(struct cltunedb_tune *tune, const struct ct_trials_news *news,
                         const struct ct_online_config *config, const char *message)
{
    struct ct_online_result result = describe(tune, config);
    struct ct_err err = CT_ERR_INIT;

    result.failure = news->failure;
    result.message = message;
    result.samples_ns = news->samples_ns;
    result.sample_count = news->sample_count;
    if (open_record(tune) && ct_online_record_put(&tune->record, &result, &err))
        note_fault(tune, &err);
}

static void store_ranking(struct cltunedb_tune *tune)
{
    const struct ct_trials_finalist *finalists;
    size_t count = ct_trials_finalists(tune->trials, &finalists);
    struct ct_online_result results[CT_TRIALS_FINALISTS];
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = CT_OK;

    if (!open_record(tune))
        return;
    for (size_t i = 0; i < count && !status; i++) {
        struct ct_online_config *config;

        status = ct_online_configs_get(&tune->configs, &tune->work, finalists[i].index,
                                       &config, &err);
        if (!status && !config)
            return;
        if (!status)
            results[i] = describe(tune, config);
    }
    if (!status)
        status = ct_online_record_rank(&tune->record, finalists, results, count, &err);
    if (!status)
        status = ct_online_record_end(&tune->record, "done", &err);
    if (status)
        note_fault(tune, &err);
}

/* Starts anew: what was measured here before only guides. */
static void tune_again(struct cltunedb_tune *tune)
{
    struct ct_trials *before = tune->trials;
    struct ct_err err = CT_ERR_INIT;

    tune->regressions++;
    tune->trials = NULL;
    if (!begin_trials(tune, true, &err)) {
        ct_trials_free(before);
        return;
    }
    ct_trials_free(tune->trials);
    tune->trials = before;
    note_fault(tune, &err);
}

static void handle_news(struct cltunedb_tune *tune, const struct ct_trials_news *news,
                        const struct ct_online_config *config, const char *message)
{
    if (news->result && config && is_enabled(tune))
        store_result(tune, news, config, message);
    if (news->settled && is_enabled(tune))
        store_ranking(tune);
    if (news->regressed)
        tune_again(tune);
}

/* --- launches --- */

/* Whether a configuration that has not run yet may: no program died of it. */
static bool may_begin(struct cltunedb_tune *tune, const struct ct_online_config *config)
{
    static const char died[] =
        "a program that tuned died while this configuration was in flight "
        "('cltune search --retry crashed' tries it once more)";
    struct ct_trials_news news;
    struct ct_err err = CT_ERR_INIT;

    if (!open_record(tune))
        return true;
    if (ct_online_record_died(&tune->record, &config->experiment)) {
        ct_trials_refuse(tune->trials, CT_FAILURE_CRASHED, &news);
        handle_news(tune, &news, config, died);
        return false;
    }
    if (ct_online_record_begin(&tune->record, &config->experiment, &err))
        note_fault(tune, &err);
    return true;
}

/* Chooses what runs next. */
static enum ct_status choose(struct cltunedb_tune *tune, struct ct_err *err)
{
    struct ct_online_config *config;
    struct ct_trials_news news;

    while (ct_trials_next(tune->trials, &tune->trial)) {
        enum ct_status status = ct_online_configs_get(&tune->configs, &tune->work,
                                                      tune->trial.index, &config, err);

        if (status)
            return status;
        if (!config) {
            ct_trials_refuse(tune->trials, CT_FAILURE_INVALID, &news);
            handle_news(tune, &news, NULL, NULL);
            continue;
        }
        if (tune->trial.fresh && !may_begin(tune, config))
            continue;
        tune->current = config;
        return CT_OK;
    }
    return ct_err_set(err, CT_E_NOT_FOUND, "no configuration of %s works on %s",
                      tune->work.spec->path,
                      ct_devinfo_text(&tune->work.device, CT_DEVICE_NAME));
}

cltunedb_status cltunedb_tune_next(cltunedb_tune *tune,
                                   const cltunedb_tune_config **config, char *message,
                                   size_t message_bytes)
{
    struct ct_err err;
    enum ct_status status = CT_OK;

    if (!tune || !config)
        return public_status(
            ct_err_set(&err, CT_E_USAGE,
                       "the handle or the configuration argument is NULL"),
            &err, message, message_bytes);
    *config = NULL;
    /* What need not be measured is not reported. */
    if (tune->current && !tune->current->shown.measure)
        tune->current = NULL;
    if (!tune->current) {
        struct ct_plain_locale plain = ct_plain_locale_begin();

        status = choose(tune, &err);
        ct_plain_locale_end(&plain);
    }
    if (status)
        return public_status(status, &err, message, message_bytes);
    tune->current->shown.phase =
        tune->trial.phase == CT_TRIALS_EXPLORE   ? CLTUNEDB_TUNE_TRYING
        : tune->trial.phase == CT_TRIALS_CONFIRM ? CLTUNEDB_TUNE_CONFIRMING
                                                 : CLTUNEDB_TUNE_SETTLED;
    tune->current->shown.measure = tune->trial.measure;
    if (tune->trial.phase != CT_TRIALS_SETTLED)
        tune->since_ns = ct_clock_now_ns();
    *config = &tune->current->shown;
    return CLTUNEDB_OK;
}

void cltunedb_tune_report(cltunedb_tune *tune, cltunedb_tune_outcome outcome,
                          double time_ns)
{
    static const struct {
        enum ct_failure failure;
        const char *message;
    } kinds[] = {
        [CLTUNEDB_TUNE_RAN] = {CT_FAILURE_NONE, ""},
        [CLTUNEDB_TUNE_BUILD_FAILED] = {CT_FAILURE_BUILD,
                                        "it did not build in a program"},
        [CLTUNEDB_TUNE_INVALID] = {CT_FAILURE_INVALID, "it did not launch in a program"},
        [CLTUNEDB_TUNE_WRONG] = {CT_FAILURE_WRONG, "a program found it to be wrong"},
        [CLTUNEDB_TUNE_CRASHED] = {CT_FAILURE_CRASHED, "it crashed in a program"},
        [CLTUNEDB_TUNE_TIMEOUT] = {CT_FAILURE_TIMEOUT, "a program did not wait for it"},
    };
    struct ct_online_config *config = tune ? tune->current : NULL;
    struct ct_plain_locale plain;
    struct ct_trials_news news;
    double spent_ns;

    if (!config || (unsigned)outcome >= sizeof(kinds) / sizeof(kinds[0]))
        return;
    if (!kinds[outcome].failure &&
        (!config->shown.measure || !(time_ns > 0) || !isfinite(time_ns)))
        return;
    spent_ns = tune->trial.phase == CT_TRIALS_SETTLED
                   ? 0
                   : (double)(ct_clock_now_ns() - tune->since_ns);
    tune->current = NULL;
    plain = ct_plain_locale_begin();
    ct_trials_report(tune->trials, time_ns, kinds[outcome].failure, spent_ns, &news);
    handle_news(tune, &news, config, kinds[outcome].message);
    ct_plain_locale_end(&plain);
}

const char *cltunedb_tune_fault(const cltunedb_tune *tune)
{
    return tune ? tune->fault.message : "";
}

cltunedb_status cltunedb_tune_done(cltunedb_tune *tune, char *message,
                                   size_t message_bytes)
{
    struct ct_plain_locale plain;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    if (!tune)
        return CLTUNEDB_OK;
    plain = ct_plain_locale_begin();
    if (ct_online_record_end(&tune->record, "interrupted", &err))
        note_fault(tune, &err);
    err = tune->fault;
    status = err.code;
    release(tune);
    ct_plain_locale_end(&plain);
    return ct_lookup_outcome(status, &err, message, message_bytes);
}
