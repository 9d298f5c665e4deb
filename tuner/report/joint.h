// SPDX-License-Identifier: Apache-2.0
// Shows what one search for several problems has found.
#ifndef CT_REPORT_JOINT_H
#define CT_REPORT_JOINT_H

#include "tune/joint.h"

/* The best ten with their ratio to each problem's best, and how to look them up, on standard output, in
 * `width` columns (0: no limit). */
void ct_report_joint(const struct ct_joint *joint, size_t width);

/* The same as a JSON object. */
void ct_report_joint_json(const struct ct_joint *joint);

#endif
