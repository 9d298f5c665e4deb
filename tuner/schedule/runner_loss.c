// SPDX-License-Identifier: Apache-2.0
// A runner has lost its worker: who is to blame, and whether the request is tried again.
#include "schedule/runner_impl.h"

#include "base/outside.h"
#include "protocol/build.h"
#include "protocol/cache.h"
#include "protocol/objects.h"
#include "protocol/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEATHS_MAX = 3, OUTSIDE_MAX = 3 };

static double in_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* A worker died and no configuration is to blame.  CT_OK: try once more. */
enum ct_status ct_runner_died_unexplained(struct ct_runner *runner, struct ct_err *err)
{
    struct ct_str death;

    runner->deaths++;
    if (runner->deaths < DEATHS_MAX)
        return CT_OK;
    ct_str_init(&death);
    ct_worker_death(&runner->worker, &death);
    ct_err_set(err, CT_E_WORKER,
               "device %s: %d worker processes in a row died before any kernel ran; "
               "in phase %s, the last one %s",
               runner->device_name, (int)DEATHS_MAX, ct_phase_name(runner->x.phase),
               death.data);
    ct_str_release(&death);
    return CT_E_WORKER;
}

/* Whether a worker ended for a reason no kernel can cause.  Host code can do that to itself. */
bool ct_runner_ended_outside(const struct ct_runner *runner)
{
    const struct ct_exchange *x = &runner->x;

    if (runner->memory_bytes || x->end != CT_WORKER_DEAD)
        return false;
    return x->stopped ||
           (ct_worker_outside(&runner->worker) && x->culprit != CT_CULPRIT_HOST &&
            runner->type != CT_MSG_BASELINE);
}

/* Requests another try, unless it would be useless. */
enum ct_status ct_runner_blame_outside(struct ct_runner *runner, bool *again,
                                       struct ct_err *err)
{
    const char *remedy = ct_outside_remedy(ct_worker_outside(&runner->worker));
    struct ct_str death;

    *again = true;
    if (++runner->outside < OUTSIDE_MAX)
        return CT_OK;
    ct_str_init(&death);
    ct_worker_death(&runner->worker, &death);
    ct_err_set(err, CT_E_WORKER,
               "%d worker processes in a row ended through no fault of the kernel; in "
               "phase %s, the last one %s: %s, then run the search again to continue",
               (int)OUTSIDE_MAX, ct_phase_name(runner->x.phase),
               runner->x.stopped ? "was stopped repeatedly (SIGSTOP)" : death.data,
               remedy ? remedy : "find out which program or user stops it");
    ct_str_release(&death);
    return CT_E_WORKER;
}

static const char *outcome_keep_text(struct ct_outcome *outcome,
                                     const struct ct_str *text)
{
    const char *copy = ct_arena_copy(&outcome->arena, text->data, text->length);

    return copy ? copy : "";
}

void ct_runner_empty_outcome(struct ct_outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    outcome->message = "";
    outcome->build_log = "";
}

/* The configuration exceeded its deadline, or its worker died. */
static void blame(struct ct_runner *runner, struct ct_outcome *outcome)
{
    const struct ct_exchange *x = &runner->x;
    struct ct_str text;

    ct_str_init(&text);
    ct_runner_empty_outcome(outcome);
    outcome->phase = x->phase;
    if (runner->memory_bytes) {
        outcome->status = CT_RESULT_BUILD_FAILED;
        ct_str_addf(&text,
                    "compilation took more than %" PRIu64 " MiB of memory (phase %s)",
                    runner->memory_bytes >> 20, ct_phase_name(x->phase));
    } else if (x->end == CT_WORKER_LATE) {
        outcome->status = CT_RESULT_TIMEOUT;
        outcome->deadline_ns =
            runner->deadlines.ns[x->compile.over ? CT_PHASE_BUILD : x->phase];
        ct_str_addf(&text, "%s after %g s (phase %s)%s",
                    x->compile.over ? "not compiled" : "not finished",
                    in_seconds(outcome->deadline_ns), ct_phase_name(x->phase),
                    x->compile.over || x->phase == CT_PHASE_BUILD
                        ? "; use --build-timeout to allow more time"
                    : x->phase == CT_PHASE_FIRST ? "; use --timeout to allow more time"
                                                 : "");
    } else {
        outcome->status = CT_RESULT_CRASHED;
        ct_str_addf(&text, "in phase %s the worker ", ct_phase_name(x->phase));
        ct_worker_death(&runner->worker, &text);
        if (ct_worker_killed(&runner->worker))
            ct_str_puts(&text,
                        "; perhaps memory was short (use --retry crashed to try again)");
    }
    outcome->message = outcome_keep_text(outcome, &text);
    memcpy(outcome->spent_ns, x->spent_ns, sizeof(outcome->spent_ns));
    ct_str_release(&text);
}

/* References and fills are part of the space file: if one fails, no configuration can be judged. */
static enum ct_status blame_host(struct ct_runner *runner, struct ct_err *err)
{
    const struct ct_exchange *x = &runner->x;
    struct ct_str text;

    if (x->end == CT_WORKER_LATE)
        return ct_err_set(
            err, CT_E_SPEC,
            "%s was not finished after %g s; it may take 30 times as long as a "
            "launch, so use a longer --timeout",
            x->who, in_seconds(runner->deadlines.ns[x->phase]));
    ct_str_init(&text);
    ct_worker_death(&runner->worker, &text);
    ct_err_set(err, CT_E_SPEC, "%s crashed: the worker %s", x->who, text.data);
    ct_str_release(&text);
    return CT_E_SPEC;
}

static enum ct_status blame_data(const struct ct_runner *runner, struct ct_err *err)
{
    return ct_err_set(err, CT_E_DEVICE, "preparing the data took over %g s",
                      in_seconds(runner->deadlines.ns[runner->x.phase]));
}

/* Whether the worker ran the configuration's compiler; builders also do so in the first launch. */
static bool was_compiling(const struct ct_runner *runner)
{
    const struct ct_exchange *x = &runner->x;

    return x->culprit == CT_CULPRIT_CONFIGURATION &&
           (x->phase == CT_PHASE_BUILD ||
            (x->phase == CT_PHASE_FIRST && runner->type == CT_MSG_BUILD));
}

/* Removes programs with truncated objects from PoCL's cache, if the cache is cltune's own; false
 * if there are none. */
static bool mend_driver_cache(void)
{
    struct ct_str folder;
    bool mended = false;

    ct_str_init(&folder);
    if (ct_cache_driver_own(&folder))
        mended = ct_objects_mend(folder.data) > 0;
    ct_str_release(&folder);
    return mended;
}

/* A worker was lost while it prepared for others: they will meet the reason, if it lasts.  Only
 * waiting for a hanging one twice would be too long. */
static enum ct_status lost_preparing(struct ct_runner *runner, struct ct_outcome *outcome,
                                     struct ct_err *err)
{
    const struct ct_exchange *x = &runner->x;

    if (x->end == CT_WORKER_LATE)
        return x->culprit == CT_CULPRIT_HOST ? blame_host(runner, err)
                                             : blame_data(runner, err);
    ct_runner_empty_outcome(outcome);
    return CT_OK;
}

/* The result of a request whose worker is gone.  `*again` requests another try with a fresh one. */
enum ct_status ct_runner_lost(struct ct_runner *runner, struct ct_outcome *outcome,
                              bool *again, struct ct_err *err)
{
    const struct ct_exchange *x = &runner->x;
    bool used = runner->used;

    runner->running = false;
    runner->used = false;
    if (x->end == CT_WORKER_STOP)
        return ct_runner_interrupted(err);
    if (runner->type == CT_MSG_PREPARE)
        return lost_preparing(runner, outcome, err);
    if (runner->memory_bytes) {
        blame(runner, outcome);
        return CT_OK;
    }
    if (ct_runner_ended_outside(runner))
        return ct_runner_blame_outside(runner, again, err);
    /* Memory may be short because of others: one retry.  Not for compilers, which use the most
     * memory: another try would only take it again. */
    if (x->end == CT_WORKER_DEAD && x->culprit != CT_CULPRIT_NONE && !runner->killed &&
        ct_worker_killed(&runner->worker)) {
        if (was_compiling(runner)) {
            runner->deaths = 0;
            blame(runner, outcome);
            return CT_OK;
        }
        runner->killed = true;
        *again = true;
        return CT_OK;
    }
    if (x->culprit == CT_CULPRIT_HOST)
        return blame_host(runner, err);
    if (x->culprit == CT_CULPRIT_NONE) {
        if (x->end == CT_WORKER_LATE)
            return blame_data(runner, err);
        *again = true;
        return ct_runner_died_unexplained(runner, err);
    }
    /* A kernel may have corrupted the worker that compiles the next one: a compiler is to blame
     * only if it dies in a fresh one. */
    if (x->end == CT_WORKER_DEAD && x->phase == CT_PHASE_BUILD && used) {
        *again = true;
        return CT_OK;
    }
    /* It may have loaded a truncated object from the driver's cache: checked once. */
    if (x->end == CT_WORKER_DEAD && !runner->mended) {
        runner->mended = true;
        if (mend_driver_cache()) {
            *again = true;
            return CT_OK;
        }
    }
    runner->deaths = 0;
    blame(runner, outcome);
    return CT_OK;
}
