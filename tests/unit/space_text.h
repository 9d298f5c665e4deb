// SPDX-License-Identifier: Apache-2.0
// Spaces from the text of a space file, for tests.
#ifndef CT_TESTS_SPACE_TEXT_H
#define CT_TESTS_SPACE_TEXT_H

#include "base/diag.h"
#include "space/space.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

struct space_text {
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
};

/* Ends the test with all findings. */
static inline void space_text_fail(const char *text, const struct ct_diags *diags,
                                   const struct ct_err *err)
{
    print_error("%s\n%s\n", text, err->message);
    for (size_t i = 0; i < diags->count; i++)
        print_error("%d:%d: %s\n", diags->items[i].line, diags->items[i].column,
                    diags->items[i].message);
    fail();
}

/* Reads and binds; NULL options: none. */
static inline void space_text_bind(struct space_text *t, const char *text,
                                   const struct ct_binding_options *options)
{
    static const struct ct_binding_options none;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;

    memset(t, 0, sizeof(*t));
    if (ct_spec_parse("test.ini", text, strlen(text), &t->spec, &diags, &err))
        space_text_fail(text, &diags, &err);
    if (ct_binding_new(t->spec, options ? options : &none, &t->binding, &diags, &err))
        space_text_fail(text, &diags, &err);
    ct_diags_release(&diags);
}

/* Reads, binds and builds. */
static inline void space_text_open(struct space_text *t, const char *text,
                                   const struct ct_binding_options *options)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;

    space_text_bind(t, text, options);
    if (ct_space_new(t->binding, NULL, &t->space, &err))
        space_text_fail(text, &diags, &err);
}

static inline void space_text_close(struct space_text *t)
{
    ct_space_free(t->space);
    ct_binding_free(t->binding);
    ct_spec_free(t->spec);
}

#endif
