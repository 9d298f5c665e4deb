// SPDX-License-Identifier: Apache-2.0
// What was observed of a configuration as the database keeps it: canonical JSON, an
// object of numbers by the names of base/quantity.h.
#ifndef CT_TUNE_OBSERVED_H
#define CT_TUNE_OBSERVED_H

#include "base/err.h"
#include "base/quantity.h"
#include "base/str.h"

/* Appends the object, with what is known alone.  CT_E_NOMEM. */
enum ct_status ct_observed_put(const struct ct_quantities *observed, struct ct_str *out,
                               struct ct_err *err);

/* Reads one; "" is an object without members.  Names that this version does not know are
 * passed over, and so is text.  CT_E_DB when it is no such object, CT_E_NOMEM. */
enum ct_status ct_observed_get(const char *text, struct ct_quantities *out,
                               struct ct_err *err);

#endif
