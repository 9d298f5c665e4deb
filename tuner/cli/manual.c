// SPDX-License-Identifier: Apache-2.0
// Pages of the manual, as Markdown.
#include "cli/manual.h"

#include "cli/manual_library.h"
#include "cli/manual_topics.h"
#include "cli/option_help.h"

#include <ctype.h>
#include <string.h>

static const char whole[] = "cltune"; /* the page of the program */

/* --- which there are --- */

static bool is_command(const struct ct_command *const *commands, const char *name)
{
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return true;
    return false;
}

/* The library and the language have sections of their own, all other topics are in section 7. */
static void place_topic(struct ct_arena *arena, struct ct_manual_page *page)
{
    bool library = strncmp(page->topic, "lib", 3) == 0;

    page->section = library ? 3 : strcmp(page->topic, "space-file") == 0 ? 5 : 7;
    page->name = ct_arena_format(arena, "%s%s", library ? "" : "cltune-", page->topic);
}

static void add_topic(struct ct_arena *arena, const char *topic,
                      struct ct_manual_page *page)
{
    struct ct_str title;

    ct_str_init(&title);
    ct_manual_put_title(topic, &title);
    page->topic = topic;
    page->title = ct_arena_copy(arena, title.data, title.length);
    place_topic(arena, page);
    ct_str_release(&title);
}

struct ct_manual_page *ct_manual_pages(struct ct_arena *arena,
                                       const struct ct_command *const *commands,
                                       size_t *count)
{
    const char **topics = ct_manual_topics(arena, count);
    struct ct_manual_page *pages;
    size_t n = 0, command_count = 0;

    while (commands[command_count])
        command_count++;
    pages = ct_arena_array(arena, 1 + command_count + *count, sizeof(*pages));
    if (!topics || !pages)
        return NULL;
    pages[n++] = (struct ct_manual_page){
        whole, whole, 1, "find the fastest way to run an OpenCL kernel, and remember it",
        NULL};
    for (size_t i = 0; i < command_count; i++)
        pages[n++] = (struct ct_manual_page){
            commands[i]->name, ct_arena_format(arena, "%s-%s", whole, commands[i]->name),
            1, commands[i]->summary, commands[i]};
    for (size_t i = 0; i < *count; i++)
        if (!is_command(commands, topics[i]) && strcmp(topics[i], whole) != 0)
            add_topic(arena, topics[i], &pages[n++]);
    *count = n;
    for (size_t i = 0; i < n; i++)
        if (!pages[i].name || !pages[i].title)
            return NULL;
    return pages;
}

/* --- what they say --- */

/* Operands as they are printed, with what stands for something emphasized: "[*KERNEL*]". */
static void put_operands(const char *operands, struct ct_str *out)
{
    bool inside = false;

    for (const char *at = operands; *at; at++) {
        bool word = isalpha((unsigned char)*at) ||
                    (inside && *at != ' ' && *at != ']' && strncmp(at, "...", 3) != 0);

        if (word != inside)
            ct_str_putc(out, '*');
        inside = word;
        ct_str_putc(out, *at);
    }
    if (inside)
        ct_str_putc(out, '*');
}

/* Details of the table: lines that begin with a blank are code. */
static void put_details(const char *details, struct ct_str *out)
{
    bool code = false;

    while (*details) {
        size_t length = strcspn(details, "\n");

        if ((*details == ' ') != code)
            ct_str_puts(out, code ? "```\n" : "\n```\n");
        code = *details == ' ';
        ct_str_addf(out, "%.*s\n", (int)length, details);
        details += length;
        details += *details == '\n';
    }
    ct_str_puts(out, code ? "```\n" : "");
}

static void put_cell(const char *text, struct ct_str *out)
{
    for (; *text; text++) {
        if (strchr("|*\\`[]", *text))
            ct_str_putc(out, '\\');
        ct_str_putc(out, *text);
    }
}

static void put_row(const char *head, const char *text, struct ct_str *out)
{
    ct_str_puts(out, "| ");
    put_cell(head, out);
    ct_str_puts(out, " | ");
    put_cell(text, out);
    ct_str_puts(out, " |\n");
}

static void begin_table(const char *heading, struct ct_str *out)
{
    ct_str_addf(out, "\n## %s\n\n| | |\n| --- | --- |\n", heading);
}

static void put_options(const char *names, const char *command, struct ct_str *out)
{
    begin_table("Options", out);
    for (const struct ct_option_row *row = NULL; (row = ct_option_next(names, row));) {
        struct ct_str head;
        struct ct_str help;

        ct_str_init(&head);
        ct_str_init(&help);
        ct_option_put_head(row, &head);
        ct_option_put_help(row, command, false, &help);
        put_row(head.data, help.data, out);
        ct_str_release(&head);
        ct_str_release(&help);
    }
}

static void put_examples(const struct ct_command *command, struct ct_str *out)
{
    if (!command->examples[0].line)
        return;
    ct_str_puts(out, "\n## Examples\n");
    for (int i = 0; i < 2 && command->examples[i].line; i++)
        ct_str_addf(out, "\n%c%s:\n\n```\n%s\n```\n",
                    toupper((unsigned char)command->examples[i].what[0]),
                    command->examples[i].what + 1, command->examples[i].line);
}

/* What the documentation says of a command, under a heading if it does not begin with one. */
static void put_topic(const char *name, struct ct_str *out)
{
    struct ct_str text;
    const char *begin;

    ct_str_init(&text);
    ct_manual_put_topic(name, &text);
    begin = text.data + strspn(text.data, " \n");
    if (*begin && *begin != '#')
        ct_str_puts(out, "\n## Details\n");
    ct_str_putc(out, '\n');
    ct_str_puts(out, begin);
    out->failed |= text.failed;
    ct_str_release(&text);
}

static void put_command(const struct ct_command *command, struct ct_str *out)
{
    ct_str_addf(out, "\n## Synopsis\n\n**cltune %s** [*OPTION*...] ", command->name);
    put_operands(command->operands, out);
    ct_str_addf(out, "\n\n## Description\n\n%c%s.\n\n",
                toupper((unsigned char)command->summary[0]), command->summary + 1);
    put_details(command->details, out);
    put_options(command->options, command->name, out);
    put_examples(command, out);
    put_topic(command->name, out);
    ct_str_puts(out, "\n## Exit status\n\nSee cltune-exit-status(7).\n\n## See also\n\n"
                     "cltune(1), cltune-environment(7)\n");
}

/* The page of the program: everything else is named on it. */
static void put_whole(const struct ct_command *const *commands, struct ct_str *out)
{
    struct ct_arena arena = {0};
    struct ct_manual_page *pages;
    size_t count = 0;

    ct_str_puts(
        out, "\n## Synopsis\n\n**cltune** *COMMAND* [*OPTION*...] [*OPERAND*...]\n\n"
             "**cltune help** [*TOPIC*]\n\n**cltune --version**\n\n## Description\n\n");
    ct_manual_put_topic(whole, out);
    begin_table("Commands", out);
    pages = ct_manual_pages(&arena, commands, &count);
    for (size_t i = 0; pages && i < count; i++)
        if (pages[i].command)
            put_row(ct_arena_format(&arena, "%s(1)", pages[i].name), pages[i].title, out);
    begin_table("Topics", out);
    for (size_t i = 0; pages && i < count; i++)
        if (i && !pages[i].command)
            put_row(ct_arena_format(&arena, "%s(%d)", pages[i].name, pages[i].section),
                    pages[i].title, out);
    put_options("", whole, out);
    ct_str_puts(out,
                "\n## Exit status\n\nSee cltune-exit-status(7).\n\n## Environment\n\n"
                "See cltune-environment(7).\n");
    out->failed |= pages == NULL;
    ct_arena_release(&arena);
}

void ct_manual_put(const struct ct_manual_page *page,
                   const struct ct_command *const *commands, struct ct_str *out)
{
    ct_str_addf(out, "## Name\n\n%s - %s\n", page->name, page->title);
    if (page->command) {
        put_command(page->command, out);
    } else if (strcmp(page->topic, whole) == 0) {
        put_whole(commands, out);
    } else {
        ct_str_puts(out, "\n## Description\n\n");
        ct_manual_put_topic(page->topic, out);
        if (page->section == 3)
            ct_manual_put_library(out);
        ct_str_puts(out, "\n## See also\n\ncltune(1)\n");
    }
}
