// SPDX-License-Identifier: Apache-2.0
// What `#pragma virtual` lines say: how long a launch lasts and which faults it has.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, MILLION = 1000000 };

#define LIMIT_NS 1000000000000000 // a fortnight: keeps all sums in range

struct words {
    const char *data[WORDS];
    size_t length[WORDS];
    size_t count; // may exceed WORDS: too many
};

// What is being worked out for one kernel.
struct state {
    struct vcl_module *module;
    struct vcl_signature *kernel;
    int64_t time_ns;
    bool timed; // some directive was about time
};

static struct words split(const char *text)
{
    struct words words = {.count = 0};
    for (text = vcl_skip(text); *text; text = vcl_skip(text)) {
        size_t length = strcspn(text, " \t\r\v\f");
        if (words.count < WORDS) {
            words.data[words.count] = text;
            words.length[words.count] = length;
        }
        words.count++;
        text += length;
    }
    return words;
}

// A whole number of nanoseconds, negative ones where `sign` allows them.
static bool read_ns(const char *text, size_t length, bool sign, int64_t *value)
{
    size_t i = sign && length > 1 && *text == '-';
    int64_t sum = 0;
    if (i == length)
        return false;
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || sum > LIMIT_NS)
            return false;
        sum = sum * 10 + (text[i] - '0');
    }
    *value = *text == '-' ? -sum : sum;
    return sum <= LIMIT_NS;
}

// A decimal number of at most three digits and six decimals, in millionths.
static bool read_factor(const char *text, size_t length, int64_t *millionths)
{
    int64_t sum = 0, unit = MILLION;
    bool point = false;
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || (point ? unit == 1 : digits == 3))
            return false;
        digits++;
        unit = point ? unit / 10 : unit;
        sum = sum * 10 + (text[i] - '0');
    }
    *millionths = sum * unit;
    return digits > 0;
}

// Whether the macro's text, itself expanded, equals the word.
static bool macro_is(const struct vcl_module *module, const struct words *words)
{
    const struct vcl_macro *macro =
        vcl_macro_find(&module->macros, words->data[1], words->length[1]);
    if (!macro || macro->parameters)
        return false;
    struct vcl_text text = {0};
    vcl_macro_expand(&module->macros, words->data[1], words->length[1], &text);
    vcl_text_trim(&text);
    bool same = vcl_is(words->data[2], words->length[2], vcl_text_get(&text));
    vcl_text_free(&text);
    return same;
}

static bool set_base(struct state *state, const struct words *words)
{
    int64_t value;
    if (!read_ns(words->data[1], words->length[1], false, &value))
        return false;
    state->time_ns = value;
    state->timed = true;
    return true;
}

static bool set_item(struct state *state, const struct words *words)
{
    int64_t value;
    if (!read_ns(words->data[1], words->length[1], false, &value))
        return false;
    state->kernel->item_ns = (cl_ulong)value;
    return true;
}

static bool add(struct state *state, const struct words *words)
{
    int64_t value;
    if (!read_ns(words->data[3], words->length[3], true, &value))
        return false;
    if (macro_is(state->module, words))
        state->time_ns += value;
    if (state->time_ns < 0)
        state->time_ns = 0;
    if (state->time_ns > LIMIT_NS)
        state->time_ns = LIMIT_NS;
    state->timed = true;
    return true;
}

static bool multiply(struct state *state, const struct words *words)
{
    int64_t millionths;
    if (!read_factor(words->data[3], words->length[3], &millionths))
        return false;
    if (macro_is(state->module, words)) {
        int64_t whole = state->time_ns / MILLION, rest = state->time_ns % MILLION;
        state->time_ns = whole * millionths + rest * millionths / MILLION;
    }
    if (state->time_ns > LIMIT_NS)
        state->time_ns = LIMIT_NS;
    state->timed = true;
    return true;
}

static bool add_fault(struct state *state, const struct words *words)
{
    cl_ulong bit = vcl_fault_bit(words->data[3], words->length[3]);
    if (bit && macro_is(state->module, words))
        state->kernel->faults |= bit;
    return bit != 0;
}

// The directives; `kernel` is the one that decides whether the others apply.
static const struct {
    const char *name;
    size_t words;
    bool (*apply)(struct state *state, const struct words *words);
    const char *form;
} forms[] = {
    {"base", 2, set_base, "base NANOSECONDS"},
    {"item", 2, set_item, "item NANOSECONDS"},
    {"factor", 4, multiply, "factor NAME VALUE FACTOR"},
    {"add", 4, add, "add NAME VALUE NANOSECONDS"},
    {"fault", 4, add_fault, "fault NAME VALUE KIND"},
    {"kernel", 2, NULL, "kernel NAME, or kernel *"},
};

// Applies all directives to one kernel, in the order of the source.
static void apply_all(struct state *state)
{
    bool mine = true;
    for (size_t i = 0; i < state->module->directive_count; i++) {
        const struct vcl_directive *line = &state->module->directives[i];
        struct words words = split(line->text);
        size_t form = 0, forms_count = sizeof forms / sizeof *forms;
        while (form < forms_count &&
               !(words.count > 0 &&
                 vcl_is(words.data[0], words.length[0], forms[form].name)))
            form++;
        if (form == forms_count) {
            vcl_error(state->module, line->line, "unknown directive #pragma virtual %s",
                      line->text);
        } else if (words.count != forms[form].words) {
            vcl_error(state->module, line->line, "expected #pragma virtual %s",
                      forms[form].form);
        } else if (!forms[form].apply) {
            mine = vcl_is(words.data[1], words.length[1], "*") ||
                   vcl_is(words.data[1], words.length[1], state->kernel->name);
        } else if (mine && !forms[form].apply(state, &words)) {
            vcl_error(state->module, line->line, "bad value in #pragma virtual %s",
                      line->text);
        }
    }
}

static int by_name(const void *left, const void *right)
{
    const struct vcl_macro *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

// 100000 + 100 * (FNV-1a of the sorted `NAME=value;` of all -D macros, modulo 1000).
cl_ulong vcl_default_time_ns(const struct vcl_macros *macros)
{
    const struct vcl_macro **sorted = vcl_allocate(macros->count, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < macros->count; i++)
        if (macros->items[i].option)
            sorted[count++] = &macros->items[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    struct vcl_text text = {0};
    for (size_t i = 0; i < count; i++)
        vcl_text_print(&text, "%s=%s;", sorted[i]->name, sorted[i]->text);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 1099511628211u;
    vcl_text_free(&text);
    free(sorted);
    return 100000 + hash % 1000 * 100;
}

void vcl_directives_apply(struct vcl_module *module, cl_ulong divisor)
{
    for (size_t i = 0; i < module->count; i++) {
        struct state state = {.module = module, .kernel = &module->signatures[i]};
        state.time_ns = 100000;
        apply_all(&state);
        if (!state.timed)
            state.time_ns = (int64_t)module->default_time_ns;
        state.kernel->time_ns = (cl_ulong)state.time_ns;
        module->faults |= state.kernel->faults;
        vcl_text_print(&module->log, "virtual: note: kernel %s: %zu arguments, %llu ns\n",
                       state.kernel->name, state.kernel->count,
                       (unsigned long long)(state.kernel->time_ns / divisor));
        if (module->failed)
            return;
    }
}
