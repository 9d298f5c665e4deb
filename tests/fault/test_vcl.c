// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: devices, launches, virtual time, buffers.

#include "test_vcl.h"

#include <time.h>

static size_t size_of(cl_device_id device, cl_device_info name)
{
    size_t value = 0;
    assert_int_equal(clGetDeviceInfo(device, name, sizeof value, &value, NULL),
                     CL_SUCCESS);
    return value;
}

static cl_uint uint_of(cl_device_id device, cl_device_info name)
{
    cl_uint value = 0;
    assert_int_equal(clGetDeviceInfo(device, name, sizeof value, &value, NULL),
                     CL_SUCCESS);
    return value;
}

static void devices_have_their_limits(void **state)
{
    struct bench *bench = *state;
    cl_device_id pi = bench->devices[0], gpu = bench->devices[1];
    char text[256];
    size_t items[3], needed;
    assert_int_equal(clGetDeviceInfo(pi, CL_DEVICE_NAME, sizeof text, text, &needed), 0);
    assert_string_equal(text, "VideoCore IV GPU");
    assert_int_equal(needed, sizeof "VideoCore IV GPU");
    assert_int_equal(clGetDeviceInfo(pi, CL_DEVICE_NAME, 3, text, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(pi, CL_DEVICE_PROFILE, sizeof text, text, NULL), 0);
    assert_string_equal(text, "EMBEDDED_PROFILE");
    assert_int_equal(size_of(pi, CL_DEVICE_MAX_WORK_GROUP_SIZE), 12);
    assert_int_equal(size_of(gpu, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024);
    assert_int_equal(
        clGetDeviceInfo(pi, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, &needed),
        CL_SUCCESS);
    assert_int_equal(needed, sizeof items);
    assert_int_equal(items[2], 12);
    assert_int_equal(uint_of(pi, CL_DEVICE_VENDOR_ID), 0x14E4);
    assert_int_equal(uint_of(pi, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT), 16);
    assert_int_equal(uint_of(pi, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE), 0);
    assert_int_equal(uint_of(pi, CL_DEVICE_ADDRESS_BITS), 32);
    assert_int_equal(uint_of(pi, CL_DEVICE_LOCAL_MEM_TYPE), CL_GLOBAL);
    assert_int_equal(uint_of(pi, CL_DEVICE_IMAGE_SUPPORT), CL_FALSE);
    assert_int_equal(uint_of(gpu, CL_DEVICE_MAX_COMPUTE_UNITS), 64);
    assert_int_equal(uint_of(gpu, CL_DEVICE_LOCAL_MEM_TYPE), CL_LOCAL);
    assert_int_equal(uint_of(gpu, CL_DEVICE_NUMERIC_VERSION), CL_MAKE_VERSION(3, 0, 0));
    assert_int_equal(clGetDeviceInfo(pi, CL_DEVICE_NUMERIC_VERSION, 4, text, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(gpu, 0x7777, 4, text, NULL), CL_INVALID_VALUE);
    assert_null(clCreateSampler(bench->context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST,
                                &(cl_int){0}));
    cl_uint count;
    assert_int_equal(clGetDeviceIDs(bench->platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count),
                     CL_DEVICE_NOT_FOUND);
}

static void launches_are_checked(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(build(bench, 0, copy_source, ""), CL_SUCCESS);
    assert_int_equal(launch(bench, 0, 12, 12, NULL), CL_INVALID_KERNEL_ARGS);
    cl_mem mem = buffer(bench, 64);
    float number = 1;
    assert_int_equal(clSetKernelArg(bench->kernel, 3, 4, &number), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArg(bench->kernel, 2, 8, &number), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(bench->kernel, 2, 4, NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, sizeof(mem) / 2, &mem),
                     CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, sizeof(mem), &bench->context),
                     CL_INVALID_MEM_OBJECT);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 0, 12, 12, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 0, 13, 13, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(launch(bench, 0, 13, 4, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(launch(bench, 0, 0, 0, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(launch(bench, 1, 4, 4, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
    size_t global[] = {4, 4, 128}, local[] = {4, 4, 1};
    assert_int_equal(clEnqueueNDRangeKernel(bench->queues[0], bench->kernel, 2, NULL,
                                            global, local, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE); // 16 in all
    assert_int_equal(clEnqueueNDRangeKernel(bench->queues[0], bench->kernel, 4, NULL,
                                            global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    assert_int_equal(build(bench, 1, copy_source, ""), CL_SUCCESS);
    set_arguments(bench, mem, mem);
    local[0] = local[1] = 1;
    local[2] = 128;
    assert_int_equal(clEnqueueNDRangeKernel(bench->queues[1], bench->kernel, 3, NULL,
                                            global, local, 0, NULL, NULL),
                     CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(launch(bench, 1, 1024, 1024, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 2048, 2048, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(launch(bench, 1, 0, 0, NULL), CL_SUCCESS);
    clReleaseMemObject(mem);
}

static void local_memory_is_limited(void **state)
{
    struct bench *bench = *state;
    const char source[] =
        "__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))\n"
        "void k(__local float4 *a) { __local float tile[WG][64], t2[2]; a[0] = 0; }\n";
    cl_ulong bytes;
    size_t required[3];
    assert_int_equal(build(bench, 1, source, "-D WG=128"), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, 16384, NULL), CL_SUCCESS);
    assert_int_equal(clGetKernelWorkGroupInfo(bench->kernel, bench->devices[1],
                                              CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                              &bytes, NULL),
                     CL_SUCCESS);
    assert_int_equal(bytes, 16384 + 128 * 64 * 4 + 8);
    assert_int_equal(launch(bench, 1, 128, 128, NULL), CL_OUT_OF_RESOURCES);
    assert_int_equal(clSetKernelArg(bench->kernel, 0, 16376, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 128, 128, NULL), CL_SUCCESS);
    assert_int_equal(launch(bench, 1, 128, 64, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(launch(bench, 1, 128, 0, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clGetKernelWorkGroupInfo(bench->kernel, NULL,
                                              CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                              sizeof required, required, NULL),
                     CL_INVALID_DEVICE); // the program is for two devices
}

static void time_follows_the_directives(void **state)
{
    struct bench *bench = *state;
    const char lines[] = "#pragma virtual base 200000\n"
                         "/* #pragma virtual factor WG 8 1.5 */ // by half\n"
                         "/**\n * #pragma virtual add VEC 4 -2500\n */\n"
                         "#if WG > 8\n// #pragma virtual add VEC 4 7\n#endif\n"
                         "#define VEC V\n";
    assert_int_equal(build_copy(bench, 0, lines, "-DWG=8 -DV=2"), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), 300000);
    assert_int_equal(build_copy(bench, 0, lines, "-DWG=8 -DV=4"), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), 297500);
    assert_int_equal(build_copy(bench, 0, lines, "-DWG=16 -DV=4"), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), 197507);
    assert_int_equal(build_copy(bench, 1, lines, "-DWG=16 -DV=4"), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 1), 19750); // a tenth, rounded down
}

static void time_without_directives_is_a_hash(void **state)
{
    struct bench *bench = *state;
    // 100000 + 100 * (FNV-1a 64 of "STYLE=fast;STYLE_fast=1;WG=8;" modulo 1000)
    const cl_ulong expected_ns = 141700;
    const char options[] = "-D WG=8 -DSTYLE=fast -cl-mad-enable -D STYLE_fast";
    assert_int_equal(build(bench, 0, copy_source, options), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), expected_ns);
    assert_int_equal(build_copy(bench, 0, "#undef WG", options), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), expected_ns);
    assert_int_equal(build(bench, 1, copy_source, options), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 1), expected_ns / 10);
}

static void directives_can_name_a_kernel(void **state)
{
    struct bench *bench = *state;
    const char lines[] = "#pragma virtual base 50000\n#pragma virtual kernel copy\n"
                         "#pragma virtual item 10\n#pragma virtual kernel other\n"
                         "#pragma virtual base 1\n#pragma virtual kernel *\n"
                         "#pragma virtual factor __OPENCL_VERSION__ 120 0.333333\n";
    assert_int_equal(build_copy(bench, 0, lines, ""), CL_SUCCESS);
    assert_int_equal(launch_ns(bench, 0), 16666 + 8 * 10);
}

static void launches_follow_without_gap(void **state)
{
    struct bench *bench = *state;
    cl_mem in = buffer(bench, 16), out = buffer(bench, 16);
    cl_event events[10], marker;
    cl_int status;
    assert_int_equal(build_copy(bench, 0, "#pragma virtual base 5000", ""), CL_SUCCESS);
    set_arguments(bench, in, out);
    for (int i = 0; i < 10; i++)
        assert_int_equal(launch(bench, 0, 8, 4, &events[i]), CL_SUCCESS);
    assert_int_equal(
        clEnqueueMarkerWithWaitList(bench->queues[0], 1, &events[9], &marker),
        CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &marker), CL_SUCCESS);
    assert_int_equal(clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS,
                                    sizeof status, &status, NULL),
                     CL_SUCCESS);
    assert_int_equal(status, CL_COMPLETE);
    for (int i = 1; i < 10; i++)
        assert_int_equal(stamp(events[i], CL_PROFILING_COMMAND_START),
                         stamp(events[i - 1], CL_PROFILING_COMMAND_END));
    assert_int_equal(stamp(events[9], CL_PROFILING_COMMAND_END) -
                         stamp(events[0], CL_PROFILING_COMMAND_START),
                     50000);
    for (int i = 0; i < 10; i++)
        clReleaseEvent(events[i]);
    clReleaseEvent(marker);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static cl_ulong wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

// Only a lower limit of real time is checked: sleeping longer is no fault.
static void the_wall_sees_all_virtual_time(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    cl_event event;
    assert_int_equal(build_copy(bench, 0, "#pragma virtual base 2000000", ""),
                     CL_SUCCESS);
    set_arguments(bench, mem, mem);
    cl_ulong start_ns = wall_ns(), time_ns;
    for (int i = 0; i < 3; i++)
        assert_int_equal(launch(bench, 0, 8, 4, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]), CL_SUCCESS);
    assert_true(wall_ns() - start_ns >= 6000000);
    assert_int_equal(build_copy(bench, 0, "#pragma virtual base 900000000000", ""), 0);
    set_arguments(bench, mem, mem);
    assert_int_equal(setenv("VIRTUALCL_PACE", "0", 1), 0);
    assert_int_equal(launch(bench, 0, 8, 4, &event), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[0]),
                     CL_SUCCESS); // at once, not in 15 minutes
    unsetenv("VIRTUALCL_PACE");
    time_ns =
        stamp(event, CL_PROFILING_COMMAND_END) - stamp(event, CL_PROFILING_COMMAND_START);
    assert_int_equal(time_ns, 900000000000);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

static void events_are_pending_before_their_time(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 16);
    cl_event event;
    cl_int execution;
    cl_ulong time_ns;
    // Long enough for any machine to ask twice meanwhile; nobody waits for it.
    assert_int_equal(build_copy(bench, 1, "#pragma virtual base 900000000000", ""), 0);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, 1, 8, 4, &event), CL_SUCCESS);
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &execution, NULL),
        CL_SUCCESS);
    assert_int_equal(execution, CL_RUNNING);
    assert_int_equal(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &time_ns, NULL),
        CL_PROFILING_INFO_NOT_AVAILABLE);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

static void transfers_take_a_nanosecond_a_byte(void **state)
{
    struct bench *bench = *state;
    unsigned char bytes[1000], back[1000] = {0};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    cl_mem one = buffer(bench, 1000), two = buffer(bench, 1000);
    cl_event events[2];
    cl_int status;
    assert_int_equal(clEnqueueWriteBuffer(bench->queues[0], one, CL_FALSE, 0, 1000, bytes,
                                          0, NULL, &events[0]),
                     CL_SUCCESS);
    assert_int_equal(
        clEnqueueCopyBuffer(bench->queues[0], one, two, 0, 0, 1000, 1, &events[0], NULL),
        CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(bench->queues[0], two, "ab", 2, 2, 4, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(bench->queues[0], two, CL_TRUE, 10, 990, back, 0,
                                         NULL, &events[1]),
                     CL_SUCCESS);
    assert_memory_equal(back, bytes + 10, 990);
    assert_int_equal(stamp(events[0], CL_PROFILING_COMMAND_END) -
                         stamp(events[0], CL_PROFILING_COMMAND_START),
                     1000);
    assert_int_equal(stamp(events[1], CL_PROFILING_COMMAND_END) -
                         stamp(events[0], CL_PROFILING_COMMAND_START),
                     1000 + 1000 + 4 + 990);
    char *map = clEnqueueMapBuffer(bench->queues[1], two, CL_TRUE, CL_MAP_READ, 0, 8, 0,
                                   NULL, NULL, &status);
    assert_non_null(map);
    assert_memory_equal(map + 2, "abab", 4);
    assert_int_equal(clEnqueueUnmapMemObject(bench->queues[1], two, map, 0, NULL, NULL),
                     0);
    assert_int_equal(
        clEnqueueReadBuffer(bench->queues[0], two, CL_TRUE, 10, 991, back, 0, NULL, NULL),
        CL_INVALID_VALUE);
    clReleaseEvent(events[0]);
    clReleaseEvent(events[1]);
    clReleaseMemObject(one);
    clReleaseMemObject(two);
}

static void buffers_are_checked(void **state)
{
    struct bench *bench = *state;
    cl_int status;
    char host[4096];
    assert_null(clCreateBuffer(bench->context, 0, 0, NULL, &status));
    assert_int_equal(status, CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(bench->context, 0, (size_t)5 << 30, NULL, &status));
    assert_int_equal(status, CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(bench->context, 0, 8, host, &status));
    assert_int_equal(status, CL_INVALID_HOST_PTR);
    assert_null(clCreateBuffer(bench->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8,
                               NULL, &status));
    assert_int_equal(status, CL_INVALID_VALUE);
    cl_mem mem = buffer(bench, 4096);
    cl_buffer_region region = {32, 64};
    assert_null(
        clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    assert_int_equal(status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    region.origin = 64; // good for device 0, not for device 1
    cl_mem sub =
        clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clReleaseMemObject(mem), CL_SUCCESS); // the sub-buffer keeps it
    assert_int_equal(
        clEnqueueReadBuffer(bench->queues[0], sub, CL_TRUE, 0, 64, host, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clEnqueueReadBuffer(bench->queues[1], sub, CL_TRUE, 0, 64, host, 0, NULL, NULL),
        CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clReleaseMemObject(sub), CL_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(devices_have_their_limits),
        TEST(launches_are_checked),
        TEST(local_memory_is_limited),
        TEST(time_follows_the_directives),
        TEST(time_without_directives_is_a_hash),
        TEST(directives_can_name_a_kernel),
        TEST(launches_follow_without_gap),
        TEST(the_wall_sees_all_virtual_time),
        TEST(transfers_take_a_nanosecond_a_byte),
        TEST(buffers_are_checked),
        TEST(events_are_pending_before_their_time), // leaves device 1 busy: the last one
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
