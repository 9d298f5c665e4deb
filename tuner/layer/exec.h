// SPDX-License-Identifier: Apache-2.0
// Running a program with the stored bests.
//
// The environment has CLTUNE_EXEC=1, and may have CLTUNE_DB, CLTUNE_EXEC_VERIFY=N (the first N launches
// of each shape run both ways and are compared), CLTUNE_EXEC_REPORT=1 (times and what was saved at the
// end) and CLTUNE_PROGRAM (cltune, if it is not beside the layer).
#ifndef CT_LAYER_EXEC_H
#define CT_LAYER_EXEC_H

#include "layer/launch.h"

/* Always true: what is missing is found out, and said, at the first launch. */
bool ct_exec_begin(void);

/* Whether launches are to be timed. */
bool ct_exec_reports(void);

/* Enqueues a launch of a known kernel, as it is or with a stored configuration. */
cl_int ct_exec_launch(const struct ct_layer_launch *launch);

/* An argument of the kernel was set. */
void ct_exec_set(const struct ct_layer_kernel *kernel, cl_uint index);

/* Releases what hangs on a record. */
void ct_exec_forget_kernel(struct ct_layer_kernel *kernel);
void ct_exec_forget_program(struct ct_layer_program *program);

#endif
