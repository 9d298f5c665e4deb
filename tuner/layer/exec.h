// SPDX-License-Identifier: Apache-2.0
// Running with the stored bests.
#ifndef CT_LAYER_EXEC_H
#define CT_LAYER_EXEC_H

#include "layer/launch.h"

bool ct_exec_begin(void);
bool ct_exec_reports(void);
cl_int ct_exec_launch(const struct ct_layer_launch *launch);
void ct_exec_set(struct ct_layer_kernel *kernel, cl_uint index);
void ct_exec_harvest(void);
void ct_exec_forget_kernel(struct ct_layer_kernel *kernel);
void ct_exec_forget_program(struct ct_layer_program *program);

#endif
