// SPDX-License-Identifier: Apache-2.0
// The policy of contests: how many configurations, processes and samples the A/A test, the drift
// check and the play-off use, and what they may cost.  Everything that is a choice rather than a
// statistic is here.
#ifndef CT_JUDGE_POLICY_H
#define CT_JUDGE_POLICY_H

/* --- the A/A test: the default configuration against itself --- */

enum {
    CT_POLICY_FIRST_SAMPLES =
        3,                     /* of the default before the test, which times it again */
    CT_POLICY_NOISE_WORTH = 4, /* least evaluations to come for it to be worthwhile */
    CT_POLICY_NOISE_PROCESSES = 5, /* fewer do not show how processes differ */
    CT_POLICY_NOISE_SAMPLES = 10,  /* of each process, if they are short */
    CT_POLICY_NOISE_SAMPLES_LEAST = 3,
    CT_POLICY_NOISE_SHARE = 20, /* at most one part in this many of a time budget */
    CT_POLICY_NOISE_OVER = 2,   /* times that share, then it ends with what it has */
};

/* Samples of a process of the test that differ by this share at most are enough:
 * more would not show anything that a play-off looks at. */
#define CT_POLICY_NOISE_AGREEING   0.001
#define CT_POLICY_NOISE_USELESS    0.2  /* resolution of a test that has failed */
#define CT_POLICY_NOISE_PROCESS_S  0.15 /* to start one and check the outputs, about */
#define CT_POLICY_NOISE_SAMPLING_S 0.1  /* of a process, if samples are long */

/* --- the drift check: the default configuration timed repeatedly --- */

enum {
    CT_POLICY_DRIFT_SHARE = 20, /* of the evaluations: one in this many */
    CT_POLICY_DRIFT_SAMPLES = 5,
};

/* Least run time between two checks: of 10 ms each, they take a fortieth of it. */
#define CT_POLICY_DRIFT_RUN_NS 2000000000

/* --- devices that share a search: the default configuration on all of them --- */

enum {
    CT_POLICY_SIBLING_ROUNDS = 3, /* processes of each */
};

#define CT_POLICY_SIBLING                                                                \
    0.02 /* they may differ by this, or by what the A/A test resolves */

/* --- the play-off: the leading configurations against each other --- */

enum {
    CT_POLICY_ENTRANTS = 24,    /* at most */
    CT_POLICY_LEAST_ROUNDS = 5, /* a 95% interval needs six times: 5 and a confirmation */
    CT_POLICY_CONFIRM_ROUNDS = 6, /* the winner's own time comes from these alone */
    CT_POLICY_FEWEST_ROUNDS = 3,  /* of either, if time is short */
    CT_POLICY_BESIDE_ROUNDS = 3,  /* of the confirmation, in which the default is timed */
    /* Of either, where processes hardly differ: with fewer nothing is significant, and the
     * intervals come from the deviation in the A/A test. */
    CT_POLICY_STEADY_ROUNDS = 3,
    CT_POLICY_ROUNDS_WORTH =
        3, /* all together; with time for fewer there is no play-off */
    CT_POLICY_MOST_ROUNDS_NOISY = 30,
    CT_POLICY_ROUNDS_OF_ALL = 3, /* afterwards clearly slower ones drop out */
    CT_POLICY_STAY = 4,          /* about this many remain */
    CT_POLICY_SAMPLES_MOST = 10, /* per entrant and round */
    CT_POLICY_SAMPLES_LEAST = 3,
    CT_POLICY_SAMPLES_FIT = 6,    /* before entrants are left out, if time is short */
    CT_POLICY_SAMPLES_STEADY = 2, /* where neither they nor processes differ by much */
    CT_POLICY_SAMPLES_SAME = 1,   /* where they differ by less than processes may */
    CT_POLICY_PLAYOFFS = 3, /* in a row, while the leader turns out to have been lucky */
    CT_POLICY_TARGETS_MISSED =
        5, /* play-offs that may miss the target before it is given up */
};

#define CT_POLICY_PROCESS_S        0.1  /* to start one */
#define CT_POLICY_EVALUATION_S     0.05 /* per entrant, besides its samples */
#define CT_POLICY_SAMPLING_S       0.3  /* per entrant and round, about */
#define CT_POLICY_INTERLEAVED_S    0.6  /* the same at most, if samples are interleaved */
#define CT_POLICY_ROUND_SAMPLING_S 1.0 /* of all entrants in a round, if there are many */
#define CT_POLICY_COSTLY                                                                 \
    3.0 /* times a sample's own time, taken for each: not only timed */
#define CT_POLICY_RESOLUTION 0.05 /* assumed without an A/A test */
/* Of a configuration's samples before a play-off, if one takes long. */
#define CT_POLICY_LOOK_S 0.5
#define CT_POLICY_NOISY  0.05 /* resolution from which more rounds pay */
/* How much two processes differ at most in 95% of cases, in deviations of one: 1.96 * sqrt(2). */
#define CT_POLICY_TWO_PROCESSES 2.7718585
/* By how much two processes may differ to count as the same: as much as a play-off ignores. */
#define CT_POLICY_STEADY 0.005
/* The chance to be the best that all together have who do not take part; and the most of it, where
 * they would take more time than the play-off has. */
#define CT_POLICY_CHANCE_LEFT      0.01
#define CT_POLICY_CHANCE_LEFT_MOST 0.1
/* And from which, once the times of a play-off are known, there is another one. */
#define CT_POLICY_CHANCE_OVERLOOKED 0.05
/* A smaller deviation of processes is not relied on: others may differ more than the default. */
#define CT_POLICY_DEVIATION_LEAST 0.005
/* The same where those of the default hardly differ: those of others then differ by 0.02 to 0.1% (six
 * spaces on an H100; doc/measurements.md). */
#define CT_POLICY_DEVIATION_STEADY 0.0015
/* How much of the differences between processes is left in ratios of configurations that are timed in
 * turns in one of them, about. */
#define CT_POLICY_RATIO_SHARE 0.5
/* How uncertain a ratio may be in one process, relative to what it differs by from process to process, that
 * included: sqrt(1 / 2).  Its own error and what processes differ by then add as much, which takes the
 * least time for a mean ratio if samples take as long as all else of a process. */
#define CT_POLICY_OWN_SHARE 0.7
/* How many times as much as was relied on processes must differ for a play-off to be called off: two rounds
 * show that of as much by chance in 5% of cases at most. */
#define CT_POLICY_SPREAD_OVER 2
/* And how many times its planned duration a limit must be that holds in any case. */
#define CT_POLICY_CALLED_OFF_WORTH 2
/* By how much a choice must be expected to improve by the rounds that there is time for, and who is left
 * out of further rounds may cost by that.  Choices are right as often as with all of these rounds
 * (doc/measurements.md). */
#define CT_POLICY_WORTH 0.0005
/* And the share of the time that is left for all play-offs, for the same reason: rounds tell less and less. */
#define CT_POLICY_SPREAD_SHARE 0.5
/* And how well the winner's time is to be known by the few processes that confirm it (half of a 95% interval):
 * where the A/A test has seen one that was far off, they would not show it. */
#define CT_POLICY_TIME_KNOWN 0.01
/* Samples of one process differ by less than what is relied on of processes. */
#define CT_POLICY_SAME 0.001
/* Of A/A test and play-off together: of a time budget, or of the search without them. */
#define CT_POLICY_CONTEST_SHARE 0.25
/* Without a time budget at least this long: if processes differ much, only many of them decide. */
#define CT_POLICY_CONTEST_LEAST_S 6.0
/* And if they do not, only until a search has taken this long: nobody who waits for less minds. */
#define CT_POLICY_CONTEST_END_S  20.0
#define CT_POLICY_BUDGET_LEAST_S 2.0 /* of a time budget, unless that is half of it */
#define CT_POLICY_PLAYOFF_MOST_S 1e6 /* with --playoff 100% */

/* --- the second look --- */

/* Resolution of single processes from which there is one: up to it, single samples of a configuration decide
 * (worker/timing/sample.h). */
#define CT_POLICY_SECOND_NOISE 0.02

enum { CT_POLICY_SECOND_SAMPLES = 3 }; /* the play-off times again what is fast now */

/* Times the best, for what was not stopped early: closer ones take part in the play-off, as do those within the
 * resolution. */
#define CT_POLICY_SECOND_FAR 1.3
/* Times the best: nothing that was seen slows a visit down by more. */
#define CT_POLICY_SECOND_NEAR    2.6
#define CT_POLICY_SECOND_BEAT    0.97 /* of the first time: else all is as before */
#define CT_POLICY_SECOND_SHARE   0.03 /* of the search so far, but at least */
#define CT_POLICY_SECOND_LEAST_S 0.5  /* this long */

/* --- the leaders of a rough search --- */

enum { CT_POLICY_ROUGH_ENTRANTS = 8 };

#define CT_POLICY_ROUGH_NEAR 1.5 /* times the best: single processes differ by less */

/* --- islands: searches that read each other's results --- */

#define CT_POLICY_ISLANDS_NS 1000000000 /* least time between two readings */
enum {
    CT_POLICY_ISLANDS_SHARE = 50
}; /* of which reading takes at most one part in this */

/* --- the end of a search whose reference or data must be at fault --- */

enum {
    CT_POLICY_ALL_WRONG = 4
}; /* configurations, the default among them, and none that works */

#define CT_POLICY_ALL_WRONG_SHARE 0.99 /* of the values: some are right by chance */

/* --- the host baseline --- */

#define CT_POLICY_BASELINE_SHARE   0.1 /* of the whole search, but at least */
#define CT_POLICY_BASELINE_LEAST_S 1.0 /* this long: a sample of most code */
/* Calls on all processors that it cannot do without: once alone, once to see whether it has
 * threads, copies that are compared, a sample. */
#define CT_POLICY_BASELINE_CALLS 4

/* --- the recheck of a stored best --- */

enum {
    CT_POLICY_RUNNERS_UP = 5,
    CT_POLICY_RECHECK_SAMPLES =
        100, /* of all entrants in a round, if they are interleaved */
};

/* Further rounds are for doubtful cases: a recheck should take seconds. */
#define CT_POLICY_RECHECK_LIMIT_NS 20000000000

/* --- cltune compare --- */

enum {
    CT_POLICY_COMPARE_ROUNDS = 10,
    CT_POLICY_COMPARE_LEAST = 6, /* the range of fewer is no 95% interval */
};

#endif
