// SPDX-License-Identifier: Apache-2.0
// Queues that time their commands although the program did not ask for it, and does not see it.
#ifndef CT_LAYER_QUEUES_H
#define CT_LAYER_QUEUES_H

#include "layer/real.h"

/* Creates a queue with profiling; without it, if that fails for any reason. */
cl_command_queue ct_queues_create(cl_context context, cl_device_id device,
                                  cl_command_queue_properties properties, cl_int *code);
cl_command_queue ct_queues_create_with(cl_context context, cl_device_id device,
                                       const cl_queue_properties *properties,
                                       cl_int *code);

/* clGetCommandQueueInfo as the program would see it without the layer. */
cl_int ct_queues_info(cl_command_queue queue, cl_command_queue_info name, size_t size,
                      void *value, size_t *size_ret);

/* clGetEventProfilingInfo likewise. */
cl_int ct_queues_event_times(cl_event event, cl_profiling_info name, size_t size,
                             void *value, size_t *size_ret);

/* Before a handle is released. */
void ct_queues_release(cl_command_queue queue);

#endif
