// SPDX-License-Identifier: Apache-2.0
// Thousands of random small spaces against brute force: integers, reals and texts, names
// that are computed, conditions, device limits that are missing, divisions by zero.
#include "space_brute.h"

#include "base/rng.h"
#include "base/str.h"

struct draft {
    struct ct_rng rng;
    struct ct_str text;
    size_t params;
    size_t lets;
    size_t rank[8]; /* conditions look only at parameters of a lower rank: no cycles */
    enum { INTEGERS, REALS, TEXTS } kind[8];
    int first[8];
    int size[8];
    const struct ct_devinfo *device; /* NULL: none, and no functions of texts */
};

static uint64_t pick(struct draft *d, uint64_t below)
{
    return ct_rng_below(&d->rng, below);
}

/* A comparison with a text parameter of a rank below `rank`; false: there is none. */
static bool put_text_test(struct draft *d, size_t rank)
{
    size_t p = (size_t)pick(d, d->params);

    if (d->kind[p] != TEXTS || d->rank[p] >= rank)
        return false;
    ct_str_addf(&d->text, "(P%zu %s 't%d')", p,
                pick(d, 2) ? "==" : "!=", (int)pick(d, 4));
    return true;
}

/* A function of texts, with a parameter of a rank below `rank`, or known(); false: that parameter
 * does not fit. */
static bool put_text_function(struct draft *d, size_t rank)
{
    size_t p = (size_t)pick(d, d->params);

    if (pick(d, 6) == 0) {
        ct_str_puts(&d->text, pick(d, 2) ? "known(DEVICE_MAX_COMPUTE_UNITS)"
                                         : "known(DEVICE_LOCAL_MEM_SIZE)");
        return true;
    }
    if (d->kind[p] == REALS || d->rank[p] >= rank)
        return false;
    if (d->kind[p] == INTEGERS || pick(d, 3) == 0)
        ct_str_addf(&d->text, "contains(%s, P%zu)",
                    pick(d, 3) ? "'0 t0 2 t1 4'" : "DEVICE_EXTENSIONS", p);
    else if (pick(d, 3) > 0)
        ct_str_addf(&d->text, "contains(P%zu, 't%d')", p, (int)pick(d, 4));
    else /* fails, since 't1' is no version, and the rest is evaluated or not */
        ct_str_addf(&d->text, "(P%zu != 't1' || version_at_least('3.1', P%zu))", p, p);
    return true;
}

/* An operand: mostly a parameter (of a rank below `rank`), a let name or a number. */
static void put_operand(struct draft *d, size_t rank, bool lets)
{
    size_t p = (size_t)pick(d, d->params);

    if (d->device && pick(d, 4) == 0 && put_text_function(d, rank))
        return;
    if (put_text_test(d, rank))
        return;
    if (lets && d->lets && pick(d, 3) == 0)
        ct_str_addf(&d->text, "L%zu", (size_t)pick(d, d->lets));
    else if (d->rank[p] < rank && d->kind[p] != TEXTS && pick(d, 8) > 0)
        ct_str_addf(&d->text, "P%zu", p);
    else if (pick(d, 12) == 0)
        ct_str_puts(&d->text, pick(d, 2) ? "1.5" : "0.25");
    else
        ct_str_addf(&d->text, "%d", (int)pick(d, 5));
}

static void put_expression(struct draft *d, size_t rank, bool lets, int depth)
{
    static const char *const between[] = {
        " + ",  " - ",  " * ",  " * ",  " / ",  " % ",  " % ", " < ", " <= ", " > ",
        " >= ", " == ", " != ", " && ", " || ", " || ", " & ", " | ", " ^ ",  " << "};
    static const char *const calls[] = {"min", "max", "ceildiv", "roundup",
                                        "gcd", "pow", "divides"};
    static const char *const singles[] = {"abs",   "ispow2", "ilog2", "sqrt",
                                          "float", "int",    "-",     "!"};

    if (depth == 0 || pick(d, 4) == 0) {
        put_operand(d, rank, lets);
        return;
    }
    switch (pick(d, 12)) {
    case 0:
        ct_str_putc(&d->text, '(');
        put_expression(d, rank, lets, depth - 1);
        ct_str_puts(&d->text, " ? ");
        put_expression(d, rank, lets, depth - 1);
        ct_str_puts(&d->text, " : ");
        put_expression(d, rank, lets, depth - 1);
        ct_str_putc(&d->text, ')');
        return;
    case 1:
        ct_str_addf(&d->text, "%s(", singles[pick(d, 8)]);
        put_expression(d, rank, lets, depth - 1);
        ct_str_putc(&d->text, ')');
        return;
    case 2:
        ct_str_addf(&d->text, "%s(", calls[pick(d, 7)]);
        put_expression(d, rank, lets, depth - 1);
        ct_str_puts(&d->text, ", ");
        put_expression(d, rank, lets, depth - 1);
        ct_str_putc(&d->text, ')');
        return;
    default:
        break;
    }
    ct_str_putc(&d->text, '(');
    put_expression(d, rank, lets, depth - 1);
    ct_str_puts(&d->text, between[pick(d, sizeof(between) / sizeof(between[0]))]);
    put_expression(d, rank, lets, depth - 1);
    ct_str_putc(&d->text, ')');
}

static void put_values(struct draft *d, size_t p)
{
    ct_str_addf(&d->text, "P%zu = ", p);
    switch (d->kind[p]) {
    case INTEGERS:
        if (pick(d, 4) > 0) {
            ct_str_addf(&d->text, "%d..%d", d->first[p], d->first[p] + d->size[p] - 1);
            return;
        }
        for (int i = d->size[p]; i-- > 0;) /* out of order */
            ct_str_addf(&d->text, "%d%s", d->first[p] + (i ^ 1), i ? ", " : "");
        return;
    case REALS:
        for (int i = 0; i < d->size[p]; i++)
            ct_str_addf(&d->text, "%s%d%s", i ? ", " : "", d->first[p] + i,
                        i % 2 ? "" : ".5");
        return;
    case TEXTS:
        for (int i = 0; i < d->size[p]; i++)
            ct_str_addf(&d->text, "%s't%d'", i ? ", " : "", d->first[p] + i);
        return;
    }
}

static void put_params(struct draft *d)
{
    ct_str_puts(&d->text, "[param]\n");
    for (size_t p = 0; p < d->params; p++) {
        uint64_t kind = pick(d, 12);

        d->kind[p] = kind == 0 ? REALS : kind < 3 ? TEXTS : INTEGERS;
        d->first[p] = (int)pick(d, 3) - (pick(d, 6) == 0 ? 2 : 0);
        if (d->kind[p] == TEXTS && d->first[p] < 0)
            d->first[p] = 0;
        d->size[p] = 1 + (int)pick(d, 5);
    }
    for (size_t p = 0; p < d->params; p++) {
        put_values(d, p);
        if (d->rank[p] > 0 && pick(d, 3) == 0) {
            ct_str_puts(&d->text, " if ");
            put_expression(d, d->rank[p], false, 2);
            if (pick(d, 8) == 0)
                ct_str_puts(&d->text, " > DEVICE_MAX_COMPUTE_UNITS");
        }
        ct_str_putc(&d->text, '\n');
    }
}

static void put_constraint(struct draft *d)
{
    put_expression(d, SIZE_MAX, true, 3);
    switch (pick(d, 9)) {
    case 0:
        ct_str_puts(&d->text, " <= DEVICE_MAX_WORK_GROUP_SIZE || ");
        put_operand(d, SIZE_MAX, true);
        break;
    case 1:
        ct_str_puts(&d->text, " > 100 / (");
        put_operand(d, SIZE_MAX, true);
        ct_str_puts(&d->text, " - 1)");
        break;
    case 2:
        ct_str_puts(&d->text, " % ");
        put_operand(d, SIZE_MAX, true);
        ct_str_puts(&d->text, " == 0");
        break;
    case 3:
        ct_str_puts(&d->text, " && ");
        put_expression(d, SIZE_MAX, true, 2);
        break;
    case 4:
        ct_str_puts(&d->text, " <= ");
        put_expression(d, SIZE_MAX, true, 2);
        break;
    case 5:
        ct_str_puts(&d->text, " <= DEVICE_MAX_WORK_GROUP_SIZE && ");
        put_expression(d, SIZE_MAX, true, 2);
        break;
    default:
        ct_str_addf(&d->text, " > %d", (int)pick(d, 5));
        break;
    }
}

static void draft_text(struct draft *d)
{
    size_t count = (size_t)pick(d, 3);
    size_t constraints = (size_t)pick(d, 5);

    ct_str_reset(&d->text);
    d->params = 1 + (size_t)pick(d, 5);
    for (size_t p = 0; p < d->params; p++) {
        size_t other = (size_t)pick(d, p + 1);

        d->rank[p] = d->rank[other];
        d->rank[other] = p;
    }
    d->lets = 0;
    put_params(d);
    if (count)
        ct_str_puts(&d->text, "[let]\n");
    for (size_t l = 0; l < count; l++) {
        ct_str_addf(&d->text, "L%zu = ", l);
        put_expression(d, SIZE_MAX, true, 2);
        ct_str_putc(&d->text, '\n');
        d->lets = l + 1; /* a let name uses those before it */
    }
    if (constraints)
        ct_str_puts(&d->text, "[constraint]\n");
    for (size_t c = 0; c < constraints; c++) {
        ct_str_addf(&d->text, "c%zu = ", c);
        put_constraint(d);
        ct_str_putc(&d->text, '\n');
    }
}

/* --- long lists and the constraints that people write --- */

/* Products, sums and quotients of parameters and numbers. */
static void put_term(struct draft *d, int depth)
{
    static const char *const between[] = {" * ", " * ", " + ", " - ", " / "};

    if (depth == 0 || pick(d, 3) == 0) {
        if (pick(d, 6) > 0)
            ct_str_addf(&d->text, "P%zu", (size_t)pick(d, d->params));
        else
            ct_str_addf(&d->text, "%d", 1 + (int)pick(d, 40));
        return;
    }
    if (pick(d, 8) == 0) {
        static const char *const calls[] = {"min(", "max(", "ceildiv(", "roundup("};

        ct_str_puts(&d->text, calls[pick(d, 4)]);
        put_term(d, depth - 1);
        ct_str_puts(&d->text, ", ");
    } else {
        ct_str_putc(&d->text, '(');
        put_term(d, depth - 1);
        ct_str_puts(&d->text, between[pick(d, 5)]);
    }
    put_term(d, depth - 1);
    ct_str_putc(&d->text, ')');
}

static void put_usual_constraint(struct draft *d)
{
    static const char *const compares[] = {
        " <= ", " <= ", " < ", " >= ", " > ", " == ", " != ", " <= "};

    if (pick(d, 4) == 0)
        ct_str_addf(&d->text, "P%zu == %d || ", (size_t)pick(d, d->params),
                    (int)pick(d, 3));
    switch (pick(d, 4)) {
    case 0:
        put_term(d, 1);
        ct_str_puts(&d->text, " % ");
        put_term(d, 1);
        ct_str_puts(&d->text, " == 0");
        break;
    case 1:
        ct_str_puts(&d->text, pick(d, 2) ? "divides(" : "!divides(");
        put_term(d, 1);
        ct_str_puts(&d->text, ", ");
        put_term(d, 1);
        ct_str_putc(&d->text, ')');
        break;
    default:
        put_term(d, 2);
        ct_str_puts(&d->text, compares[pick(d, 8)]);
        if (pick(d, 2))
            put_term(d, 1);
        else
            ct_str_addf(&d->text, "%d", (int)pick(d, 500));
        break;
    }
    if (pick(d, 6) == 0) {
        ct_str_puts(&d->text, " && ");
        put_term(d, 1);
        ct_str_addf(&d->text, " <= %d", (int)pick(d, 100));
    }
}

static void put_usual_values(struct draft *d, size_t p, bool many)
{
    int first = (int)pick(d, 8) ? 1 : (int)pick(d, 4) - 3;
    int last = first + 11 + (int)pick(d, d->params > 2 ? 8 : 60);

    if (many && p < 2) {
        ct_str_addf(&d->text, "P%zu = %d..%d\n", p, first - (int)pick(d, 2) * 3,
                    first + 65);
        return;
    }

    ct_str_addf(&d->text, "P%zu = ", p);
    switch (pick(d, 6)) {
    case 0:
        ct_str_puts(&d->text, "pow2(1, 32)");
        break;
    case 1: /* out of order, with gaps */
        for (int i = last; i > first; i -= 1 + (int)pick(d, 2))
            ct_str_addf(&d->text, "%d, ", i);
        ct_str_addf(&d->text, "%d", last + 3);
        break;
    case 2:
        ct_str_addf(&d->text, "%d..%d step 2", first, last);
        break;
    default:
        ct_str_addf(&d->text, "%d..%d", first, last);
        break;
    }
    ct_str_putc(&d->text, '\n');
}

/* All three parameters in one term, against a value that it takes: what is known of two
 * of them says something already. */
static void put_early_constraint(struct draft *d)
{
    static const char between[] = "***++-/";
    static const char *const compares[] = {" <= ", " < ", " >= ", " > ", " == ", " != "};
    size_t order[3] = {0, 1, 2};
    int values[3];
    char a = between[pick(d, 7)];
    char b = between[pick(d, 7)];
    bool left = pick(d, 2);

    for (size_t i = 3; i-- > 1;) {
        size_t k = (size_t)pick(d, i + 1);
        size_t swap = order[i];

        order[i] = order[k];
        order[k] = swap;
    }
    for (size_t i = 0; i < 3; i++)
        values[i] = 1 + (int)pick(d, order[i] < 2 ? 40 : 9);
    if (pick(d, 4) == 0)
        ct_str_addf(&d->text, "P%zu == %d || ", order[0], (int)pick(d, 9));
    if (left)
        ct_str_addf(&d->text, "(P%zu %c P%zu) %c P%zu", order[0], a, order[1], b,
                    order[2]);
    else
        ct_str_addf(&d->text, "P%zu %c (P%zu %c P%zu)", order[0], a, order[1], b,
                    order[2]);
    ct_str_puts(&d->text, compares[pick(d, 6)]);
    /* The same term of three values. */
    if (left)
        ct_str_addf(&d->text, "(%d %c %d) %c %d", values[0], a, values[1], b, values[2]);
    else
        ct_str_addf(&d->text, "%d %c (%d %c %d)", values[0], a, values[1], b,
                    b == '/' ? 1 : values[2]);
}

static void draft_usual_text(struct draft *d, bool many)
{
    size_t constraints = 1 + (size_t)pick(d, 3);

    ct_str_reset(&d->text);
    d->params = many ? 3 : 2 + (size_t)pick(d, 2);
    ct_str_puts(&d->text, "[param]\n");
    for (size_t p = 0; p < d->params; p++) {
        d->kind[p] = TEXTS; /* no restriction */
        put_usual_values(d, p, many);
    }
    ct_str_puts(&d->text, "[constraint]\n");
    for (size_t c = 0; c < constraints; c++) {
        ct_str_addf(&d->text, "c%zu = ", c);
        if (many && c == 0)
            put_early_constraint(d);
        else
            put_usual_constraint(d);
        ct_str_putc(&d->text, '\n');
    }
}

/* --- comparing --- */

/* Opens the drafted space, with some parameters restricted to one of their values. False:
 * the draft is no valid space file (a comparison of a text with a number). */
static bool open_draft(struct draft *d, struct space_text *t,
                       const struct ct_space_options *space_options)
{
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4"};
    struct ct_binding_options options = {0};
    struct ct_setting settings[5];
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    char texts[5][24];
    bool ok;

    options.device = d->device;
    options.restrict_ = settings;
    for (size_t p = 0; p < d->params; p++) {
        if (pick(d, 5) > 0 || d->kind[p] != INTEGERS)
            continue;
        snprintf(texts[p], sizeof(texts[p]), "%d",
                 d->first[p] + (int)pick(d, (uint64_t)d->size[p]));
        settings[options.restrict_count++] = (struct ct_setting){names[p], texts[p]};
    }
    memset(t, 0, sizeof(*t));
    ok = !ct_spec_parse("test.ini", d->text.data, d->text.length, &t->spec, &diags,
                        &err) &&
         !ct_binding_new(t->spec, &options, &t->binding, &diags, &err);
    ct_diags_release(&diags);
    if (ok && ct_space_new(t->binding, space_options, &t->space, &err))
        space_text_fail(d->text.data, &diags, &err);
    if (!ok) {
        ct_binding_free(t->binding);
        ct_spec_free(t->spec);
    }
    return ok;
}

static unsigned long rounds(unsigned long normal)
{
    const char *more = getenv("CT_SPACE_ROUNDS");

    return more ? strtoul(more, NULL, 10) : normal;
}

struct tally {
    unsigned opened, empty, partial, undecided, failed, vacuous, several;
};

static void check_random(struct draft *d, unsigned long count, struct tally *tally)
{
    memset(tally, 0, sizeof(*tally));
    ct_str_init(&d->text);
    for (unsigned long round = 0; round < count; round++) {
        struct space_text t;
        struct ct_space_stats stats;
        uint64_t valid;

        draft_text(d);
        if (!open_draft(d, &t, NULL))
            continue;
        tally->opened++;
        if (getenv("CT_SPACE_SHOW"))
            print_message("%s\n", d->text.data);
        valid = brute_check(&t);
        ct_space_stats_get(t.space, &stats);
        tally->empty += valid == 0;
        tally->partial += valid > 0 && valid < stats.canonical;
        tally->several += valid > 0 && stats.component_count > 1;
        for (size_t c = 0; c < stats.constraint_count; c++) {
            tally->undecided += stats.constraints[c].undecided;
            tally->failed += stats.constraints[c].failed > 0;
            tally->vacuous += stats.constraints[c].vacuous;
        }
        space_text_close(&t);
    }
    ct_str_release(&d->text);
    print_message("%u spaces: %u empty, %u partial, %u undecided, %u failed, %u vacuous, "
                  "%u several\n",
                  tally->opened, tally->empty, tally->partial, tally->undecided,
                  tally->failed, tally->vacuous, tally->several);
}

static void test_random_spaces(void **state)
{
    struct draft d = {.device = NULL};
    struct tally t;

    (void)state;
    ct_rng_seed(&d.rng, 20240229);
    check_random(&d, rounds(12000), &t);
    /* The drafts must exercise what is tested. */
    assert_true(t.opened > rounds(12000) / 2);
    assert_true(t.empty > t.opened / 20 && t.partial > t.opened / 20 &&
                t.undecided > t.opened / 40 && t.failed > t.opened / 20 &&
                t.vacuous > t.opened / 40 && t.several > t.opened / 20);
}

/* The same with functions of texts, and with a device that reports some of its limits. */
static void test_random_texts(void **state)
{
    struct ct_devinfo device = {.platform_name = "", .type = "GPU"};
    struct draft d = {.device = &device};
    struct tally t;

    (void)state;
    device.props[CT_DEVICE_EXTENSIONS] = ct_value_text("t2 3 t3 1");
    device.props[CT_DEVICE_MAX_COMPUTE_UNITS] = ct_value_int(2);
    device.props[CT_DEVICE_MAX_WORK_GROUP_SIZE] = ct_value_int(3);
    ct_rng_seed(&d.rng, 20260124);
    check_random(&d, rounds(3000), &t);
    assert_true(t.partial > rounds(3000) / 40 && t.failed > rounds(3000) / 40);
}

/* What constraints remove and what is left is all there is, in each component: for
 * spaces without conditions and whose constraints are in one component each. */
static void check_sums(const struct ct_space *space)
{
    struct ct_space_stats stats;

    ct_space_stats_get(space, &stats);
    for (size_t k = 0; stats.valid && k < stats.component_count; k++) {
        double sum = (double)stats.components[k].valid;
        double tried = 0;
        size_t number = 0;

        for (size_t c = 0; c < stats.constraint_count; c++)
            if (stats.constraints[c].component == k) {
                sum += stats.constraints[c].removed;
                tried = stats.constraints[c].tried;
                number++;
            }
        assert_true(sum == stats.components[k].cartesian);
        assert_true(number != 1 || tried == stats.components[k].cartesian);
    }
}

static void check_usual(unsigned long count, uint64_t seed, bool many)
{
    struct draft d;
    unsigned empty = 0;
    unsigned partial = 0;
    unsigned failed = 0;
    unsigned opened = 0;

    memset(&d, 0, sizeof(d));
    ct_rng_seed(&d.rng, seed);
    ct_str_init(&d.text);
    for (unsigned long round = 0; round < count; round++) {
        struct space_text t;
        struct ct_space_stats stats;
        uint64_t valid;

        draft_usual_text(&d, many);
        if (!open_draft(&d, &t, NULL))
            continue;
        opened++;
        if (getenv("CT_SPACE_SHOW"))
            print_message("%s\n", d.text.data);
        valid = brute_check(&t);
        if (!strstr(d.text.data, "&&"))
            check_sums(t.space);
        ct_space_stats_get(t.space, &stats);
        empty += valid == 0;
        partial += valid > 0 && valid < stats.canonical;
        for (size_t c = 0; c < stats.constraint_count; c++)
            failed += stats.constraints[c].failed > 0;
        space_text_close(&t);
    }
    ct_str_release(&d.text);
    print_message("%u spaces: %u empty, %u partial, %u failed\n", opened, empty, partial,
                  failed);
    assert_true(opened > count / 3 && empty > count / 50 && partial > count / 4 &&
                failed > count / 50);
}

/* Ranges and lists of candidates are for long lists of values. */
static void test_usual_constraints(void **state)
{
    (void)state;
    check_usual(rounds(1500), 7, false);
}

/* What roots rule out early is looked at from some thousand combinations on. */
static void test_many_values(void **state)
{
    (void)state;
    check_usual(rounds(1500) / 15, 8, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_spaces),
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_usual_constraints),
        cmocka_unit_test(test_many_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
