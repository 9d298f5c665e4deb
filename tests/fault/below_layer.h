// SPDX-License-Identifier: Apache-2.0
// What layers between cltune's and the driver have in common: each defines place_calls, which puts its own
// functions into `given`; what it does not replace is the driver's.
#ifndef CT_TESTS_FAULT_BELOW_LAYER_H
#define CT_TESTS_FAULT_BELOW_LAYER_H

#include <CL/cl_layer.h>

#include <string.h>

static struct _cl_icd_dispatch below, given;

static void place_calls(void);

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info question, size_t size,
                                               void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (question != CL_LAYER_API_VERSION || (value && size < sizeof(version)))
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
    place_calls();
    *entries_ret = (cl_uint)known;
    *layer = &given;
    return CL_SUCCESS;
}

#endif
