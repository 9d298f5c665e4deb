// SPDX-License-Identifier: Apache-2.0
// Detects jobs that are duplicates of others.
#include "schedule/scheduler_impl.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- copying outcomes --- */

/* As compress2, but with tables for as few bytes as there are: clearing those for a large file takes
 * longer than all else. */
static bool compress_little(char *to, uLongf *stored, char *from, size_t length)
{
    const int least = 9;
    int window = least;
    z_stream stream = {.next_in = (Bytef *)from,
                       .avail_in = (uInt)length,
                       .next_out = (Bytef *)to,
                       .avail_out = (uInt)*stored};
    bool done;

    while (window < MAX_WBITS && (size_t)1 << window < length)
        window++;
    /* The hash table has 2^(level of memory + 7) entries. */
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window, 1 + (window - least) / 2,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *stored = stream.total_out;
    deflateEnd(&stream);
    return done;
}

bool ct_scheduler_pack(const struct ct_outcome *from, struct ct_scheduler_past *to)
{
    struct ct_str bytes;
    uLongf stored;
    char *packed = NULL;

    ct_str_init(&bytes);
    ct_outcome_put(&bytes, from);
    /* Of any window and level of memory: more than that of compress2. */
    stored = compressBound(bytes.length) + bytes.length / 8 + 64;
    if (!bytes.failed && stored <= UINT32_MAX)
        packed = malloc(stored);
    if (packed && compress_little(packed, &stored, bytes.data, bytes.length)) {
        to->bytes = ct_mem_copy(packed, stored); /* without the room at its end */
        to->stored = (uint32_t)stored;
        to->length = (uint32_t)bytes.length;
    }
    free(packed);
    /* Set by the main process only: it is not part of the message. */
    to->deadline_ns = from->deadline_ns;
    ct_str_release(&bytes);
    return to->bytes != NULL;
}

static bool unpack_outcome(const struct ct_scheduler_past *from, struct ct_outcome *to)
{
    struct ct_wire_reader in;
    uLongf length = from->length;
    char *bytes;

    memset(to, 0, sizeof(*to));
    bytes = from->bytes ? malloc(length) : NULL;
    if (!bytes || uncompress((Bytef *)bytes, &length, (const Bytef *)from->bytes,
                             from->stored) != Z_OK) {
        free(bytes);
        return false;
    }
    ct_wire_reader_init(&in, bytes, length);
    ct_outcome_get(&in, to);
    to->deadline_ns = from->deadline_ns;
    if (in.failed)
        ct_outcome_release(to);
    free(bytes);
    return !in.failed;
}

/* Whether one job's outcome holds for its duplicates.  A crash may be an accident of its worker;
 * a job that must not be stopped early needs every sample. */
static bool holds_for_duplicates(const struct ct_outcome *outcome,
                                 const struct ct_scheduler_job *job)
{
    return outcome->status != CT_RESULT_CRASHED &&
           outcome->status != CT_RESULT_INTERRUPTED &&
           !(job->job.full && outcome->stopped_early);
}

/* The original is done: copies its outcome, or has the job measured itself. */
static void resolve_duplicate(struct ct_scheduler *scheduler, size_t index)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];
    const struct ct_scheduler_past *past = &scheduler->jobs.past[job->original];
    struct ct_outcome outcome;

    if (past->copied)
        past = &scheduler->jobs.past[past->of];
    if (unpack_outcome(past, &outcome)) {
        if (holds_for_duplicates(&outcome, job)) {
            scheduler->stats.macro_duplicates += job->duplicate == CT_DUPLICATE_MACROS;
            scheduler->stats.binary_duplicates += job->duplicate == CT_DUPLICATE_BINARY;
            ct_str_release(&job->handover);
            memset(outcome.spent_ns, 0, sizeof(outcome.spent_ns));
            /* Counted once only. */
            outcome.race.saved = outcome.race.added = outcome.samples.retaken = 0;
            outcome.race.saved_ns = outcome.race.added_ns = 0;
            scheduler->jobs.past[index].copied = true;
            scheduler->jobs.past[index].of = (size_t)(past - scheduler->jobs.past);
            ct_scheduler_done(scheduler, index, &outcome);
            return;
        }
        ct_outcome_release(&outcome);
    }
    job->own = true;
    /* Built already: it only has to be run. */
    job->stage =
        job->duplicate == CT_DUPLICATE_BINARY ? CT_STAGE_BUILT : CT_STAGE_WAITING;
    job->duplicate = CT_DUPLICATE_NONE;
}

static bool is_done(const struct ct_scheduler *scheduler, size_t index)
{
    return !scheduler->jobs.items[index] ||
           scheduler->jobs.items[index]->stage == CT_STAGE_DONE;
}

void ct_scheduler_settle(struct ct_scheduler *scheduler)
{
    for (size_t i = scheduler->jobs.first; i < scheduler->jobs.count; i++) {
        struct ct_scheduler_job *job = scheduler->jobs.items[i];

        if (job && job->stage == CT_STAGE_DUPLICATE && is_done(scheduler, job->original))
            resolve_duplicate(scheduler, i);
    }
}

static void follow_original(struct ct_scheduler *scheduler, size_t index, size_t original,
                            enum ct_duplicate duplicate)
{
    scheduler->jobs.items[index]->stage = CT_STAGE_DUPLICATE;
    scheduler->jobs.items[index]->original = original;
    scheduler->jobs.items[index]->duplicate = duplicate;
}

/* --- by macros --- */

/* Keeps the first plan with all that it refers to: for the calibration, and for its environment. */
static enum ct_status keep_sample(struct ct_scheduler *scheduler,
                                  const struct ct_plan *plan, struct ct_err *err)
{
    struct ct_str bytes;
    struct ct_wire_reader in;
    enum ct_status status;

    ct_str_init(&bytes);
    ct_plan_put(&bytes, plan);
    ct_wire_reader_init(&in, bytes.data, bytes.length);
    status = bytes.failed ? ct_err_nomem(err)
                          : ct_plan_get(&in, &scheduler->duplicates.arena,
                                        &scheduler->duplicates.first_plan, err);
    ct_str_release(&bytes);
    scheduler->duplicates.has_first_plan = !status;
    return status;
}

enum ct_status ct_scheduler_identify(struct ct_scheduler *scheduler, size_t index,
                                     struct ct_err *err)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];

    if (!scheduler->duplicates.has_first_plan) {
        enum ct_status status = keep_sample(scheduler, job->job.plan, err);

        if (status)
            return status;
    }
    if (scheduler->options.no_duplicates || job->job.plan->command)
        return CT_OK;
    job->macro_key = ct_program_text_key(scheduler->texts, job->job.plan);
    return CT_OK;
}

bool ct_scheduler_macro_duplicate(struct ct_scheduler *scheduler, size_t index)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];
    uint64_t original;

    if (job->own || scheduler->options.no_duplicates)
        return false;
    if (!ct_map_find_hash(&scheduler->duplicates.macro_keys, &job->macro_key,
                          &original) ||
        original == index) {
        ct_map_put_hash(&scheduler->duplicates.macro_keys, &job->macro_key, index);
        return false;
    }
    follow_original(scheduler, index, (size_t)original, CT_DUPLICATE_MACROS);
    ct_scheduler_settle(scheduler);
    /* The original's outcome may be unusable. */
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

/* Machine code alone does not include the memory that a launch gets: the driver's facts about the
 * kernels count too. */
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

bool ct_scheduler_binary_duplicate(struct ct_scheduler *scheduler, size_t index,
                                   const struct ct_built *built,
                                   const struct ct_outcome *outcome)
{
    struct ct_scheduler_job *job = scheduler->jobs.items[index];
    struct ct_str joined;
    struct ct_hash code = {""};
    uint64_t original;

    if (job->own || scheduler->options.no_duplicates ||
        scheduler->duplicates.calibration != CT_CALIBRATION_DONE ||
        *scheduler->duplicates.off)
        return false;
    ct_str_init(&joined);
    if (scheduler->duplicates.by_code && built->code_bytes)
        code = ct_mask_hash(&scheduler->duplicates.mask, built->code, built->code_bytes);
    else if (!scheduler->duplicates.by_code)
        join_binaries(built, &joined);
    if (joined.length && !joined.failed)
        code = ct_mask_hash(&scheduler->duplicates.mask, joined.data, joined.length);
    ct_str_release(&joined);
    job->code_key = code_key(job->job.plan, &code, outcome);
    if (!ct_map_find_hash(&scheduler->duplicates.code_keys, &job->code_key, &original)) {
        ct_map_put_hash(&scheduler->duplicates.code_keys, &job->code_key, index);
        return false;
    }
    follow_original(scheduler, index, (size_t)original, CT_DUPLICATE_BINARY);
    return true;
}

/* --- calibrating --- */

bool ct_scheduler_next_sample(struct ct_scheduler *scheduler, size_t *index)
{
    if ((scheduler->options.no_duplicates && !scheduler->options.build_only) ||
        !scheduler->duplicates.has_first_plan ||
        scheduler->jobs.fresh < CT_SCHEDULER_CALIBRATE)
        return false;
    for (*index = 0; *index < CT_MASK_SAMPLES; ++*index)
        if (scheduler->duplicates.again >> *index & 1) {
            scheduler->duplicates.again &= ~(1U << *index);
            return true;
        }
    if (scheduler->duplicates.samples_begun == CT_MASK_SAMPLES)
        return false;
    scheduler->duplicates.calibration = CT_CALIBRATION_BUSY;
    *index = scheduler->duplicates.samples_begun++;
    return true;
}

enum ct_status ct_scheduler_sample_plan(const struct ct_scheduler *scheduler,
                                        size_t index, struct ct_arena *arena,
                                        struct ct_plan *plan, struct ct_err *err)
{
    /* All of one length, because options may be part of binaries; with few bits in common, so
     * that values derived from them differ, too. */
    static const char *const values[CT_MASK_SAMPLES] = {"1020304050", "2938475610",
                                                        "8675309127"};
    struct ct_plan_program *programs = ct_arena_array(
        arena, scheduler->duplicates.first_plan.program_count, sizeof(*programs));

    *plan = scheduler->duplicates.first_plan;
    plan->programs = programs;
    for (size_t i = 0; programs && i < plan->program_count; i++) {
        const struct ct_plan_program *from =
            &scheduler->duplicates.first_plan.programs[i];
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

/* A first launch also wakes threads and touches memory for the first time. */
static const uint64_t launch_slack_ns = 5000000;

/* Of both launches, if it was compiled for a small one. */
static uint64_t compiling_ns(const struct ct_scheduler_sample *sample)
{
    return sample->small_ns + sample->first_ns;
}

/* Builders request binaries side by side; the runner builds one configuration after the other, and
 * the default and the entrants of a play-off several times.  Where an earlier search has left even
 * a sample's code to be found, what a binary of another costs is not known. */
static bool binaries_pay(const struct ct_scheduler *scheduler)
{
    const struct ct_scheduler_sample *sample = &scheduler->duplicates.samples[0];
    const double loads = 1.5;

    return sample->rebuild_ns && sample->binary_ns &&
           compiling_ns(sample) > 2 * sample->second_ns + launch_slack_ns &&
           (double)sample->binary_ns <
               loads * scheduler->builder_count * (double)sample->rebuild_ns;
}

/* Whether a launch of few work-groups had the driver compile all that the same kernel's next ones needed.
 * Each of the samples would show what it still compiles, one may have been disturbed. */
static bool small_is_enough(const struct ct_scheduler *scheduler)
{
    int compiled = 0;

    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        const struct ct_scheduler_sample *sample = &scheduler->duplicates.samples[i];

        if (!sample->small_ns)
            return false;
        compiled += sample->first_ns > 2 * sample->second_ns + launch_slack_ns;
    }
    return compiled <= 1;
}

/* All samples are there: learns how the driver works, and what can be compared. */
static void calibrate(struct ct_scheduler *scheduler)
{
    uint64_t first_ns = 0;
    uint64_t second_ns = 0;
    struct ct_str codes[CT_MASK_SAMPLES];
    bool all = true;
    bool mapped = true;

    scheduler->duplicates.calibration = CT_CALIBRATION_DONE;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        if (!scheduler->duplicates.samples[i].good) {
            scheduler->duplicates.off =
                "the first configuration could not be built a second time";
            return;
        }
        first_ns += compiling_ns(&scheduler->duplicates.samples[i]);
        second_ns += scheduler->duplicates.samples[i].second_ns;
        mapped = mapped && scheduler->duplicates.samples[i].code.length;
    }
    /* Code that is mapped for a launch was compiled for it, perhaps by an earlier search: then the
     * time tells nothing. */
    scheduler->duplicates.late_compiler =
        scheduler->cpu_device &&
        (mapped || !first_ns ||
         first_ns > 2 * second_ns + CT_MASK_SAMPLES * launch_slack_ns);
    scheduler->duplicates.binaries_pay = binaries_pay(scheduler);
    scheduler->duplicates.small_is_enough = small_is_enough(scheduler);
    scheduler->duplicates.by_code = scheduler->duplicates.late_compiler;
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        codes[i] = scheduler->duplicates.by_code
                       ? scheduler->duplicates.samples[i].code
                       : scheduler->duplicates.samples[i].binaries;
        all = all && codes[i].length;
    }
    if (!all)
        scheduler->duplicates.off =
            scheduler->duplicates.by_code
                ? "the driver compiles at the first launch, after its binaries were read"
                : "the driver provides no binaries";
    else
        scheduler->duplicates.off = ct_mask_learn(&scheduler->duplicates.mask, codes);
    if (!scheduler->duplicates.off)
        scheduler->duplicates.off = "";
}

void ct_scheduler_sampled(struct ct_scheduler *scheduler, size_t index,
                          const struct ct_built *built)
{
    struct ct_scheduler_sample *sample = &scheduler->duplicates.samples[index];

    sample->good = built != NULL;
    if (built) {
        sample->small_ns = built->small_ns;
        sample->first_ns = built->first_ns;
        sample->second_ns = built->second_ns;
        sample->rebuild_ns = built->rebuild_ns;
        sample->binary_ns = built->binary_ns;
        ct_str_add(&sample->code, built->code, built->code_bytes);
        join_binaries(built, &sample->binaries);
    }
    if (++scheduler->duplicates.samples_ended < CT_MASK_SAMPLES)
        return;
    calibrate(scheduler);
    for (int i = 0; i < CT_MASK_SAMPLES; i++) {
        ct_str_release(&scheduler->duplicates.samples[i].code);
        ct_str_release(&scheduler->duplicates.samples[i].binaries);
    }
}
