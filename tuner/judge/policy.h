// SPDX-License-Identifier: Apache-2.0
// The policy of contests: how many configurations, processes and samples the A/A test, the drift
// check and the play-off spend, and what they may cost.  Everything that is a choice rather than a
// statistic is here.
#ifndef CT_JUDGE_POLICY_H
#define CT_JUDGE_POLICY_H

/* --- the A/A test: the default configuration against itself --- */

enum {
    CT_POLICY_NOISE_WORTH = 4,     /* evaluations to come, or it is not worth its time */
    CT_POLICY_NOISE_PROCESSES = 5, /* fewer do not show how processes differ */
    CT_POLICY_NOISE_SAMPLES = 10,  /* of each process, where they are short, */
    CT_POLICY_NOISE_SAMPLES_LEAST = 3,
    CT_POLICY_NOISE_SHARE = 20, /* one part in so many of a time budget at most */
};

#define CT_POLICY_NOISE_PROCESS_S  0.15 /* to start one and check the outputs, about */
#define CT_POLICY_NOISE_SAMPLING_S 0.2  /* of a process, where samples are long */

/* --- the drift check: the default configuration again and again --- */

enum {
    CT_POLICY_DRIFT_SHARE = 20, /* of the evaluations: one in so many */
    CT_POLICY_DRIFT_SAMPLES = 5,
};

#define CT_POLICY_DRIFT_RUN_NS 10000000000 /* of running between two times, at least */

/* --- the play-off: the best few against each other --- */

enum {
    CT_POLICY_ENTRANTS = 24, /* at most */
    CT_POLICY_LEAST_ROUNDS =
        5, /* an interval of 95% needs six times: 5 and a confirmation */
    CT_POLICY_CONFIRM_ROUNDS = 6, /* the winner's own time comes from these alone */
    CT_POLICY_FEWEST_ROUNDS = 3,  /* of either, where time is short */
    CT_POLICY_MOST_ROUNDS_NOISY = 30,
    CT_POLICY_ROUNDS_OF_ALL = 3, /* then those leave that are clearly slower */
    CT_POLICY_STAY = 4,          /* about so many stay */
    CT_POLICY_SAMPLES_MOST = 10, /* of an entrant in a round */
    CT_POLICY_SAMPLES_LEAST = 3,
    CT_POLICY_PLAYOFFS = 3, /* in a row, while the leader turns out to have been lucky */
    CT_POLICY_TARGETS_MISSED =
        5, /* play-offs that may miss the target before it is given up */
};

#define CT_POLICY_PROCESS_S        0.1  /* to start one */
#define CT_POLICY_EVALUATION_S     0.05 /* of an entrant, beside its samples */
#define CT_POLICY_SAMPLING_S       0.3  /* of an entrant and round, about */
#define CT_POLICY_INTERLEAVED_S    0.6 /* the same at most, where samples are interleaved */
#define CT_POLICY_ROUND_SAMPLING_S 1.5  /* of all in a round, where there are many */
#define CT_POLICY_RESOLUTION       0.05 /* assumed where there was no A/A test */
#define CT_POLICY_NOISY            0.05 /* resolution from which on more rounds pay */
#define CT_POLICY_NEAR             1.5 /* so many times the resolution: who may be better in truth */
#define CT_POLICY_NEAR_LEAST       0.02 /* a resolution below this is not counted on */
#define CT_POLICY_BUDGET_SHARE     0.25 /* of a time budget, but at least */
#define CT_POLICY_BUDGET_LEAST_S   2.0  /* so long */
#define CT_POLICY_SEARCH_SHARE                                                           \
    0.5 /* of what the search took, without one, but at least */
#define CT_POLICY_SEARCH_LEAST_S 30.0 /* so long */

/* --- the recheck of a stored best --- */

enum {
    CT_POLICY_RUNNERS_UP = 5,
    CT_POLICY_RECHECK_SAMPLES =
        100, /* of all entrants in a round, where they are interleaved */
};

/* Rounds beyond the least are for doubtful cases, and a recheck is a matter of seconds. */
#define CT_POLICY_RECHECK_LIMIT_NS 20000000000

/* --- comparing by hand --- */

enum { CT_POLICY_COMPARE_ROUNDS = 10 };

#endif
