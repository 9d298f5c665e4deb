// SPDX-License-Identifier: Apache-2.0
// Hardware counters reported by a driver's events: VC4CL's cl_vc4cl_performance_counters.
#include "device/internal.h"

#include <math.h>
#include <string.h>

bool ct_device_has(const struct ct_device *device, const char *extension)
{
    return ct_info_has(&device->info, extension);
}

static double counter(const struct ct_device *device, struct ct_event event,
                      cl_profiling_info offset)
{
    cl_ulong value = 0;

    if (device->cl->clGetEventProfilingInfo(event.handle,
                                            CL_PROFILING_COMMAND_END + offset,
                                            sizeof(value), &value, NULL) != CL_SUCCESS)
        return NAN;
    return (double)value;
}

bool ct_device_counts(const struct ct_device *device)
{
    return ct_device_has(device, "cl_vc4cl_performance_counters");
}

bool ct_event_counters(const struct ct_device *device, struct ct_event event,
                       double values[CT_COUNTERS])
{
    for (int i = 0; i < CT_COUNTERS; i++)
        values[i] = NAN;
    if (!event.handle || !ct_device_counts(device))
        return false;
    /* The five follow the end's time stamp, in the order of enum ct_counter. */
    for (int i = 0; i < CT_COUNTERS; i++)
        values[i] = counter(device, event, (cl_profiling_info)(10 + i));
    /* Without permission to read the hardware this query still succeeds, with zero. */
    if (!(values[CT_COUNTER_INSTRUCTIONS] > 0))
        values[CT_COUNTER_INSTRUCTIONS] = NAN;
    for (int i = 0; i < CT_COUNTERS; i++)
        if (!isnan(values[i]))
            return true;
    return false;
}
