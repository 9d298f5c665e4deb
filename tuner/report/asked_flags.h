// SPDX-License-Identifier: Apache-2.0
// The options of an answer, for the problem that was asked for.
#ifndef CT_REPORT_ASKED_FLAGS_H
#define CT_REPORT_ASKED_FLAGS_H

#include "base/str.h"
#include "db/cltunedb.h"

/* Appends the options of an answer: as stored if its problem is the asked one, else with the
 * macros that follow from the problem computed for the sizes of the query (others are those of
 * the answer's problem).  False if some cannot be computed: `unknown` receives their names,
 * separated by ", ", and `out` lacks their values.  Lack of memory shows in `out`. */
bool ct_asked_flags_put(const cltunedb_answer *answer, const cltunedb_query *query,
                        struct ct_str *out, struct ct_str *unknown);

#endif
