// SPDX-License-Identifier: Apache-2.0
// A C program that does what cltune did with one configuration: `cltune repro`.
#ifndef CT_REPORT_REPRO_H
#define CT_REPORT_REPRO_H

#include "base/str.h"
#include "tune/repro.h"

/* Appends the program.  `name`: of its file, without folder and ".c", for the compile command and
 * the files beside it.  CT_E_NOMEM, and CT_E_IO as for ct_compile_init. */
enum ct_status ct_report_repro(const struct ct_repro *repro, const char *name,
                               struct ct_str *out, struct ct_err *err);

/* Appends the name of the file beside it that holds a buffer (CT_REPRO_BESIDE): its scalars in the
 * order of the host layout, without pad lanes (ct_report_repro_scalars). */
void ct_report_repro_file(const char *name, const struct ct_plan_buffer *buffer,
                          struct ct_str *out);

/* Appends the name of the file beside it that holds what a check function expects of a buffer, in
 * the same form.  False if there is none. */
bool ct_report_repro_expected(const struct ct_repro *repro, const char *name,
                              size_t index, struct ct_str *out);

/* Appends the scalars of `bytes`, a buffer's contents in the host layout, without pad lanes. */
void ct_report_repro_scalars(const struct ct_plan_buffer *buffer,
                             const unsigned char *bytes, struct ct_str *out);

#endif
