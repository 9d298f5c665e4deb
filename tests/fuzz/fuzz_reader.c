// SPDX-License-Identifier: Apache-2.0
// Reading any bytes as an INI file: every character has its true place, nothing is
// invented, a refusal has a reason, and what was read reads back the same when it is
// written down plainly.
#include "fuzz.h"

#include "spacefile/reader/reader.h"

/* The input's lines, for looking places up. */
struct lines {
    const char *text;
    size_t length;
    size_t count;
    size_t *begins;
};

static bool continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static void lines_init(struct lines *lines, const char *text, size_t length)
{
    lines->text = text;
    lines->length = length;
    lines->count = 0;
    lines->begins = malloc((length + 2) * sizeof(lines->begins[0]));
    FUZZ_CHECK(lines->begins);
    for (size_t i = 0; i <= length; i++) {
        if (i == 0 || text[i - 1] == '\n')
            lines->begins[lines->count++] = i;
    }
    /* A byte order mark is not part of the text. */
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        lines->begins[0] = 3;
    lines->begins[lines->count] = length + 1;
}

/* The bytes of the character at a place; "" beyond the line's last one. */
static const char *character_at(const struct lines *lines, struct ct_place place,
                                size_t *bytes)
{
    size_t at;
    size_t end;
    int column = 0;

    FUZZ_CHECK(place.line >= 1 && (size_t)place.line <= lines->count);
    FUZZ_CHECK(place.column >= 1);
    at = lines->begins[place.line - 1];
    end = lines->begins[place.line] - 1;
    for (; at < end; at++) {
        column += !continues(lines->text[at]);
        if (column == place.column)
            break;
    }
    *bytes = 0;
    while (at + *bytes < end && (!*bytes || continues(lines->text[at + *bytes])))
        ++*bytes;
    return lines->text + at;
}

static bool after(struct ct_place a, struct ct_place b)
{
    return a.line > b.line || (a.line == b.line && a.column > b.column);
}

/* A value's characters stand in the input where their places say; a blank may also stand
 * for the end of a line. */
static void check_value(const struct lines *lines, const struct ct_text *value)
{
    FUZZ_CHECK(value->text[value->length] == '\0');
    FUZZ_CHECK(!value->length || !strchr(" \t", value->text[0]));
    FUZZ_CHECK(!value->length || !strchr(" \t", value->text[value->length - 1]));
    for (size_t i = 0; i < value->length; i++) {
        size_t bytes;
        const char *c = character_at(lines, ct_text_place(value, i), &bytes);

        FUZZ_CHECK(value->text[i] != '\n' && value->text[i] != '\0');
        FUZZ_CHECK(!i || !after(ct_text_place(value, i - 1), ct_text_place(value, i)));
        if (bytes && memchr(c, value->text[i], bytes))
            continue;
        FUZZ_CHECK(value->text[i] == ' ');
        FUZZ_CHECK(i + 1 < value->length &&
                   ct_text_place(value, i + 1).line > ct_text_place(value, i).line);
    }
}

static void check_key(const struct lines *lines, const struct ct_reader_section *section,
                      const struct ct_reader_entry *entry)
{
    /* Parameters that go together: (X, Y) = ... */
    bool list = strcmp(section->kind, "param") == 0 && entry->key[0] == '(';
    size_t length = strlen(entry->key);
    size_t bytes;
    const char *c = character_at(lines, entry->place, &bytes);

    FUZZ_CHECK(length && bytes && *c == entry->key[0]);
    FUZZ_CHECK(entry->key[0] != ' ' && entry->key[length - 1] != ' ');
    FUZZ_CHECK(!strstr(entry->key, "  "));
    for (size_t i = 0; i < length; i++)
        FUZZ_CHECK(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_- ",
                          entry->key[i]) ||
                   (list && strchr("(,)", entry->key[i])));
    FUZZ_CHECK(!after(entry->place, ct_text_place(&entry->value, 0)));
}

static void check_file(const struct lines *lines, const struct ct_reader_file *file)
{
    struct ct_place last = {0, 0};

    for (size_t i = 0; i < file->section_count; i++) {
        const struct ct_reader_section *section = &file->sections[i];
        const char *at;
        size_t bytes;

        FUZZ_CHECK(section->kind && after(section->place, last));
        at = character_at(lines, section->place, &bytes);
        FUZZ_CHECK(bytes && *at == '[');
        FUZZ_CHECK(!strpbrk(section->kind, " \t]\n"));
        if (section->name) {
            FUZZ_CHECK(*section->name && !strpbrk(section->name, "]\n"));
            at = character_at(lines, section->name_place, &bytes);
            FUZZ_CHECK(bytes && *at == *section->name);
        }
        last = section->place;
        for (size_t j = 0; j < section->entry_count; j++) {
            FUZZ_CHECK(after(section->entries[j].place, last));
            check_key(lines, section, &section->entries[j]);
            check_value(lines, &section->entries[j].value);
            last = section->entries[j].place;
        }
    }
}

static void write_plainly(const struct ct_reader_file *file, struct ct_str *out)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const struct ct_reader_section *section = &file->sections[i];

        ct_str_addf(out, "[%s%s%s]\n", section->kind, section->name ? " " : "",
                    section->name ? section->name : "");
        for (size_t j = 0; j < section->entry_count; j++) {
            const struct ct_text *value = &section->entries[j].value;

            /* A `;` after a blank would begin a comment, a `=` after a `=` a
             * comparison. */
            ct_str_addf(out, "%s =%s%s\n", section->entries[j].key,
                        value->length && value->text[0] == ';' ? "" : " ", value->text);
        }
    }
    FUZZ_CHECK(!out->failed);
}

static void check_same(const struct ct_reader_file *a, const struct ct_reader_file *b)
{
    FUZZ_CHECK(a->section_count == b->section_count);
    for (size_t i = 0; i < a->section_count; i++) {
        const struct ct_reader_section *left = &a->sections[i];
        const struct ct_reader_section *right = &b->sections[i];

        FUZZ_CHECK(strcmp(left->kind, right->kind) == 0);
        FUZZ_CHECK(!left->name == !right->name);
        FUZZ_CHECK(!left->name || strcmp(left->name, right->name) == 0);
        FUZZ_CHECK(left->entry_count == right->entry_count);
        for (size_t j = 0; j < left->entry_count; j++) {
            const struct ct_reader_entry *from = &left->entries[j];
            const struct ct_reader_entry *to = &right->entries[j];

            FUZZ_CHECK(strcmp(from->key, to->key) == 0);
            FUZZ_CHECK(from->value.length == to->value.length);
            FUZZ_CHECK(memcmp(from->value.text, to->value.text, from->value.length) == 0);
        }
    }
}

static void check_round_trip(const struct ct_reader_file *file)
{
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_reader_file again;
    struct ct_str text;

    ct_str_init(&text);
    write_plainly(file, &text);
    FUZZ_CHECK(ct_reader_parse("again.ini", text.data, text.length, &arena, &again,
                               &diags, &err) == CT_OK);
    FUZZ_CHECK(!diags.errors);
    check_same(file, &again);
    ct_str_release(&text);
    ct_diags_release(&diags);
    ct_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_reader_file file;
    struct lines lines;
    char *text = malloc(size ? size : 1); /* as long as it is, without a zero */
    enum ct_status status;

    FUZZ_CHECK(text);
    if (size)
        memcpy(text, data, size);
    lines_init(&lines, text, size);
    status = ct_reader_parse("fuzz.ini", text, size, &arena, &file, &diags, &err);
    FUZZ_CHECK(status == CT_OK || status == CT_E_SPEC);
    FUZZ_CHECK(!status == !err.message[0]);
    FUZZ_CHECK(!status || diags.count == 1);
    fuzz_check_diags(&diags, (int)lines.count);
    if (!status)
        check_file(&lines, &file);
    if (!status && !diags.errors)
        check_round_trip(&file);
    free(lines.begins);
    free(text);
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}
