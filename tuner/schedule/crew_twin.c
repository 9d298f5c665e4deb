// SPDX-License-Identifier: Apache-2.0
// Nothing twice: which jobs are the same as others.
#include "schedule/crew_impl.h"

#include <string.h>

/* --- copying outcomes --- */

bool ct_crew_pack(const struct ct_outcome *from, struct ct_crew_past *to)
{
    struct ct_str bytes;

    ct_str_init(&bytes);
    ct_outcome_put(&bytes, from);
    to->bytes = bytes.failed ? NULL : ct_mem_copy(bytes.data, bytes.length);
    to->length = bytes.length;
    /* No worker knows it: it does not travel. */
    to->deadline_ns = from->deadline_ns;
    ct_str_release(&bytes);
    return to->bytes != NULL;
}

bool ct_crew_unpack(const struct ct_crew_past *from, struct ct_outcome *to)
{
    struct ct_wire_reader in;

    memset(to, 0, sizeof(*to));
    if (!from->bytes)
        return false;
    ct_wire_reader_init(&in, from->bytes, from->length);
    ct_outcome_get(&in, to);
    to->deadline_ns = from->deadline_ns;
    if (in.failed)
        ct_outcome_release(to);
    return !in.failed;
}

/* Whether one job's outcome says what another's would be.  A crash may be an accident of
 * its worker; who must not be stopped early needs every sample. */
static bool usable(const struct ct_outcome *outcome, const struct ct_crew_job *job)
{
    return outcome->status != CT_RESULT_CRASHED &&
           outcome->status != CT_RESULT_INTERRUPTED &&
           !(job->job.full && outcome->stopped_early);
}

/* The original is done: hands its outcome on, or has the job looked at itself. */
static void settle(struct ct_crew *crew, size_t index)
{
    struct ct_crew_job *job = crew->jobs[index];
    struct ct_outcome outcome;

    if (ct_crew_unpack(&crew->past[job->original], &outcome)) {
        if (usable(&outcome, job)) {
            crew->stats.macro_twins += job->twin == CT_TWIN_MACROS;
            crew->stats.binary_twins += job->twin == CT_TWIN_BINARY;
            ct_str_release(&job->handover);
            memset(outcome.spent_ns, 0, sizeof(outcome.spent_ns));
            /* Not a second time. */
            outcome.samples_saved = outcome.samples_added = outcome.samples_retaken = 0;
            outcome.saved_ns = outcome.added_ns = 0;
            ct_crew_done(crew, index, &outcome);
            return;
        }
        ct_outcome_release(&outcome);
    }
    job->own = true;
    /* What was built already only has to be run. */
    job->stage = job->twin == CT_TWIN_BINARY ? CT_STAGE_BUILT : CT_STAGE_WAITING;
    job->twin = CT_TWIN_NONE;
}

static bool is_done(const struct ct_crew *crew, size_t index)
{
    return !crew->jobs[index] || crew->jobs[index]->stage == CT_STAGE_DONE;
}

void ct_crew_settle(struct ct_crew *crew)
{
    for (size_t i = crew->first; i < crew->job_count; i++) {
        struct ct_crew_job *job = crew->jobs[i];

        if (job && job->stage == CT_STAGE_TWIN && is_done(crew, job->original))
            settle(crew, i);
    }
}

static void follow(struct ct_crew *crew, size_t index, size_t original, enum ct_twin twin)
{
    crew->jobs[index]->stage = CT_STAGE_TWIN;
    crew->jobs[index]->original = original;
    crew->jobs[index]->twin = twin;
}

/* --- by macros --- */

/* The first plan is kept with all that it refers to: for the calibration, and for its
 * environment. */
static enum ct_status keep_sample(struct ct_crew *crew, const struct ct_plan *plan,
                                  struct ct_err *err)
{
    struct ct_str bytes;
    struct ct_wire_reader in;
    enum ct_status status;

    ct_str_init(&bytes);
    ct_plan_put(&bytes, plan);
    ct_wire_reader_init(&in, bytes.data, bytes.length);
    status = bytes.failed ? ct_err_nomem(err)
                          : ct_plan_get(&in, &crew->arena, &crew->sample, err);
    ct_str_release(&bytes);
    crew->has_sample = !status;
    return status;
}

enum ct_status ct_crew_identify(struct ct_crew *crew, size_t index, struct ct_err *err)
{
    struct ct_crew_job *job = crew->jobs[index];

    if (!crew->has_sample) {
        enum ct_status status = keep_sample(crew, job->job.plan, err);

        if (status)
            return status;
    }
    if (crew->options.no_twins)
        return CT_OK;
    job->macro_key = ct_program_text_key(crew->texts, job->job.plan);
    return CT_OK;
}

bool ct_crew_macro_twin(struct ct_crew *crew, size_t index)
{
    struct ct_crew_job *job = crew->jobs[index];
    size_t original;

    if (job->own || crew->options.no_twins)
        return false;
    if (!ct_keymap_find(&crew->macro_keys, &job->macro_key, &original) ||
        original == index) {
        ct_keymap_put(&crew->macro_keys, &job->macro_key, index);
        return false;
    }
    follow(crew, index, original, CT_TWIN_MACROS);
    ct_crew_settle(crew);
    /* It may be that the other's outcome is of no use. */
    return job->stage != CT_STAGE_WAITING;
}

/* --- by machine code --- */

static void join_binaries(const struct ct_built *built, struct ct_str *out)
{
    for (size_t i = 0; i < built->program_count; i++) {
        if (!built->programs[i].size_bytes) {
            ct_str_reset(out);
            return;
        }
        ct_wire_put_bytes(out, built->programs[i].binary, built->programs[i].size_bytes);
    }
}

/* Machine code alone says nothing of memory that a launch gets with it: what the driver
 * tells of the kernels counts too. */
static struct ct_hash code_key(const struct ct_plan *plan, const struct ct_hash *code,
                               const struct ct_outcome *outcome)
{
    struct ct_hash frame = ct_plan_frame_hash(plan);
    struct ct_hash key = {""};
    struct ct_str form;

    ct_str_init(&form);
    ct_wire_put_text(&form, frame.text);
    ct_wire_put_text(&form, code->text);
    for (size_t i = 0; i < outcome->fact_count; i++) {
        ct_wire_put_u64(&form, outcome->facts[i].work_group_size);
        ct_wire_put_u64(&form, outcome->facts[i].local_mem_bytes);
        ct_wire_put_u64(&form, outcome->facts[i].private_mem_bytes);
        ct_wire_put_u64(&form, outcome->facts[i].preferred_multiple);
    }
    if (!form.failed && *frame.text && *code->text)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}

bool ct_crew_binary_twin(struct ct_crew *crew, size_t index, const struct ct_built *built,
                         const struct ct_outcome *outcome)
{
    struct ct_crew_job *job = crew->jobs[index];
    struct ct_str joined;
    struct ct_hash code = {""};
    size_t original;

    if (job->own || crew->options.no_twins || crew->calibration != CT_CALIBRATION_DONE ||
        *crew->twins_off)
        return false;
    ct_str_init(&joined);
    if (crew->by_code && built->code_bytes)
        code = ct_mask_hash(&crew->mask, built->code, built->code_bytes);
    else if (!crew->by_code)
        join_binaries(built, &joined);
    if (joined.length && !joined.failed)
        code = ct_mask_hash(&crew->mask, joined.data, joined.length);
    ct_str_release(&joined);
    job->code_key = code_key(job->job.plan, &code, outcome);
    if (!ct_keymap_find(&crew->code_keys, &job->code_key, &original)) {
        ct_keymap_put(&crew->code_keys, &job->code_key, index);
        return false;
    }
    follow(crew, index, original, CT_TWIN_BINARY);
    return true;
}

/* --- calibrating --- */

bool ct_crew_next_sample(struct ct_crew *crew, size_t *index)
{
    if (crew->options.no_twins || !crew->has_sample || crew->fresh < CT_CREW_CALIBRATE ||
        crew->samples_begun == CT_MASK_SAMPLES)
        return false;
    crew->calibration = CT_CALIBRATION_BUSY;
    *index = crew->samples_begun++;
    return true;
}

enum ct_status ct_crew_sample_plan(const struct ct_crew *crew, size_t index,
                                   struct ct_arena *arena, struct ct_plan *plan,
                                   struct ct_err *err)
{
    /* Of one length, because options may stand in binaries; with as few bits in common as
     * may be, so that what is made of them differs, too. */
    static const char *const values[CT_MASK_SAMPLES] = {"1020304050", "2938475610",
                                                        "8675309127"};
    struct ct_plan_program *programs =
        ct_arena_array(arena, crew->sample.program_count, sizeof(*programs));

    *plan = crew->sample;
    plan->programs = programs;
    for (size_t i = 0; programs && i < plan->program_count; i++) {
        const struct ct_plan_program *from = &crew->sample.programs[i];
        struct ct_plan_macro *macros =
            ct_arena_array(arena, from->macro_count + 1, sizeof(*macros));

        if (!macros)
            return ct_err_nomem(err);
        if (from->macro_count)
            memcpy(macros, from->macros, from->macro_count * sizeof(*macros));
        macros[from->macro_count] =
            (struct ct_plan_macro){"CT_NOT_USED_BY_ANYTHING", values[index]};
        programs[i] = *from;
        programs[i].macros = macros;
        programs[i].macro_count = from->macro_count + 1;
    }
    return programs ? CT_OK : ct_err_nomem(err);
}

/* All samples are there: how does the driver work, and what can be compared? */
static void calibrate(struct ct_crew *crew)
{
    /* A first launch also wakes threads and touches memory. */
    const uint64_t slack_ns = 5000000;
    uint64_t first_ns = 0;
    uint64_t second_ns = 0;
    struct ct_str codes[CT_MASK_SAMPLES];
    bool all = true;

    crew->calibration = CT_CALIBRATION_DONE;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        if (!crew->samples[i].good) {
            crew->twins_off = "the first configuration could not be built again";
            return;
        }
        first_ns += crew->samples[i].first_ns;
        second_ns += crew->samples[i].second_ns;
    }
    crew->late_compiler =
        crew->processor &&
        (!first_ns || first_ns > 2 * second_ns + CT_MASK_SAMPLES * slack_ns);
    crew->by_code = crew->late_compiler;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        codes[i] = crew->by_code ? crew->samples[i].code : crew->samples[i].binaries;
        all = all && codes[i].length;
    }
    if (!all)
        crew->twins_off =
            crew->by_code ? "the driver does not show what it compiles at first launches"
                          : "the driver gives no binaries";
    else
        crew->twins_off = ct_mask_learn(&crew->mask, codes);
    if (!crew->twins_off)
        crew->twins_off = "";
}

void ct_crew_sampled(struct ct_crew *crew, size_t index, const struct ct_built *built)
{
    struct ct_crew_sample *sample = &crew->samples[index];

    sample->good = built != NULL;
    if (built) {
        sample->first_ns = built->first_ns;
        sample->second_ns = built->second_ns;
        ct_str_add(&sample->code, built->code, built->code_bytes);
        join_binaries(built, &sample->binaries);
    }
    if (++crew->samples_ended < CT_MASK_SAMPLES)
        return;
    calibrate(crew);
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_release(&crew->samples[i].code);
        ct_str_release(&crew->samples[i].binaries);
    }
}
