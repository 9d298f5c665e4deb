// SPDX-License-Identifier: Apache-2.0
// Bindings: the plans of configurations, with their programs, buffers and launches.
#include "binding_world.h"

#include "spacefile/source.h"

static struct ct_plan plan;

#define KERNEL                                                                           \
    "[kernel]\nname = k\nsource = kernel.cl\noptions = -O ${MATH} -DX=${USED}\n"         \
    "include = ., ..\n"

static const char *const whole =
    KERNEL "[problem]\nn = 100\n[param]\nUSED = 0, 16, 32\nSTYLE = 'one', 'two'\n"
           "MATH = '', '-fast'\nON = off, on\nQ = 1, 0.5\n[derive]\ndouble_n = 2 * n\n"
           "kind = ON ? 'real' : 'a b'\n[define]\nN = n if ON\nH = n / 8.0\n"
           "[buffer a]\ntype = float4\ncount = n * 2\nfill = uniform(-1, 2.5)\n"
           "[buffer b]\ntype = ${T}\ncount = n\ncheck = abs(1e-3)\ncompare = n - 1\n"
           "[let]\nT = ON ? 'int' : 'uchar'\n"
           "[launch one]\nkernel = run_${STYLE}\n"
           "args = b, char(-n), half(0.5) if ON, local(4 * USED) if USED, a\n"
           "global = n, 3\nlocal = USED, USED / 8\n"
           "[launch two]\nkernel = last\nglobal = n\n"
           "[reference]\nc = host.c\nfunction = f\nargs = a, b, ulong(n)\n";

static enum ct_status make_plan(const char *const *texts)
{
    struct ct_source_cache *cache = ct_source_cache_new();
    struct ct_setting settings[8];
    size_t count = 0;
    enum ct_status status;

    assert_non_null(cache);
    assert_int_equal(ct_binding_default(binding, values, &err), CT_OK);
    for (; *texts; texts += 2)
        settings[count++] = (struct ct_setting){texts[0], texts[1]};
    assert_int_equal(ct_binding_parse(binding, settings, count, values, &err), CT_OK);
    status = ct_binding_plan(binding, values, cache, &arena, &plan, &err);
    if (status)
        print_error("%d:%d: %s\n", err.line, err.column, err.message);
    ct_source_cache_free(cache);
    return status;
}

#define PLAN(...)                                                                        \
    assert_int_equal(make_plan((const char *const[]){__VA_ARGS__, NULL}), CT_OK)

static void assert_macros(const char *expected)
{
    struct ct_str out;

    ct_str_init(&out);
    for (size_t i = 0; i < plan.programs[0].macro_count; i++)
        ct_str_addf(&out, "%s=%s ", plan.programs[0].macros[i].name,
                    plan.programs[0].macros[i].value);
    assert_string_equal(out.data, expected);
    ct_str_release(&out);
}

static void programs_have_their_options_and_macros(void **state)
{
    (void)state;
    load(whole);
    BIND("p:n=100");
    PLAN("USED", "0");
    assert_int_equal(plan.program_count, 1);
    assert_string_equal(plan.programs[0].options, "-O  -DX=0");
    assert_macros("USED=0 STYLE=one STYLE_one=1 ON=0 Q=1 double_n=200 H=12.5 ");
    assert_int_equal(plan.programs[0].include_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(plan.programs[0].include_dirs[i][0], '/');
    PLAN("STYLE", "two", "MATH", "-fast", "ON", "on", "Q", "0.5", "USED", "16");
    assert_string_equal(plan.programs[0].options, "-O -fast -DX=16");
    assert_macros("USED=16 STYLE=two STYLE_two=1 ON=1 Q=0.5 double_n=200 kind=real "
                  "kind_real=1 N=100 H=12.5 ");
    assert_string_equal(plan.launches[0].kernel, "run_two");
}

static void buffers_have_their_sizes(void **state)
{
    (void)state;
    load(whole);
    BIND("p:n=100");
    PLAN("ON", "on");
    assert_int_equal(plan.buffer_count, 2);
    assert_string_equal(plan.buffers[0].name, "a");
    assert_int_equal(plan.buffers[0].count, 200);
    assert_int_equal(plan.buffers[0].type.width, 4);
    assert_int_equal(plan.buffers[0].fill.kind, CT_FILL_UNIFORM);
    assert_true(plan.buffers[0].fill.a == -1 && plan.buffers[0].fill.b == 2.5);
    assert_true(plan.buffers[0].fill.seed != plan.buffers[1].fill.seed);
    assert_int_equal(plan.buffers[0].check, CT_CHECK_NONE);
    assert_int_equal(plan.buffers[1].fill.kind, CT_FILL_NONE);
    assert_int_equal(plan.buffers[1].type.scalar, CT_T_INT);
    assert_int_equal(plan.buffers[1].check, CT_CHECK_ABSOLUTE);
    assert_true(plan.buffers[1].tolerance == 1e-3);
    assert_int_equal(plan.buffers[1].compare, 99);
    PLAN("ON", "off");
    assert_int_equal(plan.buffers[1].type.scalar, CT_T_UCHAR);
}

static void launches_have_their_sizes_and_arguments(void **state)
{
    const struct ct_plan_arg *args;

    (void)state;
    load(whole);
    BIND("p:n=100");
    PLAN("USED", "0");
    assert_int_equal(plan.launch_count, 2);
    assert_int_equal(plan.launches[0].dims, 2);
    assert_int_equal(plan.launches[0].global[0], 100);
    assert_int_equal(plan.launches[0].global[1], 3);
    assert_int_equal(plan.launches[0].local[0], 0);
    assert_int_equal(plan.launches[0].arg_count, 3);
    PLAN("USED", "16", "ON", "on");
    assert_int_equal(plan.launches[0].global[0], 112);
    assert_int_equal(plan.launches[0].global[1], 4);
    assert_int_equal(plan.launches[0].local[0], 16);
    assert_int_equal(plan.launches[0].local[1], 2);
    assert_int_equal(plan.launches[0].arg_count, 5);
    args = plan.launches[0].args;
    assert_int_equal(args[0].kind, CT_ARG_BUFFER);
    assert_int_equal(args[0].buffer, 1);
    assert_int_equal(args[1].kind, CT_ARG_SCALAR);
    assert_int_equal(args[1].type.scalar, CT_T_CHAR);
    assert_int_equal(args[1].bytes[0], 256 - 100);
    assert_int_equal(args[2].bytes[0] | args[2].bytes[1] << 8, 0x3800); /* half 0.5 */
    assert_int_equal(args[3].kind, CT_ARG_LOCAL);
    assert_int_equal(args[3].local_bytes, 64);
    assert_int_equal(args[4].buffer, 0);
    assert_string_equal(plan.launches[1].name, "two");
    assert_int_equal(plan.launches[1].arg_count, 0);
    assert_int_equal(plan.launches[1].local[0], 0);
    assert_string_equal(plan.reference.function, "f");
    assert_int_equal(plan.reference.c_path[0], '/');
    assert_int_equal(strlen(plan.reference.c_hash.text), 32);
    assert_int_equal(plan.reference.arg_count, 3);
    assert_null(plan.baseline.function);
}

static void seeds_hang_on_names_alone(void **state)
{
    uint64_t seed;

    (void)state;
    load(whole);
    BIND("p:n=100");
    PLAN("USED", "0");
    seed = plan.buffers[0].fill.seed;
    load(KERNEL
         "[param]\nUSED = 1, 2\nMATH = ''\n[buffer new]\ntype = int\ncount = 1\n"
         "[buffer a]\ntype = int\ncount = 7\n[launch l]\nkernel = k\nglobal = 1\n");
    BIND("r:USED=1");
    PLAN("USED", "2");
    assert_true(plan.buffers[1].fill.seed == seed);
    assert_true(plan.buffers[0].fill.seed != seed);
}

#define SMALL "[kernel]\nname = k\nsource = kernel.cl\n"
#define GO    "[launch l]\nkernel = run\nargs = a\nglobal = 4\n"

static void types_are_tried_with_every_value(void **state)
{
    (void)state;
    load(SMALL "[param]\nVEC = 1, 2, 4\n[buffer a]\ntype = uint${VEC}\ncount = 4\n" GO);
    BIND(NULL);
    PLAN("VEC", "1");
    assert_int_equal(plan.buffers[0].type.scalar, CT_T_UINT);
    assert_int_equal(plan.buffers[0].type.width, 1);
    /* Also where the wrong value is not the default's. */
    load(SMALL "[param]\nVEC = 1..5\n[let]\nV = VEC + 1\n"
               "[buffer a]\ntype = uint${V}\ncount = 4\n" GO);
    BIND_FAILS(CT_E_SPEC, "'uint5' is not an OpenCL type (with VEC=4)", NULL);
    BIND("r:VEC=1..3");
    /* What a constraint keeps out does not count. */
    load(SMALL "[param]\nVEC = 1..5\nW = 1, 2\n[constraint]\neven = ispow2(VEC)\n"
               "both = VEC > W || W == 2\n"
               "[buffer a]\ntype = uint${VEC}\ncount = 4\n" GO "[default]\nVEC = 2\n");
    BIND(NULL);
    assert_int_equal(diags.count, 0);
}

static void missing_files_are_reported(void **state)
{
    (void)state;
    load("[kernel]\nname = k\nsource = ${n}.cl\n[problem]\nn = 3\n"
         "[param]\nP = 1, 2\n[buffer a]\ntype = int\ncount = 4\nfill = file(x${P}.npy)\n"
         "[buffer b]\ntype = int\ncount = 4\nfill = file(y.npy)\n"
         "[launch l]\nkernel = run\nargs = a, b\nglobal = 4\n");
    assert_int_equal(diags.count, 0);
    BIND(NULL);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(diags.count, 2);
    assert_non_null(strstr(diags.items[0].message, "'3.cl' cannot be read"));
    assert_non_null(strstr(diags.items[1].message, "'y.npy' cannot be read"));
    release(NULL);
    load(SMALL "[buffer a]\ntype = int\ncount = 4\n" GO);
    BIND(NULL);
    assert_int_equal(diags.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(programs_have_their_options_and_macros, release),
        cmocka_unit_test_teardown(buffers_have_their_sizes, release),
        cmocka_unit_test_teardown(launches_have_their_sizes_and_arguments, release),
        cmocka_unit_test_teardown(seeds_hang_on_names_alone, release),
        cmocka_unit_test_teardown(types_are_tried_with_every_value, release),
        cmocka_unit_test_teardown(missing_files_are_reported, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
