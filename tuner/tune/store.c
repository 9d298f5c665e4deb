// SPDX-License-Identifier: Apache-2.0
// A session's side of the database: its run and its results.
#include "tune/store.h"

#include "plan/stored_kernel.h"
#include "tune/observed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_store_begin(struct ct_store *store, const struct ct_plan *plan,
                              const char *strategy, struct ct_err *err)
{
    struct ct_db_run *run = &store->run;
    struct ct_space_stats stats;
    enum ct_status status;

    *run = ct_db_run_init;
    status = store->db ? CT_OK : ct_db_open(store->options->db, NULL, &store->db, err);
    if (!status)
        status = ct_db_begin(store->db, err);
    if (!status)
        status = ct_db_device_put(store->db, store->work->device, &run->device_id, err);
    if (!status)
        status = ct_stored_kernel_put(store->db, store->work->binding, plan,
                                      &run->kernel_id, err);
    if (!status)
        status =
            ct_stored_problem_put(store->db, store->work->binding, &run->problem_id, err);
    if (status)
        return status;
    run->objective = store->objective->name;
    run->maximize = store->objective->maximize;
    run->strategy = strategy;
    run->seed = store->options->seed;
    run->version = CT_VERSION;
    /* A recheck has no space. */
    if (store->work->space) {
        ct_space_stats_get(store->work->space, &stats);
        run->space_count = stats.cartesian;
        run->valid_count = stats.valid < INT64_MAX ? (int64_t)stats.valid : INT64_MAX;
    }
    status = ct_db_run_begin(store->db, run, err);
    if (!status)
        status = ct_db_commit(store->db, err);
    store->begun = !status;
    if (!status)
        status = ct_db_orphans(store->db, run->device_id, &store->orphan_arena,
                               &store->orphans, &store->orphan_count, err);
    return status;
}

void ct_store_release(struct ct_store *store)
{
    ct_db_close(store->db);
    ct_arena_release(&store->orphan_arena);
}

enum ct_status ct_store_put_metrics(const struct ct_store *store,
                                    const struct ct_quantities *observed,
                                    struct ct_str *out, struct ct_err *err)
{
    const struct ct_spec *spec = store->work->spec;
    struct ct_db_value *values = ct_mem_array(spec->metric_count, sizeof(*values));
    enum ct_status status;
    size_t count = 0;

    if (!values)
        return ct_err_nomem(err);
    for (size_t i = 0; i < spec->metric_count; i++) {
        double value;

        if (!ct_binding_metric(store->work->binding, i, store->work->values, observed,
                               &value) ||
            !isfinite(value))
            continue;
        values[count].name = spec->metrics[i].name;
        values[count++].value = ct_value_real(value);
    }
    status = ct_db_canonical(out, values, count, err);
    free(values);
    return status;
}

enum { FACTS_STORED = 64 };

/* What the compiler reported of each launch, and its work-group; 0 by 0 by 0 where the driver
 * chooses. */
static void resources_json(const struct ct_plan *plan, const struct ct_outcome *outcome,
                           struct ct_str *out)
{
    ct_str_putc(out, '[');
    /* All passes of a loop are alike. */
    for (size_t i = 0; i < outcome->fact_count && i < FACTS_STORED; i++) {
        const struct ct_kernel_facts *f = &outcome->facts[i];

        ct_str_addf(out,
                    "%s{\"work_group_size\":%llu,\"local_mem_bytes\":%llu,"
                    "\"private_mem_bytes\":%llu,\"preferred_multiple\":%llu",
                    i ? "," : "", (unsigned long long)f->work_group_size,
                    (unsigned long long)f->local_mem_bytes,
                    (unsigned long long)f->private_mem_bytes,
                    (unsigned long long)f->preferred_multiple);
        if (i < plan->launch_count)
            ct_str_addf(out, ",\"local_size\":[%llu,%llu,%llu]",
                        (unsigned long long)plan->launches[i].local[0],
                        (unsigned long long)plan->launches[i].local[1],
                        (unsigned long long)plan->launches[i].local[2]);
        ct_str_putc(out, '}');
    }
    ct_str_putc(out, ']');
}

static void copy_outcome(const struct ct_store *store, struct ct_db_result *result,
                         const struct ct_plan *plan, const struct ct_outcome *outcome)
{
    result->status = ct_result_status_name(outcome->status);
    result->failure.phase =
        outcome->status == CT_RESULT_OK ? "" : ct_phase_name(outcome->phase);
    result->binary_bytes = outcome->binary_bytes;
    result->verified = outcome->verified;
    result->samples.stopped_early = outcome->stopped_early;
    result->samples.wall_clock = outcome->wall_clock;
    result->spent.build_ns = outcome->spent_ns[CT_PHASE_BUILD];
    result->spent.first_ns = outcome->spent_ns[CT_PHASE_FIRST];
    result->spent.check_ns = outcome->spent_ns[CT_PHASE_CHECK];
    result->spent.measure_ns = outcome->spent_ns[CT_PHASE_MEASURE];
    result->failure.message = outcome->message;
    result->failure.log = outcome->build_log;
    result->failure.deadline_ns = outcome->deadline_ns;
    /* Known better results shorten a deadline: no reason to try again. */
    if (outcome->status == CT_RESULT_TIMEOUT && result->failure.deadline_ns &&
        result->failure.deadline_ns < store->options->deadlines.ns[CT_PHASE_MEASURE] &&
        (outcome->phase == CT_PHASE_FIRST || outcome->phase == CT_PHASE_MEASURE))
        result->failure.deadline_ns = store->options->deadlines.ns[CT_PHASE_MEASURE];
    result->samples.ns = outcome->samples.ns;
    result->samples.count = outcome->samples.count;
    result->samples.launches = outcome->samples.launches;
    if (outcome->status == CT_RESULT_OK) {
        struct ct_quantities observed = ct_outcome_quantities(outcome);

        result->objective_value = ct_objective_value(
            store->objective, store->work->binding, store->work->values, &observed);
        result->time_ns = outcome->time_ns;
        result->low_ns = outcome->low_ns;
        result->high_ns = outcome->high_ns;
        if (outcome->samples.timer_ns > 0)
            result->samples.timer_ns = (double)outcome->samples.timer_ns;
        if (outcome->end_to_end.time_ns > 0) {
            result->end_to_end.time_ns = outcome->end_to_end.time_ns;
            result->end_to_end.low_ns = outcome->end_to_end.low_ns;
            result->end_to_end.high_ns = outcome->end_to_end.high_ns;
        }
    } else if (outcome->status == CT_RESULT_WRONG) {
        const struct ct_mismatch *m = &outcome->mismatch;

        result->mismatch.buffer =
            m->buffer < plan->buffer_count ? plan->buffers[m->buffer].name : "";
        result->mismatch.element = m->element;
        result->mismatch.expected = m->expected;
        result->mismatch.seen = m->seen;
        result->mismatch.count = m->wrong_count;
        result->mismatch.guard = m->guard;
    }
}

enum ct_status ct_store_copy(struct ct_store *store, const struct ct_plan *plan,
                             struct ct_db_result *result,
                             const struct ct_quantities *observed, struct ct_err *err)
{
    bool good = strcmp(result->status, ct_result_status_name(CT_RESULT_OK)) == 0;
    struct ct_str config;
    struct ct_str flags;
    struct ct_str metrics;
    enum ct_status status;

    ct_str_init(&config);
    ct_str_init(&flags);
    ct_str_init(&metrics);
    status = ct_stored_config(store->work->spec, store->work->values, &config, err);
    if (!status && good)
        status = ct_store_put_metrics(store, observed, &metrics, err);
    if (!status && !ct_stored_flags(plan, &flags))
        status = ct_err_nomem(err);
    if (!status) {
        result->run_id = store->run.id;
        result->configuration = config.data;
        result->flags = flags.data;
        result->metrics = metrics.data;
        if (good)
            result->objective_value = ct_objective_value(
                store->objective, store->work->binding, store->work->values, observed);
        status = ct_db_result_put(store->db, result, err);
    }
    ct_str_release(&config);
    ct_str_release(&flags);
    ct_str_release(&metrics);
    return status;
}

enum ct_status ct_store_result(struct ct_store *store, const struct ct_plan *plan,
                               const struct ct_hash *experiment,
                               const struct ct_outcome *outcome,
                               const struct ct_hash *duplicate_of, struct ct_err *err)
{
    struct ct_db_result result = ct_db_result_init;
    struct ct_quantities observed = ct_outcome_quantities(outcome);
    struct ct_str config;
    struct ct_str flags;
    struct ct_str metrics;
    struct ct_str resources;
    struct ct_str quantities;
    enum ct_status status;

    ct_str_init(&quantities);
    ct_str_init(&config);
    ct_str_init(&flags);
    ct_str_init(&metrics);
    ct_str_init(&resources);
    copy_outcome(store, &result, plan, outcome);
    resources_json(plan, outcome, &resources);
    status = ct_stored_config(store->work->spec, store->work->values, &config, err);
    if (!status && outcome->status == CT_RESULT_OK)
        status = ct_store_put_metrics(store, &observed, &metrics, err);
    if (!status && outcome->status == CT_RESULT_OK)
        status = ct_observed_put(&observed, &quantities, err);
    if (!status && (!ct_stored_flags(plan, &flags) || resources.failed))
        status = ct_err_nomem(err);
    if (!status) {
        result.run_id = store->run.id;
        result.experiment = *experiment;
        result.configuration = config.data;
        result.flags = flags.data;
        result.metrics = metrics.data;
        result.observed = quantities.data;
        result.resources = resources.data;
        result.twin_of = duplicate_of ? duplicate_of->text : "";
        status = ct_db_result_put(store->db, &result, err);
    }
    ct_str_release(&config);
    ct_str_release(&flags);
    ct_str_release(&metrics);
    ct_str_release(&resources);
    ct_str_release(&quantities);
    return status;
}

enum ct_status ct_store_end(struct ct_store *store, const char *status,
                            uint64_t evaluated, uint64_t reused, struct ct_err *err)
{
    store->run.status = status;
    store->run.evaluated_count = (int64_t)evaluated;
    store->run.reused_count = (int64_t)reused;
    return ct_db_run_end(store->db, &store->run, err);
}
