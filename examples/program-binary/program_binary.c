/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the kernel of examples/scale as `cltune best scale --format binary` has built it, and runs
 * it as it was tuned; builds it from its source if the binary is for another device or driver. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cltunedb-binary.h>

#include <stdio.h>
#include <stdlib.h>

enum { N_MOST = 1 << 20 };

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, (int)error);
        exit(1);
    }
}

static char *read_text(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

    if (!length) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    text[length] = '\0';
    return text;
}

/* The binary, if it is for this device; NULL after a message. */
static cltunedb_binary *load(const char *path, cl_device_id id)
{
    static char name[256], vendor[256], driver[256];
    cltunedb_binary_device device = CLTUNEDB_BINARY_DEVICE_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES];
    cltunedb_binary *binary = NULL;
    cl_device_type type = 0;

    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(name), name, NULL);
    clGetDeviceInfo(id, CL_DEVICE_VENDOR, sizeof(vendor), vendor, NULL);
    clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof(driver), driver, NULL);
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    device.name = name;
    device.vendor = vendor;
    device.driver_version = driver;
    device.type = type & CL_DEVICE_TYPE_GPU           ? "GPU"
                  : type & CL_DEVICE_TYPE_CPU         ? "CPU"
                  : type & CL_DEVICE_TYPE_ACCELERATOR ? "ACCELERATOR"
                                                      : "CUSTOM";
    if (cltunedb_binary_load(path, &device, &binary, message, sizeof(message)) !=
        CLTUNEDB_OK)
        printf("from source: %s\n", message);
    return binary;
}

/* A driver may refuse what it has made itself, after an update of another part of it: no reason to
 * fail. */
static cl_program build_binary(const cltunedb_binary *binary, cl_context context,
                               cl_device_id id)
{
    const cltunedb_binary_program *from = &binary->programs[0];
    const unsigned char *bytes = from->bytes;
    cl_int error;
    cl_program program =
        clCreateProgramWithBinary(context, 1, &id, &from->size, &bytes, NULL, &error);

    if (program && clBuildProgram(program, 1, &id, from->options, NULL, NULL)) {
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

static cl_program build_source(const char *path, cl_context context, cl_device_id id)
{
    const char *source = read_text(path);
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);

    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &id, "-D ITEMS=1 -D WG=0", NULL, NULL),
          "clBuildProgram");
    return program;
}

/* Runs the kernel on n numbers, and checks them. */
static void compute(cl_context context, cl_device_id id, cl_kernel kernel, size_t n,
                    size_t global, const size_t *local)
{
    static float in[N_MOST], out[N_MOST];
    const cl_uint count = (cl_uint)n;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, &error);

    check(error, "clCreateCommandQueue");
    for (size_t i = 0; i < n; i++)
        in[i] = (float)i;
    cl_mem from =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * sizeof(*in), in, &error);
    check(error, "clCreateBuffer");
    cl_mem to =
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, n * sizeof(*out), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(from), &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(to), &to), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof(count), &count), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(queue, to, CL_TRUE, 0, n * sizeof(*out), out, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    for (size_t i = 0; i < n; i++)
        if (out[i] != 2 * in[i]) {
            printf("wrong at %zu: %g\n", i, (double)out[i]);
            exit(1);
        }
    puts("right");
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "scale.bin";
    cl_program program = NULL;
    cl_platform_id platform;
    cl_device_id id;
    cl_int error;

    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    check(error, "clCreateContext");
    cltunedb_binary *binary = load(path, id);
    if (binary)
        program = build_binary(binary, context, id);
    if (program) {
        const cltunedb_binary_launch *launch = &binary->launches[0];
        cl_kernel kernel = clCreateKernel(program, launch->kernel, &error);

        check(error, "clCreateKernel");
        printf("binary of %s: %s, groups of %zu\n", binary->kernel, binary->flags,
               launch->local[0]);
        compute(context, id, kernel, (size_t)binary->problem[0].i, launch->global[0],
                launch->local[0] ? launch->local : NULL);
    } else {
        program = build_source(argc > 2 ? argv[2] : "../scale/scale.cl", context, id);
        cl_kernel kernel = clCreateKernel(program, "scale", &error);

        check(error, "clCreateKernel");
        compute(context, id, kernel, N_MOST, N_MOST, NULL);
    }
    cltunedb_binary_free(binary);
    return 0;
}
