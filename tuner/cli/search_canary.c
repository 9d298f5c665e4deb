// SPDX-License-Identifier: Apache-2.0
// Whose fault a failure is.  A failure counts only when something has worked after it:
// another configuration, or one that is known to work and is tried again for that
// purpose, as the canary.  When the canary fails, too, the machine is at fault: nothing
// is stored.
#include "cli/search.h"

#include "base/clock.h"
#include "base/outside.h"
#include "schedule/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_AT = 8,   /* failures in a row, after which the canary is asked */
    LAST_AT = 256,  /* it doubles each time up to that */
    COMMON_MAX = 2, /* failures of the common kinds in a row that are simply believed */
    FAULTS_MAX = 3, /* of the machine in a row, until the search ends */
};

/* Whether a failure is of a kind that machines in trouble bring about. */
static bool is_doubtful(const struct ct_outcome *outcome)
{
    return outcome->status == CT_RESULT_CRASHED || outcome->status == CT_RESULT_TIMEOUT ||
           ct_outcome_lacks_memory(outcome);
}

/* Whether it is of a kind that nearly always is the kernel's: doubtful when there are
 * several in a row. */
static bool is_common(const struct ct_outcome *outcome)
{
    return outcome->status == CT_RESULT_BUILD_FAILED ||
           (outcome->status == CT_RESULT_INVALID &&
            strstr(outcome->message, "CL_OUT_OF_RESOURCES"));
}

/* What is known to work: the default, or another; false when nothing is. */
static bool find_canary(const struct ct_search *search, int64_t *index)
{
    if (search->default_known && search->default_result.status == CT_RESULT_OK) {
        *index = search->default_index;
        return true;
    }
    for (size_t i = 0; i < search->done_count; i++)
        if (search->done[i].status == CT_RESULT_OK) {
            *index = search->done[i].index;
            return true;
        }
    return false;
}

bool ct_search_holds(struct ct_search *search, const struct ct_report *report)
{
    const struct ct_outcome *outcome = &report->outcome;
    int64_t index;

    if (outcome->status == CT_RESULT_OK && report->duplicate == CT_DUPLICATE_NONE)
        search->failed_in_a_row = 0;
    if (is_common(outcome) && search->failed_in_a_row++ >= COMMON_MAX)
        return find_canary(search, &index);
    return is_doubtful(outcome) && find_canary(search, &index);
}

enum ct_status ct_search_hold(struct ct_search *search, struct ct_pending *pending,
                              struct ct_report *report, struct ct_err *err)
{
    if (!ct_mem_grow(&search->held, &search->held_capacity, search->held_count + 1,
                     sizeof(*search->held)))
        return ct_err_nomem(err);
    search->held[search->held_count++] = (struct ct_held){pending, *report};
    memset(&report->outcome, 0, sizeof(report->outcome));
    search->held_before = search->ticket_count;
    if (!search->canary_at)
        search->canary_at = FIRST_AT;
    return CT_OK;
}

bool ct_search_is_cleared(const struct ct_search *search, const struct ct_report *report)
{
    /* Built and run by now, and not before.  What was built long ago says nothing of
     * compilers. */
    return search->held_count && report->outcome.status == CT_RESULT_OK &&
           report->duplicate == CT_DUPLICATE_NONE && !report->from_cache &&
           report->ticket >= search->held_before;
}

void ct_search_note_worked(struct ct_search *search)
{
    search->machine_faults = 0;
    search->canary_at = FIRST_AT;
}

bool ct_search_needs_canary(const struct ct_search *search)
{
    return search->held_count && search->held_count >= search->canary_at;
}

enum ct_status ct_search_check_limits(const struct ct_outcome *first, struct ct_err *err)
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
        status =
            ct_err_set(err, CT_E_DEVICE,
                       "the default configuration does not work (%s: %s), and %s, "
                       "which drivers may not get along with: nothing is stored; "
                       "raise the limit and start again",
                       ct_result_status_name(first->status), first->message, limits.data);
    ct_str_release(&limits);
    return status;
}

/* The plan with a macro that nothing uses, of a value that was never there: it is built
 * for real, whatever caches know. */
static enum ct_status make_plan(struct ct_search *search, int64_t index,
                                struct ct_arena *arena, struct ct_plan *plan,
                                struct ct_err *err)
{
    struct ct_plan_program *programs;
    const char *value;
    enum ct_status status;

    ct_search_values(search, index);
    status = ct_search_plan(search, arena, plan, err);
    if (status)
        return status;
    value =
        ct_arena_format(arena, "%lld%u", (long long)ct_clock_unix_s(), search->canaries);
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

/* Evaluates it while the crew has nothing else but perhaps the default, for its drift. */
static enum ct_status evaluate(struct ct_search *search, int64_t index,
                               const struct ct_plan *plan, struct ct_outcome *outcome,
                               struct ct_err *err)
{
    struct ct_job job = {
        .plan = plan, .full = true, .again = true, .fresh = true, .samples = 1};
    struct ct_hash nothing = {""};
    struct ct_report report;
    enum ct_status status =
        ct_search_take_ticket(search, index, &nothing, &job.ticket, err);

    if (!status)
        status = ct_scheduler_submit(search->scheduler, &job, err);
    while (!status) {
        status = ct_scheduler_wait(search->scheduler, &report, err);
        if (!status && report.ticket == job.ticket) {
            *outcome = report.outcome;
            return CT_OK;
        }
        if (!status && !ct_search_drift_take(search, &report))
            ct_outcome_release(&report.outcome);
    }
    return status == CT_E_NOT_FOUND
               ? ct_err_set(err, CT_E_INTERNAL, "the canary was lost")
               : status;
}

void ct_search_release_held(struct ct_search *search)
{
    for (size_t i = 0; i < search->held_count; i++) {
        ct_outcome_release(&search->held[i].report.outcome);
        ct_search_release_pending(search->held[i].pending);
    }
    search->held_count = 0;
}

/* The canary fails: what is held is tried again, or the search ends. */
static enum ct_status blame_machine(struct ct_search *search,
                                    const struct ct_outcome *outcome, struct ct_err *err)
{
    const uint64_t pause_ns = 1000000000;
    enum ct_status status = CT_OK;
    size_t count = search->held_count;

    if (++search->machine_faults >= FAULTS_MAX)
        return ct_err_set(
            err, CT_E_DEVICE,
            "the machine is at fault, not the kernel: %zu configuration%s failed, and "
            "one that worked before now fails, too (%s: %s); nothing is stored for them: "
            "look for short memory, a full disk, limits (ulimit -a) or a driver in "
            "trouble, and start again to continue",
            count, count == 1 ? "" : "s", ct_result_status_name(outcome->status),
            outcome->message);
    ct_progress_clear(&search->progress);
    ct_cli_warn("%zu configuration%s failed, and so does one that worked before (%s: "
                "%s): they are tried again",
                count, count == 1 ? "" : "s", ct_result_status_name(outcome->status),
                outcome->message);
    for (size_t i = 0; i < count && !status; i++) {
        ct_scheduler_forget(search->scheduler, search->held[i].report.ticket);
        status =
            ct_search_list_add(&search->twice, search->held[i].pending->entry.index, err);
    }
    ct_search_release_held(search);
    /* Some things pass; Ctrl-C is heard. */
    ct_worker_poll(NULL, 0,
                   ct_clock_now_ns() + pause_ns * (uint64_t)search->machine_faults);
    return status;
}

enum ct_status ct_search_ask_canary(struct ct_search *search, bool *works,
                                    struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_outcome outcome = {0};
    struct ct_plan plan;
    int64_t index = CT_OUTSIDE;
    enum ct_status status;

    *works = true;
    if (!find_canary(search, &index))
        return CT_OK;
    search->canaries++;
    ct_scheduler_renew(search->scheduler);
    status = make_plan(search, index, &arena, &plan, err);
    if (!status)
        status = evaluate(search, index, &plan, &outcome, err);
    if (status)
        goto out;
    *works = outcome.status == CT_RESULT_OK;
    if (search->options->verbose)
        fprintf(stderr, "        canary after %zu failures: %s\n", search->held_count,
                ct_result_status_name(outcome.status));
    if (*works) {
        search->machine_faults = 0;
        search->canary_at =
            search->canary_at < LAST_AT ? 2 * search->canary_at : search->canary_at;
    } else {
        status = blame_machine(search, &outcome, err);
    }
    ct_outcome_release(&outcome);
out:
    ct_arena_release(&arena);
    return status;
}
