// SPDX-License-Identifier: Apache-2.0
// Which failures wait until something has worked after them.
#include "tune/search_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ct_search search;

static int set_up(void **state)
{
    (void)state;
    memset(&search, 0, sizeof(search));
    search.defaults.known = true;
    search.defaults.result.status = CT_RESULT_OK;
    return 0;
}

static bool holds(enum ct_result_status status, const char *message)
{
    struct ct_report report = {.outcome = {.status = status, .message = message}};

    return ct_canary_holds(&search, &report);
}

/* A launch that wants too much is the kernel's fault; no kernel has a call before it fail like that. */
static void calls_that_lack_resources(void **state)
{
    (void)state;
    assert_true(holds(CT_RESULT_INVALID, "clCreateKernel: CL_OUT_OF_RESOURCES (-5)"));
    assert_true(holds(CT_RESULT_BUILD_FAILED,
                      "clCreateProgramWithSource: CL_OUT_OF_RESOURCES (-5)"));
    set_up(state);
    assert_false(
        holds(CT_RESULT_INVALID, "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)"));
    assert_false(holds(CT_RESULT_INVALID, "clCreateKernel: CL_INVALID_KERNEL (-48)"));
    assert_false(holds(CT_RESULT_WRONG, "out[0] is 1, expected 2"));
}

/* Nobody asks again where another device continues the search. */
static void launches_of_several_devices(void **state)
{
    (void)state;
    search.siblings.count = 1;
    assert_true(
        holds(CT_RESULT_INVALID, "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)"));
    set_up(state);
    search.siblings.count = 1;
    assert_false(holds(CT_RESULT_BUILD_FAILED, "a.cl:1:1: error: expected ';'"));
}

static void several_in_a_row(void **state)
{
    const char *message = "a.cl:1:1: error: expected ';'";

    (void)state;
    assert_false(holds(CT_RESULT_BUILD_FAILED, message));
    assert_false(holds(CT_RESULT_BUILD_FAILED, message));
    assert_true(holds(CT_RESULT_BUILD_FAILED, message));
    assert_false(holds(CT_RESULT_OK, ""));
    assert_false(holds(CT_RESULT_BUILD_FAILED, message));
}

/* Without one that works there is nothing to compare with. */
static void nothing_works(void **state)
{
    (void)state;
    search.defaults.known = false;
    assert_false(holds(CT_RESULT_CRASHED, "the worker was killed by SIGSEGV"));
    search.defaults.known = true;
    assert_true(holds(CT_RESULT_CRASHED, "the worker was killed by SIGSEGV"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_that_lack_resources, set_up),
        cmocka_unit_test_setup(launches_of_several_devices, set_up),
        cmocka_unit_test_setup(several_in_a_row, set_up),
        cmocka_unit_test_setup(nothing_works, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
