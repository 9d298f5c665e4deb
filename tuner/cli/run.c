// SPDX-License-Identifier: Apache-2.0
// cltune run: one configuration, with everything that the driver says about it.
#include "cli/cli.h"

#include "measure/measure.h"
#include "report/format.h"
#include "spec/source.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What a run needs, in the order it is made and the reverse of its release. */
struct job {
    struct ct_arena arena;
    const struct ct_devinfo *device;
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_source_cache *sources;
    struct ct_value *values;
    struct ct_plan plan;
    struct ct_runner *runner;
    struct ct_outcome outcome;
    bool measured;
};

enum { LAUNCHES_SHOWN = 20 }; /* of an unrolled loop */

static void print_mismatch(const struct job *job)
{
    const struct ct_mismatch *m = &job->outcome.mismatch;
    const char *buffer =
        m->buffer < job->plan.buffer_count ? job->plan.buffers[m->buffer].name : "?";

    if (m->guard)
        printf("wrong: %s\n", job->outcome.message);
    else
        printf("wrong: %s[%" PRIu64 "] is %.9g, expected %.9g (%" PRIu64
               " elements beyond the tolerance)\n",
               buffer, m->element, m->seen, m->expected, m->wrong_count);
}

static void print_facts(const struct job *job)
{
    char bytes[CT_FORMAT_SIZE];
    char more[CT_FORMAT_SIZE];

    for (size_t i = 0; i < job->outcome.fact_count && i < job->plan.launch_count; i++) {
        const struct ct_kernel_facts *f = &job->outcome.facts[i];
        const struct ct_plan_launch *l = &job->plan.launches[i];

        if (i == LAUNCHES_SHOWN) {
            printf("and %zu more launches\n", job->plan.launch_count - i);
            break;
        }
        if (l->kind != CT_LAUNCH_KERNEL) {
            printf("launch %s: %s %s\n", l->name,
                   l->kind == CT_LAUNCH_COPY ? "copies to" : "zeroes",
                   job->plan.buffers[l->to].name);
            continue;
        }

        printf("launch %s: kernel %s, global", l->name, l->kernel);
        for (uint32_t d = 0; d < l->dims; d++)
            printf("%s%" PRIu64, d ? " x " : " ", l->global[d]);
        printf(", local");
        if (!l->local[0])
            printf(" chosen by the driver");
        for (uint32_t d = 0; l->local[0] && d < l->dims; d++)
            printf("%s%" PRIu64, d ? " x " : " ", l->local[d]);
        printf("\n  work-group size at most %" PRIu64 ", preferred multiple %" PRIu64
               ", local memory %s, private memory %s a work-item\n",
               f->work_group_size, f->preferred_multiple,
               ct_format_bytes(bytes, f->local_mem_bytes),
               ct_format_bytes(more, f->private_mem_bytes));
    }
}

static void print_text(const struct job *job, const char *flags)
{
    const struct ct_outcome *o = &job->outcome;
    struct ct_str config;
    char text[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    ct_str_init(&config);
    ct_binding_print(job->binding, job->values, NULL, &config);
    printf("device   %s\nconfig   %s\noptions  %s\n",
           ct_devinfo_text(job->device, CT_DEVICE_NAME), config.data, flags);
    ct_str_release(&config);
    print_facts(job);
    printf("status   %s%s\n", ct_result_status_name(o->status),
           o->status == CT_RESULT_OK && !o->verified ? " (not verified: no reference)"
                                                     : "");
    if (o->status == CT_RESULT_OK) {
        printf("time     %s (%s to %s; %zu samples of %u launches%s)\n",
               ct_format_time(text, o->time_ns), ct_format_time(low, o->low_ns),
               ct_format_time(high, o->high_ns), o->sample_count, o->launches_per_sample,
               o->wall_clock ? "; wall clock" : "");
        if (o->end_to_end_ns > 0)
            printf("end to end %s (%s to %s), transfers included\n",
                   ct_format_time(text, o->end_to_end_ns),
                   ct_format_time(low, o->end_to_end_low_ns),
                   ct_format_time(high, o->end_to_end_high_ns));
        for (size_t i = 0; i < job->spec->metric_count; i++) {
            double metric;

            if (ct_binding_metric(job->binding, i, job->values, o->time_ns, &metric))
                printf("%-8s %s\n", job->spec->metrics[i].name,
                       ct_format_real(text, metric));
        }
    } else if (o->status == CT_RESULT_WRONG) {
        print_mismatch(job);
    } else {
        printf("reason   %s\n", o->message);
    }
    printf(
        "spent    build %s, first launch %s, check %s, measure %s\n",
        ct_format_time(text, (double)o->spent_ns[CT_PHASE_BUILD]),
        ct_format_time(low, (double)o->spent_ns[CT_PHASE_FIRST]),
        ct_format_time(high, (double)o->spent_ns[CT_PHASE_CHECK]),
        ct_format_time((char[CT_FORMAT_SIZE]){0}, (double)o->spent_ns[CT_PHASE_MEASURE]));
    if (o->build_log[strspn(o->build_log, " \t\r\n")])
        printf("compiler log:\n%s%s", o->build_log,
               o->build_log[strlen(o->build_log) - 1] == '\n' ? "" : "\n");
}

static void print_json(const struct job *job, const char *flags)
{
    const struct ct_outcome *o = &job->outcome;
    json_t *samples = json_array();
    json_t *facts = json_array();
    json_t *object;
    struct ct_str config;

    for (size_t i = 0; i < o->sample_count; i++)
        json_array_append_new(samples, json_real(o->samples_ns[i]));
    for (size_t i = 0; i < o->fact_count; i++)
        json_array_append_new(
            facts,
            json_pack("{s:I, s:I, s:I, s:I}", "work_group_size",
                      (json_int_t)o->facts[i].work_group_size, "local_mem_bytes",
                      (json_int_t)o->facts[i].local_mem_bytes, "private_mem_bytes",
                      (json_int_t)o->facts[i].private_mem_bytes, "preferred_multiple",
                      (json_int_t)o->facts[i].preferred_multiple));
    ct_str_init(&config);
    ct_binding_print(job->binding, job->values, NULL, &config);
    object = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:f, s:f, s:f, s:f, s:o, s:o}", "device",
        ct_devinfo_text(job->device, CT_DEVICE_NAME), "configuration", config.data,
        "options", flags, "status", ct_result_status_name(o->status), "verified",
        o->verified ? 1 : 0, "message", o->message, "build_log", o->build_log, "time_ns",
        o->time_ns, "end_to_end_ns", o->end_to_end_ns, "low_ns", o->low_ns, "high_ns",
        o->high_ns, "samples_ns", samples, "kernels", facts);
    ct_str_release(&config);
    /* A log may hold bytes that are no UTF-8; then the object could not be made. */
    if (!object)
        object = json_pack("{s:s}", "status", ct_result_status_name(o->status));
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
}

static enum ct_status choose_values(struct job *job, const struct ct_options *options,
                                    struct ct_err *err)
{
    struct ct_settings settings = {0};
    enum ct_status status = CT_OK;

    job->values = ct_mem_array(job->spec->param_count, sizeof(*job->values));
    if (!job->values)
        return ct_err_nomem(err);
    status = ct_binding_default(job->binding, job->values, err);
    for (int i = 1; !status && i < options->operand_count; i++)
        status = ct_settings_add(&settings, options->operands[i], "operand", err);
    if (!status)
        status = ct_binding_parse(job->binding, settings.items, settings.count,
                                  job->values, err);
    ct_settings_release(&settings);
    return status;
}

static enum ct_status measure(struct job *job, const struct ct_options *options,
                              struct ct_err *err)
{
    struct ct_measure_options wanted = {
        .deadlines =
            ct_deadlines_default(options->timeout_s > 0 ? options->timeout_s : 10),
        .seed = CT_INPUT_SEED,
    };
    enum ct_status status = choose_values(job, options, err);

    if (status)
        return status;
    job->sources = ct_source_cache_new();
    if (!job->sources)
        return ct_err_nomem(err);
    status = ct_binding_plan(job->binding, job->values, job->sources, &job->arena,
                             &job->plan, err);
    if (!status)
        status = ct_runner_new(job->device, &job->runner, err);
    if (!status)
        status = ct_runner_evaluate(job->runner, &job->plan, &wanted, &job->outcome, err);
    job->measured = !status;
    return status;
}

static int show(const struct job *job, const struct ct_options *options)
{
    struct ct_str flags;

    ct_str_init(&flags);
    for (size_t i = 0; i < job->plan.program_count; i++)
        ct_plan_options(&job->plan.programs[i], &flags);
    if (options->json)
        print_json(job, flags.data);
    else
        print_text(job, flags.data);
    ct_str_release(&flags);
    return job->outcome.status == CT_RESULT_OK ? CT_EXIT_OK : CT_EXIT_FAILED;
}

/* Constraints are advice for a search; here the user asked for this very configuration.
 */
static void warn_violated(const struct job *job)
{
    struct ct_value *env = ct_mem_array(job->spec->symbol_count, sizeof(*env));

    if (!env)
        return;
    ct_binding_evaluate_values(job->binding, job->values, env);
    for (size_t i = 0; i < job->spec->constraint_count; i++)
        if (ct_binding_decide(job->binding, i, env) == CT_VIOLATED)
            ct_cli_warn("constraint '%s' (%s) is violated: a search would not try this",
                        job->spec->constraints[i].name,
                        job->spec->constraints[i].expr->text);
    free(env);
}

int ct_cli_run(const struct ct_options *options)
{
    struct job job;
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    int exit_status = CT_EXIT_OK;

    memset(&job, 0, sizeof(job));
    if (options->operand_count < 1)
        return ct_cli_usage("run",
                            "which space file? (cltune run SPACE.ini NAME=VALUE...)");
    job.spec = ct_cli_load(options->operands[0], options, &exit_status);
    if (!job.spec)
        goto out;
    if (ct_cli_devices_match(&job.arena, options->device, &devices, &err)) {
        exit_status = ct_cli_error(&err);
        goto out;
    }
    if (devices[1]) {
        exit_status = ct_cli_usage("run", "one device at a time: name it by its index");
        goto out;
    }
    job.device = devices[0];
    job.binding = ct_cli_bind(job.spec, options, job.device, NULL, &exit_status);
    if (!job.binding)
        goto out;
    if (measure(&job, options, &err)) {
        ct_cli_place_launch(job.spec, &err);
        exit_status = ct_cli_error(&err);
    } else {
        if (!options->quiet)
            warn_violated(&job);
        exit_status = show(&job, options);
    }
out:
    if (job.measured)
        ct_outcome_release(&job.outcome);
    if (job.runner)
        ct_runner_free(job.runner);
    if (job.sources)
        ct_source_cache_free(job.sources);
    free(job.values);
    if (job.binding)
        ct_binding_free(job.binding);
    if (job.spec)
        ct_spec_free(job.spec);
    ct_arena_release(&job.arena);
    return exit_status;
}
