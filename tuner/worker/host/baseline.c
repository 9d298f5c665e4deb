// SPDX-License-Identifier: Apache-2.0
// The baseline inside a worker: native code by wall clock, on one processor or on all.
//
// On one: every thread of the process is bound to it, so that code with threads of its own
// (OpenMP, OpenBLAS) really has one core.  The code is loaded by a bound thread, because such
// libraries count processors then. On all: code with threads of its own runs once; of other code
// a copy runs on each processor, and the time is theirs divided by their number.
#include "base/clock.h"
#include "worker/host/copies.h"
#include "worker/host/hostguard.h"
#include "worker/host/runnable.h"
#include "worker/timing/sample.h"
#include "worker/session.h"
#include "worker/reference/expected.h"

#include <string.h>

/* Copies disturb each other by chance only: number of comparisons. */
enum { COMPARISONS = 3 };

/* The baseline that is being evaluated. */
struct baseline {
    struct ct_session *session;
    const struct ct_plan *plan;
    const struct ct_request *request;
    struct ct_outcome *outcome;
    struct ct_dataset *data;
    struct ct_host_code *code;
    struct ct_bind *bind;
    struct ct_hostrun run;
    struct ct_copies *copies; /* NULL: one call at a time */
    uint64_t made_ns;         /* how long making the arrays of `run` took */
    uint64_t since_ns;        /* when the first call began */
    uint64_t first_ns;        /* how long it took */
    uint64_t checked_ns; /* how long the last call took whose outputs were compared */
};

/* Whether the time for it is over. */
static bool is_over(const struct baseline *b)
{
    return b->request->limit_ns && ct_clock_now_ns() - b->since_ns > b->request->limit_ns;
}

/* Whether a call is so long that the limit allows only a few. */
static bool is_long(const struct baseline *b)
{
    const uint64_t few = 4;

    return b->request->limit_ns && b->first_ns > b->request->limit_ns / few;
}

/* Wall time of that many calls, of each copy if there are copies. */
static uint64_t time_calls(struct baseline *b, uint64_t calls)
{
    struct ct_hostguard guard;
    uint64_t begin_ns;
    uint64_t spent_ns;

    ct_hostguard_begin(&guard);
    begin_ns = ct_clock_now_ns();
    if (b->copies) {
        spent_ns = ct_copies_run(b->copies, calls);
    } else {
        for (uint64_t i = 0; i < calls; i++)
            ct_host_call(b->code, b->run.args);
        spent_ns = ct_clock_now_ns() - begin_ns;
    }
    ct_hostguard_end(&guard);
    return spent_ns;
}

static enum ct_step check_baseline(struct baseline *b, const struct ct_hostrun *run,
                                   struct ct_err *err)
{
    size_t damaged = ct_hostrun_damaged(run);

    ct_session_phase(b->session, CT_PHASE_CHECK, CT_CULPRIT_BASELINE);
    if (damaged < run->count) {
        b->outcome->mismatch = (struct ct_mismatch){
            .buffer = (uint32_t)damaged, .wrong_count = 1, .guard = true};
        return ct_session_fail(b->session, b->outcome, CT_RESULT_WRONG,
                               "the baseline writes outside buffer %s",
                               b->plan->buffers[damaged].name);
    }
    for (size_t i = 0; i < run->count; i++) {
        struct ct_mismatch mismatch = {0};
        bool right;

        b->outcome->verified |= b->data->buffers[i].expected.bytes != NULL;
        if (ct_expected_right(b->session, b->data, b->plan, i, run->arrays[i], &right,
                              &mismatch, err))
            return CT_STEP_ERROR;
        if (!right)
            return ct_expected_wrong(b->session, b->plan, &mismatch, b->outcome);
    }
    return CT_STEP_DONE;
}

/* --- copies --- */

/* Whether the code keeps more than one processor busy, or would if it could. */
static bool has_threads(struct baseline *b)
{
    const uint64_t most_ns = 1000000000;
    const size_t looks = 30;
    struct ct_runnable *runnable = ct_runnable_begin();
    uint64_t spent_ns = 0;

    while (runnable && spent_ns < most_ns && ct_runnable_looks(runnable) < looks &&
           !(spent_ns && is_over(b))) {
        ct_session_alive(b->session, CT_CULPRIT_BASELINE);
        for (uint64_t before_ns = spent_ns; spent_ns - before_ns < most_ns / 100;)
            spent_ns += time_calls(b, 1) + 1;
    }
    return ct_runnable_end(runnable) > 1.5;
}

/* Buffers that the baseline only reads: copies may share them. */
static enum ct_status find_shared(const struct baseline *b, bool **shared,
                                  struct ct_err *err)
{
    *shared = ct_arena_array(&b->outcome->arena, b->run.count, sizeof(**shared));
    if (!*shared)
        return ct_err_nomem(err);
    for (size_t i = 0; i < b->run.count; i++)
        (*shared)[i] =
            b->data->buffers[i].initial &&
            !memcmp(b->run.arrays[i], b->data->buffers[i].initial, b->run.size_bytes[i]);
    return CT_OK;
}

/* Whether the limit leaves time for copies' arrays, which are made and freed as those of the first.  Of
 * small ones that says nothing: making those may have been interrupted. */
static bool copies_fit(const struct baseline *b, const bool *shared)
{
    const double small_bytes = 16 * 1024 * 1024;
    const double with_freeing = 1.5;
    double all_bytes = 0;
    double own_bytes = 0;
    double expected_ns;

    for (size_t i = 0; i < b->run.count; i++) {
        all_bytes += (double)b->run.size_bytes[i];
        own_bytes += shared[i] ? 0 : (double)b->run.size_bytes[i];
    }
    own_bytes *= ct_bind_count(b->bind) - 1;
    if (!b->request->limit_ns || own_bytes < small_bytes)
        return true;
    expected_ns = with_freeing * (double)b->made_ns * own_bytes / all_bytes;
    return expected_ns < (double)b->request->limit_ns / 2;
}

/* Adds to a failure that it occurred among copies. */
static enum ct_step failed_together(struct baseline *b)
{
    const char *message = b->outcome->message;

    return ct_session_fail(
        b->session, b->outcome, b->outcome->status,
        "%zu concurrent copies in threads of one process spoil each other's "
        "results, as code with static data does: %s",
        ct_copies_count(b->copies), message);
}

static enum ct_step start_copies(struct baseline *b, const bool *shared,
                                 struct ct_err *err)
{
    enum ct_step step = CT_STEP_DONE;

    if (!copies_fit(b, shared)) {
        ct_err_set(err, CT_E_NOT_FOUND, "copying its data for %u processors takes %s",
                   ct_bind_count(b->bind), CT_BASELINE_TOO_LONG);
        return CT_STEP_ERROR;
    }
    if (ct_copies_new(b->code, &b->run, shared, b->data, &b->plan->baseline, b->bind,
                      &b->copies, err))
        return CT_STEP_ERROR;
    b->outcome->copies = (uint32_t)ct_copies_count(b->copies);
    for (int round = 0; round < COMPARISONS && step == CT_STEP_DONE; round++) {
        /* Those that are new have what they begin with: gigabytes, of sixteen copies. */
        size_t used = round ? ct_copies_count(b->copies) : 1;

        if (round && is_over(b))
            break;
        for (size_t i = 0; i < used; i++)
            ct_hostrun_restore(ct_copies_at(b->copies, i), b->data);
        ct_session_phase(b->session, CT_PHASE_FIRST, CT_CULPRIT_BASELINE);
        b->checked_ns = time_calls(b, 1);
        for (size_t i = 0; i < ct_copies_count(b->copies) && step == CT_STEP_DONE; i++)
            step = check_baseline(b, ct_copies_at(b->copies, i), err);
    }
    return step == CT_STEP_FAILED ? failed_together(b) : step;
}

/* --- timing --- */

/* Samples are of rounds, each of a number of calls per copy: converts them to calls. */
static void divide_by_calls(struct ct_outcome *outcome, uint64_t calls)
{
    double share = 1.0 / (double)calls;

    for (size_t i = 0; i < outcome->samples.count; i++)
        outcome->samples.ns[i] *= share;
    outcome->time_ns *= share;
    outcome->low_ns *= share;
    outcome->high_ns *= share;
    outcome->samples.launches *= (uint32_t)calls;
}

/* Long calls need fewer samples: comparisons are shown in percent. */
static bool enough(const struct baseline *b, const struct ct_sampler *sampler,
                   uint64_t since_ns)
{
    const uint64_t long_ns = 3000000000;
    const size_t least = is_long(b) ? 2 : CT_SAMPLE_LEAST;

    return sampler->count >= least &&
           (ct_clock_now_ns() - since_ns > long_ns || is_over(b));
}

static enum ct_status take_sample(struct baseline *b, struct ct_sampler *sampler,
                                  uint32_t repeats, uint64_t batch, struct ct_err *err)
{
    struct ct_sample sample = {.repeats = repeats};

    ct_session_alive(b->session, CT_CULPRIT_BASELINE);
    sample.wall_ns = time_calls(b, repeats * batch);
    sample.event_ns = sample.wall_ns;
    return ct_sampler_add(sampler, &sample, err);
}

/* What one call takes, from which the samples' lengths follow. A call that was interrupted would
 * make them too short: the shortest of a few counts, unless calls take long anyway. */
static uint64_t warm_up(struct baseline *b)
{
    enum { MORE = 3 };
    uint64_t warm_ns;

    if (is_long(b))
        return b->checked_ns;
    warm_ns = time_calls(b, 1);
    for (int i = 0; i < MORE && warm_ns < 5 * (uint64_t)CT_SAMPLE_TARGET_NS; i++) {
        uint64_t next_ns = time_calls(b, 1);

        if (next_ns < warm_ns)
            warm_ns = next_ns;
    }
    return warm_ns;
}

static enum ct_step measure_baseline(struct baseline *b, struct ct_err *err)
{
    struct ct_sampler sampler;
    uint64_t since_ns = ct_clock_now_ns();
    enum ct_status status = CT_OK;
    uint64_t batch = 1;
    uint64_t warm_ns;
    uint32_t repeats;

    ct_session_phase(b->session, CT_PHASE_MEASURE, CT_CULPRIT_BASELINE);
    warm_ns = warm_up(b);
    /* Waking threads takes time: short calls must outweigh it. */
    if (b->copies && warm_ns < CT_SAMPLE_TARGET_NS / CT_SAMPLE_REPEATS_MAX)
        batch = CT_SAMPLE_TARGET_NS / CT_SAMPLE_REPEATS_MAX / (warm_ns + 1) + 1;
    ct_sampler_init(&sampler, b->request->race.samples, 0, warm_ns * batch);
    /* Where it took most of the time there is, the call that was checked is a sample too: two of
     * them show how much calls differ. */
    if (is_long(b) && batch == 1)
        status = ct_sampler_add(
            &sampler,
            &(struct ct_sample){.repeats = 1, .wall_ns = warm_ns, .event_ns = warm_ns},
            err);
    while (!status && !enough(b, &sampler, since_ns) &&
           (repeats = ct_sampler_next(&sampler)) > 0)
        status = take_sample(b, &sampler, repeats, batch, err);
    if (!status)
        status = ct_sampler_finish(&sampler, b->outcome, err);
    ct_sampler_release(&sampler);
    b->outcome->wall_clock = true;
    b->outcome->stopped_early = false;
    if (!status)
        divide_by_calls(b->outcome, batch * b->outcome->copies);
    return status ? CT_STEP_ERROR : CT_STEP_DONE;
}

/* --- interface --- */

static enum ct_step run_baseline(struct baseline *b, struct ct_err *err)
{
    bool all = b->request->copies != 1;
    uint64_t begun_ns = ct_clock_now_ns();
    enum ct_step step;

    if (ct_hostrun_init(&b->run, b->data, &b->plan->baseline, err))
        return CT_STEP_ERROR;
    b->made_ns = ct_clock_now_ns() - begun_ns;
    b->outcome->copies = 1;
    ct_session_phase(b->session, CT_PHASE_FIRST, CT_CULPRIT_BASELINE);
    b->since_ns = ct_clock_now_ns();
    b->first_ns = b->checked_ns = time_calls(b, 1);
    step = check_baseline(b, &b->run, err);
    if (step == CT_STEP_DONE && all && ct_bind_count(b->bind) > 1) {
        /* Whether later calls may run on what earlier ones left. */
        bool *shared;

        if (find_shared(b, &shared, err))
            return CT_STEP_ERROR;
        ct_session_phase(b->session, CT_PHASE_MEASURE, CT_CULPRIT_BASELINE);
        if (!has_threads(b))
            step = start_copies(b, shared, err);
    }
    return step == CT_STEP_DONE ? measure_baseline(b, err) : step;
}

/* Loads the code, then gets the data, which may need a reference with all processors. */
static enum ct_step prepare_and_run(struct baseline *b, struct ct_err *err)
{
    bool one = b->request->copies == 1;
    unsigned here = ct_bind_here(b->bind);
    enum ct_status status;
    enum ct_step step;

    ct_session_phase(b->session, CT_PHASE_BUILD, CT_CULPRIT_BASELINE);
    if (one)
        ct_bind_thread(b->bind, here);
    status =
        ct_host_load(b->session->host_codes, b->plan, CT_HOST_BASELINE, &b->code, err);
    if (one)
        ct_bind_undo(b->bind);
    if (status)
        return CT_STEP_ERROR;
    ct_session_phase(b->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    b->session->host_only = true;
    step =
        ct_dataset_get(b->session, b->plan, b->request->seed, &b->data, b->outcome, err);
    b->session->host_only = false;
    if (step != CT_STEP_DONE)
        return step;
    if (one)
        ct_bind_process(b->bind, here);
    step = run_baseline(b, err);
    ct_copies_free(b->copies);
    ct_hostrun_release(&b->run);
    if (one)
        ct_bind_undo(b->bind);
    return step;
}

enum ct_status ct_session_baseline(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   struct ct_outcome *outcome, struct ct_err *err)
{
    struct baseline b = {
        .session = session, .plan = plan, .request = request, .outcome = outcome};
    enum ct_step step;

    outcome->message = "";
    outcome->build_log = "";
    if (!plan->baseline.function)
        return ct_err_set(err, CT_E_NOT_FOUND, "there is no baseline");
    b.bind = ct_bind_new();
    if (!b.bind)
        return ct_err_nomem(err);
    ct_session_start(session, CT_PHASE_BUILD);
    step = prepare_and_run(&b, err);
    ct_host_free(b.code);
    ct_bind_free(b.bind);
    ct_session_book(session);
    memcpy(outcome->spent_ns, session->spent_ns, sizeof(outcome->spent_ns));
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
