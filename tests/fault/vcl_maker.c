// SPDX-License-Identifier: Apache-2.0
// What the drivers of three makers tell of a device beyond OpenCL, by VIRTUALCL_MAKER, and
// further extensions, by VIRTUALCL_EXTENSIONS.

#include "vcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum maker { NOBODY, NVIDIA, AMD, INTEL, MAKERS };

static const char *const words[MAKERS] = {"", "nvidia", "amd", "intel"};
static const char *const extensions[MAKERS] = {
    "", " cl_nv_device_attribute_query", " cl_amd_device_attribute_query",
    " cl_khr_fp16 cl_intel_required_subgroup_size"};

// As an RTX 3090, a Radeon of the RDNA 2 generation and Intel's graphics tell them.
static const struct {
    enum maker maker;
    cl_device_info name;
    cl_ulong number;
    size_t bytes;
} numbers[] = {
    {NVIDIA, 0x4000, 8, 4},     // compute capability
    {NVIDIA, 0x4001, 6, 4},     //
    {NVIDIA, 0x4002, 65536, 4}, // registers of a block
    {NVIDIA, 0x4003, 32, 4},    // warp
    {NVIDIA, 0x4006, 0, 4},     // integrated memory
    {AMD, 0x4030, 256, 8},      // preferred and largest work-group
    {AMD, 0x4031, 1024, 8},     //
    {AMD, 0x4040, 4, 4},        // SIMD units of a compute unit, their width
    {AMD, 0x4041, 32, 4},       //
    {AMD, 0x4042, 1, 4},        //
    {AMD, 0x4043, 32, 4},       // wavefront
    {AMD, 0x4047, 65536, 8},    // local memory of a compute unit
    {AMD, 0x4048, 32, 4},       // its banks
    {AMD, 0x404A, 10, 4},       // gfx10
    {AMD, 0x404B, 3, 4},        //
    {INTEL, CL_DEVICE_MAX_NUM_SUB_GROUPS, 64, 4},
};

// Only device 1 is somebody's.
static enum maker maker_of(cl_device_id device)
{
    const char *text = getenv("VIRTUALCL_MAKER");
    if (device->model == 0 || !text || !*text)
        return NOBODY;
    for (int i = NVIDIA; i < MAKERS; i++)
        if (strcmp(text, words[i]) == 0)
            return (enum maker)i;
    fprintf(stderr, "virtual OpenCL: VIRTUALCL_MAKER: what is '%s'?\n", text);
    abort();
}

const char *vcl_maker_extensions(cl_device_id device)
{
    static char all[512];
    const char *more = device->model ? getenv("VIRTUALCL_EXTENSIONS") : NULL;
    snprintf(all, sizeof all, "%s%s%s", extensions[maker_of(device)],
             more && *more ? " " : "", more ? more : "");
    return all;
}

cl_int vcl_maker_info(cl_device_id device, cl_device_info name, size_t value_bytes,
                      void *value, size_t *value_bytes_ret)
{
    static const size_t sub_groups[] = {8, 16, 32};
    enum maker maker = maker_of(device);
    if (maker == INTEL && name == 0x4108)
        return vcl_answer(sub_groups, sizeof sub_groups, value_bytes, value,
                          value_bytes_ret);
    if (maker == AMD && name == 0x4038)
        return vcl_answer_text("cltune board", value_bytes, value, value_bytes_ret);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cl_uint narrow = (cl_uint)numbers[i].number;
        if (numbers[i].maker != maker || numbers[i].name != name)
            continue;
        return numbers[i].bytes == sizeof narrow
                   ? vcl_answer(&narrow, sizeof narrow, value_bytes, value,
                                value_bytes_ret)
                   : vcl_answer(&numbers[i].number, sizeof numbers[i].number, value_bytes,
                                value, value_bytes_ret);
    }
    return CL_INVALID_VALUE;
}
