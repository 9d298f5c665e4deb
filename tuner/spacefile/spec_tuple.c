// SPDX-License-Identifier: Apache-2.0
// Parameters that go together: `(X, Y) = (8, 8), (16, 4)` in [param] is rewritten, before the file
// is interpreted, as X = 8, 16 and Y = 8, 4 with a constraint that holds for the listed pairs.
#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* A text in the making, with the place of each byte. */
struct line {
    struct ct_str text;
    struct ct_place *places; /* room for `capacity` */
    size_t capacity;
};

static void put_at(struct line *line, const char *text, size_t length,
                   struct ct_place place)
{
    if (!ct_mem_grow(&line->places, &line->capacity, line->text.length + length + 1,
                     sizeof(*line->places))) {
        line->text.failed = true;
        return;
    }
    for (size_t i = 0; i < length; i++)
        line->places[line->text.length + i] = place;
    ct_str_add(&line->text, text, length);
    if (!line->text.failed)
        line->places[line->text.length] = place;
}

/* A part of the file, whose bytes keep their places. */
static void put_part(struct line *line, const struct ct_text *text, size_t begin,
                     size_t end)
{
    for (size_t at = begin; at < end; at++)
        put_at(line, text->text + at, 1, ct_text_place(text, at));
}

/* The finished text, owned by the specification. */
static struct ct_text finish(struct ct_spec_builder *b, const struct ct_text *from,
                             struct line *line)
{
    struct ct_text text = {.file = from->file, .length = line->text.length};
    struct ct_place *places = ct_spec_alloc(b, text.length + 1, sizeof(*places));

    text.text = ct_spec_copy(b, line->text.data, text.length);
    text.places = places;
    if (line->text.failed)
        b->nomem = true;
    if (places && line->places && !line->text.failed)
        memcpy(places, line->places, (text.length + 1) * sizeof(*places));
    ct_str_release(&line->text);
    free(line->places);
    return text;
}

/* An entry being rewritten. */
struct tuple {
    struct ct_spec_builder *b;
    const struct ct_reader_entry *entry;
    size_t count;       /* names */
    const char **names; /* owned by the specification */
    size_t rows;
    size_t end; /* of the rows */
    bool replaces;
    /* of value `column` of row `row`, at row * count + column */
    size_t *begins;
    size_t *ends;
};

static bool read_names(struct tuple *t)
{
    size_t length = strlen(t->entry->key);
    struct ct_text key = {NULL, t->entry->key, length, NULL};
    size_t begin = 1;

    t->names = ct_spec_alloc(t->b, length, sizeof(*t->names));
    if (!t->names || t->entry->key[length - 1] != ')')
        return false;
    while (begin < length) {
        size_t comma = ct_expr_find_char(&key, begin, length - 1, ',');
        size_t end = comma;

        ct_expr_trim(&key, &begin, &end);
        if (!ct_expr_is_word(key.text + begin, end - begin))
            return false;
        t->names[t->count++] = ct_spec_copy(t->b, key.text + begin, end - begin);
        begin = comma + 1;
    }
    return t->count > 1;
}

/* The values between a pair of parentheses, as many as there are names. */
static bool read_row(struct tuple *t, size_t begin, size_t end)
{
    const struct ct_text *text = &t->entry->value;
    size_t count = 0;

    ct_expr_trim(text, &begin, &end);
    if (end - begin < 2 || text->text[begin] != '(' || text->text[end - 1] != ')')
        return false;
    for (begin++, end--; begin <= end && count < t->count; count++) {
        size_t comma = ct_expr_find_char(text, begin, end, ',');
        size_t at = t->rows * t->count + count;

        t->begins[at] = begin;
        t->ends[at] = comma;
        ct_expr_trim(text, &t->begins[at], &t->ends[at]);
        if (t->begins[at] == t->ends[at])
            return false;
        begin = comma + 1;
    }
    t->rows++;
    return count == t->count && begin > end;
}

static bool read_rows(struct tuple *t)
{
    const struct ct_text *text = &t->entry->value;
    size_t room = text->length + 1;

    t->begins = ct_spec_alloc(t->b, room, sizeof(*t->begins));
    t->ends = ct_spec_alloc(t->b, room, sizeof(*t->ends));
    if (!t->begins || !t->ends)
        return false;
    t->end = text->length;
    t->replaces = ct_spec_cut_replaces(text, &t->end);
    for (size_t begin = 0; begin <= t->end;) {
        size_t comma = ct_expr_find_char(text, begin, t->end, ',');

        if ((t->rows + 1) * t->count > room || !read_row(t, begin, comma))
            return false;
        begin = comma + 1;
    }
    return true;
}

static bool is_repeated(const struct tuple *t, size_t row, size_t column)
{
    const char *text = t->entry->value.text;
    size_t at = row * t->count + column;
    size_t length = t->ends[at] - t->begins[at];

    for (size_t other = column; other < at; other += t->count)
        if (t->ends[other] - t->begins[other] == length &&
            !memcmp(text + t->begins[other], text + t->begins[at], length))
            return true;
    return false;
}

/* `NAME = values`: each value once. */
static struct ct_reader_entry column_entry(struct tuple *t, size_t column)
{
    struct ct_reader_entry made = *t->entry;
    struct line line = {0};

    ct_str_init(&line.text);
    for (size_t row = 0; row < t->rows; row++) {
        size_t at = row * t->count + column;

        if (is_repeated(t, row, column))
            continue;
        if (line.text.length)
            put_at(&line, ", ", 2, t->entry->place);
        put_part(&line, &t->entry->value, t->begins[at], t->ends[at]);
    }
    if (t->replaces)
        put_at(&line, " replaces", strlen(" replaces"), t->entry->place);
    made.key = t->names[column];
    made.value = finish(t->b, &t->entry->value, &line);
    return made;
}

/* A constraint that holds for the listed rows. */
static struct ct_reader_entry rows_entry(struct tuple *t)
{
    struct ct_reader_entry made = *t->entry;
    struct ct_place place = t->entry->place;
    struct line line = {0};

    ct_str_init(&line.text);
    for (size_t row = 0; row < t->rows; row++) {
        if (row)
            put_at(&line, " || ", 4, place);
        for (size_t column = 0; column < t->count; column++) {
            size_t at = row * t->count + column;

            if (column)
                put_at(&line, " && ", 4, place);
            put_at(&line, t->names[column], strlen(t->names[column]), place);
            put_at(&line, " == (", 5, place);
            put_part(&line, &t->entry->value, t->begins[at], t->ends[at]);
            put_at(&line, ")", 1, place);
        }
    }
    made.value = finish(t->b, &t->entry->value, &line);
    return made;
}

/* Replaces entry `index` of a section by one for each name. */
static void replace(struct tuple *t, struct ct_reader_section *section, size_t index)
{
    struct ct_reader_entry *entries =
        ct_spec_alloc(t->b, section->entry_count + t->count - 1, sizeof(*entries));
    size_t after = section->entry_count - index - 1;

    if (!entries)
        return;
    memcpy(entries, section->entries, index * sizeof(*entries));
    for (size_t i = 0; i < t->count; i++)
        entries[index + i] = column_entry(t, i);
    memcpy(entries + index + t->count, section->entries + index + 1,
           after * sizeof(*entries));
    section->entries = entries;
    section->entry_count += t->count - 1;
}

/* Appends an entry to the [constraint] section, or to a new one. */
static void add_constraint(struct ct_spec_builder *b, struct ct_reader_file *file,
                           struct ct_reader_entry entry)
{
    struct ct_reader_section *sections =
        ct_spec_alloc(b, file->section_count + 1, sizeof(*sections));
    struct ct_reader_entry *entries;
    size_t at = 0;

    if (!sections)
        return;
    memcpy(sections, file->sections, file->section_count * sizeof(*sections));
    while (at < file->section_count && strcmp(sections[at].kind, "constraint") != 0)
        at++;
    if (at == file->section_count)
        sections[file->section_count++] = (struct ct_reader_section){
            .kind = "constraint", .place = entry.place, .name_place = entry.place};
    entries = ct_spec_alloc(b, sections[at].entry_count + 1, sizeof(*entries));
    if (!entries)
        return;
    if (sections[at].entry_count)
        memcpy(entries, sections[at].entries,
               sections[at].entry_count * sizeof(*entries));
    entries[sections[at].entry_count++] = entry;
    sections[at].entries = entries;
    file->sections = sections;
}

void ct_spec_expand_tuples(struct ct_spec_builder *b, struct ct_reader_file *file)
{
    for (size_t s = 0; !b->nomem && s < file->section_count; s++) {
        if (strcmp(file->sections[s].kind, "param") != 0)
            continue;
        for (size_t i = 0; !b->nomem && i < file->sections[s].entry_count; i++) {
            struct ct_reader_entry *entry = &file->sections[s].entries[i];
            struct tuple t = {.b = b, .entry = entry};
            struct ct_reader_entry constraint;

            if (entry->broken || *entry->key != '(')
                continue;
            if (!read_names(&t) || !read_rows(&t)) {
                CT_SPEC_COMPLAIN(b, entry->place,
                                 "parameters that go together are written "
                                 "(X, Y) = (8, 8), (16, 4)");
                entry->broken = true;
                continue;
            }
            constraint = rows_entry(&t);
            replace(&t, &file->sections[s], i);
            add_constraint(b, file, constraint);
        }
    }
}
