// SPDX-License-Identifier: Apache-2.0
// Expands lists of values for an environment, and finds values in them.
#include "spacefile/spec_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct expansion {
    const struct ct_value *env;
    const char *file;
    struct ct_diags *diags;
    struct ct_value *values;
    size_t count;
    size_t capacity;
    const struct ct_list_item *items;
    size_t *first; /* by item: its first value */
    size_t item;   /* being expanded */
    bool full;     /* there are too many values, which has been reported */
    enum ct_expansion status;
};

#define COMPLAIN(x, at, ...)                                                             \
    do {                                                                                 \
        ct_diags_add((x)->diags, CT_ERROR, (x)->file, (at).line, (at).column,            \
                     __VA_ARGS__);                                                       \
        (x)->status = CT_EXPANSION_WRONG;                                                \
    } while (0)

/* Space for that many more values; NULL if there cannot be as many. */
static struct ct_value *more_values(struct expansion *x, uint64_t count)
{
    struct ct_value *values;

    if (count > CT_SPEC_VALUES_MAX - x->count) {
        COMPLAIN(x, x->items[x->item].place, "the list has more than %d values",
                 CT_SPEC_VALUES_MAX);
        x->full = true;
        return NULL;
    }
    if (!ct_mem_grow(&x->values, &x->capacity, x->count + (size_t)count,
                     sizeof(*x->values))) {
        x->status = CT_EXPANSION_NOMEM;
        return NULL;
    }
    values = x->values + x->count;
    x->count += (size_t)count;
    return values;
}

static bool push(struct expansion *x, struct ct_value value)
{
    struct ct_value *to = more_values(x, 1);

    if (to)
        *to = value;
    return to != NULL;
}

static bool evaluate_item(struct expansion *x, const struct ct_expr *expr,
                          struct ct_value *out)
{
    char why[CT_EVAL_WHY_SIZE];
    enum ct_eval failed;

    if (!expr) { /* an error, reported when it was compiled */
        x->status = CT_EXPANSION_WRONG;
        return false;
    }
    failed = ct_expr_eval(expr, x->env, out);
    if (!failed)
        return true;
    if (failed == CT_EVAL_UNKNOWN) {
        if (x->status == CT_EXPANDED)
            x->status = CT_EXPANSION_UNKNOWN;
    } else {
        COMPLAIN(x, expr->place, "'%s' cannot be computed: %s", expr->text,
                 ct_expr_why(expr, failed, x->env, why));
    }
    return false;
}

static bool evaluate_int(struct expansion *x, const struct ct_expr *expr, int64_t *out)
{
    struct ct_value value;

    if (!evaluate_item(x, expr, &value))
        return false;
    if (value.kind != CT_INT) {
        COMPLAIN(x, expr->place, "'%s' is not an integer", expr->text);
        return false;
    }
    *out = value.u.i;
    return true;
}

static void expand_ints(struct expansion *x, const struct ct_list_item *item, int64_t a,
                        int64_t b, int64_t step)
{
    struct ct_value *values;
    uint64_t distance;
    uint64_t last;

    if (step > 0 ? a > b : a < b) {
        COMPLAIN(x, item->place, "the range is empty: it goes from %lld to %lld by %lld",
                 (long long)a, (long long)b, (long long)step);
        return;
    }
    /* Differences of 64-bit integers fit without a sign. */
    distance = step > 0 ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
    /* A step of zero has been reported. */
    // cppcheck-suppress zerodivcond
    last = distance / (step > 0 ? (uint64_t)step : -(uint64_t)step);
    values =
        more_values(x, last < CT_SPEC_VALUES_MAX ? last + 1 : CT_SPEC_VALUES_MAX + 1);
    for (uint64_t i = 0; values && i <= last; i++)
        values[i] = ct_value_int((int64_t)((uint64_t)a + i * (uint64_t)step));
}

static void expand_reals(struct expansion *x, const struct ct_list_item *item, double a,
                         double b, double step)
{
    /* A little more than the quotient, otherwise 0..1 step 0.1 would end at 0.9. */
    double steps = floor((b - a) / step * (1 + 1e-12) + 1e-9);

    if (steps < 0) {
        COMPLAIN(x, item->place, "the range is empty: it goes from %g to %g by %g", a, b,
                 step);
        return;
    }
    if (steps > CT_SPEC_VALUES_MAX)
        steps = CT_SPEC_VALUES_MAX; /* one too many, which push() reports */
    for (int i = 0; i <= (int)steps; i++)
        if (!push(x, ct_value_real(a + i * step)))
            return;
}

static void expand_range(struct expansion *x, const struct ct_list_item *item)
{
    struct ct_value part[3] = {{0}, {0}, ct_value_int(1)};
    double real[3];
    bool ints = true;

    if (!evaluate_item(x, item->a, &part[0]) || !evaluate_item(x, item->b, &part[1]) ||
        (item->step && !evaluate_item(x, item->step, &part[2])))
        return;
    for (size_t i = 0; i < 3; i++) {
        if (part[i].kind == CT_TEXT) { /* reported when it was compiled */
            x->status = CT_EXPANSION_WRONG;
            return;
        }
        ints = ints && part[i].kind == CT_INT;
        real[i] = ct_value_number(part[i]);
    }
    if (real[2] == 0)
        COMPLAIN(x, item->place, "the step of the range is zero");
    else if (ints)
        expand_ints(x, item, part[0].u.i, part[1].u.i, part[2].u.i);
    else
        expand_reals(x, item, real[0], real[1], real[2]);
}

static void expand_pow2(struct expansion *x, const struct ct_list_item *item)
{
    size_t before = x->count;
    int64_t a;
    int64_t b;

    if (!evaluate_int(x, item->a, &a) || !evaluate_int(x, item->b, &b))
        return;
    for (int shift = 0; shift < 63; shift++) {
        int64_t power = (int64_t)1 << shift;

        if (power >= a && power <= b && !push(x, ct_value_int(power)))
            return;
    }
    if (x->count == before)
        COMPLAIN(x, item->place, "there is no power of two between %lld and %lld",
                 (long long)a, (long long)b);
}

/* Limit for finding divisors quickly. */
#define DIVISORS_OF_MAX INT64_C(1000000000000)

static void expand_divisors(struct expansion *x, const struct ct_list_item *item)
{
    int64_t large[8192]; /* no number up to the limit has as many */
    size_t count = 0;
    int64_t n;

    if (!evaluate_int(x, item->a, &n))
        return;
    if (n < 1 || n > DIVISORS_OF_MAX) {
        COMPLAIN(x, item->place, "divisors() requires a number from 1 to %lld, not %lld",
                 (long long)DIVISORS_OF_MAX, (long long)n);
        return;
    }
    for (int64_t d = 1; d * d <= n; d++) {
        if (n % d)
            continue;
        if (!push(x, ct_value_int(d)))
            return;
        if (d * d != n)
            large[count++] = n / d;
    }
    while (count)
        if (!push(x, ct_value_int(large[--count])))
            return;
}

static void expand_item(struct expansion *x, const struct ct_list_item *item)
{
    struct ct_value *values;
    struct ct_value value;

    switch (item->form) {
    case CT_ITEM_NUMBERS:
        values = more_values(x, item->number_count);
        if (values)
            memcpy(values, item->numbers, item->number_count * sizeof(*values));
        break;
    case CT_ITEM_VALUE:
        if (evaluate_item(x, item->a, &value))
            push(x, value);
        break;
    case CT_ITEM_RANGE:
        expand_range(x, item);
        break;
    case CT_ITEM_POW2:
        expand_pow2(x, item);
        break;
    case CT_ITEM_DIVISORS:
        expand_divisors(x, item);
        break;
    }
}

bool ct_spec_is_literal(const struct ct_list_item *item)
{
    return !(item->a && item->a->slot_count) && !(item->b && item->b->slot_count) &&
           !(item->step && item->step->slot_count);
}

static uint64_t mix_bits(uint64_t h)
{
    h ^= h >> 31;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t hash_value(struct ct_value value)
{
    uint64_t h = 0;
    double r;

    if (value.kind == CT_TEXT) {
        for (const char *c = value.u.s; *c; c++)
            h = mix_bits(h + (unsigned char)*c);
        return h;
    }
    /* Equal numbers hash equally, whatever their kind. */
    r = ct_value_number(value);
    if (r == 0)
        r = 0; /* -0.0 */
    memcpy(&h, &r, sizeof(h));
    return mix_bits(h);
}

/* The item that gave value number `index`. */
static const struct ct_list_item *item_of(const struct expansion *x, size_t index)
{
    size_t low = 0;
    size_t high = x->item; /* the last one */

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (x->first[middle] <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &x->items[low];
}

/* The place of value number `index` in the file. */
static struct ct_place place_of(const struct expansion *x, size_t index)
{
    const struct ct_list_item *item = item_of(x, index);

    return item->form == CT_ITEM_NUMBERS
               ? ct_text_place(item->text,
                               item->number_at[index - x->first[item - x->items]])
               : item->place;
}

static void report_duplicate(struct expansion *x, size_t index)
{
    const char *quote = x->values[index].kind == CT_TEXT ? "'" : "";
    struct ct_str text;

    ct_str_init(&text);
    ct_value_print(&text, x->values[index]);
    COMPLAIN(x, place_of(x, index), "value %s%s%s is in the list twice", quote, text.data,
             quote);
    ct_str_release(&text);
}

/* Whether the values are numbers of one kind that strictly increase or decrease: then none is
 * repeated. */
static bool are_ordered(const struct ct_value *values, size_t count)
{
    bool grow = true;
    bool fall = true;

    if (count && values[0].kind == CT_TEXT)
        return false;
    for (size_t i = 1; i < count && (grow || fall); i++) {
        const struct ct_value *a = &values[i - 1];
        const struct ct_value *b = &values[i];

        if (b->kind != a->kind)
            return false;
        grow = grow && (a->kind == CT_INT ? a->u.i < b->u.i : a->u.r < b->u.r);
        fall = fall && (a->kind == CT_INT ? a->u.i > b->u.i : a->u.r > b->u.r);
    }
    return grow || fall;
}

/* Whether an item is a literal value: repeating it is a mistake.  Values of ranges and calls may
 * be repeated, as in `64, pow2(16, 256)`. */
static bool is_written(const struct ct_list_item *item)
{
    return item->form == CT_ITEM_NUMBERS ||
           (item->form == CT_ITEM_VALUE && ct_spec_is_literal(item));
}

/* Drops or reports repeated values, in one pass over a hash table. */
static void drop_duplicates(struct expansion *x)
{
    size_t size = 16;
    size_t kept = 0;
    uint32_t *table;
    bool *dropped;

    while (size < x->count * 2)
        size *= 2;
    table = ct_mem_array(size, sizeof(*table));
    dropped = ct_mem_array(x->count, sizeof(*dropped));
    if (!table || !dropped)
        x->status = CT_EXPANSION_NOMEM;
    for (size_t i = 0; table && dropped && i < x->count; i++) {
        size_t at = (size_t)hash_value(x->values[i]) & (size - 1);

        while (table[at] && !ct_value_equal(x->values[table[at] - 1], x->values[i]))
            at = (at + 1) & (size - 1);
        if (!table[at]) {
            table[at] = (uint32_t)i + 1;
            continue;
        }
        if (is_written(item_of(x, i)) && is_written(item_of(x, table[at] - 1)))
            report_duplicate(x, i);
        dropped[i] = true;
    }
    for (size_t i = 0; dropped && i < x->count; i++)
        if (!dropped[i])
            x->values[kept++] = x->values[i];
    x->count = kept;
    free(table);
    free(dropped);
}

/* Returns the values. */
static void give_values(struct expansion *x, struct ct_arena *arena,
                        const struct ct_value **values, size_t *count)
{
    struct ct_value *kept = ct_arena_array(arena, x->count, sizeof(*kept));

    if (!kept) {
        x->status = CT_EXPANSION_NOMEM;
        return;
    }
    if (x->count)
        memcpy(kept, x->values, x->count * sizeof(*kept));
    *values = kept;
    *count = x->count;
}

enum ct_expansion ct_spec_expand(const struct ct_list_item *items, size_t item_count,
                                 const struct ct_value *env, const char *file,
                                 struct ct_arena *arena, const struct ct_value **values,
                                 size_t *count, struct ct_diags *diags)
{
    struct expansion x = {.env = env, .file = file, .diags = diags, .items = items};

    if (item_count == 1 && items[0].form == CT_ITEM_NUMBERS &&
        items[0].number_count <= CT_SPEC_VALUES_MAX &&
        are_ordered(items[0].numbers, items[0].number_count)) {
        *values = items[0].numbers;
        *count = items[0].number_count;
        return CT_EXPANDED;
    }
    x.first = ct_mem_array(item_count, sizeof(*x.first));
    if (!x.first)
        x.status = CT_EXPANSION_NOMEM;
    for (size_t i = 0; x.first && i < item_count; i++) {
        x.item = i;
        x.first[i] = x.count;
        expand_item(&x, &items[i]);
        if (x.full || x.status == CT_EXPANSION_NOMEM)
            break;
    }
    if (x.status == CT_EXPANDED && !are_ordered(x.values, x.count))
        drop_duplicates(&x);
    if (x.status == CT_EXPANDED)
        give_values(&x, arena, values, count);
    free(x.values);
    free(x.first);
    return x.status;
}

long ct_spec_find_value(const struct ct_value *values, size_t count,
                        struct ct_value value)
{
    for (size_t i = 0; i < count; i++)
        if (ct_value_equal(values[i], value))
            return (long)i;
    return -1;
}

static void put_nearest_numbers(struct ct_str *out, const struct ct_value *values,
                                size_t count, double wanted)
{
    const struct ct_value *below = NULL;
    const struct ct_value *above = NULL;

    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == CT_TEXT)
            continue;
        if (ct_value_number(values[i]) < wanted) {
            if (!below || ct_value_number(values[i]) > ct_value_number(*below))
                below = &values[i];
        } else if (!above || ct_value_number(values[i]) < ct_value_number(*above)) {
            above = &values[i];
        }
    }
    if (!below && !above)
        return;
    ct_str_puts(out, below && above ? "; the nearest are " : "; the nearest is ");
    if (below)
        ct_value_print(out, *below);
    if (below && above)
        ct_str_puts(out, " and ");
    if (above)
        ct_value_print(out, *above);
}

void ct_spec_put_nearest(struct ct_str *out, const struct ct_value *values, size_t count,
                         struct ct_value value)
{
    const char *names[64];
    size_t texts = 0;
    const char *likely;

    if (value.kind == CT_INT || value.kind == CT_REAL) {
        put_nearest_numbers(out, values, count, ct_value_number(value));
        return;
    }
    for (size_t i = 0; i < count && texts < 64; i++)
        if (values[i].kind == CT_TEXT)
            names[texts++] = values[i].u.s;
    likely =
        value.kind == CT_TEXT && texts ? ct_str_suggest(value.u.s, names, texts) : NULL;
    if (likely) {
        ct_str_addf(out, "; did you mean '%s'?", likely);
        return;
    }
    for (size_t i = 0; i < texts && i < 8; i++)
        ct_str_addf(out, "%s'%s'", i ? ", " : "; use ", names[i]);
    if (texts > 8)
        ct_str_puts(out, ", ...");
}
