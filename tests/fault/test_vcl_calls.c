// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: errors of every call that cltune makes.

#include "test_vcl.h"

// As a loader asks when it starts.
static cl_int platforms_again(struct bench *bench)
{
    cl_int (*ask)(cl_uint, cl_platform_id *, cl_uint *);
    cl_uint count;
    void *found = clGetExtensionFunctionAddressForPlatform(bench->platform,
                                                           "clIcdGetPlatformIDsKHR");
    memcpy(&ask, &found, sizeof ask);
    return ask ? ask(0, NULL, &count) : CL_SUCCESS;
}

// What the calls below are given; all of it exists.
struct given {
    struct bench *bench;
    cl_command_queue queue;
    cl_device_id device;
    cl_mem mem;
    cl_event event;
};

// No call of that name here.
enum { OTHER = 1 };

#define CALL(call, ...)                                                                  \
    if (strcmp(name, #call) == 0)                                                        \
    return call(__VA_ARGS__)
#define MAKE(call, ...)                                                                  \
    if (strcmp(name, #call) == 0)                                                        \
    return call(__VA_ARGS__) ? CL_SUCCESS : status

static cl_int call_for_programs(const struct given *given, const char *name)
{
    cl_int status = CL_SUCCESS;
    size_t one[3] = {1, 1, 1};
    const char *source = copy_source;
    const unsigned char *binary = (const unsigned char *)"x";
    cl_uint count;
    char bytes[64] = "";
    if (strcmp(name, "clGetPlatformIDs") == 0) // the loader has asked already
        return platforms_again(given->bench);
    CALL(clGetPlatformInfo, given->bench->platform, CL_PLATFORM_NAME, 64, bytes, NULL);
    CALL(clGetDeviceIDs, given->bench->platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    CALL(clGetDeviceInfo, given->device, CL_DEVICE_NAME, 64, bytes, NULL);
    MAKE(clCreateContext, NULL, 1, &given->device, NULL, NULL, &status);
    CALL(clReleaseContext, given->bench->context);
    MAKE(clCreateCommandQueue, given->bench->context, given->device, 0, &status);
    CALL(clReleaseCommandQueue, given->queue);
    MAKE(clCreateProgramWithSource, given->bench->context, 1, &source, NULL, &status);
    MAKE(clCreateProgramWithBinary, given->bench->context, 1, &given->device, one,
         &binary, NULL, &status);
    CALL(clBuildProgram, given->bench->program, 0, NULL, "", NULL, NULL);
    CALL(clGetProgramBuildInfo, given->bench->program, given->device,
         CL_PROGRAM_BUILD_LOG, 0, NULL, one);
    CALL(clGetProgramInfo, given->bench->program, CL_PROGRAM_NUM_DEVICES, 4, &count,
         NULL);
    CALL(clReleaseProgram, given->bench->program);
    MAKE(clCreateKernel, given->bench->program, "copy", &status);
    CALL(clCreateKernelsInProgram, given->bench->program, 0, NULL, &count);
    CALL(clReleaseKernel, given->bench->kernel);
    CALL(clGetKernelInfo, given->bench->kernel, CL_KERNEL_NUM_ARGS, 4, &count, NULL);
    CALL(clGetKernelArgInfo, given->bench->kernel, 0, CL_KERNEL_ARG_NAME, 64, bytes,
         NULL);
    CALL(clGetKernelWorkGroupInfo, given->bench->kernel, given->device,
         CL_KERNEL_WORK_GROUP_SIZE, 8, one, NULL);
    return OTHER;
}

static cl_int call_for_data(const struct given *given, const char *name)
{
    cl_int status = CL_SUCCESS;
    size_t one[3] = {1, 1, 1};
    cl_buffer_region region = {0, 4};
    char bytes[64] = "";
    CALL(clSetKernelArg, given->bench->kernel, 2, 4, bytes);
    MAKE(clCreateBuffer, given->bench->context, 0, 4, NULL, &status);
    MAKE(clCreateSubBuffer, given->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
         &status);
    CALL(clReleaseMemObject, given->mem);
    CALL(clEnqueueReadBuffer, given->queue, given->mem, CL_TRUE, 0, 4, bytes, 0, NULL,
         NULL);
    CALL(clEnqueueWriteBuffer, given->queue, given->mem, CL_TRUE, 0, 4, bytes, 0, NULL,
         NULL);
    CALL(clEnqueueFillBuffer, given->queue, given->mem, bytes, 1, 0, 4, 0, NULL, NULL);
    CALL(clEnqueueCopyBuffer, given->queue, given->mem, given->mem, 0, 8, 4, 0, NULL,
         NULL);
    MAKE(clEnqueueMapBuffer, given->queue, given->mem, CL_TRUE, CL_MAP_READ, 0, 4, 0,
         NULL, NULL, &status);
    CALL(clEnqueueUnmapMemObject, given->queue, given->mem, bytes, 0, NULL, NULL);
    CALL(clEnqueueNDRangeKernel, given->queue, given->bench->kernel, 1, NULL, one, NULL,
         0, NULL, NULL);
    CALL(clFinish, given->queue);
    CALL(clGetEventInfo, given->event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, bytes, NULL);
    CALL(clGetEventProfilingInfo, given->event, CL_PROFILING_COMMAND_END, 8, bytes, NULL);
    CALL(clReleaseEvent, given->event);
    return OTHER;
}

static cl_int call_for_images(const struct given *given, const char *name)
{
    cl_int status = CL_SUCCESS;
    size_t one[3] = {1, 1, 1}, none[3] = {0};
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc shape = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    cl_uint count;
    char bytes[64] = "";
    MAKE(clCreateImage, given->bench->context, 0, &format, &shape, NULL, &status);
    CALL(clGetSupportedImageFormats, given->bench->context, 0, CL_MEM_OBJECT_IMAGE2D, 0,
         NULL, &count);
    CALL(clEnqueueReadImage, given->queue, given->mem, CL_TRUE, none, one, 0, 0, bytes, 0,
         NULL, NULL);
    CALL(clEnqueueWriteImage, given->queue, given->mem, CL_TRUE, none, one, 0, 0, bytes,
         0, NULL, NULL);
    CALL(clEnqueueFillImage, given->queue, given->mem, bytes, none, one, 0, NULL, NULL);
    CALL(clEnqueueCopyImage, given->queue, given->mem, given->mem, none, none, one, 0,
         NULL, NULL);
    CALL(clEnqueueCopyImageToBuffer, given->queue, given->mem, given->mem, none, one, 0,
         0, NULL, NULL);
    CALL(clEnqueueCopyBufferToImage, given->queue, given->mem, given->mem, 0, none, one,
         0, NULL, NULL);
    MAKE(clEnqueueMapImage, given->queue, given->mem, CL_TRUE, CL_MAP_READ, none, one,
         one, NULL, 0, NULL, NULL, &status);
    MAKE(clCreateSampler, given->bench->context, CL_FALSE, CL_ADDRESS_NONE,
         CL_FILTER_NEAREST, &status);
    CALL(clReleaseSampler, (cl_sampler)given->mem);
    return OTHER;
}

// One call of a function that cltune loads, for its status.
static cl_int call_by_name(struct bench *bench, const char *name, cl_mem mem)
{
    struct given given = {bench, bench->queues[1], bench->devices[1], mem, NULL};
    launch(bench, 1, 4, 4, &given.event); // fails only where that is wanted
    cl_int status = call_for_programs(&given, name);
    if (status == OTHER)
        status = call_for_data(&given, name);
    if (status == OTHER)
        status = call_for_images(&given, name);
    if (status == OTHER)
        fail_msg("no call of %s here", name);
    return status;
}

// Every call of tuner/device, and only the use that was asked for.
static void every_call_of_cltune_can_fail(void **state)
{
    struct bench *bench = *state;
    static const char *const calls[] = {
#define CT_CL(name, needed) #name,
#include "device/opencl.def"
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        // In a child: the call may drop what the bench still needs.
        pid_t child = fork();
        if (child == 0) {
            char rule[64];
            cl_mem mem = buffer(bench, 64);
            if (build_copy(bench, 1, "", "-cl-kernel-arg-info"))
                _exit(1);
            set_arguments(bench, mem, mem);
            snprintf(rule, sizeof rule, "%s:1+:-77", calls[i]);
            setenv("VIRTUALCL_FAIL", rule, 1);
            _exit(call_by_name(bench, calls[i], mem) == -77 ? 0 : 2);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status)
            fail_msg("%s: %x", calls[i], (unsigned)status);
    }
}

static int end_with_rule(struct bench *bench, const char *rule)
{
    assert_int_equal(setenv("VIRTUALCL_FAIL", rule, 1), 0);
    int end = end_of_child(bench, "", 2);
    unsetenv("VIRTUALCL_FAIL");
    return end;
}

static void any_call_can_crash_in_chosen_processes(void **state)
{
    struct bench *bench = *state;
    char path[64];
    assert_int_equal(end_with_rule(bench, "clFinish:2:abort"), SIGABRT);
    assert_int_equal(end_with_rule(bench, "clSetKernelArg:1:segfault"), SIGSEGV);
    assert_int_equal(end_with_rule(bench, "clGetProgramBuildInfo:1:exit"), -3);
    assert_int_equal(end_with_rule(bench, "clFinish:3:abort"), 0);
    assert_int_equal(end_with_rule(bench, "clFinish:1:lost"), -52);
    fresh_path(path);
    assert_int_equal(setenv("VIRTUALCL_COUNTERS", path, 1), 0);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(end_with_rule(bench, "clFinish:2:-36@2"), i == 2 ? -52 : 0);
    // Processes four and five.
    assert_int_equal(end_with_rule(bench, "clBuildProgram:1:abort@5+"), 0);
    assert_int_equal(end_with_rule(bench, "clBuildProgram:1:abort@5+"), SIGABRT);
    unsetenv("VIRTUALCL_COUNTERS");
    drop_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(every_call_of_cltune_can_fail),
        TEST(any_call_can_crash_in_chosen_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
