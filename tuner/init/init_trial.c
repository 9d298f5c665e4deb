// SPDX-License-Identifier: Apache-2.0
// Makes the space file's text, and changes guesses until the default configuration runs.
#include "init/init_impl.h"

#include "init/t1.h"
#include "tune/run.h"

#include <stdio.h>
#include <string.h>

/* Seconds for the launch of a trial; sizes and times at which trials end. */
enum {
    PATIENCE_S = 3,
    TRIALS = 9,
    SLOW_NS = 100000000,
    LEAST_ITEMS = 8,
    SMALL_ITEMS = 1024
};

/* --- text --- */

static const char *origin_of(struct ct_init *init)
{
    const struct ct_subject *s = &init->subject;
    int line = s->kernel ? s->kernel->line : 1;
    const struct ct_part *part = ct_parts_find(&init->parts, &line);

    if (init->options.from_cpp)
        return ct_draft_format(&init->draft,
                               "Made by cltune init: kernel %s, from strings of %s.",
                               s->function, init->options.from_cpp);
    if (s->kernel)
        return ct_draft_format(&init->draft,
                               "Made by cltune init: kernel %s, line %d of %s.",
                               s->function, line, part->label);
    return ct_draft_format(&init->draft, "Made by cltune init: kernel %s of %s.",
                           s->function, init->label);
}

/* Makes the draft and its text anew from init->guess. */
static enum ct_status make_draft(struct ct_init *init, struct ct_err *err)
{
    struct ct_draft *draft = &init->draft;
    enum ct_status status;

    ct_draft_release(draft);
    draft->origin = origin_of(init);
    draft->function = init->subject.function;
    draft->name = init->subject.function;
    draft->source = init->label;
    draft->options = ct_draft_format(draft, "%s", init->rest.data);
    draft->include = init->include;
    status = init->t1 ? ct_t1_draft(init->t1, &init->subject, draft, err)
                      : ct_guess_all(&init->subject, &init->guess, draft, err);
    ct_str_reset(&init->text);
    if (!status)
        ct_draft_put(draft, true, &init->text);
    return !status && (init->text.failed || draft->failed) ? ct_err_nomem(err) : status;
}

/* --- one trial --- */

static enum ct_status measure(const struct ct_devinfo *device, const struct ct_spec *spec,
                              struct ct_run *run, struct ct_err *err)
{
    const struct ct_tune_options tune = {.deadlines = ct_tune_deadlines(PATIENCE_S, 0),
                                         .samples = 1};
    const struct ct_binding_options wanted = {.device = device};
    struct ct_diags diags = {0};
    struct ct_binding *binding = NULL;
    enum ct_status status = ct_binding_new(spec, &wanted, &binding, &diags, err);

    if (status && diags.count)
        ct_err_set(err, status, "%s", diags.items[0].message);
    ct_diags_release(&diags);
    if (status)
        return status;
    status = ct_run_init(run, &tune, NULL, device, spec, binding, err);
    if (!status)
        status = ct_run_choose(run, NULL, 0, err);
    if (!status)
        status = ct_run_measure(run, err);
    return status;
}

/* What came of a run. */
struct outcome {
    enum ct_result_status status;
    bool
        is_wrong; /* something was written outside, or the second run gave something else */
    bool is_outside; /* the first */
};

static void take_outcome(struct ct_init *init, const struct ct_outcome *found,
                         struct outcome *out)
{
    struct ct_init_trial *trial = &init->trial;

    out->status = found->status;
    out->is_wrong = found->status == CT_RESULT_WRONG;
    out->is_outside = out->is_wrong && found->mismatch.guard;
    trial->ran = found->status == CT_RESULT_OK;
    trial->time_ns = trial->ran ? found->time_ns : 0;
    if (!trial->ran)
        trial->failure =
            ct_arena_copy(&init->arena, found->message, strlen(found->message));
}

/* Runs the default configuration of a text.  What is wrong with the text is a failure like others. */
static enum ct_status try_text(struct ct_init *init, const struct ct_devinfo *device,
                               const struct ct_str *text, struct outcome *out,
                               struct ct_err *err)
{
    struct ct_err why = CT_ERR_INIT;
    struct ct_diags diags = {0};
    struct ct_spec *spec = NULL;
    struct ct_run run = {0};
    enum ct_status status =
        ct_spec_parse(init->output, text->data, text->length, &spec, &diags, &why);

    init->trial = (struct ct_init_trial){.tried = true};
    *out = (struct outcome){.status = CT_RESULT_INVALID};
    if (status && diags.count)
        ct_err_set(&why, status, "%s", diags.items[0].message);
    if (!status)
        status = measure(device, spec, &run, &why);
    if (status == CT_E_INTERRUPTED || status == CT_E_NOMEM) {
        *err = why;
    } else if (status) {
        init->trial.failure =
            ct_arena_copy(&init->arena, why.message, strlen(why.message));
        status = CT_OK;
    } else {
        take_outcome(init, &run.outcome, out);
    }
    if (spec)
        ct_run_release(&run);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    return status;
}

/* First without comparing: a crash is then the configuration's, not the reference's. */
static enum ct_status try_once(struct ct_init *init, const struct ct_devinfo *device,
                               struct outcome *out, struct ct_err *err)
{
    enum ct_status status;
    struct ct_str bare;

    ct_str_init(&bare);
    ct_draft_put(&init->draft, false, &bare);
    status = bare.failed ? ct_err_nomem(err) : try_text(init, device, &bare, out, err);
    ct_str_release(&bare);
    if (!status && init->trial.ran && init->draft.has_outputs)
        status = try_text(init, device, &init->text, out, err);
    return status;
}

/* --- better guesses --- */

/* Fewer work-items; false if that is not ours to change, or there are few already. */
static bool shrink(struct ct_init *init)
{
    struct ct_guess *guess = &init->guess;
    size_t dims = init->draft.dims;
    uint64_t items = 1;

    for (size_t d = 0; d < dims; d++)
        items *= guess->sizes[d];
    if (init->has_size || items / 8 < LEAST_ITEMS)
        return false;
    for (size_t d = 0; d < dims; d++)
        guess->sizes[d] /= dims == 1 ? 16 : dims == 2 ? 4 : 2;
    return true;
}

/* Larger buffers; then few work-items with buffers that have room for each pair of them; then
 * numbers that index nothing far away. */
static bool enlarge(struct ct_init *init)
{
    static const uint64_t small[] = {SMALL_ITEMS, 32, 16};
    struct ct_guess *guess = &init->guess;

    if (guess->factor < 16) {
        guess->factor = guess->factor ? guess->factor * 4 : 4;
        return true;
    }
    if (!guess->is_square && !init->has_size) {
        guess->is_square = true;
        guess->factor = 16;
        for (size_t d = 0; d < 3; d++)
            guess->sizes[d] = small[init->draft.dims - 1];
        return true;
    }
    if (guess->small_integers)
        return false;
    guess->small_integers = true;
    return true;
}

static bool improve(struct ct_init *init, const struct outcome *outcome)
{
    if (init->t1)
        return false;
    /* A driver whose memory was written over hangs as well as it crashes. */
    if (outcome->status == CT_RESULT_TIMEOUT)
        return shrink(init) || (init->guess.factor < 4 && enlarge(init));
    if (outcome->status == CT_RESULT_OK)
        return init->trial.time_ns > SLOW_NS && shrink(init);
    /* Reading outside gives something else each time, too, which a little more room cures. */
    if (outcome->is_wrong && !outcome->is_outside && init->guess.factor >= 4)
        return false;
    return (outcome->status == CT_RESULT_CRASHED || outcome->is_wrong) && enlarge(init);
}

/* The text once more, with what must be said of the launch. */
static enum ct_status tell(struct ct_init *init, struct ct_err *err)
{
    ct_str_reset(&init->text);
    ct_draft_put(&init->draft, true, &init->text);
    return init->text.failed ? ct_err_nomem(err) : CT_OK;
}

/* What was tried in vain stays as it was guessed first.  If only the comparison failed, nothing is
 * compared: the file then runs, and says so. */
static enum ct_status give_up(struct ct_init *init, const struct ct_devinfo *device,
                              const struct ct_guess *first, struct ct_err *err)
{
    struct outcome outcome = {0};
    const char *failure = init->trial.failure;
    enum ct_status status;

    init->guess = *first;
    status = make_draft(init, err);
    if (!status)
        status = try_once(init, device, &outcome, err);
    if (status)
        return status;
    if (outcome.is_wrong && init->draft.has_outputs) {
        for (size_t i = 0; i < init->draft.arg_count; i++)
            init->draft.args[i].check = NULL;
        init->draft.has_outputs = false;
        status = tell(init, err);
        if (!status)
            status = try_once(init, device, &outcome, err);
        init->draft.launch_decide = ct_draft_format(
            &init->draft, "nothing is compared, because two runs differ: %s", failure);
    } else {
        init->draft.launch_decide =
            ct_draft_format(&init->draft, "the default configuration fails: %s",
                            init->trial.failure ? init->trial.failure : failure);
    }
    return status ? status : tell(init, err);
}

static void default_sizes(struct ct_init *init)
{
    static const uint64_t usual[] = {1 << 20, 512, 64};

    for (size_t d = 0; d < 3 && !init->has_size; d++)
        init->guess.sizes[d] = usual[init->subject.usage.dims - 1];
}

enum ct_status ct_init_make(struct ct_init *init, const struct ct_devinfo *device,
                            struct ct_err *err)
{
    struct ct_guess first;
    bool ran = false;
    enum ct_status status;

    init->subject.group_max =
        (uint64_t)(device ? ct_devinfo_int(device, CT_DEVICE_MAX_WORK_GROUP_SIZE, 256)
                          : 256);
    default_sizes(init);
    first = init->guess;
    status = make_draft(init, err);
    for (int i = 0; !status && device && i < TRIALS; i++) {
        struct outcome outcome = {0};

        status = try_once(init, device, &outcome, err);
        ran = init->trial.ran;
        if (status || !improve(init, &outcome))
            break;
        status = make_draft(init, err);
    }
    return !status && device && !ran ? give_up(init, device, &first, err) : status;
}
