// SPDX-License-Identifier: Apache-2.0
// Stores results of online tuning.
#include "online/record.h"

#include "base/stats.h"
#include "db/tuning.h"
#include "plan/stored_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char strategy[] = "online";

/* Keeps those that say something: a search's workers die without harm, and the next search tries again
 * what was in flight; but what ran inside a program may have ended it. */
static enum ct_status load_orphans(struct ct_online_record *record, struct ct_err *err)
{
    size_t kept = 0;
    enum ct_status status =
        ct_db_orphans(record->db, record->run.device_id, &record->arena, &record->orphans,
                      &record->orphan_count, err);

    for (size_t i = 0; i < record->orphan_count && !status; i++) {
        const char *by;

        status = ct_db_run_strategy(record->db, record->orphans[i].run_id, &record->arena,
                                    &by, err);
        if (!status && (record->orphans[i].machine_died || strcmp(by, strategy) == 0))
            record->orphans[kept++] = record->orphans[i];
    }
    record->orphan_count = kept;
    return status;
}

enum ct_status ct_online_record_open(struct ct_online_record *record,
                                     const struct ct_online_work *work,
                                     const struct ct_plan *plan, uint64_t seed,
                                     struct ct_err *err)
{
    enum ct_status status;

    if (record->db)
        return CT_OK;
    record->run = ct_db_run_init;
    record->evaluated = 0;
    status = ct_db_open(record->path, NULL, &record->db, err);
    if (status)
        return status;
    status = ct_db_begin(record->db, err);
    if (!status)
        status = ct_db_device_put(record->db, &work->device, &record->run.device_id, err);
    if (!status)
        status = ct_stored_kernel_put(record->db, work->binding, plan,
                                      &record->run.kernel_id, err);
    if (!status)
        status = ct_stored_problem_put(record->db, work->binding, &record->run.problem_id,
                                       err);
    record->run.objective = "time";
    record->run.strategy = strategy;
    record->run.seed = seed;
    record->run.version = CT_VERSION;
    if (!status)
        status = ct_db_run_begin(record->db, &record->run, err);
    if (!status)
        status = ct_db_commit(record->db, err);
    if (!status)
        status = load_orphans(record, err);
    if (status) {
        ct_db_close(record->db);
        record->db = NULL;
    }
    return status;
}

bool ct_online_record_died(const struct ct_online_record *record,
                           const struct ct_hash *experiment)
{
    for (size_t i = 0; record->db && i < record->orphan_count; i++)
        if (strcmp(record->orphans[i].experiment.text, experiment->text) == 0)
            return true;
    return false;
}

enum ct_status ct_online_record_begin(struct ct_online_record *record,
                                      const struct ct_hash *experiment,
                                      struct ct_err *err)
{
    return ct_db_batch_begin(record->db, record->run.id, experiment, 1, err);
}

static const char *status_of(enum ct_failure failure)
{
    static const char *const names[] = {
        [CT_FAILURE_NONE] = "ok",         [CT_FAILURE_BUILD] = "build_failed",
        [CT_FAILURE_INVALID] = "invalid", [CT_FAILURE_WRONG] = "wrong",
        [CT_FAILURE_CRASHED] = "crashed", [CT_FAILURE_TIMEOUT] = "timeout",
    };

    return names[failure];
}

/* Whether its outputs were compared before: they are what they were. */
static enum ct_status was_verified(struct ct_online_record *record,
                                   const struct ct_hash *experiment, bool *verified,
                                   struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result before = ct_db_result_init;
    enum ct_status status =
        ct_db_result_get_of(record->db, record->run.device_id, record->run.kernel_id,
                            record->run.problem_id, experiment, &arena, &before, err);

    *verified = !status && before.verified && strcmp(before.status, "ok") == 0;
    ct_arena_release(&arena);
    return status == CT_E_NOT_FOUND ? CT_OK : status;
}

enum ct_status ct_online_record_put(struct ct_online_record *record,
                                    const struct ct_online_result *result,
                                    struct ct_err *err)
{
    struct ct_db_result row = ct_db_result_init;
    double sorted[CT_TRIALS_ROUNDS];
    enum ct_status status = was_verified(record, &result->experiment, &row.verified, err);

    row.run_id = record->run.id;
    row.experiment = result->experiment;
    row.status = status_of(result->failure);
    row.configuration = result->configuration;
    row.flags = result->flags;
    if (result->failure) {
        row.verified = false;
        row.failure.phase = result->failure == CT_FAILURE_BUILD ? "build" : "measure";
        row.failure.message = result->message ? result->message : "";
    } else if (result->sample_count) {
        memcpy(sorted, result->samples_ns, result->sample_count * sizeof(*sorted));
        row.time_ns = ct_stats_median(sorted, result->sample_count);
        ct_stats_median_interval(sorted, result->sample_count, 0.95, &row.low_ns,
                                 &row.high_ns);
        row.objective_value = row.time_ns;
        row.samples.ns = result->samples_ns;
        row.samples.count = result->sample_count;
        row.samples.launches = 1;
        row.samples.stopped_early = result->sample_count < CT_TRIALS_SAMPLES;
    }
    if (!status)
        status = ct_db_result_put(record->db, &row, err);
    if (status)
        return status;
    record->evaluated++;
    if (result->is_default && !result->failure) {
        record->run.default_time_ns = row.time_ns;
        record->run.default_value = row.time_ns;
    }
    return CT_OK;
}

/* Stores a finalist whose result comes from a lower layer. */
static enum ct_status put_missing(struct ct_online_record *record,
                                  const struct ct_trials_finalist *finalist,
                                  struct ct_online_result *result, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result stored = ct_db_result_init;
    enum ct_status status = ct_db_result_get_of(
        record->db, record->run.device_id, record->run.kernel_id, record->run.problem_id,
        &result->experiment, &arena, &stored, err);
    bool missing = status || stored.stored.kernel_id != record->run.kernel_id ||
                   stored.stored.problem_id != record->run.problem_id ||
                   strcmp(stored.status, "ok") != 0;

    ct_arena_release(&arena);
    if (status && status != CT_E_NOT_FOUND)
        return status;
    result->samples_ns = finalist->ns;
    result->sample_count = finalist->count;
    return missing ? ct_online_record_put(record, result, err) : CT_OK;
}

enum ct_status ct_online_record_rank(struct ct_online_record *record,
                                     const struct ct_trials_finalist *finalists,
                                     struct ct_online_result *results, size_t count,
                                     struct ct_err *err)
{
    struct ct_db_ranked ranked[CT_TRIALS_FINALISTS];
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < count && !status; i++) {
        status = put_missing(record, &finalists[i], &results[i], err);
        if (results[i].is_default)
            record->run.default_value = record->run.default_time_ns =
                finalists[i].median_ns;
        ranked[i] = (struct ct_db_ranked){
            .experiment = results[i].experiment,
            .tied = i > 0 && finalists[i].low_ns <= finalists[0].high_ns,
            .value = finalists[i].median_ns,
            .time_ns = finalists[i].median_ns,
            .low_ns = finalists[i].low_ns,
            .high_ns = finalists[i].high_ns,
            .end_to_end_ns = NAN,
            .end_to_end_low_ns = NAN,
            .end_to_end_high_ns = NAN,
            .rounds = 1, /* processes */
            .rounds_ns = &finalists[i].median_ns,
        };
    }
    return status ? status
                  : ct_db_rankings_put(record->db, record->run.id, ranked, count, err);
}

enum ct_status ct_online_record_end(struct ct_online_record *record, const char *status,
                                    struct ct_err *err)
{
    enum ct_status ended;

    if (!record->db)
        return CT_OK;
    record->run.status = status;
    record->run.evaluated_count = (int64_t)record->evaluated;
    record->run.reused_count = 0;
    ended = ct_db_run_end(record->db, &record->run, err);
    ct_db_close(record->db);
    record->db = NULL;
    ct_arena_release(&record->arena);
    record->orphans = NULL;
    record->orphan_count = 0;
    return ended;
}
