// SPDX-License-Identifier: Apache-2.0
// The reference of plans for the virtual driver, which copies its first input to its
// outputs.
#ifndef CT_TESTS_COPY_REFERENCE_H
#define CT_TESTS_COPY_REFERENCE_H

#include "scheduler_plan.h"

static const char copy_reference[] =
    "#include <stddef.h>\n#include <stdint.h>\n"
    "void scale(const float *in, float *out, uint32_t n, float factor)\n"
    "{\n"
    "    (void)factor;\n"
    "    for (size_t i = 0; i < n; i++) out[i] = in[i];\n"
    "}\n";

static char path_of_copy[96];

/* Once, in the test's folder. */
static inline void write_copy_reference(void)
{
    snprintf(path_of_copy, sizeof(path_of_copy), "%s/copy.c", test_folder);
    write_file(path_of_copy, copy_reference);
}

/* Of a group of tests on the virtual driver. */
static inline int set_up_virtual(void **state)
{
    if (set_up_folder(state) || !use_virtual_driver())
        return -1;
    write_copy_reference();
    return 0;
}

static inline void expect_copy(struct plan *p)
{
    p->plan.reference.c_path = path_of_copy;
    p->plan.reference.c_hash = ct_hash_bytes(copy_reference, strlen(copy_reference));
}

/* A plan of that source; source and macros are borrowed. */
static inline void copy_plan_init(struct plan *p, const char *source,
                                  struct ct_plan_macro *macros, size_t count)
{
    plan_init(p, "");
    p->program.source = source;
    p->program.source_hash = ct_hash_bytes(source, strlen(source) + 1);
    p->program.macros = macros;
    p->program.macro_count = count;
    p->launch.local[0] = 4;
    expect_copy(p);
}

#endif
