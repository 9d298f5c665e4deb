// SPDX-License-Identifier: Apache-2.0
// Writes the program: a head for people, tables, and the code that works on them.
#include "report/repro.h"

#include "base/clock.h"
#include "report/repro_files.h"
#include "report/repro_impl.h"
#include "spacefile/spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOG_LINES = 40 };

/* What the program is written from. */
struct writer {
    const struct ct_repro *repro;
    const char *name;
    struct ct_str *out;
    size_t left; /* includes that are not in it */
};

/* --- the head --- */

/* A line of the head, whatever the text is. */
static void put_fact(struct ct_str *out, const char *what, const char *text)
{
    ct_str_addf(out, "// %-14s ", what);
    ct_repro_put_string(out, text);
    ct_str_putc(out, '\n');
}

static const char *date_of(char text[32], int64_t unix_s)
{
    time_t seconds = (time_t)unix_s;
    struct tm date;

    if (!gmtime_r(&seconds, &date) || !strftime(text, 32, "%Y-%m-%d %H:%M UTC", &date))
        snprintf(text, 32, "?");
    return text;
}

static void put_problem(const struct writer *w)
{
    const struct ct_workload *work = &w->repro->run.work;
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < work->spec->slots.count; i++)
        if (work->spec->slots.symbols[i].class == CT_SYM_PROBLEM) {
            ct_str_addf(&text, "%s%s=", text.length ? " " : "",
                        work->spec->slots.symbols[i].name);
            ct_value_print(&text, work->binding->fixed[i]);
        }
    if (text.length)
        put_fact(w->out, "problem", text.data);
    ct_str_reset(&text);
    ct_workload_put_config(work, work->values, &text);
    put_fact(w->out, "configuration", text.data);
    ct_str_release(&text);
}

static void put_log(const struct writer *w)
{
    size_t count = 0;

    for (const char *at = w->repro->run.outcome.build_log; at && *at && count < LOG_LINES;
         count++) {
        size_t length = strcspn(at, "\n");

        ct_str_puts(w->out, count ? "//                \"" : "// compiler       \"");
        ct_repro_put_escaped(w->out, at, length);
        ct_str_puts(w->out, "\"\n");
        at += length + (at[length] == '\n');
    }
}

static void put_result(const struct writer *w)
{
    const struct ct_outcome *outcome = &w->repro->run.outcome;
    const struct ct_repro_stored *stored = &w->repro->stored;
    char date[32];

    put_fact(w->out, "status", ct_result_status_name(outcome->status));
    if (*outcome->message)
        put_fact(w->out, "message", outcome->message);
    if (outcome->status != CT_RESULT_OK)
        put_fact(w->out, "phase", ct_phase_name(outcome->phase));
    if (outcome->time_ns > 0)
        ct_str_addf(w->out,
                    "// time           %.0f ns (%.0f to %.0f), %zu samples of %" PRIu32
                    " pipelines, by %s\n",
                    outcome->time_ns, outcome->low_ns, outcome->high_ns,
                    outcome->samples.count, outcome->samples.launches,
                    outcome->wall_clock ? "the wall clock, which the device's contradicts"
                                        : "the device's clock");
    if (stored->known) {
        ct_str_addf(w->out, "// stored         %s", stored->status);
        if (stored->time_ns > 0)
            ct_str_addf(w->out, ", %.0f ns", stored->time_ns);
        ct_str_addf(w->out, ", %s\n", date_of(date, stored->measured_unix_s));
    }
    if (outcome->status == CT_RESULT_BUILD_FAILED)
        put_log(w);
}

/* The files of a buffer beside the program. */
static void put_reads(const struct writer *w, size_t index)
{
    struct ct_str file;

    ct_str_init(&file);
    if (w->repro->buffers[index].source == CT_REPRO_BESIDE) {
        ct_report_repro_file(w->name, &w->repro->run.plan.buffers[index], &file);
        put_fact(w->out, "reads", file.data);
    }
    ct_str_reset(&file);
    if (ct_report_repro_expected(w->repro, w->name, index, &file))
        put_fact(w->out, "reads", file.data);
    ct_str_release(&file);
}

/* What this program does not do, or differently. */
static void put_limits(const struct writer *w)
{
    const struct ct_plan *plan = &w->repro->run.plan;
    const struct ct_outcome *outcome = &w->repro->run.outcome;

    if (w->left)
        ct_str_addf(
            w->out,
            "// Not contained: %zu included file%s, which the compiler has to find.\n",
            w->left, w->left == 1 ? "" : "s");
    if (outcome->cold.copies)
        ct_str_addf(w->out,
                    "// Timed with cold caches: %" PRIu32 " cop%s of the buffers %s.\n",
                    outcome->cold.copies, outcome->cold.copies == 1 ? "y" : "ies",
                    outcome->cold.copies == 1 ? "exceeds them" : "take turns");
    if (plan->end_to_end)
        ct_str_puts(w->out, "// Transfers are timed in a second series of samples.\n");
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];

        if (w->repro->buffers[i].source == CT_REPRO_UNKNOWN)
            ct_str_addf(w->out,
                        "// Buffer %s holds zeros here: its contents come from code that "
                        "is not part of this file.\n",
                        buffer->name);
        if (buffer->check == CT_CHECK_C && !ct_repro_has_judge(w->repro, i))
            ct_str_addf(w->out,
                        "// Buffer %s is not checked: what its check function expects is "
                        "not known.\n",
                        buffer->name);
        put_reads(w, i);
    }
}

static bool uses_normal(const struct writer *w)
{
    for (size_t i = 0; i < w->repro->run.plan.buffer_count; i++)
        if (w->repro->buffers[i].source == CT_REPRO_COMPUTED &&
            w->repro->run.plan.buffers[i].fill.kind == CT_FILL_NORMAL)
            return true;
    return false;
}

/* Libraries that the program needs besides OpenCL's: check functions have libm with cltune. */
static bool uses_math(const struct writer *w)
{
    bool any = uses_normal(w);

    for (size_t i = 0; i < w->repro->run.plan.buffer_count; i++)
        any = any || ct_repro_has_judge(w->repro, i);
    return any;
}

static void put_head(const struct writer *w)
{
    const struct ct_workload *work = &w->repro->run.work;
    char date[32];
    struct ct_str file;

    ct_str_puts(
        w->out,
        "// One configuration of an OpenCL kernel: builds, checks and times it as "
        "cltune did.\n//\n");
    ct_str_init(&file);
    ct_str_addf(&file, "cc %s.c -lOpenCL%s && ./a.out", w->name,
                uses_math(w) ? " -lm" : "");
    put_fact(w->out, "compile, run", file.data);
    ct_str_release(&file);
    put_fact(w->out, "kernel", work->spec->kernel.name);
    put_fact(w->out, "device", ct_devinfo_text(work->device, CT_DEVICE_NAME));
    put_fact(w->out, "platform", work->device->platform_name);
    put_fact(w->out, "driver", work->device->driver_version);
    put_fact(w->out, "cltune", CT_VERSION);
    put_fact(w->out, "written", date_of(date, ct_clock_unix_s()));
    put_problem(w);
    put_result(w);
    put_limits(w);
    ct_str_puts(
        w->out,
        "//\n// The exit status is 0 if the configuration does what it did with "
        "cltune, whether that is\n// right or not, 1 if it does not, and 2 if the "
        "device or a file is missing.\n\n");
}

/* --- tables --- */

static size_t at_least_one(size_t count)
{
    return count ? count : 1;
}

static void put_counts(const struct writer *w)
{
    const struct ct_plan *plan = &w->repro->run.plan;

    ct_str_addf(w->out,
                "#define BUFFER_COUNT %zu\n#define PROGRAM_COUNT %zu\n#define "
                "KERNEL_COUNT %zu\n#define USES_NORMAL %d\n\n"
                "static const int buffer_count = %zu;\nstatic const int program_count = "
                "%zu;\nstatic const int kernel_count = %zu;\nstatic const int "
                "launch_count = %zu;\nstatic const int variable_count = %zu;\n\n",
                at_least_one(plan->buffer_count), at_least_one(plan->program_count),
                at_least_one(plan->launch_count), uses_normal(w), plan->buffer_count,
                plan->program_count, plan->launch_count, plan->launch_count,
                plan->env_count);
}

static void put_named(struct ct_str *out, const char *name, const char *text)
{
    ct_str_addf(out, "static const char cltune_%s[] = ", name);
    ct_repro_put_string(out, text);
    ct_str_puts(out, ";\n");
}

static void put_outcome(const struct writer *w)
{
    const struct ct_workload *work = &w->repro->run.work;
    const struct ct_outcome *outcome = &w->repro->run.outcome;
    const struct ct_repro_stored *stored = &w->repro->stored;

    put_named(w->out, "kernel", work->spec->kernel.name);
    put_named(w->out, "device", ct_devinfo_text(work->device, CT_DEVICE_NAME));
    put_named(w->out, "driver", work->device->driver_version);
    put_named(w->out, "status", ct_result_status_name(outcome->status));
    ct_str_addf(w->out,
                "static const int cltune_verified = %d;\nstatic const int "
                "cltune_wall_clock = %d;\nstatic const unsigned cltune_samples = "
                "%zu;\nstatic const unsigned cltune_runs = %" PRIu32
                "; /* in a sample; 0: as many as last 10 ms */\n",
                outcome->verified || outcome->status == CT_RESULT_WRONG,
                outcome->wall_clock, outcome->samples.count ? outcome->samples.count : 10,
                outcome->samples.launches);
    ct_str_puts(w->out, "static const double cltune_now_ns = ");
    ct_repro_put_real(w->out, outcome->time_ns > 0 ? outcome->time_ns : 0);
    ct_str_addf(w->out,
                ";\nstatic const unsigned cltune_copies = %" PRIu32
                "; /* of the buffers, for cold caches; 0: warm ones */\nstatic const int "
                "cltune_transfers = %d;\nstatic const double cltune_transfers_ns = ",
                outcome->cold.copies, w->repro->run.plan.end_to_end);
    ct_repro_put_real(w->out,
                      outcome->end_to_end.time_ns > 0 ? outcome->end_to_end.time_ns : 0);
    ct_str_puts(w->out, ";\nstatic const double cltune_stored_ns = ");
    ct_repro_put_real(w->out, stored->known && stored->time_ns > 0 ? stored->time_ns : 0);
    ct_str_puts(w->out, ";\n\n");
}

static void put_value(struct ct_str *out, const char *what, size_t launch, size_t arg,
                      const unsigned char *bytes, size_t size)
{
    ct_str_addf(out, "static const unsigned char %s_%zu_%zu[] = {", what, launch, arg);
    for (size_t i = 0; i < size; i++)
        ct_str_addf(out, "%s%u", i ? ", " : "", bytes[i]);
    ct_str_puts(out, "};\n");
}

static void put_sampler(const struct ct_plan_sampler *sampler, struct ct_str *table)
{
    static const char *const addressings[] = {
        [CT_ADDRESS_NONE] = "NONE",
        [CT_ADDRESS_CLAMP] = "CLAMP",
        [CT_ADDRESS_CLAMP_TO_EDGE] = "CLAMP_TO_EDGE",
        [CT_ADDRESS_REPEAT] = "REPEAT",
        [CT_ADDRESS_MIRRORED_REPEAT] = "MIRRORED_REPEAT",
    };

    ct_str_addf(table,
                "    {.kind = ARG_SAMPLER, .normalized = %s, .addressing = "
                "CL_ADDRESS_%s, .filter = CL_FILTER_%s},\n",
                sampler->normalized ? "CL_TRUE" : "CL_FALSE",
                addressings[sampler->addressing], sampler->linear ? "LINEAR" : "NEAREST");
}

/* The entry of an argument; values are in arrays of their own, before. */
static void put_arg(const struct writer *w, struct ct_str *table, size_t launch, size_t i)
{
    const struct ct_plan_arg *arg = &w->repro->run.plan.launches[launch].args[i];

    switch (arg->kind) {
    case CT_ARG_BUFFER:
        ct_str_addf(table, "    {.kind = ARG_BUFFER, .buffer = %" PRIu32 "},\n",
                    arg->buffer);
        break;
    case CT_ARG_SCALAR:
        put_value(w->out, "value", launch, i, arg->bytes, ct_type_size(arg->type));
        ct_str_addf(table,
                    "    {.kind = ARG_VALUE, .bytes = %zu, .value = value_%zu_%zu},\n",
                    ct_type_size(arg->type), launch, i);
        break;
    case CT_ARG_BYTES:
        put_value(w->out, "value", launch, i, arg->data, (size_t)arg->data_bytes);
        ct_str_addf(table,
                    "    {.kind = ARG_VALUE, .bytes = %" PRIu64
                    ", .value = value_%zu_%zu},\n",
                    arg->data_bytes, launch, i);
        break;
    case CT_ARG_LOCAL:
        ct_str_addf(table, "    {.kind = ARG_LOCAL, .bytes = %" PRIu64 "},\n",
                    arg->local_bytes);
        break;
    case CT_ARG_SAMPLER:
        put_sampler(&arg->sampler, table);
        break;
    default:
        ct_str_puts(table, "    {.kind = ARG_NULL},\n");
        break;
    }
}

/* A kernel object for each launch: it keeps its arguments. */
static void put_kernels(const struct writer *w)
{
    const struct ct_plan *plan = &w->repro->run.plan;
    struct ct_str kernels;

    ct_str_init(&kernels);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        struct ct_str table;

        if (launch->kind != CT_LAUNCH_KERNEL || !launch->arg_count) {
            ct_str_addf(&kernels, "    {%" PRIu32 ", ", launch->program);
            ct_repro_put_string(&kernels, launch->kernel);
            ct_str_puts(&kernels, ", NULL, 0},\n");
            continue;
        }
        ct_str_init(&table);
        for (size_t k = 0; k < launch->arg_count; k++)
            put_arg(w, &table, i, k);
        ct_str_addf(w->out, "static const struct argument arguments_%zu[] = {\n%s};\n", i,
                    table.data);
        ct_str_addf(&kernels, "    {%" PRIu32 ", ", launch->program);
        ct_repro_put_string(&kernels, launch->kernel);
        ct_str_addf(&kernels, ", arguments_%zu, %zu},\n", i, launch->arg_count);
        w->out->failed = w->out->failed || table.failed;
        ct_str_release(&table);
    }
    ct_str_addf(w->out, "\nstatic const struct kernel kernels[] = {\n%s};\n\n",
                kernels.data);
    w->out->failed = w->out->failed || kernels.failed;
    ct_str_release(&kernels);
}

static void put_sizes(struct ct_str *out, const char *name, const uint64_t *sizes)
{
    ct_str_addf(out, ", .%s = {%" PRIu64 ", %" PRIu64 ", %" PRIu64 "}", name, sizes[0],
                sizes[1], sizes[2]);
}

static void put_launches(const struct writer *w)
{
    static const char *const kinds[] = {[CT_LAUNCH_KERNEL] = "LAUNCH_KERNEL",
                                        [CT_LAUNCH_COPY] = "LAUNCH_COPY",
                                        [CT_LAUNCH_ZERO] = "LAUNCH_ZERO"};
    const struct ct_plan *plan = &w->repro->run.plan;

    ct_str_puts(w->out, "static const struct launch launches[] = {\n");
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];

        ct_str_addf(w->out, "    {.kind = %s, .name = ", kinds[launch->kind]);
        ct_repro_put_string(w->out, launch->name);
        ct_str_addf(w->out, ", .times = %" PRIu32, launch->extra + 1);
        if (launch->kind == CT_LAUNCH_KERNEL) {
            ct_str_addf(w->out, ", .kernel = %zu, .dims = %" PRIu32, i, launch->dims);
            put_sizes(w->out, "global", launch->global);
            put_sizes(w->out, "local", launch->local);
        } else {
            ct_str_addf(w->out, ", .from = %" PRIu32 ", .to = %" PRIu32, launch->from,
                        launch->to);
        }
        ct_str_puts(w->out, "},\n");
    }
    ct_str_puts(w->out, "};\n\nstatic const struct variable variables[] = {\n");
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_str_puts(w->out, "    {");
        ct_repro_put_string(w->out, plan->env[i].name);
        ct_str_puts(w->out, ", ");
        if (plan->env[i].value)
            ct_repro_put_string(w->out, plan->env[i].value);
        else
            ct_str_puts(w->out, "NULL");
        ct_str_puts(w->out, "},\n");
    }
    ct_str_puts(w->out, plan->env_count ? "};\n" : "    {\"\", NULL},\n};\n");
}

/* Names the program's own lines again, behind those of other files. */
static void put_back(struct ct_str *out, const char *name, bool is_needed)
{
    size_t line = 2;

    if (!is_needed)
        return;
    for (size_t i = 0; i < out->length; i++)
        line += out->data[i] == '\n';
    ct_str_addf(out, "#line %zu \"", line);
    ct_repro_put_escaped(out, name, strlen(name));
    ct_str_puts(out, ".c\"\n");
}

/* --- interface --- */

enum ct_status ct_report_repro(const struct ct_repro *repro, const char *name,
                               struct ct_str *out, struct ct_err *err)
{
    struct ct_str programs;
    struct ct_str checks;
    struct writer w = {.repro = repro, .name = name, .out = out};
    enum ct_status status;

    ct_str_init(&programs);
    ct_str_init(&checks);
    status = ct_repro_put_programs(repro, &programs, &w.left, err);
    if (!status)
        status = ct_repro_put_checks(repro, &checks, &w.left, err);
    if (!status) {
        put_head(&w);
        ct_str_puts(out,
                    "#define _POSIX_C_SOURCE 200809L\n#define CL_TARGET_OPENCL_VERSION "
                    "120\n");
        ct_str_add(out, checks.data, checks.length);
        put_back(out, name, checks.length > 0);
        ct_str_puts(out, ct_repro_files[1]);
        ct_str_putc(out, '\n');
        put_counts(&w);
        put_outcome(&w);
        ct_str_add(out, programs.data, programs.length);
        ct_repro_put_buffers(repro, name, out);
        put_kernels(&w);
        put_launches(&w);
        ct_str_puts(out, ct_repro_files[0]);
        if (out->failed)
            status = ct_err_nomem(err);
    }
    ct_str_release(&programs);
    ct_str_release(&checks);
    return status;
}
