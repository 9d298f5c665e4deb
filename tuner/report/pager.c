// SPDX-License-Identifier: Apache-2.0
// A pager, run by the shell as git and man do, since $PAGER may have options.
#include "report/pager.h"

#include "report/screen.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NOT_FOUND = 127 };

const char *ct_pager_program(void)
{
    const char *pager = getenv("PAGER");
    const char *terminal = getenv("TERM");

    if (!isatty(STDOUT_FILENO) || (terminal && strcmp(terminal, "dumb") == 0))
        return NULL;
    if (!pager)
        return "less";
    return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

bool ct_pager_strikes(const char *program)
{
    size_t length = strcspn(program, " ");
    const char *name = program;

    for (size_t i = 0; i < length; i++)
        if (program[i] == '/')
            name = program + i + 1;
    length -= (size_t)(name - program);
    return length == 4 && (memcmp(name, "less", 4) == 0 || memcmp(name, "more", 4) == 0);
}

/* Starts it with the reading end of a pipe as its standard input. */
static bool start_pager(const char *program, int input, int other, pid_t *pid)
{
    char shell[] = "/bin/sh", option[] = "-c", *command = strdup(program);
    char *words[] = {shell, option, command, NULL};
    posix_spawn_file_actions_t actions;
    bool started = false;

    if (!command)
        return false;
    if (posix_spawn_file_actions_init(&actions) == 0) {
        started = posix_spawn_file_actions_addclose(&actions, other) == 0 &&
                  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0 &&
                  posix_spawn_file_actions_addclose(&actions, input) == 0 &&
                  posix_spawn(pid, shell, &actions, NULL, words, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    free(command);
    return started;
}

/* A pager that is left early reads no further. */
static void feed(int fd, const struct ct_str *text)
{
    for (size_t at = 0; at < text->length;) {
        ssize_t written = write(fd, text->data + at, text->length - at);

        if (written < 0 && errno != EINTR)
            return;
        at += written > 0 ? (size_t)written : 0;
    }
}

bool ct_pager_show(const char *program, const struct ct_str *text)
{
    void (*on_pipe)(int);
    void (*on_interrupt)(int);
    int ends[2];
    int result = 0;
    pid_t pid;
    bool started;

    fflush(ct_screen_out());
    if (pipe(ends))
        return false;
    /* As git's: leave at once if the text fits, and keep it on the screen. */
    setenv("LESS", "FRX", 0);
    /* The pager has its own meaning for Ctrl-C. */
    on_pipe = signal(SIGPIPE, SIG_IGN);
    started = start_pager(program, ends[0], ends[1], &pid);
    on_interrupt = signal(SIGINT, SIG_IGN);
    close(ends[0]);
    if (started)
        feed(ends[1], text);
    close(ends[1]);
    while (started && waitpid(pid, &result, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGPIPE, on_pipe);
    signal(SIGINT, on_interrupt);
    return started && !(WIFEXITED(result) && WEXITSTATUS(result) == NOT_FOUND);
}
