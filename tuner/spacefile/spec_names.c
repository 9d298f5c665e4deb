// SPDX-License-Identifier: Apache-2.0
// The common namespace of a space file: collects names, orders and compiles their definitions.
#include "spacefile/spec_impl.h"

#include "base/quantity.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernel_facts[] = {
    "KERNEL_WORK_GROUP_SIZE",
    "KERNEL_LOCAL_MEM_SIZE",
    "KERNEL_PRIVATE_MEM_SIZE",
    "KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
};
enum { KERNEL_FACT_COUNT = sizeof(kernel_facts) / sizeof(kernel_facts[0]) };

static const struct {
    const char *kind;
    enum ct_symbol_class class;
} symbol_sections[] = {
    {"problem", CT_SYM_PROBLEM},
    {"let", CT_SYM_LET},
    {"param", CT_SYM_PARAM},
    {"derive", CT_SYM_DERIVED},
};
enum { SYMBOL_SECTION_COUNT = sizeof(symbol_sections) / sizeof(symbol_sections[0]) };

static struct ct_symbol *add_reserved(struct ct_spec *spec, const char *name,
                                      enum ct_symbol_class class, enum ct_kind kind)
{
    struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.count++];

    symbol->name = name;
    symbol->class = class;
    symbol->kind = kind;
    return symbol;
}

/* Reserved words; NULL if `name` is not reserved. */
static const char *why_reserved(const char *name)
{
    static const char *const words[] = {"on",   "off",  "true",     "false",  "if",
                                        "step", "pow2", "divisors", "time_ns"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(name, words[i]) == 0)
            return "is a reserved word";
    for (size_t i = 0; i < ct_expr_function_count; i++)
        if (strcmp(name, ct_expr_functions[i].name) == 0)
            return "is the name of a function";
    if (strcmp(name, ct_devprops[CT_DEVICE_DRIVER_VERSION].name) == 0)
        return "is a property of the device";
    if (ct_str_starts(name, "DEVICE_") || ct_str_starts(name, "KERNEL_"))
        return "begins like a limit of devices and kernels";
    return NULL;
}

bool ct_spec_is_reserved(const char *name)
{
    return why_reserved(name) != NULL;
}

/* The clash is reported at the later of two definitions. */
static void check_neighbours(struct ct_spec_builder *b, const struct ct_symbol *first,
                             const struct ct_symbol *second)
{
    if (second->place.line)
        CT_SPEC_COMPLAIN(b, second->place,
                         "'%s' is defined twice; the first is in line %d", second->name,
                         first->place.line);
}

struct sorted {
    const char *name;
    int slot;
};

static int by_name(const void *a, const void *b)
{
    const struct sorted *left = a;
    const struct sorted *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* Sorts the names for look-up and reports duplicates. */
static void sort_names(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t count = spec->slots.count;
    struct sorted *sorted = ct_spec_alloc(b, count, sizeof(*sorted));
    int *order = ct_spec_alloc(b, count, sizeof(*order));
    size_t kept = 0;

    if (!sorted || !order)
        return;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted){spec->slots.symbols[i].name, (int)i};
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept &&
            strcmp(sorted[i].name, spec->slots.symbols[order[kept - 1]].name) == 0) {
            const struct ct_symbol *first = &spec->slots.symbols[order[kept - 1]];

            if (first->place.line) /* a clash with a reserved name has been reported */
                check_neighbours(b, first, &spec->slots.symbols[sorted[i].slot]);
        }
        order[kept++] = sorted[i].slot;
    }
    spec->slots.by_name = order;
}

static char lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Names that a file may redefine. */
static bool gives_way(const struct ct_symbol *symbol)
{
    return symbol->class == CT_SYM_RESULT && strcmp(symbol->name, "time_ns") != 0;
}

/* Warns of names that differ only in case. */
static void check_case(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t count = spec->slots.count;
    struct sorted *sorted = ct_spec_alloc(b, count, sizeof(*sorted));

    if (!sorted)
        return;
    for (size_t i = 0; i < count; i++) {
        char *copy = ct_spec_copy(b, spec->slots.symbols[i].name,
                                  strlen(spec->slots.symbols[i].name));

        if (!copy)
            return;
        for (char *c = copy; *c; c++)
            *c = lower_letter(*c);
        sorted[i] = (struct sorted){copy, (int)i};
    }
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 1; i < count; i++) {
        const struct ct_symbol *one = &spec->slots.symbols[sorted[i - 1].slot];
        const struct ct_symbol *two = &spec->slots.symbols[sorted[i].slot];

        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0 &&
            strcmp(one->name, two->name) != 0 && two->place.line && !gives_way(one))
            CT_SPEC_WARN(b, two->place, "'%s' differs from '%s' only in case", two->name,
                         one->name);
    }
}

/* Whether the file defines this name itself. */
static bool defined(const struct ct_spec_builder *b, const char *name)
{
    const struct ct_reader_section *section;

    for (size_t i = 0; i < SYMBOL_SECTION_COUNT; i++) {
        size_t index = 0;

        while ((section = ct_spec_next(b, symbol_sections[i].kind, &index)))
            for (size_t j = 0; j < section->entry_count; j++)
                if (strcmp(section->entries[j].key, name) == 0)
                    return true;
    }
    for (size_t index = 0; (section = ct_spec_next(b, "read", &index));)
        for (size_t j = 0; j < section->entry_count; j++)
            if (strcmp(section->entries[j].key, name) == 0)
                return true;
    for (size_t index = 0; (section = ct_spec_next(b, "loop", &index));)
        if (section->name && strcmp(section->name, name) == 0)
            return true;
    return false;
}

/* Observed quantities.  Except for the time, the file's own names take precedence: quantities may
 * be added later, and files with such a name must stay valid. */
static void add_quantities(struct ct_spec_builder *b)
{
    for (int i = 0; i < CT_QUANTITY_COUNT; i++) {
        const char *name = ct_quantity_info_of((enum ct_quantity)i)->name;

        if (i == CT_QUANTITY_TIME_NS || !defined(b, name))
            add_reserved(b->spec, name, CT_SYM_RESULT, CT_REAL)->quantity =
                (enum ct_quantity)i;
    }
}

static void add_symbol(struct ct_spec_builder *b, const struct ct_reader_entry *entry,
                       enum ct_symbol_class class)
{
    struct ct_spec *spec = b->spec;
    size_t slot = spec->slots.count++;
    struct ct_symbol *symbol = &spec->slots.symbols[slot];
    const char *why = why_reserved(entry->key);

    symbol->name = entry->key;
    symbol->class = class;
    symbol->place = entry->place;
    symbol->per_config = class == CT_SYM_PARAM;
    b->definitions[slot].entry = entry;
    if (why)
        CT_SPEC_COMPLAIN(b, entry->place, "'%s' %s; choose another name", entry->key,
                         why);
    if (class == CT_SYM_PARAM) {
        spec->params[spec->param_count].slot = (int)slot;
        spec->params[spec->param_count++].place = entry->place;
    }
}

/* The number of a loop's pass is a name, too. */
static void add_loops(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    const struct ct_reader_section *section;
    size_t index = 0;

    while ((section = ct_spec_next(b, "loop", &index))) {
        struct ct_symbol *symbol = &spec->slots.symbols[spec->slots.count++];
        const char *why = why_reserved(section->name);

        symbol->name = section->name;
        symbol->class = CT_SYM_LOOP;
        symbol->kind = CT_INT;
        symbol->place = section->name_place;
        symbol->per_config = true;
        if (why)
            CT_SPEC_COMPLAIN(b, section->name_place, "'%s' %s; choose another name",
                             section->name, why);
    }
}

/* Numbers that [read] finds are results; its times are not names. */
static void add_reads(struct ct_spec_builder *b)
{
    const struct ct_reader_section *section;
    int count = 0;
    size_t index = 0;

    while ((section = ct_spec_next(b, "read", &index)))
        for (size_t i = 0; i < section->entry_count; i++) {
            const struct ct_reader_entry *entry = &section->entries[i];
            const char *why = why_reserved(entry->key);
            struct ct_symbol *symbol;

            if (ct_spec_time_unit(entry->key) > 0)
                continue;
            if (count++ == CT_SPEC_READS_MOST)
                CT_SPEC_COMPLAIN(b, entry->place,
                                 "[read] can have at most %d numbers besides times",
                                 CT_SPEC_READS_MOST);
            if (why)
                CT_SPEC_COMPLAIN(b, entry->place, "'%s' %s; choose another name",
                                 entry->key, why);
            symbol = add_reserved(b->spec, entry->key, CT_SYM_RESULT, CT_REAL);
            symbol->place = entry->place;
            symbol->quantity =
                (enum ct_quantity)(CT_QUANTITY_READ_1 + (count - 1) % CT_SPEC_READS_MOST);
        }
}

void ct_spec_collect(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    size_t room = CT_DEVPROP_COUNT + KERNEL_FACT_COUNT + CT_QUANTITY_COUNT;
    size_t derived = ct_spec_count_entries(b, "derive");
    int *derived_slots = ct_spec_alloc(b, derived, sizeof(int));

    for (size_t i = 0; i < SYMBOL_SECTION_COUNT; i++)
        room += ct_spec_count_entries(b, symbol_sections[i].kind);
    room += b->file->section_count; /* loops */
    room += ct_spec_count_entries(b, "read");
    spec->slots.symbols = ct_spec_alloc(b, room, sizeof(*spec->slots.symbols));
    b->definitions = ct_spec_alloc(b, room, sizeof(*b->definitions));
    spec->params =
        ct_spec_alloc(b, ct_spec_count_entries(b, "param"), sizeof(*spec->params));
    if (b->nomem)
        return;
    for (size_t i = 0; i < CT_DEVPROP_COUNT; i++)
        add_reserved(spec, ct_devprops[i].name, CT_SYM_DEVICE, ct_devprops[i].kind);
    for (size_t i = 0; i < KERNEL_FACT_COUNT; i++)
        add_reserved(spec, kernel_facts[i], CT_SYM_KERNEL, CT_INT);
    add_quantities(b);
    spec->slots.derived = derived_slots;
    for (size_t i = 0; i < SYMBOL_SECTION_COUNT; i++) {
        const struct ct_reader_section *section;
        size_t index = 0;

        while ((section = ct_spec_next(b, symbol_sections[i].kind, &index)))
            for (size_t j = 0; j < section->entry_count; j++) {
                if (symbol_sections[i].class == CT_SYM_DERIVED)
                    derived_slots[spec->slots.derived_count++] = (int)spec->slots.count;
                add_symbol(b, &section->entries[j], symbol_sections[i].class);
            }
    }
    add_loops(b);
    add_reads(b);
    sort_names(b);
    check_case(b);
}

/* --- order --- */

/* The uses of each definition, as slots: those of slot s are uses[first[s]] up to uses[first[s +
 * 1]]. */
struct graph {
    const struct ct_spec *spec;
    int *uses;
    size_t count;
    size_t capacity;
    size_t *first;
    bool nomem;
};

static void add_use(void *context, const char *name, size_t length)
{
    struct graph *graph = context;
    char word[256];
    int slot;

    if (length >= sizeof(word))
        return;
    memcpy(word, name, length);
    word[length] = '\0';
    slot = ct_spec_find(graph->spec, word);
    /* Reserved names and the numbers of passes have no uses. */
    if (slot < 0 || !graph->spec->slots.symbols[slot].place.line ||
        graph->spec->slots.symbols[slot].class == CT_SYM_LOOP ||
        graph->spec->slots.symbols[slot].class == CT_SYM_RESULT)
        return;
    if (!ct_mem_grow(&graph->uses, &graph->capacity, graph->count + 1, sizeof(int))) {
        graph->nomem = true;
        return;
    }
    graph->uses[graph->count++] = slot;
}

static void find_uses(struct ct_spec_builder *b, struct graph *graph)
{
    size_t count = b->spec->slots.count;

    graph->first = ct_spec_alloc(b, count + 1, sizeof(*graph->first));
    if (!graph->first)
        return;
    for (size_t slot = 0; slot < count; slot++) {
        const struct ct_reader_entry *entry = b->definitions[slot].entry;

        graph->first[slot] = graph->count;
        if (entry && !entry->broken)
            ct_expr_each_name(&entry->value, 0, entry->value.length, add_use, graph);
    }
    graph->first[count] = graph->count;
}

/* Reports the cycle that closes when `path` ends in a name that it already contains. */
static void report_cycle(struct ct_spec_builder *b, const int *path, size_t length,
                         int again)
{
    const struct ct_symbol *symbols = b->spec->slots.symbols;
    struct ct_str text;
    size_t from = length;

    ct_str_init(&text);
    while (from && path[from - 1] != again)
        from--;
    from = from ? from - 1 : 0;
    for (size_t i = from; i < length; i++) {
        b->definitions[path[i]].cyclic = true;
        if (i - from < 10)
            ct_str_addf(&text, "%s -> ", symbols[path[i]].name);
        else if (i - from == 10)
            ct_str_puts(&text, "... -> ");
    }
    ct_str_puts(&text, symbols[again].name);
    CT_SPEC_COMPLAIN(b, symbols[again].place, "'%s' depends on itself: %s",
                     symbols[again].name, text.data);
    b->nomem = b->nomem || text.failed;
    ct_str_release(&text);
}

/* Depth-first search with its own stack: what a name uses comes before it.  Returns how many
 * slots were written to `order`. */
static size_t sort_uses(struct ct_spec_builder *b, const struct graph *graph, int *order)
{
    enum { NEW, OPEN, DONE };
    size_t count = b->spec->slots.count;
    unsigned char *state = ct_spec_alloc(b, count, 1);
    int *path = ct_spec_alloc(b, count, sizeof(int));
    size_t *next = ct_spec_alloc(b, count, sizeof(size_t));
    size_t done = 0;

    if (!state || !path || !next)
        return 0;
    for (size_t start = 0; start < count; start++) {
        size_t depth = 0;

        if (state[start] != NEW || !b->definitions[start].entry)
            continue;
        path[depth++] = (int)start;
        state[start] = OPEN;
        next[start] = graph->first[start];
        while (depth) {
            int slot = path[depth - 1];

            if (!graph->uses || next[slot] == graph->first[slot + 1]) {
                state[slot] = DONE;
                order[done++] = slot;
                depth--;
            } else {
                int used = graph->uses[next[slot]++];

                if (state[used] == OPEN) {
                    if (!b->definitions[used].cyclic)
                        report_cycle(b, path, depth, used);
                } else if (state[used] == NEW) {
                    state[used] = OPEN;
                    next[used] = graph->first[used];
                    path[depth++] = used;
                }
            }
        }
    }
    return done;
}

/* --- compiling --- */

static bool depends(const struct ct_spec *spec, const struct ct_expr *expr)
{
    for (size_t i = 0; expr && i < expr->slot_count; i++)
        if (spec->slots.symbols[expr->slots[i]].per_config)
            return true;
    return false;
}

static struct ct_param *param_of(struct ct_spec *spec, int slot)
{
    int index = ct_spec_param_at(spec, slot);

    return index >= 0 ? &spec->params[index] : NULL;
}

/* The loop whose pass a name of [let] depends on: it has a value only there. */
static void find_loop(struct ct_spec_builder *b, struct ct_symbol *symbol)
{
    const struct ct_symbol *symbols = b->spec->slots.symbols;

    for (size_t i = 0; symbol->expr && i < symbol->expr->slot_count; i++) {
        int slot = symbol->expr->slots[i];
        int loop = symbols[slot].class == CT_SYM_LOOP ? slot : symbols[slot].loop_slot;

        if (loop && symbol->loop_slot && loop != symbol->loop_slot) {
            CT_SPEC_COMPLAIN(
                b, symbol->place,
                "'%s' depends on the passes of two loops, '%s' and '%s', so it has no "
                "value in either",
                symbol->name, symbols[symbol->loop_slot].name, symbols[loop].name);
            return;
        }
        symbol->loop_slot = loop ? loop : symbol->loop_slot;
    }
}

static void compile_symbol(struct ct_spec_builder *b, int slot)
{
    struct ct_spec *spec = b->spec;
    struct ct_symbol *symbol = &spec->slots.symbols[slot];
    const struct ct_text *text = &b->definitions[slot].entry->value;

    switch (symbol->class) {
    case CT_SYM_PARAM:
        ct_spec_compile_list(b, text, param_of(spec, slot), &symbol->kind);
        return;
    case CT_SYM_PROBLEM:
        symbol->expr = ct_spec_compile(b, text, 0, text->length, CT_USE_PROBLEM);
        break;
    default:
        symbol->expr =
            ct_spec_compile(b, text, 0, text->length,
                            symbol->class == CT_SYM_LET ? CT_USE_LET : CT_USE_CONFIG);
        find_loop(b, symbol);
        break;
    }
    symbol->kind = symbol->expr ? symbol->expr->kind : CT_NONE;
    symbol->per_config = depends(spec, symbol->expr);
}

void ct_spec_compile_symbols(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    struct graph graph = {.spec = spec};
    int *order = ct_spec_alloc(b, spec->slots.count, sizeof(int));
    size_t count = 0;

    if (order && spec->slots.by_name)
        find_uses(b, &graph);
    if (graph.first && !graph.nomem)
        count = sort_uses(b, &graph, order);
    b->nomem = b->nomem || graph.nomem;
    free(graph.uses);
    for (size_t i = 0; i < count; i++) {
        const struct ct_reader_entry *entry = b->definitions[order[i]].entry;

        if (!entry->broken && !b->definitions[order[i]].cyclic)
            compile_symbol(b, order[i]);
        if (spec->slots.symbols[order[i]].class != CT_SYM_PARAM)
            order[spec->slots.order_count++] = order[i];
    }
    spec->slots.order = order;
}
