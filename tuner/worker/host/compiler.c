// SPDX-License-Identifier: Apache-2.0
// A child process with three pipes.
#define _GNU_SOURCE // environ; pipe2, whose descriptors do not leak into other children
#include "worker/host/compiler.h"

#include "base/mem.h"
#include "protocol/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT_MAX = 65536, ERRORS_MAX = 65536, OUTPUT_MAX = 256 * 1024 * 1024 };

static void add_word(struct ct_command *command, const char *word, size_t length)
{
    /* One more than needed, so that the list stays terminated. */
    if (!ct_mem_grow(&command->words, &command->capacity, command->count + 2,
                     sizeof(*command->words))) {
        command->failed = true;
        return;
    }
    command->words[command->count] = ct_mem_copy(word, length);
    if (command->words[command->count])
        command->count++;
    else
        command->failed = true;
}

void ct_command_add(struct ct_command *command, const char *words)
{
    while (words && *words) {
        size_t length;

        words += strspn(words, " \t");
        length = strcspn(words, " \t");
        if (length)
            add_word(command, words, length);
        words += length;
    }
}

void ct_command_word(struct ct_command *command, const char *word)
{
    add_word(command, word, strlen(word));
}

void ct_command_release(struct ct_command *command)
{
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
    free(command->words);
    memset(command, 0, sizeof(*command));
}

/* Reads both pipes until the child has closed them. */
static void collect_output(int output_fd, int errors_fd, struct ct_str *output,
                           struct ct_str *errors)
{
    struct pollfd fds[2] = {{.fd = output_fd, .events = POLLIN},
                            {.fd = errors_fd, .events = POLLIN}};

    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++) {
            struct ct_str *to = i ? errors : output;
            size_t limit = i ? ERRORS_MAX : OUTPUT_MAX;
            char chunk[16384];
            ssize_t got;

            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            got = read(fds[i].fd, chunk, sizeof(chunk));
            if (got > 0 && to->length < limit)
                ct_str_add(to, chunk, (size_t)got);
            else if (got == 0 || (got < 0 && errno != EINTR))
                fds[i].fd = -1;
        }
    }
}

/* This process's environment, with another folder for temporary files; NULL if out of memory.
 * Only the list and the string are the caller's to free. */
static char **make_environment(struct ct_str *tmpdir)
{
    size_t count = 0;
    size_t kept = 0;
    char **list;

    while (environ[count])
        count++;
    list = ct_mem_array(count + 2, sizeof(*list));
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            list[kept++] = environ[i];
    if (list)
        list[kept] = tmpdir->data;
    return list;
}

static enum ct_status start_compiler(struct ct_command *command, const char *folder,
                                     int pipes[3][2], pid_t *pid, struct ct_err *err)
{
    posix_spawn_file_actions_t actions;
    struct ct_str tmpdir;
    char **environment;
    int code;

    ct_str_init(&tmpdir);
    ct_str_addf(&tmpdir, "TMPDIR=%s", folder);
    environment = tmpdir.failed ? NULL : make_environment(&tmpdir);
    if (!environment) {
        ct_str_release(&tmpdir);
        return ct_err_nomem(err);
    }

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2);
    code =
        posix_spawnp(pid, command->words[0], &actions, NULL, command->words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    ct_str_release(&tmpdir);
    if (code)
        return ct_err_set(err, CT_E_IO, "cannot run the C compiler '%s': %s",
                          command->words[0], strerror(code));
    return CT_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

enum ct_status ct_command_run(struct ct_command *command, const struct ct_str *input,
                              struct ct_str *output, struct ct_str *errors,
                              int *exit_status, struct ct_err *err)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    enum ct_status status = CT_OK;
    struct ct_scratch scratch;
    pid_t pid = -1;
    int state = 0;

    if (command->failed || !command->count || input->failed)
        return ct_err_nomem(err);
    status = ct_scratch_open(&scratch, err);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC))
            status = ct_err_set(err, CT_E_IO, "pipe: %s", strerror(errno));
    /* A pipe holds 64 KiB: writing before the reader exists cannot block. */
    if (!status &&
        (input->length >= INPUT_MAX ||
         write(pipes[0][1], input->data, input->length) != (ssize_t)input->length))
        status = ct_err_set(err, CT_E_IO, "too much text for the C compiler");
    if (!status)
        status = start_compiler(command, scratch.path.data, pipes, &pid, err);
    close_fd(&pipes[0][0]);
    close_fd(&pipes[0][1]);
    close_fd(&pipes[1][1]);
    close_fd(&pipes[2][1]);
    if (!status) {
        collect_output(pipes[1][0], pipes[2][0], output, errors);
        while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
            ;
        *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
        if (output->failed || errors->failed)
            status = ct_err_nomem(err);
    }
    close_fd(&pipes[1][0]);
    close_fd(&pipes[2][0]);
    ct_scratch_close(&scratch);
    return status;
}
