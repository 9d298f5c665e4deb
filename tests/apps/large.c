// SPDX-License-Identifier: Apache-2.0
// An OpenCL application whose memory is too large to be read at once, of odd sizes: a launch changes the
// very end of it.
//
//     large FOLDER [buffers]
//
// Writes into FOLDER what each argument must contain: NAME.before and NAME.after.  `buffers`: without
// images, for devices that have none.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1310723, WIDTH = 1000, HEIGHT = 1500, SLICES = 3, SLICE_HEIGHT = 700 };

static const char source[] =
    "#ifdef IMAGES\n"
    "#define MORE , __write_only image2d_t plane, __read_only image3d_t solid\n"
    "#else\n"
    "#define MORE\n"
    "#endif\n"
    "__kernel void last(__global const uint *in, __global uint *kept,\n"
    "                   __global uint *tail, uint count MORE)\n"
    "{\n"
    "    const uint i = get_global_id(0);\n"
    "    uint value = in[i];\n"
    "#ifdef IMAGES\n"
    "    const sampler_t nearest = CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;\n"
    "    value += read_imageui(solid, nearest, (int4)(i, 699, 2, 0)).x;\n"
    "    write_imageui(plane, (int2)(996 + i, 1499), (uint4)(value, 0, 0, 0));\n"
    "#endif\n"
    "    tail[count - 1 - i] = value + kept[count - 1 - i];\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_int code;

static void check(const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "large: %s failed: %d\n", what, code);
    exit(1);
}

static uint32_t *numbers(size_t count, uint32_t factor)
{
    uint32_t *list = malloc(count * sizeof(*list));

    for (uint32_t i = 0; list && i < count; i++)
        list[i] = (i + 1) * factor;
    return list;
}

static void keep(const char *folder, const char *name, const uint32_t *list, size_t count)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (!file || fwrite(list, sizeof(*list), count, file) != count || fclose(file))
        exit(1);
}

static cl_mem buffer(cl_mem_flags flags, uint32_t *list)
{
    cl_mem mem = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR,
                                ITEMS * sizeof(*list), list, &code);

    check("clCreateBuffer");
    return mem;
}

static cl_mem image(size_t height, size_t depth, uint32_t *list)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_image_desc shape = {.image_type =
                               depth ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                           .image_width = WIDTH,
                           .image_height = height,
                           .image_depth = depth};
    cl_mem mem = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format,
                               &shape, list, &code);

    check("clCreateImage");
    return mem;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    code = clSetKernelArg(kernel, index, size, value);
    check("clSetKernelArg");
}

static void open_device(cl_device_id *device)
{
    cl_platform_id platform;

    code = clGetPlatformIDs(1, &platform, NULL);
    check("clGetPlatformIDs");
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, device, NULL);
    check("clGetDeviceIDs");
    context = clCreateContext(NULL, 1, device, NULL, NULL, &code);
    check("clCreateContext");
    /* In any order: what reads it is on its own. */
    queue = clCreateCommandQueue(context, *device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                 &code);
    if (code)
        queue = clCreateCommandQueue(context, *device, 0, &code);
    check("clCreateCommandQueue");
}

/* The images, and what they contain before and after the launch. */
static void set_images(cl_kernel kernel, const char *folder, const uint32_t *in,
                       uint32_t *added)
{
    const size_t slice = (size_t)WIDTH * SLICE_HEIGHT;
    uint32_t *plane = numbers((size_t)WIDTH * HEIGHT, 48271);
    uint32_t *solid = numbers(slice * SLICES, 69621);
    cl_mem images[2] = {image(HEIGHT, 0, plane), image(SLICE_HEIGHT, SLICES, solid)};

    set(kernel, 4, sizeof(cl_mem), &images[0]);
    set(kernel, 5, sizeof(cl_mem), &images[1]);
    keep(folder, "plane.before", plane, (size_t)WIDTH * HEIGHT);
    keep(folder, "solid.before", solid, slice * SLICES);
    for (size_t i = 0; i < 4; i++) {
        added[i] = solid[slice * SLICES - WIDTH + i];
        plane[(size_t)WIDTH * HEIGHT - 4 + i] = in[i] + added[i];
    }
    keep(folder, "plane.after", plane, (size_t)WIDTH * HEIGHT);
    free(plane);
    free(solid);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    const int plain = argc > 2;
    const char *text = source;
    const cl_uint count = ITEMS;
    const size_t items = 4;
    uint32_t added[4] = {0};
    uint32_t *in = numbers(ITEMS, 2654435761);
    uint32_t *kept = numbers(ITEMS, 16807);
    uint32_t *tail = numbers(ITEMS, 40014);
    cl_device_id device;
    cl_program program;
    cl_kernel kernel;
    cl_mem mems[3];

    open_device(&device);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check("clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, plain ? "" : "-D IMAGES", NULL, NULL);
    check("clBuildProgram");
    kernel = clCreateKernel(program, "last", &code);
    check("clCreateKernel");
    mems[0] = buffer(CL_MEM_READ_ONLY, in);
    mems[1] = buffer(CL_MEM_READ_WRITE, kept);
    mems[2] = buffer(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, tail);
    for (cl_uint i = 0; i < 3; i++)
        set(kernel, i, sizeof(cl_mem), &mems[i]);
    set(kernel, 3, sizeof(count), &count);
    keep(folder, "in.before", in, ITEMS);
    keep(folder, "kept.before", kept, ITEMS);
    keep(folder, "tail.before", tail, ITEMS);
    if (!plain)
        set_images(kernel, folder, in, added);
    for (size_t i = 0; i < items; i++)
        tail[ITEMS - 1 - i] = in[i] + added[i] + kept[ITEMS - 1 - i];
    keep(folder, "tail.after", tail, ITEMS);
    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    check("clEnqueueNDRangeKernel");
    code = clFinish(queue);
    check("clFinish");
    printf("done\n");
    return 0;
}
