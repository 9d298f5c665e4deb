// SPDX-License-Identifier: Apache-2.0
// The ranking of a play-off: decisions on numbers, without a device.
//
// Every round is a process; in each, all remaining entrants are timed, one after the other.
// Entrants are compared round by round, so that what a round has in common (clock, memory, other
// programs) cancels out: the logarithm of the ratio of two costs is taken in every common round,
// and its trimmed mean (a fifth at each end, so that an outlying round does not count) is tested
// against zero by the winsorized variance (Tukey & McLaughlin 1963; Yuen 1974; Wilcox,
// Introduction to Robust Estimation and Hypothesis Testing, 4.3.2), with Holm's correction over
// the entrants.
#ifndef CT_JUDGE_RANKING_H
#define CT_JUDGE_RANKING_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum ct_rank {
    CT_RANK_WINNER,
    CT_RANK_TIED, /* statistically tied with the best */
    CT_RANK_LOST, /* significantly worse than the best, or it would hardly turn out to be it */
    CT_RANK_OUT, /* failed in some round */
};

/* "winner", "tied", "lost", "out". */
const char *ct_rank_name(enum ct_rank rank);

struct ct_ranking {
    enum ct_rank rank;
    size_t rounds; /* in which it was timed */
    double cost;   /* median over its rounds; NAN: none */
    double
        low; /* 95% interval of that over rounds; for fewer than 6 the range, or what is known of
                 * processes, whichever is wider */
    double high;
    double ratio; /* to the winner, over common rounds; 1 for the winner */
    /* its 95% interval; NAN with fewer than 2 common rounds.  Of one that has lost by the variance of all,
     * which its own rounds may not show: by that, too */
    double ratio_low;
    double ratio_high;
};

/* What an A/A test has shown of the times of processes; all 0: nothing.  Few rounds may agree by
 * chance: they are not believed to be more precise than this. */
struct ct_steadiness {
    double deviation; /* of one process, relative */
    size_t freedom;   /* degrees of freedom of that */
};

/* Half the width, relative, of the 95% interval of the median of `count` processes according to
 * that; 0: nothing is known, or there are enough (six) for an interval of their own. */
double ct_steadiness_half(const struct ct_steadiness *steady, size_t count);

struct ct_contest {
    size_t entrants;
    size_t rounds;
    /* costs[round * entrants + entrant], lower is better, positive; NAN: not timed in that
     * round. */
    const double *costs;
    /* Preference among tied entrants, lower first: the same in every run.  NULL: in order. */
    const size_t *preference;
    /* Smaller relative differences are ignored; 0: none are. */
    double indifference;
    struct ct_steadiness steady;
    /* The preferred one may not seem worse than the best by more than the indifference, whatever noise
     * explains: for contests that end before all their rounds, whose noise would explain much. */
    bool strict;
    /* As `steady`, but of times themselves, of which ratios lose what processes have in common. */
    struct ct_steadiness times;
};

/* NAN if it was not timed in that round. */
static inline double ct_contest_cost(const struct ct_contest *contest, size_t round,
                                     size_t entrant)
{
    double cost = contest->costs[round * contest->entrants + entrant];

    return cost > 0 && isfinite(cost) ? cost : NAN;
}

/* A paired ratio: exp of the trimmed mean of logarithms, with its 95% interval (NAN with fewer
 * than 2 values). */
struct ct_ratio {
    double middle; /* NAN without values */
    double low;
    double high;
};

/* From the logarithms of the ratios of common rounds, which it sorts. */
struct ct_ratio ct_ranking_ratio(double *logs, size_t count,
                                 const struct ct_steadiness *steady);

/* Judges; `rankings` has room for all entrants, with their rank set before: OUT is kept and
 * ignored; LOST (dropped in an earlier round) is kept and cannot win; others are decided here.
 * The best is the one that no other beats; the winner is the preferred one of those tied with it,
 * but none that appears worse by more than noise explains (1.2 standard errors) unless that is
 * within the indifference by one of them, and none by more than 1.5%, so that what noise hides
 * stays small.  Index of the winner, or SIZE_MAX if none was timed or memory is short. */
size_t ct_ranking_judge(const struct ct_contest *contest, struct ct_ranking *rankings);

/* Whether more rounds could change the result: some entrant has fewer than `least_rounds`, or is
 * neither significantly different from the best nor known to be within 1% (or the indifference)
 * of it.  `stays` (one per entrant): false on entry for those already out; becomes false for
 * those that have lost beyond doubt (99%, from three rounds on, or two if processes hardly differ)
 * and need no more rounds.  Where four or more take part, two rounds may be enough: their variances
 * are then moderated by the mean of all (Smyth, Linear models and empirical Bayes methods, 2004), and
 * 99.7% is asked for. */
bool ct_ranking_open(const struct ct_contest *contest, size_t least_rounds, bool *stays);

/* The standard deviation from round to round of the logarithm of a ratio to the best of those that stay:
 * the median over the others.  0 without two of them that have two common rounds, or if memory is
 * short. */
double ct_ranking_spread(const struct ct_contest *contest, const bool *stays);

/* By how much the times of one process differ, besides what all entrants of a round have in common: from the
 * residuals of a two-way layout of logarithms, of entrants and rounds, whether or not all were timed in all of
 * them.  The deviation is the largest that these show in 95% of cases.  All 0 where that rests on fewer than
 * two degrees of freedom, or if memory is short. */
struct ct_steadiness ct_ranking_steadiness(const struct ct_contest *contest);

/* By which share the choice among those that stay would improve, on average, if there were `more`
 * rounds: the expected value of what they would show (Raiffa and Schlaifer, Applied Statistical
 * Decision Theory, 1961, 5.3), with the spread above, widened where rounds are few, and nothing known
 * beforehand.  It errs on the
 * high side, since ratios to one best are taken as independent.  INFINITY if the spread is unknown. */
double ct_ranking_gain(const struct ct_contest *contest, const bool *stays, size_t more);

/* Takes those from `stays` that `more` rounds will most likely not show to be the best, whether or not they
 * are significantly worse: by as much as the choice would improve, on average, if they had these rounds,
 * which is `worth` for all of them together at most.  Sets their `vain` (one per entrant; that of others is
 * left).  Two rounds must have shown how ratios differ, three if fewer than four take part.  Nobody is
 * taken if memory is short. */
void ct_ranking_drop_vain(const struct ct_contest *contest, size_t more, double worth,
                          bool *stays, bool *vain);

#endif
