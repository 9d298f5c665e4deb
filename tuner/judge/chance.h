// SPDX-License-Identifier: Apache-2.0
// How likely each of several configurations is to be the best, given one uncertain time of each.
#ifndef CT_JUDGE_CHANCE_H
#define CT_JUDGE_CHANCE_H

#include <stddef.h>

/* What is known of a configuration's cost: the logarithm of its true cost is distributed like the
 * two halves of normal distributions around that of the measured one (split normal: intervals of
 * medians are lopsided where other programs disturb). */
struct ct_estimate {
    double log_cost;
    double below; /* standard deviation towards lower costs; positive */
    double above; /* and towards higher ones */
};

/* The deviations from a 95% interval around the cost and from the deviation of one process. */
struct ct_estimate ct_estimate_of(double cost, double low, double high, double deviation);

/* Sets chances[i] to the probability that number i has the lowest true cost; all of them add up to
 * 1.  By numerical integration. */
void ct_chance_best(const struct ct_estimate *estimates, size_t count, double *chances);

/* How many of the first ones, which are in descending order of their chances, leave at most `left`
 * to the others; at least 1 if there are any. */
size_t ct_chance_count(const double *chances, size_t count, double left);

#endif
