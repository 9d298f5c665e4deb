// SPDX-License-Identifier: Apache-2.0
// Lists of values: compiling them.
#include "spec/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* --- compiling --- */

/* Whether text[begin, end) is `name(...)` as a whole; *open is set to the parenthesis. */
static bool is_call(const struct ct_text *text, size_t begin, size_t end,
                    const char *name, size_t *open)
{
    size_t length = strlen(name);
    size_t at = begin + length;

    if (end - begin <= length || memcmp(text->text + begin, name, length) != 0)
        return false;
    while (at < end && text->text[at] == ' ')
        at++;
    if (at == end || text->text[at] != '(')
        return false;
    *open = at;
    return text->text[end - 1] == ')' && ct_expr_find_outside(text, at, end) == end;
}

static const struct ct_expr *number(struct ct_spec_builder *b, const struct ct_text *text,
                                    size_t begin, size_t end, bool integer,
                                    const char *what)
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
    item->a = number(b, text, open + 1, comma, true, "the argument");
    if (two)
        item->b = number(b, text, comma + 1, end - 1, true, "the argument");
}

static void compile_range(struct ct_spec_builder *b, const struct ct_text *text,
                          size_t begin, size_t dots, size_t end,
                          struct ct_list_item *item)
{
    size_t step = ct_expr_find_word(text, dots, end, "step");

    item->form = CT_ITEM_RANGE;
    item->a = number(b, text, begin, dots, false, "the start of a range");
    item->b = number(b, text, dots + 2, step, false, "the end of a range");
    if (step < end)
        item->step = number(b, text, step + 4, end, false, "the step of a range");
}

static enum ct_kind item_kind(const struct ct_list_item *item)
{
    const struct ct_expr *parts[] = {item->a, item->b, item->step};
    enum ct_kind kind = CT_INT;

    if (item->form == CT_ITEM_VALUE)
        return item->a ? item->a->kind : CT_NONE;
    for (size_t i = 0; i < 3; i++)
        if (parts[i] && parts[i]->kind != CT_INT && kind != CT_NONE)
            kind = parts[i]->kind == CT_REAL ? CT_REAL : CT_NONE;
    return kind;
}

static void compile_item(struct ct_spec_builder *b, const struct ct_text *text,
                         size_t begin, size_t end, struct ct_list_item *item)
{
    size_t dots;
    size_t open;

    ct_expr_trim(text, &begin, &end);
    item->place = text->places[begin];
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
            CT_SPEC_COMPLAIN(b, items[i].place,
                             "text and numbers cannot be values of one parameter");
            return CT_NONE;
        }
        if (other != kind)
            kind = CT_NONE;
    }
    return kind;
}

/* A list while it is read; both arrays are on the heap. */
struct list {
    struct ct_list_item *items;
    size_t count;
    size_t capacity;
    struct ct_list_integer *integers; /* the run that is being gathered */
    size_t integer_count;
    size_t integer_capacity;
};

/* Takes an entry that is nothing but an integer; returns the position after it (a comma's
 * or `end`), or 0 when it is something else. */
static size_t read_integer(const struct ct_text *text, size_t at, size_t end,
                           struct ct_list_integer *out)
{
    int64_t value = 0;
    size_t first;
    bool minus;

    while (at < end && text->text[at] == ' ')
        at++;
    out->place = text->places[at];
    minus = at < end && text->text[at] == '-';
    at += minus;
    for (first = at; at < end && text->text[at] >= '0' && text->text[at] <= '9'; at++)
        if (at - first < 18)
            value = value * 10 + (text->text[at] - '0');
    /* What is longer or begins with a zero is left to those who can say what is wrong. */
    if (at == first || at - first > 18 || (text->text[first] == '0' && at - first > 1))
        return 0;
    while (at < end && text->text[at] == ' ')
        at++;
    out->value = minus ? -value : value;
    return at == end || text->text[at] == ',' ? at : 0;
}

static struct ct_list_item *new_item(struct ct_spec_builder *b, struct list *list)
{
    if (ct_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
        return &list->items[list->count++];
    b->nomem = true;
    return NULL;
}

/* Makes an item of the run of integers. */
static void end_run(struct ct_spec_builder *b, struct list *list)
{
    size_t size = list->integer_count * sizeof(*list->integers);
    struct ct_list_integer *kept;
    struct ct_list_item *item;

    if (!list->integer_count)
        return;
    kept = ct_spec_alloc(b, list->integer_count, sizeof(*kept));
    item = kept ? new_item(b, list) : NULL;
    if (!item)
        return;
    memcpy(kept, list->integers, size);
    item->form = CT_ITEM_INTEGERS;
    item->place = kept[0].place;
    item->integers = kept;
    item->integer_count = list->integer_count;
    list->integer_count = 0;
}

static void compile_items(struct ct_spec_builder *b, const struct ct_text *text,
                          size_t end, struct list *list)
{
    for (size_t begin = 0; begin <= end && !b->nomem;) {
        struct ct_list_integer integer;
        size_t stop = read_integer(text, begin, end, &integer);
        struct ct_list_item *item;

        if (stop) {
            if (ct_mem_grow(&list->integers, &list->integer_capacity,
                            list->integer_count + 1, sizeof(integer)))
                list->integers[list->integer_count++] = integer;
            else
                b->nomem = true;
        } else {
            stop = ct_expr_find_char(text, begin, end, ',');
            end_run(b, list);
            item = new_item(b, list);
            if (item)
                compile_item(b, text, begin, stop, item);
        }
        begin = stop + 1;
    }
    end_run(b, list);
}

void ct_spec_compile_list(struct ct_spec_builder *b, const struct ct_text *text,
                          struct ct_param *param, enum ct_kind *kind)
{
    struct list list = {0};
    struct ct_list_item *items;
    size_t end = text->length;

    param->condition = ct_spec_compile_condition(b, text, 0, &end, CT_USE_CONFIG);
    compile_items(b, text, end, &list);
    items = ct_spec_alloc(b, list.count, sizeof(*items));
    if (items && list.count)
        memcpy(items, list.items, list.count * sizeof(*items));
    if (items) {
        param->items = items;
        param->item_count = list.count;
        *kind = list_kind(b, items, list.count);
    }
    free(list.items);
    free(list.integers);
}
