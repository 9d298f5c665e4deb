// SPDX-License-Identifier: Apache-2.0
// Conditions of the schema, checked in rows that are read anyhow: SQLite takes ten times as long.
//
// The schema's own text says what is checked.  What has a form that is not known here stays SQLite's.
#include "db/merge_fits.h"

#include "db/migrations.h"

#include <stdio.h>
#include <string.h>

/* Forms of conditions; $ is the column. */
enum {
    FLAG,
    POSITIVE,
    NOT_NEGATIVE,
    HASH,
    HASH_OR_NONE,
    JSON_OR_NONE,
    OBJECT,
    DOUBLES,
    WORDS
};

static const char *const forms[] = {
    [FLAG] = "($ IN (0, 1))",
    [POSITIVE] = "($ > 0)",
    [NOT_NEGATIVE] = "($ >= 0)",
    [HASH] = "(length($) = 32)",
    [HASH_OR_NONE] = "($ = '' OR length($) = 32)",
    [JSON_OR_NONE] = "($ = '' OR json_valid($))",
    [OBJECT] = "(json_valid($) AND json_type($) = 'object')",
    [DOUBLES] = "(length($) % 8 = 0)",
};

/* --- finding them --- */

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz_0123456789"

/* Whether the condition has that form for the column. */
static bool has_form(const char *form, const char *name, size_t name_length,
                     const char *text, size_t length)
{
    const char *end = text + length;

    for (; *form && text < end; form++) {
        if (*form != '$') {
            if (*form != *text++)
                return false;
            continue;
        }
        if ((size_t)(end - text) < name_length || memcmp(text, name, name_length) != 0)
            return false;
        text += name_length;
    }
    return !*form && text == end;
}

/* Whether the condition is a list of words, one of which the column must have. */
static bool is_list(const char *name, size_t name_length, const char *text, size_t length)
{
    static const char between[] = " IN (";
    const char *end = text + length;
    const char *at = text + 1 + name_length + strlen(between);

    if (at >= end || memcmp(text + 1, name, name_length) != 0 ||
        memcmp(text + 1 + name_length, between, strlen(between)) != 0)
        return false;
    for (;; at++) {
        size_t word;

        at += strspn(at, " \n");
        if (*at++ != '\'')
            return false;
        word = strspn(at, NAME_LETTERS);
        at += word;
        if (!word || *at++ != '\'')
            return false;
        if (*at != ',')
            return at + 2 == end && memcmp(at, "))", 2) == 0;
    }
}

static int form_of(const char *name, size_t name_length, const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (has_form(forms[i], name, name_length, text, length))
            return (int)i;
    return is_list(name, name_length, text, length) ? WORDS : -1;
}

/* Adds the condition; false: it is none of ours. */
static bool add_rule(struct ct_merge_fits *fits, const char *columns, int first,
                     const char *text, size_t length)
{
    if (fits->count == CT_MERGE_RULES)
        return false;
    for (const char *name = columns; *name; first++) {
        size_t name_length = strspn(name, NAME_LETTERS);
        int kind = form_of(name, name_length, text, length);

        if (kind >= 0) {
            fits->rules[fits->count++] = (struct ct_merge_rule){kind, first, text};
            return true;
        }
        name += name_length;
        name += strspn(name, ", ");
    }
    return false;
}

void ct_merge_fits_find(struct ct_merge_fits *fits, const char *table,
                        const char *columns, int first, struct ct_str *sql)
{
    char head[64];
    const char *at;
    const char *end;

    snprintf(head, sizeof(head), "table|%s|%s|", table, table);
    at = strstr(ct_schema_objects[0], head);
    if (!at)
        return;
    end = strstr(at, ") STRICT");
    while ((at = strstr(at, "CHECK (")) != NULL && at < end) {
        int depth = 0;
        bool quoted = false;
        const char *begin = at += strlen("CHECK ");

        do {
            quoted ^= *at == '\'';
            depth += quoted ? 0 : (*at == '(') - (*at == ')');
        } while (*++at && depth);
        if (add_rule(fits, columns, first, begin, (size_t)(at - begin)))
            continue;
        ct_str_puts(sql, sql->length ? " AND " : "");
        ct_str_add(sql, begin, (size_t)(at - begin));
    }
}

/* --- checking rows --- */

/* Characters as SQLite's length() counts them. */
static size_t count_characters(const unsigned char *text)
{
    size_t count = 0;

    for (; *text; count++)
        if (*text++ >= 0xc0)
            while ((*text & 0xc0) == 0x80)
                text++;
    return count;
}

/* Whether the list in the condition has the word. */
static bool has_word(const char *list, const char *word, size_t length)
{
    if (!length || strspn(word, NAME_LETTERS) != length)
        return false;
    while ((list = strchr(list, '\'')) != NULL) {
        size_t here = strspn(++list, NAME_LETTERS);

        if (here == length && memcmp(list, word, length) == 0)
            return true;
        list += here + 1;
        if (*list != ',')
            return false;
    }
    return false;
}

static bool fits_integer(int kind, int64_t value)
{
    if (kind == FLAG)
        return value == 0 || value == 1;
    return kind == POSITIVE ? value > 0 : value >= 0;
}

static bool fits_text(const struct ct_merge_rule *rule, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    size_t length = (size_t)sqlite3_value_bytes(value);
    bool object = false;

    if (!text)
        return false;
    if (rule->kind == WORDS)
        return has_word(rule->text, text, length);
    if (!length && (rule->kind == HASH_OR_NONE || rule->kind == JSON_OR_NONE))
        return true;
    if (rule->kind == HASH || rule->kind == HASH_OR_NONE)
        return count_characters((const unsigned char *)text) == 32;
    return ct_guard_is_json(text, length, &object) && (rule->kind != OBJECT || object);
}

bool ct_merge_row_fits(const struct ct_merge_fits *fits, sqlite3_stmt *row)
{
    for (size_t i = 0; i < fits->count; i++) {
        const struct ct_merge_rule *rule = &fits->rules[i];
        sqlite3_value *value = sqlite3_column_value(row, rule->column);
        int type = sqlite3_value_type(value);
        bool fit = type == SQLITE_NULL;

        /* Values of other types than the table's do not fit either. */
        if (rule->kind <= NOT_NEGATIVE)
            fit |= type == SQLITE_INTEGER &&
                   fits_integer(rule->kind, sqlite3_value_int64(value));
        else if (rule->kind == DOUBLES)
            fit |= type == SQLITE_BLOB && sqlite3_value_bytes(value) % 8 == 0;
        else
            fit |= type == SQLITE_TEXT && fits_text(rule, value);
        if (!fit)
            return false;
    }
    return true;
}
