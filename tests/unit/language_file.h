// SPDX-License-Identifier: Apache-2.0
// What the tests of the language share: a file that has been read and bound, and one that
// has something of everything.
#ifndef CT_TESTS_LANGUAGE_FILE_H
#define CT_TESTS_LANGUAGE_FILE_H

#include "plan/binding.h"
#include "plan/identity.h"
#include "spacefile/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Beside the sources of the golden files. */
#define PATH "tests/golden/space-files/language.ini"

/* A file that has been read and bound, and one plan of it. */
struct file {
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_value *values;
    struct ct_source_cache *cache;
    struct ct_arena arena;
    struct ct_plan plan;
    struct ct_err err;
};

static inline void open_file(struct file *f, const char *text)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;

    memset(f, 0, sizeof(*f));
    if (ct_spec_parse(PATH, text, strlen(text), &f->spec, &diags, &err) ||
        ct_binding_new(f->spec, NULL, &f->binding, &diags, &err)) {
        print_error("%s\n", text);
        for (size_t i = 0; i < diags.count; i++)
            print_error("%d:%d: %s\n", diags.items[i].line, diags.items[i].column,
                        diags.items[i].message);
        fail();
    }
    ct_diags_release(&diags);
    f->values = ct_arena_array(&f->arena, f->spec->param_count, sizeof(*f->values));
    f->cache = ct_source_cache_new();
    assert_non_null(f->values);
    assert_non_null(f->cache);
}

static inline void close_file(struct file *f)
{
    ct_arena_release(&f->arena);
    ct_source_cache_free(f->cache);
    ct_binding_free(f->binding);
    ct_spec_free(f->spec);
}

#define KERNEL                                                                           \
    "[kernel]\nname = k\nsource = kernel.cl\noptions = -O ${STYLE}\n"                    \
    "[param]\nWG = 4, 8, 16\nSTYLE = '', 'fast'\nIMAGE = off, on\n"                      \
    "MODE = 'write', 'map', 'host'\nSOA = off, on\nN = 1..4\n"

static const char everything[] = KERNEL
    "[problem]\nn = 64\n[let]\ndouble_n = n * 2\n"
    "[define]\nT = 3\nU = WG\n"
    "[buffer mixed]\ntype = float\ncount = 2 * n\nfill = interleave(x, y)\n"
    "[buffer x]\ntype = float\ncount = n\nfill = uniform(-1, 1)\n"
    "transfer = MODE\nrestore = each\n"
    "[buffer y]\ntype = float\ncount = n\nfill = copy(x)\ncheck = abs(0.5)\n"
    "fold = sum\ntransfer = host\n"
    "[buffer z]\ntype = float4\ncount = n\nplanes = SOA ? 4 : 1\n"
    "fill = c(host.c, f)\ncheck = exact\nexpect = constant(2)\n"
    "[buffer d]\ntype = uchar\ncount = 100\nfill = file(more.cl)\n"
    "[image i]\nsize = n, 4\nformat = CL_RGBA CL_UNORM_INT8\nfill = zero\n"
    "[launch clear]\nzero = y\n"
    "[launch one]\nkernel = run\nargs = IMAGE ? i : N > 2 ? x : y, mixed, z, d,\n"
    " sampler(clamp, linear), int(pass), float(0.5) if pass > 0,\n"
    " struct(int(n), float4(1, 2, 3, N), struct(uchar(N, 2))), bytes('00ff' '1c'), null\n"
    "global = n + pass, 2\nlocal = WG, 1\nwhen = pass != 1\n"
    "require = KERNEL_WORK_GROUP_SIZE >= WG * (N - 8) && STYLE != 'x' || "
    "-(KERNEL_LOCAL_MEM_SIZE - 1) < n / 3.0\n"
    "[launch two]\nkernel = again\nsource = kernel.cl, more.cl\n"
    "define = T=4, V=WG + N if N > 1\nargs = x\nglobal = n\n"
    "[launch keep]\ncopy = x, y\n"
    "[loop pass]\nlaunches = one, two\ncount = N\nswap = x, y\n"
    "[reference]\nkernel = run\nargs = x, y\ndefine = N=n\nglobal = double_n\n"
    "[reference then]\nkernel = again\nsource = kernel.cl\nargs = x\nglobal = N\n"
    "[env]\nGONE =\nEMPTY = ''\nVALUE = ${N} ; not this\n"
    "[metric]\nrate = n / time_ns\nbytes = n\noperations = 2 * n\n"
    "[measure]\nobjective = end_to_end\ncache = cold\n"
    "samples = 30\n";

#endif
