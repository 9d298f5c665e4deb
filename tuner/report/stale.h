// SPDX-License-Identifier: Apache-2.0
// Whether an answer may be out of date.
#ifndef CT_REPORT_STALE_H
#define CT_REPORT_STALE_H

#include "base/str.h"
#include "db/cltunedb.h"

#include <jansson.h>

/* Appends a line, ending with a line feed, for each reason why an answer may be out of date: those of
 * cltunedb_stale, and kernel sources that were modified after the measurement.  Only a space file that the
 * user has searched is read. */
void ct_stale_put(struct ct_str *out, const cltunedb_answer *answer);

/* The same reasons as a list of words: "source", "space_file", "driver", "source_file". */
json_t *ct_stale_json(const cltunedb_answer *answer);

#endif
