// SPDX-License-Identifier: Apache-2.0
// Compiles lists of values.
#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- compiling --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether text[begin, end) is `name(...)` as a whole; *open is set to the parenthesis. */
static bool is_call(const struct ct_text *text, size_t begin, size_t end,
                    const char *name, size_t *open)
{
    size_t length = strlen(name);
    size_t at = begin + length;

    if (end - begin <= length || memcmp(text->text + begin, name, length) != 0)
        return false;
    while (at < end && is_blank(text->text[at]))
        at++;
    if (at == end || text->text[at] != '(')
        return false;
    *open = at;
    return text->text[end - 1] == ')' && ct_expr_find_outside(text, at, end) == end;
}

static const struct ct_expr *number_expr(struct ct_spec_builder *b,
                                         const struct ct_text *text, size_t begin,
                                         size_t end, bool integer, const char *what)
{
    return ct_spec_compile_number(b, text, begin, end, CT_USE_FIXED, integer, what);
}

/* `pow2(a, b)` and `divisors(n)`: the arguments between the parentheses. */
static void compile_call(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t open, size_t end, struct ct_list_item *item)
{
    bool two = item->form == CT_ITEM_POW2;
    size_t comma = ct_expr_find_char(text, open + 1, end - 1, ',');
    size_t more =
        comma < end - 1 ? ct_expr_find_char(text, comma + 1, end - 1, ',') : end - 1;

    if ((comma < end - 1) != two || more < end - 1) {
        CT_SPEC_COMPLAIN(b, item->place, "'%s' takes %s", two ? "pow2" : "divisors",
                         two ? "two arguments, the first and the last power"
                             : "one argument");
        return;
    }
    item->a = number_expr(b, text, open + 1, comma, true, "the argument");
    if (two)
        item->b = number_expr(b, text, comma + 1, end - 1, true, "the argument");
}

static void compile_range(struct ct_spec_builder *b, const struct ct_text *text,
                          size_t begin, size_t dots, size_t end,
                          struct ct_list_item *item)
{
    size_t step = ct_expr_find_word(text, dots, end, "step");

    item->form = CT_ITEM_RANGE;
    item->a = number_expr(b, text, begin, dots, false, "the start of a range");
    item->b = number_expr(b, text, dots + 2, step, false, "the end of a range");
    if (step < end)
        item->step = number_expr(b, text, step + 4, end, false, "the step of a range");
}

static enum ct_kind item_kind(const struct ct_list_item *item)
{
    const struct ct_expr *parts[] = {item->a, item->b, item->step};
    enum ct_kind kind = CT_INT;

    if (item->form == CT_ITEM_NUMBERS)
        return item->numbers[0].kind;
    if (item->form == CT_ITEM_VALUE)
        return item->a ? item->a->kind : CT_NONE;
    for (size_t i = 0; i < 3; i++)
        if (parts[i] && parts[i]->kind != CT_INT && kind != CT_NONE)
            kind = parts[i]->kind == CT_REAL ? CT_REAL : CT_NONE;
    return kind;
}

/* Whether an entry is a range of another language, `16:64`. */
static bool is_colon_range(const struct ct_text *text, size_t begin, size_t end)
{
    return ct_expr_find_char(text, begin, end, ':') < end &&
           ct_expr_find_char(text, begin, end, '?') == end;
}

static void compile_item(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t end, struct ct_list_item *item)
{
    size_t dots;
    size_t open;

    ct_expr_trim(text, &begin, &end);
    item->place = ct_text_place(text, begin);
    item->form = CT_ITEM_VALUE;
    if (begin == end) {
        CT_SPEC_COMPLAIN(b, item->place,
                         "a value is missing here; text that is empty is "
                         "written ''");
    } else if (is_call(text, begin, end, "pow2", &open)) {
        item->form = CT_ITEM_POW2;
        compile_call(b, text, open, end, item);
    } else if (is_call(text, begin, end, "divisors", &open)) {
        item->form = CT_ITEM_DIVISORS;
        compile_call(b, text, open, end, item);
    } else if ((dots = ct_expr_find_range(text, begin, end)) < end) {
        compile_range(b, text, begin, dots, end, item);
    } else if (is_colon_range(text, begin, end)) {
        CT_SPEC_COMPLAIN(b, item->place, "a range is written a..b, or a..b step s");
    } else {
        item->a = ct_spec_compile(b, text, begin, end, CT_USE_FIXED);
    }
}

/* The kind that all values share, CT_NONE for integers beside reals. */
static enum ct_kind list_kind(struct ct_spec_builder *b, const struct ct_list_item *items,
                              size_t count)
{
    enum ct_kind kind = count ? item_kind(&items[0]) : CT_NONE;

    for (size_t i = 1; i < count; i++) {
        enum ct_kind other = item_kind(&items[i]);
        enum ct_kind before = item_kind(&items[i - 1]);

        if (other != CT_NONE && before != CT_NONE &&
            (other == CT_TEXT) != (before == CT_TEXT)) {
            CT_SPEC_COMPLAIN(
                b, items[i].place,
                "the values of a parameter must be all texts or all numbers");
            return CT_NONE;
        }
        if (other != kind)
            kind = CT_NONE;
    }
    return kind;
}

/* A list being read. */
struct list {
    const struct ct_text *text;
    size_t end;
    struct ct_list_item *items; /* on the heap */
    size_t count;
    size_t capacity;
    /* Entries that are plain numbers, with space for all entries; NULL before the first. */
    struct ct_value *numbers;
    uint32_t *number_at;
    size_t number_count;
    bool in_run; /* the last entry was a number: a number of its kind joins it */
};

/* More digits than these are left to the lexer, which checks the range. */
enum { INT_DIGITS = 18, REAL_DIGITS = 15 };

/* Digits of a real after its point: both are exact as doubles, so their quotient is the nearest
 * double (Clinger 1990, "How to read floating point numbers accurately"). */
static double scaled(uint64_t digits, size_t behind_point)
{
    static const double powers[REAL_DIGITS + 1] = {1,    1e1,  1e2,  1e3, 1e4,  1e5,
                                                   1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15};

    return (double)digits / powers[behind_point];
}

/* Adds the digits from text[at] on to a number; returns the position after them. */
static size_t read_digits(const char *text, size_t at, size_t end, uint64_t *number)
{
    for (; at < end && text[at] >= '0' && text[at] <= '9'; at++)
        *number = *number * 10 + (uint64_t)(text[at] - '0');
    return at;
}

/* Takes an entry that is only a number; returns the position after it (a comma's or `end`), or 0
 * if it is something else, or a number that the lexer must read or reject. */
static size_t read_number(const struct ct_text *text, size_t at, size_t end,
                          struct ct_value *out, size_t *begin)
{
    const char *s = text->text;
    uint64_t number = 0; /* wraps if there are too many digits */
    size_t behind = 0;   /* digits after the point */
    size_t first;
    size_t digits;
    bool minus;

    while (at < end && is_blank(s[at]))
        at++;
    *begin = at;
    minus = at < end && s[at] == '-';
    first = at + minus;
    at = read_digits(s, first, end, &number);
    digits = at - first;
    if (!digits || digits > INT_DIGITS || (s[first] == '0' && digits > 1))
        return 0;
    if (at < end && s[at] == '.') {
        size_t point = at;

        at = read_digits(s, point + 1, end, &number);
        behind = at - point - 1;
        if (!behind || digits + behind > REAL_DIGITS)
            return 0;
        *out = ct_value_real(scaled(number, behind));
        if (minus)
            out->u.r = -out->u.r;
    } else {
        *out = ct_value_int(minus ? -(int64_t)number : (int64_t)number);
    }
    while (at < end && is_blank(s[at]))
        at++;
    return at == end || s[at] == ',' ? at : 0;
}

static struct ct_list_item *new_item(struct ct_spec_builder *b, struct list *list)
{
    if (ct_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
        return &list->items[list->count++];
    b->nomem = true;
    return NULL;
}

/* Space for as many numbers as the list can have from `begin` on. */
static bool reserve_numbers(struct ct_spec_builder *b, struct list *list, size_t begin)
{
    size_t count = 1;

    for (size_t i = begin; i < list->end; i++)
        count += list->text->text[i] == ',';
    list->numbers = ct_spec_alloc(b, count, sizeof(*list->numbers));
    list->number_at = ct_spec_alloc(b, count, sizeof(*list->number_at));
    return list->numbers && list->number_at;
}

/* Adds a number to the run of its kind, or begins one. */
static void add_number(struct ct_spec_builder *b, struct list *list,
                       struct ct_value value, size_t at)
{
    struct ct_list_item *item = list->in_run ? &list->items[list->count - 1] : NULL;

    if (!list->numbers && !reserve_numbers(b, list, at))
        return;
    if (!item || item->numbers[0].kind != value.kind) {
        item = new_item(b, list);
        if (!item)
            return;
        list->in_run = true;
        item->form = CT_ITEM_NUMBERS;
        item->place = ct_text_place(list->text, at);
        item->text = list->text;
        item->numbers = list->numbers + list->number_count;
        item->number_at = list->number_at + list->number_count;
    }
    list->numbers[list->number_count] = value;
    list->number_at[list->number_count++] = (uint32_t)at;
    item->number_count++;
}

static void compile_items(struct ct_spec_builder *b, struct list *list)
{
    const struct ct_text *text = list->text;

    for (size_t begin = 0; begin <= list->end && !b->nomem;) {
        struct ct_value value;
        size_t at;
        size_t stop = read_number(text, begin, list->end, &value, &at);

        if (stop) {
            add_number(b, list, value, at);
        } else {
            struct ct_list_item *item = new_item(b, list);

            list->in_run = false;
            stop = ct_expr_find_char(text, begin, list->end, ',');
            if (item)
                compile_item(b, text, begin, stop, item);
        }
        begin = stop + 1;
    }
}

/* Reports a list in brackets. */
static bool in_brackets(struct ct_spec_builder *b, const struct ct_text *text, size_t end)
{
    size_t begin = 0;

    ct_expr_trim(text, &begin, &end);
    if (begin == end || !strchr("[{(", text->text[begin]) ||
        !strchr("]})", text->text[end - 1]))
        return false;
    /* `(2 * n)` is one value, and `(1), (2)` are two. */
    if (text->text[begin] == '(' &&
        (ct_expr_find_outside(text, begin, end) < end ||
         ct_expr_find_char(text, begin + 1, end - 1, ',') == end - 1))
        return false;
    CT_SPEC_COMPLAIN(b, ct_text_place(text, begin),
                     "a list is written without brackets: 16, 32, 64");
    return true;
}

bool ct_spec_cut_replaces(const struct ct_text *text, size_t *end)
{
    static const char word[] = "replaces";
    size_t begin = 0;
    size_t stop = *end;
    size_t at;

    ct_expr_trim(text, &begin, &stop);
    if (stop - begin <= strlen(word) ||
        memcmp(text->text + stop - strlen(word), word, strlen(word)) != 0)
        return false;
    at = stop - strlen(word);
    if (!strchr(" \t\n\r')", text->text[at - 1]))
        return false;
    stop = at;
    ct_expr_trim(text, &begin, &stop);
    /* After a comma it is a name like any other. */
    if (begin == stop || text->text[stop - 1] == ',')
        return false;
    *end = stop;
    return true;
}

void ct_spec_compile_list(struct ct_spec_builder *b, const struct ct_text *text,
                          struct ct_param *param, enum ct_kind *kind)
{
    struct list list = {.text = text, .end = text->length};
    struct ct_list_item *items;

    param->condition = ct_spec_compile_condition(b, text, 0, &list.end, CT_USE_CONFIG);
    param->replaces = ct_spec_cut_replaces(text, &list.end);
    if (!in_brackets(b, text, list.end))
        compile_items(b, &list);
    items = ct_spec_alloc(b, list.count, sizeof(*items));
    if (items && list.count)
        memcpy(items, list.items, list.count * sizeof(*items));
    if (items) {
        param->items = items;
        param->item_count = list.count;
        *kind = list_kind(b, items, list.count);
    }
    free(list.items);
}
