// SPDX-License-Identifier: Apache-2.0
// A plan's images in terms of the device layer.
#ifndef CT_WORKER_DATA_IMAGE_H
#define CT_WORKER_DATA_IMAGE_H

#include "device/device.h"
#include "plan/plan.h"

/* The shape of the buffer's image, whose dims are not 0.  CT_E_SPEC if the number or size of its
 * pixels does not match the buffer's elements. */
enum ct_status ct_image_plan_shape(const struct ct_plan_buffer *buffer,
                                   struct ct_image_shape *shape, struct ct_err *err);

#endif
