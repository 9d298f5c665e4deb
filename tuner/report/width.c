// SPDX-License-Identifier: Apache-2.0
// Widths of terminals and of text on them.
#define _GNU_SOURCE // wcwidth
#include "report/width.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum {
    COLUMNS_MOST = 10000,
    USUAL_ROWS = 24,
    ESCAPE = 4,     /* "\xc3" */
    INDENT = 10,    /* what follows the head of a line */
    HEAD_MOST = 24, /* where text after a head begins at the latest */
};

/* 0: not given, or no number. */
static size_t columns_variable(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    unsigned long number;

    if (!text || *text < '0' || *text > '9')
        return 0;
    number = strtoul(text, &end, 10);
    return *end ? 0 : number < COLUMNS_MOST ? number : COLUMNS_MOST;
}

size_t ct_width_output(int fd, bool wide)
{
    struct winsize window;
    size_t columns = columns_variable();

    if (wide)
        return 0;
    if (columns)
        return columns;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col
                                                                : CT_WIDTH_USUAL;
}

size_t ct_width_terminal(FILE *terminal)
{
    struct winsize window;

    return ioctl(fileno(terminal), TIOCGWINSZ, &window) == 0 && window.ws_col > 1
               ? window.ws_col
               : CT_WIDTH_USUAL;
}

size_t ct_width_terminal_rows(FILE *terminal)
{
    struct winsize window;

    return ioctl(fileno(terminal), TIOCGWINSZ, &window) == 0 && window.ws_row
               ? window.ws_row
               : USUAL_ROWS;
}

/* --- the user's character set --- */

struct ct_width_locale ct_width_locale_begin(void)
{
    struct ct_width_locale locale = {.own = newlocale(LC_CTYPE_MASK, "", (locale_t)0)};

    if (locale.own)
        locale.before = uselocale(locale.own);
    return locale;
}

void ct_width_locale_end(struct ct_width_locale *locale)
{
    if (!locale->own)
        return;
    uselocale(locale->before);
    freelocale(locale->own);
    locale->own = (locale_t)0;
}

static bool in_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool ct_width_is_utf8(void)
{
    struct ct_width_locale locale = ct_width_locale_begin();
    bool utf8 = in_utf8();

    ct_width_locale_end(&locale);
    return utf8;
}

/* --- text --- */

/* Bytes of the character at `text`, which is not the end, and its columns. */
static size_t next_character(const char *text, bool utf8, size_t *columns)
{
    mbstate_t state = {0};
    wchar_t wide;
    size_t bytes;
    int width;

    *columns = 1;
    if (!(*text & 0x80))
        return 1;
    *columns = ESCAPE;
    if (!utf8)
        return 1;
    bytes = mbrtowc(&wide, text, strlen(text), &state);
    if (bytes == 0 || bytes > strlen(text))
        return 1;
    width = wcwidth(wide);
    /* What cannot be printed is shown as escapes, byte by byte. */
    *columns = width < 0 ? ESCAPE * bytes : (size_t)width;
    return bytes;
}

size_t ct_width_text(const char *text)
{
    bool utf8 = in_utf8();
    size_t sum = 0;

    while (*text) {
        size_t columns;

        text += next_character(text, utf8, &columns);
        sum += columns;
    }
    return sum;
}

void ct_width_cut(struct ct_str *out, const char *text, size_t width)
{
    bool utf8 = in_utf8();
    const char *mark = utf8 ? "\xe2\x80\xa6" : "..";
    size_t mark_columns = utf8 ? 1 : 2;
    size_t sum = 0;

    if (ct_width_text(text) <= width) {
        ct_str_puts(out, text);
        return;
    }
    if (width < mark_columns) {
        ct_str_add(out, "..", width);
        return;
    }
    while (*text) {
        size_t columns;
        size_t bytes = next_character(text, utf8, &columns);

        if (sum + columns + mark_columns > width)
            break;
        ct_str_add(out, text, bytes);
        text += bytes;
        sum += columns;
    }
    ct_str_puts(out, mark);
}

/* Appends the words of `text`, the first in `column`; further lines begin at `indent`. */
static void put_words(struct ct_str *out, const char *text, size_t column, size_t indent,
                      size_t width)
{
    bool first = true;

    while (*text) {
        size_t length = strcspn(text, " ");
        struct ct_str word;
        size_t columns;

        ct_str_init(&word);
        ct_str_add(&word, text, length);
        columns = ct_width_text(word.data);
        if (!first && width && column + 1 + columns > width) {
            ct_str_addf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            ct_str_putc(out, ' ');
            column++;
        }
        /* A word that no line holds. */
        if (width && column + columns > width)
            ct_width_cut(out, word.data, width > column ? width - column : 0);
        else
            ct_str_puts(out, word.data);
        column += columns;
        first = false;
        text += length;
        text += strspn(text, " ");
        ct_str_release(&word);
    }
}

void ct_width_wrap(struct ct_str *out, const char *head, const char *text, size_t width)
{
    struct ct_width_locale locale = ct_width_locale_begin();

    ct_str_addf(out, "%-*s", INDENT, head);
    put_words(out, text, INDENT, INDENT, width);
    ct_str_putc(out, '\n');
    ct_width_locale_end(&locale);
}

/* Where the text of a line begins, after its head: behind the last blanks of several in its first
 * columns, or those that it begins with. */
static size_t text_begin(const char *line, size_t length)
{
    size_t begin = strspn(line, " ");

    for (size_t i = begin; i + 2 < length && i < HEAD_MOST; i++)
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
            begin = i + 2;
    return begin;
}

void ct_width_wrap_lines(struct ct_str *out, const char *text, size_t width)
{
    struct ct_width_locale locale = ct_width_locale_begin();

    while (*text) {
        size_t length = strcspn(text, "\n");
        size_t begin = text_begin(text, length);
        struct ct_str line;

        ct_str_init(&line);
        ct_str_add(&line, text, length);
        if (line.data && ct_width_text(line.data) > width && begin < width) {
            ct_str_add(out, line.data, begin);
            put_words(out, line.data + begin, begin, begin ? begin : INDENT, width);
        } else {
            ct_str_puts(out, line.data ? line.data : "");
        }
        ct_str_putc(out, '\n');
        ct_str_release(&line);
        text += length + (text[length] == '\n');
    }
    ct_width_locale_end(&locale);
}

void ct_width_print_lines(FILE *out, int fd, const char *text)
{
    struct ct_str lines;

    ct_str_init(&lines);
    ct_width_wrap_lines(&lines, text, ct_width_output(fd, false));
    fputs(lines.data ? lines.data : text, out);
    ct_str_release(&lines);
}

void ct_width_home(struct ct_str *out, const size_t *widths, size_t count, size_t columns)
{
    size_t rows = 0;

    for (size_t i = 0; i < count; i++)
        rows += widths[i] ? (widths[i] + columns - 1) / columns : 1;
    ct_str_putc(out, '\r');
    if (rows > 1)
        ct_str_addf(out, "\033[%zuA", rows - 1);
}
