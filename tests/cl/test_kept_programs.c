// SPDX-License-Identifier: Apache-2.0
// Programs that a worker keeps: which of them it still has, and which give way.
// On the virtual driver.
#define _GNU_SOURCE // folder.h
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "device/device.h"
#include "folder.h"
#include "protocol/protocol.h"
#include "virtual_driver.h"
#include "worker/build/kept_programs.h"

#include <stdio.h>
#include <string.h>

static struct ct_opencl *cl;
static struct ct_session session;

static int set_up_group(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    if (make_folder(state) || !use_virtual_driver())
        return -1;
    return ct_opencl_load(&cl, &err) ? -1 : 0;
}

static int set_up(void **state)
{
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    memset(&session, 0, sizeof(session));
    return ct_device_open(cl, 0, 0, &session.device, &err) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    ct_kept_programs_forget(&session);
    ct_device_close(session.device);
    return 0;
}

static int tear_down_group(void **state)
{
    ct_opencl_free(cl);
    return remove_folder(state);
}

/* Source number `index`. */
static void make_source(struct ct_compile *compile, int index)
{
    char source[200];
    size_t length = (size_t)snprintf(
        source, sizeof(source),
        "kernel void copy%d(global const float *in, global float *out) { out[%d] = in[0]; }\n",
        index, index);

    memset(compile, 0, sizeof(*compile));
    ct_str_init(&compile->source);
    ct_str_init(&compile->options);
    ct_str_add(&compile->source, source, length);
    compile->text = ct_hash_bytes(source, length);
}

/* Whether the session had it; it is kept from now on. */
static bool had(int index, bool ahead)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_program *program = NULL;
    struct ct_compile compile;
    struct ct_str log;
    uint32_t shared = 0;

    make_source(&compile, index);
    ct_str_init(&log);
    if (ct_kept_program(&session, &compile, &program, &log, ahead, &shared, &err))
        fail_msg("%s", err.message);
    assert_non_null(program);
    ct_program_free(program);
    ct_str_release(&log);
    ct_compile_release(&compile);
    return shared == 1;
}

static int had_of(int from, int to)
{
    int found = 0;

    for (int i = from; i < to; i++)
        found += had(i, false);
    return found;
}

/* --- tests --- */

static void the_last_ones_are_kept(void **state)
{
    (void)state;
    assert_int_equal(had_of(0, CT_PROGRAMS_KEPT), 0);
    assert_int_equal(had_of(0, CT_PROGRAMS_KEPT), CT_PROGRAMS_KEPT);
    /* The oldest gives way, and only that. */
    assert_false(had(CT_PROGRAMS_KEPT, false));
    assert_int_equal(had_of(1, CT_PROGRAMS_KEPT + 1), CT_PROGRAMS_KEPT);
    assert_false(had(0, false));
}

static void those_to_come_stay(void **state)
{
    (void)state;
    for (int i = 0; i < CT_PROGRAMS_KEPT - 1; i++)
        assert_false(had(i, true));
    /* All others share the one slot that is left. */
    assert_int_equal(had_of(100, 110), 0);
    assert_true(had(109, false));
    assert_false(had(108, false));
    /* One that has had its evaluation gives way as any. */
    assert_true(had(20, false));
    assert_false(had(200, false));
    assert_false(had(201, false));
    for (int i = 0; i < CT_PROGRAMS_KEPT - 1; i++)
        assert_int_equal(had(i, true), i != 20);
}

static void where_all_are_to_come_nothing_else_is_kept(void **state)
{
    (void)state;
    for (int i = 0; i < CT_PROGRAMS_KEPT; i++)
        assert_false(had(i, true));
    assert_false(had(100, false));
    assert_false(had(100, false));
    /* But what is to come, too. */
    assert_false(had(101, true));
    assert_true(had(101, true));
    assert_false(had(0, true));
}

static void without_a_known_text_nothing_is_kept(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_program *program = NULL;
    uint32_t shared = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct ct_compile compile;
        struct ct_str log;

        make_source(&compile, 1);
        compile.text = (struct ct_hash){""};
        ct_str_init(&log);
        assert_int_equal(
            ct_kept_program(&session, &compile, &program, &log, false, &shared, &err),
            CT_OK);
        ct_program_free(program);
        ct_str_release(&log);
        ct_compile_release(&compile);
    }
    assert_int_equal(shared, 0);
    assert_null(session.kept_programs);
}

static void what_is_in_use_outlives_being_forgotten(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_program *program = NULL;
    struct ct_kernel *kernel = NULL;
    struct ct_compile compile;
    struct ct_str log;
    uint32_t shared = 0;

    (void)state;
    make_source(&compile, 1);
    ct_str_init(&log);
    assert_int_equal(
        ct_kept_program(&session, &compile, &program, &log, false, &shared, &err), CT_OK);
    ct_kept_programs_forget(&session);
    assert_int_equal(ct_kernel_new(program, "copy1", &kernel, &err), CT_OK);
    ct_kernel_free(kernel);
    ct_program_free(program);
    assert_false(had(1, false));
    ct_str_release(&log);
    ct_compile_release(&compile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_ones_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(those_to_come_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_all_are_to_come_nothing_else_is_kept,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_known_text_nothing_is_kept, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_in_use_outlives_being_forgotten, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
