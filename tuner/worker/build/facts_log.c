// SPDX-License-Identifier: Apache-2.0
// Parses what compilers print about registers.
#include "worker/build/facts_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A line of the log, without its terminator. */
struct line {
    const char *text;
    size_t length;
};

static bool next_line(const char **at, struct line *line)
{
    if (!**at)
        return false;
    line->text = *at;
    line->length = strcspn(*at, "\r\n");
    *at += line->length;
    *at += strspn(*at, "\r\n");
    return true;
}

/* The end of `part` in the line, or NULL. */
static const char *after_part(const struct line *line, const char *part)
{
    const char *found = strstr(line->text, part);
    size_t length = strlen(part);

    if (!found || (size_t)(found - line->text) + length > line->length)
        return NULL;
    return found + length;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Whether the word at `at` (after blanks and quotes) is `kernel`. */
static bool names(const char *at, const char *kernel)
{
    size_t length = strlen(kernel);

    at += strspn(at, " '\"");
    return !strncmp(at, kernel, length) && !is_word(at[length]);
}

/* The number before `what` in the line: "16 bytes spill stores". */
static uint64_t number_before(const struct line *line, const char *what)
{
    const char *end = after_part(line, what);
    const char *start;

    if (!end)
        return 0;
    start = end - strlen(what);
    while (start > line->text && start[-1] == ' ')
        start--;
    while (start > line->text && start[-1] >= '0' && start[-1] <= '9')
        start--;
    return strtoull(start, NULL, 10);
}

/* The number that follows `what` in the line. */
static bool number_after(const struct line *line, const char *what, uint64_t *number)
{
    const char *at = after_part(line, what);

    if (at)
        at += strspn(at, " ");
    if (!at || *at < '0' || *at > '9')
        return false;
    *number = strtoull(at, NULL, 10);
    return true;
}

/* The first line about a kernel: returns the kernel's name, or NULL. */
static const char *heading(const struct line *line)
{
    static const char *const headings[] = {
        "Compiling entry function",
        "Function properties for",
        "Function Name:",
    };

    for (size_t i = 0; i < sizeof(headings) / sizeof(*headings); i++) {
        const char *at = after_part(line, headings[i]);

        if (at)
            return at;
    }
    return NULL;
}

struct ct_facts_log ct_facts_log_read(const char *log, const char *kernel)
{
    struct ct_facts_log facts = {0, 0};
    struct line line;
    bool ours = false;

    while (next_line(&log, &line)) {
        const char *name = heading(&line);
        uint64_t number;

        if (name)
            ours = names(name, kernel);
        /* IGC prints everything in one line; its spills have no unit. */
        name = after_part(&line, "kernel ");
        if (name && names(name, kernel) && number_after(&line, "allocated", &number))
            facts.registers = number;
        if (!ours)
            continue;
        facts.spill_bytes += number_before(&line, "bytes spill stores");
        facts.spill_bytes += number_before(&line, "bytes spill loads");
        if (after_part(&line, "ptxas") && number_after(&line, "Used ", &number))
            facts.registers = number;
        if (number_after(&line, " VGPRs: ", &number))
            facts.registers = number;
        /* 32-bit registers per work-item. */
        if (number_after(&line, "VGPRs Spill: ", &number))
            facts.spill_bytes += 4 * number;
    }
    return facts;
}
