// SPDX-License-Identifier: Apache-2.0
// Builds ahead, in a builder.
#include "worker/build/build.h"

#include "base/clock.h"
#include "worker/build/binaries.h"
#include "worker/data/data.h"
#include "protocol/mapped.h"
#include "worker/build/pipeline.h"
#include "worker/build/kept_programs.h"
#include "plan/small_launch.h"

#include <stdlib.h>
#include <string.h>

struct build {
    struct ct_session *session;
    const struct ct_plan *plan;
    const struct ct_request *request;
    const struct ct_build_order *order;
    struct ct_arena *arena;
    struct ct_outcome *outcome;
    struct ct_built *built;
    struct ct_pipeline pipeline;
};

/* --- programs --- */

/* Whether what the order's key is of is still what will be compiled. */
static bool is_unchanged(const struct build *b, size_t index)
{
    const struct ct_build_text *text = &b->order->texts[index];

    return ct_program_files_unchanged(text->files, text->file_count);
}

/* The key of a program's stored binary; empty if nothing is to be stored. */
static struct ct_hash key_of(const struct build *b, size_t index, const char *options)
{
    struct ct_hash none = {""};

    if (!b->order->cache || index >= b->order->text_count)
        return none;
    return ct_binaries_key(&b->order->texts[index].hash, options,
                           ct_device_info(b->session->device), b->plan->env,
                           b->plan->env_count);
}

static enum ct_status keep_binary(struct build *b, size_t index,
                                  const struct ct_str *binary, const char *log,
                                  struct ct_err *err)
{
    struct ct_built_program *program = &b->built->programs[index];

    program->binary = ct_arena_copy(b->arena, binary->data, binary->length);
    program->size_bytes = binary->length;
    program->log = ct_arena_copy(b->arena, log, strlen(log));
    return program->binary && program->log ? CT_OK : ct_err_nomem(err);
}

/* Loads from the store; CT_E_NOT_FOUND if it is missing, or the driver rejects it. */
static enum ct_status load_stored(struct build *b, size_t index, const char *options,
                                  const struct ct_hash *key, struct ct_str *log,
                                  struct ct_err *err)
{
    struct ct_str binary;
    struct ct_str stored;
    enum ct_status status = CT_E_NOT_FOUND;

    ct_str_init(&binary);
    ct_str_init(&stored);
    if (ct_binaries_get(key, &binary, &stored) &&
        !ct_program_load(b->session->device, binary.data, binary.length, options,
                         &b->pipeline.programs[index], NULL, NULL)) {
        ct_str_add(log, stored.data, stored.length);
        status = keep_binary(b, index, &binary, stored.data, err);
    }
    ct_str_release(&stored);
    ct_str_release(&binary);
    return status;
}

/* A failure is none of the configuration: it is noted for who compiles to store. */
static void store_binary(struct build *b, const struct ct_hash *key,
                         const struct ct_str *binary, const char *log)
{
    struct ct_err why = CT_ERR_INIT;

    if (ct_binaries_put(key, binary, log, &why))
        b->built->unstored = ct_arena_copy(b->arena, why.message, strlen(why.message));
}

static enum ct_status take_binary(struct build *b, size_t index,
                                  const struct ct_hash *key, const char *log,
                                  struct ct_err *err)
{
    uint64_t start_ns = ct_clock_now_ns();
    enum ct_status status = CT_OK;
    struct ct_str binary;

    ct_str_init(&binary);
    /* If the driver gives no binary, the runner compiles once more. */
    if (!ct_program_binary(b->pipeline.programs[index], &binary, NULL) &&
        !binary.failed) {
        b->built->binary_ns += ct_clock_now_ns() - start_ns;
        if (*key->text && is_unchanged(b, index))
            store_binary(b, key, &binary, log);
        status = keep_binary(b, index, &binary, log, err);
    }
    ct_str_release(&binary);
    return status;
}

static enum ct_status make_program(void *data, struct ct_pipeline *pipeline, size_t index,
                                   const struct ct_compile *compile, struct ct_str *log,
                                   struct ct_err *err)
{
    struct build *b = data;
    struct ct_hash key = key_of(b, index, compile->options.data);
    size_t start = log->length;
    enum ct_status status = CT_E_NOT_FOUND;

    if (*key.text && is_unchanged(b, index))
        status = load_stored(b, index, compile->options.data, &key, log, err);
    if (status != CT_E_NOT_FOUND)
        return status;
    b->built->from_cache = false;
    /* Who hands over binaries stores them for others, too. */
    status = b->order->binaries
                 ? ct_program_build(b->session->device, compile->source.data,
                                    compile->options.data, &pipeline->programs[index],
                                    log, err)
                 : ct_kept_program(b->session, compile, &pipeline->programs[index], log,
                                   false, &pipeline->outcome->programs_kept, err);
    /* Those of samples are taken after their launches. */
    if (status || !b->order->binaries || b->order->launch == CT_BUILD_LAUNCH_TWICE)
        return status;
    return take_binary(b, index, &key, log->data + start, err);
}

/* --- the first launch --- */

static bool data_is_small(const struct build *b)
{
    uint64_t sum_bytes = 0;

    for (size_t i = 0; i < b->plan->buffer_count; i++) {
        size_t size_bytes;

        if (!ct_layout_size(&b->plan->buffers[i], &size_bytes) ||
            size_bytes > b->order->data_limit_bytes - sum_bytes)
            return false;
        sum_bytes += size_bytes;
    }
    return true;
}

static enum ct_status launch_once(struct build *b, uint64_t *wall_ns, struct ct_err *err)
{
    struct ct_sample sample = {0};
    enum ct_status status = ct_dataset_restore(b->pipeline.data, err);

    if (!status)
        status = ct_device_finish(b->session->device, err);
    ct_pipeline_touch(&b->pipeline);
    if (!status)
        status = ct_pipeline_take(&b->pipeline, 1, &sample, err);
    *wall_ns = sample.wall_ns;
    return status;
}

static enum ct_step launch(struct build *b, uint64_t *wall_ns, struct ct_err *err)
{
    return launch_once(b, wall_ns, err)
               ? ct_session_device_failed(b->session, b->outcome, CT_RESULT_INVALID, err)
               : CT_STEP_DONE;
}

/* Has the driver compile, in a launch of a few work-groups.  What these do is not what the kernel is made
 * for, and tells nothing of it. */
static bool launch_small(struct build *b)
{
    struct ct_plan small;
    enum ct_status status;

    if (!b->order->small || !ct_small_launch(b->plan, b->arena, &small))
        return false;
    b->pipeline.plan = &small;
    status = launch_once(b, &b->built->small_ns, NULL);
    b->pipeline.plan = b->plan;
    if (status)
        b->built->small_ns = 0;
    return !status;
}

/* Launches on real inputs, because kernels may divide by them, count with them or branch on
 * them. */
static enum ct_step launch_first(struct build *b, struct ct_err *err)
{
    struct ct_outcome aside = {.message = "", .build_log = ""};
    struct ct_mapped before;
    struct ct_str code;
    enum ct_step step;
    bool small;

    ct_session_phase(b->session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    step = ct_dataset_get(b->session, b->plan, b->request->seed, &b->pipeline.data,
                          &aside, err);
    ct_outcome_release(&aside);
    /* Lack of memory beside the other builders is not conclusive: the runner decides. */
    if (step != CT_STEP_DONE)
        return step == CT_STEP_FAILED ? CT_STEP_DONE : step;
    ct_session_phase(b->session, CT_PHASE_FIRST, CT_CULPRIT_CONFIGURATION);
    ct_mapped_note(&before);
    small = launch_small(b);
    if (!small || b->order->launch == CT_BUILD_LAUNCH_TWICE)
        step = launch(b, &b->built->first_ns, err);
    ct_str_init(&code);
    if (step == CT_STEP_DONE && b->order->code &&
        ct_mapped_code(&before, b->plan, &code)) {
        b->built->code = ct_arena_copy(b->arena, code.data, code.length);
        b->built->code_bytes = b->built->code ? code.length : 0;
    }
    ct_str_release(&code);
    ct_mapped_release(&before);
    if (step == CT_STEP_DONE && b->order->launch == CT_BUILD_LAUNCH_TWICE)
        step = launch(b, &b->built->second_ns, err);
    if (step == CT_STEP_DONE && !(small && b->order->launch == CT_BUILD_LAUNCH_ONCE))
        step = ct_dataset_guards(b->session, b->plan, b->pipeline.data, b->outcome, err);
    b->built->launched = step == CT_STEP_DONE;
    return step;
}

/* --- samples --- */

/* What a runner spends that is given no binary: the driver's own cache has what was compiled. */
static enum ct_status rebuild(struct build *b, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < b->plan->program_count; i++) {
        struct ct_program *program = NULL;
        struct ct_compile compile;
        struct ct_str log;

        ct_str_init(&log);
        status =
            ct_compile_init(&compile, &b->plan->programs[i], "", b->session->texts, err);
        /* What was built a moment ago will be built. */
        if (!status)
            ct_program_build(b->session->device, compile.source.data,
                             compile.options.data, &program, &log, NULL);
        ct_program_free(program);
        ct_compile_release(&compile);
        ct_str_release(&log);
    }
    return status;
}

/* The fastest of a few: what else the machine does makes one of 25 ms twice as long, and then binaries
 * would be requested of the whole space. */
static enum ct_status time_rebuild(struct build *b, struct ct_err *err)
{
    enum { TIMES = 3 };
    const uint64_t enough_ns = 300000000;
    uint64_t total_ns = 0;
    enum ct_status status = CT_OK;

    for (int i = 0; !status && i < TIMES && total_ns < enough_ns; i++) {
        uint64_t start_ns = ct_clock_now_ns();
        uint64_t ns;

        status = rebuild(b, err);
        ns = ct_clock_now_ns() - start_ns;
        total_ns += ns;
        if (!i || ns < b->built->rebuild_ns)
            b->built->rebuild_ns = ns;
    }
    return status;
}

static enum ct_status take_binaries(struct build *b, struct ct_err *err)
{
    const struct ct_hash no_key = {""};
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < b->plan->program_count; i++)
        status = take_binary(b, i, &no_key, "", err);
    return status;
}

/* Where code was mapped for the launch, what binaries and doing without them cost is learnt from
 * samples that are asked for them; where none was, binaries are needed in its place. */
static enum ct_step look_at_sample(struct build *b, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    ct_session_phase(b->session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    if (b->order->binaries && b->built->code_bytes)
        status = time_rebuild(b, err);
    if (!status && (b->order->binaries || !b->built->code_bytes))
        status = take_binaries(b, err);
    return status ? CT_STEP_ERROR : CT_STEP_DONE;
}

/* --- interface --- */

static enum ct_step build_checked(struct build *b, struct ct_err *err)
{
    const struct ct_program_maker maker = {make_program, b};
    enum ct_step step;

    ct_session_phase(b->session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    step = ct_dataset_images(b->session, b->plan, b->outcome, err);
    if (step == CT_STEP_DONE)
        step =
            ct_pipeline_build(&b->pipeline, b->session, b->plan, &maker, b->outcome, err);
    if (step == CT_STEP_DONE && b->order->launch != CT_BUILD_LAUNCH_NEVER &&
        data_is_small(b))
        step = launch_first(b, err);
    if (step == CT_STEP_DONE && b->order->launch == CT_BUILD_LAUNCH_TWICE)
        step = look_at_sample(b, err);
    return step;
}

enum ct_status ct_session_build(struct ct_session *session, const struct ct_plan *plan,
                                const struct ct_request *request,
                                const struct ct_build_order *order,
                                struct ct_arena *arena, struct ct_outcome *outcome,
                                struct ct_built *built, struct ct_err *err)
{
    struct build b = {.session = session,
                      .plan = plan,
                      .request = request,
                      .order = order,
                      .arena = arena,
                      .outcome = outcome,
                      .built = built};
    enum ct_step step;

    memset(built, 0, sizeof(*built));
    built->from_cache = plan->program_count > 0;
    built->program_count = plan->program_count;
    built->programs =
        ct_arena_array(arena, plan->program_count, sizeof(*built->programs));
    if (!built->programs)
        return ct_err_nomem(err);
    for (size_t i = 0; i < plan->program_count; i++)
        built->programs[i].log = "";
    outcome->message = "";
    outcome->build_log = "";
    session->inputs_only = true;
    ct_session_start(session, CT_PHASE_BUILD);
    step = build_checked(&b, err);
    session->inputs_only = false;
    ct_pipeline_release(&b.pipeline);
    ct_session_book(session);
    memcpy(outcome->spent_ns, session->spent_ns, sizeof(outcome->spent_ns));
    return step == CT_STEP_ERROR ? err->code : CT_OK;
}
