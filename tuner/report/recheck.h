// SPDX-License-Identifier: Apache-2.0
// Shows a recheck.
#ifndef CT_REPORT_RECHECK_H
#define CT_REPORT_RECHECK_H

#include "tune/recheck.h"

#include <jansson.h>

/* On standard output, for users; `quiet`: only the verdict. */
void ct_report_recheck(const struct ct_recheck *recheck, bool quiet, size_t width);

/* The same as an object; the caller owns it. */
json_t *ct_report_recheck_json(const struct ct_recheck *recheck);

#endif
