// SPDX-License-Identifier: Apache-2.0
// The whole language: plans of everything that a space file can say.
#include "language_file.h"

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
    assert_int_equal(f.plan.launches[1].arg_count, 9);
    /* int, padding, float4, uchar[2], padding */
    assert_int_equal(f.plan.launches[1].args[6].data_bytes, 48);
    assert_int_equal(f.plan.launches[1].args[6].data[33], 2);
    assert_int_equal(f.plan.launches[1].args[7].data_bytes, 3);
    assert_int_equal(f.plan.launches[1].args[7].data[2], 0x1c);
    assert_int_equal(f.plan.launches[1].args[8].kind, CT_ARG_NULL);
    assert_int_equal(f.plan.launches[4].global[0], 68); /* 64 + 2 rounded up to 4s */
    assert_int_equal(f.plan.launches[4].arg_count, 10);
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

/* "WG=4 N=1 ..." */
static void assert_macros(const struct ct_plan_program *program, const char *expected)
{
    struct ct_str out;

    ct_str_init(&out);
    for (size_t i = 0; i < program->macro_count; i++)
        ct_str_addf(&out, "%s%s=%s", i ? " " : "", program->macros[i].name,
                    program->macros[i].value);
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static void a_launch_can_replace_macros(void **state)
{
    struct file f;

    (void)state;
    open_file(&f, "[kernel]\nname = k\nsource = kernel.cl\n[param]\nWG = 4, 8\n"
                  "STYLE = 'plain', 'fast'\nN = 1, 2\n[derive]\nROWS = 64 / WG\n"
                  "[define]\nT = 3\n[buffer a]\ntype = int\ncount = 64\n"
                  "[launch b]\nkernel = run\nargs = a\nglobal = 64\nlocal = WG\n"
                  "[launch c]\nkernel = run\nargs = a\nglobal = 64\n"
                  "define = WG=16, ROWS=1, STYLE='slow', T=5, N=7 if N == 2\n");
    PLAN(&f, "WG", "8", "N", "1");
    assert_macros(&f.plan.programs[0], "WG=8 STYLE=plain STYLE_plain=1 N=1 ROWS=8 T=3");
    assert_macros(&f.plan.programs[1], "N=1 WG=16 ROWS=1 STYLE=slow STYLE_slow=1 T=5");
    PLAN(&f, "N", "2");
    assert_macros(&f.plan.programs[1], "WG=16 ROWS=1 STYLE=slow STYLE_slow=1 T=5 N=7");
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
    assert_int_equal(r->launch_count, 2);
    assert_int_equal(r->launches[0].global[0], 128);
    assert_string_equal(r->launches[1].name, "then");
    assert_int_equal(r->launches[1].program, 1);
    assert_int_equal(r->launches[1].global[0], 2);
    assert_int_equal(r->buffer_count, f.plan.buffer_count);
    assert_string_equal(r->programs[0].options, "");
    assert_int_equal(r->programs[0].macro_count, 1);
    assert_string_equal(r->programs[0].macros[0].value, "64");
    data = ct_plan_data_hash(&f.plan);
    PLAN(&f, "WG", "16", "N", "2"); /* nothing of the data depends on WG */
    assert_string_equal(ct_plan_data_hash(&f.plan).text, data.text);
    PLAN(&f, "N", "4"); /* the second launch uses it */
    assert_int_equal(f.plan.reference_plan->launches[1].global[0], 4);
    assert_string_not_equal(ct_plan_data_hash(&f.plan).text, data.text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_unrolled),
        cmocka_unit_test(buffers_are_what_the_file_says),
        cmocka_unit_test(cold_caches_are_another_version),
        cmocka_unit_test(launches_can_have_their_own_programs),
        cmocka_unit_test(a_launch_can_replace_macros),
        cmocka_unit_test(requirements_keep_only_facts_of_the_kernel),
        cmocka_unit_test(references_can_be_kernels),
        cmocka_unit_test(references_can_be_configurations),
        cmocka_unit_test(what_no_launch_has_is_not_compared),
        cmocka_unit_test(references_work_on_what_is_checked),
        cmocka_unit_test(mistakes_name_the_configuration),
        cmocka_unit_test(names_may_depend_on_a_pass),
        cmocka_unit_test(samplers_may_depend_on_parameters),
        cmocka_unit_test(too_many_launches_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
