// SPDX-License-Identifier: Apache-2.0
// Runs a command of a batch system, and reads its answer.
#include "cli/submit.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ANSWER_MOST = 1 << 16 };

/* Starts it with nothing to read, and both outputs on `output`.  0, or an errno. */
static int spawn_words(char *const *words, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                             O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads to the end; what is beyond the limit is lost. */
static void read_answer(int fd, struct ct_str *answer)
{
    char chunk[4096];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR))
        if (got > 0 && answer->length < ANSWER_MOST)
            ct_str_add(answer, chunk, (size_t)got);
    while (answer->length && answer->data[answer->length - 1] == '\n')
        answer->data[--answer->length] = '\0';
}

enum ct_status ct_cli_submit(const char *const *words, struct ct_str *answer, int *status,
                             struct ct_err *err)
{
    size_t count = 0;
    char **copy;
    int ends[2];
    int ended = 0;
    int error;
    pid_t pid;

    while (words[count])
        count++;
    copy = ct_mem_array(count + 1, sizeof(*copy));
    if (!copy)
        return ct_err_nomem(err);
    memcpy(copy, words, count * sizeof(*copy)); /* posix_spawn changes nothing */
    error = pipe(ends) ? errno : 0;
    if (!error) {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        error = spawn_words(copy, ends[1], &pid);
        close(ends[1]);
        if (!error) {
            read_answer(ends[0], answer);
            while (waitpid(pid, &ended, 0) < 0 && errno == EINTR) {
            }
        }
        close(ends[0]);
    }
    free(copy);
    if (error)
        return ct_err_set(err, error == ENOENT ? CT_E_NOT_FOUND : CT_E_IO,
                          "cannot run %s: %s", words[0], strerror(error));
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return answer->failed ? ct_err_nomem(err) : CT_OK;
}
