// SPDX-License-Identifier: Apache-2.0
// The parts of the program that `cltune repro` writes.  Private to tuner/report.
#ifndef CT_REPORT_REPRO_IMPL_H
#define CT_REPORT_REPRO_IMPL_H

#include "report/repro.h"

/* --- repro_text.c: C's lexis --- */

/* Appends bytes as the inside of a string literal: whatever they are, they stay in it, and in a
 * comment of one line.  Trigraphs and escapes are neutral. */
void ct_repro_put_escaped(struct ct_str *out, const char *text, size_t length);

/* The same between quotes; NULL as an empty one. */
void ct_repro_put_string(struct ct_str *out, const char *text);

/* A finite number exactly, others as 1.0 / 0.0 and the like. */
void ct_repro_put_real(struct ct_str *out, double value);

/* --- repro_source.c: programs --- */

/* Appends `static const struct program programs[]`.  `*left`: how many included files are not in
 * it, because they were not found or are named by a macro. */
enum ct_status ct_repro_put_programs(const struct ct_repro *repro, struct ct_str *out,
                                     size_t *left, struct ct_err *err);

/* --- repro_data.c: buffers, with their contents and what is expected --- */

void ct_repro_put_buffers(const struct ct_repro *repro, const char *name,
                          struct ct_str *out);

#endif
