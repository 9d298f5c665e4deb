// SPDX-License-Identifier: Apache-2.0
// One launch as the program asks for it.
#ifndef CT_LAYER_LAUNCH_H
#define CT_LAYER_LAUNCH_H

#include "base/str.h"
#include "layer/objects.h"

/* The arguments of clEnqueueNDRangeKernel, borrowed from the program. */
struct ct_layer_launch {
    cl_command_queue queue;
    cl_kernel kernel;
    struct ct_layer_kernel *record;
    bool task; /* by clEnqueueTask: one work-item */
    cl_uint dimensions;
    const size_t *offset;
    const size_t *global;
    const size_t *local;
    cl_uint wait_count;
    const cl_event *waits;
    cl_event *event; /* where the program wants it, or NULL */
};

/* Enqueues it as it is, with the event in `*event` (may be NULL). */
cl_int ct_layer_enqueue(const struct ct_layer_launch *launch, cl_event *event);

/* Whether a component of its global or local size is 0.  Where OpenCL does not refuse such a launch, it
 * does nothing, what the driver likes, or kills the process when it is waited for (PoCL 3.1), so that
 * nobody but the program may do so. */
bool ct_layer_is_empty(const struct ct_layer_launch *launch);

/* A queue of the layer's own on the launch's device, in order: in the program's, another thread may put
 * what waits for this one.  The caller releases it; NULL if there is none. */
cl_command_queue ct_layer_own_queue(const struct ct_layer_launch *launch);

/* NULL if all that a launch waits for is done, so that waiting for it cannot block for ever: what
 * is in front of it in its queue, and the events of its list, which the program's own thread may
 * have to set.  Else why not, a constant.  Waits up to five seconds, and for each 8 MiB of its `bytes` of
 * memory one more, as what is in front may be their transfer; or a tenth of a second while the program has
 * such events.  What is put into `follower` afterwards, a queue of the layer's own, sees what they have
 * left. */
const char *ct_layer_settle(const struct ct_layer_launch *launch, uint64_t bytes,
                            cl_command_queue follower);

/* Waits for the event of a command whose queue was flushed.  CL_COMPLETE, a code that is less if it failed,
 * or one that is more if it does not begin for a minute, or for five seconds while the program has events of
 * its own, which others may wait for. */
cl_int ct_layer_await(cl_event event);

/* Waits for all that is in a queue, as ct_layer_await. */
cl_int ct_layer_drain(cl_command_queue queue);

/* The program has made (1) or set (-1) an event of its own, which may hold launches back. */
void ct_layer_hold(int change);

/* The queue's device. */
cl_device_id ct_layer_device_of(cl_command_queue queue);

/* A device's text, cut to `size` bytes; "" if it is not reported.  Returns `out`. */
const char *ct_layer_device_text(cl_device_id device, cl_device_info name, char *out,
                                 size_t size);

/* Appends what equal devices have in common, as questions have it: the lines "name", "vendor",
 * "driver", "type" and "units". */
void ct_layer_put_device(struct ct_str *out, cl_device_id device);

/* Start to end of a complete launch in a queue with profiling, 0 if it is not known. */
uint64_t ct_layer_event_ns(cl_event event);

#endif
