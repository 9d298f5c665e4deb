// SPDX-License-Identifier: Apache-2.0
// What `#pragma virtual` lines say: how long a launch lasts and which faults it has.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 5, MILLION = 1000000 };

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
    bool timed;          // some directive was about time
    const char *problem; // a static text, should the directive not be understood
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

bool vcl_read_whole(const char *text, size_t length, bool sign, int64_t *value)
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

bool vcl_read_millionths(const char *text, size_t length, int64_t *millionths)
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

// Whether the macro's text, itself expanded, equals the word; `* *` always does.
static bool macro_is(const struct vcl_module *module, const struct words *words)
{
    if (vcl_is(words->data[1], words->length[1], "*") &&
        vcl_is(words->data[2], words->length[2], "*"))
        return true;
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
    if (!vcl_read_whole(words->data[1], words->length[1], false, &value))
        return false;
    state->time_ns = value;
    state->timed = true;
    return true;
}

static bool set_item(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[1], words->length[1], false, &value))
        return false;
    state->kernel->item_ns = (cl_ulong)value;
    return true;
}

static bool add(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[3], words->length[3], true, &value))
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
    if (!vcl_read_millionths(words->data[3], words->length[3], &millionths))
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
    struct vcl_signature *kernel = state->kernel;
    struct vcl_fault fault = {0};
    const char *problem = "bad value";
    bool good = vcl_fault_read(words->data[3], words->length[3], &fault);
    if (good && words->count > 4) {
        bool building =
            vcl_fault_is_at(&fault, VCL_AT_BUILD) || vcl_fault_is_at(&fault, VCL_AT_LOAD);
        good = vcl_condition_read(words->data[4], words->length[4], &fault, &problem);
        // Builds have no number: such a fault would never happen.
        good = good && !(building && fault.when >= VCL_EVERY);
    }
    state->problem = problem;
    if (good && macro_is(state->module, words)) {
        kernel->faults =
            vcl_grow(kernel->faults, kernel->fault_count, sizeof *kernel->faults);
        kernel->faults[kernel->fault_count++] = fault;
    }
    return good;
}

// Compiling a program takes as long as its slowest kernel says.
static bool set_build(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[1], words->length[1], false, &value))
        return false;
    if ((cl_ulong)value > state->module->build_ns)
        state->module->build_ns = (cl_ulong)value;
    return true;
}

static bool set_load(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[1], words->length[1], false, &value))
        return false;
    if ((cl_ulong)value > state->module->load_ns)
        state->module->load_ns = (cl_ulong)value;
    return true;
}

static bool set_first(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[1], words->length[1], false, &value))
        return false;
    state->kernel->first_ns = (cl_ulong)value;
    return true;
}

static bool set_group(struct state *state, const struct words *words)
{
    int64_t value;
    if (!vcl_read_whole(words->data[3], words->length[3], false, &value) || value < 1)
        return false;
    if (macro_is(state->module, words))
        state->kernel->group_limit = (size_t)value;
    return true;
}

static bool set_drifts(struct state *state, const struct words *words)
{
    state->kernel->steady = !macro_is(state->module, words);
    return true;
}

// The directives; `kernel` is the one that decides whether the others apply.
static const struct {
    const char *name;
    size_t words, most; // how many
    bool (*apply)(struct state *state, const struct words *words);
    const char *form;
} forms[] = {
    {"base", 2, 2, set_base, "base NANOSECONDS"},
    {"item", 2, 2, set_item, "item NANOSECONDS"},
    {"factor", 4, 4, multiply, "factor NAME VALUE FACTOR"},
    {"add", 4, 4, add, "add NAME VALUE NANOSECONDS"},
    {"fault", 4, 5, add_fault, "fault NAME VALUE KIND[:NUMBER] [CONDITION]"},
    {"build_time", 2, 2, set_build, "build_time NANOSECONDS"},
    {"load_time", 2, 2, set_load, "load_time NANOSECONDS"},
    {"first_time", 2, 2, set_first, "first_time NANOSECONDS"},
    {"group", 4, 4, set_group, "group NAME VALUE ITEMS"},
    {"drifts", 3, 3, set_drifts, "drifts NAME VALUE"},
    {"kernel", 2, 2, NULL, "kernel NAME, or kernel *"},
};

// Applies all directives to one kernel, in the order of the source.
static void apply_all(struct state *state)
{
    bool mine = true;
    state->problem = "bad value";
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
        } else if (words.count < forms[form].words || words.count > forms[form].most) {
            vcl_error(state->module, line->line, "expected #pragma virtual %s",
                      forms[form].form);
        } else if (!forms[form].apply) {
            mine = vcl_is(words.data[1], words.length[1], "*") ||
                   vcl_is(words.data[1], words.length[1], state->kernel->name);
        } else if (mine && !forms[form].apply(state, &words)) {
            vcl_error(state->module, line->line, "%s in #pragma virtual %s",
                      state->problem, line->text);
        }
        state->problem = "bad value";
    }
}

static int by_name(const void *left, const void *right)
{
    const struct vcl_macro *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

struct vcl_text vcl_options_text(const struct vcl_macros *macros)
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
    free(sorted);
    return text;
}

// 100000 + 100 * (FNV-1a of those, modulo 1000).
cl_ulong vcl_default_time_ns(const struct vcl_macros *macros)
{
    struct vcl_text text = vcl_options_text(macros);
    uint64_t hash = vcl_hash(VCL_HASH, vcl_text_get(&text), text.length);
    vcl_text_free(&text);
    return 100000 + hash % 1000 * 100;
}

void vcl_directives_apply(struct vcl_module *module, cl_device_id device)
{
    for (size_t i = 0; i < module->count; i++) {
        struct state state = {.module = module, .kernel = &module->signatures[i]};
        state.time_ns = 100000;
        apply_all(&state);
        if (!state.timed)
            state.time_ns = (int64_t)module->default_time_ns;
        state.kernel->time_ns = (cl_ulong)state.time_ns;
        vcl_text_print(
            &module->log, "virtual: note: kernel %s: %zu arguments, %llu ns\n",
            state.kernel->name, state.kernel->count,
            (unsigned long long)vcl_device_time(device, state.kernel->time_ns));
        if (module->failed)
            return;
    }
}
