// SPDX-License-Identifier: Apache-2.0
// What was mapped between two moments.
#include "protocol/mapped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Names of one letter. */
static void fill(struct ct_mapped *mapped, const char *letters)
{
    ct_str_init(&mapped->names);
    for (; *letters; letters++)
        ct_str_add(&mapped->names, (char[]){*letters, '\0'}, 2);
}

static void expect(const char *first, const char *second, const char *between)
{
    struct ct_mapped before;
    struct ct_mapped now;
    struct ct_mapped_walk walk = {&before, &now, 0, 0};
    const char *name;

    fill(&before, first);
    fill(&now, second);
    while ((name = ct_mapped_next(&walk))) {
        assert_int_equal(*name, *between);
        between++;
    }
    assert_string_equal(between, "");
    ct_mapped_release(&before);
    ct_mapped_release(&now);
}

static void what_is_new_is_found(void **state)
{
    (void)state;
    expect("", "", "");
    expect("abc", "abc", "");
    expect("abc", "abcde", "de");
    expect("", "ab", "ab");
    /* Some were closed. */
    expect("abcd", "bd", "");
    expect("abcd", "acef", "ef");
    expect("abc", "xyz", "xyz");
    /* Closed, and mapped once more. */
    expect("abc", "acb", "b");
}

static void this_process_has_some(void **state)
{
    struct ct_mapped before;
    struct ct_mapped now;
    struct ct_mapped_walk walk = {&before, &now, 0, 0};

    (void)state;
    ct_mapped_note(&before);
    ct_mapped_note(&now);
    assert_true(before.names.length > 0);
    assert_null(ct_mapped_next(&walk));
    ct_mapped_release(&before);
    ct_mapped_release(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_new_is_found),
        cmocka_unit_test(this_process_has_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
