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

/* Appends a C source with the files that it includes with quotes in place of the directives.  Adds
 * to `*left` how many of these stay. */
void ct_repro_unfold_c(const struct ct_repro *repro, const char *text, const char *path,
                       struct ct_str *out, size_t *left);

/* --- repro_check.c: check functions of C --- */

/* Whether the program has the check function of a buffer, because what it gets is known. */
bool ct_repro_has_judge(const struct ct_repro *repro, size_t index);

/* Whether a buffer's expected contents are in a file beside the program, for its check function. */
bool ct_repro_expected_beside(const struct ct_repro *repro, size_t index);

/* Appends the C files of all check functions, each once, and `judge_INDEX` for each buffer that has
 * one.  The names that the files define are renamed: they share the program's.  CT_E_IO if a file
 * cannot be read, CT_E_SPEC if it is not the one that the configuration was checked with,
 * CT_E_NOMEM.  `*left` as for ct_repro_put_programs. */
enum ct_status ct_repro_put_checks(const struct ct_repro *repro, struct ct_str *out,
                                   size_t *left, struct ct_err *err);

/* --- repro_data.c: buffers, with their contents and what is expected --- */

void ct_repro_put_buffers(const struct ct_repro *repro, const char *name,
                          struct ct_str *out);

#endif
