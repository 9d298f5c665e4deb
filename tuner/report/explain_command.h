// SPDX-License-Identifier: Apache-2.0
// The program of a configuration, for `cltune space --explain`.
#ifndef CT_REPORT_EXPLAIN_COMMAND_H
#define CT_REPORT_EXPLAIN_COMMAND_H

#include "plan/plan.h"

/* Prints what is run, where, what it finds and what is right. */
void ct_report_explain_command(const struct ct_plan_command *command);

#endif
