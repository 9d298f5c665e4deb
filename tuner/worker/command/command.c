// SPDX-License-Identifier: Apache-2.0
// Runs of a program, as samples.
#define _GNU_SOURCE // strsignal
#include "worker/command/command.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "worker/command/ahead.h"
#include "worker/command/folder.h"
#include "worker/command/reading.h"
#include "worker/command/state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is read of an output or a file. */
static const uint64_t most_bytes = (uint64_t)64 << 20;

/* What the default configuration has left in the file that is compared. */
struct ct_command_truth {
    struct ct_hash plan;
    char *text;
    size_t length;
};

void ct_command_forget(struct ct_session *session)
{
    if (session->command_truth)
        free(session->command_truth->text);
    free(session->command_truth);
    session->command_truth = NULL;
}

/* --- failures --- */

/* ": " and the end of what the program has printed. */
static void add_output(const struct ct_command_state *run, struct ct_str *out)
{
    struct ct_str tail;
    char *text;
    size_t length;

    if (ct_folder_read("", "", run->output, most_bytes, &text, &length, NULL))
        return;
    ct_str_init(&tail);
    ct_reading_tail(text, length, &tail);
    if (tail.length)
        ct_str_addf(out, ": %s", tail.data);
    ct_str_release(&tail);
    free(text);
}

/* Ends the evaluation with a message, and what the program has printed. */
static enum ct_step fail(struct ct_evaluation *ev, const struct ct_command_state *run,
                         enum ct_result_status status, struct ct_str *text)
{
    enum ct_step step;

    add_output(run, text);
    step = ct_session_fail(ev->session, ev->outcome, status, "%s",
                           text->failed ? "" : text->data);
    ct_str_release(text);
    return step;
}

/* What a command did not do. */
static enum ct_step judge_end(struct ct_evaluation *ev,
                              const struct ct_command_state *run,
                              const struct ct_keeper_report *report, const char *what,
                              const char *word, uint32_t wanted)
{
    const struct ct_plan_command *command = run->command;
    int status = report->wait_status;
    enum ct_result_status kind = CT_RESULT_CRASHED;
    struct ct_str text;

    ct_str_init(&text);
    if (report->end == CT_KEEPER_KILLED) {
        ct_str_addf(&text, "%s killed the process that watches it", what);
    } else if (report->end == CT_KEEPER_NOT_BEGUN) {
        kind = CT_RESULT_INVALID;
        ct_str_addf(&text, "%s cannot be run: '%s': %s", what, word,
                    strerror(report->error));
    } else if (report->end == CT_KEEPER_LATE) {
        kind = CT_RESULT_TIMEOUT;
        ev->outcome->deadline_ns = command->limit_ns;
        ct_str_addf(&text, "%s was not finished after its limit of %g s", what,
                    (double)command->limit_ns / 1e9);
    } else if (report->end == CT_KEEPER_FULL ||
               (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)) {
        ct_str_addf(&text, "%s wrote more than the %g MiB of 'disk'", what,
                    (double)command->disk_bytes / 0x1p20);
    } else if (WIFSIGNALED(status)) {
        ct_str_addf(&text, "%s died of signal %d (%s)", what, WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != (int)wanted) {
        kind = CT_RESULT_INVALID;
        ct_str_addf(&text, "%s ended with exit status %d instead of %u", what,
                    WEXITSTATUS(status), wanted);
    } else if (report->left) {
        ct_str_addf(&text, "%s left %u process%s running, which %s killed", what,
                    report->left, report->left == 1 ? "" : "es",
                    report->left == 1 ? "was" : "were");
    } else {
        ct_str_release(&text);
        return CT_STEP_DONE;
    }
    return fail(ev, run, kind, &text);
}

/* The compiler's log is what the set-up has printed. */
static void keep_log(struct ct_evaluation *ev, const struct ct_command_state *run)
{
    const uint64_t log_bytes = 65536;
    char *text;
    size_t length;
    const char *kept;

    if (ct_folder_read("", "", run->output, log_bytes, &text, &length, NULL))
        return;
    kept = ct_arena_copy(&ev->outcome->arena, text, length);
    ev->outcome->build_log = kept ? kept : "";
    free(text);
}

/* How the set-up has ended. */
static enum ct_step judge_setup(struct ct_evaluation *ev, struct ct_command_state *run)
{
    const struct ct_plan_words *setup = &run->command->setup;
    const struct ct_keeper_report *report = &run->setup_report;
    enum ct_step step;

    if (!setup->count)
        return CT_STEP_DONE;
    step = judge_end(ev, run, report, "the set-up", setup->words[report->failed], 0);
    keep_log(ev, run);
    if (step == CT_STEP_FAILED)
        ev->outcome->status = CT_RESULT_BUILD_FAILED;
    return step;
}

static enum ct_step set_up_alone(struct ct_evaluation *ev, struct ct_command_state *run,
                                 struct ct_err *err)
{
    if (ct_command_state_begin(run, err))
        return CT_STEP_ERROR;
    ct_command_state_await(run, UINT64_MAX);
    return judge_setup(ev, run);
}

/* Whether others' set-ups run beside it; returns when all have ended. */
static bool set_up_in_company(struct ct_evaluation *ev)
{
    struct ct_session *session = ev->session;
    struct ct_command_ahead *ahead = session->command_ahead;
    uint64_t until_ns = ct_clock_now_ns() + ev->request->build_deadline_ns / 2;

    if (!ct_command_ahead_begin(ahead)) {
        ct_command_state_await(ev->command, UINT64_MAX);
        return false;
    }
    if (!ct_command_state_await(ev->command, until_ns)) {
        ct_command_ahead_stop(ahead);
        /* Its deadline counts from now on, when it has the processors for itself. */
        ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
        ct_command_state_await(ev->command, UINT64_MAX);
    }
    ct_session_alive(session, CT_CULPRIT_CONFIGURATION);
    ct_command_ahead_finish(ahead, until_ns);
    return true;
}

/* A program that was set up ahead of its turn, or is now, with others beside it. */
static enum ct_step set_up(struct ct_evaluation *ev, struct ct_err *err)
{
    bool company = true;

    ev->command = ct_command_ahead_take(ev->session->command_ahead, ev->plan);
    if (!ev->command) {
        if (ct_command_state_new(ev->plan->command, &ev->command, err) ||
            ct_command_state_begin(ev->command, err))
            return CT_STEP_ERROR;
        company = set_up_in_company(ev);
    }
    if (!company || ct_command_state_is_good(ev->command))
        return judge_setup(ev, ev->command);
    /* All of them together may have lacked memory. */
    ct_command_free(ev->command);
    ev->command = NULL;
    return ct_command_state_new(ev->plan->command, &ev->command, err)
               ? CT_STEP_ERROR
               : set_up_alone(ev, ev->command, err);
}

/* --- one run --- */

/* The text that a key names: a file's, or the output's.  The caller frees it. */
static enum ct_status get_text(const struct ct_command_state *run, const char *name,
                               char **text, size_t *length, struct ct_err *err)
{
    bool printed = !name || strcmp(name, "output") == 0;

    return ct_folder_read(run->folder, printed ? "output" : name,
                          printed ? run->output : -1, most_bytes, text, length, err);
}

/* Patterns end at a null character. */
static void make_lines(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!text[i])
            text[i] = '\n';
}

static enum ct_step wrong(struct ct_evaluation *ev, const struct ct_command_state *run,
                          const char *what, const char *name)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "the output %s '%s'", what, name);
    return fail(ev, run, CT_RESULT_WRONG, &text);
}

static enum ct_step check_patterns(struct ct_evaluation *ev,
                                   const struct ct_command_state *run, const char *output)
{
    const struct ct_plan_command *command = run->command;

    if (command->expect && !ct_reading_matches(command->expect, output))
        return wrong(ev, run, "does not match the expected pattern", command->expect);
    if (command->reject && ct_reading_matches(command->reject, output))
        return wrong(ev, run, "matches the rejected pattern", command->reject);
    ev->outcome->verified |= command->expect != NULL;
    return CT_STEP_DONE;
}

static enum ct_step check_truth(struct ct_evaluation *ev,
                                const struct ct_command_state *run,
                                const struct ct_command_truth *truth)
{
    const char *name = run->command->compare;
    struct ct_err why = CT_ERR_INIT;
    size_t length;
    size_t line;
    char *text;

    if (!name || !truth)
        return CT_STEP_DONE;
    if (get_text(run, name, &text, &length, &why))
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_WRONG, "%s",
                               why.message);
    line = ct_reading_difference(text, length, truth->text, truth->length);
    free(text);
    ev->outcome->verified = true;
    return line ? ct_session_fail(ev->session, ev->outcome, CT_RESULT_WRONG,
                                  "'%s' differs from the default configuration's in line "
                                  "%zu",
                                  name, line)
                : CT_STEP_DONE;
}

/* Reads one number; `*out` stays as it is if there is none. */
static enum ct_step read_one(struct ct_evaluation *ev, const struct ct_command_state *run,
                             const struct ct_plan_read *read, const char *output,
                             double *out)
{
    struct ct_err why = CT_ERR_INIT;
    char *text = NULL;
    size_t length;
    bool found;

    if (read->file && get_text(run, read->file, &text, &length, &why))
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_WRONG, "%s",
                               why.message);
    if (text)
        make_lines(text, length);
    found = ct_reading_number(read->pattern, text ? text : output, out);
    free(text);
    if (found && (!(read->unit_ns > 0) || *out > 0))
        return CT_STEP_DONE;
    if (read->file)
        return ct_session_fail(ev->session, ev->outcome, CT_RESULT_WRONG,
                               "'%s' has no number for '%s'", read->file, read->name);
    return wrong(ev, run, "has no number for", read->name);
}

/* Reads all numbers: the time becomes the sample's. */
static enum ct_step read_numbers(struct ct_evaluation *ev, struct ct_command_state *run,
                                 const char *output, struct ct_sample *sample,
                                 struct ct_err *err)
{
    enum ct_step step = CT_STEP_DONE;

    for (size_t i = 0; step == CT_STEP_DONE && i < run->command->read_count; i++) {
        const struct ct_plan_read *read = &run->command->reads[i];
        struct ct_command_numbers *numbers = &run->numbers[i];
        double value = 0;

        step = read_one(ev, run, read, output, &value);
        if (step != CT_STEP_DONE)
            break;
        if (read->unit_ns > 0) {
            double ns = fmin(fmax(value * read->unit_ns, 1), 1e18);

            sample->event_ns = sample->wall_ns = (uint64_t)ns;
        } else if (ct_mem_grow(&numbers->values, &numbers->capacity, numbers->count + 1,
                               sizeof(*numbers->values))) {
            numbers->values[numbers->count++] = value;
        } else {
            ct_err_nomem(err);
            return CT_STEP_ERROR;
        }
    }
    return step;
}

static enum ct_step run_once(struct ct_evaluation *ev, struct ct_command_state *run,
                             const struct ct_command_truth *truth,
                             struct ct_sample *sample, struct ct_err *err)
{
    struct ct_keeper_report report;
    char *output = NULL;
    size_t length;
    enum ct_step step;

    if (ftruncate(run->output, 0) || lseek(run->output, 0, SEEK_SET)) {
        ct_err_set(err, CT_E_IO, "the file for the output: %s", strerror(errno));
        return CT_STEP_ERROR;
    }
    if (ct_folder_write_texts(run->folder, run->command, err))
        return CT_STEP_ERROR;
    ct_keeper_run(&run->keeper, CT_KEEPER_RUN, &report);
    *sample = (struct ct_sample){
        .repeats = 1, .event_ns = report.wall_ns, .wall_ns = report.wall_ns};
    step = judge_end(ev, run, &report, "the program", run->command->run.words[0],
                     run->command->exit_status);
    if (step != CT_STEP_DONE)
        return step;
    if (get_text(run, NULL, &output, &length, err))
        return CT_STEP_ERROR;
    make_lines(output, length);
    step = check_patterns(ev, run, output);
    if (step == CT_STEP_DONE)
        step = check_truth(ev, run, truth);
    if (step == CT_STEP_DONE)
        step = read_numbers(ev, run, output, sample, err);
    free(output);
    return step;
}

/* --- the truth --- */

/* Keeps what the run of the default configuration has left. */
static enum ct_step keep_truth(struct ct_evaluation *ev, const struct ct_hash *plan,
                               const struct ct_command_state *run, struct ct_err *err)
{
    struct ct_command_truth *truth = calloc(1, sizeof(*truth));

    if (!truth) {
        ct_err_nomem(err);
        return CT_STEP_ERROR;
    }
    truth->plan = *plan;
    if (get_text(run, run->command->compare, &truth->text, &truth->length, err)) {
        free(truth);
        err->code = CT_E_SPEC;
        ct_err_prefix(err, "after a run of the default configuration");
        return CT_STEP_ERROR;
    }
    ev->session->command_truth = truth;
    return CT_STEP_DONE;
}

/* Runs the default configuration, unless that has been done. */
static enum ct_step get_truth(struct ct_evaluation *ev, struct ct_err *err)
{
    const struct ct_plan *plan = ev->plan->reference_plan;
    struct ct_session *session = ev->session;
    struct ct_command_state *run = NULL;
    struct ct_sample sample;
    struct ct_hash hash;
    enum ct_step step = CT_STEP_ERROR;

    if (!plan || !plan->command)
        return CT_STEP_DONE;
    hash = ct_plan_hash(plan);
    if (session->command_truth && !strcmp(session->command_truth->plan.text, hash.text))
        return CT_STEP_DONE;
    ct_command_forget(session);
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST,
                        "the default configuration, which 'compare' requires,");
    if (!ct_command_state_new(plan->command, &run, err))
        step = set_up_alone(ev, run, err);
    if (step == CT_STEP_DONE)
        step = run_once(ev, run, NULL, &sample, err);
    if (step == CT_STEP_FAILED) {
        ct_err_set(err, CT_E_SPEC,
                   "the default configuration, which 'compare' requires, failed: %s",
                   ev->outcome->message);
        step = CT_STEP_ERROR;
    }
    if (step == CT_STEP_DONE)
        step = keep_truth(ev, &hash, run, err);
    ct_command_free(run);
    return step;
}

/* --- sampling --- */

/* Long runs need fewer samples: what is close to the best meets it again in the play-off. */
static bool enough(const struct ct_sampler *sampler, uint64_t since_ns)
{
    const uint64_t long_ns = 3000000000;

    return sampler->count >= CT_SAMPLE_LEAST && ct_clock_now_ns() - since_ns > long_ns;
}

static enum ct_step take_sample(struct ct_evaluation *ev, struct ct_err *err)
{
    struct ct_sample sample;
    enum ct_step step;

    ct_session_alive(ev->session, CT_CULPRIT_CONFIGURATION);
    step = run_once(ev, ev->command, ev->session->command_truth, &sample, err);
    if (step == CT_STEP_DONE && ct_sampler_add(&ev->sampler, &sample, err))
        step = CT_STEP_ERROR;
    return step;
}

/* The outcome of all samples so far. */
static enum ct_step finish(struct ct_evaluation *ev, struct ct_err *err)
{
    const struct ct_command_state *run = ev->command;
    struct ct_outcome *outcome = ev->outcome;

    if (ct_sampler_finish(&ev->sampler, outcome, err))
        return CT_STEP_ERROR;
    outcome->stopped_early = ev->sampler.beyond;
    if (!ev->sampler.beyond) {
        outcome->race.saved = 0;
        outcome->race.saved_ns = 0;
    }
    for (size_t i = 0; i < run->command->read_count; i++) {
        const struct ct_command_numbers *numbers = &run->numbers[i];
        double *sorted =
            numbers->count ? ct_mem_array(numbers->count, sizeof(*sorted)) : NULL;

        if (!sorted)
            continue;
        memcpy(sorted, numbers->values, numbers->count * sizeof(*sorted));
        ct_quantities_set(&outcome->observed,
                          (enum ct_quantity)run->command->reads[i].quantity,
                          ct_stats_median(sorted, numbers->count));
        free(sorted);
    }
    return CT_STEP_DONE;
}

static enum ct_step measure(struct ct_evaluation *ev, struct ct_err *err)
{
    const struct ct_race *race = &ev->request->race;
    uint64_t since_ns = ct_clock_now_ns();
    enum ct_step step = CT_STEP_DONE;

    ct_session_phase(ev->session, CT_PHASE_MEASURE, CT_CULPRIT_CONFIGURATION);
    ct_sampler_init(&ev->sampler, race->samples, race->leader_ns, ev->first.wall_ns);
    ct_sampler_race(&ev->sampler, race->resolution, race->off);
    ct_sampler_beat(&ev->sampler, race->beat_ns);
    ev->glanced = ct_sampler_glance(&ev->sampler, &ev->first, CT_SAMPLER_SHARED);
    if (ev->glanced)
        return ct_sampler_accept(&ev->sampler, &ev->first, err) ? CT_STEP_ERROR
                                                                : finish(ev, err);
    /* The first run is no sample: its numbers do not count. */
    for (size_t i = 0; i < ev->command->command->read_count; i++)
        ev->command->numbers[i].count = 0;
    while (step == CT_STEP_DONE && ct_sampler_next(&ev->sampler) &&
           !enough(&ev->sampler, since_ns))
        step = take_sample(ev, err);
    return step == CT_STEP_DONE ? finish(ev, err) : step;
}

/* --- interface --- */

static enum ct_step refuse(const struct ct_plan *plan, struct ct_err *err)
{
    const char *what = plan->cold ? "cold caches" : "end-to-end time, with transfers,";

    if (!plan->cold && !plan->end_to_end)
        return CT_STEP_DONE;
    ct_err_set(
        err, CT_E_SPEC,
        "a [program] has no buffers, so %s cannot be measured: its time is that of "
        "the whole run, or what [read] finds",
        what);
    return CT_STEP_ERROR;
}

enum ct_step ct_command_evaluate(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_step step = refuse(ev->plan, err);

    if (step == CT_STEP_DONE)
        step = get_truth(ev, err);
    if (step != CT_STEP_DONE)
        return step;
    ct_session_phase(ev->session, CT_PHASE_BUILD, CT_CULPRIT_CONFIGURATION);
    step = set_up(ev, err);
    if (step != CT_STEP_DONE)
        return step;
    ct_session_phase(ev->session, CT_PHASE_FIRST, CT_CULPRIT_CONFIGURATION);
    step = run_once(ev, ev->command, ev->session->command_truth, &ev->first, err);
    return step == CT_STEP_DONE ? measure(ev, err) : step;
}

enum ct_step ct_command_more(struct ct_evaluation *ev, struct ct_err *err)
{
    enum ct_step step;

    ct_session_phase(ev->session, CT_PHASE_MEASURE, CT_CULPRIT_CONFIGURATION);
    step = take_sample(ev, err);
    return step == CT_STEP_DONE ? finish(ev, err) : step;
}
