// SPDX-License-Identifier: Apache-2.0
// Runs a program under the layer.
#define _GNU_SOURCE // environ
#include "capture/start.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t program; /* its process, for the handler; 0: none */

static void pass_on(int number)
{
    if (program)
        kill((pid_t)program, number);
}

/* Ctrl-C reaches the program by the terminal; what reaches this process alone is passed on. */
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* VALUE, in front of what the environment has already. */
static char *in_front(const char *name, const char *value, const char *separator)
{
    const char *before = getenv(name);
    struct ct_str text;

    ct_str_init(&text);
    ct_str_puts(&text, value);
    if (before && *before)
        ct_str_addf(&text, "%s%s", separator, before);
    return ct_str_detach(&text);
}

/* Our own environment is the program's: nothing else is started later. */
static enum ct_status set_environment(const struct ct_program_file *file,
                                      const char *layer,
                                      const struct ct_variable *variables, size_t count,
                                      struct ct_err *err)
{
    const char *name = file->preload ? "LD_PRELOAD" : "OPENCL_LAYERS";
    char *list = in_front(name, layer, ":");
    bool good = list && setenv(name, list, 1) == 0;

    free(list);
    for (size_t i = 0; i < count && good; i++)
        good = variables[i].value ? setenv(variables[i].name, variables[i].value, 1) == 0
                                  : unsetenv(variables[i].name) == 0;
    return good ? CT_OK : ct_err_nomem(err);
}

enum ct_status ct_start_run(const struct ct_program_file *file, const char *layer,
                            char *const *argv, const struct ct_variable *variables,
                            size_t variable_count, struct ct_program_end *end,
                            struct ct_err *err)
{
    uint64_t begun = ct_clock_now_ns();
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t pid = 0;
    int status = 0;
    int code;

    if (set_environment(file, layer, variables, variable_count, err))
        return CT_E_NOMEM;
    posix_spawnattr_init(&attributes);
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ); /* which this process ignores */
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    code = posix_spawn(&pid, file->path, NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (code)
        return ct_err_set(err, CT_E_USAGE, "cannot run '%s': %s", file->path,
                          strerror(code));
    program = (sig_atomic_t)pid;
    watch_signals();
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    program = 0;
    *end = (struct ct_program_end){.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                                                 : WEXITSTATUS(status),
                                   .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                                   .seconds = (double)(ct_clock_now_ns() - begun) / 1e9};
    return CT_OK;
}

enum ct_status ct_start_replace(const struct ct_program_file *file, const char *layer,
                                char *const *argv, const struct ct_variable *variables,
                                size_t variable_count, struct ct_err *err)
{
    if (layer && set_environment(file, layer, variables, variable_count, err))
        return CT_E_NOMEM;
    signal(SIGXFSZ, SIG_DFL); /* which this process ignores */
    execve(file->path, argv, environ);
    return ct_err_set(err, CT_E_USAGE, "cannot run '%s': %s", file->path,
                      strerror(errno));
}
