// SPDX-License-Identifier: Apache-2.0
// What the tests of bindings share: a space file's text that is read and bound.
#ifndef CT_TESTS_BINDING_WORLD_H
#define CT_TESTS_BINDING_WORLD_H

#include "plan/binding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ct_spec *spec;
static struct ct_binding *binding;
static struct ct_diags diags;
static struct ct_arena arena;
static struct ct_err err;
static struct ct_value values[16];

static inline int release(void **state)
{
    (void)state;
    ct_binding_free(binding);
    ct_spec_free(spec);
    binding = NULL;
    spec = NULL;
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    memset(&err, 0, sizeof(err));
    return 0;
}

static inline void load(const char *text)
{
    release(NULL);
    if (ct_spec_parse("tests/golden/space-files/x.ini", text, strlen(text), &spec, &diags,
                      &err))
        print_error("%d:%d: %s\n", err.line, err.column, err.message);
    assert_non_null(spec);
}

/* Binds with settings written as "p:NAME=TEXT", "r:NAME=TEXT" (restrict),
 * "a:NAME=TEXT". */
static inline enum ct_status bind_with(const char *const *settings,
                                       const struct ct_devinfo *device)
{
    struct ct_setting lists[3][8];
    size_t counts[3] = {0};
    struct ct_binding_options options = {.device = device};

    for (; settings && *settings; settings++) {
        size_t kind = (size_t)(strchr("pra", **settings) - "pra");
        const char *equals = strchr(*settings, '=');
        struct ct_setting *setting = &lists[kind][counts[kind]++];

        setting->name =
            ct_arena_copy(&arena, *settings + 2, (size_t)(equals - *settings - 2));
        setting->text = equals + 1;
    }
    options.problem_count = counts[0];
    options.problem = lists[0];
    options.restrict_count = counts[1];
    options.restrict_ = lists[1];
    options.assume_count = counts[2];
    options.assume = lists[2];
    ct_binding_free(binding);
    binding = NULL;
    return ct_binding_new(spec, &options, &binding, &diags, &err);
}

#define BIND(...)                                                                        \
    assert_int_equal(bind_with((const char *const[]){__VA_ARGS__, NULL}, NULL), CT_OK)
#define BIND_FAILS(status, part, ...)                                                    \
    do {                                                                                 \
        assert_int_equal(bind_with((const char *const[]){__VA_ARGS__, NULL}, NULL),      \
                         status);                                                        \
        assert_null(binding);                                                            \
        if (!strstr(err.message, part))                                                  \
            print_error("%s\n", err.message);                                            \
        assert_non_null(strstr(err.message, part));                                      \
        ct_diags_release(&diags);                                                        \
    } while (0)

static inline void assert_domain(const char *name, const char *expected)
{
    int param = ct_spec_find_param(spec, name);
    struct ct_str out;

    assert_true(param >= 0);
    ct_str_init(&out);
    for (size_t i = 0; i < binding->domains[param].count; i++) {
        ct_str_puts(&out, i ? "," : "");
        ct_value_print(&out, binding->domains[param].values[i]);
    }
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static inline void assert_default(const char *expected)
{
    struct ct_str out;

    if (ct_binding_default(binding, values, &err))
        print_error("%s\n", err.message);
    assert_int_equal(err.code, CT_OK);
    ct_str_init(&out);
    ct_binding_print(binding, values, NULL, &out);
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

#endif
