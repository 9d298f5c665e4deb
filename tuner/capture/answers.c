// SPDX-License-Identifier: Apache-2.0
// Reads questions, looks up, and writes answers.
#include "capture/answers.h"

#include "base/str.h"
#include "capture/injection.h"
#include "layer/questions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool take(const char *line, const char *key, const char **value)
{
    size_t length = strlen(key);

    if (strncmp(line, key, length) != 0 || line[length] != ' ')
        return false;
    *value = line + length + 1;
    return true;
}

static void read_size(struct ct_injection_question *question, const char *value)
{
    unsigned axis;
    unsigned long long size;

    if (sscanf(value, "%u %llu", &axis, &size) != 2 || axis >= 3)
        return;
    question->sizes[axis] = size;
    if (question->dimensions < axis + 1)
        question->dimensions = axis + 1;
}

/* Texts are kept in the arena of the question. */
static void read_line(struct ct_injection_question *question, const char *line)
{
    struct {
        const char *key;
        const char **out;
    } texts[] = {
        {"kernel", &question->kernel},         {"name", &question->device_name},
        {"vendor", &question->device_vendor},  {"type", &question->device_type},
        {"driver", &question->driver_version}, {"experiment", &question->experiment}};
    const char *value;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (take(line, texts[i].key, &value)) {
            const char *copy = ct_arena_copy(&question->arena, value, strlen(value));

            *texts[i].out = copy ? copy : "";
        }
    if (take(line, "units", &value))
        question->compute_units = (uint32_t)strtoul(value, NULL, 10);
    if (take(line, "size", &value))
        read_size(question, value);
}

static bool send_all(int socket, const struct ct_str *text)
{
    size_t at = 0;

    while (at < text->length) {
        ssize_t sent = write(socket, text->data + at, text->length - at);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += (size_t)sent;
    }
    return true;
}

/* Texts of others have no line ends on the way. */
static void put_text(struct ct_str *out, const char *key, const char *text)
{
    ct_str_addf(out, "%s ", key);
    for (size_t i = 0; i < CT_QUESTION_LINE / 2 && text[i]; i++)
        ct_str_putc(out, text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
    ct_str_putc(out, '\n');
}

static void put_answer(struct ct_str *out, const struct ct_injection *answer)
{
    put_text(out, "experiment", answer->experiment);
    put_text(out, "text", answer->text);
    if (answer->has_local)
        ct_str_addf(out, "local %llu %llu %llu\n", (unsigned long long)answer->local[0],
                    (unsigned long long)answer->local[1],
                    (unsigned long long)answer->local[2]);
    if (answer->has_global)
        ct_str_addf(out, "global %llu %llu %llu\n", (unsigned long long)answer->global[0],
                    (unsigned long long)answer->global[1],
                    (unsigned long long)answer->global[2]);
    for (size_t i = 0; i < answer->option_count; i++)
        put_text(out, "option", answer->options[i]);
    for (size_t i = 0; i < answer->macro_count; i++) {
        ct_str_addf(out, "macro %s", answer->macros[i].name);
        put_text(out, "", answer->macros[i].value);
    }
    ct_str_addf(out, "time %.0f %.0f\nevidence %d\ndistance %.3f\n", answer->time_ns,
                answer->default_time_ns, answer->evidence, answer->distance);
}

static bool answer_one(int socket, struct ct_injection_question *question)
{
    struct ct_injection found;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status = ct_injection_find(question, &found, &err);
    struct ct_str text;
    bool sent;

    ct_str_init(&text);
    if (status == CT_OK)
        put_answer(&text, &found);
    else if (status == CT_E_NOT_FOUND)
        ct_str_puts(&text, "none\n");
    else
        put_text(&text, "error", err.message);
    ct_str_puts(&text, "end\n");
    sent = !text.failed && send_all(socket, &text);
    ct_str_release(&text);
    return sent;
}

int ct_answers_serve(int socket)
{
    struct ct_injection_question question = {0};
    bool wrong = false;
    bool good = true;
    char *line = NULL;
    size_t room = 0;
    FILE *in = fdopen(socket, "r");

    /* The program may go on after an interrupt. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    while (in && good && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "ask") == 0 || strcmp(line, "wrong") == 0) {
            ct_arena_release(&question.arena);
            ct_injection_question_init(&question);
            wrong = *line == 'w';
        } else if (strcmp(line, "end") != 0) {
            read_line(&question, line);
        } else if (wrong) {
            ct_injection_store_wrong(&question);
            good = write(socket, "end\n", 4) == 4;
        } else {
            good = answer_one(socket, &question);
        }
    }
    ct_arena_release(&question.arena);
    free(line);
    if (in)
        fclose(in);
    return 0;
}
