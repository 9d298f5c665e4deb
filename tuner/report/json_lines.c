// SPDX-License-Identifier: Apache-2.0
// One JSON object a line while a search runs.
#include "report/json_lines.h"

#include "base/clock.h"
#include "plan/json.h"
#include "report/print.h"
#include "report/screen.h"
#include "tune/search.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Which of several searches a record is of: the device's index, as `-d` takes it. */
static json_t *index_json(const struct ct_search *search)
{
    return json_sprintf("%u:%u", search->work.device->platform_index,
                        search->work.device->device_index);
}

/* Takes the record over; NULL: out of memory, and a record is missing. */
static void write_record(const struct ct_event *event, json_t *record)
{
    char *text;

    if (record)
        json_object_set_new(record, "device_index", index_json(event->search));
    text = record ? ct_json_dump(record, JSON_COMPACT) : NULL;

    if (text)
        ct_print_line(text);
    else
        ct_screen_lost_json();
    free(text);
    json_decref(record);
    /* Whoever reads wants it now. */
    fflush(ct_screen_out());
}

static double seconds(const struct ct_search *search)
{
    return (double)(ct_clock_now_ns() - search->pace.start_ns) / 1e9;
}

static json_t *config_json(const struct ct_search *search, int64_t index)
{
    ct_workload_values(&search->work, index);
    return ct_json_values(search->work.spec, search->work.values);
}

static json_t *begin_json(const struct ct_search *search)
{
    uint64_t valid = ct_space_count(search->work.space);
    const struct ct_devinfo *device = search->work.device;

    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:s, s:s, s:o}", "record", "search",
                     "version", 1, "kernel", ct_json_text(search->work.spec->kernel.name),
                     "device", ct_json_text(ct_devinfo_text(device, CT_DEVICE_NAME)),
                     "driver", ct_json_text(device->driver_version), "problem",
                     ct_json_problem(search->work.binding), "objective",
                     search->objective.name, "strategy", search->proposer.name, "valid",
                     valid <= INT64_MAX ? json_integer((json_int_t)valid)
                                        : json_real((double)valid));
}

static json_t *phase_json(const struct ct_event *event, const char *phase)
{
    return json_pack("{s:s, s:s, s:f}", "record", "phase", "phase", phase, "seconds",
                     seconds(event->search));
}

static json_t *result_json(const struct ct_event *event)
{
    const struct ct_search *search = event->search;
    const struct ct_evaluated *entry = event->entry;
    bool ok = entry->status == CT_RESULT_OK;

    return json_pack(
        "{s:s, s:I, s:f, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o}",
        "record", "result", "number", (json_int_t)search->results.done_count, "seconds",
        seconds(search), "configuration", config_json(search, entry->index), "status",
        ct_result_status_name(entry->status), "time_ns",
        ok ? ct_json_time(entry->time_ns) : json_null(), "low_ns",
        ok ? ct_json_time(entry->low_ns) : json_null(), "high_ns",
        ok ? ct_json_time(entry->high_ns) : json_null(), "value",
        ok && isfinite(entry->value) ? json_real(entry->value) : json_null(), "gain",
        ok ? ct_json_time(ct_search_gain(search, entry)) : json_null(), "known_before",
        entry->stored ? 1 : 0, "verified", entry->verified ? 1 : 0, "message",
        ct_json_text(event->text ? event->text : ""), "duplicate_of",
        event->duplicate_of ? config_json(search, *event->duplicate_of) : json_null());
}

static json_t *round_json(const struct ct_event *event)
{
    json_t *still = json_array();

    for (size_t i = 0; i < event->count; i++)
        json_array_append_new(still, config_json(event->search, event->still[i]));
    return json_pack("{s:s, s:f, s:I, s:o}", "record", "round", "seconds",
                     seconds(event->search), "rounds", (json_int_t)event->rounds,
                     "still_in", still);
}

static json_t *best_json(const struct ct_search *search)
{
    const struct ct_evaluated *best =
        ct_results_best(&search->results, &search->objective);

    if (!best)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "configuration",
        config_json(search, best->index), "time_ns", ct_json_time(best->time_ns),
        "low_ns", ct_json_time(best->low_ns), "high_ns", ct_json_time(best->high_ns),
        "value", isfinite(best->value) ? json_real(best->value) : json_null(), "gain",
        ct_json_time(ct_search_gain(search, best)), "verified", best->verified ? 1 : 0);
}

static json_t *end_json(const struct ct_search *search)
{
    json_t *counts = json_object();

    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        json_object_set_new(counts, ct_result_status_name((enum ct_result_status)i),
                            json_integer((json_int_t)search->results.status_counts[i]));
    return json_pack("{s:s, s:f, s:I, s:I, s:o, s:o, s:s, s:b}", "record", "end",
                     "seconds", seconds(search), "evaluated",
                     (json_int_t)search->results.evaluated, "known_before",
                     (json_int_t)search->results.reused, "counts", counts, "best",
                     best_json(search), "ended", ct_search_end_name(search->budget.end),
                     "interrupted", search->interrupted ? 1 : 0);
}

void ct_json_lines_event(const struct ct_event *event)
{
    if (!event->search)
        return;
    switch (event->kind) {
    case CT_EVENT_BEGIN:
        write_record(event, begin_json(event->search));
        break;
    case CT_EVENT_NOISE_BEGIN:
        write_record(event, phase_json(event, "noise"));
        break;
    case CT_EVENT_LOOP:
        write_record(event, phase_json(event, "search"));
        break;
    case CT_EVENT_PLAYOFF:
        write_record(event, phase_json(event, "playoff"));
        break;
    case CT_EVENT_BASELINE:
        write_record(event, phase_json(event, "baseline"));
        break;
    case CT_EVENT_EVALUATED:
        write_record(event, result_json(event));
        break;
    case CT_EVENT_ROUND:
        write_record(event, round_json(event));
        break;
    case CT_EVENT_END:
        write_record(event, end_json(event->search));
        break;
    case CT_EVENT_TRANSFER:
    case CT_EVENT_NOISE:
    case CT_EVENT_PROGRESS:
    case CT_EVENT_CANARY:
    case CT_EVENT_LOOP_END:
    case CT_EVENT_ACTIVITY:
    case CT_EVENT_TARGET_MISSED:
    case CT_EVENT_COMPARE:
    case CT_EVENT_SLOW:
    case CT_EVENT_WARNING:
        break;
    }
}
