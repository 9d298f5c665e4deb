// SPDX-License-Identifier: Apache-2.0
// Topics in the pages of doc/.
#include "cli/manual_topics.h"

#include "cli/manual_files.h"
#include "report/markup.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!-- help: ";

/* The name of a page: "doc/man/exit-status.md" is "exit-status". */
static const char *page_name(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    *length = strcspn(name, ".");
    return name;
}

static bool is_page(const char *path)
{
    return strstr(path, ".md") != NULL;
}

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return *text ? text + 1 : text;
}

/* The next word of a mark; false after the last. */
static bool next_word(const char **at, const char **word, size_t *length)
{
    *at += strspn(*at, " ");
    *word = *at;
    *length = strcspn(*at, " \n");
    *at += *length;
    return *length && memcmp(*word, "-->", *length < 3 ? *length : 3) != 0;
}

static bool is_marked(const char *line, const char *topic)
{
    const char *at = line + strlen(mark);
    const char *word;
    size_t length;

    while (next_word(&at, &word, &length))
        if (length == strlen(topic) && memcmp(word, topic, length) == 0)
            return true;
    return false;
}

/* --- their names --- */

struct topics {
    struct ct_arena *arena;
    const char **items;
    size_t count;
    size_t capacity;
};

static bool add_name(struct topics *names, const char *text, size_t length)
{
    const char **grown;

    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->items[i]) == length &&
            memcmp(names->items[i], text, length) == 0)
            return true;
    if (names->count == names->capacity) {
        grown = ct_arena_array(names->arena, 2 * names->capacity + 16, sizeof(*grown));
        if (!grown)
            return false;
        for (size_t i = 0; i < names->count; i++)
            grown[i] = names->items[i];
        names->items = grown;
        names->capacity = 2 * names->capacity + 16;
    }
    names->items[names->count] = ct_arena_copy(names->arena, text, length);
    return names->items[names->count++] != NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **ct_manual_topics(struct ct_arena *arena, size_t *count)
{
    struct topics names = {.arena = arena};
    const char *word;
    size_t length;

    for (int i = 0; i < ct_manual_files_count; i++) {
        if (!is_page(ct_manual_files_paths[i]))
            continue;
        word = page_name(ct_manual_files_paths[i], &length);
        if (!add_name(&names, word, length))
            return NULL;
        for (const char *line = ct_manual_files[i]; *line; line = next_line(line)) {
            const char *at = line + strlen(mark);

            if (!ct_str_starts(line, mark))
                continue;
            while (next_word(&at, &word, &length))
                if (!add_name(&names, word, length))
                    return NULL;
        }
    }
    if (names.count)
        qsort(names.items, names.count, sizeof(*names.items), compare_names);
    *count = names.count;
    return names.items;
}

/* --- their texts --- */

static const char *find_page(const char *topic)
{
    for (int i = 0; i < ct_manual_files_count; i++) {
        size_t length;
        const char *name = page_name(ct_manual_files_paths[i], &length);

        if (is_page(ct_manual_files_paths[i]) && length == strlen(topic) &&
            memcmp(name, topic, length) == 0)
            return ct_manual_files[i];
    }
    return NULL;
}

/* The next section with the mark, from `text` on; its heading, NULL if there is none. */
static const char *next_section(const char *text, const char *topic)
{
    for (; text && *text; text = next_line(text))
        if (ct_str_starts(text, mark) && is_marked(text, topic)) {
            do
                text = next_line(text);
            while (*text && *text != '#');
            return *text ? text : NULL;
        }
    return NULL;
}

/* The end of the section that begins with a heading: the next of its level, or a higher one. */
static const char *section_end(const char *heading)
{
    size_t level = strspn(heading, "#");
    bool fenced = false;
    const char *line;

    for (line = next_line(heading); *line; line = next_line(line)) {
        fenced ^= ct_str_starts(line, "```");
        if (!fenced && *line == '#' && strspn(line, "#") <= level)
            break;
    }
    return line;
}

/* A section below a section would be a level too deep on a page of its own. */
static void put_section(const char *heading, const char *end, struct ct_str *out)
{
    size_t level = strspn(heading, "#");
    bool fenced = false;

    for (const char *line = heading; line < end;) {
        const char *next = next_line(line);

        fenced ^= ct_str_starts(line, "```");
        if (!fenced && *line == '#' && level > 2)
            ct_str_add(out, line + level - 2, (size_t)(next - line) - (level - 2));
        else
            ct_str_add(out, line, (size_t)(next - line));
        line = next;
    }
    ct_str_putc(out, '\n');
}

void ct_manual_put_topic(const char *topic, struct ct_str *out)
{
    const char *page = find_page(topic);

    if (page) {
        while (*page && *page != '#')
            page = next_line(page);
        ct_str_puts(out, next_line(page));
        return;
    }
    for (int i = 0; i < ct_manual_files_count; i++) {
        const char *heading = ct_manual_files[i];

        if (!is_page(ct_manual_files_paths[i]))
            continue;
        for (heading = next_section(heading, topic); heading;) {
            const char *end = section_end(heading);

            put_section(heading, end, out);
            heading = next_section(end, topic);
        }
    }
}

void ct_manual_put_title(const char *topic, struct ct_str *out)
{
    const char *heading = find_page(topic);

    for (int i = 0; !heading && i < ct_manual_files_count; i++)
        if (is_page(ct_manual_files_paths[i]))
            heading = next_section(ct_manual_files[i], topic);
    while (heading && *heading && *heading != '#')
        heading = next_line(heading);
    if (!heading)
        return;
    heading += strspn(heading, "# ");
    ct_markup_add_plain(out, heading, strcspn(heading, "\n"));
}
