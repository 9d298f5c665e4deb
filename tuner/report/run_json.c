// SPDX-License-Identifier: Apache-2.0
// The outcome of `cltune run` as one JSON object.
#include "report/run.h"

#include "report/doubts.h"
#include "report/json.h"
#include "report/run_outputs.h"
#include "plan/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* 0: unknown, or not measured. */
static json_t *known_json(uint64_t number)
{
    return number ? json_integer((json_int_t)number) : json_null();
}

static json_t *sizes_json(const struct ct_plan_launch *launch, const uint64_t *sizes)
{
    json_t *list = json_array();

    for (uint32_t d = 0; d < launch->dims; d++)
        json_array_append_new(list, json_integer((json_int_t)sizes[d]));
    return list;
}

static void add_kernel(const struct ct_run *run, size_t index, json_t *object)
{
    const struct ct_plan_launch *launch = &run->plan.launches[index];
    const struct ct_kernel_facts none = {0};
    bool built = ct_run_built(run, index);
    const struct ct_kernel_facts *facts = built ? &run->outcome.facts[index] : &none;

    json_object_set_new(object, "kernel", ct_json_text(launch->kernel));
    json_object_set_new(object, "global", sizes_json(launch, launch->global));
    json_object_set_new(object, "local",
                        launch->local[0] ? sizes_json(launch, launch->local)
                                         : json_null());
    json_object_set_new(object, "work_group_size", known_json(facts->work_group_size));
    json_object_set_new(object, "preferred_multiple",
                        known_json(facts->preferred_multiple));
    json_object_set_new(object, "local_mem_bytes",
                        built ? json_integer((json_int_t)facts->local_mem_bytes)
                              : json_null());
    json_object_set_new(object, "private_mem_bytes",
                        built ? json_integer((json_int_t)facts->private_mem_bytes)
                              : json_null());
    json_object_set_new(object, "registers", known_json(facts->registers));
    /* Compilers that report registers report spills, too. */
    json_object_set_new(object, "spill_bytes",
                        facts->registers ? json_integer((json_int_t)facts->spill_bytes)
                                         : known_json(facts->spill_bytes));
}

static json_t *launches_json(const struct ct_run *run)
{
    size_t count;
    struct ct_run_group *groups = ct_run_groups(&run->plan, &count);
    json_t *list = json_array();

    for (size_t g = 0; groups && g < count; g++) {
        const struct ct_plan_launch *launch = &run->plan.launches[groups[g].launch];
        json_t *object = json_pack("{s:o, s:I}", "launch", ct_json_text(launch->name),
                                   "passes", (json_int_t)groups[g].count);

        if (launch->kind == CT_LAUNCH_COPY)
            json_object_set_new(object, "copies",
                                ct_json_text(run->plan.buffers[launch->from].name));
        if (launch->kind == CT_LAUNCH_COPY)
            json_object_set_new(object, "to",
                                ct_json_text(run->plan.buffers[launch->to].name));
        if (launch->kind == CT_LAUNCH_ZERO)
            json_object_set_new(object, "zeroes",
                                ct_json_text(run->plan.buffers[launch->to].name));
        if (launch->kind == CT_LAUNCH_KERNEL)
            add_kernel(run, groups[g].launch, object);
        json_array_append_new(list, object);
    }
    free(groups);
    return list;
}

static json_t *options_json(const struct ct_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->plan.program_count; i++) {
        struct ct_str options;

        ct_str_init(&options);
        ct_plan_options(&run->plan.programs[i], &options);
        json_array_append_new(list, ct_json_text(options.data));
        ct_str_release(&options);
    }
    return list;
}

static json_t *metrics_json(const struct ct_run *run)
{
    struct ct_quantities observed = ct_outcome_quantities(&run->outcome);
    json_t *object = json_object();

    for (size_t i = 0; i < run->work.spec->metric_count; i++) {
        double value;

        if (run->outcome.status == CT_RESULT_OK &&
            ct_binding_metric(run->work.binding, i, run->work.values, &observed, &value))
            json_object_set_new(object, run->work.spec->metrics[i].name,
                                json_real(value));
    }
    return object;
}

static json_t *observed_json(const struct ct_quantities *observed)
{
    json_t *object = json_object();

    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        if (observed->known >> i & 1 && !ct_quantity_is_read((enum ct_quantity)i))
            json_object_set_new(object, ct_quantity_info_of((enum ct_quantity)i)->name,
                                json_real(observed->value[i]));
    return object;
}

static json_t *spent_json(const struct ct_outcome *outcome)
{
    json_t *object = json_object();

    for (int i = 0; i < CT_PHASE_COUNT; i++)
        json_object_set_new(object, ct_phase_name((enum ct_phase)i),
                            json_integer((json_int_t)outcome->spent_ns[i]));
    return object;
}

void ct_report_run_json(const struct ct_run *run)
{
    const struct ct_outcome *o = &run->outcome;
    struct ct_timing timing = ct_timing_of(o);
    struct ct_timed timed =
        ct_timing_timed(&timing, &o->observed, run->work.device, "this time", false);
    json_t *samples = json_array();
    json_t *warnings = json_array();
    json_t *object;

    for (size_t i = 0; i < o->samples.count; i++)
        json_array_append_new(samples, json_real(o->samples.ns[i]));
    object = json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:I, s:b, s:o, s:o, s:o}",
        "device", ct_json_text(ct_devinfo_text(run->work.device, CT_DEVICE_NAME)),
        "configuration", ct_json_values(run->work.spec, run->work.values), "options",
        options_json(run), "launches", launches_json(run), "status",
        ct_result_status_name(o->status), "verified", o->verified ? 1 : 0, "message",
        ct_json_text(o->message), "build_log", ct_json_text(o->build_log), "time_ns",
        ct_json_time(o->time_ns), "low_ns", ct_json_time(o->low_ns), "high_ns",
        ct_json_time(o->high_ns), "end_to_end_ns", ct_json_time(o->end_to_end.time_ns),
        "end_to_end_low_ns", ct_json_time(o->end_to_end.low_ns), "end_to_end_high_ns",
        ct_json_time(o->end_to_end.high_ns), "samples_ns", samples, "runs_per_sample",
        (json_int_t)o->samples.launches, "wall_clock", o->wall_clock ? 1 : 0, "metrics",
        metrics_json(run), "observed", observed_json(&o->observed), "spent_ns",
        spent_json(o));
    if (o->status == CT_RESULT_OK)
        ct_doubts_json(&timed, warnings);
    json_object_set_new(object, "warnings", warnings);
    json_object_set_new(object, "differences", ct_report_run_differences_json(run));
    json_object_set_new(object, "dump", ct_report_run_dump_json(run));
    ct_report_json(object);
    json_decref(object);
}
