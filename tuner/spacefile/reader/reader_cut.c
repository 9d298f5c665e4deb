// SPDX-License-Identifier: Apache-2.0
// Splits a file into logical lines, each character with its place.
#include "spacefile/reader/reader_impl.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TAB_WIDTH = 8 };

/* One physical line without its comment and terminator. */
struct physical {
    size_t begin;      /* first non-blank character */
    size_t end;        /* after the last non-blank character */
    int indent;        /* in columns, tabs expanded */
    int column;        /* of `begin`, in characters */
    size_t open_quote; /* SIZE_MAX: none */
};

struct cutter {
    const char *path;
    const char *text;
    size_t length;
    struct ct_arena *arena;
    struct ct_reader_lines *lines;
    struct ct_diags *diags;
    int line;
    /* The logical line being gathered. */
    bool gathering;
    bool broken;
    int indent;
    char *chars;
    size_t count;
    size_t char_room;
    struct ct_place *places; /* their places: runs, as in struct ct_text */
    size_t place_count;
    size_t place_room;
    const char *kind; /* of the section: its keys are checked immediately */
    bool has_header;  /* also an invalid one: keys below it are not reported again */
    bool nomem;
};

#define COMPLAIN(c, line, column, ...)                                                   \
    ct_diags_add((c)->diags, CT_ERROR, (c)->path, (line), (column), __VA_ARGS__)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == ' ' || c == '\t';
}

static bool is_list_char(char c)
{
    return c == '(' || c == ',' || c == ')';
}

/* Characters of UTF-8 begin with any byte but 10xxxxxx. */
static bool begins_char(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* Bytes of the UTF-8 character that begins with text[0]; 0 if it is invalid: a byte that cannot
 * begin one, a truncated one, a longer form than the shortest, a surrogate or a number beyond
 * Unicode's (RFC 3629, section 4). */
static size_t utf8_bytes(const unsigned char *text, size_t length)
{
    unsigned char lead = text[0];
    size_t bytes = lead < 0x80                   ? 1
                   : lead >= 0xC2 && lead < 0xE0 ? 2
                   : lead >= 0xE0 && lead < 0xF0 ? 3
                   : lead >= 0xF0 && lead < 0xF5 ? 4
                                                 : 0;

    if (bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if (begins_char((char)text[i]))
            return 0;
    if ((lead == 0xE0 && text[1] < 0xA0) || (lead == 0xED && text[1] > 0x9F) ||
        (lead == 0xF0 && text[1] < 0x90) || (lead == 0xF4 && text[1] > 0x8F))
        return 0;
    return bytes;
}

/* Reports the byte that is not text, and its place. */
static enum ct_status refuse_byte(struct cutter *c, size_t at, struct ct_err *err)
{
    unsigned byte = (unsigned char)c->text[at];
    const char *what = byte < 0x80 ? "text" : "UTF-8";
    int line = 1;
    int column = 1;

    for (size_t i = 0; i < at; i++)
        if (c->text[i] == '\n') {
            line++;
            column = 1;
        } else {
            column += begins_char(c->text[i]);
        }
    COMPLAIN(c, line, column, "byte 0x%02X is not %s: save the file as plain UTF-8", byte,
             what);
    return ct_err_at(err, CT_E_SPEC, c->path, line, column, "byte 0x%02X is not %s", byte,
                     what);
}

static enum ct_status check_text(struct cutter *c, struct ct_err *err)
{
    const unsigned char *text = (const unsigned char *)c->text;

    if (c->length > CT_READER_BYTES_MAX) {
        COMPLAIN(c, 0, 0, "the file is too large: more than %d MiB",
                 CT_READER_BYTES_MAX / 1024 / 1024);
        return ct_err_at(err, CT_E_SPEC, c->path, 0, 0, "the file is too large");
    }
    for (size_t i = 0; i < c->length;) {
        size_t bytes = 1;

        if (text[i] >= 0x7F)
            bytes = text[i] == 0x7F ? 0 : utf8_bytes(text + i, c->length - i);
        else if (text[i] < ' ' && text[i] != '\n' && text[i] != '\t' &&
                 !(text[i] == '\r' && i + 1 < c->length && text[i + 1] == '\n'))
            bytes = 0;
        if (!bytes)
            return refuse_byte(c, i, err);
        i += bytes;
    }
    return CT_OK;
}

/* The first `;` after a blank in text[at, end), or `end`. */
static size_t find_comment(const char *text, size_t at, size_t end)
{
    const char *sign = memchr(text + at, ';', end - at);

    while (sign && !is_blank(sign[-1]))
        sign = memchr(sign + 1, ';', (size_t)(text + end - sign) - 1);
    return sign ? (size_t)(sign - text) : end;
}

/* The end of text[begin, end) without its comment; sets p->open_quote.  The first character is
 * not `;`. */
static size_t cut_comment(const char *text, size_t begin, size_t end, struct physical *p)
{
    size_t at = begin;

    for (;;) {
        const char *quote = memchr(text + at, '\'', end - at);
        size_t open = quote ? (size_t)(quote - text) : end;
        size_t comment = find_comment(text, at, open);

        if (comment < open || !quote)
            return comment;
        quote = memchr(text + open + 1, '\'', end - open - 1);
        if (!quote) {
            p->open_quote = open;
            return end;
        }
        at = (size_t)(quote - text) + 1;
    }
}

/* Measures the physical line text[begin, end): where its text starts and, without comments and
 * blanks, ends. */
static void measure_line(const struct cutter *c, size_t begin, size_t end,
                         struct physical *p)
{
    const char *text = c->text;

    memset(p, 0, sizeof(*p));
    p->column = 1;
    p->open_quote = SIZE_MAX;
    if (end > begin && text[end - 1] == '\r')
        end--;
    for (; begin < end && is_blank(text[begin]); begin++, p->column++)
        p->indent += text[begin] == '\t' ? TAB_WIDTH - p->indent % TAB_WIDTH : 1;
    p->begin = begin;
    if (begin < end && (text[begin] == ';' || text[begin] == '#'))
        end = begin;
    if (begin < end)
        end = cut_comment(text, begin, end, p);
    while (end > begin && is_blank(text[end - 1]))
        end--;
    p->end = end;
}

/* Column of text[at] on a line whose text begins at p->begin. */
static int column_of(const struct cutter *c, const struct physical *p, size_t at)
{
    int column = p->column;

    for (size_t i = p->begin; i < at; i++)
        column += begins_char(c->text[i]);
    return column;
}

/* The place of gathered character number `at`, or of their end. */
static struct ct_place place_at(const struct cutter *c, size_t at)
{
    struct ct_text text = {c->path, c->chars, c->count, c->places};

    return ct_text_place(&text, at);
}

/* Begins a run of places at gathered character number `begin`. */
static bool begin_run(struct cutter *c, size_t begin, int column)
{
    if (!ct_mem_grow(&c->places, &c->place_room, c->place_count + 3,
                     sizeof(*c->places))) {
        c->nomem = true;
        return false;
    }
    if (!c->place_count)
        c->places[c->place_count++] = (struct ct_place){CT_RANK_RUNS, 0};
    c->places[0].column++;
    c->places[c->place_count++] = (struct ct_place){(int)begin, INT_MAX};
    c->places[c->place_count++] = (struct ct_place){c->line, column};
    return true;
}

/* Adds a physical line to the logical one; the previous line's end becomes a blank. */
static void gather_line(struct cutter *c, const struct physical *p)
{
    size_t length = p->end - p->begin;
    size_t at;

    if (!ct_mem_grow(&c->chars, &c->char_room, c->count + length + 2,
                     sizeof(*c->chars))) {
        c->nomem = true;
        return;
    }
    if (c->count) /* its place is that of the end of the previous line */
        c->chars[c->count++] = ' ';
    at = c->count;
    c->count += length;
    memcpy(c->chars + at, c->text + p->begin, length);
    if (!begin_run(c, at, p->column))
        return;
    for (; at < c->count; at++) {
        int column;

        if (!(c->chars[at] & 0x80))
            continue;
        /* Several bytes for one column: what follows them is a run of its own. */
        column = place_at(c, at).column;
        c->places[c->place_count - 2].column = column;
        while (at + 1 < c->count && !begins_char(c->chars[at + 1]))
            at++;
        if (!begin_run(c, at + 1, column + 1))
            return;
    }
    if (p->open_quote != SIZE_MAX) {
        COMPLAIN(c, c->line, column_of(c, p, p->open_quote),
                 "unterminated quote: text ends on the line where it begins");
        c->broken = true;
    }
}

static struct ct_reader_line *new_line(struct cutter *c)
{
    struct ct_reader_lines *lines = c->lines;

    if (!ct_mem_grow(&lines->items, &lines->capacity, lines->count + 1,
                     sizeof(*lines->items))) {
        c->nomem = true;
        return NULL;
    }
    return &lines->items[lines->count];
}

/* The separator: the first `=` that is not part of a comparison; `count` if there is none. */
static size_t find_separator(const struct cutter *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->chars[i] != '=')
            continue;
        if (i + 1 < c->count && c->chars[i + 1] == '=') {
            i++; /* both halves of == */
            continue;
        }
        if (i && strchr("<>!", c->chars[i - 1]))
            continue;
        return i;
    }
    return c->count;
}

/* The key's text with runs of blanks made one; NULL if out of memory. */
static const char *tidy_key(struct cutter *c, size_t end)
{
    char *key = ct_arena_copy(c->arena, c->chars, end);
    size_t kept = 0;

    if (!key) {
        c->nomem = true;
        return NULL;
    }
    for (size_t i = 0; i < end; i++)
        if (!is_blank(key[i]))
            key[kept++] = key[i];
        else if (kept && key[kept - 1] != ' ')
            key[kept++] = ' ';
    key[kept] = '\0';
    return key;
}

/* Checks the part before the separator; returns its end, or 0 after a diagnosis. */
static size_t check_key(struct cutter *c, size_t separator)
{
    size_t end = separator;
    bool free = c->kind && strcmp(c->kind, "constraint") == 0;
    /* Parameters that go together: (X, Y) = ... */
    bool several = c->kind && strcmp(c->kind, "param") == 0 && *c->chars == '(';
    int shown = c->count > 40 ? 40 : (int)c->count;

    if (separator == c->count && c->kind && strcmp(c->kind, "constraint") == 0) {
        COMPLAIN(c, place_at(c, 0).line, place_at(c, 0).column,
                 "a constraint requires a name: NAME = %.*s", shown, c->chars);
        return 0;
    }
    if (separator == c->count) {
        COMPLAIN(c, place_at(c, 0).line, place_at(c, 0).column,
                 "'%.*s' has no '=': write 'key = value', or indent the line deeper than "
                 "the key that it continues",
                 shown, c->chars);
        return 0;
    }
    while (end && is_blank(c->chars[end - 1]))
        end--;
    if (!end) {
        COMPLAIN(c, place_at(c, 0).line, place_at(c, 0).column, "no key before '='");
        return 0;
    }
    for (size_t i = 0; i < end; i++)
        if (!is_key_char(c->chars[i]) && !(several && is_list_char(c->chars[i]))) {
            size_t next = i + 1;

            while (next < end && !begins_char(c->chars[next]))
                next++;
            COMPLAIN(c, place_at(c, i).line, place_at(c, i).column,
                     "'%.*s' cannot be part of a %s, which is letters, digits%s",
                     (int)(next - i), c->chars + i, free ? "name" : "key",
                     free ? ", '_', blanks and '-'" : " and '_'");
            return 0;
        }
    return end;
}

/* Copies [begin, end) of the gathered characters with their places. */
static bool copy_value(struct cutter *c, size_t begin, size_t end, struct ct_text *out)
{
    const char *text = ct_arena_copy(c->arena, c->chars + begin, end - begin);
    struct ct_place *places;
    size_t first = 1;
    size_t count;

    while (first + 2 < c->place_count && (size_t)c->places[first + 2].line <= begin)
        first += 2;
    count = c->place_count - first;
    places = ct_arena_array(c->arena, count + 1, sizeof(*places));
    if (!places || !text) {
        c->nomem = true;
        return false;
    }
    places[0] = (struct ct_place){CT_RANK_RUNS, (int)(count / 2)};
    memcpy(places + 1, c->places + first, count * sizeof(*places));
    for (size_t i = 1; i <= count; i += 2)
        places[i].line -= (int)begin;
    /* The first run may have begun before. */
    places[1].line = 0;
    places[2] = place_at(c, begin);
    *out = (struct ct_text){c->path, text, end - begin, places};
    return true;
}

/* Ends the entry that has been gathered, if any. */
static void finish_entry(struct cutter *c)
{
    size_t separator;
    size_t key_end;
    size_t begin;
    struct ct_reader_line *line;

    if (!c->gathering)
        return;
    c->gathering = false;
    separator = find_separator(c);
    key_end = check_key(c, separator);
    if (!key_end)
        return;
    begin = separator + 1;
    while (begin < c->count && is_blank(c->chars[begin]))
        begin++;
    if (!c->has_header) {
        COMPLAIN(c, place_at(c, 0).line, place_at(c, 0).column,
                 "key '%.*s' precedes the first section", (int)key_end, c->chars);
        return;
    }
    line = new_line(c);
    if (!line || !copy_value(c, begin, c->count, &line->entry.value))
        return;
    line->entry.key = tidy_key(c, key_end);
    line->entry.place = place_at(c, 0);
    line->entry.broken = c->broken;
    if (line->entry.key &&
        c->lines->count) /* none under a first header that is invalid */
        c->lines->count++;
}

/* Reads a gathered header: `[kind name]`. */
static void take_header(struct cutter *c)
{
    const char *close = memchr(c->chars, ']', c->count);
    size_t end = close ? (size_t)(close - c->chars) : c->count;
    size_t begin = 1;
    size_t split;
    struct ct_reader_line *line;

    c->has_header = true;
    if (!close)
        COMPLAIN(c, place_at(c, c->count).line, place_at(c, c->count).column,
                 "']' is missing at the end of the section's header");
    else if (end + 1 < c->count) {
        size_t after = end + 1;

        while (after < c->count && is_blank(c->chars[after]))
            after++;
        COMPLAIN(c, place_at(c, after).line, place_at(c, after).column,
                 "unexpected text after ']': write a key on its own line");
    }
    while (begin < end && is_blank(c->chars[begin]))
        begin++;
    while (end > begin && is_blank(c->chars[end - 1]))
        end--;
    for (split = begin; split < end && !is_blank(c->chars[split]);)
        split++;
    line = new_line(c);
    if (!line)
        return;
    line->header = true;
    line->section.place = place_at(c, 0);
    line->section.kind = ct_arena_copy(c->arena, c->chars + begin, split - begin);
    while (split < end && is_blank(c->chars[split]))
        split++;
    line->section.name_place = place_at(c, split);
    if (split < end)
        line->section.name = ct_arena_copy(c->arena, c->chars + split, end - split);
    if (!line->section.kind || (split < end && !line->section.name))
        c->nomem = true;
    else
        c->lines->count++;
    c->kind = line->section.kind;
}

static void take_physical(struct cutter *c, const struct physical *p)
{
    if (p->begin == p->end) /* blank, or only a comment: does not end an entry */
        return;
    if (c->gathering && p->indent > c->indent && c->text[p->begin] != '[') {
        gather_line(c, p);
        return;
    }
    finish_entry(c);
    c->count = 0;
    c->place_count = 0;
    c->broken = false;
    gather_line(c, p);
    if (c->nomem)
        return;
    if (c->text[p->begin] == '[') {
        take_header(c);
    } else {
        c->gathering = true;
        c->indent = p->indent;
    }
}

enum ct_status ct_reader_cut(const char *path, const char *text, size_t length,
                             struct ct_arena *arena, struct ct_reader_lines *lines,
                             struct ct_diags *diags, struct ct_err *err)
{
    struct cutter c = {.path = path,
                       .text = text,
                       .length = length,
                       .arena = arena,
                       .lines = lines,
                       .diags = diags};
    enum ct_status status;

    if (length >= 3 && length <= CT_READER_BYTES_MAX &&
        memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        c.text += 3;
        c.length -= 3;
    }
    status = check_text(&c, err);
    for (size_t begin = 0; !status && !c.nomem && begin < c.length;) {
        const char *end = memchr(c.text + begin, '\n', c.length - begin);
        size_t stop = end ? (size_t)(end - c.text) : c.length;
        struct physical p;

        c.line++;
        measure_line(&c, begin, stop, &p);
        take_physical(&c, &p);
        begin = stop + 1;
    }
    if (!status && !c.nomem)
        finish_entry(&c);
    free(c.chars);
    free(c.places);
    return c.nomem ? ct_err_nomem(err) : status;
}
