// SPDX-License-Identifier: Apache-2.0
// Shows the outcome of `cltune run`.
#include "report/run.h"

#include "report/doubts.h"
#include "report/format.h"
#include "report/print.h"
#include "report/run_outputs.h"
#include "report/screen.h"
#include "report/width.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GROUPS_SHOWN = 20,
    GROUPS_COMPARED = 64, /* number of groups compared with a launch */
};

/* --- launches --- */

static bool alike(const struct ct_plan_launch *a, const struct ct_plan_launch *b)
{
    if (a->kind != b->kind || strcmp(a->name, b->name) != 0)
        return false;
    if (a->kind != CT_LAUNCH_KERNEL)
        return a->to == b->to && (a->kind == CT_LAUNCH_ZERO || a->from == b->from);
    return a->program == b->program && !strcmp(a->kernel, b->kernel) &&
           a->dims == b->dims && !memcmp(a->global, b->global, sizeof(a->global)) &&
           !memcmp(a->local, b->local, sizeof(a->local));
}

struct ct_run_group *ct_run_groups(const struct ct_plan *plan, size_t *count)
{
    struct ct_run_group *groups = ct_mem_array(plan->launch_count, sizeof(*groups));

    *count = 0;
    if (!groups)
        return NULL;
    for (size_t i = 0; i < plan->launch_count; i++) {
        size_t g = *count > GROUPS_COMPARED ? *count - GROUPS_COMPARED : 0;

        while (g < *count &&
               !alike(&plan->launches[groups[g].launch], &plan->launches[i]))
            g++;
        if (g == *count)
            groups[(*count)++].launch = i;
        groups[g].count++;
    }
    return groups;
}

bool ct_run_built(const struct ct_run *run, size_t launch)
{
    static const struct ct_kernel_facts none;

    return launch < run->outcome.fact_count &&
           memcmp(&run->outcome.facts[launch], &none, sizeof(none)) != 0;
}

static void print_sizes(const struct ct_plan_launch *launch)
{
    ct_print(", global");
    for (uint32_t d = 0; d < launch->dims; d++)
        ct_print("%s%" PRIu64, d ? " x " : " ", launch->global[d]);
    ct_print(", local");
    if (!launch->local[0])
        ct_print(" chosen by the driver");
    for (uint32_t d = 0; launch->local[0] && d < launch->dims; d++)
        ct_print("%s%" PRIu64, d ? " x " : " ", launch->local[d]);
}

/* The driver's facts about a kernel, if any. */
static void print_kernel(const struct ct_kernel_facts *facts)
{
    char bytes[CT_FORMAT_SIZE];
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "  per work-item: private memory %s",
                ct_format_bytes(bytes, facts->private_mem_bytes));
    if (facts->registers)
        ct_str_addf(&text, ", %" PRIu64 " registers", facts->registers);
    if (facts->spill_bytes)
        ct_str_addf(&text, ", %s spilled", ct_format_bytes(bytes, facts->spill_bytes));
    else if (facts->registers)
        ct_str_puts(&text, ", no spills");
    ct_str_addf(&text, "\n  per work-group: local memory %s",
                ct_format_bytes(bytes, facts->local_mem_bytes));
    if (facts->work_group_size)
        ct_str_addf(&text, ", at most %" PRIu64 " work-items", facts->work_group_size);
    if (facts->preferred_multiple)
        ct_str_addf(&text, ", preferably a multiple of %" PRIu64,
                    facts->preferred_multiple);
    ct_str_putc(&text, '\n');
    ct_width_print_lines(ct_screen_out(), STDOUT_FILENO, text.data);
    ct_str_release(&text);
}

/* Whether an earlier group has the same kernel with the same facts. */
static bool said(const struct ct_run *run, const struct ct_run_group *groups,
                 size_t index)
{
    const struct ct_plan_launch *launch = &run->plan.launches[groups[index].launch];
    const struct ct_kernel_facts *facts = &run->outcome.facts[groups[index].launch];

    for (size_t g = 0; g < index; g++) {
        const struct ct_plan_launch *other = &run->plan.launches[groups[g].launch];

        if (other->kind == CT_LAUNCH_KERNEL && other->program == launch->program &&
            !strcmp(other->kernel, launch->kernel) &&
            !memcmp(&run->outcome.facts[groups[g].launch], facts, sizeof(*facts)))
            return true;
    }
    return false;
}

static void print_launch(const struct ct_run *run, const struct ct_run_group *groups,
                         size_t index)
{
    const struct ct_run_group *group = &groups[index];
    const struct ct_plan_launch *launch = &run->plan.launches[group->launch];

    ct_print("launch %s: ", launch->name);
    if (launch->kind == CT_LAUNCH_ZERO)
        ct_print("zeroes %s", run->plan.buffers[launch->to].name);
    else if (launch->kind == CT_LAUNCH_COPY)
        ct_print("copies %s to %s", run->plan.buffers[launch->from].name,
                 run->plan.buffers[launch->to].name);
    else
        ct_print("kernel %s", launch->kernel);
    if (launch->kind == CT_LAUNCH_KERNEL)
        print_sizes(launch);
    if (group->count > 1)
        ct_print(", %zu passes", group->count);
    ct_print_text("\n");
    if (ct_run_built(run, group->launch) && !said(run, groups, index))
        print_kernel(&run->outcome.facts[group->launch]);
}

static void print_launches(const struct ct_run *run)
{
    size_t count;
    struct ct_run_group *groups = ct_run_groups(&run->plan, &count);
    size_t more = 0;

    for (size_t g = 0; groups && g < count; g++) {
        if (g < GROUPS_SHOWN)
            print_launch(run, groups, g);
        else
            more += groups[g].count;
    }
    if (more)
        ct_print("and %zu more launches\n", more);
    free(groups);
}

/* --- the outcome --- */

static void print_options(const struct ct_run *run)
{
    for (size_t i = 0; i < run->plan.program_count; i++) {
        struct ct_str options;

        ct_str_init(&options);
        ct_plan_options(&run->plan.programs[i], &options);
        ct_print("options  %s%s%s%s\n", options.data,
                 run->plan.program_count > 1 ? " (" : "",
                 run->plan.program_count > 1 ? run->plan.programs[i].source_path : "",
                 run->plan.program_count > 1 ? ")" : "");
        ct_str_release(&options);
    }
}

static void print_times(const struct ct_run *run)
{
    const struct ct_outcome *o = &run->outcome;
    struct ct_quantities observed = ct_outcome_quantities(o);
    char text[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    ct_print("time     %s (%s to %s; %zu samples of %u run%s%s)\n",
             ct_format_time(text, o->time_ns), ct_format_time(low, o->low_ns),
             ct_format_time(high, o->high_ns), o->samples.count, o->samples.launches,
             o->samples.launches == 1 ? "" : "s", o->wall_clock ? "; wall clock" : "");
    if (o->end_to_end.time_ns > 0)
        ct_print("end to end %s (%s to %s), transfers included\n",
                 ct_format_time(text, o->end_to_end.time_ns),
                 ct_format_time(low, o->end_to_end.low_ns),
                 ct_format_time(high, o->end_to_end.high_ns));
    if (o->cold.copies)
        ct_print("caches   cold: %u cop%s of the buffers%s%s\n", (unsigned)o->cold.copies,
                 o->cold.copies == 1 ? "y" : "ies",
                 o->cold.copies == 1 ? "" : ", used in turn",
                 o->cold.incomplete ? "; memory is too small for enough of them" : "");
    for (size_t i = 0; i < run->work.spec->metric_count; i++) {
        double metric;

        if (ct_binding_metric(run->work.binding, i, run->work.values, &observed, &metric))
            ct_print("%-8s %s\n", run->work.spec->metrics[i].name,
                     ct_format_real(text, metric));
    }
}

/* Further observations, one per line: "host_load 0.98 (processors that a launch ...)". */
static void print_observed(const struct ct_quantities *observed)
{
    char text[CT_FORMAT_SIZE];

    for (int i = CT_QUANTITY_HOST_LOAD; i < CT_QUANTITY_COUNT; i++) {
        const struct ct_quantity_info *info = ct_quantity_info_of((enum ct_quantity)i);

        /* These have names of the file's own, as metrics. */
        if (ct_quantity_is_read((enum ct_quantity)i))
            continue;
        if (observed->known >> i & 1)
            ct_print("%-8s %s%s%s (%s)\n", info->name,
                     ct_format_real(text, observed->value[i]), *info->unit ? " " : "",
                     info->unit, info->about);
    }
}

static void print_spent(const struct ct_outcome *o)
{
    static const enum ct_phase phases[] = {CT_PHASE_BUILD, CT_PHASE_FIRST, CT_PHASE_CHECK,
                                           CT_PHASE_MEASURE};
    char text[CT_FORMAT_SIZE];

    ct_print("spent    ");
    for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++)
        ct_print("%s%s %s", i ? ", " : "", ct_phase_name(phases[i]),
                 ct_format_time(text, (double)o->spent_ns[phases[i]]));
    ct_print_text("\n");
}

static const char *why_not_verified(const struct ct_plan *plan)
{
    return plan->reference.function || plan->reference_plan
               ? " (not verified: no buffer has a 'check')"
               : " (not verified: no reference)";
}

void ct_report_run(const struct ct_run *run)
{
    const struct ct_outcome *o = &run->outcome;
    struct ct_str config;

    ct_str_init(&config);
    ct_binding_print(run->work.binding, run->work.values, NULL, &config);
    ct_print("device   %s\nconfig   %s\n",
             ct_devinfo_text(run->work.device, CT_DEVICE_NAME), config.data);
    ct_str_release(&config);
    print_options(run);
    print_launches(run);
    ct_print("status   %s%s\n", ct_result_status_name(o->status),
             o->status == CT_RESULT_OK && !o->verified ? why_not_verified(&run->plan)
                                                       : "");
    if (o->status == CT_RESULT_OK) {
        print_times(run);
        print_observed(&o->observed);
    } else {
        ct_print("reason   %s\n", o->message);
        ct_report_run_differences(run);
    }
    ct_report_run_dump(run);
    print_spent(o);
    if (o->build_log[strspn(o->build_log, " \t\r\n")])
        ct_print("compiler log:\n%s%s", o->build_log,
                 o->build_log[strlen(o->build_log) - 1] == '\n' ? "" : "\n");
}

void ct_report_run_doubts(const struct ct_run *run)
{
    struct ct_timing timing = ct_timing_of(&run->outcome);
    struct ct_timed timed = ct_timing_timed(&timing, &run->outcome.observed,
                                            run->work.device, "this time", false);

    ct_doubts_warn(&timed);
}
