// SPDX-License-Identifier: Apache-2.0
// One evaluation inside a worker: build, data, first launch, check, measure.
#include "worker/evaluate_impl.h"

#include "base/clock.h"
#include "worker/reference/inspect.h"
#include "worker/reference/recheck_outputs.h"
#include "worker/build/build.h"
#include "worker/command/command.h"
#include "worker/timing/endtoend.h"
#include "worker/timing/cold_rotation.h"
#include "worker/timing/sampling_policy.h"
#include "worker/reference/expected.h"
#include "worker/build/kept_programs.h"

#include <math.h>
#include <string.h>

enum ct_step ct_evaluation_failed(struct ct_evaluation *ev, struct ct_err *err)
{
    return ct_session_device_failed(ev->session, ev->outcome, CT_RESULT_INVALID, err);
}

/* --- runs on restored data --- */

/* Restores the data; the session is in CT_PHASE_DATA. */
static enum ct_step restore(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_status status = ct_dataset_restore(ev->pipeline.data, err);

    if (!status)
        status = ct_device_finish(ev->session->device, err);
    return status ? ct_evaluation_failed(ev, err) : CT_STEP_DONE;
}

/* The first launch, on restored data. */
static enum ct_step first_launch(struct ct_evaluation *ev, struct ct_err *err)
{
    ev->idle = ct_session_was_idle(ev->session);
    ct_session_phase(ev->session, CT_PHASE_FIRST, CT_CULPRIT_CONFIGURATION);
    ct_pipeline_touch(&ev->pipeline);
    return ct_pipeline_first(&ev->pipeline, &ev->first, err)
               ? ct_evaluation_failed(ev, err)
               : CT_STEP_DONE;
}

/* --- checking --- */

/* The largest error of all buffers counts. */
static enum ct_status note_error(struct ct_evaluation *ev, size_t buffer,
                                 const void *actual, struct ct_err *err)
{
    struct ct_verify_error error;
    enum ct_status status =
        ct_expected_error(ev->pipeline.data, ev->plan, buffer, actual, &error, err);

    if (!status) {
        ev->error.largest = fmax(ev->error.largest, error.largest);
        ev->error.rms = fmax(ev->error.rms, error.rms);
    }
    return status;
}

static void note_right(struct ct_evaluation *ev, size_t buffer)
{
    ev->outcome->verified = true;
    if (!ev->outcome->doubt)
        ev->outcome->doubt =
            ct_expected_doubt(ev->pipeline.data, ev->plan, buffer, ev->outcome);
}

static enum ct_step compare_outputs(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_dataset *data = ev->pipeline.data;

    ev->error = (struct ct_verify_error){0, 0};
    for (size_t i = 0; i < data->count; i++) {
        struct ct_mismatch mismatch = {0};
        const void *actual;
        bool right;

        if (!data->buffers[i].expected.bytes)
            continue;
        if (ct_expected_surely_right(ev->session, data, ev->plan, i,
                                     ev->request->again)) {
            note_right(ev, i);
            continue;
        }
        if (ct_dataset_read(data, ev->plan, i, &actual, err))
            return ct_evaluation_failed(ev, err);
        ev->outcome->verified = true;
        if (ct_expected_right(ev->session, data, ev->plan, i, actual, &right, &mismatch,
                              err))
            return CT_STEP_ERROR;
        if (!right)
            return ct_expected_wrong(ev->session, ev->plan, &mismatch, ev->outcome);
        if (ev->plan->error && note_error(ev, i, actual, err))
            return CT_STEP_ERROR;
        note_right(ev, i);
    }
    return CT_STEP_DONE;
}

static enum ct_step check_outputs(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_step step;

    ct_session_phase(ev->session, CT_PHASE_CHECK, CT_CULPRIT_CONFIGURATION);
    step = ct_dataset_guards(ev->session, ev->plan, ev->pipeline.data, ev->outcome, err);
    return step == CT_STEP_DONE ? compare_outputs(ev, err) : step;
}

/* First launch and check.  Buffers that kernels only read are not restored every time; a wrong
 * result counts only if they really held their contents. */
static enum ct_step run_checked(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_step step = restore(ev, err);
    bool intact = true;

    if (step == CT_STEP_DONE)
        step = first_launch(ev, err);
    if (step == CT_STEP_DONE)
        step = check_outputs(ev, err);
    if (step != CT_STEP_FAILED || ev->outcome->status != CT_RESULT_WRONG ||
        ev->outcome->mismatch.guard)
        return step;
    if (ct_dataset_intact(ev->pipeline.data, &intact, err))
        return ct_evaluation_failed(ev, err);
    if (intact)
        return step;
    ev->outcome->status = CT_RESULT_OK;
    ev->outcome->message = "";
    memset(&ev->outcome->mismatch, 0, sizeof(ev->outcome->mismatch));
    ct_session_phase(ev->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = restore(ev, err);
    if (step == CT_STEP_DONE)
        step = first_launch(ev, err);
    return step == CT_STEP_DONE ? check_outputs(ev, err) : step;
}

/* Shows what was compared, right or wrong; keeps how that ended. */
static enum ct_step inspect(struct ct_evaluation *ev, enum ct_step compared, bool timed,
                            struct ct_err *err)
{
    enum ct_step step = compared;

    if (compared == CT_STEP_DONE ||
        (compared == CT_STEP_FAILED && ev->outcome->status == CT_RESULT_WRONG))
        step = ct_inspect_outputs(&ev->pipeline, ev->request, timed, err);
    return step == CT_STEP_DONE ? compared : step;
}

/* --- measuring --- */

bool ct_evaluation_restores_each(const struct ct_evaluation *ev)
{
    for (size_t i = 0; i < ev->plan->buffer_count; i++)
        if (ev->plan->buffers[i].restore == CT_RESTORE_EACH && ev->pipeline.written[i])
            return true;
    return false;
}

/* Restores buffers for the next run, outside the time. */
static enum ct_status renew_buffers(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_pipeline *pipeline = &ev->pipeline;
    enum ct_status status = CT_OK;

    if (!pipeline->turning)
        status = ct_dataset_restore_each(pipeline->data, ev->plan, err);
    else if (ct_cold_rotation_stale(pipeline->data))
        status = ct_cold_rotation_restore(pipeline->data, ev->plan, true, err);
    if (!status)
        status = ct_device_finish(ev->session->device, err);
    ct_pipeline_touch(pipeline);
    return status;
}

enum ct_status ct_evaluation_sample(void *user, uint32_t repeats, struct ct_sample *taken,
                                    struct ct_err *err)
{
    const struct ct_evaluation_sampling *how = user;
    enum ct_status status = how->each ? renew_buffers(how->ev, err) : CT_OK;

    return status ? status
                  : ct_pipeline_take(&how->ev->pipeline, how->each ? 1 : repeats, taken,
                                     err);
}

/* Samples until the sampler has enough. */
static enum ct_status take_samples(struct ct_evaluation *ev,
                                   struct ct_evaluation_sampling *how,
                                   struct ct_sampler *sampler, struct ct_err *err)
{
    struct ct_outcome *outcome = ev->outcome;
    struct ct_sampling_policy policy = {
        .session = ev->session,
        .sampler = sampler,
        .patience_ns = ct_session_patience_ns(ev->request),
        .retake = ct_session_on_processor(ev->session),
        .take = ct_evaluation_sample,
        .user = how,
    };
    enum ct_status status = ct_sampling_policy_run(&policy, err);

    outcome->samples.retaken = policy.retaken;
    outcome->observed = policy.observed;
    return status ? status : ct_sampler_finish(sampler, outcome, err);
}

enum ct_status ct_evaluation_prepare(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_status status = ct_session_instruments(ev->session, err);

    return !status && ev->plan->cold ? ct_pipeline_cold(&ev->pipeline, err) : status;
}

/* One untimed run: estimates its length and reads the device's counters. */
static enum ct_status warm_up(struct ct_evaluation *ev,
                              struct ct_evaluation_sampling *how, struct ct_sample *warm,
                              struct ct_err *err)
{
    struct ct_pipeline *pipeline = &ev->pipeline;
    enum ct_status status;

    pipeline->counting = true;
    status = ct_evaluation_sample(how, 1, warm, err);
    pipeline->counting = false;
    /* The run counted, but only the first launch was requested. */
    if (!status && pipeline->counters.known && ev->plan->launch_count > 1) {
        status = how->each ? renew_buffers(ev, err) : CT_OK;
        if (!status)
            status = ct_pipeline_count(pipeline, err);
    }
    return status;
}

/* What is known besides what the watch saw. */
static void note_observed(struct ct_evaluation *ev)
{
    struct ct_outcome *outcome = ev->outcome;

    if (ev->plan->error && outcome->verified) {
        ct_quantities_set(&outcome->observed, CT_QUANTITY_ERROR, ev->error.largest);
        ct_quantities_set(&outcome->observed, CT_QUANTITY_ERROR_RMS, ev->error.rms);
    }
    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        if (ev->pipeline.counters.known >> i & 1)
            ct_quantities_set(&outcome->observed, (enum ct_quantity)i,
                              ev->pipeline.counters.value[i]);
}

static void begin_sampler(struct ct_evaluation *ev)
{
    const struct ct_race *race = &ev->request->race;
    /* The leader's time is in terms of the objective. */
    double leader_ns = ev->plan->end_to_end ? 0 : race->leader_ns;

    ct_sampler_init(&ev->sampler, race->samples, leader_ns, 0);
    ct_sampler_race(&ev->sampler, race->resolution, race->off);
    ct_sampler_agree(&ev->sampler, race->agreeing);
    ct_sampler_look_twice(&ev->sampler, race->second_look);
    ct_sampler_beat(&ev->sampler, race->beat_ns);
    ct_sampler_timer(&ev->sampler, ev->session->timer.event_ns);
    ct_sampler_allow_cold(&ev->sampler, &ev->session->cold);
}

/* Whether single launches can be compared with the leader's samples: a device that had nothing to
 * do runs slowly at first. */
static bool may_glance(const struct ct_evaluation *ev, bool on_processor)
{
    return !ev->plan->cold && !ev->plan->watched && (on_processor || !ev->idle);
}

/* A few runs show of many configurations that they are too slow, in less time than a sample. */
static enum ct_status probe(struct ct_evaluation *ev, struct ct_evaluation_sampling *how,
                            const struct ct_sample *warm, struct ct_err *err)
{
    uint32_t repeats = ct_sampler_probe(&ev->sampler, warm);
    struct ct_sample taken;
    enum ct_status status =
        repeats ? ct_evaluation_sample(how, repeats, &taken, err) : CT_OK;

    if (!status && repeats && ct_sampler_glance(&ev->sampler, &taken, CT_SAMPLER_PROBE))
        status = ct_sampler_accept(&ev->sampler, &taken, err);
    return status;
}

/* Whether a single launch is as long as samples of the plan are, so that it may be one.  Those on
 * processors are watched for other programs. */
static bool is_as_long(const struct ct_evaluation *ev, const struct ct_sample *launch)
{
    return !ev->plan->cold && !ct_session_on_processor(ev->session) &&
           !ct_plan_weighted(ev->plan) && launch->wall_ns >= CT_SAMPLE_TARGET_NS &&
           launch->event_ns >= CT_SAMPLE_TARGET_NS;
}

/* Whether launches before the samples may be all that are needed: those are not watched. */
static bool may_be_sample(const struct ct_evaluation *ev, const struct ct_sample *launch)
{
    return !ev->plan->watched && is_as_long(ev, launch);
}

/* What is known without a sample: whatever is hopelessly slow has had its only one. */
static enum ct_status look_first(struct ct_evaluation *ev,
                                 struct ct_evaluation_sampling *how,
                                 struct ct_sample *warm, struct ct_err *err)
{
    bool on_processor = ct_session_on_processor(ev->session);
    enum ct_sampler_launch launch = on_processor ? CT_SAMPLER_SHARED : CT_SAMPLER_WARM;
    bool may = may_glance(ev, on_processor);
    /* There, launches that count several times ran once. */
    bool comparable = !ct_plan_weighted(ev->plan);
    enum ct_status status;

    if (may && comparable && !on_processor &&
        ct_sampler_glance(&ev->sampler, &ev->first, CT_SAMPLER_FIRST))
        return ct_sampler_accept(&ev->sampler, &ev->first, err);
    /* It may turn out to be a sample. */
    status = may_be_sample(ev, &ev->first) ? ct_recheck_outputs_clear(&ev->pipeline, err)
                                           : CT_OK;
    if (!status)
        status = warm_up(ev, how, warm, err);
    if (!status && may &&
        (!comparable || ct_sampler_glance(&ev->sampler, &ev->first, launch)) &&
        ct_sampler_glance(&ev->sampler, warm, launch))
        return ct_sampler_accept(&ev->sampler, warm, err);
    if (!status && may && comparable && !on_processor && !how->each)
        status = probe(ev, how, warm, err);
    return status;
}

/* Whether the warm-up is a sample; counting launches may be slower. */
static bool is_sample(const struct ct_evaluation *ev, const struct ct_sample *warm)
{
    return !ev->idle && !ev->pipeline.counters.known && is_as_long(ev, warm);
}

/* Whether the first launch is one as well. */
static bool are_samples(const struct ct_evaluation *ev, const struct ct_sample *warm)
{
    return !ev->pipeline.counters.known && may_be_sample(ev, &ev->first) &&
           is_as_long(ev, warm) && ct_sampler_same(&ev->sampler, &ev->first, warm);
}

/* Adds the launches so far that are as good as samples. */
static enum ct_status add_launches(struct ct_evaluation *ev, const struct ct_sample *warm,
                                   struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (are_samples(ev, warm))
        status = ct_sampler_add(&ev->sampler, &ev->first, err);
    else if (!is_sample(ev, warm))
        return CT_OK;
    return status ? status : ct_sampler_add(&ev->sampler, warm, err);
}

/* Whether the first launch may be the one sample that comes before those that are interleaved with
 * other plans': it only tells how long those will be. */
static bool first_is_enough(const struct ct_evaluation *ev)
{
    const struct ct_request *request = ev->request;

    return request->step.slot && request->race.samples == 1 &&
           !ct_device_counts(ev->session->device) && may_be_sample(ev, &ev->first);
}

static enum ct_status measure_time(struct ct_evaluation *ev, struct ct_err *err)
{
    const struct ct_timer *timer = &ev->session->timer;
    struct ct_evaluation_sampling how = {ev, ct_evaluation_restores_each(ev)};
    struct ct_sample warm = {0};
    bool alone = first_is_enough(ev);
    enum ct_status status;

    begin_sampler(ev);
    if (alone)
        status = ct_sampler_add(&ev->sampler, &ev->first, err);
    else
        status = look_first(ev, &how, &warm, err);
    ev->glanced = !status && ev->sampler.count && !ct_sampler_next(&ev->sampler);
    if (!status && !ev->sampler.count) {
        status = add_launches(ev, &warm, err);
        ev->glanced = !status && ev->sampler.beyond;
    }
    if (ev->glanced) {
        status = ct_sampler_finish(&ev->sampler, ev->outcome, err);
    } else if (!status) {
        if (!ev->sampler.count)
            ev->sampler.best_ns = (double)warm.wall_ns;
        /* Else that was done before the warm-up. */
        if (alone || !may_be_sample(ev, &ev->first))
            status = ct_recheck_outputs_clear(&ev->pipeline, err);
        if (!status)
            status = take_samples(ev, &how, &ev->sampler, err);
    }
    if (!status && warm.repeats && may_glance(ev, ct_session_on_processor(ev->session)) &&
        !ct_plan_weighted(ev->plan))
        ct_sampler_note_cold(&ev->sampler, &ev->first, &ev->session->cold);
    note_observed(ev);
    ev->outcome->samples.timer_ns =
        ev->outcome->wall_clock ? timer->wall_ns : timer->event_ns;
    return status;
}

static enum ct_step time_plan(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_status status;

    ct_session_phase(ev->session, CT_PHASE_MEASURE, CT_CULPRIT_CONFIGURATION);
    status = ct_evaluation_prepare(ev, err);
    if (!status)
        status = measure_time(ev, err);
    if (!status && ev->plan->end_to_end)
        status = ct_endtoend_measure(&ev->pipeline, ev->request, err);
    return status ? ct_evaluation_failed(ev, err) : CT_STEP_DONE;
}

/* Times, and compares what the timed launches wrote. */
static enum ct_step measure_plan(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_step step = time_plan(ev, err);

    /* What was not timed has written nothing since the check. */
    if (step == CT_STEP_DONE && !ev->glanced)
        step = ct_recheck_outputs(&ev->pipeline, err);
    /* What the first launch wrote is shown already, unless this is what is wrong. */
    if (step == CT_STEP_FAILED)
        step = inspect(ev, step, true, err);
    ct_pipeline_warm(&ev->pipeline);
    return step;
}

/* --- interface --- */

/* A program from a builder; from source if there is none, or if the driver rejects it. */
static enum ct_status make_program(void *data, struct ct_pipeline *pipeline, size_t index,
                                   const struct ct_compile *compile, struct ct_str *log,
                                   struct ct_err *err)
{
    const struct ct_evaluation *ev = data;
    const struct ct_built_program *built =
        index < ev->handover->program_count ? &ev->handover->programs[index] : NULL;

    if (built && built->size_bytes &&
        !ct_program_load(ev->session->device, built->binary, built->size_bytes,
                         compile->options.data, &pipeline->programs[index], NULL, NULL)) {
        ct_str_puts(log, built->log);
        return CT_OK;
    }
    return ct_kept_program(ev->session, compile, &pipeline->programs[index], log, false,
                           &pipeline->outcome->programs_kept, err);
}

enum ct_step ct_evaluation_run(struct ct_evaluation *ev, struct ct_err *err)
{
    const struct ct_program_maker maker = {make_program, ev};
    enum ct_step step;

    if (ev->plan->command)
        return ct_command_evaluate(ev, err);
    /* Building first: what the compiler rejects needs no data, and a wrong argument list is
     * better reported against the kernel than by the reference's compiler.  If the device lacks
     * the images that kernels take, the clearest error comes before that. */
    ct_session_phase(ev->session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    step = ct_dataset_images(ev->session, ev->plan, ev->outcome, err);
    if (step == CT_STEP_DONE)
        step = ct_pipeline_build(&ev->pipeline, ev->session, ev->plan, &maker,
                                 ev->outcome, err);
    if (step == CT_STEP_DONE) {
        ct_session_phase(ev->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
        step = ct_dataset_get(ev->session, ev->plan, ev->request->seed,
                              &ev->pipeline.data, ev->outcome, err);
    }
    if (step == CT_STEP_DONE)
        step = inspect(ev, run_checked(ev, err), false, err);
    if (step == CT_STEP_DONE)
        step = measure_plan(ev, err);
    return step;
}

void ct_evaluation_begin(struct ct_session *session, struct ct_outcome *outcome)
{
    outcome->message = "";
    outcome->build_log = "";
    ct_session_start(session, CT_PHASE_BUILD);
}

void ct_evaluation_end(struct ct_session *session, struct ct_outcome *outcome)
{
    ct_session_book(session);
    memcpy(outcome->spent_ns, session->spent_ns, sizeof(outcome->spent_ns));
}

void ct_evaluation_release(struct ct_evaluation *ev)
{
    ct_command_free(ev->command);
    ev->command = NULL;
    ct_pipeline_release(&ev->pipeline);
    ct_sampler_release(&ev->sampler);
}

enum ct_status ct_session_evaluate(struct ct_session *session, const struct ct_plan *plan,
                                   const struct ct_request *request,
                                   const struct ct_handover *handover,
                                   struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_evaluation ev = {.session = session,
                               .plan = plan,
                               .request = request,
                               .handover = handover,
                               .outcome = outcome};
    enum ct_step step;

    ct_evaluation_begin(session, outcome);
    step = ct_evaluation_run(&ev, err);
    ct_evaluation_release(&ev);
    ct_evaluation_end(session, outcome);
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}

static enum ct_status keep_program(void *data, struct ct_pipeline *pipeline, size_t index,
                                   const struct ct_compile *compile, struct ct_str *log,
                                   struct ct_err *err)
{
    return ct_kept_program(data, compile, &pipeline->programs[index], log, true,
                           &pipeline->outcome->programs_kept, err);
}

/* Builds the plan's programs from source, for evaluations to come.  What fails will fail there again. */
static void load_programs(struct ct_session *session, const struct ct_plan *plan)
{
    const struct ct_program_maker maker = {keep_program, session};
    struct ct_pipeline pipeline = {0};
    struct ct_outcome outcome = {.message = "", .build_log = ""};
    struct ct_err err = CT_ERR_INIT;

    ct_session_phase(session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    ct_pipeline_build(&pipeline, session, plan, &maker, &outcome, &err);
    ct_pipeline_release(&pipeline);
    ct_outcome_release(&outcome);
}

/* Makes the plan's data, and all else that its evaluation needs besides its programs. */
static enum ct_step prepare_data(struct ct_session *session, const struct ct_plan *plan,
                                 uint64_t seed, struct ct_outcome *outcome,
                                 struct ct_err *err)
{
    struct ct_dataset *data = NULL;
    enum ct_step step;

    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = ct_dataset_images(session, plan, outcome, err);
    if (step == CT_STEP_DONE)
        step = ct_dataset_get(session, plan, seed, &data, outcome, err);
    /* The first transfer to the device may take as long as making the data. */
    if (step == CT_STEP_DONE &&
        (ct_dataset_restore(data, err) || ct_device_finish(session->device, err) ||
         ct_session_instruments(session, err)))
        step = ct_session_device_failed(session, outcome, CT_RESULT_INVALID, err);
    if (step == CT_STEP_DONE)
        ct_expected_prepare(session, data, plan);
    return step;
}

enum ct_status ct_session_prepare(struct ct_session *session, const struct ct_plan *plan,
                                  const struct ct_request *request,
                                  struct ct_outcome *outcome, struct ct_err *err)
{
    enum ct_step step = CT_STEP_DONE;

    ct_evaluation_begin(session, outcome);
    if (plan->command) {
        ct_evaluation_end(session, outcome);
        return CT_OK;
    }
    if (!request->load_only)
        step = prepare_data(session, plan, request->seed, outcome, err);
    if (step == CT_STEP_DONE && request->load)
        load_programs(session, plan);
    ct_evaluation_end(session, outcome);
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
