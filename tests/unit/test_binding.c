// SPDX-License-Identifier: Apache-2.0
// Bindings: domains, restrictions, inactive parameters, verdicts, defaults, metrics.
#include "binding_canonical.h"
#include "binding_world.h"

static struct ct_value env[512];

static struct ct_value value_of(const char *name)
{
    int slot = ct_spec_find(spec, name);

    assert_true(slot >= 0);
    return env[slot];
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
    return binding_canonical(binding, config, env);
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

static void defaults_that_are_none_are_reported(void **state)
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
        cmocka_unit_test_teardown(repeated_values_are_dropped, release),
        cmocka_unit_test_teardown(defaults_that_are_none_are_reported, release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
