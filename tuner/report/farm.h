// SPDX-License-Identifier: Apache-2.0
// Shows what a build task has built (`cltune build-farm`).
#ifndef CT_REPORT_FARM_H
#define CT_REPORT_FARM_H

#include "tune/farm.h"

/* On standard output: lines for users, or one JSON object. */
void ct_report_farm(const struct ct_farm *farm);
void ct_report_farm_json(const struct ct_farm *farm);

/* On standard error: what keeps searches from finding all of it. */
void ct_report_farm_warnings(const struct ct_farm *farm);

#endif
