// SPDX-License-Identifier: Apache-2.0
// What a running search does, in words.
#include "report/status.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/show.h"
#include "tune/search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- the phase --- */

enum { NAMED = 3 }; /* configurations of a play-off */

/* Without the workload's own space for a configuration, which the session is using. */
static void put_config(const struct ct_search *search, int64_t index, struct ct_str *out)
{
    const struct ct_workload *work = &search->work;
    size_t count = work->spec->param_count;
    struct ct_arena arena = {0};
    uint32_t *config = ct_arena_array(&arena, count + 1, sizeof(*config));
    struct ct_value *values = ct_arena_array(&arena, count + 1, sizeof(*values));
    struct ct_str text;

    ct_str_init(&text);
    if (index == CT_OUTSIDE)
        ct_str_puts(&text, "the default");
    else if (config && values) {
        ct_space_config(work->space, (uint64_t)index, config);
        ct_binding_values(work->binding, config, values);
        ct_binding_print(work->binding, values, NULL, &text);
    }
    ct_show_add(out, text.data, text.length, CT_SHOW_LINE);
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void set(char *text, const struct ct_str *from)
{
    snprintf(text, CT_STATUS_SIZE, "%s", from->data ? from->data : "");
    /* No part of a character stays. */
    text[strlen(text) - ct_show_unfinished(text, strlen(text))] = '\0';
}

static void put_round(const struct ct_event *event, struct ct_str *out)
{
    ct_str_addf(out, "play-off: %zu round%s", event->rounds,
                event->rounds == 1 ? "" : "s");
    if (!event->count) {
        ct_str_puts(out, ", the time of the winner is being confirmed");
        return;
    }
    ct_str_addf(out, ", %zu still in: ", event->count);
    for (size_t i = 0; i < event->count && i < NAMED; i++) {
        ct_str_puts(out, i ? "; " : "");
        put_config(event->search, event->still[i], out);
    }
    if (event->count > NAMED)
        ct_str_puts(out, "; ...");
}

static void put_workers(const struct ct_event *event, bool proposing, struct ct_str *out)
{
    const struct ct_scheduler_activity *activity = event->activity;

    ct_str_puts(out, "workers: ");
    if (activity->running && proposing && event->count) {
        ct_str_puts(out, "timing ");
        put_config(event->search, event->still[0], out);
    } else {
        ct_str_puts(out, activity->running ? "timing" : "none is timing");
    }
    if (activity->building)
        ct_str_addf(out, "; %u of %u builder%s compiling", activity->building,
                    activity->builders, activity->builders == 1 ? "" : "s");
}

static void note_workers(struct ct_status_words *words, const struct ct_event *event)
{
    const struct ct_scheduler_activity *activity = event->activity;

    bool shown = words->proposing;

    for (size_t i = 0; i < activity->worker_count; i++)
        shown = shown || activity->workers[i].task == CT_TASK_EARLY;
    words->each_count = shown ? activity->worker_count : 0;
    for (size_t i = 0; i < words->each_count; i++)
        words->each[i] =
            (struct ct_status_worker){activity->workers[i], event->indices[i]};
}

/* A row of the progress: what one of them does. */
static void put_worker(void *user, size_t i, char text[CT_PROGRESS_TEXT])
{
    static const char *const tasks[] = {[CT_TASK_NONE] = "idle",
                                        [CT_TASK_OPEN] = "opening the device",
                                        [CT_TASK_SAMPLE] = "compiling a sample",
                                        [CT_TASK_EARLY] = "ahead: ",
                                        [CT_TASK_JOB] = ""};
    const struct ct_status_words *words = user;
    const struct ct_status_worker *worker = &words->each[i];
    const struct ct_siblings *siblings = &words->search->siblings;
    unsigned device = worker->does.device;
    struct ct_str out;

    ct_str_init(&out);
    if (device && device <= siblings->count)
        ct_str_addf(&out,
                    "device %u:%u: ", siblings->items[device - 1].device->platform_index,
                    siblings->items[device - 1].device->device_index);
    else
        ct_str_addf(&out, "builder %zu: ", i + 1);
    ct_str_puts(&out, tasks[worker->does.task]);
    if (worker->does.task == CT_TASK_JOB && !words->proposing)
        ct_str_puts(&out, "compiling"); /* the default, or for a test of the noise */
    else if (worker->does.task == CT_TASK_JOB || worker->does.task == CT_TASK_EARLY)
        put_config(words->search, worker->index, &out);
    set(text, &out);
    ct_str_release(&out);
}

static const char *phase_of(const struct ct_event *event)
{
    switch (event->kind) {
    case CT_EVENT_BEGIN:
        return "the default is being measured";
    case CT_EVENT_NOISE_BEGIN:
        return "A/A test: the default against itself";
    case CT_EVENT_LOOP:
    case CT_EVENT_TARGET_MISSED:
        return "search";
    case CT_EVENT_PLAYOFF:
        return "play-off: first round";
    case CT_EVENT_BASELINE:
        return "the baseline on the host is being timed";
    default:
        return NULL;
    }
}

bool ct_status_note(struct ct_status_words *words, const struct ct_event *event)
{
    const char *phase = phase_of(event);
    struct ct_str text;

    if (!event->search)
        return false;
    ct_str_init(&text);
    if (phase) {
        words->proposing =
            event->kind == CT_EVENT_LOOP || event->kind == CT_EVENT_TARGET_MISSED;
        ct_str_puts(&text, phase);
        if (words->proposing)
            ct_str_addf(&text, ": %s", event->search->proposer.name);
        set(words->phase, &text);
        *words->workers = '\0';
        words->each_count = 0;
        words->over_ns = event->kind == CT_EVENT_PLAYOFF
                             ? ct_clock_now_ns() + (uint64_t)(1e9 * event->planned_s)
                             : 0;
    } else if (event->kind == CT_EVENT_ROUND) {
        put_round(event, &text);
        set(words->phase, &text);
    } else if (event->kind == CT_EVENT_ACTIVITY) {
        put_workers(event, words->proposing, &text);
        set(words->workers, &text);
        note_workers(words, event);
    }
    ct_str_release(&text);
    return phase;
}

/* --- counts --- */

static void put_failures(const struct ct_search *search, struct ct_str *out)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (i != CT_RESULT_OK && search->results.status_counts[i])
            ct_str_addf(out, "%s%llu %s", out->length ? ", " : "",
                        (unsigned long long)search->results.status_counts[i],
                        ct_result_status_name((enum ct_result_status)i));
}

struct ct_progress_view ct_status_view(struct ct_status_words *words,
                                       const struct ct_search *search)
{
    uint64_t now_ns = ct_clock_now_ns();
    double left_s = -1;
    struct ct_str text;

    words->search = search;
    if (words->over_ns)
        left_s = words->over_ns > now_ns ? (double)(words->over_ns - now_ns) / 1e9 : 0;
    ct_str_init(&text);
    put_failures(search, &text);
    set(words->failures, &text);
    ct_str_release(&text);
    snprintf(words->counts, sizeof(words->counts), "%llu ok",
             (unsigned long long)search->results.status_counts[CT_RESULT_OK]);
    return (struct ct_progress_view){.phase = words->phase,
                                     .done = search->results.evaluated,
                                     .best_ns = search->results.best_ns,
                                     .default_ns = ct_search_default_ns(search),
                                     .proposing = words->proposing,
                                     .left_s = left_s,
                                     .counts = words->counts,
                                     .failures = words->failures,
                                     .workers = words->workers,
                                     .each_count = words->each_count,
                                     .put_each = put_worker,
                                     .user = words};
}
