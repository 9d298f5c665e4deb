// SPDX-License-Identifier: Apache-2.0
// What cltune init has made.
#ifndef CT_REPORT_INIT_H
#define CT_REPORT_INIT_H

#include "init/init.h"

/* Prints a summary: launch, parameters, the trial, and the lines that a person must decide. */
void ct_report_init(const struct ct_init *init);
void ct_report_init_json(const struct ct_init *init);

#endif
