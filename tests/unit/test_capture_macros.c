// SPDX-License-Identifier: Apache-2.0
// Macros of a captured program's build options.
#include "capture/macros.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LONG_NAME                                                                        \
    "THE_NUMBER_OF_ELEMENTS_THAT_EACH_WORK_ITEM_LOADS_INTO_LOCAL_MEMORY_AT_ONCE"

static const char source[] =
    "kernel void k(global int *x) { x[get_global_id(0)] = N + M + " LONG_NAME "; }\n";

/* Expects these parameters, as "NAME=VALUE ...", and these options beside them. */
static void assert_split(const char *options, const char *parameters, const char *rest)
{
    struct ct_macros macros = {NULL, 0, 0};
    struct ct_str folders;
    struct ct_str found;
    struct ct_str others;

    ct_str_init(&folders);
    ct_str_init(&found);
    ct_str_init(&others);
    assert_true(
        ct_macros_split_options(options, source, "/", &macros, &folders, &others));
    for (size_t i = 0; i < macros.count; i++)
        ct_str_addf(&found, "%s%s=%d", i ? " " : "", macros.items[i].name,
                    (int)macros.items[i].value);
    assert_string_equal(found.length ? found.data : "", parameters);
    assert_string_equal(others.length ? others.data : "", rest);
    ct_macros_release(&macros);
    ct_str_release(&folders);
    ct_str_release(&found);
    ct_str_release(&others);
}

static void integers_that_the_source_uses_are_parameters(void **state)
{
    (void)state;
    assert_split("", "", "");
    assert_split("-D N=8 -cl-mad-enable -DM=2", "N=8 M=2", "-cl-mad-enable");
    assert_split("-D OTHER=3 -D N", "", "-D OTHER=3 -D N");
}

static void the_last_definition_counts(void **state)
{
    (void)state;
    assert_split("-D N=4 -D N=8", "N=8", "");
    assert_split("-DN=4 -D M=1 -DN=8 -DN=16", "M=1 N=16", "");
    assert_split("-D N=4 -D N", "", "-D N");
    assert_split("-D N=4 -U N", "", "-U N");
    assert_split("-D N=4 -UN -D N=8", "N=8", "-UN");
    assert_split("-D N=x -D N=8", "N=8", "");
    assert_split("-D N=4 -D \"N=x y\"", "", "-D \"N=x y\"");
    assert_split("-D N=4 \"-DN=x y\"", "", "\"-DN=x y\"");
    assert_split("-D N=4 '-D N'", "", "'-D N'");
    /* Neither another name nor what only looks like one. */
    assert_split("-D N=4 -D NN=8 -I -DN", "N=4", "-D NN=8");
}

static void quotes_around_an_option_are_left_out(void **state)
{
    (void)state;
    assert_split("-D \"N=8\" '-DM=2'", "N=8 M=2", "");
    assert_split("'-D N=8' \"-D M=8u\"", "N=8", "\"-D M=8u\"");
}

static void folders_may_have_commas_in_their_names(void **state)
{
    static const char expected[] = "/tmp/a,b\0//c d\0/tmp";
    struct ct_macros macros = {NULL, 0, 0};
    struct ct_str folders;
    struct ct_str others;

    (void)state;
    ct_str_init(&folders);
    ct_str_init(&others);
    assert_true(ct_macros_split_options("-I/tmp/a,b -I \"c d\" -I /tmp -I", source, "/",
                                        &macros, &folders, &others));
    assert_int_equal(folders.length, sizeof(expected));
    assert_memory_equal(folders.data, expected, sizeof(expected));
    ct_str_release(&folders);
    ct_str_release(&others);
}

static void long_names_are_parameters(void **state)
{
    (void)state;
    assert_split("-D " LONG_NAME "=4 -D " LONG_NAME "=2 -D DEVICE_" LONG_NAME "=1",
                 LONG_NAME "=2", "-D DEVICE_" LONG_NAME "=1");
}

static void values_that_would_change_stay_options(void **state)
{
    static const char *const kept[] = {
        "-D N=8u",  "-D N=8UL", "-D N=8L", "-D N=0xFFFFFFFF",           "-D N=0x10",
        "-D N=010", "-D N=(8)", "-D N=-1", "-D N=99999999999999999999", "-D N=00"};

    (void)state;
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        assert_split(kept[i], "", kept[i]);
    assert_split("-D N=0", "N=0", "");
}

static void long_names_are_found_in_sources(void **state)
{
    struct ct_macros macros = {NULL, 0, 0};

    (void)state;
    assert_true(ct_macros_find("#define " LONG_NAME " 4\nint x = " LONG_NAME ";\n"
                               "#define N 2\nint y = N;\n",
                               &macros));
    assert_int_equal(macros.count, 2);
    assert_string_equal(macros.items[0].name, LONG_NAME);
    assert_string_equal(macros.items[1].name, "N");
    ct_macros_release(&macros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_that_the_source_uses_are_parameters),
        cmocka_unit_test(the_last_definition_counts),
        cmocka_unit_test(quotes_around_an_option_are_left_out),
        cmocka_unit_test(folders_may_have_commas_in_their_names),
        cmocka_unit_test(long_names_are_parameters),
        cmocka_unit_test(values_that_would_change_stay_options),
        cmocka_unit_test(long_names_are_found_in_sources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
