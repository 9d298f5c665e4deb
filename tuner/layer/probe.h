// SPDX-License-Identifier: Apache-2.0
// What the names stand for that a program gives to types.
#ifndef CT_LAYER_PROBE_H
#define CT_LAYER_PROBE_H

#include "layer/arguments.h"

/* Fills `resolved` of a launch's arguments: types of OpenCL C by themselves; names that the source, its
 * headers or the options define by asking the compiler, with a kernel behind the source that writes a
 * number of that type.  Signs are not told apart: integers are "uint" and the like. */
void ct_probe_types(const struct ct_layer_launch *launch, struct ct_argument_info *infos);

#endif
