// SPDX-License-Identifier: Apache-2.0
// Timing the best few against each other over fresh processes (doc/measuring.md), and a
// configuration against itself (the A/A test), with a scheduler that has nothing else to do.
#ifndef CT_JUDGE_PLAYOFF_H
#define CT_JUDGE_PLAYOFF_H

#include "schedule/scheduler.h"
#include "judge/ranking.h"

struct ct_entrant {
    const struct ct_plan *plan; /* borrowed */
    /* Results; the arena of the play-off owns them.  The winner's and that of `beside`
     * come from the rounds of the confirmation alone (and so do cost, low and high of the
     * ranking), the others' from those that decided. */
    struct ct_ranking ranking; /* rounds: those that decided */
    size_t processes;          /* so many values have the two below */
    double *costs;             /* one a process */
    double *times_ns;          /* likewise: device time, median of the samples */
    double time_ns;            /* median over processes; 0: none */
    double low_ns;             /* its 95% interval; the range for fewer than 6 */
    double high_ns;
    double end_to_end_ns; /* likewise, 0: not asked for */
    double end_to_end_low_ns;
    double end_to_end_high_ns;
    struct ct_quantities observed; /* medians over processes */
    enum ct_result_status status;  /* CT_RESULT_OK, or how it failed, */
    enum ct_phase phase;           /* where */
    const char *message;           /* and why */
};

struct ct_playoff_options {
    size_t least_rounds; /* 0: 5 */
    size_t most_rounds;  /* 0: 15 */
    uint64_t limit_ns;   /* of wall time: nobody meets after that but in the least rounds,
                            and to confirm; 0: none */
    uint32_t samples;    /* an entrant and round; 0: the default number */
    /* Within a round entrants take turns, sample by sample, where one process can have
     * them all (schedule/interleaved.h): for costs that follow from the device time
     * alone. `samples` is the least number then, and `most_samples` the most;
     * `round_samples` (0: no limit) that of all entrants of a round together, so that
     * rounds are short while many are in it who will soon be out. */
    bool interleaved;
    uint32_t most_samples;
    uint32_t round_samples;
    uint64_t seed; /* of the order within rounds */
    /* Rounds for the winner (and entrant `beside`, SIZE_MAX: none) alone after it is
     * known: its time is told from these, so that it is no lucky one.  0: 6. */
    size_t confirm_rounds;
    size_t beside;
    bool beside_only; /* that one is timed beside the winner, but does not compete */
    /* What is to be small, and positive; NAN: cannot be told.  NULL: the device time. */
    double (*cost)(void *user, size_t entrant, const struct ct_outcome *outcome);
    /* After each round, also those of the confirmation, may be NULL; anything but CT_OK
     * ends the play-off with it. */
    enum ct_status (*round)(void *user, size_t round, size_t left);
    void *user;
};

struct ct_playoff {
    struct ct_arena arena;
    size_t rounds;    /* that decided */
    size_t confirmed; /* rounds of the winner alone */
    size_t winner;    /* SIZE_MAX: nobody */
    size_t tied;      /* how many cannot be told apart from the winner */
    /* The smallest difference to the winner that would have been told: half the widest
     * interval of a ratio among those that are tied, at least 0.5%. */
    double resolution;
    /* The confirmation did not bear the choice out: one that is tied was faster, twice
     * (or once, where there was no time to repeat it).
     * The times of this device change from minute to minute. */
    bool doubtful;
    uint64_t spent_ns;
};

/* Runs a play-off: rounds over fresh processes, in each of which all entrants that are
 * still in it are evaluated (and checked) in an order drawn with the seed.  Who fails is
 * out; who is told apart from the best drops out, and is called back when everybody
 * better has failed.  `preference` as in struct ct_contest.
 * A single entrant has nothing but the confirmation.  Where the winner turns out slower
 * when it is confirmed than one that is tied with it, they meet once more.
 *
 * Every entrant is built once at most, whatever the scheduler's options.  Errors as those of
 * ct_scheduler_wait, and CT_E_NOMEM; winner is SIZE_MAX then, and no entrant has results. */
enum ct_status ct_playoff_run(struct ct_scheduler *scheduler, struct ct_entrant *entrants,
                              size_t count, const size_t *preference,
                              const struct ct_playoff_options *options,
                              struct ct_playoff *out, struct ct_err *err);
/* The most samples that one of `count` entrants of a round gets. */
uint32_t ct_playoff_samples(const struct ct_playoff_options *options, size_t count);
void ct_playoff_release(struct ct_playoff *playoff);

/* The entrants that were timed and did not fail, in their order: the winner, those that are tied
 * with it, the others; among equals the better ones first.  `order` has room for all of them;
 * returns how many.  None without a winner. */
size_t ct_playoff_order(const struct ct_playoff *playoff,
                        const struct ct_entrant *entrants, size_t count,
                        const struct ct_entrant **order);

/* What an A/A test found out about timing on this device, here and now. */
struct ct_noise {
    size_t processes;
    double median_ns;
    double within;    /* relative spread of samples in one process (1.4826 MAD) */
    double between;   /* relative spread of processes beyond what their samples explain */
    uint32_t samples; /* that a configuration should get */
    double resolution; /* smallest relative difference that one process each can tell */
    double
        playoff_resolution; /* that a play-off can tell, also where nobody takes turns */
    double others_load;     /* NAN: not known */
    enum ct_result_status status; /* of the first process that failed, or CT_RESULT_OK */
    uint64_t spent_ns;
};

/* Times one plan in so many fresh processes (0: 5) with so many samples each (0: the
 * default number; at least 3).  A plan that fails ends the test: `status` says how. */
enum ct_status ct_noise_test(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                             size_t processes, uint32_t samples, struct ct_noise *out,
                             struct ct_err *err);

/* The same from numbers: `samples` of each process one after the other, `counts` of each;
 * fills everything but status, others_load and spent_ns.  CT_E_NOMEM. */
enum ct_status ct_noise_judge(const double *samples_ns, const size_t *counts,
                              size_t processes, struct ct_noise *out, struct ct_err *err);

#endif
