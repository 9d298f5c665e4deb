// SPDX-License-Identifier: Apache-2.0
// A layer below cltune's with devices that are others in each context, though their handles stay: as
// sub-devices of different sizes are when one is made after another's release.
#include <CL/cl_layer.h>

#include <string.h>

static struct _cl_icd_dispatch below, given;
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

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && size < sizeof(version)))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof(version));
    if (size_ret)
        *size_ret = sizeof(version);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                            const cl_icd_dispatch *target,
                                            cl_uint *entries_ret,
                                            const cl_icd_dispatch **layer)
{
    size_t known = sizeof(below) / sizeof(void *);

    if (entries < known)
        known = entries;
    memcpy(&below, (const void *)target, known * sizeof(void *));
    given = below;
    given.clCreateContext = create;
    given.clGetDeviceInfo = ask;
    *entries_ret = (cl_uint)known;
    *layer = &given;
    return CL_SUCCESS;
}
