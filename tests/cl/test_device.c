// SPDX-License-Identifier: Apache-2.0
// The device layer by itself, on device 0.
#define _GNU_SOURCE // folder.h
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "device/device.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ct_opencl *cl;
static struct ct_device *device;

static const char source[] =
    "kernel void add(global const int *in, global int *out, int what,\n"
    "                local int *room, constant float *table)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    room[get_local_id(0)] = (int)table[0];\n"
    "    out[i] = in[i] + what + room[get_local_id(0)];\n"
    "}\n"
    "kernel void other(global int *out) { out[0] = 1; }\n";

static struct ct_program *build(const char *options)
{
    struct ct_program *program = NULL;
    struct ct_err err = CT_ERR_INIT;

    if (ct_program_build(device, source, options, &program, NULL, &err))
        fail_msg("%s", err.message);
    return program;
}

static void devices_are_listed(void **state)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *list;
    size_t count;
    const struct ct_devinfo *info;

    (void)state;
    assert_int_equal(ct_device_list(cl, &arena, &list, &count, NULL), CT_OK);
    assert_true(count >= 1);
    for (size_t i = 1; i < count; i++)
        assert_true(list[i].platform_index > list[i - 1].platform_index ||
                    (list[i].platform_index == list[i - 1].platform_index &&
                     list[i].device_index == list[i - 1].device_index + 1));
    info = ct_device_info(device);
    assert_string_equal(ct_devinfo_text(info, CT_DEVICE_NAME),
                        ct_devinfo_text(&list[0], CT_DEVICE_NAME));
    assert_true(strlen(ct_devinfo_text(info, CT_DEVICE_NAME)) > 0);
    assert_true(strlen(info->driver_version) > 0);
    assert_true(strlen(info->platform_name) > 0);
    assert_true(ct_devinfo_int(info, CT_DEVICE_MAX_COMPUTE_UNITS, 0) >= 1);
    assert_true(ct_devinfo_int(info, CT_DEVICE_MAX_WORK_GROUP_SIZE, 0) >= 1);
    assert_true(ct_devinfo_int(info, CT_DEVICE_MAX_WORK_ITEM_SIZES_2, 0) >= 1);
    assert_true(ct_devinfo_int(info, CT_DEVICE_GLOBAL_MEM_SIZE, 0) >= 1 << 20);
    ct_arena_release(&arena);
}

static void unknown_devices_are_refused(void **state)
{
    struct ct_device *none = NULL;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    assert_int_equal(ct_device_open(cl, 99, 0, &none, &err), CT_E_NO_DEVICE);
    assert_int_equal(ct_device_open(cl, 0, 99, &none, &err), CT_E_NO_DEVICE);
    assert_non_null(strstr(err.message, "0:99"));
}

static void build_failures_say_why(void **state)
{
    struct ct_program *program = NULL;
    struct ct_str log;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    ct_str_init(&log);
    assert_int_equal(ct_program_build(device, "no C", "", &program, &log, &err),
                     CT_E_DEVICE);
    assert_string_equal(err.message, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)");
    assert_true(log.length > 0 && log.length <= CT_DEVICE_LOG_MAX);
    assert_int_equal(ct_device_failure_of(device), CT_DEVICE_REFUSED);
    ct_str_release(&log);
}

static void kernels_declare_their_arguments(void **state)
{
    static const struct ct_kernel_arg expected[] = {
        {"in", "int*", CT_ADDRESS_GLOBAL, true},
        {"out", "int*", CT_ADDRESS_GLOBAL, false},
        {"what", "int", CT_ADDRESS_PRIVATE, false},
        {"room", "int*", CT_ADDRESS_LOCAL, false},
        {"table", "float*", CT_ADDRESS_CONSTANT, true},
    };
    struct ct_program *program = build("-cl-kernel-arg-info");
    struct ct_kernel *kernel = NULL;
    struct ct_kernel_arg arg;
    struct ct_str names;
    size_t count = 0;

    (void)state;
    ct_str_init(&names);
    assert_int_equal(ct_program_kernels(program, &names, NULL), CT_OK);
    assert_non_null(strstr(names.data, "add"));
    assert_non_null(strstr(names.data, "other"));
    ct_str_release(&names);
    assert_int_equal(ct_kernel_new(program, "missing", &kernel, NULL), CT_E_NOT_FOUND);
    assert_int_equal(ct_kernel_new(program, "add", &kernel, NULL), CT_OK);
    assert_int_equal(ct_kernel_arg_count(kernel, &count, NULL), CT_OK);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ct_kernel_set_arg(kernel, i, &arg, NULL), CT_OK);
        assert_string_equal(arg.name, expected[i].name);
        assert_string_equal(arg.type, expected[i].type);
        assert_int_equal(arg.address, expected[i].address);
        assert_true(arg.is_const || !expected[i].is_const || i == 4);
        assert_true(!arg.is_const || expected[i].is_const);
    }
    assert_int_equal(ct_kernel_set_arg(kernel, count, &arg, NULL), CT_E_NOT_FOUND);
    ct_kernel_free(kernel);
    ct_program_free(program);
}

/* Runs add on 64 numbers with a program and looks at the result. */
static void run_add(struct ct_program *program)
{
    struct ct_buffer *in = NULL;
    struct ct_buffer *out = NULL;
    struct ct_buffer *table = NULL;
    struct ct_kernel *kernel = NULL;
    struct ct_event event = {NULL};
    struct ct_guard_hit hit;
    int data[64];
    const float ten = 10;
    const int what = 5;
    const uint64_t global = 64;
    const uint64_t local = 16;
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    bool intact = false;

    assert_int_equal(ct_buffer_new(device, sizeof(data), CT_HOME_DEVICE, &in, NULL),
                     CT_OK);
    assert_int_equal(ct_buffer_new(device, sizeof(data), CT_HOME_DEVICE, &out, NULL),
                     CT_OK);
    assert_int_equal(ct_buffer_new(device, sizeof(ten), CT_HOME_DEVICE, &table, NULL),
                     CT_OK);
    for (int i = 0; i < 64; i++)
        data[i] = i;
    assert_int_equal(ct_buffer_write(in, data, NULL), CT_OK);
    assert_int_equal(ct_buffer_write(table, &ten, NULL), CT_OK);
    assert_int_equal(ct_buffer_poison(out, NULL), CT_OK);
    assert_int_equal(ct_buffer_read(out, data, NULL), CT_OK);
    assert_int_equal(data[0], -1);
    assert_int_equal(data[63], -1);
    assert_int_equal(ct_kernel_new(program, "add", &kernel, NULL), CT_OK);
    assert_int_equal(ct_kernel_set_buffer(kernel, 0, in, NULL), CT_OK);
    assert_int_equal(ct_kernel_set_buffer(kernel, 1, out, NULL), CT_OK);
    assert_int_equal(ct_kernel_set_value(kernel, 2, &what, sizeof(what), NULL), CT_OK);
    assert_int_equal(ct_kernel_set_local(kernel, 3, 16 * sizeof(int), NULL), CT_OK);
    assert_int_equal(ct_kernel_set_buffer(kernel, 4, table, NULL), CT_OK);
    assert_int_equal(ct_kernel_launch(kernel, 1, &global, &local, &event, NULL), CT_OK);
    assert_int_equal(ct_device_finish(device, NULL), CT_OK);
    assert_true(ct_event_times(device, event, &start_ns, &end_ns));
    assert_true(end_ns >= start_ns);
    ct_event_free(device, &event);
    assert_false(ct_event_times(device, event, &start_ns, &end_ns));
    assert_int_equal(ct_buffer_read(out, data, NULL), CT_OK);
    for (int i = 0; i < 64; i++)
        assert_int_equal(data[i], i + 15);
    assert_int_equal(ct_buffer_guard_check(out, &intact, &hit, NULL), CT_OK);
    assert_true(intact);
    ct_kernel_free(kernel);
    ct_buffer_free(in);
    ct_buffer_free(out);
    ct_buffer_free(table);
}

static void kernels_run(void **state)
{
    struct ct_program *program = build("");

    (void)state;
    run_add(program);
    ct_program_free(program);
}

static void binaries_run_like_their_source(void **state)
{
    struct ct_program *program = build("");
    struct ct_program *loaded = NULL;
    struct ct_str binary;
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    ct_str_init(&binary);
    assert_int_equal(ct_program_binary(program, &binary, NULL), CT_OK);
    assert_true(binary.length > 0);
    ct_program_free(program);
    assert_int_equal(
        ct_program_load(device, binary.data, binary.length, "", &loaded, NULL, NULL),
        CT_OK);
    run_add(loaded);
    ct_program_free(loaded);
    assert_int_equal(ct_program_load(device, "nonsense", 8, "", &loaded, NULL, &err),
                     CT_E_DEVICE);
    /* Some drivers look at it only when they build. */
    assert_true(strstr(err.message, "clCreateProgramWithBinary: CL_") ||
                strstr(err.message, "clBuildProgram: CL_"));
    ct_str_release(&binary);
}

/* Bands are found damaged once, on the right side, and repaired. */
static void guards_see_both_sides(void **state)
{
    static const char stray[] =
        "kernel void stray(global char *out, long at) { out[at] = 1; }";
    static const struct {
        int64_t at;
        bool before;
        uint64_t offset_bytes;
    } cases[] = {{-1, true, 0}, {-100, true, 99}, {1001, false, 0}, {1201, false, 200}};
    struct ct_program *program = NULL;
    struct ct_kernel *kernel = NULL;
    struct ct_buffer *buffer = NULL;
    const uint64_t one = 1;

    (void)state;
    assert_int_equal(ct_program_build(device, stray, "", &program, NULL, NULL), CT_OK);
    assert_int_equal(ct_kernel_new(program, "stray", &kernel, NULL), CT_OK);
    /* A size that no pattern divides. */
    assert_int_equal(ct_buffer_new(device, 1001, CT_HOME_DEVICE, &buffer, NULL), CT_OK);
    assert_int_equal(ct_buffer_poison(buffer, NULL), CT_OK);
    assert_int_equal(ct_kernel_set_buffer(kernel, 0, buffer, NULL), CT_OK);
    for (size_t i = 0; i < 4; i++) {
        struct ct_guard_hit hit = {0};
        bool intact = true;

        assert_int_equal(
            ct_kernel_set_value(kernel, 1, &cases[i].at, sizeof(cases[i].at), NULL),
            CT_OK);
        assert_int_equal(ct_kernel_launch(kernel, 1, &one, NULL, NULL, NULL), CT_OK);
        assert_int_equal(ct_device_finish(device, NULL), CT_OK);
        assert_int_equal(ct_buffer_guard_check(buffer, &intact, &hit, NULL), CT_OK);
        assert_false(intact);
        assert_int_equal(hit.before, cases[i].before);
        assert_int_equal(hit.offset_bytes, cases[i].offset_bytes);
        assert_int_equal(ct_buffer_guard_check(buffer, &intact, &hit, NULL), CT_OK);
        assert_true(intact);
    }
    ct_buffer_free(buffer);
    ct_kernel_free(kernel);
    ct_program_free(program);
}

/* What a kernel reads in one band is not what it would have to leave in another. */
static void bands_differ(void **state)
{
    static const char spill[] =
        "kernel void spill(global const TYPE *in, global TYPE *out, long first)\n"
        "{ out[first + get_global_id(0)] = in[first + get_global_id(0)] OP; }";
    static const char *const options[] = {
        "-DTYPE=float -DOP=*2",        "-DTYPE=float -DOP=+0",
        "-DTYPE=float -DOP=+in[0]",    "-DTYPE=int -DOP=+0",
        "-DTYPE=ushort -DOP=|in[0]",   "-DTYPE=float -DOP=+out[0]",
        "-DTYPE=float -DOP=*0.999999f"};
    const int64_t places[] = {-200, -100, 1000, 1100};
    const uint64_t few = 8;
    float zeros[1000] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options) * 4; i++) {
        struct ct_program *program = NULL;
        struct ct_kernel *kernel = NULL;
        struct ct_buffer *in = NULL;
        struct ct_buffer *out = NULL;
        struct ct_guard_hit hit;
        bool intact = true;
        size_t size = strstr(options[i / 4], "ushort") ? 2 : 4;

        assert_int_equal(
            ct_program_build(device, spill, options[i / 4], &program, NULL, NULL), CT_OK);
        assert_int_equal(ct_kernel_new(program, "spill", &kernel, NULL), CT_OK);
        assert_int_equal(ct_buffer_new(device, 1000 * size, CT_HOME_DEVICE, &in, NULL),
                         CT_OK);
        assert_int_equal(ct_buffer_new(device, 1000 * size, CT_HOME_DEVICE, &out, NULL),
                         CT_OK);
        assert_int_equal(ct_buffer_write(in, zeros, NULL), CT_OK);
        assert_int_equal(ct_buffer_write(out, zeros, NULL), CT_OK);
        assert_int_equal(ct_kernel_set_buffer(kernel, 0, in, NULL), CT_OK);
        assert_int_equal(ct_kernel_set_buffer(kernel, 1, out, NULL), CT_OK);
        assert_int_equal(ct_kernel_set_value(kernel, 2, &places[i % 4], 8, NULL), CT_OK);
        assert_int_equal(ct_kernel_launch(kernel, 1, &few, NULL, NULL, NULL), CT_OK);
        assert_int_equal(ct_device_finish(device, NULL), CT_OK);
        assert_int_equal(ct_buffer_guard_check(out, &intact, &hit, NULL), CT_OK);
        if (intact)
            fail_msg("%s at %d", options[i / 4], (int)places[i % 4]);
        assert_int_equal(ct_buffer_guard_check(in, &intact, &hit, NULL), CT_OK);
        assert_true(intact);
        ct_buffer_free(in);
        ct_buffer_free(out);
        ct_kernel_free(kernel);
        ct_program_free(program);
    }
}

static void impossible_buffers_are_refused(void **state)
{
    struct ct_buffer *buffer = NULL;

    (void)state;
    assert_int_equal(ct_buffer_new(device, 0, CT_HOME_DEVICE, &buffer, NULL),
                     CT_E_DEVICE);
    assert_int_equal(ct_buffer_new(device, SIZE_MAX, CT_HOME_DEVICE, &buffer, NULL),
                     CT_E_DEVICE);
    assert_int_equal(ct_buffer_new(device, SIZE_MAX / 4, CT_HOME_DEVICE, &buffer, NULL),
                     CT_E_DEVICE);
    assert_int_equal(ct_device_failure_of(device), CT_DEVICE_REFUSED);
}

static int set_up(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    if (make_folder(state))
        return -1;
    /* No worker chooses a place for it here. */
    setenv("POCL_CACHE_DIR", test_folder, 1);
    if (ct_opencl_load(&cl, &err) || ct_device_open(cl, 0, 0, &device, &err)) {
        print_error("%s\n", err.message);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    ct_device_close(device);
    ct_opencl_free(cl);
    return remove_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_listed),
        cmocka_unit_test(unknown_devices_are_refused),
        cmocka_unit_test(build_failures_say_why),
        cmocka_unit_test(kernels_declare_their_arguments),
        cmocka_unit_test(kernels_run),
        cmocka_unit_test(binaries_run_like_their_source),
        cmocka_unit_test(guards_see_both_sides),
        cmocka_unit_test(bands_differ),
        cmocka_unit_test(impossible_buffers_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
