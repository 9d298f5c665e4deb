// SPDX-License-Identifier: Apache-2.0
// Makes an experiment of a captured launch: SPACE.ini, kernel.cl and its data.
#ifndef CT_CAPTURE_EXPERIMENT_H
#define CT_CAPTURE_EXPERIMENT_H

#include "base/err.h"
#include "capture/found.h"

#include <stddef.h>

/* Where work-groups of a captured kernel are in a configuration: one parameter for each dimension,
 * with one of these prefixes (the second if the kernel has a word of the first). */
#define CT_EXPERIMENT_LOCAL     "LOCAL_"
#define CT_EXPERIMENT_LOCAL_OWN "CLTUNE_LOCAL_"

/* Appends the kernel's name in the database: its function's, and the identity of its source. */
struct ct_str;
void ct_experiment_put_name(struct ct_str *out, const char *function,
                            const char *program);

/* Completes the folder that the layer has filled: heads of the NumPy files, SPACE.ini.  `command` is
 * the program with its arguments.  CT_E_NOT_FOUND, with what space files cannot say, leaves the
 * group out; CT_E_IO if the folder cannot be written; CT_E_NOMEM. */
enum ct_status ct_experiment_write(const char *folder, const struct ct_found_group *group,
                                   const char *command, struct ct_err *err);

#endif
