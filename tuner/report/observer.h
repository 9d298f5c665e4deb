// SPDX-License-Identifier: Apache-2.0
// Shows a session's events while it runs: the observer of the command line.
#ifndef CT_REPORT_OBSERVER_H
#define CT_REPORT_OBSERVER_H

#include "report/progress.h"
#include "report/status.h"
#include "tune/observer.h"

#include <stdbool.h>

enum { CT_REPORT_ESTIMATE_AFTER = 10 }; /* evaluations, before the rate is known */

/* Zeros but for the first six. */
struct ct_console {
    bool quiet;   /* warnings only */
    bool verbose; /* every evaluation */
    bool color;
    bool json_lines; /* records on standard output, too */
    struct ct_board
        *board; /* of searches side by side, and which one this is; NULL: alone */
    size_t lane;
    bool estimated;
    struct ct_status_words words;
    struct ct_progress progress;
};

/* An observer that writes to standard error; `console` must outlive it. */
struct ct_observer ct_report_observer(struct ct_console *console);

#endif
