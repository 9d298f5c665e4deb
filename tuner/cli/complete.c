// SPDX-License-Identifier: Apache-2.0
// Words that may come next, from the tables of commands and options.
#include "cli/complete.h"

#include "base/mem.h"
#include "cli/complete_space.h"
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
    size_t cut; /* bytes of the word that the shell keeps before what is offered */
    const size_t *numbers; /* of words on the shell's line */
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
    struct ct_str whole;

    if (typed > length || memcmp(word, line->typed, typed) != 0)
        return;
    ct_str_init(&whole);
    ct_str_add(&whole, line->before, line->before_length);
    ct_str_add(&whole, word, length);
    if (!whole.failed && whole.length >= line->cut)
        ct_str_addf(line->out, "%s\t%s\n", whole.data + line->cut, description);
    ct_str_release(&whole);
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

/* Lines "WORD\tDESCRIPTION". */
static void offer_described(const struct line *line, char *lines)
{
    while (*lines) {
        char *tab = lines + strcspn(lines, "\t");
        char *end = tab + strcspn(tab, "\n");
        char *next = end + (*end != '\0');

        if (*tab && *end) {
            *end = '\0';
            offer(line, lines, (size_t)(tab - lines), tab + 1);
        }
        lines = next;
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

/* The value of an option that is elsewhere on the line; NULL if it is not there. */
static const char *value_of(const struct line *line, const char *option)
{
    size_t length = strlen(option);

    for (size_t i = 2; i < line->count; i++) {
        const char *word = line->words[i];

        if (strcmp(word, "--") == 0)
            break;
        if (i == line->at || !ct_str_starts(word, option))
            continue;
        if (word[length] == '=')
            return word + length + 1;
        if (!word[length] && i + 1 < line->count && i + 1 != line->at)
            return line->words[i + 1];
    }
    return NULL;
}

static void offer_stored(const struct line *line, bool devices)
{
    struct ct_str names;

    ct_str_init(&names);
    ct_complete_stored(value_of(line, "--db"), devices, &names);
    offer_lines(line, names.data,
                devices ? "device with results" : "kernel with results");
    ct_str_release(&names);
}

/* The space file on the line: the value of --space, or an operand; NULL if there is none. */
static const char *space_of(const struct line *line)
{
    const char *space = value_of(line, "--space");

    for (size_t i = 2; !space && i < line->count; i++) {
        const char *word = line->words[i];

        if (i == line->at || !word)
            continue;
        if (takes_next(option_of(line, word), word)) {
            i++;
            continue;
        }
        if (*word != '-' && strstr(word, ".ini"))
            space = word;
    }
    return space;
}

/* NAME=VALUE of a problem size or a parameter. */
static void offer_settings(const struct line *line, bool params)
{
    const char *space = space_of(line);
    struct ct_str words;

    ct_str_init(&words);
    if (space)
        ct_complete_space(space, line->typed, params, &words);
    offer_described(line, words.data);
    ct_str_release(&words);
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
    } else if (strcmp(row->name, "problem") == 0 || strcmp(row->name, "param") == 0) {
        offer_settings(line, strcmp(row->name, "param") == 0);
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
        dot[1 + strcspn(dot + 1, ".]")] = '\0';
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
    else if (strstr(kind, "NAME=VALUE"))
        offer_settings(line, true);
    else if (strcmp(kind, "SHELL") == 0)
        offer_lines(line, "bash\nfish\nzsh\n", "shell");
    else if (suffix)
        ct_str_addf(line->out, "@files %s\n", suffix);
}

/* --- the line --- */

/* The value that is being typed belongs to this option; NULL if it is an operand or an option. */
static const struct ct_option_row *find_option(struct line *line)
{
    const char *word = word_at(line, line->at);
    const char *last = word_at(line, line->at - 1);
    const char *equals = strchr(word, '=');

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
            i++;
        else if (*word != '-')
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
            ct_str_addf(line->out, "@command %zu\n", line->numbers[start]);
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

/* Bash makes words of their own of "=" and ":": "--cache=w" comes as three. */
static bool is_break(const char *word)
{
    return strcmp(word, "=") == 0 || strcmp(word, ":") == 0;
}

/* Makes one word again of what bash has split, up to the one that is typed.  An open quote of that
 * one is not closed yet. */
static bool join(struct ct_arena *arena, char *const *words, size_t count, size_t at,
                 struct line *line)
{
    size_t most = (count > at ? count : at + 1) + 1;
    char **joined = ct_arena_array(arena, most, sizeof(*joined));
    size_t *numbers = ct_arena_array(arena, most, sizeof(*numbers));
    size_t n = 0;

    if (!joined || !numbers)
        return false;
    for (size_t i = 0; i < most - 1; i++) {
        const char *word = i < count ? words[i] : "";
        bool split = i > 2 && i <= at && (is_break(word) || is_break(words[i - 1]));

        word += i == at && (*word == '"' || *word == '\'');
        if (i == at)
            line->cut = split ? strlen(joined[n - 1]) + is_break(word) : 0;
        numbers[split ? n - 1 : n] = split ? numbers[n - 1] : i;
        joined[split ? n - 1 : n] =
            ct_arena_format(arena, "%s%s", split ? joined[n - 1] : "", word);
        n += !split;
        if (!joined[n - 1])
            return false;
        if (i == at)
            line->at = n - 1;
    }
    numbers[n] = count;
    line->words = joined;
    line->numbers = numbers;
    line->count = n;
    return true;
}

static void complete_line(struct line *line)
{
    if (line->at == 1) {
        offer_commands(line);
        offer_text(line, "--help", "the commands");
        offer_text(line, "--version", "the version");
        return;
    }
    for (const struct ct_command *const *at = line->commands; *at; at++)
        if (strcmp((*at)->name, word_at(line, 1)) == 0)
            line->command = *at;
    if (line->command)
        complete_command(line);
}

void ct_complete(const struct ct_command *const *commands, char *const *words,
                 size_t count, size_t at, struct ct_str *out)
{
    struct line line = {.commands = commands, .before = "", .out = out};
    struct ct_arena arena = {0};

    if (at <= count && join(&arena, words, count, at, &line)) {
        line.typed = word_at(&line, line.at);
        complete_line(&line);
    }
    ct_arena_release(&arena);
}
