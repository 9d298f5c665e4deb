// SPDX-License-Identifier: Apache-2.0
// Words that may come next, from the tables of commands and options.
#include "cli/complete.h"

#include "cli/complete_stored.h"
#include "cli/manual_topics.h"
#include "cli/option_help.h"

#include <string.h>

struct line {
    const struct ct_command *const *commands;
    char *const *words;
    size_t count;
    size_t at;
    const char *typed;  /* of the word, or of the value in it */
    const char *before; /* what stays before it: "--cache=" */
    size_t before_length;
    const struct ct_command *command;
    struct ct_str *out;
};

static const char *word_at(const struct line *line, size_t at)
{
    return at < line->count ? line->words[at] : "";
}

/* Appends a word that begins as what is typed. */
static void offer(const struct line *line, const char *word, size_t length,
                  const char *description)
{
    size_t typed = strlen(line->typed);

    if (typed > length || memcmp(word, line->typed, typed) != 0)
        return;
    ct_str_add(line->out, line->before, line->before_length);
    ct_str_add(line->out, word, length);
    ct_str_addf(line->out, "\t%s\n", description);
}

static void offer_text(const struct line *line, const char *word, const char *description)
{
    offer(line, word, strlen(word), description);
}

/* Words that are ended by line feeds. */
static void offer_lines(const struct line *line, const char *lines,
                        const char *description)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");

        offer(line, lines, length, description);
        lines += length + 1;
    }
}

/* --- options --- */

static void offer_options(const struct line *line)
{
    for (const struct ct_option_row *row = NULL;
         (row = ct_option_next(line->command->options, row));) {
        struct ct_str name;
        struct ct_str help;

        ct_str_init(&name);
        ct_str_init(&help);
        ct_str_addf(&name, "--%s", row->name);
        ct_option_put_help(row, line->command->name, true, &help);
        offer_text(line, name.data, help.data);
        ct_str_release(&name);
        ct_str_release(&help);
    }
}

/* The option that a word is: "--db", "--db=FILE", "-d", "-dPATTERN"; NULL if it is none. */
static const struct ct_option_row *option_of(const struct line *line, const char *word)
{
    size_t length = strcspn(word, "=");

    if (word[0] != '-' || !word[1])
        return NULL;
    for (const struct ct_option_row *row = NULL;
         (row = ct_option_next(line->command->options, row));)
        if (word[1] == '-' ? strlen(row->name) + 2 == length &&
                                 memcmp(word + 2, row->name, length - 2) == 0
                           : row->letter == word[1])
            return row;
    return NULL;
}

/* Whether the next word is the value of the option in this one. */
static bool takes_next(const struct ct_option_row *row, const char *word)
{
    return row && row->argument && (word[1] == '-' ? !strchr(word, '=') : !word[2]);
}

/* The value of --db, so that names come from the file that the command would read. */
static const char *database_of(const struct line *line)
{
    for (size_t i = 2; i + 1 < line->count && i + 1 < line->at; i++)
        if (strcmp(line->words[i], "--db") == 0)
            return strcmp(line->words[i + 1], "=") == 0 && i + 2 < line->count
                       ? line->words[i + 2]
                       : line->words[i + 1];
        else if (ct_str_starts(line->words[i], "--db="))
            return line->words[i] + strlen("--db=");
    return NULL;
}

static void offer_stored(const struct line *line, bool devices)
{
    struct ct_str names;

    ct_str_init(&names);
    ct_complete_stored(database_of(line), devices, &names);
    offer_lines(line, names.data,
                devices ? "device with results" : "kernel with results");
    ct_str_release(&names);
}

/* Values of an option.  Of a list the last word is typed. */
static void offer_values(struct line *line, const struct ct_option_row *row)
{
    const char *comma = strrchr(line->typed, ',');
    struct ct_str choices;

    ct_str_init(&choices);
    ct_option_put_choices(row, line->command->name, &choices);
    if (choices.length) {
        if (comma && !line->before_length) {
            line->before = line->typed;
            line->before_length = (size_t)(comma + 1 - line->typed);
            line->typed = comma + 1;
        }
        offer_lines(line, choices.data, row->name);
    } else if (strcmp(row->argument, "PATTERN") == 0) {
        offer_text(line, "all", "every device");
        offer_stored(line, true);
    } else if (strcmp(row->name, "kernel") == 0) {
        offer_stored(line, false);
    } else if (strcmp(row->argument, "FILE") == 0) {
        ct_str_puts(line->out,
                    strcmp(row->name, "space") == 0 ? "@files .ini\n" : "@files \n");
    } else if (strcmp(row->argument, "FOLDER") == 0) {
        ct_str_puts(line->out, "@folders\n");
    }
    ct_str_release(&choices);
}

/* --- operands --- */

/* The operations that the details list: "  cltune db info  counts, size, schema". */
static void offer_operations(const struct line *line)
{
    struct ct_str head;

    ct_str_init(&head);
    ct_str_addf(&head, "  cltune %s ", line->command->name);
    for (const char *at = line->command->details; *at;) {
        size_t length = strcspn(at, "\n");

        if (ct_str_starts(at, head.data)) {
            const char *word = at + head.length;

            offer(line, word, strcspn(word, " \n"), "");
        }
        at += length;
        at += *at == '\n';
    }
    ct_str_release(&head);
}

static void offer_commands(const struct line *line)
{
    for (const struct ct_command *const *at = line->commands; *at; at++)
        offer_text(line, (*at)->name, (*at)->summary);
}

static void offer_topics(const struct line *line)
{
    struct ct_arena arena = {0};
    size_t count = 0;
    const char **topics = ct_manual_topics(&arena, &count);

    offer_commands(line);
    for (size_t i = 0; topics && i < count; i++) {
        bool command = false;

        for (const struct ct_command *const *at = line->commands; *at; at++)
            command |= strcmp((*at)->name, topics[i]) == 0;
        if (!command)
            offer_text(line, topics[i], "topic");
    }
    ct_arena_release(&arena);
}

/* What the operand with this number (from 0) is, as the usage of the command says: "KERNEL" of
 * "[KERNEL]"; the last one stands for all that follow. */
static void operand_kind(const char *operands, size_t number, char *out, size_t size)
{
    *out = '\0';
    while (*operands) {
        size_t length = strcspn(operands, " ");

        snprintf(out, size, "%.*s", (int)length, operands);
        operands += length;
        operands += strspn(operands, " ");
        if (!number--)
            return;
    }
}

/* How the files that an operand names end: ".ini" of "SPACE.ini"; NULL if it is no file. */
static const char *file_suffix(char *kind)
{
    char *dot = strchr(kind, '.');

    if (dot && dot[1] != '.') {
        dot[strcspn(dot, "]")] = '\0';
        return dot;
    }
    return strstr(kind, "FILE") || strstr(kind, "DATA") || strstr(kind, "ARGUMENT")
               ? ""
               : NULL;
}

static void offer_operand(const struct line *line, size_t number)
{
    char kind[64];
    const char *suffix;

    operand_kind(line->command->operands, number, kind, sizeof(kind));
    suffix = file_suffix(kind);
    if (strstr(kind, "KERNEL") && !suffix)
        offer_stored(line, false);
    else if (strstr(kind, "OPERATION"))
        offer_operations(line);
    else if (strstr(kind, "TOPIC"))
        offer_topics(line);
    else if (strcmp(kind, "SHELL") == 0)
        offer_lines(line, "bash\nfish\nzsh\n", "shell");
    else if (suffix)
        ct_str_addf(line->out, "@files %s\n", suffix);
}

/* --- the line --- */

/* The value that is being typed belongs to this option; NULL if it is an operand or an option.
 * Bash makes words of their own of "=". */
static const struct ct_option_row *find_option(struct line *line)
{
    const char *word = word_at(line, line->at);
    const char *last = word_at(line, line->at - 1);
    const char *equals = strchr(word, '=');

    if (strcmp(word, "=") == 0) {
        line->typed = "";
        return option_of(line, last);
    }
    if (strcmp(last, "=") == 0 && line->at > 3)
        return option_of(line, word_at(line, line->at - 2));
    if (ct_str_starts(word, "--") && equals) {
        line->before = word;
        line->before_length = (size_t)(equals + 1 - word);
        line->typed = equals + 1;
        return option_of(line, word);
    }
    if (line->at > 2 && takes_next(option_of(line, last), last))
        return option_of(line, last);
    return NULL;
}

/* The number of operands before the word; SIZE_MAX and `*start` if a program of the user's begins
 * there. */
static size_t count_operands(const struct line *line, size_t *start)
{
    size_t operands = 0;

    for (size_t i = 2; i < line->at && i < line->count; i++) {
        const char *word = line->words[i];

        if (strcmp(word, "--") == 0) {
            *start = i + 1;
            return SIZE_MAX;
        }
        if (takes_next(option_of(line, word), word))
            i += i + 1 < line->count && strcmp(line->words[i + 1], "=") == 0 ? 2 : 1;
        else if (*word != '-' && strcmp(word, "=") != 0)
            operands++;
    }
    return operands;
}

static void complete_command(struct line *line)
{
    size_t start = 0;
    size_t operands = count_operands(line, &start);
    const struct ct_option_row *row;

    if (operands == SIZE_MAX) {
        if (ct_str_starts(line->command->operands, "--"))
            ct_str_addf(line->out, "@command %zu\n", start);
        return;
    }
    row = find_option(line);
    if (row && row->argument)
        offer_values(line, row);
    else if (*line->typed == '-')
        offer_options(line);
    else if (!row)
        offer_operand(line, operands);
}

void ct_complete(const struct ct_command *const *commands, char *const *words,
                 size_t count, size_t at, struct ct_str *out)
{
    struct line line = {.commands = commands,
                        .words = words,
                        .count = count,
                        .at = at,
                        .before = "",
                        .out = out};

    line.typed = word_at(&line, at);
    /* An open quote is not closed yet. */
    line.typed += *line.typed == '"' || *line.typed == '\'';
    if (at == 1) {
        offer_commands(&line);
        offer_text(&line, "--help", "the commands");
        offer_text(&line, "--version", "the version");
        return;
    }
    for (; *commands; commands++)
        if (strcmp((*commands)->name, word_at(&line, 1)) == 0)
            line.command = *commands;
    if (line.command)
        complete_command(&line);
}
