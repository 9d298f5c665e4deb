// SPDX-License-Identifier: Apache-2.0
// The progress line of a search: on a terminal only, and never while a device is timed.
#ifndef CT_REPORT_PROGRESS_H
#define CT_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ct_progress {
    FILE *out; /* NULL: silent */
    uint64_t start_ns;
    uint64_t drawn_ns; /* of the last drawing; 0: nothing is on the screen */
    uint64_t total;    /* evaluations planned */
    double budget_s;   /* 0: none */
};

/* `out` is only written to if it is a terminal and `wanted`. */
void ct_progress_init(struct ct_progress *progress, FILE *out, bool wanted,
                      uint64_t total, double budget_s, uint64_t now_ns);

/* Redraws, at most ten times a second.  `best_ns` 0: none yet; `default_ns` 0: unknown. */
void ct_progress_draw(struct ct_progress *progress, uint64_t now_ns, uint64_t done,
                      double best_ns, double default_ns);

/* Clears the line, so that something else can be printed. */
void ct_progress_clear(struct ct_progress *progress);

/* Appends how much is left at the present rate, and which budget ends it: that of time, or
 * `evaluations`, if these are fewer than the space has. */
struct ct_str;
void ct_progress_put_estimate(const struct ct_progress *progress, uint64_t now_ns,
                              uint64_t done, bool evaluations, struct ct_str *out);

#endif
