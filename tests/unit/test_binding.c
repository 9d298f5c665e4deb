// SPDX-License-Identifier: Apache-2.0
// Bindings: domains, restrictions, inactive parameters, verdicts, defaults, plans.
#include "plan/binding.h"
#include "spacefile/source.h"

#include <setjmp.h>
#include <stdarg.h>
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
static struct ct_value env[512];
static struct ct_plan plan;

static int release(void **state)
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

static void load(const char *text)
{
    release(NULL);
    if (ct_spec_parse("tests/golden/space-files/x.ini", text, strlen(text), &spec, &diags,
                      &err))
        print_error("%d:%d: %s\n", err.line, err.column, err.message);
    assert_non_null(spec);
}

/* Binds with settings written as "p:NAME=TEXT", "r:NAME=TEXT" (restrict),
 * "a:NAME=TEXT". */
static enum ct_status bind_with(const char *const *settings,
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

static void assert_domain(const char *name, const char *expected)
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

static struct ct_value value_of(const char *name)
{
    int slot = ct_spec_find(spec, name);

    assert_true(slot >= 0);
    return env[slot];
}

static void assert_default(const char *expected)
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

/* --- domains --- */

static void lists_give_their_values(void **state)
{
    (void)state;
    load("[problem]\nn = 12\n[param]\nA = 0, pow2(3, 20), 5\nB = 1..9 step 3\nC = 8..1 "
         "step -3\n"
         "D = divisors(n)\nE = 0.5..1.5 step 0.5\nF = 'x', ''\nG = on, off\nH = 16, "
         "divisors(n), n\n"
         "I = divisors(36)\nJ = n / 2, 1.5\n");
    BIND("p:n=12");
    assert_domain("A", "0,4,8,16,5");
    assert_domain("B", "1,4,7");
    assert_domain("C", "8,5,2");
    assert_domain("D", "1,2,3,4,6,12");
    assert_domain("E", "0.5,1.0,1.5");
    assert_domain("F", "x,");
    assert_domain("G", "1,0");
    assert_domain("H", "16,1,2,3,4,6,12");
    assert_domain("I", "1,2,3,4,6,9,12,18,36");
    assert_domain("J", "6,1.5");
    BIND("p:n=2 * 8");
    assert_domain("D", "1,2,4,8,16");
    assert_domain("H", "16,1,2,4,8");
}

static void names_may_stand_in_any_order(void **state)
{
    (void)state;
    load("[let]\nz = y + 1\ny = n * A\n[param]\nA = 1, 2 if B > 1\nB = "
         "1..n\n[problem]\nn = 3\n");
    BIND("p:n=4");
    assert_domain("B", "1,2,3,4");
    ct_binding_evaluate(binding, (const uint32_t[]){1, 2}, env);
    assert_int_equal(value_of("z").u.i, 9);
    assert_true(spec->slots.symbols[ct_spec_find(spec, "z")].per_config);
    assert_false(spec->slots.symbols[ct_spec_find(spec, "n")].per_config);
}

/* Lists of plain numbers do not go through expressions; what they give is the same. */
static void plain_numbers_are_what_they_say(void **state)
{
    static const char *const numbers[] = {"0.1",
                                          "-0.25",
                                          "0.0",
                                          "1234567.8901234",
                                          "123456789012345.5",
                                          "-9.99",
                                          "0.3",
                                          "1.7976931",
                                          "99999999999999.9",
                                          "0.000000000000001",
                                          "-0.007",
                                          "4.35",
                                          "2.675",
                                          "0.57",
                                          "1.005",
                                          "5e-324",
                                          "1e+300",
                                          "0.30000000000000004"};
    const size_t count = sizeof(numbers) / sizeof(numbers[0]);
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    for (size_t i = 0; i < count; i++)
        ct_str_addf(&text, "%s%s", i ? " ,\t" : "[param]\nA = ", numbers[i]);
    ct_str_puts(&text, "\nB = -3, 7,0 , 999999999999999999, -9223372036854775807\n"
                       "C = 3, 2, 1\nD = 1, 3, 2.5, 'x' == 'y', 2\n");
    load(text.data);
    ct_str_release(&text);
    BIND("r:C=3, 2, 1");
    assert_int_equal(binding->domains[0].count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(binding->domains[0].values[i].kind, CT_REAL);
        assert_true(binding->domains[0].values[i].u.r == strtod(numbers[i], NULL));
    }
    assert_domain("B", "-3,7,0,999999999999999999,-9223372036854775807");
    assert_domain("C", "3,2,1");
    assert_domain("D", "1,3,2.5,0,2");
}

static void restrictions_keep_the_files_order(void **state)
{
    (void)state;
    load("[problem]\nn = 8\n[param]\nA = 1, 2, 4, 8\nS = 'evenodd', 'plain', 'n', '-O "
         "-x', ''\n");
    BIND("r:A=8, pow2(1, 2)", "r:S=plain,,-O -x");
    assert_domain("A", "1,2,8");
    assert_domain("S", "plain,-O -x,");
    BIND("r:A=n", "r:S='n', 'evenodd'");
    assert_domain("A", "8");
    assert_domain("S", "evenodd,n");
    BIND("r:S=");
    assert_domain("S", "");
    BIND_FAILS(CT_E_USAGE, "3 is not in the list; the nearest are 2 and 4", "r:A=1, 3");
    BIND_FAILS(CT_E_USAGE, "did you mean 'plain'", "r:S='plian'");
    BIND_FAILS(CT_E_USAGE, "fast is not in the list; use 'evenodd'", "r:S=fast");
    BIND_FAILS(CT_E_USAGE, "did you mean 'plain'", "r:S=plian");
    BIND_FAILS(CT_E_USAGE, "'B' is not a parameter", "r:B=1");
    BIND_FAILS(CT_E_USAGE, "given twice", "r:A=1", "r:A=2");
    BIND_FAILS(CT_E_USAGE, "'if' is not allowed", "r:A=1 if 1");
    BIND_FAILS(CT_E_USAGE, "too early", "r:A=1 +");
    /* n is a name here, so it is the number 8 and no text */
    BIND_FAILS(CT_E_USAGE, "8 is not in the list", "r:S=n");
}

static void problems_are_numbers(void **state)
{
    (void)state;
    load("[problem]\nn = 8\nm = 2 * n\n[let]\nq = m / (n - 1)\n[param]\nA = 1..q\n");
    BIND("p:n=0x10", "p:m=64");
    assert_domain("A", "1,2,3,4");
    BIND_FAILS(CT_E_USAGE, "did you mean 'n'", "p:N=3");
    BIND_FAILS(CT_E_USAGE, "must be a number", "p:n='x'");
    BIND_FAILS(CT_E_USAGE, "only numbers are allowed", "p:n=m");
    BIND_FAILS(CT_E_USAGE, "division by zero", "p:n=1 / 0");
    BIND_FAILS(CT_E_SPEC, "'q' cannot be computed: division by zero", "p:n=1");
    BIND_FAILS(CT_E_SPEC, "the range is empty", "p:n=8", "p:m=1");
}

static void device_limits_come_from_device_or_assumption(void **state)
{
    struct ct_devinfo device = {.type = "GPU"};

    (void)state;
    load("[param]\nA = 1, 2, 1024\nB = pow2(1, DEVICE_MAX_COMPUTE_UNITS)\n"
         "[constraint]\nfits = A <= DEVICE_MAX_WORK_GROUP_SIZE\n"
         "name = DEVICE_NAME == 'chip' || A == 1\n");
    BIND_FAILS(CT_E_USAGE, "'B' depend on a device", "a:DEVICE_MAX_WORK_GROUP_SIZE=256");
    BIND_FAILS(CT_E_USAGE, "did you mean 'DEVICE_MAX_COMPUTE_UNITS'",
               "a:DEVICE_MAX_COMPUTE_UNIT=2");
    BIND_FAILS(CT_E_USAGE, "the limit must be an integer",
               "a:DEVICE_MAX_COMPUTE_UNITS=2.5");
    BIND("a:DEVICE_MAX_COMPUTE_UNITS=2", "a:DEVICE_NAME=chip");
    assert_domain("B", "1,2");
    ct_binding_evaluate(binding, (const uint32_t[]){2, 0}, env);
    assert_int_equal(ct_binding_decide(binding, 0, env), CT_UNDECIDED);
    assert_int_equal(ct_binding_decide(binding, 1, env), CT_HOLDS);
    device.props[CT_DEVICE_NAME] = ct_value_text("other");
    device.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(5);
    device.props[CT_DEVICE_MAX_WORK_GROUP_SIZE] = ct_value_int(512);
    assert_int_equal(bind_with(NULL, &device), CT_OK);
    assert_domain("B", "1,2,4");
    assert_string_equal(binding->device_name, "other");
    ct_binding_evaluate(binding, (const uint32_t[]){2, 0}, env);
    assert_int_equal(ct_binding_decide(binding, 0, env), CT_VIOLATED);
    assert_int_equal(ct_binding_decide(binding, 1, env), CT_VIOLATED);
    ct_binding_evaluate(binding, (const uint32_t[]){0, 0}, env);
    assert_int_equal(ct_binding_decide(binding, 0, env), CT_HOLDS);
}

static void verdicts_tell_failing_from_not_knowing(void **state)
{
    (void)state;
    load("[param]\nA = 0, 1\n[let]\nper = 8 / A\nroom = DEVICE_LOCAL_MEM_SIZE / 2\nboth "
         "= per + room\n"
         "[constraint]\nfails = per > 1\nneeds = room > A\nmixed = both > 1\nguarded = A "
         "&& per > 1\n");
    BIND("a:DEVICE_NAME=x");
    ct_binding_evaluate(binding, (const uint32_t[]){0}, env);
    assert_int_equal(ct_binding_decide(binding, 0, env), CT_FAILED);
    assert_int_equal(ct_binding_decide(binding, 1, env), CT_UNDECIDED);
    assert_int_equal(ct_binding_decide(binding, 3, env), CT_VIOLATED);
    ct_binding_evaluate(binding, (const uint32_t[]){1}, env);
    assert_int_equal(ct_binding_decide(binding, 0, env), CT_HOLDS);
    assert_int_equal(ct_binding_decide(binding, 2, env), CT_UNDECIDED);
    BIND("a:DEVICE_LOCAL_MEM_SIZE=64");
    ct_binding_evaluate(binding, (const uint32_t[]){0}, env);
    assert_int_equal(ct_binding_decide(binding, 2, env), CT_FAILED);
}

/* --- inactive parameters --- */

static bool canonical(uint32_t a, uint32_t b)
{
    const uint32_t config[] = {a, b};

    ct_binding_evaluate(binding, config, env);
    return ct_binding_canonical(binding, config, env);
}

static void inactive_parameters_have_their_first_value(void **state)
{
    (void)state;
    load("[param]\nA = 0, 1\nB = 'x', 'y', 'z' if A\n");
    BIND("r:A=0, 1");
    assert_true(canonical(0, 0));
    assert_false(canonical(0, 1));
    assert_true(canonical(1, 0));
    assert_true(canonical(1, 2));
    /* The restriction removes x, which inactive configurations still have. */
    BIND("r:B=z, y");
    assert_domain("B", "x,y,z");
    assert_true(binding->only_inactive[1]);
    assert_int_equal(binding->inactive[1], 0);
    assert_true(canonical(0, 0));
    assert_false(canonical(0, 1));
    assert_false(canonical(1, 0));
    assert_true(canonical(1, 1));
    assert_true(canonical(1, 2));
    /* A condition that cannot be false keeps nothing. */
    load("[problem]\nn = 1\n[param]\nA = 0, 1\nB = 'x', 'y' if n\n");
    BIND("r:B=y");
    assert_domain("B", "y");
    assert_false(binding->only_inactive[1]);
    assert_true(canonical(0, 0));
}

/* --- the default --- */

static void defaults_are_the_nearest_section(void **state)
{
    struct ct_devinfo device = {.type = "GPU"};

    (void)state;
    load("[param]\nA = 1, 2, 4\nB = 'x', 'y'\nC = 5, 6 if A > 1\n"
         "[default]\nA = 2\nB = 'y'\n[default video]\nA = 4\n[default tesla]\nA = 1\n");
    BIND("r:A=4");
    assert_default("A=2 B=y C=5");
    device.props[CT_DEVICE_NAME] = ct_value_text("My VideoCore IV");
    device.props[CT_DEVICE_VENDOR] = ct_value_text("Tesla");
    assert_int_equal(bind_with(NULL, &device), CT_OK);
    assert_default("A=4 B=y C=5");
    load("[param]\nA = 1, 2\n");
    BIND("r:A=2");
    assert_default("A=1");
}

static void inherited_values_settle(void **state)
{
    struct ct_devinfo device = {.type = "GPU"};
    const struct ct_setting setting = {"A", "1"};
    const struct ct_setting wrong[] = {{"A", "1"}, {"B", "3"}};

    (void)state;
    load("[param]\nA = 1, 2\nB = 1, 3 if A > 1\nC = 1, 4 if B > 1\n[default]\nA = 2\nB = "
         "3\nC = 4\n");
    assert_int_equal(bind_with(NULL, &device), CT_OK);
    assert_default("A=2 B=3 C=4");
    assert_int_equal(ct_binding_parse(binding, &setting, 1, values, &err), CT_OK);
    assert_int_equal(values[1].u.i, 1);
    assert_int_equal(values[2].u.i, 1);
    assert_int_equal(ct_binding_parse(binding, wrong, 2, values, &err), CT_E_USAGE);
    assert_non_null(strstr(err.message,
                           "'B' cannot be 3: it applies only if A > 1, and is 1 "
                           "otherwise"));
}

static void settings_are_read_and_printed(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        const char *part;
    } wrong[] = {
        {"b", "1", "did you mean 'B'"},
        {"A", "3", "the nearest are 2 and 4"},
        {"A", "1, 2", "single value"},
        {"A", "", "missing"},
        {"B", "neither", "neither is not in the list; use 'x'"},
        {"B", "'other'", "use 'x', '-O x', ''"},
    };
    const struct ct_setting right[] = {{"A", "2 * 2"}, {"B", "-O x"}};
    const struct ct_setting empty = {"B", ""};
    struct ct_str out;

    (void)state;
    load("[param]\nA = 1, 2, 4\nB = 'x', '-O x', '', 'A' if A > 1\n");
    BIND("r:A=1");
    assert_default("A=1 B=x");
    assert_int_equal(ct_binding_parse(binding, right, 2, values, &err), CT_OK);
    ct_str_init(&out);
    ct_binding_print(binding, values, NULL, &out);
    assert_string_equal(out.data, "A=4 B='-O x'");
    assert_int_equal(ct_binding_parse(binding, &empty, 1, values, &err), CT_OK);
    ct_str_reset(&out);
    ct_binding_print(binding, values, NULL, &out);
    assert_string_equal(out.data, "A=4 B=''");
    values[0] = ct_value_int(1);
    values[1] = binding->all[1].values[0];
    ct_binding_evaluate_values(binding, values, env);
    ct_str_reset(&out);
    ct_binding_print(binding, values, env, &out);
    assert_string_equal(out.data, "A=1");
    ct_str_release(&out);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct ct_setting setting = {wrong[i].name, wrong[i].text};

        assert_int_equal(ct_binding_parse(binding, &setting, 1, values, &err),
                         CT_E_USAGE);
        if (!strstr(err.message, wrong[i].part))
            print_error("%s\n", err.message);
        assert_non_null(strstr(err.message, wrong[i].part));
    }
}

static void metrics_are_computed(void **state)
{
    struct ct_quantities observed = {0};
    double result = 0;

    (void)state;
    ct_quantities_set(&observed, CT_QUANTITY_TIME_NS, 3);
    load("[problem]\nn = 6\n[param]\nA = 1, 2\n[metric]\nrate = n * A / time_ns\nwhole = "
         "n / A\nbad = 1 / (A - 1)\n");
    BIND("p:n=6");
    assert_default("A=1");
    assert_true(ct_binding_metric(binding, 0, values, &observed, &result));
    assert_true(result == 2);
    assert_true(ct_binding_metric(binding, 1, values, &observed, &result));
    assert_true(result == 6);
    assert_false(ct_binding_metric(binding, 2, values, &observed, &result));
}

static void metrics_use_what_is_observed(void **state)
{
    struct ct_quantities observed = {0};
    double result = 0;

    (void)state;
    load("[problem]\nn = 6\n[param]\nA = 1, 2\n[metric]\n"
         "joules = energy_j * A\nload = host_load\n"
         "both = time_ns + end_to_end_ns\n");
    BIND("p:n=6");
    assert_default("A=1");
    assert_int_equal(ct_spec_metric_uses(spec, 0), 1u << CT_QUANTITY_ENERGY_J);
    assert_int_equal(ct_spec_metric_uses(spec, 2),
                     1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS);
    assert_int_equal(ct_spec_metrics_use(spec),
                     1u << CT_QUANTITY_TIME_NS | 1u << CT_QUANTITY_END_TO_END_NS |
                         1u << CT_QUANTITY_ENERGY_J | 1u << CT_QUANTITY_HOST_LOAD);
    ct_quantities_set(&observed, CT_QUANTITY_TIME_NS, 3);
    ct_quantities_set(&observed, CT_QUANTITY_ENERGY_J, 0.25);
    assert_true(ct_binding_metric(binding, 0, values, &observed, &result));
    assert_true(result == 0.25);
    assert_false(ct_binding_metric(binding, 1, values, &observed, &result));
    assert_false(ct_binding_metric(binding, 2, values, &observed, &result));
    ct_quantities_set(&observed, CT_QUANTITY_END_TO_END_NS, 4);
    assert_true(ct_binding_metric(binding, 2, values, &observed, &result));
    assert_true(result == 7);
}

/* The file's own names win, whatever comes to be observed. */
static void own_names_come_before_what_is_observed(void **state)
{
    struct ct_quantities observed = {0};
    enum ct_spec_objective objective;
    const char *hint;
    double result = 0;
    size_t which;

    (void)state;
    ct_quantities_set(&observed, CT_QUANTITY_TIME_NS, 3);
    ct_quantities_set(&observed, CT_QUANTITY_INSTRUCTIONS, 1000);
    ct_quantities_set(&observed, CT_QUANTITY_POWER_W, 10);
    load("[problem]\npower_w = 5\n[param]\ninstructions = 1, 2\nEnergy_J = 1, 2\n"
         "[metric]\nown = instructions + power_w\nthrottled = 7\n");
    BIND("p:power_w=5");
    assert_default("instructions=1 Energy_J=1");
    assert_int_equal(ct_spec_metrics_use(spec), 0);
    assert_true(ct_binding_metric(binding, 0, values, &observed, &result));
    assert_true(result == 6);
    assert_true(ct_spec_find_objective(spec, "throttled", &objective, &which, &hint));
    assert_true(objective == CT_OBJECTIVE_METRIC && which == 1);
    assert_true(ct_spec_find_objective(spec, "host_load", &objective, &which, &hint));
    assert_true(objective == CT_OBJECTIVE_QUANTITY && which == CT_QUANTITY_HOST_LOAD);
    assert_true(ct_spec_find_objective(spec, "time_ns", &objective, &which, &hint));
    assert_true(objective == CT_OBJECTIVE_TIME);
    assert_true(ct_spec_find_objective(spec, "end_to_end_ns", &objective, &which, &hint));
    assert_true(objective == CT_OBJECTIVE_END_TO_END);
    assert_false(ct_spec_find_objective(spec, "hostload", &objective, &which, &hint));
    assert_string_equal(hint, "host_load");
}

/* --- plans --- */

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

static void repeated_values_are_dropped(void **state)
{
    (void)state;
    load("[param]\nA = 64, pow2(16, 256)\nB = pow2(1, 4), 1..5\nC = 2, 1..2, 4..1 step "
         "-1\n");
    BIND(NULL);
    assert_domain("A", "64,16,32,128,256");
    assert_domain("B", "1,2,4,3,5");
    assert_domain("C", "2,1,4,3");
}

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

static void defaults_that_are_none_are_told(void **state)
{
    struct ct_setting whole_one[] = {{"A", "2"}};

    (void)state;
    load("[param]\nA = 1, 2\nB = 3\n[constraint]\nwg = A > 1\n");
    BIND(NULL);
    assert_int_equal(diags.errors, 0);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].message,
                        "the first values of the parameters violate constraint 'wg': "
                        "A > 1; set others in a [default] section");
    assert_int_equal(ct_binding_default(binding, values, &err), CT_E_SPEC);
    /* A configuration that is named needs no default. */
    assert_int_equal(ct_binding_start(binding, values, &err), CT_OK);
    assert_int_equal(ct_binding_parse(binding, whole_one, 1, values, &err), CT_OK);
    assert_int_equal(values[0].u.i, 2);
    assert_int_equal(values[1].u.i, 3);
}

static void missing_files_are_told(void **state)
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
        cmocka_unit_test_teardown(lists_give_their_values, release),
        cmocka_unit_test_teardown(plain_numbers_are_what_they_say, release),
        cmocka_unit_test_teardown(names_may_stand_in_any_order, release),
        cmocka_unit_test_teardown(restrictions_keep_the_files_order, release),
        cmocka_unit_test_teardown(problems_are_numbers, release),
        cmocka_unit_test_teardown(device_limits_come_from_device_or_assumption, release),
        cmocka_unit_test_teardown(verdicts_tell_failing_from_not_knowing, release),
        cmocka_unit_test_teardown(inactive_parameters_have_their_first_value, release),
        cmocka_unit_test_teardown(defaults_are_the_nearest_section, release),
        cmocka_unit_test_teardown(inherited_values_settle, release),
        cmocka_unit_test_teardown(settings_are_read_and_printed, release),
        cmocka_unit_test_teardown(metrics_are_computed, release),
        cmocka_unit_test_teardown(metrics_use_what_is_observed, release),
        cmocka_unit_test_teardown(own_names_come_before_what_is_observed, release),
        cmocka_unit_test_teardown(programs_have_their_options_and_macros, release),
        cmocka_unit_test_teardown(buffers_have_their_sizes, release),
        cmocka_unit_test_teardown(launches_have_their_sizes_and_arguments, release),
        cmocka_unit_test_teardown(seeds_hang_on_names_alone, release),
        cmocka_unit_test_teardown(repeated_values_are_dropped, release),
        cmocka_unit_test_teardown(types_are_tried_with_every_value, release),
        cmocka_unit_test_teardown(defaults_that_are_none_are_told, release),
        cmocka_unit_test_teardown(missing_files_are_told, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
