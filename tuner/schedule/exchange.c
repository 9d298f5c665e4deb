// SPDX-License-Identifier: Apache-2.0
// Requests, announcements of phases, replies.
#include "schedule/exchange.h"

#include "base/clock.h"
#include "base/outside.h"

#include <stdio.h>
#include <string.h>

static void enter_phase(struct ct_exchange *x, enum ct_phase phase,
                        enum ct_culprit culprit)
{
    uint64_t now_ns = ct_clock_now_ns();

    if (x->since_ns)
        x->spent_ns[x->phase] += now_ns - x->since_ns;
    x->since_ns = now_ns;
    x->forgiven_ns = 0;
    x->waited_ns = x->excused_ns;
    x->excused_ns = 0;
    x->busy = false;
    x->phase = phase;
    x->culprit = culprit;
    x->compile.mapped = 0;
    x->compile.at_ns = x->compile.looked_ns = now_ns;
    x->compile.rest_ns = 0;
    x->compile.over = false;
}

/* Reads a phase announcement; false if it is damaged. */
static bool note_phase(const struct ct_worker *worker, struct ct_exchange *x)
{
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    uint32_t phase;
    uint32_t culprit;
    uint64_t objects;
    const char *who;
    bool good;

    ct_wire_reader_init(&in, worker->frame.payload.data, worker->frame.payload.length);
    phase = ct_wire_get_u32(&in);
    culprit = ct_wire_get_u32(&in);
    who = ct_wire_get_text(&in, &arena);
    objects = ct_wire_get_u64(&in);
    good = !in.failed && phase < CT_PHASE_COUNT && culprit < CT_CULPRIT_COUNT;
    if (good) {
        enter_phase(x, (enum ct_phase)phase, (enum ct_culprit)culprit);
        if (x->compile.needed && x->phase == CT_PHASE_FIRST)
            x->compile.before = (size_t)objects;
        snprintf(x->who, sizeof(x->who), "%s", who ? who : "");
    }
    ct_arena_release(&arena);
    return good;
}

static bool note_kept(struct ct_worker *worker, struct ct_shared_cache *shared_cache)
{
    int fd = worker->frame.passed;

    if (!shared_cache)
        return fd >= 0;
    worker->frame.passed = -1;
    return ct_shared_cache_receive(shared_cache, &worker->frame.payload, fd);
}

enum {
    STOPS_MAX = 3,       /* how often a worker is continued within one request */
    CALM_NS = 100000000, /* between looks at a worker that has nothing to say */
};

static uint64_t within(uint64_t ns, uint64_t least_ns, uint64_t most_ns)
{
    return ns < least_ns ? least_ns : ns > most_ns ? most_ns : ns;
}

/* Of a request, in which waits for processors are not noted: short beside every deadline. */
static uint64_t unnoted_ns(const struct ct_deadlines *deadlines)
{
    uint64_t short_ns = UINT64_MAX;

    for (int i = 0; i < CT_PHASE_COUNT; i++)
        if (deadlines->ns[i] < short_ns)
            short_ns = deadlines->ns[i];
    return within(short_ns / 10, 100000000, 1000000000);
}

/* When the phase's time runs out. */
static uint64_t over_at(const struct ct_exchange *x, const struct ct_deadlines *deadlines)
{
    return x->since_ns + x->forgiven_ns + deadlines->ns[x->phase];
}

uint64_t ct_exchange_deadline(const struct ct_exchange *x,
                              const struct ct_deadlines *deadlines)
{
    uint64_t over_ns = over_at(x, deadlines);

    return x->look_ns && x->look_ns < over_ns ? x->look_ns : over_ns;
}

/* Notes that the worker is looked at now, and excuses the time in which this process did not
 * run. */
static void note_look(struct ct_exchange *x)
{
    const uint64_t late_ns = 500000000;
    uint64_t now_ns = ct_clock_now_ns();

    if (x->look_ns && now_ns > x->look_ns + late_ns)
        x->forgiven_ns += now_ns - x->seen_ns;
    x->seen_ns = now_ns;
}

/* Continues a worker that was stopped at some time since the phase began. */
static bool was_stopped(struct ct_exchange *x, struct ct_worker *worker)
{
    if (!ct_worker_go_on(worker))
        return false;
    x->forgiven_ns = x->seen_ns - x->since_ns;
    return true;
}

/* What the worker has mapped since the phase began.  The list of it grows with every program that a driver
 * keeps, to megabytes: reading it takes a twentieth of the time at most. */
static size_t mapped_since(struct ct_exchange *x, const struct ct_worker *worker)
{
    const uint64_t share = 20;
    uint64_t begun_ns = ct_clock_now_ns();
    size_t objects = ct_outside_objects_of(worker->pid);

    x->compile.looked_ns = ct_clock_now_ns();
    x->compile.rest_ns = share * (x->compile.looked_ns - begun_ns);
    return objects > x->compile.before ? objects - x->compile.before : 0;
}

/* Between looks at what is mapped: most launches are over before, and a deadline that begins so much later does
 * no harm. */
static uint64_t compile_pause_ns(const struct ct_exchange *x,
                                 const struct ct_deadlines *deadlines)
{
    uint64_t pause_ns = within(deadlines->ns[x->phase] / 8, 50000000, 1000000000);

    return pause_ns > x->compile.rest_ns ? pause_ns : x->compile.rest_ns;
}

/* Whether a phase may go on because the driver compiles, or has just done so. */
static bool is_compiling(struct ct_exchange *x, const struct ct_worker *worker,
                         const struct ct_deadlines *deadlines, bool late)
{
    const uint64_t step_ns = 1000000000;
    const uint64_t now_ns = ct_clock_now_ns();
    size_t mapped;

    if (!x->compile.needed || x->phase != CT_PHASE_FIRST ||
        (!late && now_ns - x->compile.looked_ns < compile_pause_ns(x, deadlines)))
        return false;
    mapped = mapped_since(x, worker);
    if (mapped > x->compile.mapped) {
        x->compile.mapped = mapped;
        x->compile.at_ns = now_ns;
        x->forgiven_ns = now_ns - x->since_ns;
        return true;
    }
    if (!late || mapped >= x->compile.needed)
        return false;
    x->compile.over = now_ns - x->compile.at_ns >= deadlines->ns[CT_PHASE_BUILD];
    if (!x->compile.over)
        x->forgiven_ns += step_ns;
    return !x->compile.over;
}

/* Notes what the worker has waited for processors so far.  Most requests end before: reading what
 * the system says of each thread costs as much as a tenth of storing a result. */
static void note_waits(struct ct_exchange *x, const struct ct_worker *worker)
{
    x->waits = ct_outside_waits_of(worker->pid);
    x->waits_at_ns = ct_clock_now_ns();
}

/* The worker had nothing to say.  False if it is given up: it is stopped again and again. */
static bool wait_on(struct ct_exchange *x, struct ct_worker *worker,
                    const struct ct_deadlines *deadlines)
{
    const uint64_t pause_ns = 1000000000;
    uint64_t over_ns;

    /* Each announcement wakes this process, a dozen for a configuration. */
    if (x->seen_ns < x->calm_ns) {
        if (x->look_ns && x->look_ns < x->calm_ns)
            x->look_ns = x->calm_ns;
        return true;
    }
    x->calm_ns = x->seen_ns + CALM_NS;
    was_stopped(x, worker);
    is_compiling(x, worker, deadlines, false);
    if (worker->stops > STOPS_MAX)
        return false;
    if (!x->waits_at_ns) {
        if (ct_clock_now_ns() - x->begun_ns < unnoted_ns(deadlines))
            return true;
        note_waits(x, worker);
    }
    over_ns = over_at(x, deadlines);
    x->look_ns = x->seen_ns + pause_ns < over_ns ? x->seen_ns + pause_ns : over_ns;
    return true;
}

/* A phase may wait for processors up to this many times its deadline. */
enum { EXCUSED_MOST = 30 };

/* Whether a late worker may continue.  A deadline limits what the worker could have done: time
 * spent waiting for a processor does not count, within limits.  Where the system does not report
 * that time, it is estimated from the machine's load, once per phase. */
static bool is_excused(struct ct_exchange *x, const struct ct_worker *worker,
                       const struct ct_deadlines *deadlines)
{
    const uint64_t least_ns = 1000000;
    const uint64_t limit_ns = deadlines->ns[x->phase];
    const uint64_t room_ns = EXCUSED_MOST * limit_ns - x->excused_ns;
    const uint64_t now_ns = ct_clock_now_ns();
    struct ct_outside_waits before = x->waits;
    uint64_t before_ns = x->waits_at_ns;
    uint64_t more_ns;

    note_waits(x, worker);
    if (!before_ns)
        more_ns = unnoted_ns(deadlines);
    else
        more_ns = ct_outside_lost_ns(&before, &x->waits, x->waits_at_ns - before_ns);
    if (!x->waits.ran_ns) {
        more_ns = x->busy ? 0 : ct_outside_busy_ns(limit_ns, worker->pid);
        x->busy = true;
    }
    if (more_ns > now_ns - x->since_ns)
        more_ns = now_ns - x->since_ns;
    if (more_ns > room_ns)
        more_ns = room_ns;
    if (more_ns < least_ns)
        return false;
    x->excused_ns += more_ns;
    x->forgiven_ns += more_ns;
    return true;
}

void ct_exchange_begin(struct ct_exchange *x, struct ct_worker *worker,
                       enum ct_message request, const struct ct_str *payload,
                       enum ct_phase phase, const struct ct_deadlines *deadlines)
{
    memset(x, 0, sizeof(*x));
    x->phase = phase;
    x->since_ns = ct_clock_now_ns();
    worker->stops = 0;
    x->end =
        ct_worker_send(worker, request, payload, -1, ct_exchange_deadline(x, deadlines));
    x->begun_ns = x->seen_ns = ct_clock_now_ns();
    x->calm_ns = x->begun_ns + CALM_NS;
    /* Waits since the worker's start are not this request's. */
    if (deadlines->ns[phase] > 2 * unnoted_ns(deadlines))
        x->look_ns = x->begun_ns + unnoted_ns(deadlines);
    else
        note_waits(x, worker);
}

bool ct_exchange_step(struct ct_exchange *x, struct ct_worker *worker,
                      const struct ct_deadlines *deadlines,
                      struct ct_shared_cache *shared_cache)
{
    bool quiet = ct_worker_was_quiet(worker);

    if (x->end == CT_WORKER_MESSAGE)
        note_look(x);
    while (x->end == CT_WORKER_MESSAGE) {
        bool good = true;

        x->end = quiet ? ct_worker_without_message(worker, over_at(x, deadlines))
                       : ct_worker_peek(worker, over_at(x, deadlines), &x->reply);
        if (x->end == CT_WORKER_LATE &&
            (was_stopped(x, worker) || is_compiling(x, worker, deadlines, true) ||
             is_excused(x, worker, deadlines)))
            x->end = CT_WORKER_QUIET;
        if (x->end == CT_WORKER_QUIET && wait_on(x, worker, deadlines)) {
            x->end = CT_WORKER_MESSAGE;
            return false;
        }
        if (x->end == CT_WORKER_QUIET) {
            x->stopped = true;
            x->end = CT_WORKER_DEAD;
            ct_worker_end(worker, false);
        }
        if (x->end != CT_WORKER_MESSAGE)
            break;
        if (x->reply == CT_MSG_PHASE)
            good = note_phase(worker, x);
        else if (x->reply == CT_MSG_KEEP)
            good = note_kept(worker, shared_cache);
        else
            break;
        if (!good) {
            x->end = CT_WORKER_DEAD;
            ct_worker_end(worker, false);
        }
        quiet = !ct_frame_may_continue(&worker->frame);
    }
    enter_phase(x, x->phase, x->culprit);
    if (x->end == CT_WORKER_LATE || x->end == CT_WORKER_STOP)
        ct_worker_end(worker, false);
    return true;
}

void ct_exchange_run(struct ct_exchange *x, struct ct_worker *worker,
                     enum ct_message request, const struct ct_str *payload,
                     enum ct_phase phase, const struct ct_deadlines *deadlines)
{
    ct_exchange_begin(x, worker, request, payload, phase, deadlines);
    while (!ct_exchange_step(x, worker, deadlines, NULL))
        ct_worker_poll(&worker, 1, ct_exchange_deadline(x, deadlines));
}

enum ct_status ct_exchange_error(const struct ct_worker *worker, struct ct_err *err)
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
