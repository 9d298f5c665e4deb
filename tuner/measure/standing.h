// SPDX-License-Identifier: Apache-2.0
// Who won a play-off: decisions on numbers, without a device.
//
// Every round is a process; in each, all entrants that are still in it are timed, one
// after the other.  Entrants are compared round by round, so that what a round has in
// common (clock, memory, other programs) cancels out.
#ifndef CT_MEASURE_STANDING_H
#define CT_MEASURE_STANDING_H

#include <stdbool.h>
#include <stddef.h>

enum ct_place {
    CT_PLACE_WINNER,
    CT_PLACE_TIED, /* cannot be told apart from the winner */
    CT_PLACE_LOST, /* worse than the winner, beyond doubt */
    CT_PLACE_OUT,  /* failed in some round */
};

struct ct_standing {
    enum ct_place place;
    size_t rounds; /* that it was timed in */
    double cost;   /* median over its rounds; NAN: none */
    double low;    /* 95% interval of that over rounds */
    double high;
    double ratio;     /* to the winner, median over common rounds; 1 for the winner */
    double ratio_low; /* its interval */
    double ratio_high;
};

struct ct_contest {
    size_t entrants;
    size_t rounds;
    /* costs[round * entrants + entrant], smaller is better, positive; NAN: not timed in
     * that round. */
    const double *costs;
    /* Who is preferred among those that cannot be told apart, smaller first: the same in
     * every run. */
    const size_t *preference;
    /* Differences below this share do not count as differences; 0: any. */
    double indifference;
};

/* Judges; `standings` has room for all entrants.  The winner is the preferred one of
 * those that cannot be told apart from the one with the least cost.  Index of the winner,
 * or SIZE_MAX when nobody was timed.  CT_PLACE_OUT is the caller's to set before (kept,
 * and left aside). */
size_t ct_standing_judge(const struct ct_contest *contest, struct ct_standing *standings);

/* Whether more rounds could change what is said: entrants that can still be told apart or
 * have too few rounds.  `stays` (one an entrant) becomes false for those that have lost
 * already and need no more rounds. */
bool ct_standing_open(const struct ct_contest *contest, size_t least_rounds, bool *stays);

#endif
