// SPDX-License-Identifier: Apache-2.0
// The events of a search as JSON, one object a line: --json-lines, described by
// doc/json-lines.schema.json.
#ifndef CT_REPORT_JSON_LINES_H
#define CT_REPORT_JSON_LINES_H

#include "tune/observer.h"

/* Writes the event's record to standard output and flushes it; nothing for events that have none
 * and those of sessions that are no search. */
void ct_json_lines_event(const struct ct_event *event);

#endif
