// SPDX-License-Identifier: Apache-2.0
// Passes over several plans.
#include "schedule/interleaved.h"
#include "schedule/measure.h"

#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SAMPLES = 3 }; /* of the evaluation, which also detects interference */

/* A quarter of a percent is half of the difference that a play-off ignores; plans that differ
 * more need less precision. */
static const double fine = 0.0025;
static const double coarse = 0.25; /* of the difference */

struct passes {
    struct ct_scheduler *scheduler;
    const struct ct_interleaved *how;
    struct ct_rng *rng;
    struct ct_outcome *outcomes;
    size_t *live; /* indices of those that still work */
    size_t live_count;
    uint32_t passes; /* completed; every plan that works took part in all of them */
    double *logs;    /* [plan][most]: logarithms of its samples, one per pass */
    double *table;
    double *scratch;
    double *effects;
};

/* --- memory --- */

static void release_passes(struct passes *p)
{
    free(p->live);
    free(p->logs);
    free(p->table);
    free(p->scratch);
    free(p->effects);
}

static bool make_room(struct passes *p)
{
    size_t count = p->how->count;
    size_t most = p->how->most;

    p->live = ct_mem_array(count, sizeof(*p->live));
    p->logs = ct_mem_array(count, most * sizeof(*p->logs));
    p->table = ct_mem_array(count, most * sizeof(*p->table));
    p->scratch = ct_mem_array(2 * most + count, sizeof(*p->scratch));
    p->effects = ct_mem_array(count, sizeof(*p->effects));
    return p->live && p->logs && p->table && p->scratch && p->effects;
}

/* --- requests to the scheduler --- */

static void shuffle(struct passes *p)
{
    for (size_t i = p->live_count; i > 1; i--) {
        size_t other = (size_t)ct_rng_below(p->rng, i);
        size_t kept = p->live[i - 1];

        p->live[i - 1] = p->live[other];
        p->live[other] = kept;
    }
}

/* Takes this pass's sample, and reads the earlier ones of this process again: a clock found to be
 * wrong changes all of them. */
static void take_sample(struct passes *p, size_t plan, const struct ct_outcome *latest)
{
    struct ct_outcome *outcome = &p->outcomes[plan];
    const double *last_ns = latest->samples.ns + latest->samples.count - 1;
    uint32_t begun = latest->samples.interleaved <= p->passes
                         ? p->passes + 1 - latest->samples.interleaved
                         : 0;

    outcome->wall_clock = latest->wall_clock;
    outcome->samples.timer_ns = latest->samples.timer_ns > 0 ? latest->samples.timer_ns
                                                             : outcome->samples.timer_ns;
    outcome->samples.launches = latest->samples.launches;
    for (uint32_t pass = begun; pass <= p->passes; pass++)
        p->logs[plan * p->how->most + pass] = log(*(last_ns - (p->passes - pass)));
}

static void report_outcome(struct passes *p, struct ct_report *report, bool sample)
{
    struct ct_outcome *outcome = &p->outcomes[report->ticket];

    if (sample && report->outcome.status == CT_RESULT_OK) {
        take_sample(p, (size_t)report->ticket, &report->outcome);
        ct_outcome_release(&report->outcome);
        return;
    }
    ct_outcome_release(outcome);
    *outcome = report->outcome;
}

/* One sample or evaluation of every plan that works. */
static enum ct_status ask_plans(struct passes *p, bool sample, bool last,
                                struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t left = 0;

    shuffle(p);
    for (size_t i = 0; i < p->live_count && !status; i++) {
        struct ct_job job = {
            .ticket = p->live[i],
            .plan = p->how->plans[p->live[i]],
            .full = true,
            .again = true,
            .step = {p->how->whole ? 0 : (uint32_t)p->live[i] + 1, sample, last},
            .samples = p->how->whole   ? p->how->least
                       : p->how->first ? p->how->first
                                       : FIRST_SAMPLES,
        };

        status = ct_scheduler_submit(p->scheduler, &job, err);
    }
    for (size_t i = 0; i < p->live_count && !status; i++) {
        struct ct_report report;

        status = ct_scheduler_wait(p->scheduler, &report, err);
        if (status == CT_E_NOT_FOUND)
            status = ct_err_set(err, CT_E_INTERNAL, "an entrant was lost");
        else if (!status)
            report_outcome(p, &report, sample);
    }
    for (size_t i = 0; i < p->live_count; i++)
        if (p->outcomes[p->live[i]].status == CT_RESULT_OK)
            p->live[left++] = p->live[i];
    p->live_count = left;
    return status;
}

/* --- evaluating the passes --- */

static double log_of(const struct passes *p, size_t plan, uint32_t pass)
{
    return p->logs[plan * p->how->most + pass];
}

static void polish(struct passes *p)
{
    size_t columns = p->live_count;

    for (uint32_t pass = 0; pass < p->passes; pass++)
        for (size_t i = 0; i < columns; i++)
            p->table[pass * columns + i] = log_of(p, p->live[i], pass);
    ct_stats_polish(p->table, p->passes, columns, p->scratch, p->effects);
}

/* Whether the difference of two plans is known well enough; the standard error is that of a
 * median, from the MAD of the differences in each pass. */
static bool difference_known(struct passes *p, size_t plan, size_t other)
{
    double *differences = p->scratch;
    double middle;
    double error;

    for (uint32_t pass = 0; pass < p->passes; pass++)
        differences[pass] = log_of(p, plan, pass) - log_of(p, other, pass);
    middle = ct_stats_median(differences, p->passes);
    error = 1.2533 * 1.4826 * ct_stats_mad(differences, p->passes) / sqrt(p->passes);
    return error <= fmax(fmax(fine, p->how->precise), coarse * fabs(middle));
}

static bool precise(struct passes *p)
{
    size_t best = 0;

    polish(p);
    for (size_t i = 1; i < p->live_count; i++)
        if (p->effects[i] < p->effects[best])
            best = i;
    for (size_t i = 0; i < p->live_count; i++)
        if (i != best && !difference_known(p, p->live[i], p->live[best]))
            return false;
    return true;
}

/* Passes until the differences are known; the outputs are compared after the last one. */
static enum ct_status sample_pass(struct passes *p, struct ct_err *err)
{
    const struct ct_interleaved *how = p->how;

    while (p->live_count && p->passes < how->most) {
        uint32_t next = p->passes + 1;
        bool last = next == how->most || (next >= how->least && p->passes && precise(p));
        enum ct_status status = ask_plans(p, true, last, err);

        if (status)
            return status;
        p->passes = next;
        if (last)
            break;
    }
    return CT_OK;
}

/* No clock is finer than that, and a constant time remains constant. */
static double from_log(double log_ns)
{
    const double steps = 1000; /* of a picosecond */

    return round(exp(log_ns) * steps) / steps;
}

/* Computes times from the passes, with intervals from the residuals. */
static void conclude_passes(struct passes *p)
{
    size_t columns = p->live_count;

    polish(p);
    for (size_t i = 0; i < columns; i++) {
        struct ct_outcome *outcome = &p->outcomes[p->live[i]];
        double low;
        double high;

        for (uint32_t k = 0; k < p->passes; k++)
            p->scratch[k] = p->table[k * columns + i];
        ct_stats_median_interval(p->scratch, p->passes, 0.95, &low, &high);
        outcome->samples.interleaved = p->passes;
        outcome->time_ns = from_log(p->effects[i]);
        outcome->low_ns = from_log(p->effects[i] + low);
        outcome->high_ns = from_log(p->effects[i] + high);
    }
}

/* --- interface --- */

bool ct_interleaved_possible(const struct ct_plan *const *plans, size_t count)
{
    struct ct_hash sets[CT_SESSION_DATASETS];
    size_t set_count = 0;

    if (count > CT_INTERLEAVE_SLOTS)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct ct_hash hash = ct_plan_data_hash(plans[i]);
        size_t at = 0;

        if (!ct_plan_same_env(plans[i], plans[0]))
            return false;
        while (at < set_count && strcmp(sets[at].text, hash.text) != 0)
            at++;
        if (at == CT_SESSION_DATASETS)
            return false;
        if (at == set_count)
            sets[set_count++] = hash;
    }
    return true;
}

enum ct_status ct_interleaved_run(struct ct_scheduler *scheduler,
                                  const struct ct_interleaved *how, struct ct_rng *rng,
                                  struct ct_outcome *outcomes, struct ct_err *err)
{
    struct passes p = {
        .scheduler = scheduler, .how = how, .rng = rng, .outcomes = outcomes};
    enum ct_status status;

    for (size_t i = 0; i < how->count; i++)
        outcomes[i] = (struct ct_outcome){.message = "", .build_log = ""};
    status = make_room(&p) ? CT_OK : ct_err_nomem(err);
    if (!status) {
        for (size_t i = 0; i < how->count; i++)
            p.live[i] = i;
        p.live_count = how->count;
        ct_scheduler_renew(scheduler);
        status = ask_plans(&p, false, false, err);
    }
    if (!status && !how->whole)
        status = sample_pass(&p, err);
    if (!status && !how->whole)
        conclude_passes(&p);
    for (size_t i = 0; status && i < how->count; i++)
        ct_outcome_release(&outcomes[i]);
    release_passes(&p);
    return status;
}
