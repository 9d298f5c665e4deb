// SPDX-License-Identifier: Apache-2.0
// A layer below cltune's with devices that are others in each context, though their handles stay: as
// sub-devices of different sizes are when one is made after another's release.
#include "below_layer.h"

#include <string.h>

static cl_uint contexts;

static cl_context CL_API_CALL create(const cl_context_properties *properties,
                                     cl_uint count, const cl_device_id *devices,
                                     void(CL_CALLBACK *notify)(const char *, const void *,
                                                               size_t, void *),
                                     void *user, cl_int *code)
{
    contexts++;
    return below.clCreateContext(properties, count, devices, notify, user, code);
}

static cl_int CL_API_CALL ask(cl_device_id device, cl_device_info name, size_t size,
                              void *value, size_t *size_ret)
{
    cl_int code = below.clGetDeviceInfo(device, name, size, value, size_ret);

    if (!code && name == CL_DEVICE_MAX_COMPUTE_UNITS && value)
        memcpy(value, &contexts, sizeof(contexts));
    return code;
}

static void place_calls(void)
{
    given.clCreateContext = create;
    given.clGetDeviceInfo = ask;
}
