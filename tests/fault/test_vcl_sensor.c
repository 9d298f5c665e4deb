// SPDX-License-Identifier: Apache-2.0
// Tests of the virtual OpenCL driver: hardware counters, addresses on the PCI
// bus, properties of makers.

#include "test_vcl.h"

#include <stdbool.h>

static bool has(cl_device_id device, const char *extension)
{
    char text[1024];
    assert_int_equal(
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL),
        CL_SUCCESS);
    const char *found = strstr(text, extension);
    return found && (found[strlen(extension)] == '\0' || found[strlen(extension)] == ' ');
}

static cl_uint number_of(cl_device_id device, cl_device_info name)
{
    cl_uint number = 0;
    assert_int_equal(clGetDeviceInfo(device, name, sizeof number, &number, NULL),
                     CL_SUCCESS);
    return number;
}

static cl_int counter(cl_event event, cl_uint place, cl_ulong *value)
{
    *value = 12345;
    return clGetEventProfilingInfo(event, 0x1283 + place, sizeof *value, value, NULL);
}

// A finished launch of 100 us and 64 work-items.
static cl_event finished(struct bench *bench, int device, cl_mem mem)
{
    cl_event event;
    assert_int_equal(setenv("VIRTUALCL_PACE", "0", 1), 0);
    assert_int_equal(build_copy(bench, device, "#pragma virtual base 100000", ""), 0);
    set_arguments(bench, mem, mem);
    assert_int_equal(launch(bench, device, 64, 4, &event), CL_SUCCESS);
    assert_int_equal(clFinish(bench->queues[device]), CL_SUCCESS);
    return event;
}

static void events_of_the_videocore_count(void **state)
{
    static const cl_ulong expected[] = {30000, 10000, 6400, 16, 64};
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 256);
    cl_event event = finished(bench, 0, mem), transfer;
    cl_ulong value;
    size_t size;
    assert_true(has(bench->devices[0], "cl_vc4cl_performance_counters"));
    for (cl_uint i = 0; i < 5; i++) {
        assert_int_equal(counter(event, 10 + i, &value), CL_SUCCESS);
        assert_int_equal(value, expected[i]);
    }
    assert_int_equal(counter(event, 9, &value), CL_INVALID_VALUE);
    assert_int_equal(counter(event, 15, &value), CL_INVALID_VALUE);
    assert_int_equal(clGetEventProfilingInfo(event, 0x1283 + 10, 4, &value, &size),
                     CL_INVALID_VALUE);
    // A transfer runs nothing.
    assert_int_equal(clEnqueueReadBuffer(bench->queues[0], mem, CL_TRUE, 0, 4, &value, 0,
                                         NULL, &transfer),
                     CL_SUCCESS);
    assert_int_equal(counter(transfer, 10, &value), CL_INVALID_VALUE);
    clReleaseEvent(transfer);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

static void access_to_counters_can_be_denied(void **state)
{
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 256);
    cl_event event = finished(bench, 0, mem);
    cl_ulong value;
    assert_int_equal(setenv("VIRTUALCL_PERF", "denied", 1), 0);
    assert_true(has(bench->devices[0], "cl_vc4cl_performance_counters"));
    for (cl_uint i = 10; i < 15; i++)
        assert_int_equal(counter(event, i, &value), i == 12 ? CL_SUCCESS : -30);
    assert_int_equal(counter(event, 12, &value), CL_SUCCESS);
    assert_int_equal(value, 0);
    unsetenv("VIRTUALCL_PERF");
    clReleaseEvent(event);
    // The other device has none.
    event = finished(bench, 1, mem);
    assert_false(has(bench->devices[1], "cl_vc4cl_performance_counters"));
    for (cl_uint i = 10; i < 15; i++)
        assert_int_equal(counter(event, i, &value), CL_INVALID_VALUE);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

static void device_one_can_have_an_address(void **state)
{
    struct bench *bench = *state;
    cl_device_id pi = bench->devices[0], gpu = bench->devices[1];
    cl_uint all[4] = {9, 9, 9, 9};
    for (cl_device_info name = 0x4008; name <= 0x400A; name++)
        assert_int_equal(clGetDeviceInfo(gpu, name, 4, all, NULL), CL_INVALID_VALUE);
    assert_int_equal(setenv("VIRTUALCL_PCI", "1:65:2", 1), 0);
    assert_true(has(gpu, "cl_nv_device_attribute_query"));
    assert_true(has(gpu, "cl_khr_fp64"));
    assert_int_equal(number_of(gpu, 0x400A), 1);
    assert_int_equal(number_of(gpu, 0x4008), 65);
    assert_int_equal(number_of(gpu, 0x4009), 2);
    assert_int_equal(number_of(gpu, CL_DEVICE_VENDOR_ID), 0xC17E);
    assert_int_equal(clGetDeviceInfo(gpu, 0x410F, sizeof all, all, NULL),
                     CL_INVALID_VALUE);
    assert_false(has(pi, "cl_nv_device_attribute_query"));
    assert_int_equal(clGetDeviceInfo(pi, 0x4008, 4, all, NULL), CL_INVALID_VALUE);
    assert_int_equal(setenv("VIRTUALCL_PCI", "khr:1:65:2", 1), 0);
    assert_true(has(gpu, "cl_khr_pci_bus_info"));
    assert_false(has(gpu, "cl_nv_device_attribute_query"));
    assert_int_equal(number_of(gpu, CL_DEVICE_VENDOR_ID), 0x10DE);
    assert_int_equal(number_of(pi, CL_DEVICE_VENDOR_ID), 0x14E4);
    assert_int_equal(clGetDeviceInfo(gpu, 0x4008, 4, all, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(gpu, 0x410F, sizeof all, all, NULL), CL_SUCCESS);
    assert_true(all[0] == 1 && all[1] == 65 && all[2] == 2 && all[3] == 0);
    unsetenv("VIRTUALCL_PCI");
}

static void device_one_can_have_a_maker(void **state)
{
    struct bench *bench = *state;
    cl_device_id pi = bench->devices[0], gpu = bench->devices[1];
    cl_ulong wide;
    size_t sizes[4], bytes;
    char board[32];
    assert_int_equal(clGetDeviceInfo(gpu, 0x4000, 8, &wide, NULL), CL_INVALID_VALUE);
    assert_int_equal(setenv("VIRTUALCL_EXTENSIONS", "cl_khr_fp16 cl_test", 1), 0);
    assert_int_equal(setenv("VIRTUALCL_MAKER", "nvidia", 1), 0);
    assert_true(has(gpu, "cl_nv_device_attribute_query"));
    assert_true(has(gpu, "cl_khr_fp16") && has(gpu, "cl_test"));
    assert_false(has(pi, "cl_test") || has(pi, "cl_nv_device_attribute_query"));
    assert_int_equal(number_of(gpu, 0x4000), 8);
    assert_int_equal(number_of(gpu, 0x4001), 6);
    assert_int_equal(number_of(gpu, 0x4003), 32);
    assert_int_equal(clGetDeviceInfo(pi, 0x4000, 8, &wide, NULL), CL_INVALID_VALUE);
    unsetenv("VIRTUALCL_EXTENSIONS");
    assert_int_equal(setenv("VIRTUALCL_MAKER", "amd", 1), 0);
    assert_true(has(gpu, "cl_amd_device_attribute_query"));
    assert_int_equal(number_of(gpu, 0x4043), 32);
    assert_int_equal(clGetDeviceInfo(gpu, 0x4047, 8, &wide, NULL), CL_SUCCESS);
    assert_int_equal(wide, 65536);
    assert_int_equal(clGetDeviceInfo(gpu, 0x4038, sizeof board, board, NULL), CL_SUCCESS);
    assert_string_equal(board, "cltune board");
    assert_int_equal(setenv("VIRTUALCL_MAKER", "intel", 1), 0);
    assert_true(has(gpu, "cl_intel_required_subgroup_size"));
    assert_int_equal(clGetDeviceInfo(gpu, 0x4108, sizeof sizes, sizes, &bytes),
                     CL_SUCCESS);
    assert_int_equal(bytes, 3 * sizeof *sizes);
    assert_true(sizes[0] == 8 && sizes[1] == 16 && sizes[2] == 32);
    assert_int_equal(number_of(gpu, CL_DEVICE_MAX_NUM_SUB_GROUPS), 64);
    unsetenv("VIRTUALCL_MAKER");
    assert_int_equal(number_of(gpu, CL_DEVICE_MAX_NUM_SUB_GROUPS), 0);
}

// As many names as the text has words.
static void lists_of_extensions_agree(void **state)
{
    struct bench *bench = *state;
    cl_name_version list[16];
    char text[1024];
    size_t bytes, words = 0;
    assert_int_equal(setenv("VIRTUALCL_PCI", "0:1:0", 1), 0);
    assert_int_equal(setenv("VIRTUALCL_MAKER", "intel", 1), 0);
    assert_int_equal(clGetDeviceInfo(bench->devices[1], CL_DEVICE_EXTENSIONS_WITH_VERSION,
                                     sizeof list, list, &bytes),
                     CL_SUCCESS);
    assert_int_equal(
        clGetDeviceInfo(bench->devices[1], CL_DEVICE_EXTENSIONS, sizeof text, text, NULL),
        CL_SUCCESS);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), words++)
        assert_string_equal(word, list[words].name);
    assert_int_equal(bytes, words * sizeof *list);
    unsetenv("VIRTUALCL_MAKER");
    unsetenv("VIRTUALCL_PCI");
}

static void nonsense_ends_the_process(void **state)
{
    static const struct {
        const char *variable, *value;
    } rows[] = {{"VIRTUALCL_PCI", "1:2"},       {"VIRTUALCL_PCI", "a:b:c"},
                {"VIRTUALCL_PCI", "0:1:2:3"},   {"VIRTUALCL_PCI", "0:65536:0"},
                {"VIRTUALCL_PCI", "amd:0:1:2"}, {"VIRTUALCL_PERF", "yes"},
                {"VIRTUALCL_MAKER", "arm"},     {"VIRTUALCL_MAKER", "AMD"},
                {"VIRTUALCL_TIMER", "0"},       {"VIRTUALCL_TIMER", "1us"}};
    struct bench *bench = *state;
    cl_mem mem = buffer(bench, 256);
    cl_event event = finished(bench, 0, mem);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(setenv(rows[i].variable, rows[i].value, 1), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            cl_ulong value;
            signal(SIGABRT, SIG_DFL);
            number_of(bench->devices[1], CL_DEVICE_VENDOR_ID);
            counter(event, 10, &value);
            stamp(event, CL_PROFILING_COMMAND_END);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
            fail_msg("%s=%s is accepted", rows[i].variable, rows[i].value);
        unsetenv(rows[i].variable);
    }
    clReleaseEvent(event);
    clReleaseMemObject(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(events_of_the_videocore_count),  TEST(access_to_counters_can_be_denied),
        TEST(device_one_can_have_an_address), TEST(device_one_can_have_a_maker),
        TEST(lists_of_extensions_agree),      TEST(nonsense_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
