// SPDX-License-Identifier: Apache-2.0
// The whole language: plans of everything that a space file can say, and printing a
// specification so that what is read back is the same.
#include "base/rng.h"
#include "plan/binding.h"
#include "plan/identity.h"
#include "spacefile/source.h"

#include <setjmp.h>
#include <stdarg.h>
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

static void open_file(struct file *f, const char *text)
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

static void close_file(struct file *f)
{
    ct_arena_release(&f->arena);
    ct_source_cache_free(f->cache);
    ct_binding_free(f->binding);
    ct_spec_free(f->spec);
}

/* Plans the default configuration with settings on top: name, text, ..., NULL. */
static enum ct_status plan_with(struct file *f, const char *const *texts)
{
    struct ct_setting settings[8];
    size_t count = 0;

    f->err = (struct ct_err)CT_ERR_INIT;
    for (; *texts; texts += 2)
        settings[count++] = (struct ct_setting){texts[0], texts[1]};
    assert_int_equal(ct_binding_default(f->binding, f->values, &f->err), CT_OK);
    assert_int_equal(ct_binding_parse(f->binding, settings, count, f->values, &f->err),
                     CT_OK);
    return ct_binding_plan(f->binding, f->values, f->cache, &f->arena, &f->plan, &f->err);
}

#define PLAN(f, ...)                                                                     \
    do {                                                                                 \
        if (plan_with(f, (const char *const[]){__VA_ARGS__, NULL})) {                    \
            print_error("%d:%d: %s\n", (f)->err.line, (f)->err.column,                   \
                        (f)->err.message);                                               \
            fail();                                                                      \
        }                                                                                \
    } while (0)

#define KERNEL                                                                           \
    "[kernel]\nname = k\nsource = kernel.cl\noptions = -O ${STYLE}\n"                    \
    "[param]\nWG = 4, 8, 16\nSTYLE = '', 'fast'\nIMAGE = off, on\n"                      \
    "MODE = 'write', 'map', 'host'\nSOA = off, on\nN = 1..4\n"

static const char everything[] =
    KERNEL "[problem]\nn = 64\n[let]\ndouble_n = n * 2\n"
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
           " sampler(clamp, linear), int(pass), float(0.5) if pass > 0\n"
           "global = n + pass, 2\nlocal = WG, 1\nwhen = pass != 1\n"
           "require = KERNEL_WORK_GROUP_SIZE >= WG * (N - 8) && STYLE != 'x' || "
           "-(KERNEL_LOCAL_MEM_SIZE - 1) < n / 3.0\n"
           "[launch two]\nkernel = again\nsource = kernel.cl, more.cl\n"
           "define = T=4, V=WG + N if N > 1\nargs = x\nglobal = n\n"
           "[launch keep]\ncopy = x, y\n"
           "[loop pass]\nlaunches = one, two\ncount = N\nswap = x, y\n"
           "[reference]\nkernel = run\nargs = x, y\ndefine = N=n\nglobal = double_n\n"
           "[env]\nGONE =\nEMPTY = ''\nVALUE = ${N} ; not this\n"
           "[metric]\nrate = n / time_ns\nbytes = n\noperations = 2 * n\n"
           "[measure]\nobjective = end_to_end\ncache = cold\n"
           "samples = 30\n";

static void loops_are_unrolled(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, everything);
    PLAN(&f, "N", "3", "WG", "4");
    /* zero, three passes of which the second leaves one launch out, copy */
    assert_int_equal(f.plan.launch_count, 1 + 3 * 2 - 1 + 1);
    assert_int_equal(f.plan.launches[0].kind, CT_LAUNCH_ZERO);
    assert_string_equal(f.plan.buffers[f.plan.launches[0].to].name, "y");
    assert_string_equal(f.plan.launches[1].name, "one");
    assert_int_equal(f.plan.launches[1].global[0], 64);
    assert_int_equal(f.plan.launches[1].arg_count, 6);
    assert_int_equal(f.plan.launches[4].global[0], 68); /* 64 + 2 rounded up to 4s */
    assert_int_equal(f.plan.launches[4].arg_count, 7);
    assert_int_equal(f.plan.launches[4].args[5].bytes[0], 2);
    assert_int_equal(f.plan.launches[4].args[4].kind, CT_ARG_SAMPLER);
    assert_true(f.plan.launches[4].args[4].sampler.linear);
    assert_int_equal(f.plan.launches[4].args[4].sampler.addressing, CT_ADDRESS_CLAMP);
    /* x and y change places after each pass: an odd number of times in all */
    assert_string_equal(f.plan.buffers[f.plan.launches[2].args[0].buffer].name, "x");
    assert_string_equal(f.plan.buffers[f.plan.launches[3].args[0].buffer].name, "y");
    assert_string_equal(f.plan.buffers[f.plan.launches[5].args[0].buffer].name, "x");
    assert_int_equal(f.plan.launches[6].kind, CT_LAUNCH_COPY);
    assert_string_equal(f.plan.buffers[f.plan.launches[6].from].name, "y");
    assert_string_equal(f.plan.buffers[f.plan.launches[6].to].name, "x");
    close_file(&f);
}

static const struct ct_plan_buffer *buffer(const struct file *f, const char *name)
{
    size_t i = 0;

    while (i + 1 < f->plan.buffer_count && strcmp(f->plan.buffers[i].name, name) != 0)
        i++;
    assert_string_equal(f->plan.buffers[i].name, name);
    return &f->plan.buffers[i];
}

static void buffers_are_what_the_file_says(void **state)
{
    struct file f;
    const struct ct_plan_buffer *mixed;

    (void)state;
    open_file(&f, everything);
    PLAN(&f, "SOA", "on", "MODE", "map");
    mixed = buffer(&f, "mixed");
    assert_int_equal(mixed->fill.kind, CT_FILL_INTERLEAVE);
    assert_int_equal(mixed->fill.source_count, 2);
    for (size_t i = 0; i < 2; i++) /* what it is made of comes before it */
        assert_true(&f.plan.buffers[mixed->fill.sources[i]] < mixed);
    assert_string_equal(f.plan.buffers[mixed->fill.sources[1]].name, "y");
    assert_int_equal(buffer(&f, "x")->transfer, CT_TRANSFER_MAP);
    assert_int_equal(buffer(&f, "x")->restore, CT_RESTORE_EACH);
    assert_int_equal(buffer(&f, "y")->transfer, CT_TRANSFER_HOST);
    assert_int_equal(buffer(&f, "y")->restore, CT_RESTORE_ONCE);
    assert_int_equal(buffer(&f, "y")->reduce, CT_REDUCE_SUM);
    assert_int_equal(buffer(&f, "z")->planes, 4);
    assert_true(buffer(&f, "z")->has_expect);
    assert_int_equal(buffer(&f, "z")->expect.kind, CT_FILL_CONSTANT);
    assert_string_equal(buffer(&f, "z")->fill.function, "f");
    assert_int_equal(buffer(&f, "z")->fill.path[0], '/');
    assert_int_equal(strlen(buffer(&f, "d")->fill.path_hash.text), CT_HASH_TEXT_SIZE - 1);
    assert_int_equal(buffer(&f, "i")->image.dims, 2);
    assert_int_equal(buffer(&f, "i")->image.size[1], 4);
    assert_int_equal(buffer(&f, "i")->image.size[2], 1);
    assert_int_equal(buffer(&f, "i")->count, 256);
    assert_int_equal(buffer(&f, "i")->type.scalar, CT_T_UCHAR);
    assert_int_equal(buffer(&f, "i")->type.width, 4);
    PLAN(&f, "SOA", "off");
    assert_int_equal(buffer(&f, "z")->planes, 0);
    PLAN(&f, "IMAGE", "on");
    assert_string_equal(f.plan.buffers[f.plan.launches[1].args[0].buffer].name, "i");
    PLAN(&f, "N", "3");
    assert_string_equal(f.plan.buffers[f.plan.launches[1].args[0].buffer].name, "x");
    assert_true(f.plan.end_to_end && f.plan.cold);
    assert_int_equal(f.plan.env_count, 3);
    assert_null(f.plan.env[0].value);
    assert_string_equal(f.plan.env[1].value, "");
    assert_string_equal(f.plan.env[2].value, "3");
    close_file(&f);
}

/* Cold results are no results of the warm kernel, whoever asked for them: the file or the
 * command line.  How many samples there are changes nothing. */
static void cold_caches_are_another_version(void **state)
{
#define SIMPLE                                                                           \
    KERNEL                                                                               \
    "[buffer x]\ntype = float\ncount = 64\n[launch one]\nkernel = run\nargs = x\n"       \
    "global = 64\nlocal = WG\n[measure]\n"
    static const char *const texts[] = {SIMPLE "cache = warm\n",
                                        SIMPLE "cache = warm\nsamples = 99\n",
                                        SIMPLE "cache = cold\n"};
    struct ct_hash versions[3];
    struct ct_hash plans[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct file f;

        open_file(&f, texts[i]);
        PLAN(&f, "N", "1");
        assert_int_equal(f.plan.cold, i == 2);
        versions[i] = ct_spec_version(f.spec, &f.plan);
        plans[i] = ct_plan_hash(&f.plan);
        f.plan.cold = !f.plan.cold;
        assert_string_not_equal(ct_spec_version(f.spec, &f.plan).text, versions[i].text);
        close_file(&f);
    }
    assert_string_equal(versions[0].text, versions[1].text);
    assert_string_equal(plans[0].text, plans[1].text);
    assert_string_not_equal(versions[0].text, versions[2].text);
    assert_string_not_equal(plans[0].text, plans[2].text);
}

static void launches_can_have_their_own_programs(void **state)
{
    struct ct_str out;
    struct file f;

    (void)state;
    ct_str_init(&out);
    open_file(&f, everything);
    PLAN(&f, "N", "2", "STYLE", "fast");
    assert_int_equal(f.plan.program_count, 2);
    assert_string_equal(f.plan.programs[0].options, "-O fast");
    assert_string_equal(f.plan.programs[1].options, "-O fast");
    for (size_t i = 0; i < f.plan.programs[1].macro_count; i++)
        if (strlen(f.plan.programs[1].macros[i].name) == 1)
            ct_str_addf(&out, "%s=%s ", f.plan.programs[1].macros[i].name,
                        f.plan.programs[1].macros[i].value);
    assert_string_equal(out.data, "N=2 U=4 T=4 V=6 ");
    assert_non_null(strstr(f.plan.programs[1].source, "#line 1 \"kernel.cl\"\n"));
    assert_non_null(strstr(f.plan.programs[1].source, "\n#line 1 \"more.cl\"\n"));
    assert_non_null(strstr(f.plan.programs[1].source, "kernel void again"));
    assert_null(strstr(f.plan.programs[0].source, "#line"));
    assert_int_equal(f.plan.launches[1].program, 0);
    assert_int_equal(f.plan.launches[2].program, 1);
    /* The program of [kernel] comes first, also when its launch does not. */
    close_file(&f);
    ct_str_release(&out);
    open_file(&f, KERNEL "[buffer a]\ntype = int\ncount = WG\n"
                         "[launch b]\nkernel = again\nsource = more.cl\nargs = a\n"
                         "global = 1\n[launch c]\nkernel = run\nargs = a\nglobal = 1\n");
    PLAN(&f, "N", "1");
    assert_string_equal(f.plan.launches[0].kernel, "again");
    assert_int_equal(f.plan.launches[0].program, 1);
    assert_int_equal(f.plan.launches[1].program, 0);
    assert_non_null(strstr(f.plan.programs[1].source, "void again"));
    close_file(&f);
}

static void requirements_keep_only_facts_of_the_kernel(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, everything);
    PLAN(&f, "N", "3", "STYLE", "fast", "WG", "8");
    assert_string_equal(f.plan.launches[1].require,
                        "KERNEL_WORK_GROUP_SIZE >= 8 * (3 - 8) && 'fast' != 'x' || "
                        "-(KERNEL_LOCAL_MEM_SIZE - 1) < 64 / 3.0");
    assert_null(f.plan.launches[2].require);
    close_file(&f);
}

static void references_can_be_kernels(void **state)
{
    const struct ct_plan *r;
    struct file f;
    struct ct_hash data;

    (void)state;
    open_file(&f, everything);
    PLAN(&f, "N", "2");
    r = f.plan.reference_plan;
    assert_non_null(r);
    assert_null(f.plan.reference.function);
    assert_int_equal(r->launch_count, 1);
    assert_int_equal(r->launches[0].global[0], 128);
    assert_int_equal(r->buffer_count, f.plan.buffer_count);
    assert_string_equal(r->programs[0].options, "");
    assert_int_equal(r->programs[0].macro_count, 1);
    assert_string_equal(r->programs[0].macros[0].value, "64");
    data = ct_plan_data_hash(&f.plan);
    PLAN(&f, "WG", "16", "N", "4"); /* nothing of the data depends on these */
    assert_string_equal(ct_plan_data_hash(&f.plan).text, data.text);
    close_file(&f);
}

static void references_can_be_configurations(void **state)
{
    struct file f;
    struct ct_hash whole;

    (void)state;
    open_file(&f, KERNEL "[buffer a]\ntype = int\ncount = WG * N\ncompare = 4\n"
                         "check = exact\n"
                         "[launch b]\nkernel = run\nargs = a, int(N)\nglobal = WG\n"
                         "[reference]\nconfig = WG=16 STYLE='fast' N=2\n"
                         "[default]\nSOA = on\n");
    PLAN(&f, "WG", "8", "N", "1");
    assert_non_null(f.plan.reference_plan);
    assert_int_equal(f.plan.buffers[0].count, 8);
    assert_int_equal(f.plan.reference_plan->buffers[0].count, 32);
    assert_int_equal(f.plan.reference_plan->launches[0].global[0], 16);
    assert_string_equal(f.plan.reference_plan->programs[0].options, "-O fast");
    assert_null(f.plan.reference_plan->reference_plan);
    whole = ct_plan_hash(f.plan.reference_plan);
    PLAN(&f, "WG", "16", "STYLE", "fast", "N", "2");
    f.plan.reference_plan = NULL; /* but for its reference the very same */
    assert_string_equal(ct_plan_hash(&f.plan).text, whole.text);
    close_file(&f);
}

#define ONE                                                                              \
    "[kernel]\nname = k\nsource = kernel.cl\n[param]\nA = 1, 2, 3\nF = 'nearest', "      \
    "'linear'\n"

static void what_no_launch_has_is_not_compared(void **state)
{
    static const char text[] = ONE
        "[buffer a]\ntype = int\ncount = 4\ncheck = 1e-3\nfold = sum\n"
        "[buffer b]\ntype = int\ncount = 4\ncheck = exact\nexpect = zero\n"
        "[buffer c]\ntype = int\ncount = 4\ncheck = exact\ncompare = 2\n"
        "[launch x]\nkernel = run\nargs = A == 1 ? a : b\nglobal = 1\nwhen = A < 3\n"
        "[launch y]\ncopy = a, c\nwhen = A == 2\n[launch z]\nkernel = run\nglobal = 1\n"
        "[reference]\nc = host.c\nfunction = f\nargs = a, c\n";
    struct ct_hash hash;
    struct file f;

    (void)state;
    open_file(&f, text);
    PLAN(&f, "A", "1");
    assert_int_equal(buffer(&f, "a")->check, CT_CHECK_RELATIVE);
    assert_int_equal(buffer(&f, "a")->reduce, CT_REDUCE_SUM);
    assert_int_equal(buffer(&f, "b")->check, CT_CHECK_NONE);
    assert_false(buffer(&f, "b")->has_expect);
    assert_int_equal(buffer(&f, "c")->check, CT_CHECK_NONE);
    assert_int_equal(buffer(&f, "c")->compare, 4);
    hash = ct_plan_data_hash(&f.plan);
    PLAN(&f, "A", "2"); /* a copy is a launch as well */
    assert_int_equal(buffer(&f, "a")->check, CT_CHECK_RELATIVE);
    assert_int_equal(buffer(&f, "b")->check, CT_CHECK_EXACT);
    assert_true(buffer(&f, "b")->has_expect);
    assert_int_equal(buffer(&f, "c")->check, CT_CHECK_EXACT);
    assert_int_equal(buffer(&f, "c")->compare, 2);
    assert_string_not_equal(ct_plan_data_hash(&f.plan).text, hash.text);
    PLAN(&f, "A", "3"); /* nothing is left to be compared */
    for (size_t i = 0; i < f.plan.buffer_count; i++)
        assert_int_equal(f.plan.buffers[i].check, CT_CHECK_NONE);
    close_file(&f);
}

/* A reference that never works on a buffer does not know what it must hold. */
static void references_work_on_what_is_checked(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, ONE "[buffer a]\ntype = int\ncount = 4\ncheck = exact\n"
                      "[launch x]\nkernel = run\nargs = a if A > 1\nglobal = A\n"
                      "[reference]\nconfig = A=1\n");
    assert_int_equal(plan_with(&f, (const char *const[]){"A", "2", NULL}), CT_E_SPEC);
    assert_non_null(strstr(f.err.message, "no launch of the reference has it"));
    PLAN(&f, "A", "1"); /* here it is not compared */
    close_file(&f);
}

static void mistakes_name_the_configuration(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, ONE "[let]\nless = 2 - A\n[buffer a]\ntype = int\ncount = 4\n"
                      "[launch x]\nkernel = run\nargs = a\nglobal = less\n");
    assert_int_equal(plan_with(&f, (const char *const[]){"A", "2", NULL}), CT_E_SPEC);
    assert_string_equal(f.err.message, "the global size 'less' is 0; it must be at least "
                                       "1 (with A=2)");
    close_file(&f);
    /* What is wrong with the reference's configuration is about that one. */
    open_file(&f, ONE "[buffer a]\ntype = int\ncount = 4\ncheck = exact\n"
                      "[launch x]\nkernel = run\nargs = a\nglobal = 3 - A\n"
                      "[reference]\nconfig = A=3\n");
    assert_int_equal(plan_with(&f, (const char *const[]){"A", "2", NULL}), CT_E_SPEC);
    assert_non_null(strstr(f.err.message, "(with A=3)"));
    close_file(&f);
}

static void names_may_depend_on_a_pass(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, ONE "[let]\nstride = 1 << pass\ntwice = stride * 2 * A\n"
                      "[buffer a]\ntype = int\ncount = 4\n"
                      "[launch x]\nkernel = run\nargs = a, int(twice)\nglobal = stride\n"
                      "[loop pass]\nlaunches = x\ncount = 4\n");
    PLAN(&f, "A", "3");
    assert_int_equal(f.plan.launch_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(f.plan.launches[i].global[0], 1 << i);
        assert_int_equal(f.plan.launches[i].args[1].bytes[0], 6 << i);
    }
    close_file(&f);
}

static void samplers_may_depend_on_parameters(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, ONE "[image i]\nsize = 4\nformat = CL_R CL_FLOAT\n"
                      "[buffer a]\ntype = float\ncount = 4\n"
                      "check = F == 'linear' ? 1e-2 : A * 1e-6\n"
                      "[launch x]\nkernel = run\nargs = (A > 1 ? (i) : a),\n"
                      " sampler(${F}, clamp), sampler(), a\nglobal = 1\n"
                      "[reference]\nc = host.c\nfunction = f\nargs = a\n");
    PLAN(&f, "F", "linear");
    assert_true(f.plan.launches[0].args[1].sampler.linear);
    assert_int_equal(f.plan.launches[0].args[1].sampler.addressing, CT_ADDRESS_CLAMP);
    assert_int_equal(f.plan.launches[0].args[2].sampler.addressing, CT_ADDRESS_NONE);
    assert_string_equal(f.plan.buffers[f.plan.launches[0].args[0].buffer].name, "a");
    assert_true(buffer(&f, "a")->tolerance == 1e-2);
    PLAN(&f, "A", "2");
    assert_false(f.plan.launches[0].args[1].sampler.linear);
    assert_string_equal(f.plan.buffers[f.plan.launches[0].args[0].buffer].name, "i");
    assert_true(buffer(&f, "a")->tolerance == 2e-6);
    close_file(&f);
}

static void too_many_launches_are_refused(void **state)
{
    struct file f;
    static const char text[] =
        KERNEL "[buffer a]\ntype = int\ncount = 1\n[launch b]\nkernel = run\nargs = a\n"
               "global = 1\n[loop i]\nlaunches = b\ncount = 50000 * N - 1\n";

    (void)state;
    open_file(&f, text);
    PLAN(&f, "N", "2");
    assert_int_equal(f.plan.launch_count, 99999);
    assert_int_equal(plan_with(&f, (const char *const[]){"N", "3", NULL}), CT_E_SPEC);
    assert_non_null(strstr(f.err.message, "149999 passes of 1 launch"));
    close_file(&f);
}

/* --- printing --- */

static void print_spec(const struct ct_spec *spec, struct ct_str *out)
{
    ct_str_init(out);
    ct_spec_print(spec, out);
    assert_false(out->failed);
}

/* Plans of one configuration of both files are the same, or fail alike. */
static bool same_plan(struct file *a, struct file *b)
{
    enum ct_status status =
        ct_binding_plan(a->binding, a->values, a->cache, &a->arena, &a->plan, &a->err);

    memcpy(b->values, a->values, a->spec->param_count * sizeof(*a->values));
    assert_int_equal(
        ct_binding_plan(b->binding, b->values, b->cache, &b->arena, &b->plan, &b->err),
        status);
    if (!status)
        assert_string_equal(ct_plan_hash(&a->plan).text, ct_plan_hash(&b->plan).text);
    return !status;
}

/* Prints, reads and prints again; returns how many of `configs` random configurations
 * have a plan. */
static int check_printing(const char *text, struct ct_rng *rng, int configs)
{
    struct ct_str first;
    struct ct_str second;
    struct file a;
    struct file b;
    int planned = 0;

    open_file(&a, text);
    print_spec(a.spec, &first);
    open_file(&b, first.data);
    print_spec(b.spec, &second);
    assert_string_equal(first.data, second.data);
    assert_int_equal(a.spec->param_count, b.spec->param_count);
    for (int i = 0; i < configs; i++) {
        for (size_t p = 0; p < a.spec->param_count; p++) {
            const struct ct_domain *domain = &a.binding->domains[p];

            a.values[p] = domain->values[ct_rng_below(rng, domain->count)];
        }
        planned += same_plan(&a, &b);
    }
    close_file(&a);
    close_file(&b);
    ct_str_release(&first);
    ct_str_release(&second);
    return planned;
}

static void everything_is_printed(void **state)
{
    struct ct_rng rng;
    struct ct_str text;
    FILE *file = fopen("spaces/fir.ini", "rb");
    char line[512];

    (void)state;
    ct_rng_seed(&rng, 7);
    assert_int_equal(check_printing(everything, &rng, 50), 50);
    assert_non_null(file);
    ct_str_init(&text);
    while (fgets(line, sizeof(line), file)) {
        const char *at = strstr(line, "../kernels/");

        /* The text stands in another folder here. */
        if (at)
            ct_str_addf(&text, "%.*s../../../kernels/%s", (int)(at - line), line,
                        at + 11);
        else
            ct_str_puts(&text, line);
    }
    fclose(file);
    assert_true(check_printing(text.data, &rng, 50) > 10);
    ct_str_release(&text);
}

/* --- random files --- */

static const char *const int_names[] = {"n", "m", "A", "B", "sum", "k"};

static void put_int(struct ct_str *out, struct ct_rng *rng, int depth);

static void put_call(struct ct_str *out, struct ct_rng *rng, int depth)
{
    static const struct {
        const char *name;
        int args;
    } calls[] = {{"min", 2},    {"max", 3},         {"abs", 1}, {"ceildiv", 2},
                 {"ispow2", 1}, {"divides", 2},     {"gcd", 2}, {"roundup", 2},
                 {"int", 1},    {"int(3.5e2 + ", 1}};
    size_t pick = ct_rng_below(rng, sizeof(calls) / sizeof(calls[0]));

    ct_str_addf(out, "%s%s", calls[pick].name, strchr(calls[pick].name, '(') ? "" : "(");
    for (int i = 0; i < calls[pick].args; i++) {
        ct_str_puts(out, i ? "," : "");
        /* What follows the `+` of the last one must stay one operand. */
        ct_str_puts(out, "(");
        put_int(out, rng, depth - 1);
        ct_str_puts(out, ")");
    }
    ct_str_putc(out, ')');
}

/* Comparisons do not chain: what is compared may be one itself. */
static void put_operand(struct ct_str *out, struct ct_rng *rng, int depth, bool compared)
{
    ct_str_puts(out, compared ? "(" : "");
    put_int(out, rng, depth - 1);
    ct_str_puts(out, compared ? ")" : "");
}

/* An expression of integers, with parentheses now and then. */
static void put_int(struct ct_str *out, struct ct_rng *rng, int depth)
{
    static const char *const binary[] = {"*",  "/", "%",  "+", "-",  "<<",
                                         ">>", "<", "<=", ">", ">=", "==",
                                         "!=", "&", "^",  "|", "&&", "||"};
    static const char *const unary[] = {"-", "!", "~", "- ", "+"};
    bool parentheses = ct_rng_below(rng, 3) == 0;
    bool compares;
    size_t op;

    if (depth <= 0) {
        if (ct_rng_below(rng, 2))
            ct_str_puts(out, int_names[ct_rng_below(rng, 6)]);
        else
            ct_str_addf(out, "%d", (int)ct_rng_below(rng, 9));
        return;
    }
    ct_str_puts(out, parentheses ? "(" : "");
    switch (ct_rng_below(rng, 6)) {
    case 0:
        ct_str_puts(out, unary[ct_rng_below(rng, 5)]);
        put_int(out, rng, depth - 1);
        break;
    case 1:
        put_int(out, rng, depth - 1);
        ct_str_puts(out, " ? ");
        put_int(out, rng, depth - 1);
        ct_str_puts(out, " : ");
        put_int(out, rng, depth - 1);
        break;
    case 2:
        put_call(out, rng, depth);
        break;
    default:
        op = ct_rng_below(rng, 18);
        compares = strchr("<>=!", *binary[op]) && op != 5 && op != 6;
        put_operand(out, rng, depth, compares);
        ct_str_addf(out, " %s ", binary[op]);
        put_operand(out, rng, depth, compares);
        break;
    }
    ct_str_puts(out, parentheses ? ")" : "");
}

static void put_key(struct ct_str *out, struct ct_rng *rng, const char *before,
                    const char *after)
{
    ct_str_puts(out, before);
    put_int(out, rng, (int)ct_rng_below(rng, 4));
    ct_str_puts(out, after);
}

static bool chance(struct ct_rng *rng)
{
    return ct_rng_below(rng, 2) == 0;
}

static void put_data(struct ct_str *out, struct ct_rng *rng)
{
    static const char *const fills[] = {"none",          "zero",         "constant(-1.5)",
                                        "ramp(1, 1e-3)", "normal(0, 1)", "uniform(-A, n)",
                                        "c(host.c, f)",  "file(host.c)"};

    for (int i = 0; i < 3; i++) {
        ct_str_addf(out, "[buffer b%d]\ntype = %s\ncount = 64\n", i,
                    chance(rng) ? "float2" : "${T}");
        ct_str_addf(out, "fill = %s\n", fills[ct_rng_below(rng, 8)]);
        ct_str_puts(out, chance(rng) ? "restore = each\n" : "");
        ct_str_puts(out, chance(rng) ? "transfer = MODE\n" : "transfer = map\n");
        if (chance(rng))
            ct_str_addf(out, "check = %s\ncompare = 1 + A %% 3\n",
                        chance(rng) ? "abs(1e-5)" : "exact");
    }
    ct_str_addf(out, "[buffer b3]\ntype = float2\ncount = 64\nfill = %s\ncheck = 1e-3\n",
                chance(rng) ? "zero" : "ramp(k, 1)");
    ct_str_addf(out, "[image i]\nsize = %s\nformat = CL_RG CL_%s\n",
                chance(rng) ? "8, n" : "k + 1", chance(rng) ? "FLOAT" : "SIGNED_INT16");
}

static void put_launches(struct ct_str *out, struct ct_rng *rng)
{
    for (int i = 0; i < 3; i++) {
        ct_str_addf(out, "[launch l%d]\nkernel = run_${STYLE}\n", i);
        put_key(out, rng, "args = b0, long(", "), ");
        put_key(out, rng, "", " ? b1 : ");
        put_key(out, rng, "", " ? i : b2, local(8 * A) if ");
        put_key(out, rng, "", ", sampler(repeat, normalized), int(pass)\n");
        put_key(out, rng, "global = 1 + abs((", ") % 64), 3 + pass\n");
        ct_str_puts(out, chance(rng) ? "local = A, 1\n" : "");
        if (chance(rng))
            put_key(out, rng, "define = X=(", ") % 7, Y='word' if A > 1\n");
        if (chance(rng))
            put_key(out, rng, "require = KERNEL_LOCAL_MEM_SIZE > (", ")\n");
    }
    ct_str_puts(out, "[launch c]\ncopy = b0, b1\n");
    if (chance(rng))
        put_key(out, rng, "when = ", "\n");
    ct_str_puts(out, "[loop pass]\nlaunches = l0, l1, l2\ncount = 1 + A % 3\n");
    ct_str_puts(out, chance(rng) ? "swap = b0, b3\n" : "");
}

static void put_random_file(struct ct_str *out, struct ct_rng *rng)
{
    ct_str_puts(out, "[kernel]\nname = k\nsource = kernel.cl\noptions = -DZ=${sum}\n"
                     "[problem]\nn = 12\nm = n - 5\n[param]\nMODE = 'map', 'host'\n"
                     "STYLE = 'one', 'two'\nT = 'int', 'float2'\nB = 1..9 step 2, -3\n"
                     "A = pow2(1, 8), 5 .. 7, divisors(n)");
    put_key(out, rng, " if ", "\n[let]\n");
    put_key(out, rng, "k = abs((", ") % 1000)\n");
    put_key(out, rng, "[derive]\nsum = A + ", " * 0\n[define]\n");
    put_key(out, rng, "D = ", " if A > 2\n[constraint]\n");
    put_key(out, rng, "first one = ", "\n");
    put_data(out, rng);
    put_launches(out, rng);
    if (chance(rng))
        ct_str_puts(out, "[reference]\nconfig = A=4 STYLE=two\n");
    else
        ct_str_puts(
            out,
            "[reference]\nc = host.c\nfunction = f\nargs = b0, b1, b2, b3, int(n)\n");
    ct_str_puts(out, "[metric]\ng = A / time_ns\n[measure]\nobjective = g\n"
                     "direction = maximize\nevaluations = 100\nduration = 1.5 h\n"
                     "target = 3.5\nno_progress = 7\nfraction = 2.5%\n");
}

/* Whether a file can be read and bound. */
static bool is_sound(const char *text)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    bool sound = !ct_spec_parse(PATH, text, strlen(text), &spec, &diags, &err) &&
                 !ct_binding_new(spec, NULL, &binding, &diags, &err);

    ct_binding_free(binding);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    return sound;
}

/* Most of them are unsound, and so left out: names use each other in a circle, say. */
enum { FILES = 5000 };

static void random_files_are_printed(void **state)
{
    struct ct_rng rng;
    int sound = 0;
    int planned = 0;

    (void)state;
    ct_rng_seed(&rng, 20240601);
    for (int i = 0; i < FILES; i++) {
        struct ct_str text;

        ct_str_init(&text);
        put_random_file(&text, &rng);
        if (is_sound(text.data)) {
            sound++;
            planned += check_printing(text.data, &rng, 8);
        }
        ct_str_release(&text);
    }
    assert_true(sound > 400);
    assert_true(planned > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_unrolled),
        cmocka_unit_test(buffers_are_what_the_file_says),
        cmocka_unit_test(cold_caches_are_another_version),
        cmocka_unit_test(launches_can_have_their_own_programs),
        cmocka_unit_test(requirements_keep_only_facts_of_the_kernel),
        cmocka_unit_test(references_can_be_kernels),
        cmocka_unit_test(references_can_be_configurations),
        cmocka_unit_test(what_no_launch_has_is_not_compared),
        cmocka_unit_test(references_work_on_what_is_checked),
        cmocka_unit_test(mistakes_name_the_configuration),
        cmocka_unit_test(names_may_depend_on_a_pass),
        cmocka_unit_test(samplers_may_depend_on_parameters),
        cmocka_unit_test(too_many_launches_are_refused),
        cmocka_unit_test(everything_is_printed),
        cmocka_unit_test(random_files_are_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
