// SPDX-License-Identifier: Apache-2.0
// Evaluations as the main process asks for them: deadlines, deaths, second chances.
#include "base/clock.h"
#include "measure/cache.h"
#include "measure/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEATHS_MAX = 3 };

struct ct_runner {
    struct ct_str device; /* struct ct_devinfo, as CT_MSG_OPEN wants it */
    char device_name[128];
    struct ct_str env; /* of the running worker: put_env */
    struct ct_worker worker;
    bool running;
    bool used;       /* the running worker has evaluated something */
    bool killed;     /* a worker of the present request was killed from outside */
    bool told;       /* options->slow was called */
    unsigned deaths; /* in a row, with no configuration to blame */
    unsigned workers;
    uint64_t spent_ns[CT_PHASE_COUNT];
};

/* One request and what became of it. */
struct exchange {
    enum ct_phase phase; /* the last one announced */
    enum ct_culprit culprit;
    char who[1024]; /* the culprit is, where it has a name */
    uint64_t since_ns;
    uint64_t spent_ns[CT_PHASE_COUNT]; /* by our clock: for workers that die */
    enum ct_worker_event end;
    enum ct_message reply;
    const struct ct_measure_options *options; /* who is told of slow host code */
    bool *told; /* whether they were; NULL: nobody is told */
};

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void enter(struct exchange *x, enum ct_phase phase, enum ct_culprit culprit)
{
    uint64_t now_ns = ct_clock_now_ns();

    if (x->since_ns)
        x->spent_ns[x->phase] += now_ns - x->since_ns;
    x->since_ns = now_ns;
    x->phase = phase;
    x->culprit = culprit;
}

/* Reads an announcement of a phase; false when it is damaged. */
static bool note_phase(const struct ct_worker *worker, struct exchange *x)
{
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    uint32_t phase;
    uint32_t culprit;
    const char *who;
    bool good;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    phase = ct_wire_get_u32(&in);
    culprit = ct_wire_get_u32(&in);
    who = ct_wire_get_text(&in, &arena);
    good = !in.failed && phase < CT_PHASE_COUNT && culprit < CT_CULPRIT_COUNT;
    if (good) {
        enter(x, (enum ct_phase)phase, (enum ct_culprit)culprit);
        snprintf(x->who, sizeof(x->who), "%s", who ? who : "");
    }
    ct_arena_release(&arena);
    return good;
}

/* Waits for the next message until the phase's deadline, and tells once that host code
 * takes its time. */
static enum ct_worker_event next_message(struct ct_worker *worker,
                                         const struct ct_deadlines *deadlines,
                                         struct exchange *x)
{
    const struct ct_measure_options *options = x->options;
    uint64_t limit_ns = deadlines->ns[x->phase];

    if (options && options->slow && !*x->told && x->culprit == CT_CULPRIT_HOST &&
        options->slow_after_ns < limit_ns) {
        enum ct_worker_event event =
            ct_worker_wait(worker, x->since_ns + options->slow_after_ns, &x->reply);

        if (event != CT_WORKER_LATE)
            return event;
        *x->told = true;
        options->slow(x->who, seconds(limit_ns));
    }
    return ct_worker_wait(worker, x->since_ns + limit_ns, &x->reply);
}

/* Sends a request and waits for its reply, phase by phase.  Ends with a reply
 * (CT_WORKER_MESSAGE; not yet looked at), a death, a passed deadline or an interrupt; in
 * the last two cases the worker has been killed. */
static void exchange(struct ct_worker *worker, enum ct_message request,
                     const struct ct_str *payload, const struct ct_deadlines *deadlines,
                     struct exchange *x)
{
    x->end =
        ct_worker_send(worker, request, payload, x->since_ns + deadlines->ns[x->phase]);
    while (x->end == CT_WORKER_MESSAGE) {
        x->end = next_message(worker, deadlines, x);
        if (x->end != CT_WORKER_MESSAGE || x->reply != CT_MSG_PHASE)
            break;
        if (!note_phase(worker, x)) {
            x->end = CT_WORKER_DEAD;
            ct_worker_end(worker, false);
        }
    }
    enter(x, x->phase, x->culprit);
    if (x->end == CT_WORKER_LATE || x->end == CT_WORKER_STOP)
        ct_worker_end(worker, false);
}

/* The error that the worker replied with. */
static enum ct_status replied_error(const struct ct_worker *worker, struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    uint32_t code;
    const char *message;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    code = ct_wire_get_u32(&in);
    message = ct_wire_get_text(&in, &arena);
    if (in.failed || !code || code > CT_E_INTERNAL || !message)
        ct_err_set(err, CT_E_WORKER, "the worker sent a damaged message");
    else
        ct_err_set(err, (enum ct_status)code, "%s", message);
    ct_arena_release(&arena);
    return !in.failed && code && code <= CT_E_INTERNAL ? (enum ct_status)code
                                                       : CT_E_WORKER;
}

static enum ct_status was_interrupted(struct ct_err *err)
{
    return ct_err_set(err, CT_E_INTERRUPTED, "interrupted");
}

/* --- discovery --- */

static enum ct_status read_devices(const struct ct_worker *worker, struct ct_arena *arena,
                                   struct ct_devinfo **out, size_t *count,
                                   struct ct_err *err)
{
    struct ct_wire_reader in;
    size_t devices;
    struct ct_devinfo *list;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    devices = ct_wire_get_count(&in, 8);
    list = ct_arena_array(arena, devices ? devices : 1, sizeof(*list));
    if (!list)
        return ct_err_nomem(err);
    for (size_t i = 0; i < devices; i++)
        ct_devinfo_get(&in, arena, &list[i]);
    if (in.failed)
        return ct_err_set(err, CT_E_WORKER, "the worker sent a damaged list of devices");
    if (!devices)
        return ct_err_set(err, CT_E_NO_DEVICE,
                          "no OpenCL device: install a driver (pocl-opencl-icd for the "
                          "processor, or your vendor's) and see /etc/OpenCL/vendors");
    *out = list;
    *count = devices;
    return CT_OK;
}

enum ct_status ct_measure_devices(struct ct_arena *arena, struct ct_devinfo **out,
                                  size_t *count, struct ct_err *err)
{
    struct ct_deadlines deadlines = ct_deadlines_default(60);
    struct exchange x = {.phase = CT_PHASE_START, .since_ns = ct_clock_now_ns()};
    struct ct_worker worker;
    struct ct_str nothing;
    struct ct_str death;
    enum ct_status status;

    if (ct_worker_interrupted())
        return was_interrupted(err);
    status = ct_worker_start(&worker, NULL, 0, err);
    if (status)
        return status;
    ct_str_init(&nothing);
    ct_str_init(&death);
    exchange(&worker, CT_MSG_LIST, &nothing, &deadlines, &x);
    if (x.end == CT_WORKER_STOP) {
        status = was_interrupted(err);
    } else if (x.end == CT_WORKER_LATE) {
        status =
            ct_err_set(err, CT_E_DEVICE, "listing the OpenCL devices took over %.0f s",
                       seconds(deadlines.ns[CT_PHASE_START]));
    } else if (x.end == CT_WORKER_DEAD) {
        ct_worker_death(&worker, &death);
        status = ct_err_set(err, CT_E_DEVICE,
                            "an OpenCL driver failed: the process that "
                            "listed the devices %s",
                            death.data);
    } else if (x.reply == CT_MSG_DEVICES) {
        status = read_devices(&worker, arena, out, count, err);
    } else {
        status = replied_error(&worker, err);
    }
    ct_worker_end(&worker, true);
    ct_str_release(&death);
    return status;
}

/* --- runners --- */

enum ct_status ct_runner_new(const struct ct_devinfo *device, struct ct_runner **out,
                             struct ct_err *err)
{
    struct ct_runner *runner = calloc(1, sizeof(*runner));
    const char *name = ct_devinfo_text(device, CT_DEVICE_NAME);

    if (!runner)
        return ct_err_nomem(err);
    ct_str_init(&runner->device);
    ct_str_init(&runner->env);
    ct_devinfo_put(&runner->device, device);
    snprintf(runner->device_name, sizeof(runner->device_name), "%s", name);
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

void ct_runner_free(struct ct_runner *runner)
{
    if (!runner)
        return;
    stop(runner, true);
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

/* A worker died and no configuration is to blame.  CT_OK: try once more. */
static enum ct_status unexplained_death(struct ct_runner *runner,
                                        const struct exchange *x, struct ct_err *err)
{
    struct ct_str death;

    runner->deaths++;
    if (runner->deaths < DEATHS_MAX)
        return CT_OK;
    ct_str_init(&death);
    ct_worker_death(&runner->worker, &death);
    ct_err_set(err, CT_E_WORKER,
               "device %s: %d worker processes in a row died before any kernel ran; the "
               "last one, in phase %s, %s",
               runner->device_name, (int)DEATHS_MAX, ct_phase_name(x->phase), death.data);
    ct_str_release(&death);
    return CT_E_WORKER;
}

static void put_env(struct ct_str *out, const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->env_count; i++) {
        ct_wire_put_text(out, plan->env[i].name);
        ct_wire_put_text(out, plan->env[i].value);
    }
}

/* Drivers read their environment once: a worker that has another one cannot be used. */
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
    if (wanted.length != runner->env.length ||
        (wanted.length && memcmp(wanted.data, runner->env.data, wanted.length) != 0))
        stop(runner, true);
    ct_str_release(&runner->env);
    runner->env = wanted;
    return CT_OK;
}

/* Starts a worker with the plan's environment and has it open the device. */
static enum ct_status start(struct ct_runner *runner, const struct ct_plan *plan,
                            const struct ct_deadlines *deadlines, struct ct_err *err)
{
    enum ct_status matched = match_env(runner, plan, err);

    if (matched)
        return matched;
    while (!runner->running) {
        struct exchange x = {.phase = CT_PHASE_START, .since_ns = ct_clock_now_ns()};
        enum ct_status status =
            ct_worker_start(&runner->worker, plan->env, plan->env_count, err);

        if (status)
            return status;
        runner->workers++;
        exchange(&runner->worker, CT_MSG_OPEN, &runner->device, deadlines, &x);
        runner->spent_ns[CT_PHASE_START] += x.spent_ns[CT_PHASE_START];
        if (x.end == CT_WORKER_MESSAGE && x.reply == CT_MSG_OPENED) {
            runner->running = true;
            break;
        }
        if (x.end == CT_WORKER_MESSAGE) {
            status = replied_error(&runner->worker, err);
            ct_worker_end(&runner->worker, true);
        } else if (x.end == CT_WORKER_STOP) {
            status = was_interrupted(err);
        } else if (x.end == CT_WORKER_LATE) {
            status =
                ct_err_set(err, CT_E_DEVICE, "opening device %s took over %.0f s",
                           runner->device_name, seconds(deadlines->ns[CT_PHASE_START]));
        } else {
            status = unexplained_death(runner, &x, err);
        }
        if (status)
            return status;
    }
    return CT_OK;
}

static const char *keep(struct ct_outcome *outcome, const struct ct_str *text)
{
    const char *copy = ct_arena_copy(&outcome->arena, text->data, text->length);

    return copy ? copy : "";
}

static void empty_outcome(struct ct_outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    outcome->message = "";
    outcome->build_log = "";
}

/* The configuration outlived its deadline, or its worker did not outlive it. */
static void blame(struct ct_runner *runner, const struct exchange *x,
                  const struct ct_deadlines *deadlines, struct ct_outcome *outcome)
{
    struct ct_str text;

    ct_str_init(&text);
    empty_outcome(outcome);
    outcome->phase = x->phase;
    if (x->end == CT_WORKER_LATE) {
        outcome->status = CT_RESULT_TIMEOUT;
        outcome->deadline_ns = deadlines->ns[x->phase];
        ct_str_addf(&text, "not done after %g s (phase %s)",
                    seconds(outcome->deadline_ns), ct_phase_name(x->phase));
    } else {
        outcome->status = CT_RESULT_CRASHED;
        ct_str_addf(&text, "in phase %s the worker ", ct_phase_name(x->phase));
        ct_worker_death(&runner->worker, &text);
    }
    outcome->message = keep(outcome, &text);
    memcpy(outcome->spent_ns, x->spent_ns, sizeof(outcome->spent_ns));
    ct_str_release(&text);
}

/* References and fills are part of the space file: when one fails, no configuration can
 * be judged. */
static enum ct_status blame_host(struct ct_runner *runner, const struct exchange *x,
                                 const struct ct_deadlines *deadlines, struct ct_err *err)
{
    struct ct_str text;

    if (x->end == CT_WORKER_LATE)
        return ct_err_set(err, CT_E_SPEC,
                          "%s was not done after %g s; with a longer --timeout it has 30 "
                          "times as long as a launch",
                          x->who, seconds(deadlines->ns[x->phase]));
    ct_str_init(&text);
    ct_worker_death(&runner->worker, &text);
    ct_err_set(err, CT_E_SPEC, "%s crashed: the worker %s", x->who, text.data);
    ct_str_release(&text);
    return CT_E_SPEC;
}

static enum ct_status read_outcome(struct ct_runner *runner, struct ct_outcome *outcome,
                                   struct ct_err *err)
{
    struct ct_wire_reader in;

    empty_outcome(outcome);
    ct_wire_reader_init(&in, runner->worker.frame.payload.data,
                        runner->worker.frame.payload.length);
    ct_outcome_get(&in, outcome);
    if (in.failed) {
        ct_outcome_release(outcome);
        stop(runner, false);
        return ct_err_set(err, CT_E_WORKER, "the worker sent a damaged result");
    }
    return CT_OK;
}

/* What a request came to.  `*again` asks for another try with a fresh worker. */
static enum ct_status conclude(struct ct_runner *runner, const struct exchange *x,
                               const struct ct_deadlines *deadlines,
                               struct ct_outcome *outcome, bool *again,
                               struct ct_err *err)
{
    bool used = runner->used;

    if (x->end == CT_WORKER_MESSAGE) {
        runner->deaths = 0;
        runner->used = true;
        if (x->reply != CT_MSG_OUTCOME)
            return replied_error(&runner->worker, err);
        return read_outcome(runner, outcome, err);
    }
    runner->running = false;
    runner->used = false;
    if (x->end == CT_WORKER_STOP)
        return was_interrupted(err);
    /* Memory may be short for somebody else's sake: one more chance. */
    if (x->end == CT_WORKER_DEAD && x->culprit != CT_CULPRIT_NONE && !runner->killed &&
        ct_worker_killed(&runner->worker)) {
        runner->killed = true;
        *again = true;
        return CT_OK;
    }
    if (x->culprit == CT_CULPRIT_HOST)
        return blame_host(runner, x, deadlines, err);
    if (x->culprit == CT_CULPRIT_NONE) {
        if (x->end == CT_WORKER_LATE)
            return ct_err_set(err, CT_E_DEVICE, "preparing the data took over %g s",
                              seconds(deadlines->ns[x->phase]));
        *again = true;
        return unexplained_death(runner, x, err);
    }
    /* A kernel may have trampled on the memory of the worker that compiles the next: a
     * compiler is guilty only when it dies in a fresh one. */
    if (x->end == CT_WORKER_DEAD && x->phase == CT_PHASE_BUILD && used) {
        *again = true;
        return CT_OK;
    }
    runner->deaths = 0;
    blame(runner, x, deadlines, outcome);
    return CT_OK;
}

static enum ct_status request(struct ct_runner *runner, enum ct_message type,
                              const struct ct_plan *plan,
                              const struct ct_measure_options *options,
                              struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_request head = {
        .seed = options->seed,
        .samples = options->samples,
        .leader_ns = options->leader_ns,
        .measure_deadline_ns = options->deadlines.ns[CT_PHASE_MEASURE],
    };
    struct ct_str payload;
    enum ct_status status = CT_OK;
    uint64_t start_ns = runner->spent_ns[CT_PHASE_START];
    bool again = true;

    runner->killed = false;
    ct_str_init(&payload);
    ct_request_put(&payload, &head);
    ct_plan_put(&payload, plan);
    if (payload.failed)
        status = ct_err_nomem(err);
    while (!status && again) {
        struct exchange x = {
            .phase = CT_PHASE_DATA, .options = options, .told = &runner->told};

        again = false;
        status = ct_worker_interrupted() ? was_interrupted(err)
                                         : start(runner, plan, &options->deadlines, err);
        if (status)
            break;
        x.since_ns = ct_clock_now_ns();
        exchange(&runner->worker, type, &payload, &options->deadlines, &x);
        status = conclude(runner, &x, &options->deadlines, outcome, &again, err);
        for (int i = 0; i < CT_PHASE_COUNT; i++)
            runner->spent_ns[i] += x.spent_ns[i];
    }
    ct_str_release(&payload);
    if (status) {
        /* Interrupted between two requests: nothing may go on running.  What a reference
         * did to its worker before it failed, nobody knows. */
        if (status == CT_E_INTERRUPTED || status == CT_E_SPEC)
            stop(runner, status == CT_E_SPEC);
        return status;
    }
    /* Compilers without room to write fail in ways that say nothing of the kernel. */
    if (outcome->status == CT_RESULT_CRASHED ||
        outcome->status == CT_RESULT_BUILD_FAILED) {
        status = ct_cache_room(err);
        if (status) {
            ct_outcome_release(outcome);
            stop(runner, false);
            return status;
        }
    }
    outcome->spent_ns[CT_PHASE_START] = runner->spent_ns[CT_PHASE_START] - start_ns;
    /* A context may be lost, or the worker's memory damaged: a fresh process is cheap. */
    if (outcome->status == CT_RESULT_CRASHED || outcome->mismatch.guard)
        stop(runner, false);
    return CT_OK;
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
    return request(runner, CT_MSG_BASELINE, plan, options, outcome, err);
}
