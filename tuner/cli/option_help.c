// SPDX-License-Identifier: Apache-2.0
// Help about commands and options.
#include "cli/option_help.h"

#include "report/export.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/width.h"
#include "schedule/measure.h"
#include "search/strategy.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SCREEN_COLUMNS = 80 };

/* Whether `name` is one of the words of `names`, which blanks separate. */
static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; *at; at += strspn(at, " ")) {
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

bool ct_option_repeats(const struct ct_option_row *row)
{
    return row->form == FORM_SETTING || row->form == FORM_TEXTS;
}

void ct_option_put_head(const struct ct_option_row *row, struct ct_str *out)
{
    if (row->letter)
        ct_str_addf(out, "-%c, ", row->letter);
    ct_str_addf(out, "--%s%s%s", row->name, row->argument ? " " : "",
                row->argument ? row->argument : "");
}

/* Whether a command is one of `length` bytes of names, which commas separate. */
static bool is_listed(const char *names, size_t length, const char *command)
{
    const char *end = names + length;

    for (size_t one; names < end; names += one + 1) {
        one = strcspn(names, ",:");
        if (one == strlen(command) && memcmp(names, command, one) == 0)
            return true;
    }
    return false;
}

/* Appends a help text; of its parts "{COMMAND,...:TEXT}" only those of this command. */
static void put_parts(const char *help, const char *command, struct ct_str *out)
{
    const char *end = help + strlen(help);

    while (help < end) {
        const char *open = strchr(help, '{');
        const char *close = open ? strchr(open, '}') : NULL;
        size_t length;

        ct_str_add(out, help, (size_t)((close ? open : end) - help));
        if (!close)
            return;
        length = strcspn(open, ":");
        if (is_listed(open + 1, length - 1, command))
            ct_str_add(out, open + length + 1, (size_t)(close - open) - length - 1);
        help = close + 1;
    }
}

/* Appends the words of a table, as in a sentence: the formats with what they are. */
static void put_names(const struct ct_option_row *row, struct ct_str *out)
{
    if (row->offset == CT_OPTION_AT(output.format))
        ct_cli_put_formats(out);
    else
        ct_strategy_put_names(out);
}

void ct_option_put_help(const struct ct_option_row *row, const char *command, bool brief,
                        struct ct_str *out)
{
    struct ct_str text;

    ct_str_init(&text);
    put_parts(row->help, command, &text);
    for (const char *at = text.data; *at; at++) {
        if (*at == '|' && brief)
            break;
        if (at[0] == '%' && at[1] == 's') {
            put_names(row, out);
            at++;
        } else if (*at != '|') {
            ct_str_putc(out, *at);
        }
    }
    out->failed |= text.failed;
    ct_str_release(&text);
}

/* --- words that options accept --- */

static void put_statuses(bool failures, struct ct_str *out)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (!failures || i != CT_RESULT_OK)
            ct_str_addf(out, "%s\n", ct_result_status_name((enum ct_result_status)i));
    if (failures)
        ct_str_puts(out, "all\n");
}

/* Those that belong to a table of their own. */
static bool put_table_words(const struct ct_option_row *row, const char *command,
                            struct ct_str *out)
{
    if (strcmp(row->name, "format") == 0 && strcmp(command, "best") == 0)
        for (size_t i = 0; i < ct_export_count; i++)
            ct_str_addf(out, "%s\n", ct_exports[i]->name);
    else if (strcmp(row->name, "strategy") == 0)
        for (size_t i = 0; i < ct_strategy_count; i++)
            ct_str_addf(out, "%s\n", ct_strategies[i]->name);
    else if (strcmp(row->name, "retry") == 0 || strcmp(row->name, "status") == 0)
        put_statuses(strcmp(row->name, "retry") == 0, out);
    else
        return false;
    return true;
}

void ct_option_put_choices(const struct ct_option_row *row, const char *command,
                           struct ct_str *out)
{
    static const struct {
        const char *option;
        const char *command; /* NULL: any */
        const char *words;
    } lists[] = {
        {"cache", NULL, "cold\nwarm\n"},
        {"color", NULL, "always\nauto\nnever\n"},
        {"format", "help", "pages\nscdoc\ntext\n"},
        {"format", "show", "gnuplot\ntext\n"},
        {"jobs", NULL, "auto\n"},
        {"kind", NULL, "adjacent\none\ntwo\n"},
        {"objective", NULL, "end_to_end\ntime\n"},
        {"sort", NULL, "age\nstatus\ntime\n"},
        {"variants", NULL, "auto\n"},
    };

    if (put_table_words(row, command, out))
        return;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(lists[i].option, row->name) == 0 &&
            (!lists[i].command || strcmp(lists[i].command, command) == 0))
            ct_str_puts(out, lists[i].words);
}

/* --- --help --- */

/* Prints a text broken at column 80, its first line after `column` columns, the others indented
 * by `indent`. */
static void print_wrapped(const char *text, size_t length, int column, int indent)
{
    const char *end = text + length;
    bool first = true;

    while (text < end) {
        int word = (int)strcspn(text, " \n");

        if (word > end - text)
            word = (int)(end - text);
        if (!first && column + 1 + word > SCREEN_COLUMNS) {
            ct_print("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', ct_screen_out());
            column++;
        }
        ct_print("%.*s", word, text);
        column += word;
        first = false;
        for (text += word; text < end && (*text == ' ' || *text == '\n'); text++)
            continue;
    }
    ct_print_text("\n");
}

/* Prints paragraphs; `all` or only the first. */
static void print_details(const char *text, bool all)
{
    while (*text) {
        const char *paragraph = strstr(text, "\n\n");
        const char *end = paragraph ? paragraph + 1 : text + strlen(text);

        while (text < end) {
            const char *line = text;

            if (*text == ' ') {
                text += strcspn(text, "\n");
                ct_print("%.*s\n", (int)(text - line), line);
                text += *text == '\n';
                continue;
            }
            while (text < end && *text != ' ') {
                text += strcspn(text, "\n");
                text += *text == '\n';
            }
            print_wrapped(line, (size_t)(text - line), 0, 0);
        }
        if (!paragraph || !all)
            return;
        ct_print_text("\n");
        text = paragraph + 2;
    }
}

static void print_option(const struct ct_option_row *row, const char *command, bool all)
{
    enum { INDENT = 29 };
    struct ct_str head;
    struct ct_str help;

    ct_str_init(&head);
    ct_str_init(&help);
    if (!row->letter)
        ct_str_puts(&head, "    ");
    ct_option_put_head(row, &head);
    ct_option_put_help(row, command, !all, &help);
    ct_print("  %-*s", INDENT - 2, head.data);
    if (head.length + 3 > INDENT)
        ct_print("  ");
    print_wrapped(help.data, help.length,
                  head.length + 3 > INDENT ? (int)head.length + 4 : INDENT, INDENT);
    ct_str_release(&head);
    ct_str_release(&help);
}

static void print_examples(const struct ct_command *command)
{
    const struct ct_command_example *examples = command->examples;
    size_t width = 0;

    if (!examples[0].line)
        return;
    ct_print("\nExamples:\n");
    for (int i = 0; i < 2; i++)
        if (examples[i].line && strlen(examples[i].line) > width)
            width = strlen(examples[i].line);
    for (int i = 0; i < 2 && examples[i].line; i++)
        ct_print("  %-*s  # %s\n", (int)width, examples[i].line, examples[i].what);
}

void ct_command_help(const struct ct_command *command, bool all)
{
    const char *shown = all || !command->common ? command->options : command->common;
    int count = 0;

    ct_print("usage: cltune %s [OPTION...]%s%s\n\n%c%s.\n", command->name,
             *command->operands ? " " : "", command->operands,
             toupper((unsigned char)command->summary[0]), command->summary + 1);
    print_details(command->details, all);
    ct_print("\n%s:\n", all || !command->common ? "Options" : "Common options");
    for (const struct ct_option_row *row = NULL;
         (row = ct_option_next(command->options, row));) {
        count++;
        if (all || is_among(shown, row->name))
            print_option(row, command->name, all);
    }
    print_examples(command);
    if (!all)
        ct_print("\nMore: 'cltune %s --help all' (%d options), 'cltune help %s'\n",
                 command->name, count, command->name);
}
