// SPDX-License-Identifier: Apache-2.0
// Whether a failure is the kernel's or the machine's.  A failure counts only once something has
// worked after it: another configuration, or the canary, a configuration that is known to work
// and is run again for this purpose.  If the canary fails too, the machine is at fault, and
// nothing is stored.
#include "tune/search_impl.h"

#include "base/clock.h"
#include "base/outside.h"
#include "schedule/worker.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_AT = 8,  /* failures in a row before the canary is run */
    LAST_AT = 256, /* upper limit of that number, which doubles each time */
    COMMON_MAX =
        2, /* failures of the common kinds in a row that are accepted as they are */
    FAULTS_MAX = 3, /* machine failures in a row that end the search */
};

/* Whether a call of the driver lacked resources, as a launch does that wants too much of them, and
 * every call of some drivers once the device is lost. */
static bool lacks_resources(const struct ct_outcome *outcome)
{
    return (outcome->status == CT_RESULT_BUILD_FAILED ||
            outcome->status == CT_RESULT_INVALID) &&
           strstr(outcome->message, "CL_OUT_OF_RESOURCES");
}

/* Whether a failure is of a kind that a machine in trouble may cause: compilers that have an error
 * to report say something else than the calls of a device that is lost, and kernels that want too
 * much have it refused when they are launched. */
static bool is_doubtful(const struct ct_outcome *outcome)
{
    return outcome->status == CT_RESULT_CRASHED || outcome->status == CT_RESULT_TIMEOUT ||
           ct_outcome_lacks_memory(outcome) ||
           (lacks_resources(outcome) &&
            !strstr(outcome->message, "clEnqueueNDRangeKernel"));
}

/* Whether a failure is of a kind that is nearly always the kernel's: doubtful only if there are
 * several in a row. */
static bool is_common(const struct ct_outcome *outcome)
{
    return outcome->status == CT_RESULT_BUILD_FAILED || lacks_resources(outcome);
}

/* A configuration that is known to work: the default, or another; false if there is none. */
static bool find_canary(const struct ct_search *search, int64_t *index)
{
    if (search->defaults.known && search->defaults.result.status == CT_RESULT_OK) {
        *index = search->work.default_index;
        return true;
    }
    for (size_t i = 0; i < search->results.done_count; i++)
        if (search->results.done[i].status == CT_RESULT_OK) {
            *index = search->results.done[i].index;
            return true;
        }
    return false;
}

bool ct_canary_holds(struct ct_search *search, const struct ct_report *report)
{
    const struct ct_outcome *outcome = &report->outcome;
    int64_t index;

    if (outcome->status == CT_RESULT_OK && report->duplicate == CT_DUPLICATE_NONE)
        search->canary.failed_in_a_row = 0;
    if (is_common(outcome) && search->canary.failed_in_a_row++ >= COMMON_MAX)
        return find_canary(search, &index);
    /* Where others could take its place, a lost device does not end the search: what it says last
     * would stay. */
    return (is_doubtful(outcome) ||
            (search->siblings.count && lacks_resources(outcome))) &&
           find_canary(search, &index);
}

enum ct_status ct_canary_hold(struct ct_search *search, struct ct_pending *pending,
                              struct ct_report *report, struct ct_err *err)
{
    if (!ct_mem_grow(&search->canary.held, &search->canary.held_capacity,
                     search->canary.held_count + 1, sizeof(*search->canary.held)))
        return ct_err_nomem(err);
    search->canary.held[search->canary.held_count++] = (struct ct_held){pending, *report};
    memset(&report->outcome, 0, sizeof(report->outcome));
    search->canary.held_before = search->jobs.ticket_count;
    if (!search->canary.next_at)
        search->canary.next_at = FIRST_AT;
    return CT_OK;
}

bool ct_canary_is_cleared(const struct ct_canary *canary, const struct ct_report *report)
{
    /* Built and run just now, and where the failures were: an older build says nothing about the
     * compiler, another device nothing about the first. */
    return canary->held_count && report->outcome.status == CT_RESULT_OK &&
           report->duplicate == CT_DUPLICATE_NONE && !report->from_cache &&
           !report->device && report->ticket >= canary->held_before;
}

void ct_canary_note_worked(struct ct_canary *canary)
{
    canary->machine_faults = 0;
    canary->next_at = FIRST_AT;
}

bool ct_canary_is_due(const struct ct_canary *canary)
{
    return canary->held_count && canary->held_count >= canary->next_at;
}

enum ct_status ct_canary_check_limits(const struct ct_outcome *first, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str limits;

    if (!is_doubtful(first) && !is_common(first))
        return CT_OK;
    ct_str_init(&limits);
    ct_outside_limits(&limits);
    if (limits.failed)
        status = ct_err_nomem(err);
    else if (limits.length)
        status = ct_err_set(
            err, CT_E_DEVICE,
            "the default configuration failed (%s: %s), and %s, which may be too "
            "low for the driver; nothing is stored; raise the limit and run the "
            "search again",
            ct_result_status_name(first->status), first->message, limits.data);
    ct_str_release(&limits);
    return status;
}

/* The plan with an unused macro of a unique value: it is really built, whatever is cached. */
static enum ct_status make_plan(struct ct_search *search, int64_t index,
                                struct ct_arena *arena, struct ct_plan *plan,
                                struct ct_err *err)
{
    struct ct_plan_program *programs;
    const char *value;
    enum ct_status status;

    ct_workload_values(&search->work, index);
    status = ct_workload_plan(&search->work, search->objective.needs, arena, plan, err);
    if (status)
        return status;
    value = ct_arena_format(arena, "%lld%u", (long long)ct_clock_unix_s(),
                            search->canary.asked);
    programs = ct_arena_array(arena, plan->program_count, sizeof(*programs));
    for (size_t i = 0; programs && i < plan->program_count; i++) {
        const struct ct_plan_program *from = &plan->programs[i];
        struct ct_plan_macro *macros =
            ct_arena_array(arena, from->macro_count + 1, sizeof(*macros));

        if (!macros || !value)
            return ct_err_nomem(err);
        if (from->macro_count)
            memcpy(macros, from->macros, from->macro_count * sizeof(*macros));
        macros[from->macro_count] = (struct ct_plan_macro){"CT_CANARY", value};
        programs[i] = *from;
        programs[i].macros = macros;
        programs[i].macro_count++;
    }
    plan->programs = programs;
    return programs ? CT_OK : ct_err_nomem(err);
}

/* Evaluates it while the scheduler has no other job, except perhaps the default for its drift. */
static enum ct_status evaluate_alone(struct ct_search *search, int64_t index,
                                     const struct ct_plan *plan,
                                     struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_job job = {
        .plan = plan, .full = true, .again = true, .fresh = true, .samples = 1};
    struct ct_hash nothing = {""};
    struct ct_report report;
    enum ct_status status =
        ct_jobs_new_ticket(&search->jobs, index, &nothing, &job.ticket, err);

    if (!status)
        status = ct_scheduler_submit(search->jobs.scheduler, &job, err);
    while (!status) {
        status = ct_jobs_wait(search, &report, err);
        if (!status && report.ticket == job.ticket) {
            *outcome = report.outcome;
            return CT_OK;
        }
        if (!status && !ct_search_accept_drift(search, &report))
            ct_outcome_release(&report.outcome);
    }
    return status == CT_E_NOT_FOUND
               ? ct_err_set(err, CT_E_INTERNAL,
                            "the check of a working configuration was lost")
               : status;
}

void ct_canary_release_held(struct ct_canary *canary)
{
    for (size_t i = 0; i < canary->held_count; i++) {
        ct_outcome_release(&canary->held[i].report.outcome);
        ct_jobs_release_pending(canary->held[i].pending);
    }
    canary->held_count = 0;
}

/* The canary failed: the held failures are tried again, or the search ends. */
static enum ct_status blame_machine(struct ct_search *search,
                                    const struct ct_outcome *outcome, struct ct_err *err)
{
    const uint64_t pause_ns = 1000000000;
    enum ct_status status = CT_OK;
    size_t count = search->canary.held_count;

    if (++search->canary.machine_faults >= FAULTS_MAX)
        return ct_err_set(
            err, CT_E_DEVICE,
            "the machine is at fault, not the kernel: %zu configuration%s failed, "
            "and one that worked before now fails as well (%s: %s); nothing is "
            "stored for them; check free memory, disk space, limits (ulimit -a) "
            "and the driver, then run the search again to continue",
            count, count == 1 ? "" : "s", ct_result_status_name(outcome->status),
            outcome->message);
    ct_observer_warn(
        search->observer,
        "%zu configuration%s failed, and so does one that worked before (%s: "
        "%s); retrying",
        count, count == 1 ? "" : "s", ct_result_status_name(outcome->status),
        outcome->message);
    for (size_t i = 0; i < count && !status; i++) {
        ct_scheduler_forget(search->jobs.scheduler, search->canary.held[i].report.ticket);
        status = ct_index_list_add(&search->jobs.postponed,
                                   search->canary.held[i].pending->entry.index, err);
    }
    ct_canary_release_held(&search->canary);
    /* A pause: some troubles pass.  Ctrl-C is noticed. */
    ct_worker_poll(
        NULL, 0, ct_clock_now_ns() + pause_ns * (uint64_t)search->canary.machine_faults);
    return status;
}

enum ct_status ct_canary_ask(struct ct_search *search, bool *works, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_outcome outcome = {0};
    struct ct_plan plan;
    int64_t index = CT_OUTSIDE;
    enum ct_status status;

    *works = true;
    if (!find_canary(search, &index))
        return CT_OK;
    search->canary.asked++;
    ct_scheduler_renew(search->jobs.scheduler);
    status = make_plan(search, index, &arena, &plan, err);
    if (!status)
        status = evaluate_alone(search, index, &plan, &outcome, err);
    if (status)
        goto out;
    *works = outcome.status == CT_RESULT_OK;
    ct_observer_event(search->observer,
                      &(struct ct_event){.kind = CT_EVENT_CANARY,
                                         .search = search,
                                         .count = search->canary.held_count,
                                         .status = outcome.status});
    if (*works) {
        search->canary.machine_faults = 0;
        search->canary.next_at = search->canary.next_at < LAST_AT
                                     ? 2 * search->canary.next_at
                                     : search->canary.next_at;
    } else {
        status = blame_machine(search, &outcome, err);
    }
    ct_outcome_release(&outcome);
out:
    ct_arena_release(&arena);
    return status;
}
