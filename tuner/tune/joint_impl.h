// SPDX-License-Identifier: Apache-2.0
// What the files of a joint search share.  Private to tuner/tune.
#ifndef CT_TUNE_JOINT_IMPL_H
#define CT_TUNE_JOINT_IMPL_H

#include "tune/joint.h"
#include "tune/search_impl.h"

/* Up to this many enter the play-offs of all problems because of their joint cost. */
enum { CT_JOINT_LEADERS = 4 };

/* The index of a configuration of the first problem in that of another one; CT_OUTSIDE: it is not
 * valid there. */
int64_t ct_joint_index(const struct ct_joint *joint, size_t part, uint64_t index);

/* The result of a configuration, by its index in that problem's space; NULL: none. */
const struct ct_evaluated *ct_joint_entry(struct ct_joint_part *part, int64_t index);

/* The weighted mean of the logarithms of the costs.  False, and *known tells whether there are
 * results that say so: it does not work for some problem. */
bool ct_joint_cost(struct ct_joint *joint, uint64_t index, double *cost, bool *known);

/* Invites the leaders to the play-offs.  *more: some of them have not been in one. */
enum ct_status ct_joint_invite(struct ct_joint *joint, bool *more, struct ct_err *err);

/* The least of these means, of all that work, and of the pick: the best of those whose times are of
 * play-offs, if there are any.  Both INFINITY if nothing works. */
enum ct_status ct_joint_least(struct ct_joint *joint, double *least, double *pick,
                              struct ct_err *err);

/* Fills joint->best. */
enum ct_status ct_joint_rank(struct ct_joint *joint, struct ct_err *err);

#endif
