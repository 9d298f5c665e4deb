// SPDX-License-Identifier: Apache-2.0
// Who does what next, and what came of it.
#include "schedule/crew_impl.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "protocol/memory.h"

#include <string.h>

/* --- who is busy --- */

static unsigned busy_builders(const struct ct_crew *crew)
{
    unsigned count = 0;

    for (unsigned i = 0; i < crew->builder_count; i++)
        count += crew->builders[i].busy;
    return count;
}

/* The first job at some stage, from the oldest that is not reported. */
static bool find_stage(const struct ct_crew *crew, enum ct_crew_stage stage,
                       size_t *index)
{
    for (size_t i = crew->first; i < crew->job_count; i++)
        if (crew->jobs[i] && crew->jobs[i]->stage == stage) {
            *index = i;
            return true;
        }
    return false;
}

bool ct_crew_idle(const struct ct_crew *crew)
{
    size_t index;

    return !crew->runner.busy && !busy_builders(crew) &&
           !find_stage(crew, CT_STAGE_BUILT, &index);
}

/* Books wall time up to now for those who have been busy since the last call. */
static void book(struct ct_crew *crew)
{
    uint64_t now_ns = ct_clock_now_ns();
    uint64_t passed_ns = now_ns - crew->booked_ns;

    if (busy_builders(crew))
        crew->stats.build_wall_ns += passed_ns;
    if (crew->runner.busy)
        crew->stats.run_wall_ns += passed_ns;
    crew->booked_ns = now_ns;
}

/* --- orders --- */

static struct ct_race race_of(const struct ct_crew *crew, const struct ct_job *job)
{
    struct ct_race race = crew->race;

    race.leader_ns = job && !job->full ? crew->leader_ns : 0;
    if (job && job->samples)
        race.samples = job->samples;
    return race;
}

static struct ct_request request_of(const struct ct_crew *crew, const struct ct_job *job)
{
    return (struct ct_request){
        .seed = crew->options.seed,
        .race = race_of(crew, job),
        .turn = job ? job->turn : (struct ct_turn){0},
        .measure_deadline_ns = crew->options.deadlines.ns[CT_PHASE_MEASURE],
    };
}

/* Launches that take twenty times the leader's time lose whatever they do; a sample lasts
 * as long as one launch, or about 10 ms. */
static struct ct_deadlines deadlines_of(const struct ct_crew *crew,
                                        const struct ct_job *job)
{
    const double times = 20;
    const double floor_ns = 1e9;
    struct ct_deadlines deadlines = crew->options.deadlines;
    double launch_ns = times * crew->leader_ns;

    if (job->full || !(crew->leader_ns > 0))
        return deadlines;
    if (launch_ns < floor_ns)
        launch_ns = floor_ns;
    if (launch_ns < (double)deadlines.ns[CT_PHASE_MEASURE])
        deadlines.ns[CT_PHASE_MEASURE] = (uint64_t)launch_ns;
    return deadlines;
}

/* Texts stand for programs in the keys of stored binaries. */
static enum ct_status add_texts(struct ct_crew *crew, const struct ct_plan *plan,
                                struct ct_arena *arena, struct ct_build_order *order,
                                struct ct_err *err)
{
    order->texts = ct_arena_array(arena, plan->program_count, sizeof(*order->texts));
    if (!order->texts)
        return ct_err_nomem(err);
    order->text_count = plan->program_count;
    for (size_t i = 0; i < plan->program_count; i++) {
        const struct ct_program_text *text;
        enum ct_status status =
            ct_program_text_get(crew->texts, &plan->programs[i], &text, err);

        if (status)
            return status;
        order->texts[i] = (struct ct_build_text){
            .hash = text->hash, .file_count = text->file_count, .files = text->files};
    }
    return CT_OK;
}

/* What a builder is to do with a plan.
 *
 * Where the driver compiles at the first launch (PoCL), asking for a binary compiles once
 * more, for unknown local sizes.  With PoCL 3.1 and the FIR kernel that takes 80 to 150
 * ms beside the 300 of a cold configuration, and pays: building from source takes 40 ms
 * even when everything is in the driver's own cache, because the source is preprocessed
 * to know; loading a binary takes 2.  The runner, its successors in the play-off, and
 * every search for another problem do that. */
static struct ct_build_order order_of(const struct ct_crew *crew, bool sample)
{
    bool late = crew->processor &&
                (crew->late_compiler || crew->calibration != CT_CALIBRATION_DONE);
    bool cache = !sample && !crew->options.no_cache;

    return (struct ct_build_order){
        .launch = !late    ? CT_BUILD_LAUNCH_NEVER
                  : sample ? CT_BUILD_LAUNCH_TWICE
                           : CT_BUILD_LAUNCH_ONCE,
        .data_limit_bytes = crew->memory_bytes / 4,
        .binaries = !late || sample || cache,
        .code = late && !crew->options.no_twins,
        .cache = cache,
    };
}

/* Sends a builder to work on a plan. */
static enum ct_status send_builder(struct ct_crew *crew, struct ct_crew_hand *hand,
                                   const struct ct_plan *plan, const struct ct_job *job,
                                   bool sample, struct ct_err *err)
{
    struct ct_request request = request_of(crew, job);
    struct ct_build_order order = order_of(crew, sample);
    struct ct_arena arena = {0};
    struct ct_str payload;
    enum ct_status status = CT_OK;

    if (job && job->fresh)
        order.cache = false;
    if (order.cache)
        status = add_texts(crew, plan, &arena, &order, err);
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, plan);
    ct_build_order_put(&payload, &order);
    ct_arena_release(&arena);
    if (status) {
        ct_str_release(&payload);
        return status;
    }
    ct_runner_begin(hand->runner, CT_MSG_BUILD, plan, &payload, &crew->options.deadlines);
    hand->started = hand->busy = true;
    hand->warming = false;
    return CT_OK;
}

/* A plan of the crew's own, for as long as its builder needs it. */
static enum ct_status send_sample(struct ct_crew *crew, struct ct_crew_hand *hand,
                                  size_t index, struct ct_err *err)
{
    struct ct_plan *plan = ct_arena_alloc(&crew->arena, sizeof(*plan));
    enum ct_status status =
        plan ? ct_crew_sample_plan(crew, index, &crew->arena, plan, err)
             : ct_err_nomem(err);

    if (status)
        return status;
    hand->calibrating = true;
    hand->at = index;
    return send_builder(crew, hand, plan, NULL, true, err);
}

static enum ct_status send_runner(struct ct_crew *crew, size_t index, struct ct_err *err)
{
    struct ct_crew_job *job = crew->jobs[index];
    struct ct_request request = request_of(crew, &job->job);
    struct ct_deadlines deadlines = deadlines_of(crew, &job->job);
    struct ct_str payload;

    (void)err;
    request.measure_deadline_ns = deadlines.ns[CT_PHASE_MEASURE];
    ct_str_init(&payload);
    ct_request_put(&payload, &request);
    ct_plan_put(&payload, job->job.plan);
    if (job->handover.length)
        ct_str_add(&payload, job->handover.data, job->handover.length);
    else
        ct_handover_put(&payload, &(struct ct_handover){0});
    ct_str_release(&job->handover);
    ct_runner_begin(crew->runner.runner, CT_MSG_EVALUATE, job->job.plan, &payload,
                    &deadlines);
    job->stage = CT_STAGE_RUNNING;
    crew->runner.busy = true;
    crew->runner.at = index;
    return CT_OK;
}

/* --- feeding --- */

/* Whether a job that wants to be alone is in hand, or `index` is one that cannot start
 * yet. */
static bool must_wait(const struct ct_crew *crew, size_t index)
{
    bool others = false;

    for (size_t i = crew->first; i < crew->job_count; i++) {
        const struct ct_crew_job *job = crew->jobs[i];
        bool in_hand = job && job->stage > CT_STAGE_WAITING && job->stage < CT_STAGE_DONE;

        if (in_hand && job->job.alone)
            return true;
        others = others || in_hand;
    }
    return crew->jobs[index]->job.alone && (others || !ct_crew_idle(crew));
}

/* The builders' turn on a processor ends in good time, so that results come in: what is
 * built by then is a batch. */
static bool turn_is_over(const struct ct_crew *crew)
{
    const uint64_t turn_ns = 10000000000;
    size_t index;

    return crew->processor && ct_clock_now_ns() - crew->turn_ns > turn_ns &&
           find_stage(crew, CT_STAGE_BUILT, &index);
}

/* Has a builder that has nothing to do yet open the device while others build: contexts
 * take their time, half a second each on some. */
static void warm_up(struct ct_crew *crew, struct ct_crew_hand *hand)
{
    struct ct_str nothing;

    if (hand->started || !crew->has_sample)
        return;
    ct_str_init(&nothing);
    ct_runner_begin(hand->runner, CT_MSG_OPEN, &crew->sample, &nothing,
                    &crew->options.deadlines);
    hand->started = hand->warming = hand->busy = true;
}

/* Whether one more builder saves more time than its start takes: opening a GPU takes half
 * a second, and seconds where many do it at once.  How long builds take is known after
 * the first ones. */
static bool worth_starting(const struct ct_crew *crew)
{
    const double start_ns = 2e9;
    uint64_t expected = crew->options.expected;
    double left = expected ? (double)expected - (double)crew->finished : 1e9;
    unsigned started = 0;

    for (unsigned i = 0; i < crew->builder_count; i++)
        started += crew->builders[i].started;
    if (started < CT_CREW_FEW)
        return !started || left > started;
    return crew->built_count &&
           (double)crew->built_ns / (double)crew->built_count * left / started > start_ns;
}

static enum ct_status feed_builder(struct ct_crew *crew, struct ct_crew_hand *hand,
                                   struct ct_err *err)
{
    size_t index;

    if (turn_is_over(crew) || (!hand->started && !worth_starting(crew)))
        return CT_OK;
    if (find_stage(crew, CT_STAGE_WAITING, &index) && !crew->jobs[index]->job.alone) {
        size_t sample;

        if (ct_crew_next_sample(crew, &sample))
            return send_sample(crew, hand, sample, err);
    }
    while (find_stage(crew, CT_STAGE_WAITING, &index)) {
        struct ct_crew_job *job = crew->jobs[index];

        if (must_wait(crew, index))
            return CT_OK;
        if (ct_crew_macro_twin(crew, index))
            continue;
        job->stage = CT_STAGE_BUILDING;
        hand->calibrating = false;
        hand->at = index;
        return send_builder(crew, hand, job->job.plan, &job->job, false, err);
    }
    if (!find_stage(crew, CT_STAGE_BUILT, &index))
        warm_up(crew, hand);
    return CT_OK;
}

/* Gives everybody work who may have some now. */
static enum ct_status feed(struct ct_crew *crew, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t index;

    if (crew->processor && !crew->running && !busy_builders(crew)) {
        crew->turn_ns = crew->turn_ns ? crew->turn_ns : ct_clock_now_ns();
    }
    if (!crew->processor || !crew->running) {
        for (unsigned i = 0; !status && i < crew->builder_count; i++)
            if (!crew->builders[i].busy)
                status = feed_builder(crew, &crew->builders[i], err);
        /* Nobody found anything to build: what is built can be run now. */
        if (crew->processor && !busy_builders(crew))
            crew->running = true;
    }
    if (!status && (!crew->processor || crew->running) && !crew->runner.busy &&
        find_stage(crew, CT_STAGE_BUILT, &index))
        status = send_runner(crew, index, err);
    if (crew->processor && crew->running && !crew->runner.busy) {
        crew->running = false;
        crew->turn_ns = 0;
    }
    return status;
}

/* --- collecting --- */

void ct_crew_done(struct ct_crew *crew, size_t index, struct ct_outcome *outcome)
{
    struct ct_crew_job *job = crew->jobs[index];

    job->outcome = *outcome;
    for (int i = 0; i < CT_PHASE_COUNT; i++)
        job->outcome.spent_ns[i] += job->built_ns[i];
    job->stage = CT_STAGE_DONE;
    crew->finished++;
    /* For what may turn out to be the same; without memory nothing will be. */
    if (!crew->options.no_twins && !job->job.again)
        ct_crew_pack(&job->outcome, &crew->past[index]);
    /* There is room: ct_crew_submit has made it. */
    crew->done[crew->done_count++] = index;
}

/* A builder whose launch was too slow shared the processor with others: the runner,
 * alone, will find out whether it is. */
static bool had_company(const struct ct_crew *crew, const struct ct_outcome *outcome)
{
    return crew->processor && crew->builder_count > 1 &&
           outcome->status == CT_RESULT_TIMEOUT && outcome->phase == CT_PHASE_FIRST;
}

static void job_built(struct ct_crew *crew, size_t index, struct ct_outcome *outcome,
                      const struct ct_built *built)
{
    struct ct_crew_job *job = crew->jobs[index];

    memcpy(job->built_ns, outcome->spent_ns, sizeof(job->built_ns));
    crew->built_ns +=
        outcome->spent_ns[CT_PHASE_BUILD] + outcome->spent_ns[CT_PHASE_FIRST];
    crew->built_count++;
    if (outcome->status != CT_RESULT_OK && !had_company(crew, outcome)) {
        memset(outcome->spent_ns, 0, sizeof(outcome->spent_ns));
        ct_crew_done(crew, index, outcome);
        return;
    }
    job->stage = CT_STAGE_BUILT;
    if (outcome->status == CT_RESULT_OK) {
        struct ct_handover handover = {built->program_count, built->programs};

        job->from_cache = built->from_cache;
        crew->stats.from_cache += built->from_cache && !job->job.again;
        crew->stats.built += !built->from_cache;
        ct_handover_put(&job->handover, &handover);
        if (job->handover.failed)
            ct_str_release(&job->handover);
        ct_crew_keep(crew, job);
        ct_crew_binary_twin(crew, index, built, outcome);
    }
    ct_outcome_release(outcome);
}

/* A builder's request is over. */
static enum ct_status collect_built(struct ct_crew *crew, struct ct_crew_hand *hand,
                                    struct ct_outcome *outcome, struct ct_err *err)
{
    const struct ct_str *extra = &hand->runner->extra;
    struct ct_arena arena = {0};
    struct ct_built built = {0};
    struct ct_wire_reader in;

    ct_wire_reader_init(&in, extra->data, extra->length);
    if (outcome->status == CT_RESULT_OK)
        ct_built_get(&in, &arena, &built);
    if (in.failed) {
        ct_outcome_release(outcome);
        ct_arena_release(&arena);
        return ct_err_set(err, CT_E_WORKER, "a builder sent a damaged message");
    }
    if (hand->calibrating) {
        ct_crew_sampled(crew, hand->at, outcome->status == CT_RESULT_OK ? &built : NULL);
        ct_outcome_release(outcome);
    } else {
        job_built(crew, hand->at, outcome, &built);
    }
    ct_arena_release(&arena);
    return CT_OK;
}

/* Within a batch the caller cannot say what the best is; it has said that it counts.
 * What is measured again is no candidate. */
static void note_leader(struct ct_crew *crew, const struct ct_job *job,
                        const struct ct_outcome *outcome)
{
    double ns = job->plan->end_to_end ? outcome->end_to_end_ns : outcome->time_ns;

    if (outcome->status == CT_RESULT_OK && crew->leader_ns > 0 && ns > 0 &&
        ns < crew->leader_ns && !job->again)
        crew->leader_ns = ns;
}

static void note_race(struct ct_crew *crew, const struct ct_outcome *outcome)
{
    crew->stats.samples_saved += outcome->samples_saved;
    crew->stats.saved_ns += outcome->saved_ns;
    crew->stats.samples_added += outcome->samples_added;
    crew->stats.added_ns += outcome->added_ns;
    crew->stats.samples_retaken += outcome->samples_retaken;
}

/* Whether a mistake in the space file is that of one configuration, whose macros or sizes
 * its reference does not get along with, or of a sample, whose job will tell; then it has
 * its outcome. */
static bool own_mistake(const struct ct_crew *crew, const struct ct_crew_hand *hand,
                        const struct ct_err *why, struct ct_outcome *outcome)
{
    const char *message;

    if (why->code != CT_E_SPEC || hand->warming ||
        (!hand->calibrating && !crew->jobs[hand->at]->job.trusted))
        return false;
    memset(outcome, 0, sizeof(*outcome));
    message = ct_arena_copy(&outcome->arena, why->message, strlen(why->message));
    outcome->status = CT_RESULT_INVALID;
    outcome->phase = hand->runner->x.phase;
    outcome->message = message ? message : "";
    outcome->build_log = "";
    memcpy(outcome->spent_ns, hand->runner->x.spent_ns, sizeof(outcome->spent_ns));
    return true;
}

static enum ct_status step(struct ct_crew *crew, struct ct_crew_hand *hand,
                           struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    struct ct_outcome outcome;
    bool done = false;
    enum ct_status status;

    if (!hand->busy)
        return CT_OK;
    /* Whoever is first tells, and the others no more. */
    hand->runner->slow = crew->told ? NULL : crew->options.slow;
    hand->runner->slow_after_ns = crew->options.slow_after_ns;
    status = ct_runner_step(hand->runner, &done, &outcome, &why);
    crew->told = crew->told || hand->runner->told;
    if (!done)
        return status;
    book(crew);
    hand->busy = false;
    if (status && own_mistake(crew, hand, &why, &outcome))
        status = CT_OK;
    if (status) {
        *err = why;
        return status;
    }
    if (hand->warming) {
        hand->warming = false;
        ct_outcome_release(&outcome);
        return CT_OK;
    }
    if (hand != &crew->runner)
        return collect_built(crew, hand, &outcome, err);
    note_race(crew, &outcome);
    crew->stats.measured += outcome.sample_count > 0 && !crew->jobs[hand->at]->job.again;
    note_leader(crew, &crew->jobs[hand->at]->job, &outcome);
    ct_crew_done(crew, hand->at, &outcome);
    return CT_OK;
}

enum ct_status ct_crew_feed(struct ct_crew *crew, struct ct_err *err)
{
    crew->booked_ns = ct_clock_now_ns();
    return feed(crew, err);
}

/* --- waiting --- */

enum { LOOK_NS = 100000000 };

/* Builders that take too much memory. */
static void look_at_memory(struct ct_crew *crew)
{
    uint64_t now_ns = ct_clock_now_ns();

    if (now_ns - crew->looked_ns < LOOK_NS)
        return;
    crew->looked_ns = now_ns;
    for (unsigned i = 0; i < crew->builder_count; i++) {
        struct ct_runner *runner = crew->builders[i].runner;

        if (crew->builders[i].busy && ct_runner_compiles(runner) &&
            ct_memory_of(runner->worker.pid) > crew->memory_bytes)
            ct_runner_too_large(runner, crew->memory_bytes);
    }
}

static void wait_for_all(struct ct_crew *crew)
{
    struct ct_worker *workers[CT_CREW_JOBS_MAX + 1];
    uint64_t until_ns = UINT64_MAX;
    size_t count = 0;

    for (unsigned i = 0; i <= crew->builder_count; i++) {
        struct ct_crew_hand *hand =
            i < crew->builder_count ? &crew->builders[i] : &crew->runner;
        uint64_t deadline_ns;

        if (!hand->busy)
            continue;
        workers[count++] = &hand->runner->worker;
        deadline_ns = ct_runner_deadline(hand->runner);
        if (deadline_ns < until_ns)
            until_ns = deadline_ns;
    }
    if (busy_builders(crew)) {
        uint64_t look_ns = crew->looked_ns + LOOK_NS;

        until_ns = look_ns < until_ns ? look_ns : until_ns;
    }
    if (count)
        ct_worker_poll(workers, count, until_ns);
}

enum ct_status ct_crew_work(struct ct_crew *crew, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    ct_crew_settle(crew);
    crew->booked_ns = ct_clock_now_ns();
    status = feed(crew, err);
    for (unsigned i = 0; !status && i < crew->builder_count; i++)
        status = step(crew, &crew->builders[i], err);
    if (!status)
        status = step(crew, &crew->runner, err);
    if (status)
        return status;
    ct_crew_settle(crew);
    if (!crew->processor || busy_builders(crew) || crew->runner.busy) {
        book(crew);
        wait_for_all(crew);
        book(crew);
        look_at_memory(crew);
    }
    return CT_OK;
}
