// SPDX-License-Identifier: Apache-2.0
// A configuration's observed quantities as the database keeps them: canonical JSON, an object of
// numbers under the names in base/quantity.h.
#ifndef CT_TUNE_OBSERVED_H
#define CT_TUNE_OBSERVED_H

#include "base/err.h"
#include "base/quantity.h"
#include "base/str.h"

/* Appends the object; unknown quantities are left out.  CT_E_NOMEM. */
enum ct_status ct_observed_put(const struct ct_quantities *observed, struct ct_str *out,
                               struct ct_err *err);

/* Reads one; "" is an object without members.  Unknown names and text values are skipped. CT_E_DB
 * if it is not such an object, CT_E_NOMEM. */
enum ct_status ct_observed_get(const char *text, struct ct_quantities *out,
                               struct ct_err *err);

#endif
