// SPDX-License-Identifier: Apache-2.0
// Reads sections by the table of keys, with the checks that need nothing else.
#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

const struct ct_reader_section *ct_spec_next(const struct ct_spec_builder *b,
                                             const char *kind, size_t *index)
{
    for (; *index < b->file->section_count; ++*index)
        if (b->rules[*index] && strcmp(b->rules[*index]->kind, kind) == 0)
            return &b->file->sections[(*index)++];
    return NULL;
}

size_t ct_spec_count_entries(const struct ct_spec_builder *b, const char *kind)
{
    const struct ct_reader_section *section;
    size_t index = 0;
    size_t count = 0;

    while ((section = ct_spec_next(b, kind, &index)))
        count += section->entry_count;
    return count;
}

static const struct ct_spec_key_rule *find_key(const struct ct_spec_builder *b,
                                               const char *section, const char *key)
{
    for (size_t i = 0; i < b->key_count; i++)
        if (strcmp(b->keys[i].section, section) == 0 && strcmp(b->keys[i].key, key) == 0)
            return &b->keys[i];
    return NULL;
}

static void unknown_key(struct ct_spec_builder *b,
                        const struct ct_reader_section *section,
                        const struct ct_reader_entry *entry)
{
    const char *names[64];
    size_t count = 0;

    for (size_t i = 0; i < b->key_count && count < 64; i++)
        if (strcmp(b->keys[i].section, section->kind) == 0)
            names[count++] = b->keys[i].key;
    CT_SPEC_COMPLAIN(b, entry->place, "unknown key '%s' in [%s%s%s]%s", entry->key,
                     section->kind, section->name ? " " : "",
                     section->name ? section->name : "",
                     ct_spec_hint(b, entry->key, names, count));
}

static const struct ct_spec_section_rule *
find_section(struct ct_spec_builder *b, const struct ct_reader_section *section)
{
    const char *names[32];

    for (size_t i = 0; i < b->section_count; i++) {
        if (strcmp(b->sections[i].kind, section->kind) == 0)
            return &b->sections[i];
        names[i] = b->sections[i].kind;
    }
    if (!*section->kind)
        CT_SPEC_COMPLAIN(b, section->place,
                         "a section requires a kind: [kernel], [param], ...");
    else
        CT_SPEC_COMPLAIN(b, section->place, "unknown section [%s]%s", section->kind,
                         ct_spec_hint(b, section->kind, names, b->section_count));
    return NULL;
}

/* Whether the header is right for its kind. */
static bool check_header(struct ct_spec_builder *b,
                         const struct ct_reader_section *section,
                         const struct ct_spec_section_rule *rule)
{
    if (rule->named == CT_NAMED_NEVER && section->name) {
        CT_SPEC_COMPLAIN(b, section->name_place, "section [%s] does not take a name",
                         section->kind);
    } else if (rule->named == CT_NAMED_ALWAYS && !section->name) {
        CT_SPEC_COMPLAIN(b, section->place, "section [%s] requires a name: [%s NAME]",
                         section->kind, section->kind);
        return false;
    } else if (rule->named == CT_NAMED_ALWAYS &&
               !ct_expr_is_word(section->name, strlen(section->name))) {
        CT_SPEC_COMPLAIN(b, section->name_place,
                         "'%s' is not a valid name: use letters, digits and '_'",
                         section->name);
    }
    return true;
}

/* A section or an entry, for finding repetitions by sorting. */
struct named {
    const char *kind;
    const char *name;
    struct ct_place place;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    int order = strcmp(left->kind, right->kind);

    if (!order)
        order = strcmp(left->name, right->name);
    if (!order)
        order = left->index < right->index ? -1 : left->index > right->index;
    return order;
}

static void check_repeated_sections(struct ct_spec_builder *b)
{
    size_t count = b->file->section_count;
    struct named *all = ct_spec_alloc(b, count, sizeof(*all));

    if (!all)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct ct_reader_section *section = &b->file->sections[i];

        all[i] = (struct named){section->kind, section->name ? section->name : "",
                                section->place, i};
    }
    qsort(all, count, sizeof(*all), by_name);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(all[i].kind, all[i - 1].kind) != 0 ||
            strcmp(all[i].name, all[i - 1].name) != 0)
            continue;
        if (b->rules[all[i].index])
            CT_SPEC_COMPLAIN(
                b, all[i].place, "section [%s%s%s] is repeated; the first is in line %d",
                all[i].kind, *all[i].name ? " " : "", all[i].name, all[i - 1].place.line);
        all[i].place = all[i - 1].place; /* all refer to the first one */
    }
}

static void check_repeated_keys(struct ct_spec_builder *b,
                                const struct ct_reader_section *section)
{
    size_t count = section->entry_count;
    struct named *all = ct_spec_alloc(b, count, sizeof(*all));

    if (!all)
        return;
    for (size_t i = 0; i < count; i++)
        all[i] =
            (struct named){"", section->entries[i].key, section->entries[i].place, i};
    qsort(all, count, sizeof(*all), by_name);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(all[i].name, all[i - 1].name) != 0)
            continue;
        CT_SPEC_COMPLAIN(b, all[i].place, "key '%s' is repeated; the first is in line %d",
                         all[i].name, all[i - 1].place.line);
        all[i].place = all[i - 1].place;
    }
}

/* Names of the common namespace: repetition is checked there, for all sections together. */
static bool defines_symbols(const char *kind)
{
    return strcmp(kind, "problem") == 0 || strcmp(kind, "let") == 0 ||
           strcmp(kind, "param") == 0 || strcmp(kind, "derive") == 0;
}

static void check_free_keys(struct ct_spec_builder *b,
                            const struct ct_reader_section *section)
{
    bool any_text = strcmp(section->kind, "constraint") == 0;
    bool may_be_empty =
        strcmp(section->kind, "env") == 0 || strcmp(section->kind, "define") == 0;

    for (size_t i = 0; i < section->entry_count; i++) {
        struct ct_reader_entry *entry = &section->entries[i];

        if (!any_text && !entry->broken &&
            !ct_expr_is_word(entry->key, strlen(entry->key))) {
            CT_SPEC_COMPLAIN(b, entry->place,
                             "'%s' is not a valid name: use letters, digits and '_'",
                             entry->key);
            entry->broken = true;
        }
        if (!entry->value.length && !entry->broken && !may_be_empty) {
            CT_SPEC_COMPLAIN(
                b, ct_text_place(&entry->value, 0), "'%s' has no value%s", entry->key,
                strcmp(section->kind, "param") == 0 ? "; empty text is written ''" : "");
            entry->broken = true;
        }
    }
}

/* Whether an entry matches a rule's key, perhaps misspelt, which has been reported. */
static bool stands_for(const struct ct_spec_builder *b,
                       const struct ct_reader_section *section,
                       const struct ct_reader_entry *entry,
                       const struct ct_spec_key_rule *rule)
{
    return strcmp(entry->key, rule->key) == 0 ||
           (!find_key(b, section->kind, entry->key) &&
            ct_str_suggest(entry->key, &rule->key, 1));
}

static void check_table_keys(struct ct_spec_builder *b,
                             const struct ct_reader_section *section)
{
    for (size_t i = 0; i < section->entry_count; i++) {
        const struct ct_reader_entry *entry = &section->entries[i];

        if (!find_key(b, section->kind, entry->key))
            unknown_key(b, section, entry);
    }
    for (size_t i = 0; i < b->key_count; i++) {
        const struct ct_spec_key_rule *rule = &b->keys[i];
        bool missing = rule->required && strcmp(rule->section, section->kind) == 0;

        for (size_t j = 0; missing && j < section->entry_count; j++)
            missing = !stands_for(b, section, &section->entries[j], rule);
        if (missing)
            CT_SPEC_COMPLAIN(b, section->place, "[%s%s%s] requires the key '%s' (%s)",
                             section->kind, section->name ? " " : "",
                             section->name ? section->name : "", rule->key, rule->help);
    }
}

void ct_spec_check_sections(struct ct_spec_builder *b)
{
    b->rules = ct_spec_alloc(b, b->file->section_count, sizeof(b->rules[0]));
    if (!b->rules)
        return;
    for (size_t i = 0; i < b->file->section_count; i++) {
        const struct ct_reader_section *section = &b->file->sections[i];
        const struct ct_spec_section_rule *rule = find_section(b, section);

        if (!rule || !check_header(b, section, rule))
            continue;
        b->rules[i] = rule;
        if (rule->free_keys)
            check_free_keys(b, section);
        else
            check_table_keys(b, section);
        if (!defines_symbols(section->kind))
            check_repeated_keys(b, section);
    }
    check_repeated_sections(b);
}

/* A key that is indented by mistake continues the value above it; in an expression its `=` is an
 * error, in literal text only this finds it. */
static void check_swallowed(struct ct_spec_builder *b,
                            const struct ct_reader_section *section,
                            const struct ct_reader_entry *entry)
{
    const struct ct_text *value = &entry->value;

    for (size_t i = 1; i < value->length; i++) {
        size_t end = i;
        size_t sign;
        char word[64];

        if (ct_text_place(value, i).line == ct_text_place(value, i - 1).line)
            continue;
        while (end < value->length && end - i < sizeof(word) - 1 &&
               value->text[end] >= 'a' && value->text[end] <= 'z')
            end++;
        memcpy(word, value->text + i, end - i);
        word[end - i] = '\0';
        sign = end;
        while (sign < value->length &&
               (value->text[sign] == ' ' || value->text[sign] == '\t'))
            sign++;
        if (sign < value->length && value->text[sign] == '=' &&
            find_key(b, section->kind, word))
            CT_SPEC_COMPLAIN(
                b, ct_text_place(value, i),
                "'%s' is indented deeper than '%s', so it continues that value; indent "
                "both keys equally",
                word, entry->key);
    }
}

/* `#` begins a comment only at the start of a line; in literal text it is text. */
static void check_hash(struct ct_spec_builder *b, const struct ct_text *value)
{
    for (size_t i = 1; i < value->length; i++)
        if (value->text[i] == '#' &&
            (value->text[i - 1] == ' ' || value->text[i - 1] == '\t')) {
            CT_SPEC_WARN(b, ct_text_place(value, i),
                         "'#' begins a comment only at the start of a line, and belongs "
                         "to the value here; after a value write ';'");
            return;
        }
}

void ct_spec_read_section(struct ct_spec_builder *b,
                          const struct ct_reader_section *section, void *object)
{
    for (size_t i = 0; i < section->entry_count; i++) {
        const struct ct_reader_entry *entry = &section->entries[i];
        const struct ct_spec_key_rule *rule = find_key(b, section->kind, entry->key);

        if (!rule || entry->broken)
            continue;
        if (!entry->value.length && !rule->empty) {
            CT_SPEC_COMPLAIN(b, ct_text_place(&entry->value, 0), "'%s' has no value",
                             entry->key);
            continue;
        }
        if (rule->raw) {
            check_swallowed(b, section, entry);
            check_hash(b, &entry->value);
        }
        if (rule->form == CT_FORM_OWN)
            rule->read(b, entry, (char *)object + rule->offset);
        else
            ct_spec_read_value(b, rule, entry, (char *)object + rule->offset);
    }
}
