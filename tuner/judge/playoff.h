// SPDX-License-Identifier: Apache-2.0
// Times the leading configurations against each other over fresh processes (doc/measuring.md),
// and a configuration against itself (the A/A test), with a scheduler that has no other jobs.
#ifndef CT_JUDGE_PLAYOFF_H
#define CT_JUDGE_PLAYOFF_H

#include "schedule/scheduler.h"
#include "judge/ranking.h"

struct ct_entrant {
    const struct ct_plan *plan; /* borrowed */
    /* Results, owned by the play-off's arena.  The winner's come from the confirmation rounds
     * alone.  Those of others are the winner's times the paired ratio over the rounds that both
     * have: the confirmation for `beside` (if it has three rounds), else the deciding ones.  So
     * they agree with the ratios though the device's speed changed between the two, and nobody
     * that lost to the winner or is tied with it is faster.  The series are as measured, of the
     * confirmation or else the deciding rounds. */
    struct ct_ranking ranking; /* rounds: the deciding ones */
    size_t processes;          /* number of values in the two arrays below */
    double *costs;             /* one per process */
    double *times_ns;          /* likewise: device time, median of the samples */
    double time_ns;            /* 0: none */
    /* Its 95% interval; for fewer than 6 processes the range, or what is known of processes,
     * whichever is wider. */
    double low_ns;
    double high_ns;
    double end_to_end_ns; /* likewise, 0: not requested */
    double end_to_end_low_ns;
    double end_to_end_high_ns;
    /* Medians over processes, but the energy is related, too. */
    struct ct_quantities observed;
    enum ct_result_status status; /* CT_RESULT_OK, or how it failed */
    enum ct_phase phase;          /* in which it failed */
    const char *message;          /* why it failed */
};

struct ct_playoff_options {
    size_t least_rounds; /* 0: 5 */
    size_t most_rounds;  /* 0: 15 */
    /* wall time, with the confirmation's: rounds beyond the least that would exceed it do not take
     * place; 0: no limit */
    uint64_t limit_ns;
    bool hard; /* no round starts that would end after `limit_ns`, but for the first */
    bool
        rematch; /* unless hard: if the confirmation contradicts the choice, there is a rematch
                   * even after `limit_ns` */
    uint32_t samples; /* per entrant and round; 0: the default number */
    /* Within a round samples of the entrants are interleaved if one process can hold them all
     * (schedule/interleaved.h): for costs that follow from the device time alone.  Then `samples`
     * is the least number, and `most_samples` the most; `round_samples` (0: no limit) limits all
     * entrants of a round together, so that rounds are short while many entrants that will soon
     * drop out take part. */
    bool interleaved;
    uint32_t most_samples;
    uint32_t round_samples;
    /* By which share (standard deviation) the ratio of two entrants is expected to differ from process to
     * process, until rounds have shown it; 0: unknown.  Where it does, no more samples are taken of a
     * process than make its own ratio CT_POLICY_OWN_SHARE of that: what is left is for other processes to
     * show. */
    double spread;
    uint64_t seed; /* for the order within rounds */
    /* Rounds for the winner (and entrant `beside`, SIZE_MAX: none) alone after it is known: its
     * time comes from these, so that it is not a lucky one.  0: 6. */
    size_t confirm_rounds;
    /* From an A/A test of these times, on which costs depend in proportion; 0: unknown.  Intervals
     * of fewer than six processes are at least as wide as it says; and the confirmation ends after
     * `steady_rounds` (0: it does not) if the processes have differed by CT_POLICY_STEADY at
     * most. */
    struct ct_steadiness steady;
    size_t steady_rounds;
    /* What it has shown of times themselves, where `steady` is of ratios; 0: unknown. */
    struct ct_steadiness times;
    /* The default alone may have differed, in a process that was disturbed, or with the clocks that all have in
     * common.  While rounds show that ratios differ by as little as CT_POLICY_STEADY asks for, so many of them,
     * and of the confirmation, are enough.  0: whatever they show, they are not. */
    size_t settled_rounds;
    /* The contest is called off as soon as two rounds or more show that ratios differ by a larger share
     * (standard deviation) from process to process than this: than those who chose the entrants and these
     * options relied on.  0: it is not. */
    double most_spread;
    /* By which share the choice must be expected to improve by all the rounds that there is still time for;
     * else the contest ends with what is tied.  0: whatever is not close is worth all rounds. */
    double worth;
    /* Nothing else ends it: all that stay may be close to the best.  For ratios that have turned out to differ
     * by more than was thought; no one is preferred then whom only the noise of so few rounds explains. */
    bool only_worth;
    size_t beside;
    /* The same for `beside` alone, if it is what the A/A test has timed, whether or not others are like it:
     * the range of its few rounds is no 95% interval. */
    struct ct_steadiness beside_steady;
    /* Of the confirmation, in which `beside` is timed, where processes differ; 0: all. */
    size_t beside_rounds;
    bool beside_only; /* `beside` is timed with the winner, but does not compete */
    /* Cost, lower is better, positive; NAN: unknown.  NULL: the device time. */
    double (*cost)(void *user, size_t entrant, const struct ct_outcome *outcome);
    /* After each round, including the confirmation; may be NULL; anything but CT_OK ends the
     * play-off with it.  `stays`: which entrants still take part; NULL in the confirmation. */
    enum ct_status (*round)(void *user, size_t round, const bool *stays);
    void *user;
};

struct ct_playoff {
    struct ct_arena arena;
    size_t rounds;    /* that decided */
    size_t confirmed; /* rounds of the winner alone */
    size_t winner;    /* SIZE_MAX: none */
    size_t tied;      /* how many are statistically tied with the winner */
    /* The smallest difference to the winner that would have been resolved: half the widest
     * interval of a ratio among those that are tied, at least 0.5%. */
    double resolution;
    /* The confirmation contradicted the choice: a tied entrant was faster, twice (or once, if
     * there was no time to repeat it).  The device's times change from minute to minute. */
    bool doubtful;
    bool cut; /* rounds were left out for a hard limit */
    /* What rounds have shown of ratios, if that made few of them enough; 0: it did not. */
    struct ct_steadiness settled;
    /* It was called off: there is no winner, and no entrant has results, unless it failed. */
    bool called_off;
    /* By which share (standard deviation) ratios of the best to those that stayed last differed from process
     * to process; 0: unknown. */
    double spread;
    uint64_t spent_ns;
};

/* Runs a play-off: rounds over fresh processes, in each of which all remaining entrants are
 * evaluated (and checked) in an order drawn with the seed.  Entrants that fail are out; those
 * significantly slower than the best drop out, and return if all better ones have failed.
 * `preference` as in struct ct_contest.  A single entrant only has the confirmation.  If the
 * confirmed winner turns out slower than an entrant tied with it, there is one rematch; where
 * processes differ, the best of those is in the same processes for that, since the device's speed
 * may change between contest and confirmation.
 *
 * Every entrant is built once at most, whatever the scheduler's options.  Errors as for
 * ct_scheduler_wait, and CT_E_NOMEM; winner is SIZE_MAX then, and no entrant has results. */
enum ct_status ct_playoff_run(struct ct_scheduler *scheduler, struct ct_entrant *entrants,
                              size_t count, const size_t *preference,
                              const struct ct_playoff_options *options,
                              struct ct_playoff *out, struct ct_err *err);
/* The most samples for one of `count` entrants of a round. */
uint32_t ct_playoff_samples(const struct ct_playoff_options *options, size_t count);
void ct_playoff_release(struct ct_playoff *playoff);

/* The entrants that were timed and did not fail, in order: the winner, those tied with it, the
 * others; among equals the better ones first.  `order` has room for all of them; returns how
 * many.  None without a winner. */
size_t ct_playoff_order(const struct ct_playoff *playoff,
                        const struct ct_entrant *entrants, size_t count,
                        const struct ct_entrant **order);

/* The results of an A/A test: timing on this device, here and now. */
struct ct_noise {
    size_t processes;
    double median_ns;
    double within;    /* relative spread of samples in one process (1.4826 MAD) */
    double between;   /* relative spread of processes beyond what their samples explain */
    uint32_t samples; /* per configuration */
    struct ct_steadiness
        steady; /* of one process's median, the plain standard deviation */
    /* smallest relative difference that one process each can resolve */
    double resolution;
    /* that a play-off can resolve, even without interleaving */
    double playoff_resolution;
    double others_load;           /* NAN: unknown */
    enum ct_result_status status; /* of the first process that failed, or CT_RESULT_OK */
    uint64_t spent_ns;
};

/* Times one plan in that many fresh processes (0: 5) with that many samples each (0: the default
 * number; at least 3).  No process starts that would end more than `limit_ns` (0: no limit) after
 * the first began.  A plan that fails ends the test: see `status`. */
enum ct_status ct_noise_test(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                             size_t processes, uint32_t samples, uint64_t limit_ns,
                             struct ct_noise *out, struct ct_err *err);

/* Whether processes differ so little that a play-off needs few of them (judge/policy.h). */
bool ct_noise_is_steady(const struct ct_noise *noise);

/* How many samples of a process are worthwhile, if these and processes have such relative deviations: until
 * what is uncertain within one process is small compared to the differences between processes, or to those
 * that a play-off looks at. */
uint32_t ct_noise_samples(double within, double between);

/* An A/A test from given values: `samples` of each process one after the other, `counts` of each;
 * sets everything but status, others_load and spent_ns.  CT_E_NOMEM. */
enum ct_status ct_noise_judge(const double *samples_ns, const size_t *counts,
                              size_t processes, struct ct_noise *out, struct ct_err *err);

#endif
