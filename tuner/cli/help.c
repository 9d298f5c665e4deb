// SPDX-License-Identifier: Apache-2.0
// cltune help: the manual in the terminal, and for the programs that make pages of it.
#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/option_help.h"
#include "report/print.h"
#include "report/screen.h"

#include "report/markup.h"
#include "report/pager.h"
#include "report/width.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines longer than this are hard to read. */
enum { WIDEST = 80 };

/* --- for programs --- */

static json_t *option_json(const struct ct_command *command,
                           const struct ct_option_row *row)
{
    json_t *object = json_object();
    json_t *values = json_array();
    struct ct_str text;
    char *next;

    ct_str_init(&text);
    ct_option_put_help(row, command->name, false, &text);
    json_object_set_new(object, "name", json_string(row->name));
    if (row->letter)
        json_object_set_new(object, "letter", json_stringn(&row->letter, 1));
    if (row->argument)
        json_object_set_new(object, "argument", json_string(row->argument));
    json_object_set_new(object, "help", json_string(text.data));
    json_object_set_new(object, "repeatable", json_boolean(ct_option_repeats(row)));
    ct_str_reset(&text);
    ct_option_put_choices(row, command->name, &text);
    for (char *word = text.data; *word; word = next) {
        next = strchr(word, '\n');
        *next++ = '\0';
        json_array_append_new(values, json_string(word));
    }
    json_object_set_new(object, "values", values);
    ct_str_release(&text);
    return object;
}

static json_t *command_json(const struct ct_command *command)
{
    json_t *options = json_array();
    json_t *examples = json_array();

    for (const struct ct_option_row *row = NULL;
         (row = ct_option_next(command->options, row));)
        json_array_append_new(options, option_json(command, row));
    for (int i = 0; i < 2 && command->examples[i].line; i++)
        json_array_append_new(examples, json_string(command->examples[i].line));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", command->name, "operands",
                     command->operands, "summary", command->summary, "details",
                     command->details, "options", options, "examples", examples);
}

/* All commands with their options, and all pages. */
static int print_json(const struct ct_command *const *commands,
                      const struct ct_manual_page *pages, size_t count)
{
    json_t *list = json_array();
    json_t *names = json_array();
    json_t *all;
    char *text;

    for (size_t i = 0; commands[i]; i++)
        json_array_append_new(list, command_json(commands[i]));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(names,
                              json_pack("{s:s, s:s, s:i, s:s}", "topic", pages[i].topic,
                                        "name", pages[i].name, "section",
                                        pages[i].section, "title", pages[i].title));
    all = json_pack("{s:o, s:o}", "commands", list, "pages", names);
    text = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    if (text)
        ct_print_line(text);
    json_decref(all);
    free(text);
    return text ? CT_EXIT_OK : CT_EXIT_FAILED;
}

/* The names of files, and the topics that they are made of. */
static int print_pages(const struct ct_manual_page *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct_print("%s.%d\t%s\n", pages[i].name, pages[i].section, pages[i].topic);
    return CT_EXIT_OK;
}

static int print_scdoc(const struct ct_manual_page *page, const struct ct_str *markdown)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_markup_add(&text, markdown->data, CT_MARKUP_SCDOC, 0);
    ct_print("%s(%d) \"cltune %s\" \"cltune\"\n\n%s", page->name, page->section,
             CT_VERSION, text.data);
    ct_str_release(&text);
    return CT_EXIT_OK;
}

/* --- for readers --- */

static int show_page(const struct ct_str *markdown)
{
    const char *pager = ct_pager_program();
    size_t width = ct_width_output(STDOUT_FILENO, false);
    struct ct_str text;

    if (!width || width > WIDEST)
        width = WIDEST;
    ct_str_init(&text);
    if (pager)
        ct_markup_add(&text, markdown->data,
                      ct_pager_strikes(pager) ? CT_MARKUP_STRUCK : CT_MARKUP_TEXT, width);
    if (!pager || text.failed || !ct_pager_show(pager, &text)) {
        ct_str_reset(&text);
        ct_markup_add(&text, markdown->data, CT_MARKUP_TEXT, width);
        ct_print_text(text.data);
    }
    ct_str_release(&text);
    return CT_EXIT_OK;
}

static int unknown_topic(const char *topic, const struct ct_manual_page *pages,
                         size_t count, struct ct_arena *arena)
{
    const char **names = ct_arena_array(arena, count, sizeof(*names));
    const char *near = NULL;

    for (size_t i = 0; names && i < count; i++)
        names[i] = pages[i].topic;
    if (names)
        near = ct_str_suggest(topic, names, count);
    if (near)
        return ct_cli_usage("help", "no manual page about '%s'; did you mean '%s'?",
                            topic, near);
    return ct_cli_usage("help", "no manual page about '%s': 'cltune help' lists them",
                        topic);
}

/* Also by the name of its manual page. */
static const struct ct_manual_page *
find_page(const char *topic, const struct ct_manual_page *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(pages[i].topic, topic) == 0 || strcmp(pages[i].name, topic) == 0)
            return &pages[i];
    return NULL;
}

static void list_pages(const struct ct_manual_page *pages, size_t count)
{
    struct ct_str text;

    ct_str_init(&text);
    for (int commands = 1; commands >= 0; commands--) {
        size_t width = 0;

        for (size_t i = 1; i < count; i++)
            if ((pages[i].command != NULL) == commands && strlen(pages[i].topic) > width)
                width = strlen(pages[i].topic);
        ct_str_addf(&text, "%sShow with 'cltune help %s':\n", commands ? "" : "\n",
                    commands ? "COMMAND" : "TOPIC");
        for (size_t i = 1; i < count; i++)
            if ((pages[i].command != NULL) == commands)
                ct_str_addf(&text, "  %-*s  %s\n", (int)width, pages[i].topic,
                            pages[i].title);
    }
    ct_width_print_lines(ct_screen_out(), STDOUT_FILENO, text.data);
    ct_str_release(&text);
}

static int answer_question(const struct ct_options *options,
                           const struct ct_manual_page *pages, size_t count,
                           struct ct_arena *arena)
{
    const char *format = options->output.format ? options->output.format : "text";
    const char *topic = options->operand_count ? options->operands[0] : NULL;
    const struct ct_manual_page *page = find_page(topic ? topic : "cltune", pages, count);
    struct ct_str markdown;
    int exit_status;

    if (options->output.json)
        return print_json(options->commands, pages, count);
    if (strcmp(format, "pages") == 0)
        return print_pages(pages, count);
    if (strcmp(format, "text") != 0 && strcmp(format, "scdoc") != 0)
        return ct_cli_usage("help", "--format requires text, scdoc or pages, not '%s'",
                            format);
    if (!page)
        return unknown_topic(topic, pages, count, arena);
    if (!topic && strcmp(format, "text") == 0) {
        list_pages(pages, count);
        return CT_EXIT_OK;
    }
    ct_str_init(&markdown);
    ct_manual_put(page, options->commands, &markdown);
    exit_status = strcmp(format, "scdoc") == 0 ? print_scdoc(page, &markdown)
                                               : show_page(&markdown);
    ct_str_release(&markdown);
    return exit_status;
}

static int run_command(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    size_t count = 0;
    struct ct_manual_page *pages = ct_manual_pages(&arena, options->commands, &count);
    int exit_status;

    if (!pages) {
        ct_err_nomem(&err);
        exit_status = ct_cli_error(&err);
    } else if (options->operand_count > 1) {
        exit_status = ct_cli_usage("help", "unexpected argument '%s': name one topic",
                                   options->operands[1]);
    } else {
        exit_status = answer_question(options, pages, count, &arena);
    }
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_help = {
    .name = "help",
    .operands = "[TOPIC]",
    .summary = "show the manual",
    .details =
        "Shows the page of a command or about a topic; without TOPIC, lists both.  At a\n"
        "terminal, $PAGER (less) shows a page at a time.  --json prints all commands with\n"
        "their options.\n",
    .options = "format",
    .examples = {{"cltune help search", "everything about a command"},
                 {"cltune help space-file", "the language of space files"}},
    .aside = true,
    .run = run_command,
};
