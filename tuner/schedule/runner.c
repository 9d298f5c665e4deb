// SPDX-License-Identifier: Apache-2.0
// Evaluations from the main process's side: deadlines, deaths, retries.
#include "schedule/runner_impl.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "protocol/build.h"
#include "protocol/cache.h"
#include "protocol/mapped.h"
#include "protocol/objects.h"
#include "base/outside.h"
#include "protocol/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ct_status ct_runner_interrupted(struct ct_err *err)
{
    return ct_err_set(err, CT_E_INTERRUPTED, "interrupted");
}

static double seconds_of(uint64_t ns)
{
    return (double)ns / 1e9;
}

enum ct_status ct_runner_new(const struct ct_devinfo *device, struct ct_runner **out,
                             struct ct_err *err)
{
    struct ct_runner *runner = calloc(1, sizeof(*runner));
    const char *name = ct_devinfo_text(device, CT_DEVICE_NAME);

    if (!runner)
        return ct_err_nomem(err);
    ct_str_init(&runner->device);
    ct_str_init(&runner->env);
    ct_str_init(&runner->payload);
    ct_str_init(&runner->extra);
    runner->shared_cache = &runner->own_shared_cache;
    ct_devinfo_put(&runner->device, device);
    snprintf(runner->device_name, sizeof(runner->device_name), "%s", name);
    runner->late_compiler = strstr(device->platform_name, "Portable Computing Language");
    if (runner->device.failed) {
        ct_runner_free(runner);
        return ct_err_nomem(err);
    }
    *out = runner;
    return CT_OK;
}

static void stop(struct ct_runner *runner, bool kindly)
{
    if (runner->running)
        ct_worker_end(&runner->worker, kindly);
    runner->running = false;
    runner->used = false;
}

void ct_runner_abandon(struct ct_runner *runner)
{
    if (runner->state == CT_RUNNER_OPENING)
        ct_worker_end(&runner->worker, false);
    if (runner->state != CT_RUNNER_IDLE)
        stop(runner, false);
    runner->state = CT_RUNNER_IDLE;
}

void ct_runner_renew(struct ct_runner *runner)
{
    stop(runner, true);
}

bool ct_runner_part(struct ct_runner *runner, struct ct_worker *leaving)
{
    if (!runner->running)
        return false;
    *leaving = runner->worker;
    ct_worker_let_go(leaving);
    memset(&runner->worker, 0, sizeof(runner->worker));
    runner->worker.socket = runner->worker.output = -1;
    runner->running = false;
    runner->used = false;
    return true;
}

void ct_runner_let_go(struct ct_runner *runner)
{
    if (runner && runner->running)
        ct_worker_let_go(&runner->worker);
}

void ct_runner_dismiss(struct ct_runner *runner)
{
    ct_runner_abandon(runner);
    stop(runner, false);
}

bool ct_runner_is_ready(struct ct_runner *runner)
{
    enum ct_message type;

    if (!runner->running || runner->state != CT_RUNNER_IDLE)
        return false;
    /* It has nothing to say unasked. */
    if (ct_worker_peek(&runner->worker, UINT64_MAX, &type) != CT_WORKER_QUIET)
        stop(runner, false);
    return runner->running;
}

/* The running worker of one becomes that of another. */
static void hand_over(struct ct_runner *from, struct ct_runner *to)
{
    struct ct_str env = to->env;

    stop(to, true);
    to->worker = from->worker;
    to->env = from->env;
    from->env = env;
    to->given = from->given;
    to->running = true;
    to->used = from->used;
    from->running = false;
    from->used = false;
}

static void put_env(struct ct_str *out, const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_wire_put_text(out, plan->env[i].name);
        ct_wire_put_text(out, plan->env[i].value);
    }
}

static bool same_env(const struct ct_str *a, const struct ct_str *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
}

/* Whether the running worker can be used for a plan; false if out of memory. */
static bool has_env(const struct ct_runner *runner, const struct ct_plan *plan)
{
    struct ct_str wanted;
    bool has;

    ct_str_init(&wanted);
    put_env(&wanted, plan);
    has = !wanted.failed && same_env(&wanted, &runner->env);
    ct_str_release(&wanted);
    return has;
}

bool ct_runner_lend(struct ct_runner *runner, const struct ct_plan *plan,
                    struct ct_runner *to)
{
    if (!ct_runner_is_ready(runner) || !has_env(runner, plan))
        return false;
    hand_over(runner, to);
    return true;
}

void ct_runner_take(struct ct_runner *runner, struct ct_runner *from)
{
    hand_over(from, runner);
    runner->workers += from->workers;
    from->workers = 0;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        runner->spent_ns[i] += from->spent_ns[i];
    memset(from->spent_ns, 0, sizeof(from->spent_ns));
}

void ct_runner_free(struct ct_runner *runner)
{
    if (!runner)
        return;
    ct_runner_abandon(runner);
    stop(runner, true);
    if (runner->workers) {
        ct_cache_sweep_driver();
        ct_scratch_sweep();
    }
    ct_shared_cache_release(&runner->own_shared_cache);
    ct_str_release(&runner->extra);
    ct_str_release(&runner->payload);
    ct_str_release(&runner->env);
    ct_str_release(&runner->device);
    free(runner);
}

void ct_runner_spent(const struct ct_runner *runner, uint64_t spent_ns[CT_PHASE_COUNT],
                     unsigned *workers)
{
    memcpy(spent_ns, runner->spent_ns, sizeof(runner->spent_ns));
    *workers = runner->workers;
}

/* Drivers read their environment once: a worker with a different one cannot be used. */
static enum ct_status match_env(struct ct_runner *runner, const struct ct_plan *plan,
                                struct ct_err *err)
{
    struct ct_str wanted;

    ct_str_init(&wanted);
    put_env(&wanted, plan);
    if (wanted.failed) {
        ct_str_release(&wanted);
        return ct_err_nomem(err);
    }
    if (!same_env(&wanted, &runner->env))
        stop(runner, true);
    ct_str_release(&runner->env);
    runner->env = wanted;
    return CT_OK;
}

/* Starts a worker with the plan's environment, unless one is running. */
static enum ct_status start_worker(struct ct_runner *runner, struct ct_err *err)
{
    const struct ct_plan *plan = runner->plan;
    enum ct_status status = match_env(runner, plan, err);

    if (status)
        return status;
    if (runner->running) {
        runner->state = CT_RUNNER_WORKING;
        return CT_OK;
    }
    status = ct_runner_start_process(runner, err);
    if (status)
        return status;
    runner->workers++;
    runner->given = 0;
    ct_runner_send_host_code(runner);
    /* A baseline runs on the host: opening the device would only take time.  Programs open devices
     * themselves. */
    ct_exchange_begin(&runner->x, &runner->worker,
                      runner->type == CT_MSG_BASELINE || plan->command ? CT_MSG_CHOOSE
                                                                       : CT_MSG_OPEN,
                      &runner->device, CT_PHASE_START, &runner->deadlines);
    runner->state = CT_RUNNER_OPENING;
    return CT_OK;
}

/* Handles the reply to opening the device: with CT_OK, the state says what is next. */
static enum ct_status opened(struct ct_runner *runner, struct ct_err *err)
{
    const struct ct_exchange *x = &runner->x;
    enum ct_status status;

    runner->spent_ns[CT_PHASE_START] += x->spent_ns[CT_PHASE_START];
    if (x->end == CT_WORKER_MESSAGE && x->reply == CT_MSG_OPENED) {
        runner->running = true;
        runner->state = CT_RUNNER_WORKING;
        return CT_OK;
    }
    runner->state = CT_RUNNER_STARTING;
    if (x->end == CT_WORKER_MESSAGE) {
        status = ct_exchange_error(&runner->worker, err);
        ct_worker_end(&runner->worker, true);
        return status;
    }
    if (x->end == CT_WORKER_STOP)
        return ct_runner_interrupted(err);
    if (x->end == CT_WORKER_LATE)
        return ct_err_set(err, CT_E_DEVICE, "opening device %s took over %.0f s",
                          runner->device_name,
                          seconds_of(runner->deadlines.ns[CT_PHASE_START]));
    if (ct_runner_ended_outside(runner)) {
        bool again;

        return ct_runner_blame_outside(runner, &again, err);
    }
    return ct_runner_died_unexplained(runner, err);
}

/* Passes the worker what others have offered since its last request. */
static void give(struct ct_runner *runner)
{
    const struct ct_shared_cache *shared_cache = runner->shared_cache;
    uint64_t until_ns = ct_clock_now_ns() + runner->deadlines.ns[CT_PHASE_START];

    for (size_t i = 0; i < shared_cache->count; i++) {
        const struct ct_shared_cache_item *item = &shared_cache->items[i];
        struct ct_str payload;

        if (item->serial <= runner->given)
            continue;
        ct_str_init(&payload);
        ct_shared_cache_payload(&payload, item->name, item->size_bytes);
        /* If the worker is dead, the request that follows will fail. */
        if (!payload.failed)
            ct_worker_send(&runner->worker, CT_MSG_GIVE, &payload, item->fd, until_ns);
        ct_str_release(&payload);
        runner->given = item->serial;
    }
}

static enum ct_status read_outcome(struct ct_runner *runner, struct ct_outcome *outcome,
                                   struct ct_err *err)
{
    struct ct_wire_reader in;

    ct_runner_empty_outcome(outcome);
    ct_wire_reader_init(&in, runner->worker.frame.payload.data,
                        runner->worker.frame.payload.length);
    ct_outcome_get(&in, outcome);
    if (in.failed || !ct_outcome_answers(outcome, runner->type)) {
        ct_outcome_release(outcome);
        stop(runner, false);
        return ct_err_set(err, CT_E_WORKER, "the worker sent a damaged result");
    }
    ct_str_reset(&runner->extra);
    ct_str_add(&runner->extra, in.data + in.at, in.length - in.at);
    if (runner->extra.failed) {
        ct_str_release(&runner->extra);
        ct_outcome_release(outcome);
        return ct_err_nomem(err);
    }
    return CT_OK;
}

static enum ct_status conclude_request(struct ct_runner *runner,
                                       struct ct_outcome *outcome, bool *again,
                                       struct ct_err *err)
{
    const struct ct_exchange *x = &runner->x;
    enum ct_status status;

    for (int i = 0; i < CT_PHASE_COUNT; i++)
        runner->spent_ns[i] += x->spent_ns[i];
    if (x->end != CT_WORKER_MESSAGE)
        return ct_runner_lost(runner, outcome, again, err);
    runner->deaths = 0;
    runner->used = true;
    if (x->reply != CT_MSG_OUTCOME && x->reply != CT_MSG_BUILT)
        return ct_exchange_error(&runner->worker, err);
    status = read_outcome(runner, outcome, err);
    /* Perhaps because of the worker's earlier jobs: a fresh one will show. */
    if (!status && ct_outcome_lacks_memory(outcome) && !runner->killed &&
        runner->type != CT_MSG_PREPARE) {
        runner->killed = *again = true;
        ct_outcome_release(outcome);
        stop(runner, false);
    }
    return status;
}

/* Ends the request, with an error or an outcome. */
static enum ct_status finish_request(struct ct_runner *runner, enum ct_status status,
                                     struct ct_outcome *outcome, struct ct_err *err)
{
    runner->state = CT_RUNNER_IDLE;
    ct_str_release(&runner->payload);
    if (runner->type == CT_MSG_PREPARE) {
        /* Whatever went wrong: the next request meets it again, in a fresh process. */
        runner->deaths = 0;
        if (!status && outcome->status != CT_RESULT_OK)
            stop(runner, false);
    }
    if (status) {
        /* Interrupted between two requests: nothing may keep running.  What a failed reference
         * did to its worker is unknown. */
        if (status == CT_E_INTERRUPTED || status == CT_E_SPEC)
            stop(runner, status == CT_E_SPEC);
        return status;
    }
    if (runner->type == CT_MSG_OPEN)
        ct_runner_empty_outcome(outcome);
    if (runner->type == CT_MSG_OPEN || runner->type == CT_MSG_PREPARE)
        return CT_OK;
    /* Compilers without disk space fail in ways that say nothing about the kernel. */
    if (outcome->status == CT_RESULT_CRASHED ||
        outcome->status == CT_RESULT_BUILD_FAILED) {
        status = ct_cache_room(err);
        if (status) {
            ct_outcome_release(outcome);
            stop(runner, false);
            return status;
        }
    }
    outcome->spent_ns[CT_PHASE_START] =
        runner->spent_ns[CT_PHASE_START] - runner->start_ns;
    /* The context may be lost, or the worker's memory damaged: a fresh process is cheap. */
    if (outcome->status == CT_RESULT_CRASHED || outcome->mismatch.guard)
        stop(runner, false);
    return CT_OK;
}

/* A program's own limit counts, and its worker is the first to notice. */
static void limit_deadlines(struct ct_runner *runner)
{
    const uint64_t grace_ns = 5000000000;
    uint64_t limit_ns = runner->plan->command->limit_ns;
    uint64_t *first_ns = &runner->deadlines.ns[CT_PHASE_FIRST];
    uint64_t *measure_ns = &runner->deadlines.ns[CT_PHASE_MEASURE];

    if (!limit_ns)
        return;
    /* What cannot win any more is ended sooner. */
    if (*measure_ns >= *first_ns || *measure_ns > limit_ns)
        *measure_ns = limit_ns + grace_ns;
    *first_ns = limit_ns + grace_ns;
}

void ct_runner_begin(struct ct_runner *runner, enum ct_message type,
                     const struct ct_plan *plan, struct ct_str *payload,
                     const struct ct_deadlines *deadlines)
{
    runner->state = CT_RUNNER_STARTING;
    runner->type = type;
    runner->plan = plan;
    ct_str_release(&runner->payload);
    runner->payload = *payload;
    ct_str_init(payload);
    runner->deadlines = *deadlines;
    if (plan->command)
        limit_deadlines(runner);
    runner->start_ns = runner->spent_ns[CT_PHASE_START];
    runner->killed = false;
    runner->outside = 0;
    runner->memory_bytes = 0;
    ct_str_reset(&runner->extra);
}

/* When to report slow host code; UINT64_MAX: not now. */
static uint64_t slow_at(const struct ct_runner *runner)
{
    const struct ct_exchange *x = &runner->x;

    if (!runner->slow.report || runner->state != CT_RUNNER_WORKING ||
        x->culprit != CT_CULPRIT_HOST ||
        runner->slow.after_ns >= runner->deadlines.ns[x->phase])
        return UINT64_MAX;
    return x->since_ns + runner->slow.after_ns;
}

static void tell_slow(struct ct_runner *runner)
{
    void (*slow)(void *user, const char *who, double limit_s) = runner->slow.report;

    if (ct_clock_now_ns() < slow_at(runner))
        return;
    runner->slow.report = NULL;
    runner->slow.reported = true;
    slow(runner->slow.user, runner->x.who,
         seconds_of(runner->deadlines.ns[runner->x.phase]));
}

/* One transition; `*waits` becomes true when it must wait. */
static enum ct_status move(struct ct_runner *runner, bool *waits, bool *done,
                           struct ct_outcome *outcome, struct ct_err *err)
{
    bool again = false;
    enum ct_status status;

    if (runner->state == CT_RUNNER_STARTING) {
        status = ct_worker_interrupted() ? ct_runner_interrupted(err)
                                         : start_worker(runner, err);
    } else {
        *waits = !ct_exchange_step(&runner->x, &runner->worker, &runner->deadlines,
                                   runner->shared_cache);
        if (*waits) {
            tell_slow(runner);
            return CT_OK;
        }
        if (runner->state == CT_RUNNER_OPENING) {
            status = opened(runner, err);
            *done = runner->type == CT_MSG_OPEN && runner->state == CT_RUNNER_WORKING;
        } else {
            status = conclude_request(runner, outcome, &again, err);
            *done = !again;
            if (!status && again)
                runner->state = CT_RUNNER_STARTING;
            return status;
        }
    }
    if (!status && !*done && runner->state == CT_RUNNER_WORKING) {
        give(runner);
        ct_exchange_begin(&runner->x, &runner->worker, runner->type, &runner->payload,
                          CT_PHASE_DATA, &runner->deadlines);
        runner->x.compile.needed =
            runner->late_compiler ? ct_mapped_needed(runner->plan) : 0;
    }
    return status;
}

enum ct_status ct_runner_step(struct ct_runner *runner, bool *done,
                              struct ct_outcome *outcome, struct ct_err *err)
{
    bool waits = false;
    enum ct_status status = CT_OK;

    *done = false;
    if (runner->payload.failed)
        status = ct_err_nomem(err);
    while (!status && !waits && !*done)
        status = move(runner, &waits, done, outcome, err);
    if (!status && waits)
        return CT_OK;
    *done = true;
    return finish_request(runner, status, outcome, err);
}

uint64_t ct_runner_deadline(const struct ct_runner *runner)
{
    uint64_t slow_ns = slow_at(runner);
    uint64_t deadline_ns;

    if (runner->state != CT_RUNNER_OPENING && runner->state != CT_RUNNER_WORKING)
        return 0;
    deadline_ns = ct_exchange_deadline(&runner->x, &runner->deadlines);
    return slow_ns < deadline_ns ? slow_ns : deadline_ns;
}

bool ct_runner_compiles(const struct ct_runner *runner)
{
    return runner->state == CT_RUNNER_WORKING &&
           runner->x.culprit == CT_CULPRIT_CONFIGURATION &&
           (runner->x.phase == CT_PHASE_BUILD || runner->x.phase == CT_PHASE_FIRST);
}

void ct_runner_too_large(struct ct_runner *runner, uint64_t limit_bytes)
{
    runner->memory_bytes = limit_bytes;
    runner->x.end = CT_WORKER_DEAD;
    ct_worker_end(&runner->worker, false);
}

/* --- blocking calls --- */

static enum ct_status request(struct ct_runner *runner, enum ct_message type,
                              const struct ct_plan *plan,
                              const struct ct_measure_options *options,
                              struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_request head = {
        .seed = options->seed,
        .race = options->race,
        .copies = options->all_processors ? 0 : 1,
        .limit_ns = options->limit_ns,
        .measure_deadline_ns = options->deadlines.ns[CT_PHASE_MEASURE],
        .differences = options->differences,
        .dump = options->dump,
    };
    struct ct_worker *worker = &runner->worker;
    struct ct_str payload;
    bool done = false;
    enum ct_status status;

    ct_str_init(&payload);
    ct_request_put(&payload, &head);
    ct_plan_put(&payload, plan);
    if (type == CT_MSG_EVALUATE)
        ct_handover_put(&payload, &(struct ct_handover){0});
    runner->slow.report = runner->slow.reported ? NULL : options->slow;
    runner->slow.user = options->slow_user;
    runner->slow.after_ns = options->slow_after_ns;
    ct_runner_begin(runner, type, plan, &payload, &options->deadlines);
    for (;;) {
        status = ct_runner_step(runner, &done, outcome, err);
        if (done)
            return status;
        ct_worker_poll(&worker, 1, ct_runner_deadline(runner));
    }
}

enum ct_status ct_runner_evaluate(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err)
{
    return request(runner, CT_MSG_EVALUATE, plan, options, outcome, err);
}

enum ct_status ct_runner_baseline(struct ct_runner *runner, const struct ct_plan *plan,
                                  const struct ct_measure_options *options,
                                  struct ct_outcome *outcome, struct ct_err *err)
{
    enum ct_status status;

    /* Libraries with threads count processors once; and leftover threads of the user's code must
     * not disturb others. */
    if (runner->used)
        ct_runner_renew(runner);
    status = request(runner, CT_MSG_BASELINE, plan, options, outcome, err);
    if (runner->used)
        ct_runner_renew(runner);
    return status;
}
