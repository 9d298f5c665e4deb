// SPDX-License-Identifier: Apache-2.0
// The keeper's process, and the worker's side of it.
#define _GNU_SOURCE // ppoll, execvpe
#include "worker/command/keeper.h"

#include "base/clock.h"
#include "protocol/trim.h"
#include "worker/command/family.h"
#include "worker/command/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often the temporary folder is measured while a command runs. */
static const uint64_t look_ns = 200000000;
/* How long what a command has started may take to end by itself after it. */
static const uint64_t grace_ns = 300000000;
/* How long clean-up commands may take. */
static const uint64_t cleanup_ns = 60000000000;

/* --- the child that becomes the command --- */

static void limit_file_size(uint64_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit))
        return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > bytes)
        limit.rlim_cur = limit.rlim_max = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void default_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Becomes the command; on failure writes the errno to `told`. */
static void become(const struct ct_keeper_job *job, const char **words, int told)
{
    static const char nothing[] = "/dev/null";
    const char *input = job->command->input ? job->command->input : nothing;
    int in = open(input, O_RDONLY | O_CLOEXEC);
    int error;

    /* No terminal to ask for a password, and one group to kill. */
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    default_signals();
    limit_file_size(job->command->disk_bytes);
    if (in >= 0 && dup2(in, 0) == 0 && dup2(job->output, 1) == 1 &&
        dup2(job->output, 2) == 2 && !chdir(job->folder)) {
        setenv("TMPDIR", job->own->path.data, 1);
        execvp(words[0], (char *const *)(uintptr_t)words);
    }
    error = errno;
    if (write(told, &error, sizeof(error)) < 0) {
        /* The parent sees the exit status. */
    }
    _exit(127);
}

/* --- one command --- */

static void note_child(int number)
{
    (void)number; /* it only ends a wait */
}

/* Whether the worker has closed its end. */
static bool abandoned(int socket)
{
    char byte;

    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool is_full(const struct ct_keeper_job *job)
{
    return ct_folder_size(job->own->path.data) > job->command->disk_bytes;
}

/* Waits until the child has ended, which it reaps, or must be ended. */
static enum ct_keeper_result await(const struct ct_keeper_job *job, int socket, pid_t pid,
                                   uint64_t limit_ns, int *wait_status)
{
    uint64_t begun_ns = ct_clock_now_ns();
    struct pollfd fd = {.fd = socket, .events = POLLIN};
    sigset_t none;

    sigemptyset(&none);
    for (;;) {
        struct timespec pause = {0, (long)look_ns};
        uint64_t passed_ns = ct_clock_now_ns() - begun_ns;

        if (waitpid(pid, wait_status, WNOHANG) == pid)
            return CT_KEEPER_ENDED;
        if ((limit_ns && passed_ns >= limit_ns) || abandoned(socket))
            return CT_KEEPER_LATE;
        if (passed_ns >= look_ns && is_full(job))
            return CT_KEEPER_FULL;
        if (limit_ns && limit_ns - passed_ns < look_ns)
            pause.tv_nsec = (long)(limit_ns - passed_ns);
        ppoll(&fd, 1, &pause, &none);
    }
}

/* Runs words[0 .. count) and kills what is left of it. */
static void run_one(const struct ct_keeper_job *job, int socket, const char **words,
                    uint64_t limit_ns, struct ct_keeper_report *report)
{
    uint64_t begun_ns = ct_clock_now_ns();
    int told[2];
    pid_t pid;

    report->end = CT_KEEPER_NOT_BEGUN;
    report->error = 0;
    if (pipe2(told, O_CLOEXEC)) {
        report->error = errno;
        return;
    }
    pid = fork();
    if (pid == 0)
        become(job, words, told[1]);
    report->error = pid < 0 ? errno : 0;
    close(told[1]);
    /* Ends when the command has begun. */
    if (pid > 0 && read(told[0], &report->error, sizeof(report->error)) <= 0)
        report->error = 0;
    close(told[0]);
    if (pid > 0 && !report->error)
        report->end = await(job, socket, pid, limit_ns, &report->wait_status);
    report->wall_ns += ct_clock_now_ns() - begun_ns;
    if (report->end == CT_KEEPER_ENDED)
        ct_family_wait(grace_ns);
    report->left += ct_family_kill();
    if (report->end == CT_KEEPER_ENDED && is_full(job))
        report->end = CT_KEEPER_FULL;
}

static bool succeeded(const struct ct_keeper_report *report)
{
    return report->end == CT_KEEPER_ENDED && WIFEXITED(report->wait_status) &&
           WEXITSTATUS(report->wait_status) == 0;
}

/* Runs commands that "&&" separates, until one fails. */
static void run_words(const struct ct_keeper_job *job, int socket,
                      const struct ct_plan_words *words, uint64_t limit_ns,
                      struct ct_keeper_report *report)
{
    const char **list = calloc(words->count + 3, sizeof(*list));
    size_t from = 0;

    memset(report, 0, sizeof(*report));
    while (list && from < words->count) {
        size_t count = 0;
        size_t at = from;

        if (job->command->shell) {
            list[count++] = "/bin/sh";
            list[count++] = "-c";
        }
        while (at < words->count &&
               (job->command->shell || strcmp(words->words[at], "&&") != 0))
            list[count++] = words->words[at++];
        list[count] = NULL;
        report->failed = (uint32_t)from;
        if (count)
            run_one(job, socket, list, limit_ns, report);
        if (!succeeded(report))
            break;
        from = at + 1;
    }
    free(list);
}

/* --- the keeper --- */

/* The worker's connections would look alive as long as they are open here. */
static void close_others(const int *kept, size_t count)
{
    DIR *dir = opendir("/proc/self/fd");

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        bool keep = *entry->d_name == '.' || fd <= 2 || fd == dirfd(dir);

        for (size_t i = 0; i < count; i++)
            keep = keep || fd == kept[i];
        if (!keep)
            close(fd);
    }
    if (dir)
        closedir(dir);
}

static void set_up_keeper(const struct ct_keeper_job *job, int socket)
{
    const int kept[] = {socket, job->output, job->own->lock};
    struct sigaction action = {.sa_handler = note_child};
    sigset_t child;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    close_others(kept, sizeof(kept) / sizeof(kept[0]));
    /* Only the worker's end, and SIGKILL, end it. */
    for (int i = 1; i < NSIG; i++)
        if (i != SIGCHLD && i != SIGSEGV && i != SIGBUS && i != SIGABRT)
            signal(i, SIG_IGN);
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
}

static void clean_up(const struct ct_keeper_job *job)
{
    struct ct_keeper_report report;

    ct_family_kill();
    /* Without the socket, whose closed end would stop the commands at once. */
    if (job->command->cleanup.count)
        run_words(job, -1, &job->command->cleanup, cleanup_ns, &report);
    ct_scratch_close(job->own);
}

static void keep(const struct ct_keeper_job *job, int socket)
{
    enum ct_keeper_request request;

    set_up_keeper(job, socket);
    while (recv(socket, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
        const struct ct_plan_command *command = job->command;
        struct ct_keeper_report report;

        if (request == CT_KEEPER_SETUP)
            run_words(job, socket, &command->setup, 0, &report);
        else
            run_words(job, socket, &command->run, command->limit_ns, &report);
        if (send(socket, &report, sizeof(report), MSG_NOSIGNAL) < 0)
            break;
    }
    clean_up(job);
    _exit(0);
}

/* --- the worker's side --- */

enum ct_status ct_keeper_start(struct ct_keeper *keeper, const struct ct_keeper_job *job,
                               struct ct_err *err)
{
    int sockets[2];

    keeper->pid = 0;
    keeper->socket = -1;
    /* What a keeper leaves that is killed comes to the worker. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
        return ct_err_set(err, CT_E_WORKER, "socketpair: %s", strerror(errno));
    keeper->pid = fork();
    if (keeper->pid == 0) {
        close(sockets[0]);
        keep(job, sockets[1]);
    }
    close(sockets[1]);
    if (keeper->pid < 0) {
        keeper->pid = 0;
        close(sockets[0]);
        return ct_err_set(err, CT_E_WORKER, "fork: %s", strerror(errno));
    }
    keeper->socket = sockets[0];
    return CT_OK;
}

void ct_keeper_ask(struct ct_keeper *keeper, enum ct_keeper_request request)
{
    /* If it is gone, there will be no answer. */
    if (send(keeper->socket, &request, sizeof(request), MSG_NOSIGNAL) < 0)
        shutdown(keeper->socket, SHUT_RDWR);
}

/* Whether there is something to receive, or the keeper is gone. */
static bool answers_until(const struct ct_keeper *keeper, uint64_t until_ns)
{
    struct pollfd fd = {.fd = keeper->socket, .events = POLLIN};
    int ready;

    do {
        uint64_t now_ns = ct_clock_now_ns();
        uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
        const struct timespec wait = {(time_t)(left_ns / 1000000000),
                                      (long)(left_ns % 1000000000)};

        ready = ppoll(&fd, 1, &wait, NULL);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

bool ct_keeper_answer(struct ct_keeper *keeper, uint64_t until_ns,
                      struct ct_keeper_report *report)
{
    ssize_t got;

    if (until_ns != UINT64_MAX && !answers_until(keeper, until_ns))
        return false;
    do
        got = recv(keeper->socket, report, sizeof(*report), 0);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(*report))
        return true;
    memset(report, 0, sizeof(*report));
    report->end = CT_KEEPER_KILLED;
    ct_family_kill_orphans();
    return true;
}

void ct_keeper_run(struct ct_keeper *keeper, enum ct_keeper_request request,
                   struct ct_keeper_report *report)
{
    ct_keeper_ask(keeper, request);
    ct_keeper_answer(keeper, UINT64_MAX, report);
}

void ct_keeper_end(struct ct_keeper *keeper)
{
    if (!keeper->pid)
        return;
    close(keeper->socket);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    keeper->pid = 0;
    keeper->socket = -1;
}
