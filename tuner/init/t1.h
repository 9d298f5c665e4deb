// SPDX-License-Identifier: Apache-2.0
// Descriptions of tuning problems in the auto-tuning community's input format (T1, schema 1.0.0), as
// KTT, Kernel Tuner and BAT have them.
#ifndef CT_INIT_T1_H
#define CT_INIT_T1_H

#include "init/guess.h"

struct ct_t1;

/* Reads a description.  CT_E_USAGE, with the file, if it is missing or is no T1; CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_t1_open(const char *path, struct ct_t1 **out, struct ct_err *err);
void ct_t1_free(struct ct_t1 *t1);

/* The kernel's file, relative to the description's folder; owned by `t1`.  CT_E_USAGE if it is not
 * OpenCL, or names no file. */
enum ct_status ct_t1_kernel_file(struct ct_t1 *t1, const char **out, struct ct_err *err);

/* The kernel's name; "" if there is none. */
const char *ct_t1_kernel(const struct ct_t1 *t1);

/* Appends its compiler options. */
void ct_t1_put_options(const struct ct_t1 *t1, struct ct_str *out);

/* Defines the parameters' first values as the options of a build. */
enum ct_status ct_t1_macros(struct ct_t1 *t1, struct ct_subject *subject,
                            struct ct_err *err);

/* Fills a draft as ct_guess_all does.  CT_E_USAGE names what has no counterpart. */
enum ct_status ct_t1_draft(struct ct_t1 *t1, const struct ct_subject *subject,
                           struct ct_draft *draft, struct ct_err *err);

#endif
