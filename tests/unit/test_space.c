// SPDX-License-Identifier: Apache-2.0
// Known spaces: their counts, what is told of their constraints, their limits.
#include "space_brute.h"

#include "base/str.h"

/* Counted independently: sum over WG of the values of VEC and STYLE that go with it. */
static void test_known(void **state)
{
    static const char text[] = "[let]\nspan = WG * ITEMS\n"
                               "[param]\n"
                               "WG = 0, pow2(1, 256), 12\n"
                               "VEC = 1, 4, 8, 16\n"
                               "STYLE = 'evenodd', 'unrolled' if VEC > 1\n"
                               "ITEMS = 1..4\n"
                               "LOCAL = off, on\n"
                               "[constraint]\n"
                               "room = !LOCAL || WG > 0 && 8 * span <= 4096\n";
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    space_text_open(&t, text, NULL);
    /* 11 WG * 7 VEC and STYLE * 4 ITEMS without LOCAL; with it WG of 1 to 128 and 12 go
     * with every ITEMS, 256 with 1 and 2, and 0 with none. */
    assert_int_equal(brute_check(&t), 7 * (11 * 4 + 9 * 4 + 2));
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.cartesian == 11 * 4 * 2 * 4 * 2);
    assert_int_equal(stats.canonical, 11 * 7 * 4 * 2);
    space_text_close(&t);
}

/* A condition may look at parameters named later, through names that are computed. */
static void test_late_condition(void **state)
{
    static const char text[] = "[let]\nspan = C * twice\ntwice = 2 * A\n"
                               "[param]\nB = 7, 8, 9 if span / (A - 2) > 3\n"
                               "A = 1..4\nD = 5, 6 if C > 1\nC = 1..3\n"
                               "[constraint]\nsum = A + B + C < 14\n";
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    space_text_open(&t, text, NULL);
    assert_true(brute_check(&t) > 0);
    ct_space_stats_get(t.space, &stats);
    /* With C of 1, 2, 3 the condition holds for 1, 2, 2 values of A; with A of 2 it
     * cannot be evaluated, which counts as false. */
    assert_int_equal(stats.canonical, (2 * 3 + 2) + 2 * (2 * 3 + 2) * 2);
    space_text_close(&t);
}

static void test_constraint_stats(void **state)
{
    static const char text[] = "[param]\nA = 0..3\nB = 0..4\nC = 1..10\n"
                               "[constraint]\n"
                               "small = A <= 2\n"
                               "divides = 12 % A == 0\n"
                               "device = A < 5 || B > DEVICE_MAX_WORK_GROUP_SIZE\n"
                               "limit = B <= DEVICE_MAX_COMPUTE_UNITS\n";
    struct space_text t;
    struct ct_space_stats stats;
    const struct ct_constraint_stats *c;

    (void)state;
    space_text_open(&t, text, NULL);
    assert_int_equal(brute_check(&t), 2 * 5 * 10);
    ct_space_stats_get(t.space, &stats);
    c = stats.constraints;
    assert_int_equal(stats.constraint_count, 4);
    assert_true(c[0].tried == 4); /* values of A, which no constraint ties to others */
    assert_true(c[0].removed == 1);
    assert_true(c[0].failed == 0);
    assert_true(c[1].tried == 3);
    assert_true(c[1].removed == 1);
    assert_true(c[1].failed == 1);
    assert_false(c[0].undecided || c[1].undecided);
    assert_false(c[2].undecided); /* A decides alone */
    assert_true(c[3].tried == 1); /* no parameter decides it */
    assert_true(c[3].undecided);
    space_text_close(&t);
}

static void test_device_decides(void **state)
{
    static const char text[] = "[param]\nWG = pow2(1, 1024)\n"
                               "[constraint]\nfits = WG <= DEVICE_MAX_WORK_GROUP_SIZE\n";
    struct ct_devinfo device;
    struct ct_binding_options options;
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    memset(&device, 0, sizeof(device));
    device.platform_name = device.platform_version = device.driver_version = "";
    device.type = "GPU";
    device.props[CT_DEVICE_MAX_WORK_GROUP_SIZE] = ct_value_int(256);
    memset(&options, 0, sizeof(options));
    options.device = &device;
    space_text_open(&t, text, &options);
    assert_int_equal(brute_check(&t), 9);
    ct_space_stats_get(t.space, &stats);
    assert_false(stats.constraints[0].undecided);
    space_text_close(&t);
    space_text_open(&t, text, NULL);
    assert_int_equal(brute_check(&t), 11);
    space_text_close(&t);
}

static void test_restricted(void **state)
{
    static const char text[] = "[param]\nSTYLE = 1, 2, 3 if VEC > 1\nVEC = 1, 4, 8\n"
                               "[constraint]\nodd = VEC + STYLE != 6\n";
    static const struct ct_setting settings[] = {{"STYLE", "3"}, {"VEC", "1, 8"}};
    struct ct_binding_options options;
    struct space_text t;

    (void)state;
    space_text_open(&t, text, NULL);
    assert_int_equal(brute_check(&t), 1 + 3 + 3 - 1);
    space_text_close(&t);
    memset(&options, 0, sizeof(options));
    options.restrict_count = 2;
    options.restrict_ = settings;
    space_text_open(&t, text, &options);
    assert_true(brute_check(&t) > 0);
    space_text_close(&t);
}

static void test_not_found(void **state)
{
    struct space_text t;
    struct ct_value values[] = {ct_value_int(2), ct_value_text("b")};
    uint32_t beyond[] = {0, 3}; /* the rank of {1, 1} */
    uint64_t at = 77;

    (void)state;
    space_text_open(
        &t, "[param]\nA = 1, 2\nB = 'a', 'b'\n[constraint]\nc = A < 2 || B == 'b'\n",
        NULL);
    assert_int_equal(brute_check(&t), 3);
    assert_true(ct_space_find(t.space, values, &at));
    assert_int_equal(at, 2);
    values[0] = ct_value_real(2); /* the same number */
    assert_true(ct_space_find(t.space, values, &at));
    values[1] = ct_value_text("a"); /* excluded */
    assert_false(ct_space_find(t.space, values, &at));
    values[1] = ct_value_text("c"); /* in no list */
    assert_false(ct_space_find(t.space, values, &at));
    assert_false(ct_space_index(t.space, beyond, &at));
    assert_int_equal(at, 2);
    space_text_close(&t);
}

/* More combinations than 64 bits can number, of which few are valid. */
static void test_many_params(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct ct_space_stats stats;
    uint32_t config[BRUTE_PARAMS_MAX];

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    for (int p = 0; p < 20; p++)
        ct_str_addf(&text, "P%02d = 0..15\n", p);
    ct_str_puts(&text, "[constraint]\n");
    for (int p = 1; p < 20; p++)
        ct_str_addf(&text, "c%02d = P%02d %s P%02d\n", p, p, p % 5 ? "==" : "<=", p - 1);
    space_text_open(&t, text.data, NULL);
    ct_str_release(&text);
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.cartesian == 0x1p80);
    assert_true(stats.canonical == UINT64_MAX);
    /* Three steps down: sequences of four that fall, out of sixteen values. */
    assert_int_equal(stats.valid, 3876);
    for (uint64_t i = 0; i < stats.valid; i++) {
        uint64_t back = UINT64_MAX;

        ct_space_config(t.space, i, config);
        for (size_t p = 1; p < 20; p++)
            assert_true(p % 5 ? config[p] == config[p - 1] : config[p] <= config[p - 1]);
        assert_true(ct_space_index(t.space, config, &back) && back == i);
    }
    config[7]++;
    assert_false(ct_space_index(t.space, config, &(uint64_t){0}));
    space_text_close(&t);
}

/* More valid configurations than 64 bits can number. */
static void test_uncountable(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    for (int p = 0; p < 20; p++)
        ct_str_addf(&text, "P%02d = 0..15\n", p);
    ct_str_puts(&text, "[constraint]\nhalf = P00 + P01 <= 15 && P00 < 16\n");
    space_text_open(&t, text.data, NULL);
    ct_str_release(&text);
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == UINT64_MAX && ct_space_count(t.space) == UINT64_MAX);
    assert_true(stats.valid_approx == 136 * 0x1p72);
    assert_int_equal(stats.component_count, 19);
    assert_int_equal(stats.components[0].valid, 136);
    assert_true(stats.constraints[0].tried == 256 && stats.constraints[0].removed == 120);
    assert_int_equal(stats.constraints[0].component, 0);
    space_text_close(&t);
}

/* Constraints that always hold tie nothing together; single values neither. */
static void test_components(void **state)
{
    static const char text[] = "[param]\nN = 64\nA = 1..8\nB = 1..8\nC = 1..8\nD = 0..3\n"
                               "[constraint]\n"
                               "always = A * B > 0\n"
                               "split = N % A == 0 && B <= C && D < 2\n"
                               "dead = A + D < 100 || B == 3\n";
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    space_text_open(&t, text, NULL);
    assert_int_equal(brute_check(&t), 4 * 36 * 2);
    ct_space_stats_get(t.space, &stats);
    assert_int_equal(stats.component_count, 4);
    assert_true(stats.constraints[0].vacuous && stats.constraints[2].vacuous);
    assert_false(stats.constraints[1].vacuous);
    assert_true(stats.constraints[0].component == SIZE_MAX);
    space_text_close(&t);
}

/* Equal intermediate values are one state: a product of three has far fewer values than
 * there are combinations. */
static void test_merging(void **state)
{
    struct space_text t;
    struct ct_space_stats stats;

    (void)state;
    space_text_open(&t,
                    "[param]\nA = pow2(1, 128)\nB = pow2(1, 128)\nC = pow2(1, 128)\n"
                    "D = pow2(1, 128)\n"
                    "[constraint]\nfits = A * B * C * D == 256\n",
                    NULL);
    brute_check(&t);
    ct_space_stats_get(t.space, &stats);
    /* One node for each exponent that the product can have reached. */
    assert_true(stats.nodes <= 1 + 8 + 9 + 8);
    assert_true(stats.tried <= 8 * (1 + 8 + 15 + 22));
    space_text_close(&t);
}

/* Candidates by divisors: of numbers too large for a table of factors, negative, zero. */
static void test_divisors(void **state)
{
    static const char *const texts[] = {
        "[param]\nA = 1..20\nB = 0..3000\n[constraint]\nc = A * 1441440 % B == 0\n",
        "[param]\nA = 1..20\nB = -20..20\n[constraint]\nc = (A - 9) * 4 % B == 0\n",
        "[param]\nA = -9..20\nB = -20..20\n[constraint]\nc = B % (A + 1) == 0\n",
        "[param]\nA = 1..20\nB = -20..20\n[constraint]\nc = A * 99990 % (B / 2) == 0\n",
        "[param]\nA = 1..20\nB = -20..20\n[constraint]\nc = A * 3 - 5 == B * B\n",
        "[param]\nA = -20..20\nB = 1..40\n[constraint]\nc = A * 4 % (B - 3) == 0\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct space_text t;
        struct ct_space_stats stats;

        space_text_open(&t, texts[i], NULL);
        assert_true(brute_check(&t) > 0);
        ct_space_stats_get(t.space, &stats);
        assert_true(stats.constraints[0].tried == stats.cartesian);
        assert_true(stats.constraints[0].removed ==
                    stats.cartesian - (double)stats.valid);
        /* What divides by zero is removed as what fails. */
        if (i == 0)
            assert_true(stats.constraints[0].failed == 20);
        if (i == 2)
            assert_true(stats.constraints[0].failed == 41);
        /* Not all pairs are looked at, whichever comes first. */
        assert_true((double)stats.tried < stats.cartesian || i == 3);
        space_text_close(&t);
    }
}

/* What two of three parameters rule out whatever the third will be, in order of values
 * (bisected) and out of order (tried). */
static void test_early(void **state)
{
    static const char *const constraints[] = {
        "A * B * C <= 500",
        "A * B - C <= 100",
        "C - A * B >= -60",
        "(A * B) / C >= 300",
        "A * B == C * 7",
        "A + B + C < 20",
        "A + B - C * C > 120",
        "!(A * B < 100 * C)",
        "min(A * B, C * 400) > 900",
        "max(A, B) * C <= 20",
        "A * B / 2.0 + C <= 50",
        "-(A * B) >= C - 90",
        "A * B <= 90 && C < 8",
        "C == 3 && A * B > 4000 || A * B * C < 300",
    };
    static const char *const lists[] = {"1..70", "2..70, 1"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(constraints) / sizeof(constraints[0]); i++) {
        struct ct_str text;
        struct space_text t;
        struct ct_space_stats stats;

        ct_str_init(&text);
        ct_str_addf(&text, "[param]\nA = %s\nB = %s\nC = 1..9\n[constraint]\nc = %s\n",
                    lists[i % 2], lists[i % 2], constraints[i / 2]);
        space_text_open(&t, text.data, NULL);
        ct_str_release(&text);
        assert_true(brute_check(&t) > 0);
        ct_space_stats_get(t.space, &stats);
        if (stats.components[0].param_count == 3) {
            assert_true(stats.constraints[0].tried == stats.cartesian);
            assert_true(stats.constraints[0].removed ==
                        stats.cartesian - (double)stats.valid);
        }
        space_text_close(&t);
    }
}

/* Chains of many operands, as lists of allowed pairs are written. */
static void test_long_chains(void **state)
{
    struct ct_str text;
    struct space_text t;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\nA = 0..29\nB = 0..29\nC = 1..2\n[constraint]\nany = ");
    for (int i = 0; i < 200; i++)
        ct_str_addf(&text, "%sA == %d && B == %d", i ? " || " : "", i % 29, i / 7);
    ct_str_puts(&text, "\nsum = ");
    for (int i = 0; i < 90; i++)
        ct_str_addf(&text, "%sB %% %d", i ? " + " : "", i + 2);
    ct_str_puts(&text, " + A * C != 200\none = ");
    for (int i = 0; i < 100; i++)
        ct_str_addf(&text, "%sB == %d", i ? " || " : "", i * 3 % 40);
    ct_str_putc(&text, '\n');
    space_text_open(&t, text.data, NULL);
    ct_str_release(&text);
    assert_true(brute_check(&t) > 100);
    space_text_close(&t);
}

/* --- limits --- */

/* A sum of squares that hardly merges. */
static const char growing[] =
    "[param]\nA = 1..300\nB = 1..300\nC = 1..300\nD = 1..300\n"
    "[constraint]\n"
    "other = A < 1000 || B > 3\n"
    "ball = (A * A * 7919 + B * B * 104729 + C * C * 1299709 + D * D) % 1000003 < 999 "
    "&& A + B < 20 && C + D < 20\n";

static enum ct_status build(struct space_text *t, const char *text, uint64_t bytes,
                            bool enumerate, struct ct_err *err)
{
    const struct ct_space_options options = {.memory_max_bytes = bytes,
                                             .enumerate = enumerate};

    space_text_bind(t, text, NULL);
    return ct_space_new(t->binding, &options, &t->space, err);
}

static void test_memory_limit(void **state)
{
    struct space_text t;
    struct ct_err err = CT_ERR_INIT;
    struct ct_space_stats stats;
    uint64_t valid;

    (void)state;
    assert_int_equal(build(&t, growing, 1 << 18, false, &err), CT_E_SPEC);
    assert_null(t.space);
    assert_int_equal(err.code, CT_E_SPEC);
    assert_int_equal(err.line, 8);
    assert_non_null(strstr(err.message, "'ball'"));
    assert_non_null(strstr(err.message, "A, "));
    assert_non_null(strstr(err.message, "--enumerate"));
    assert_non_null(strstr(err.message, "--param"));
    space_text_close(&t);
    assert_int_equal(build(&t, growing, 0, false, &err), CT_OK);
    ct_space_stats_get(t.space, &stats);
    valid = stats.valid;
    assert_true(valid > 0 && stats.peak_bytes > 1 << 18);
    space_text_close(&t);
    /* As a list it is small. */
    assert_int_equal(build(&t, growing, 1 << 18, true, &err), CT_OK);
    ct_space_stats_get(t.space, &stats);
    assert_int_equal(stats.valid, valid);
    assert_true(stats.components[0].enumerated && !stats.nodes);
    assert_true(stats.peak_bytes <= 1 << 18);
    for (uint64_t i = 0; i < valid; i++) {
        uint32_t config[4];
        uint64_t back = UINT64_MAX;

        ct_space_config(t.space, i, config);
        assert_true(ct_space_index(t.space, config, &back) && back == i);
    }
    space_text_close(&t);
}

/* Whatever the limit, it is kept, and the answer is right or there is none. */
static void test_any_limit(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct space_text t;
    unsigned refused = 0;
    unsigned built = 0;

    (void)state;
    for (uint64_t bytes = 1; bytes < 1 << 20; bytes += 1 + bytes / 24) {
        enum ct_status status =
            build(&t,
                  "[param]\nA = 1..30\nB = 1..20 if A > 3\nC = 1..9\nS = 'a', 'b'\n"
                  "[constraint]\nc = A * A + B * B < 100 || S == 'a'\nd = A % C == 0\n",
                  bytes, bytes % 2, &err);

        if (status) {
            assert_int_equal(status, CT_E_SPEC);
            refused++;
        } else {
            struct ct_space_stats stats;

            ct_space_stats_get(t.space, &stats);
            assert_true(stats.peak_bytes <= bytes);
            brute_check(&t);
            built++;
        }
        space_text_close(&t);
    }
    assert_true(refused > 20 && built > 20);
}

/* Conditions that also look at parameters which are no part of the component. */
static void test_conditions_outside(void **state)
{
    static const char *const conditions[] = {"ONE != A", "A + 0 * FREE > 1", "twice > 2"};

    (void)state;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        uint32_t config[4] = {1, 2, 0, 0}; /* A=2 C=7 ONE=1 FREE=4 */
        struct ct_config_list list = {0};
        struct ct_err err = CT_ERR_INIT;
        struct space_text t;
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text,
                    "[let]\ntwice = (A + A) * ONE\n"
                    "[param]\nA = 1, 2\nC = 5, 6, 7 if %s\nONE = 1\nFREE = 4, 5\n",
                    conditions[i]);
        space_text_open(&t, text.data, NULL);
        assert_int_equal(brute_check(&t), 2 * (1 + 3));
        /* A=1, which takes C along, C=5, C=6, FREE=5. */
        assert_int_equal(
            ct_space_neighbours(t.space, config, CT_NEIGHBOURS_ONE, &list, &err), CT_OK);
        assert_int_equal(list.count, 4);
        ct_config_list_release(&list);
        space_text_close(&t);
        ct_str_release(&text);
    }
}

/* Sums of more parameters than any fixed number: what is known of them is one number. */
static void test_wide_sum(void **state)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_space_stats stats;
    struct space_text t;
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    for (int i = 0; i < 100; i++)
        ct_str_addf(&text, "P%d = 0, 1\n", i);
    ct_str_puts(&text, "[constraint]\nc = P0");
    for (int i = 1; i < 100; i++)
        ct_str_addf(&text, " + P%d", i);
    ct_str_puts(&text, " <= 2\n");
    assert_int_equal(build(&t, text.data, 1 << 24, false, &err), CT_OK);
    ct_space_stats_get(t.space, &stats);
    assert_int_equal(stats.valid, 1 + 100 + 100 * 99 / 2);
    assert_true(stats.nodes <= 300);
    space_text_close(&t);
    ct_str_release(&text);
}

/* Each conditional parameter beside its switch: all switches first would be 2^14
 * states. */
static void test_order_of_switches(void **state)
{
    struct ct_space_stats stats;
    struct space_text t;
    struct ct_str text;

    (void)state;
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    for (int i = 0; i < 14; i++)
        ct_str_addf(&text, "S%d = off, on\nC%d = 1..4 if S%d\n", i, i, i);
    ct_str_puts(&text, "[constraint]\nc = C0");
    for (int i = 1; i < 14; i++)
        ct_str_addf(&text, " + C%d", i);
    ct_str_puts(&text, " <= 30\n");
    space_text_open(&t, text.data, NULL);
    ct_space_stats_get(t.space, &stats);
    assert_true(stats.valid == 2925955164);
    assert_true(stats.nodes < 1000);
    space_text_close(&t);
    ct_str_release(&text);
}

/* A chain of names that would exhaust the stack is refused. */
static void test_deep_names(void **state)
{
    struct space_text t;
    struct ct_str text;

    (void)state;
    for (int names = 1000; names <= 100000; names *= 10) {
        struct ct_err err = CT_ERR_INIT;

        ct_str_init(&text);
        ct_str_puts(&text, "[param]\nA = 1..4\nB = 1..4\n[let]\nL0 = A\n");
        for (int i = 1; i < names; i++)
            ct_str_addf(&text, "L%d = L%d %% 3 + B\n", i, i - 1);
        ct_str_addf(&text, "[constraint]\nc = L%d < 3\n", names - 1);
        if (names == 1000) {
            assert_int_equal(build(&t, text.data, 0, false, &err), CT_OK);
            assert_true(brute_check(&t) > 0);
        } else {
            assert_int_equal(build(&t, text.data, 0, false, &err), CT_E_SPEC);
            assert_non_null(strstr(err.message, "nest too deeply"));
        }
        space_text_close(&t);
        ct_str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_late_condition),
        cmocka_unit_test(test_constraint_stats),
        cmocka_unit_test(test_device_decides),
        cmocka_unit_test(test_restricted),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_many_params),
        cmocka_unit_test(test_uncountable),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_any_limit),
        cmocka_unit_test(test_conditions_outside),
        cmocka_unit_test(test_wide_sum),
        cmocka_unit_test(test_order_of_switches),
        cmocka_unit_test(test_deep_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
