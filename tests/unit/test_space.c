// SPDX-License-Identifier: Apache-2.0
// Spaces: small ones against brute force, by the thousand, and known ones.
#include "space_text.h"

#include "base/rng.h"
#include "base/str.h"

#include <stdlib.h>

enum { PARAMS_MAX = 20 };

/* --- brute force --- */

/* Counts through the Cartesian product in lexicographic order; false after the last. */
static bool next_config(const struct ct_binding *binding, uint32_t *config)
{
    for (size_t p = binding->spec->param_count; p-- > 0;) {
        if (++config[p] < binding->domains[p].count)
            return true;
        config[p] = 0;
    }
    return false;
}

struct truth {
    bool canonical;
    bool valid;
    bool undecided[PARAMS_MAX]; /* by constraint */
};

static struct truth judge(const struct ct_binding *binding, const uint32_t *config)
{
    struct ct_value *env = ct_mem_array(binding->spec->symbol_count, sizeof(*env));
    struct truth truth = {0};

    assert_non_null(env);
    ct_binding_evaluate(binding, config, env);
    truth.canonical = ct_binding_canonical(binding, config, env);
    truth.valid = truth.canonical;
    for (size_t c = 0; c < binding->spec->constraint_count; c++) {
        enum ct_verdict verdict = ct_binding_decide(binding, c, env);

        truth.valid = truth.valid && verdict != CT_VIOLATED && verdict != CT_FAILED;
        truth.undecided[c] = verdict == CT_UNDECIDED;
    }
    free(env);
    return truth;
}

/* What the space says of one valid configuration, which is number `index`. */
static void check_member(const struct ct_space *space, const uint32_t *config,
                         uint64_t index)
{
    const struct ct_binding *binding = ct_space_binding(space);
    struct ct_value values[PARAMS_MAX];
    uint32_t seen[PARAMS_MAX];
    uint64_t at = UINT64_MAX;

    assert_true(index < ct_space_count(space));
    ct_space_config(space, index, seen);
    if (binding->spec->param_count)
        assert_memory_equal(seen, config, binding->spec->param_count * sizeof(*seen));
    assert_true(ct_space_index(space, config, &at));
    assert_true(at == index);
    at = UINT64_MAX;
    ct_binding_values(binding, config, values);
    assert_true(ct_space_find(space, values, &at));
    assert_true(at == index);
}

static void check_stats(const struct ct_space *space, uint64_t all, uint64_t canonical,
                        uint64_t valid, const bool *seen, const bool *met)
{
    struct ct_space_stats stats;

    ct_space_stats(space, &stats);
    assert_true(stats.cartesian == (double)all);
    assert_true(stats.canonical == canonical);
    assert_true(stats.valid == valid);
    assert_true(ct_space_count(space) == valid);
    for (size_t c = 0; c < stats.constraint_count; c++) {
        const struct ct_constraint_stats *one = &stats.constraints[c];

        assert_true(one->failed <= one->removed && one->removed <= one->tried);
        /* Undecided for a valid configuration: it must be said.  Never: it must not. */
        assert_true(one->undecided || !met[c]);
        assert_true(!one->undecided || seen[c]);
    }
}

/* Compares a space with its definition. */
static uint64_t check(const struct space_text *t)
{
    const struct ct_binding *binding = t->binding;
    uint32_t config[PARAMS_MAX] = {0};
    bool seen[PARAMS_MAX] = {false};
    bool met[PARAMS_MAX] = {false};
    uint64_t all = 0;
    uint64_t canonical = 0;
    uint64_t valid = 0;

    assert_true(binding->spec->param_count <= PARAMS_MAX);
    do {
        struct truth truth = judge(binding, config);
        uint64_t at;

        all++;
        canonical += truth.canonical;
        for (size_t c = 0; c < binding->spec->constraint_count; c++) {
            seen[c] = seen[c] || truth.undecided[c];
            met[c] = met[c] || (truth.valid && truth.undecided[c]);
        }
        if (truth.valid)
            check_member(t->space, config, valid++);
        else
            assert_false(ct_space_index(t->space, config, &at));
    } while (next_config(binding, config));
    check_stats(t->space, all, canonical, valid, seen, met);
    return valid;
}

/* --- random spaces --- */

struct draft {
    struct ct_rng rng;
    struct ct_str text;
    size_t params;
    size_t lets;
    size_t rank[8]; /* conditions look only at parameters of a lower rank: no cycles */
    uint64_t first[8];
    uint64_t size[8];
};

static uint64_t pick(struct draft *d, uint64_t below)
{
    return ct_rng_below(&d->rng, below);
}

/* An operand: mostly a parameter (of a rank below `rank`), a let name or a number. */
static void put_operand(struct draft *d, size_t rank, bool lets)
{
    size_t p = (size_t)pick(d, d->params);

    if (lets && d->lets && pick(d, 3) == 0)
        ct_str_addf(&d->text, "L%zu", (size_t)pick(d, d->lets));
    else if (d->rank[p] < rank && pick(d, 8) > 0)
        ct_str_addf(&d->text, "P%zu", p);
    else
        ct_str_addf(&d->text, "%d", (int)pick(d, 5));
}

static void put_expression(struct draft *d, size_t rank, bool lets, int depth)
{
    static const char *const between[] = {" + ", " - ",  " * ",  " / ",  " % ",
                                          " < ", " == ", " != ", " && ", " || "};

    if (depth == 0 || pick(d, 4) == 0) {
        put_operand(d, rank, lets);
        return;
    }
    ct_str_putc(&d->text, '(');
    put_expression(d, rank, lets, depth - 1);
    ct_str_puts(&d->text, between[pick(d, sizeof(between) / sizeof(between[0]))]);
    put_expression(d, rank, lets, depth - 1);
    ct_str_putc(&d->text, ')');
}

static void put_params(struct draft *d)
{
    ct_str_puts(&d->text, "[param]\n");
    for (size_t p = 0; p < d->params; p++) {
        d->first[p] = pick(d, 3);
        d->size[p] = 1 + pick(d, 4);
        ct_str_addf(&d->text, "P%zu = %d..%d", p, (int)d->first[p],
                    (int)(d->first[p] + d->size[p] - 1));
        if (d->rank[p] > 0 && pick(d, 3) == 0) {
            ct_str_puts(&d->text, " if ");
            put_expression(d, d->rank[p], false, 2);
        }
        ct_str_putc(&d->text, '\n');
    }
}

/* A parameter in front keeps a constraint from being constant. */
static void put_constraints(struct draft *d)
{
    size_t count = (size_t)pick(d, 4);

    if (!count)
        return;
    ct_str_puts(&d->text, "[constraint]\n");
    for (size_t c = 0; c < count; c++) {
        ct_str_addf(&d->text, "c%zu = P%zu + ", c, (size_t)pick(d, d->params));
        put_expression(d, SIZE_MAX, true, 2);
        switch (pick(d, 5)) {
        case 0:
            ct_str_puts(&d->text, " <= DEVICE_MAX_WORK_GROUP_SIZE || P0 == 1");
            break;
        case 1:
            ct_str_puts(&d->text, " > 100 / (P0 - 1)");
            break;
        default:
            ct_str_addf(&d->text, " > %d", (int)pick(d, 5));
            break;
        }
        ct_str_putc(&d->text, '\n');
    }
}

static void put_lets(struct draft *d)
{
    size_t count = (size_t)pick(d, 3);

    d->lets = 0;
    if (count)
        ct_str_puts(&d->text, "[let]\n");
    for (size_t l = 0; l < count; l++) {
        ct_str_addf(&d->text, "L%zu = P%zu * ", l, (size_t)pick(d, d->params));
        put_expression(d, SIZE_MAX, true, 2);
        ct_str_putc(&d->text, '\n');
        d->lets = l + 1; /* a let name uses those before it */
    }
}

static void draft_text(struct draft *d)
{
    ct_str_reset(&d->text);
    d->params = 1 + (size_t)pick(d, 5);
    for (size_t p = 0; p < d->params; p++) {
        size_t other = (size_t)pick(d, p + 1);

        d->rank[p] = d->rank[other];
        d->rank[other] = p;
    }
    put_params(d);
    put_lets(d);
    put_constraints(d);
}

/* Opens a random space, with some parameters restricted to one of their values. */
static void open_draft(struct draft *d, struct space_text *t)
{
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4"};
    struct ct_binding_options options = {0};
    struct ct_setting settings[5];
    char texts[5][24];

    draft_text(d);
    options.restrict_ = settings;
    for (size_t p = 0; p < d->params; p++) {
        if (pick(d, 5) > 0)
            continue;
        snprintf(texts[p], sizeof(texts[p]), "%d",
                 (int)(d->first[p] + pick(d, d->size[p])));
        settings[options.restrict_count++] = (struct ct_setting){names[p], texts[p]};
    }
    space_text_open(t, d->text.data, &options);
}

static void test_random_spaces(void **state)
{
    struct draft d;
    unsigned empty = 0;
    unsigned partial = 0;
    unsigned undecided = 0;
    unsigned failed = 0;

    (void)state;
    ct_rng_seed(&d.rng, 20240229);
    ct_str_init(&d.text);
    for (int round = 0; round < 4000; round++) {
        struct space_text t;
        struct ct_space_stats stats;
        uint64_t valid;

        open_draft(&d, &t);
        valid = check(&t);
        ct_space_stats(t.space, &stats);
        empty += valid == 0;
        partial += valid > 0 && valid < stats.canonical;
        for (size_t c = 0; c < stats.constraint_count; c++) {
            undecided += stats.constraints[c].undecided;
            failed += stats.constraints[c].failed > 0;
        }
        space_text_close(&t);
    }
    ct_str_release(&d.text);
    /* The drafts must exercise what is tested. */
    assert_true(empty > 100 && partial > 500 && undecided > 100 && failed > 100);
}

/* --- known spaces --- */

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
    assert_int_equal(check(&t), 7 * (11 * 4 + 9 * 4 + 2));
    ct_space_stats(t.space, &stats);
    assert_true(stats.cartesian == 11 * 4 * 2 * 4 * 2);
    assert_int_equal(stats.canonical, 11 * 7 * 4 * 2);
    assert_true(stats.bytes >= 8 * stats.valid);
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
    assert_true(check(&t) > 0);
    ct_space_stats(t.space, &stats);
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
    assert_int_equal(check(&t), 2 * 5 * 10);
    ct_space_stats(t.space, &stats);
    c = stats.constraints;
    assert_int_equal(stats.constraint_count, 4);
    assert_int_equal(c[0].tried, 4); /* once a value of A, not once a configuration */
    assert_int_equal(c[0].removed, 1);
    assert_int_equal(c[0].failed, 0);
    assert_int_equal(c[1].tried, 3);
    assert_int_equal(c[1].removed, 1);
    assert_int_equal(c[1].failed, 1);
    assert_false(c[0].undecided || c[1].undecided);
    assert_false(c[2].undecided); /* A decides alone */
    assert_int_equal(c[3].tried, 2 * 5);
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
    assert_int_equal(check(&t), 9);
    ct_space_stats(t.space, &stats);
    assert_false(stats.constraints[0].undecided);
    space_text_close(&t);
    space_text_open(&t, text, NULL);
    assert_int_equal(check(&t), 11);
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
    assert_int_equal(check(&t), 1 + 3 + 3 - 1);
    space_text_close(&t);
    memset(&options, 0, sizeof(options));
    options.restrict_count = 2;
    options.restrict_ = settings;
    space_text_open(&t, text, &options);
    assert_true(check(&t) > 0);
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
    assert_int_equal(check(&t), 3);
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
    uint32_t config[PARAMS_MAX];

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
    ct_space_stats(t.space, &stats);
    assert_true(stats.cartesian == 0x1p80);
    assert_true(stats.canonical == UINT64_MAX);
    /* Three steps down: sequences of four that fall, out of sixteen values. */
    assert_int_equal(stats.valid, 3876);
    for (uint64_t i = 0; i < stats.valid; i++) {
        ct_space_config(t.space, i, config);
        for (size_t p = 1; p < 20; p++)
            assert_true(p % 5 ? config[p] == config[p - 1] : config[p] <= config[p - 1]);
        check_member(t.space, config, i);
    }
    config[7]++;
    assert_false(ct_space_index(t.space, config, &(uint64_t){0}));
    space_text_close(&t);
}

static void expect_too_many(const char *text)
{
    struct space_text t;
    struct ct_err err = CT_ERR_INIT;

    space_text_bind(&t, text, NULL);
    assert_int_equal(ct_space_new(t.binding, &t.space, &err), CT_E_SPEC);
    assert_null(t.space);
    assert_int_equal(err.code, CT_E_SPEC);
    assert_non_null(strstr(err.message, "67108864 valid configurations"));
    space_text_close(&t);
}

static void test_too_many(void **state)
{
    struct ct_str text;

    (void)state;
    expect_too_many("[param]\nA = 1..1024\nB = 1..1024\nC = 1..1024\n");
    ct_str_init(&text);
    ct_str_puts(&text, "[param]\n");
    for (int p = 0; p < 20; p++)
        ct_str_addf(&text, "P%02d = 0..15\n", p);
    expect_too_many(text.data);
    ct_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_spaces),  cmocka_unit_test(test_known),
        cmocka_unit_test(test_late_condition), cmocka_unit_test(test_constraint_stats),
        cmocka_unit_test(test_device_decides), cmocka_unit_test(test_restricted),
        cmocka_unit_test(test_not_found),      cmocka_unit_test(test_many_params),
        cmocka_unit_test(test_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
