// SPDX-License-Identifier: Apache-2.0
// A process of cltune that answers.
#define _GNU_SOURCE // clone, dladdr, environ, fopencookie
#include "layer/ask.h"

#include "layer/questions.h"

#include "base/mem.h"
#include "base/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, ANSWER_S = 20, NAME_DIGITS = 16 };

static int channel = -1;
static FILE *answers;
static atomic_bool failed; /* nobody answers: said once, never tried again */
/* One question at a time.  No call of the driver's is made under it. */
static pthread_mutex_t conversation = PTHREAD_MUTEX_INITIALIZER;

/* --- the process --- */

/* The program beside the layer, or in the folder of programs next to the layer's own. */
static bool find_program(char *out)
{
    static const char *const places[] = {"cltune", "../bin/cltune"};
    const char *named = ct_layer_variable("CLTUNE_PROGRAM");
    Dl_info self;

    if (named)
        return realpath(named, out) != NULL;
    if (!dladdr((void *)&answers, &self) || !self.dli_fname)
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *slash = strrchr(self.dli_fname, '/');
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%.*s%s",
                 slash ? (int)(slash + 1 - self.dli_fname) : 0, self.dli_fname,
                 places[i]);
        if (realpath(path, out) && access(out, X_OK) == 0)
            return true;
    }
    return false;
}

struct start {
    const char *path;
    char **environment;
    int socket;
};

/* In the child, which shares this process's memory until it runs the program. */
static int run(void *given)
{
    const struct start *start = given;
    static char name[] = "cltune";
    static char argument[] = CT_ANSWERS_ARGUMENT;
    char *argv[] = {name, argument, NULL};
    sigset_t none;

    if (dup2(start->socket, STDIN_FILENO) < 0)
        _exit(127);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->path, argv, start->environment);
    _exit(127);
}

/* The environment without what brings the layer into programs. */
static char **make_environment(void)
{
    static const char *const dropped[] = {"LD_PRELOAD=", "OPENCL_LAYERS=", "CLTUNE_EXEC",
                                          "CLTUNE_CAPTURE"};
    size_t count = 0;
    size_t kept = 0;
    char **list;

    while (environ[count])
        count++;
    list = ct_mem_array(count + 1, sizeof(*list));
    for (size_t i = 0; list && i < count; i++) {
        bool drop = false;

        for (size_t d = 0; d < sizeof(dropped) / sizeof(*dropped); d++)
            drop = drop || strncmp(environ[i], dropped[d], strlen(dropped[d])) == 0;
        if (!drop)
            list[kept++] = environ[i];
    }
    return list;
}

/* A child that ends without a signal: programs that wait for any child of theirs never see it. */
static pid_t start_child(struct start *start)
{
    char *stack = ct_mem_array(STACK_BYTES, 1);
    sigset_t all;
    sigset_t before;
    pid_t child = -1;

    if (!stack)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    child = clone(run, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    return child;
}

/* Reads from the socket, whose limit makes any signal of the program's end the wait. */
static ssize_t read_socket(void *socket, char *bytes, size_t length)
{
    struct timespec now;
    struct timespec start;
    ssize_t got;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        got = read(*(const int *)socket, bytes, length);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (got < 0 && errno == EINTR && now.tv_sec - start.tv_sec < ANSWER_S);
    return got;
}

static bool start_answers(void)
{
    char path[PATH_MAX];
    struct start start = {.path = path, .environment = make_environment()};
    struct timeval limit = {.tv_sec = ANSWER_S};
    const cookie_io_functions_t reader = {.read = read_socket};
    int fds[2] = {-1, -1};
    bool good = start.environment && find_program(path) &&
                socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0;

    if (good) {
        start.socket = fds[1];
        good = start_child(&start) > 0;
        close(fds[1]);
        setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        channel = fds[0];
        answers = good ? fopencookie(&channel, "r", reader) : NULL;
    }
    free(start.environment);
    if (answers)
        return true;
    if (fds[0] >= 0)
        close(fds[0]);
    channel = -1;
    return false;
}

/* --- questions --- */

static void put_launch(struct ct_str *out, const struct ct_layer_launch *launch)
{
    const struct ct_layer_kernel *kernel = launch->record;

    ct_str_addf(out, "kernel %s@%.*s\n", kernel->name, (int)NAME_DIGITS,
                kernel->program->hash.text);
    ct_layer_put_device(out, ct_layer_device_of(launch->queue));
    for (cl_uint i = 0; i < launch->dimensions; i++)
        ct_str_addf(out, "size %u %zu\n", i, launch->global[i]);
}

static bool send_text(struct ct_str *text)
{
    size_t at = 0;

    ct_str_puts(text, "end\n");
    while (!text->failed && at < text->length) {
        ssize_t sent = send(channel, text->data + at, text->length - at, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += (size_t)sent;
    }
    return !text->failed;
}

/* --- answers --- */

static char *copy_of(const char *text)
{
    return ct_mem_copy(text, strlen(text));
}

static void read_macro(struct ct_ask_answer *out, const char *value)
{
    size_t length = strcspn(value, " ");
    size_t capacity = out->macro_count;

    if (!value[length] ||
        !ct_mem_grow(&out->macros, &capacity, out->macro_count + 1, sizeof(*out->macros)))
        return;
    out->macros[out->macro_count].name = ct_mem_copy(value, length);
    value += length;
    out->macros[out->macro_count].value = copy_of(value + strspn(value, " "));
    if (out->macros[out->macro_count].name && out->macros[out->macro_count].value)
        out->macro_count++;
}

static void read_option(struct ct_ask_answer *out, const char *value)
{
    size_t capacity = out->option_count;

    if (ct_mem_grow(&out->options, &capacity, out->option_count + 1,
                    sizeof(*out->options)))
        out->options[out->option_count] = copy_of(value);
    if (out->options && out->options[out->option_count])
        out->option_count++;
}

/* One line; false if it says that there is nothing. */
static bool read_line(struct ct_ask_answer *out, char *line)
{
    char *value = line + strcspn(line, " ");

    if (*value)
        *value++ = '\0';
    if (strcmp(line, "experiment") == 0)
        snprintf(out->experiment, sizeof(out->experiment), "%s", value);
    else if (strcmp(line, "text") == 0 && !out->text)
        out->text = copy_of(value);
    else if (strcmp(line, "local") == 0)
        out->has_local = sscanf(value, "%zu %zu %zu", &out->local[0], &out->local[1],
                                &out->local[2]) == 3;
    else if (strcmp(line, "global") == 0)
        out->has_global = sscanf(value, "%zu %zu %zu", &out->global[0], &out->global[1],
                                 &out->global[2]) == 3;
    else if (strcmp(line, "option") == 0)
        read_option(out, value);
    else if (strcmp(line, "macro") == 0)
        read_macro(out, value);
    else if (strcmp(line, "error") == 0) {
        ct_layer_say("the program runs as it is: %s", value);
        failed = true;
        return false;
    } else
        return strcmp(line, "none") != 0;
    return true;
}

/* The process is gone: said once. */
static void give_up(void)
{
    if (!failed)
        ct_layer_say("stored configurations are not known: nobody answers");
    failed = true;
}

static bool read_answer(struct ct_ask_answer *out)
{
    char *line = NULL;
    size_t room = 0;
    bool found = true;
    bool ended = false;

    while (!ended && getline(&line, &room, answers) > 0) {
        line[strcspn(line, "\n")] = '\0';
        ended = strcmp(line, "end") == 0;
        if (!ended)
            found = read_line(out, line) && found;
    }
    free(line);
    if (!ended)
        give_up();
    return ended && found && out->text;
}

/* Sends a question and reads the answer; false if nothing is known. */
static bool converse(struct ct_str *question, struct ct_ask_answer *out)
{
    bool good = false;

    pthread_mutex_lock(&conversation);
    if (failed) {
        /* Said before. */
    } else if (channel < 0 && !start_answers()) {
        ct_layer_say(
            "stored configurations are not known: the program cltune is not beside "
            "its layer; name it with CLTUNE_PROGRAM");
        failed = true;
    } else if (send_text(question)) {
        good = read_answer(out);
    } else {
        give_up();
    }
    pthread_mutex_unlock(&conversation);
    return good;
}

bool ct_ask(const struct ct_layer_launch *launch, struct ct_ask_answer *out)
{
    struct ct_str text;
    bool good;

    *out = (struct ct_ask_answer){.options = NULL};
    if (failed)
        return false;
    ct_str_init(&text);
    ct_str_puts(&text, "ask\n");
    put_launch(&text, launch);
    good = converse(&text, out);
    ct_str_release(&text);
    if (!good)
        ct_ask_release(out);
    return good;
}

void ct_ask_release(struct ct_ask_answer *answer)
{
    for (size_t i = 0; i < answer->macro_count; i++) {
        free(answer->macros[i].name);
        free(answer->macros[i].value);
    }
    for (size_t i = 0; i < answer->option_count; i++)
        free(answer->options[i]);
    free(answer->macros);
    free(answer->options);
    free(answer->text);
    *answer = (struct ct_ask_answer){.options = NULL};
}

void ct_ask_tell_wrong(const struct ct_layer_launch *launch,
                       const struct ct_ask_answer *answer)
{
    struct ct_ask_answer none = {.options = NULL};
    struct ct_str text;

    if (failed)
        return;
    ct_str_init(&text);
    ct_str_puts(&text, "wrong\n");
    put_launch(&text, launch);
    ct_str_addf(&text, "experiment %s\n", answer->experiment);
    /* Whoever asks after the program finds it stored. */
    converse(&text, &none);
    ct_ask_release(&none);
    ct_str_release(&text);
}

void ct_ask_forget(void)
{
    if (channel >= 0)
        close(channel);
    channel = -1;
    failed = true;
}
