// SPDX-License-Identifier: Apache-2.0
// Queries on diagrams that a naive builder makes from brute force: every question asked
// of thousands of small spaces, in every form that a diagram can have.
#include "space_naive.h"
#include "space_oracle.h"
#include "space_text.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "space/space_impl.h"

#include <math.h>
#include <stdlib.h>

/* --- random spaces --- */

struct draft {
    struct ct_rng rng;
    struct ct_str text;
    size_t params;
    int first[NAIVE_PARAMS];
    int size[NAIVE_PARAMS];
    size_t rank[NAIVE_PARAMS]; /* conditions look at lower ranks only: no cycles */
};

static int pick(struct draft *d, int below)
{
    return (int)ct_rng_below(&d->rng, (uint64_t)below);
}

/* A parameter of a rank below `rank`, or SIZE_MAX when luck finds none. */
static size_t pick_param(struct draft *d, size_t rank)
{
    for (int tries = 0; tries < 8; tries++) {
        size_t p = (size_t)pick(d, (int)d->params);

        if (d->rank[p] < rank)
            return p;
    }
    return SIZE_MAX;
}

static void put_condition(struct draft *d, size_t p)
{
    size_t a = pick_param(d, d->rank[p]);
    size_t b = pick_param(d, d->rank[p]);

    if (a == SIZE_MAX || b == SIZE_MAX)
        return;
    switch (pick(d, 3)) {
    case 0:
        ct_str_addf(&d->text, " if P%zu > %d", a, d->first[a]);
        break;
    case 1:
        ct_str_addf(&d->text, " if P%zu != P%zu", a, b);
        break;
    default:
        ct_str_addf(&d->text, " if twice > P%zu", b);
        break;
    }
}

static void put_constraint(struct draft *d, int number)
{
    size_t a = (size_t)pick(d, (int)d->params);
    size_t b = (size_t)pick(d, (int)d->params);
    size_t c = (size_t)pick(d, (int)d->params);

    ct_str_addf(&d->text, "c%d = ", number);
    switch (pick(d, 5)) {
    case 0:
        ct_str_addf(&d->text, "P%zu %% (P%zu + 1) == 0", a, b);
        break;
    case 1:
        ct_str_addf(&d->text, "P%zu + P%zu <= %d", a, b, 2 + pick(d, 6));
        break;
    case 2:
        ct_str_addf(&d->text, "P%zu * P%zu != P%zu + %d", a, b, c, pick(d, 4));
        break;
    case 3:
        ct_str_addf(&d->text, "twice >= P%zu", a);
        break;
    default:
        ct_str_addf(&d->text, "P%zu / P%zu <= 1 || P%zu == %d", a, b, c, d->first[c]);
        break;
    }
    ct_str_putc(&d->text, '\n');
}

static void draft_text(struct draft *d)
{
    int constraints = pick(d, 4);
    bool conditions = pick(d, 2);

    ct_str_reset(&d->text);
    d->params = 1 + (size_t)pick(d, 5);
    for (size_t p = 0; p < d->params; p++) {
        size_t other = (size_t)pick(d, (int)p + 1);

        d->rank[p] = d->rank[other];
        d->rank[other] = p;
        d->first[p] = pick(d, 3);
        d->size[p] = 1 + pick(d, 5);
    }
    /* "twice" belongs to the lowest rank, so that every condition may use it. */
    for (size_t p = 0; p < d->params; p++)
        if (d->rank[p] == 0)
            ct_str_addf(&d->text, "[let]\ntwice = 2 * P%zu\n", p);
    ct_str_puts(&d->text, "[param]\n");
    for (size_t p = 0; p < d->params; p++) {
        ct_str_addf(&d->text, "P%zu = %d..%d", p, d->first[p],
                    d->first[p] + d->size[p] - 1);
        if (conditions && pick(d, 2))
            put_condition(d, p);
        ct_str_putc(&d->text, '\n');
    }
    if (constraints)
        ct_str_puts(&d->text, "[constraint]\n");
    for (int c = 0; c < constraints; c++)
        put_constraint(d, c);
}

/* Some parameters restricted to one of their values. */
static void bind_draft(struct draft *d, struct space_text *t)
{
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4"};
    struct ct_binding_options options = {0};
    struct ct_setting settings[5];
    char texts[5][24];

    draft_text(d);
    options.restrict_ = settings;
    for (size_t p = 0; p < d->params; p++) {
        if (pick(d, 6) > 0)
            continue;
        snprintf(texts[p], sizeof(texts[p]), "%d", d->first[p] + pick(d, d->size[p]));
        settings[options.restrict_count++] = (struct ct_setting){names[p], texts[p]};
    }
    space_text_bind(t, d->text.data, &options);
}

/* The space as it is constructed, beside the naive one: the same set, and every question.
 * Returns how many components were listed for want of `memory_bytes`. */
static unsigned check_constructed(const struct space_text *t, const struct naive *naive,
                                  struct ct_rng *rng, uint64_t memory_bytes)
{
    struct ct_space_options options = {.memory_max_bytes = memory_bytes,
                                       .enumerate = true};
    struct ct_config_list all = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_space *space;
    unsigned enumerated = 0;

    if (ct_space_new(t->binding, &options, &space, &err)) {
        /* Not even the lists fit: that must be said. */
        assert_true(memory_bytes && err.code == CT_E_SPEC);
        return 0;
    }
    for (size_t c = 0; c < space->component_count; c++)
        enumerated += space->components[c].listed != NULL;
    assert_true(ct_space_count(space) == naive->all.count);
    all.param_count = naive->all.param_count;
    for (size_t i = 0; i < naive->all.count; i++) {
        uint32_t config[NAIVE_PARAMS];

        assert_true(ct_space_contains(space, ct_config_list_at(&naive->all, i)));
        ct_space_config(space, i, config);
        naive_append(&all, all.param_count, config);
    }
    check_all(space, &all, rng);
    ct_config_list_release(&all);
    ct_space_free(space);
    return enumerated;
}

static void test_random_spaces(void **state)
{
    struct draft d;
    unsigned empty = 0;
    unsigned several = 0;
    unsigned conditional = 0;
    unsigned listed = 0;
    unsigned enumerated = 0;

    (void)state;
    ct_rng_seed(&d.rng, 20240312);
    ct_str_init(&d.text);
    for (int round = 0; round < 3000; round++) {
        struct space_text t;
        struct naive naive;

        bind_draft(&d, &t);
        naive_open(&naive, t.binding, &d.rng, NAIVE_ANY);
        check_all(&naive.space, &naive.all, &d.rng);
        check_constructed(&t, &naive, &d.rng, 0);
        enumerated +=
            check_constructed(&t, &naive, &d.rng, 1 + ct_rng_below(&d.rng, 20000));
        empty += naive.all.count == 0;
        several += naive.all.count > 0 && naive.space.component_count > 1;
        listed += naive.all.count > 0 && naive.space.components[0].listed != NULL;
        for (size_t p = 0; p < d.params; p++)
            conditional += t.spec->params[p].condition != NULL;
        naive_close(&naive);
        space_text_close(&t);
    }
    ct_str_release(&d.text);
    /* The drafts must exercise what is tested. */
    assert_true(empty > 50 && several > 1000 && conditional > 1000 && listed > 500 &&
                enumerated > 50);
}

/* --- known answers --- */

static void index_of(const struct ct_space *space, const char *text, uint32_t *config)
{
    const struct ct_binding *binding = space->binding;
    size_t p = 0;

    /* Digits are value indices. */
    for (; text[p]; p++)
        config[p] = (uint32_t)(text[p] - '0');
    assert_int_equal(p, binding->spec->param_count);
}

/* What an inactive parameter happens to have is no wish: of a configuration that is only
 * not canonical, the canonical form is nearest, and it is a neighbour. */
static void test_inactive(void **state)
{
    static const char text[] = "[param]\nLX = 1, 2, 4 if LOCAL\nLOCAL = off, on\n"
                               "LY = 1, 2, 4 if LOCAL\nWG = 1..8\n"
                               "[constraint]\nroom = !LOCAL || LX * LY * WG <= 16\n";
    struct space_text t;
    struct ct_rng rng;
    uint32_t config[NAIVE_PARAMS];
    uint32_t nearest[NAIVE_PARAMS];
    struct ct_err err = CT_ERR_INIT;

    (void)state;
    ct_rng_seed(&rng, 1);
    space_text_bind(&t, text, NULL);
    for (int form = 0; form < NAIVE_ANY; form++) {
        struct ct_config_list list = {0};
        struct naive naive;

        naive_open(&naive, t.binding, &rng, (enum naive_form)form);
        index_of(&naive.space, "2027", config); /* LX=4 LOCAL=off LY=4 WG=8 */
        assert_true(ct_space_nearest(&naive.space, config, nearest, &err));
        index_of(&naive.space, "0007", config);
        assert_memory_equal(nearest, config, 4 * sizeof(*config));
        /* LX=4 LOCAL=on LY=4 WG=8 is too large.  One change: LOCAL goes off and takes LX
         * and LY along, or WG is 1. */
        index_of(&naive.space, "2127", config);
        assert_int_equal(
            ct_space_neighbours(&naive.space, config, CT_NEIGHBOURS_ONE, &list, &err),
            CT_OK);
        assert_int_equal(list.count, 2);
        ct_config_list_release(&list);
        naive_close(&naive);
    }
    space_text_close(&t);
}

static void test_no_parameters(void **state)
{
    struct space_text t;
    struct naive naive;
    struct ct_rng rng;
    struct ct_config_list list = {0};
    struct ct_err err = CT_ERR_INIT;
    uint32_t none[1] = {0};
    uint64_t index = 7;

    (void)state;
    ct_rng_seed(&rng, 1);
    space_text_bind(&t, "[let]\nx = 1\n", NULL);
    naive_open(&naive, t.binding, &rng, NAIVE_MERGED);
    assert_true(ct_space_count(&naive.space) == 1);
    assert_true(ct_space_first(&naive.space, none));
    assert_false(ct_space_next(&naive.space, none));
    assert_true(ct_space_index(&naive.space, none, &index) && index == 0);
    assert_int_equal(ct_space_sample(&naive.space, 3, 1, &list, &err), CT_OK);
    assert_int_equal(list.count, 1);
    ct_config_list_release(&list);
    assert_true(ct_space_nearest(&naive.space, none, none, &err));
    assert_int_equal(
        ct_space_neighbours(&naive.space, none, CT_NEIGHBOURS_TWO, &list, &err), CT_OK);
    assert_int_equal(list.count, 0);
    ct_config_list_release(&list);
    naive_close(&naive);
    space_text_close(&t);
}

/* Values are found in long lists whatever their order, and what is not there is not. */
static void test_find_in_long_lists(void **state)
{
    static const char text[] = "[param]\nUP = 3..4000\nMIXED = 1..40, 100, 60..90, 50\n"
                               "DOWN = 40..1 step -1\n";
    struct space_text t;
    struct naive naive;
    struct ct_rng rng;
    struct ct_value values[3];
    uint32_t config[3];
    uint64_t index;

    (void)state;
    ct_rng_seed(&rng, 5);
    space_text_bind(&t, text, NULL);
    naive_free(&naive, t.binding);
    for (int round = 0; round < 2000; round++) {
        uint64_t want = ct_rng_below(&rng, naive.space.count);

        ct_space_config(&naive.space, want, config);
        ct_binding_values(t.binding, config, values);
        assert_true(ct_space_find(&naive.space, values, &index) && index == want);
    }
    values[1] = ct_value_int(95);
    assert_false(ct_space_find(&naive.space, values, &index));
    values[1] = ct_value_text("x");
    assert_false(ct_space_find(&naive.space, values, &index));
    naive_close(&naive);
    space_text_close(&t);
}

/* --- samples --- */

/* Upper quantile of the chi-squared distribution at p = 1e-6 (Wilson and Hilferty,
 * 1931). */
static double chi_limit(double freedom)
{
    double spread = 2 / (9 * freedom);

    return freedom * pow(1 - spread + 4.7534 * sqrt(spread), 3);
}

static void chi_check(const unsigned *counts, const double *shares, size_t cells)
{
    double total = 0;
    double chi = 0;

    for (size_t i = 0; i < cells; i++)
        total += counts[i];
    for (size_t i = 0; i < cells; i++) {
        double expected = total * (shares ? shares[i] : 1 / (double)cells);

        assert_true(expected >= 5); /* else the test says nothing */
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    assert_true(chi < chi_limit((double)cells - 1));
}

/* Of the configurations with one value, each is as likely as any other, and no other comes. */
static void test_part_uniform(void **state)
{
    static const char text[] =
        "[param]\nA = 1..4\nB = 1..4 if A > 1\nC = 1..3\nD = 1..3\n"
        "[constraint]\nab = A + B != 5\ncd = C + D > 2\n";
    static const unsigned sizes[] = {8, 24, 24, 24}; /* by value of A */
    struct space_text t;
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 5);
    space_text_bind(&t, text, NULL);
    for (int form = 0; form < NAIVE_ANY; form++)
        for (uint32_t value = 0; value < 4; value++) {
            struct naive naive;
            struct ct_space_part *part;
            unsigned counts[80] = {0};
            unsigned first = 0;
            uint32_t config[4];
            uint64_t index;

            naive_open(&naive, t.binding, &rng, (enum naive_form)form);
            part = ct_space_part_new(&naive.space, 0, value);
            assert_non_null(part);
            assert_true(ct_space_part_count(part) == sizes[value]);
            for (int i = 0; i < 4000; i++) {
                assert_true(ct_space_part_draw(part, &rng, config));
                assert_int_equal(config[0], value);
                assert_true(ct_space_index(&naive.space, config, &index));
                counts[index]++;
            }
            /* In the order of indices A need not come first: what was drawn moves to the front. */
            for (unsigned i = 0; i < 80; i++)
                if (counts[i])
                    counts[first++] = counts[i];
            assert_int_equal(first, sizes[value]);
            chi_check(counts, NULL, first);
            ct_space_part_free(part);
            naive_close(&naive);
        }
    space_text_close(&t);
}

/* Every place of a sample is uniform over the space, with few and with many drawn. */
static void test_sample_uniform(void **state)
{
    static const char text[] =
        "[param]\nA = 1..4\nB = 1..4 if A > 1\nC = 1..3\nD = 1..3\n"
        "[constraint]\nab = A + B != 5\ncd = C + D > 2\n";
    struct space_text t;
    struct ct_rng rng;

    (void)state;
    ct_rng_seed(&rng, 11);
    space_text_bind(&t, text, NULL);
    for (int form = 0; form < NAIVE_ANY; form++)
        for (size_t size = 1; size < 120; size += 29) {
            struct naive naive;
            unsigned *first;
            unsigned *last;
            size_t n;

            naive_open(&naive, t.binding, &rng, (enum naive_form)form);
            n = naive.all.count;
            assert_int_equal(n, (1 + 3 * 3) * 8);
            first = ct_mem_array(n, sizeof(*first));
            last = ct_mem_array(n, sizeof(*last));
            assert_true(first && last);
            for (uint64_t seed = 1; seed <= 1000; seed++) {
                struct ct_config_list list = {0};
                struct ct_err err = CT_ERR_INIT;
                uint64_t index;

                assert_int_equal(ct_space_sample(&naive.space, size, seed, &list, &err),
                                 CT_OK);
                assert_int_equal(list.count, size < n ? size : n);
                ct_space_index(&naive.space, ct_config_list_at(&list, 0), &index);
                first[index]++;
                ct_space_index(&naive.space, ct_config_list_at(&list, list.count - 1),
                               &index);
                last[index]++;
                ct_config_list_release(&list);
            }
            chi_check(first, NULL, n);
            chi_check(last, NULL, n);
            free(first);
            free(last);
            naive_close(&naive);
        }
    space_text_close(&t);
}

/* --- more than 2^64 --- */

enum { DEEP = 25 };

static void deep_text(struct ct_str *text)
{
    ct_str_init(text);
    ct_str_puts(text, "[param]\n");
    for (int p = 0; p < DEEP; p++)
        ct_str_addf(text, "P%d = 0..9\n", p);
}

/* What must hold of a space of 10^25 or so, whose parameters are all free but that P1 is
 * below 5 where P0 is odd (when `halved`). */
static void check_deep(const struct ct_space *space, bool halved)
{
    struct ct_config_list list = {0};
    struct ct_config_list other = {0};
    struct ct_err err = CT_ERR_INIT;
    unsigned digits[DEEP][10] = {{0}};
    double shares[10];
    struct ct_rng rng;

    assert_true(ct_space_count(space) == UINT64_MAX);
    assert_int_equal(ct_space_sample(space, 4000, 3, &list, &err), CT_OK);
    assert_int_equal(ct_space_sample(space, 4000, 4, &other, &err), CT_OK);
    assert_int_equal(list.count, 4000);
    for (size_t i = 0; i < list.count; i++) {
        const uint32_t *config = ct_config_list_at(&list, i);

        assert_true(ct_space_contains(space, config));
        assert_memory_not_equal(config, ct_config_list_at(&other, i),
                                DEEP * sizeof(*config));
        for (size_t p = 0; p < DEEP; p++)
            digits[p][config[p]]++;
    }
    for (int v = 0; v < 10; v++)
        shares[v] = !halved ? 0.1 : v % 2 ? 1 / 15. : 2 / 15.;
    chi_check(digits[0], shares, 10);
    for (int v = 0; v < 10; v++)
        shares[v] = !halved ? 0.1 : v < 5 ? 2 / 15. : 1 / 15.;
    chi_check(digits[1], shares, 10);
    for (size_t p = 2; p < DEEP; p++)
        chi_check(digits[p], NULL, 10);
    ct_rng_seed(&rng, 2);
    for (int round = 0; round < 1000; round++) {
        uint64_t want = round ? ct_rng_below(&rng, UINT64_MAX) : UINT64_MAX - 1;
        uint64_t index = 0;
        uint32_t config[DEEP];

        ct_space_config(space, want, config);
        assert_true(ct_space_index(space, config, &index) && index == want);
    }
    /* Those from 2^64 - 1 on have no index, but a place in the walk. */
    {
        uint32_t config[DEEP];
        uint64_t index;

        ct_space_config(space, UINT64_MAX - 1, config);
        assert_true(ct_space_next(space, config));
        assert_true(ct_space_contains(space, config));
        assert_false(ct_space_index(space, config, &index));
    }
    ct_config_list_release(&list);
    ct_config_list_release(&other);
}

static void check_deep_near(const struct ct_space *space)
{
    struct ct_config_list list = {0};
    struct ct_err err = CT_ERR_INIT;
    uint32_t config[DEEP] = {0};
    uint32_t nearest[DEEP];

    assert_int_equal(ct_space_neighbours(space, config, CT_NEIGHBOURS_ONE, &list, &err),
                     CT_OK);
    assert_int_equal(list.count, 9 * DEEP);
    ct_config_list_release(&list);
    assert_int_equal(
        ct_space_neighbours(space, config, CT_NEIGHBOURS_ADJACENT, &list, &err), CT_OK);
    assert_int_equal(list.count, DEEP);
    ct_config_list_release(&list);
    assert_int_equal(ct_space_neighbours(space, config, CT_NEIGHBOURS_TWO, &list, &err),
                     CT_OK);
    assert_true(list.count > 9 * DEEP + 81 * DEEP * (DEEP - 1) / 2 - 100);
    ct_config_list_release(&list);
    config[7] = 4000000000U; /* no value: the last one is nearest */
    assert_true(ct_space_nearest(space, config, nearest, &err));
    assert_int_equal(nearest[7], 9);
}

/* As one component and as 25. */
static void test_beyond_counting(void **state)
{
    struct ct_str text;
    struct space_text t;
    struct naive naive;

    (void)state;
    deep_text(&text);
    space_text_bind(&t, text.data, NULL);
    naive_free(&naive, t.binding);
    check_deep(&naive.space, false);
    check_deep_near(&naive.space);
    naive_close(&naive);
    naive_chain(&naive, t.binding);
    check_deep(&naive.space, true);
    check_deep_near(&naive.space);
    naive_close(&naive);
    space_text_close(&t);
    ct_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_spaces),   cmocka_unit_test(test_inactive),
        cmocka_unit_test(test_no_parameters),   cmocka_unit_test(test_find_in_long_lists),
        cmocka_unit_test(test_sample_uniform),  cmocka_unit_test(test_part_uniform),
        cmocka_unit_test(test_beyond_counting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
