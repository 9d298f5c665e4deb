// SPDX-License-Identifier: Apache-2.0
// The search's side of the database: what it stores and what it takes over.
#include "cli/json.h"
#include "cli/search.h"

#include "cli/observed.h"

#include "base/clock.h"
#include "plan/identity.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ct_hash ct_search_experiment(const struct ct_search *search,
                                    const struct ct_plan *plan)
{
    struct ct_hash hash = ct_plan_hash(plan);
    struct ct_hash result;
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "%s\n%s\n%s\n%s\n%s\n%llu\n", hash.text,
                search->device->platform_name, search->device->driver_version,
                ct_devinfo_text(search->device, CT_DEVICE_NAME),
                ct_devinfo_text(search->device, CT_DEVICE_VERSION),
                (unsigned long long)CT_INPUT_SEED);
    result = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return result;
}

/* {"NAME":[values]} of all parameters, as the space file lists them. */
static char *parameters_json(const struct ct_search *search)
{
    const struct ct_spec *spec = search->spec;
    json_t *object = json_object();
    char *text;

    for (size_t p = 0; p < spec->param_count; p++) {
        const struct ct_domain *domain = &search->binding->domains[p];
        json_t *list = json_array();

        for (size_t i = 0; i < domain->count; i++) {
            const struct ct_value *v = &domain->values[i];

            json_array_append_new(list, v->kind == CT_INT    ? json_integer(v->u.i)
                                        : v->kind == CT_REAL ? json_real(v->u.r)
                                                             : ct_json_text(v->u.s));
        }
        json_object_set_new(object, spec->symbols[spec->params[p].slot].name, list);
    }
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

static char *constraints_json(const struct ct_search *search)
{
    json_t *list = json_array();
    char *text;

    for (size_t i = 0; i < search->spec->constraint_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "name", search->spec->constraints[i].name,
                            "expression", search->spec->constraints[i].expr->text));
    text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static enum ct_status put_kernel(struct ct_search *search, const struct ct_plan *plan,
                                 struct ct_err *err)
{
    struct ct_db_kernel kernel = {.name = search->spec->name,
                                  .space_path = search->spec->path};
    char *parameters = parameters_json(search);
    char *constraints = constraints_json(search);
    enum ct_status status;

    kernel.source_hash = ct_spec_version(search->spec, plan);
    kernel.parameters = parameters;
    kernel.constraints = constraints;
    if (!parameters || !constraints || !*kernel.source_hash.text)
        status = ct_err_nomem(err);
    else
        status = ct_db_kernel_put(search->db, &kernel, &search->run.kernel_id, err);
    free(parameters);
    free(constraints);
    return status;
}

static enum ct_status put_problem(struct ct_search *search, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    struct ct_db_value *values = ct_mem_array(spec->symbol_count, sizeof(*values));
    enum ct_status status;
    size_t count = 0;

    if (!values)
        return ct_err_nomem(err);
    for (size_t i = 0; i < spec->symbol_count; i++)
        if (spec->symbols[i].class == CT_SYM_PROBLEM) {
            values[count].name = spec->symbols[i].name;
            values[count++].value = search->binding->fixed[i];
        }
    status = ct_db_problem_put(search->db, values, count, &search->run.problem_id, err);
    free(values);
    return status;
}

enum ct_status ct_search_store_begin(struct ct_search *search, const struct ct_plan *plan,
                                     struct ct_err *err)
{
    struct ct_db_run *run = &search->run;
    struct ct_space_stats stats;
    enum ct_status status;

    *run = ct_db_run_init;
    status = search->db ? CT_OK : ct_db_open(search->options->db, NULL, &search->db, err);
    if (!status)
        status = ct_db_begin(search->db, err);
    if (!status)
        status = ct_db_device_put(search->db, search->device, &run->device_id, err);
    if (!status)
        status = put_kernel(search, plan, err);
    if (!status)
        status = put_problem(search, err);
    if (status)
        return status;
    run->objective = search->objective_name;
    run->maximize = search->maximize;
    run->strategy = search->strategy_name;
    run->seed = search->options->seed;
    run->version = CT_VERSION;
    /* A recheck has no use for the space. */
    if (search->space) {
        ct_space_stats_get(search->space, &stats);
        run->space_count = stats.cartesian;
        run->valid_count = stats.valid < INT64_MAX ? (int64_t)stats.valid : INT64_MAX;
    }
    status = ct_db_run_begin(search->db, run, err);
    if (!status)
        status = ct_db_commit(search->db, err);
    search->run_begun = !status;
    if (!status)
        status = ct_db_orphans(search->db, run->device_id, &search->orphan_arena,
                               &search->orphans, &search->orphan_count, err);
    return status;
}

enum ct_status ct_search_store_inflight(struct ct_search *search, struct ct_err *err)
{
    struct ct_hash *experiments =
        ct_mem_array(search->pending_count, sizeof(*experiments));
    uint64_t start_ns = ct_clock_now_ns();
    enum ct_status status;

    if (!experiments)
        return ct_err_nomem(err);
    for (size_t i = 0; i < search->pending_count; i++)
        experiments[i] = search->pending[i]->entry.experiment;
    status = ct_db_batch_begin(search->db, search->run.id, experiments,
                               search->pending_count, err);
    free(experiments);
    search->store_ns += ct_clock_now_ns() - start_ns;
    return status;
}

/* Canonical JSON of the configuration in search->values. */
static enum ct_status config_json(const struct ct_search *search, struct ct_str *out,
                                  struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    struct ct_db_value *values = ct_mem_array(spec->param_count, sizeof(*values));
    enum ct_status status;

    if (!values)
        return ct_err_nomem(err);
    for (size_t p = 0; p < spec->param_count; p++) {
        values[p].name = spec->symbols[spec->params[p].slot].name;
        values[p].value = search->values[p];
    }
    status = ct_db_canonical(out, values, spec->param_count, err);
    free(values);
    return status;
}

static enum ct_status metrics_json(const struct ct_search *search,
                                   const struct ct_quantities *observed,
                                   struct ct_str *out, struct ct_err *err)
{
    const struct ct_spec *spec = search->spec;
    struct ct_db_value *values = ct_mem_array(spec->metric_count, sizeof(*values));
    enum ct_status status;
    size_t count = 0;

    if (!values)
        return ct_err_nomem(err);
    for (size_t i = 0; i < spec->metric_count; i++) {
        double value;

        if (!ct_binding_metric(search->binding, i, search->values, observed, &value) ||
            !isfinite(value))
            continue;
        values[count].name = spec->metrics[i].name;
        values[count++].value = ct_value_real(value);
    }
    status = ct_db_canonical(out, values, count, err);
    free(values);
    return status;
}

/* What a build elsewhere needs: no include folders, which are this machine's. */
static bool build_flags(const struct ct_plan *plan, struct ct_str *out)
{
    struct ct_plan_program program;

    if (!plan->program_count) /* nothing but copies */
        return true;
    program = plan->programs[0];
    program.include_count = 0;
    return ct_plan_options(&program, out);
}

enum { FACTS_STORED = 64 };

static void resources_json(const struct ct_outcome *outcome, struct ct_str *out)
{
    ct_str_putc(out, '[');
    /* The passes of a loop are all alike. */
    for (size_t i = 0; i < outcome->fact_count && i < FACTS_STORED; i++) {
        const struct ct_kernel_facts *f = &outcome->facts[i];

        ct_str_addf(out,
                    "%s{\"work_group_size\":%llu,\"local_mem_bytes\":%llu,"
                    "\"private_mem_bytes\":%llu,\"preferred_multiple\":%llu}",
                    i ? "," : "", (unsigned long long)f->work_group_size,
                    (unsigned long long)f->local_mem_bytes,
                    (unsigned long long)f->private_mem_bytes,
                    (unsigned long long)f->preferred_multiple);
    }
    ct_str_putc(out, ']');
}

static void copy_outcome(const struct ct_search *search, struct ct_db_result *result,
                         const struct ct_plan *plan, const struct ct_outcome *outcome)
{
    result->status = ct_result_status_name(outcome->status);
    result->phase = outcome->status == CT_RESULT_OK ? "" : ct_phase_name(outcome->phase);
    result->binary_bytes = outcome->binary_bytes;
    result->verified = outcome->verified;
    result->stopped_early = outcome->stopped_early;
    result->wall_clock = outcome->wall_clock;
    result->build_ns = outcome->spent_ns[CT_PHASE_BUILD];
    result->first_ns = outcome->spent_ns[CT_PHASE_FIRST];
    result->check_ns = outcome->spent_ns[CT_PHASE_CHECK];
    result->measure_ns = outcome->spent_ns[CT_PHASE_MEASURE];
    result->message = outcome->message;
    result->log = outcome->build_log;
    result->deadline_ns = outcome->deadline_ns;
    /* A deadline shrinks below what was asked for when better ones are known: no reason
     * to try again. */
    if (outcome->status == CT_RESULT_TIMEOUT && result->deadline_ns &&
        result->deadline_ns < ct_search_launch_deadline_ns(search) &&
        (outcome->phase == CT_PHASE_FIRST || outcome->phase == CT_PHASE_MEASURE))
        result->deadline_ns = ct_search_launch_deadline_ns(search);
    result->samples_ns = outcome->samples_ns;
    result->sample_count = outcome->sample_count;
    result->launches_per_sample = outcome->launches_per_sample;
    if (outcome->status == CT_RESULT_OK) {
        struct ct_quantities observed = ct_outcome_quantities(outcome);

        result->objective_value = ct_search_value(search, &observed);
        result->time_ns = outcome->time_ns;
        result->low_ns = outcome->low_ns;
        result->high_ns = outcome->high_ns;
        if (outcome->timer_ns > 0)
            result->timer_ns = (double)outcome->timer_ns;
        if (outcome->end_to_end_ns > 0) {
            result->end_to_end_ns = outcome->end_to_end_ns;
            result->end_to_end_low_ns = outcome->end_to_end_low_ns;
            result->end_to_end_high_ns = outcome->end_to_end_high_ns;
        }
    } else if (outcome->status == CT_RESULT_WRONG) {
        const struct ct_mismatch *m = &outcome->mismatch;

        result->mismatch_buffer =
            m->buffer < plan->buffer_count ? plan->buffers[m->buffer].name : "";
        result->mismatch_element = m->element;
        result->mismatch_expected = m->expected;
        result->mismatch_seen = m->seen;
        result->mismatch_count = m->wrong_count;
        result->mismatch_guard = m->guard;
    }
}

enum ct_status ct_search_store_again(struct ct_search *search, const struct ct_plan *plan,
                                     struct ct_db_result *result,
                                     const struct ct_quantities *observed,
                                     struct ct_err *err)
{
    bool good = strcmp(result->status, ct_result_status_name(CT_RESULT_OK)) == 0;
    struct ct_str config;
    struct ct_str flags;
    struct ct_str metrics;
    enum ct_status status;

    ct_str_init(&config);
    ct_str_init(&flags);
    ct_str_init(&metrics);
    status = config_json(search, &config, err);
    if (!status && good)
        status = metrics_json(search, observed, &metrics, err);
    if (!status && !build_flags(plan, &flags))
        status = ct_err_nomem(err);
    if (!status) {
        result->run_id = search->run.id;
        result->configuration = config.data;
        result->flags = flags.data;
        result->metrics = metrics.data;
        if (good)
            result->objective_value = ct_search_value(search, observed);
        status = ct_db_result_put(search->db, result, err);
    }
    ct_str_release(&config);
    ct_str_release(&flags);
    ct_str_release(&metrics);
    return status;
}

enum ct_status ct_search_store_result(struct ct_search *search,
                                      const struct ct_plan *plan,
                                      const struct ct_hash *experiment,
                                      const struct ct_outcome *outcome,
                                      const struct ct_hash *twin_of, struct ct_err *err)
{
    struct ct_db_result result = ct_db_result_init;
    struct ct_quantities observed = ct_outcome_quantities(outcome);
    uint64_t start_ns = ct_clock_now_ns();
    struct ct_str config;
    struct ct_str flags;
    struct ct_str metrics;
    struct ct_str resources;
    struct ct_str seen;
    enum ct_status status;

    ct_str_init(&seen);
    ct_str_init(&config);
    ct_str_init(&flags);
    ct_str_init(&metrics);
    ct_str_init(&resources);
    copy_outcome(search, &result, plan, outcome);
    resources_json(outcome, &resources);
    status = config_json(search, &config, err);
    if (!status && outcome->status == CT_RESULT_OK)
        status = metrics_json(search, &observed, &metrics, err);
    if (!status && outcome->status == CT_RESULT_OK)
        status = ct_observed_put(&observed, &seen, err);
    if (!status && (!build_flags(plan, &flags) || resources.failed))
        status = ct_err_nomem(err);
    if (!status) {
        result.run_id = search->run.id;
        result.experiment = *experiment;
        result.configuration = config.data;
        result.flags = flags.data;
        result.metrics = metrics.data;
        result.observed = seen.data;
        result.resources = resources.data;
        result.twin_of = twin_of ? twin_of->text : "";
        status = ct_db_result_put(search->db, &result, err);
    }
    ct_str_release(&config);
    ct_str_release(&flags);
    ct_str_release(&metrics);
    ct_str_release(&resources);
    ct_str_release(&seen);
    search->store_ns += ct_clock_now_ns() - start_ns;
    return status;
}

/* One row for the database; texts are added to `arena`. */
static enum ct_status ranked_of(struct ct_search *search,
                                const struct ct_evaluated *entry,
                                const struct ct_entrant *entrant, struct ct_arena *arena,
                                struct ct_db_ranked *out, struct ct_err *err)
{
    struct ct_str metrics;
    struct ct_str seen;
    enum ct_status status;
    bool ends = entrant->end_to_end_ns > 0;

    ct_str_init(&metrics);
    ct_str_init(&seen);
    ct_search_values(search, entry->index);
    status = metrics_json(search, &entry->observed, &metrics, err);
    if (!status)
        status = ct_observed_put(&entry->observed, &seen, err);
    *out = (struct ct_db_ranked){
        .experiment = entry->experiment,
        .tied = entry->tied,
        .value = entry->value,
        .time_ns = entry->time_ns,
        .low_ns = entry->low_ns,
        .high_ns = entry->high_ns,
        .end_to_end_ns = ends ? entrant->end_to_end_ns : NAN,
        .end_to_end_low_ns = ends ? entrant->end_to_end_low_ns : NAN,
        .end_to_end_high_ns = ends ? entrant->end_to_end_high_ns : NAN,
        .rounds = entrant->processes,
        .rounds_ns = entrant->times_ns,
    };
    if (!status)
        out->metrics = ct_arena_copy(arena, metrics.data, metrics.length);
    if (!status)
        out->observed = ct_arena_copy(arena, seen.data, seen.length);
    if (!status && (!out->metrics || !out->observed))
        status = ct_err_nomem(err);
    ct_str_release(&metrics);
    ct_str_release(&seen);
    return status;
}

enum ct_status ct_search_store_rankings(struct ct_search *search,
                                        struct ct_evaluated *const *order,
                                        const struct ct_entrant *const *entrants,
                                        size_t count, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_ranked *ranked_all = ct_arena_array(&arena, count, sizeof(*ranked_all));
    uint64_t start_ns = ct_clock_now_ns();
    enum ct_status status = ranked_all || !count ? CT_OK : ct_err_nomem(err);

    for (size_t i = 0; ranked_all && i < count && !status; i++)
        status = ranked_of(search, order[i], entrants[i], &arena, &ranked_all[i], err);
    if (!status)
        status = ct_db_rankings_put(search->db, search->run.id, ranked_all, count, err);
    ct_arena_release(&arena);
    search->store_ns += ct_clock_now_ns() - start_ns;
    return status;
}

enum { RANKINGS = 64 };

enum ct_status ct_search_store_find_rankings(struct ct_search *search, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_result *top = ct_arena_array(&arena, RANKINGS, sizeof(*top));
    size_t count = 0;
    enum ct_status status =
        top ? ct_db_best_top(search->db, search->run.device_id, search->run.kernel_id,
                             search->run.problem_id, search->objective_name,
                             search->maximize, RANKINGS, &arena, top, &count, err)
            : ct_err_nomem(err);

    for (size_t i = 0; i < count && !status; i++) {
        if (top[i].standing < 0)
            break;
        for (size_t d = 0; d < search->done_count; d++) {
            struct ct_evaluated *entry = &search->done[d];

            if (strcmp(entry->experiment.text, top[i].experiment.text) != 0)
                continue;
            entry->place = (size_t)top[i].standing + 1;
            entry->tied = top[i].tied;
        }
    }
    ct_arena_release(&arena);
    if (!status)
        ct_search_share(search);
    return status;
}

/* The host processor's name, from where Linux tells it. */
static void host_cpu(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(name, size, "unknown");
    while (file && fgets(line, sizeof(line), file)) {
        char *colon = strchr(line, ':');

        if (!colon ||
            (strncmp(line, "model name", 10) != 0 && strncmp(line, "Model", 5) != 0))
            continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

enum ct_status ct_search_store_baseline(struct ct_search *search,
                                        const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_db_baseline baseline = {
        .kernel_id = search->run.kernel_id,
        .problem_id = search->run.problem_id,
        .function = plan->baseline.function,
        .time_ns = search->baseline.time_ns,
        .low_ns = search->baseline.low_ns,
        .high_ns = search->baseline.high_ns,
        .all_time_ns = NAN,
        .all_low_ns = NAN,
        .all_high_ns = NAN,
    };
    char cpu[200];

    host_cpu(cpu, sizeof(cpu));
    baseline.host_cpu = cpu;
    search->run.baseline_time_ns = search->baseline.time_ns;
    if (search->has_baseline_all) {
        baseline.all_time_ns = search->baseline_all.time_ns;
        baseline.all_low_ns = search->baseline_all.low_ns;
        baseline.all_high_ns = search->baseline_all.high_ns;
        baseline.processors = search->processors;
        search->run.baseline_all_time_ns = search->baseline_all.time_ns;
        search->run.baseline_all_processors = (int64_t)search->processors;
    }
    return ct_db_baseline_put(search->db, &baseline, err);
}

enum ct_status ct_search_store_default(struct ct_search *search, struct ct_err *err)
{
    if (search->default_known && search->default_result.status == CT_RESULT_OK) {
        search->run.default_time_ns = search->default_result.time_ns;
        search->run.default_value = search->default_result.value;
    } else if (search->default_known) {
        search->run.default_time_ns = search->run.default_value = NAN;
    }
    return ct_search_store_end(search, "running", err);
}

enum ct_status ct_search_store_end(struct ct_search *search, const char *status,
                                   struct ct_err *err)
{
    search->run.status = status;
    search->run.evaluated_count = (int64_t)search->evaluated;
    search->run.reused_count = (int64_t)search->reused;
    if (!search->options->no_race)
        search->run.race_saved_ns = (int64_t)search->stats.saved_ns;
    return ct_db_run_end(search->db, &search->run, err);
}
