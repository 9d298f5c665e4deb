// SPDX-License-Identifier: Apache-2.0
// Starts, watches and ends worker processes.
#define _GNU_SOURCE // environ, pipe2
#include "schedule/worker.h"
#include "schedule/measure.h"

#include "base/clock.h"
#include "base/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- interrupts: state of a signal handler has to be global --- */

static atomic_bool interrupted;
static atomic_int wake_write = -1;
static int wake_read = -1;
static pthread_once_t wake_once = PTHREAD_ONCE_INIT;

static void make_wake_pipe(void)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
        return;
    wake_read = fds[0];
    atomic_store(&wake_write, fds[1]);
}

void ct_measure_interrupt(void)
{
    int saved = errno;
    int fd = atomic_load(&wake_write);

    atomic_store(&interrupted, true);
    /* Never emptied: from now on every wait ends at once. */
    if (fd >= 0 && write(fd, "", 1) < 0) {
        /* A full pipe serves as well. */
    }
    errno = saved;
}

bool ct_worker_interrupted(void)
{
    return atomic_load(&interrupted);
}

enum ct_status ct_worker_prepare(struct ct_err *err)
{
    pthread_once(&wake_once, make_wake_pipe);
    if (wake_read < 0)
        return ct_err_set(err, CT_E_WORKER, "cannot create a pipe for signals");
    return CT_OK;
}

/* --- starting --- */

/* Whether `entry` ("NAME=value") sets one of the variables. */
static bool is_set_by(const struct ct_plan_env *env, size_t env_count, const char *entry)
{
    for (size_t i = 0; i < env_count; i++) {
        size_t length = strlen(env[i].name);

        if (!strncmp(entry, env[i].name, length) && entry[length] == '=')
            return true;
    }
    return false;
}

/* This process's environment with `env` on top, terminated by NULL; NULL if out of memory. */
static char **make_environment(const struct ct_plan_env *env, size_t env_count,
                               struct ct_arena *arena)
{
    size_t count = 0;
    size_t kept = 0;
    char **list;

    while (environ[count])
        count++;
    list = ct_arena_array(arena, count + env_count + 1, sizeof(*list));
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_set_by(env, env_count, environ[i]))
            list[kept++] = environ[i];
    for (size_t i = 0; i < env_count; i++) {
        if (!env[i].value)
            continue;
        list[kept] = ct_arena_format(arena, "%s=%s", env[i].name, env[i].value);
        if (!list[kept++])
            return NULL;
    }
    return list;
}

static int spawn(struct ct_worker *worker, int socket, int output, char **environment)
{
    static char argument[] = CT_WORKER_ARGUMENT;
    char name[4096] = "cltune"; /* the program's path, for ps */
    char *argv[] = {name, argument, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    ssize_t length = readlink("/proc/self/exe", name, sizeof(name) - 1);
    int code;

    if (length > 0)
        name[length] = '\0';
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, CT_PROTOCOL_FD);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
    code = posix_spawn(&worker->pid, "/proc/self/exe", &actions, &attributes, argv,
                       environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* A descriptor above those assigned to the child, so that none is overwritten before it is used;
 * the old one is closed. */
static int raised(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, CT_PROTOCOL_FD + 1);

    close(fd);
    return high;
}

/* Makes the two channels: this side's in the worker, the child's in `socket` and `output`. */
static enum ct_status make_channels(struct ct_worker *worker, int *socket, int *output,
                                    struct ct_err *err)
{
    int sockets[2];
    int pipes[2];
    int code;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        return ct_err_set(err, CT_E_WORKER, "socketpair: %s", strerror(errno));
    if (pipe2(pipes, O_CLOEXEC)) {
        code = errno;
        close(sockets[0]);
        close(sockets[1]);
        return ct_err_set(err, CT_E_WORKER, "pipe: %s", strerror(code));
    }
    *socket = raised(sockets[1]);
    *output = raised(pipes[1]);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    worker->socket = sockets[0];
    worker->output = pipes[0];
    return CT_OK;
}

enum ct_status ct_worker_start(struct ct_worker *worker, const struct ct_plan_env *env,
                               size_t env_count, struct ct_err *err)
{
    struct ct_arena arena = {0};
    char **environment;
    int socket = -1;
    int output = -1;
    int code;
    enum ct_status status = ct_worker_prepare(err);

    memset(worker, 0, sizeof(*worker));
    ct_frame_init(&worker->frame);
    worker->frame.reads_ahead = true;
    worker->socket = -1;
    worker->output = -1;
    worker->memory_kills = ct_outside_memory_kills();
    if (status)
        return status;
    environment = make_environment(env, env_count, &arena);
    status =
        environment ? make_channels(worker, &socket, &output, err) : ct_err_nomem(err);
    if (status)
        goto out;
    code = socket < 0 || output < 0 ? EMFILE : spawn(worker, socket, output, environment);
    if (socket >= 0)
        close(socket);
    if (output >= 0)
        close(output);
    if (code) {
        worker->pid = 0;
        ct_worker_end(worker, false);
        status = ct_err_set(err, CT_E_WORKER, "cannot start a worker process: %s",
                            strerror(code));
    }
out:
    ct_arena_release(&arena);
    return status;
}

/* --- communicating --- */

static void drain_output(struct ct_worker *worker)
{
    char chunk[CT_WORKER_TAIL];
    ssize_t got;

    while (worker->output >= 0) {
        got = read(worker->output, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(worker->output);
            worker->output = -1;
            return;
        }
        for (ssize_t i = 0; i < got; i++)
            worker->tail[worker->tail_total++ % CT_WORKER_TAIL] = chunk[i];
    }
}

/* As ppoll(). */
static int poll_until(struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
    uint64_t now_ns = ct_clock_now_ns();
    struct timespec timeout = {0, 0};

    if (now_ns < deadline_ns) {
        timeout.tv_sec = (time_t)((deadline_ns - now_ns) / 1000000000);
        timeout.tv_nsec = (long)((deadline_ns - now_ns) % 1000000000);
    }
    return ppoll(fds, (nfds_t)count, &timeout, NULL);
}

void ct_worker_poll(struct ct_worker *const *workers, size_t count, uint64_t deadline_ns)
{
    ct_worker_poll_with(workers, count, -1, deadline_ns);
}

void ct_worker_poll_with(struct ct_worker *const *workers, size_t count, int descriptor,
                         uint64_t deadline_ns)
{
    struct pollfd fds[2 + 2 * CT_WORKER_POLL_MAX];
    size_t used = 0;

    fds[used++] = (struct pollfd){.fd = wake_read, .events = POLLIN};
    fds[used++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    for (size_t i = 0; i < count && i < CT_WORKER_POLL_MAX; i++) {
        fds[used++] = (struct pollfd){.fd = workers[i]->socket, .events = POLLIN};
        fds[used++] = (struct pollfd){.fd = workers[i]->output, .events = POLLIN};
    }
    if (poll_until(fds, used, deadline_ns) < 0)
        return;
    for (size_t i = 0; i < count && i < CT_WORKER_POLL_MAX; i++) {
        workers[i]->quiet = !fds[2 + 2 * i].revents;
        workers[i]->silent = !fds[3 + 2 * i].revents;
    }
}

bool ct_worker_was_quiet(struct ct_worker *worker)
{
    bool quiet = worker->quiet;

    worker->quiet = false;
    return quiet;
}

/* Waits for space to send, output or an interrupt.  CT_WORKER_MESSAGE: try again. */
static enum ct_worker_event wait_for_room(struct ct_worker *worker, uint64_t deadline_ns)
{
    struct pollfd fds[3] = {{.fd = wake_read, .events = POLLIN},
                            {.fd = worker->socket, .events = POLLOUT},
                            {.fd = worker->output, .events = POLLIN}};
    uint64_t look_ns = 1000000000;

    if (ct_worker_interrupted())
        return CT_WORKER_STOP;
    if (ct_clock_now_ns() >= deadline_ns)
        return CT_WORKER_LATE;
    ct_worker_go_on(worker);
    look_ns += ct_clock_now_ns();
    poll_until(fds, 3, look_ns < deadline_ns ? look_ns : deadline_ns);
    drain_output(worker);
    return ct_worker_interrupted() ? CT_WORKER_STOP : CT_WORKER_MESSAGE;
}

static enum ct_worker_event dead(struct ct_worker *worker)
{
    /* The socket is closed because the process is dying: a short wait reveals the cause, which
     * SIGKILL would hide. */
    ct_worker_end(worker, true);
    return CT_WORKER_DEAD;
}

static enum ct_worker_event send_bytes(struct ct_worker *worker, const char *bytes,
                                       size_t length, int passed, uint64_t deadline_ns)
{
    while (length) {
        ptrdiff_t sent =
            ct_frame_send(worker->socket, bytes, length, passed, MSG_DONTWAIT);

        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
            passed = -1;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            enum ct_worker_event event = wait_for_room(worker, deadline_ns);

            if (event != CT_WORKER_MESSAGE)
                return event;
        } else if (!(sent < 0 && errno == EINTR)) {
            return dead(worker);
        }
    }
    return CT_WORKER_MESSAGE;
}

enum ct_worker_event ct_worker_send(struct ct_worker *worker, enum ct_message type,
                                    const struct ct_str *payload, int passed,
                                    uint64_t deadline_ns)
{
    const size_t little = 65536;
    struct ct_str head;
    enum ct_worker_event event;

    ct_str_init(&head);
    ct_frame_put_head(&head, type, payload->length);
    /* In one piece, so that the worker wakes once. */
    if (payload->length < little)
        ct_str_add(&head, payload->data, payload->length);
    if (head.failed)
        event = dead(worker);
    else
        event = send_bytes(worker, head.data, head.length, passed, deadline_ns);
    if (event == CT_WORKER_MESSAGE && payload->length >= little)
        event = send_bytes(worker, payload->data, payload->length, -1, deadline_ns);
    ct_str_release(&head);
    return event;
}

/* Output that has come since the worker was last waited for. */
static void note_output(struct ct_worker *worker)
{
    if (!worker->silent)
        drain_output(worker);
    worker->silent = true;
}

enum ct_worker_event ct_worker_peek(struct ct_worker *worker, uint64_t deadline_ns,
                                    enum ct_message *type)
{
    enum ct_frame_state state;

    state = ct_frame_read(&worker->frame, worker->socket, MSG_DONTWAIT, type);
    note_output(worker);
    if (state == CT_FRAME_DONE)
        return CT_WORKER_MESSAGE;
    if (state != CT_FRAME_AGAIN)
        return dead(worker);
    return ct_worker_without_message(worker, deadline_ns);
}

enum ct_worker_event ct_worker_without_message(struct ct_worker *worker,
                                               uint64_t deadline_ns)
{
    note_output(worker);
    if (ct_worker_interrupted())
        return CT_WORKER_STOP;
    return ct_clock_now_ns() >= deadline_ns ? CT_WORKER_LATE : CT_WORKER_QUIET;
}

/* --- ending --- */

/* Waits up to `patience_ns` for the process to end: a process that a driver blocks in the kernel
 * may never do so. */
static bool reap(struct ct_worker *worker, uint64_t patience_ns)
{
    uint64_t until_ns = ct_clock_now_ns() + patience_ns;
    struct timespec pause = {0, 200000};

    for (;;) {
        pid_t got = waitpid(worker->pid, &worker->wait_status, WNOHANG);

        if (got == worker->pid) {
            worker->reaped = true;
            return true;
        }
        /* Reaped elsewhere: SIGCHLD is ignored, or another loop waits for all. */
        if (got < 0 && errno != EINTR)
            return true;
        if (ct_clock_now_ns() >= until_ns)
            return false;
        drain_output(worker);
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000)
            pause.tv_nsec *= 2;
    }
}

void ct_worker_let_go(struct ct_worker *worker)
{
    if (worker->socket >= 0)
        close(worker->socket);
    worker->socket = -1;
}

bool ct_worker_has_left(struct ct_worker *worker)
{
    drain_output(worker);
    return worker->pid <= 0 || worker->reaped || reap(worker, 0);
}

void ct_worker_end(struct ct_worker *worker, bool kindly)
{
    const uint64_t second_ns = 1000000000;

    ct_worker_let_go(worker);
    if (worker->pid > 0) {
        bool gone = worker->reaped || (kindly && reap(worker, 2 * second_ns));

        /* Also the compilers and linkers that it has started. */
        kill(-worker->pid, SIGKILL);
        if (!gone) {
            worker->killed = true;
            kill(worker->pid, SIGKILL);
            reap(worker, 10 * second_ns);
        }
        worker->pid = 0;
    }
    drain_output(worker);
    if (worker->output >= 0)
        close(worker->output);
    worker->output = -1;
    ct_frame_release(&worker->frame);
}

/* The last lines of its output, joined into one. */
static void add_tail(const struct ct_worker *worker, struct ct_str *out)
{
    enum { KEEP = 600 };
    size_t length = worker->tail_total < KEEP ? (size_t)worker->tail_total : (size_t)KEEP;
    uint64_t from = worker->tail_total - length;
    size_t start;

    while (length && strchr(" \n\r", worker->tail[(from + length - 1) % CT_WORKER_TAIL]))
        length--;
    if (!length)
        return;
    ct_str_puts(out, ": ");
    start = out->length;
    for (size_t i = 0; i < length; i++) {
        char c = worker->tail[(from + i) % CT_WORKER_TAIL];

        if (c == '\n' && out->length > start)
            ct_str_puts(out, " | ");
        else if ((unsigned char)c >= ' ')
            ct_str_putc(out, c);
    }
}

/* "SIGSEGV"; sigabbrev_np is too new to be available everywhere. */
static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},
        {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},
        {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"},
        {SIGQUIT, "SIGQUIT"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},
        {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"},
        {SIGXFSZ, "SIGXFSZ"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].number == number)
            return names[i].name;
    return "a signal";
}

/* The signal, not sent by cltune, that a dead worker died of; 0: none. */
static int death_signal(const struct ct_worker *worker)
{
    return worker->reaped && !worker->killed && WIFSIGNALED(worker->wait_status)
               ? WTERMSIG(worker->wait_status)
               : 0;
}

/* Whether the system has killed processes for their memory since a worker was started, or does
 * not report that. */
static bool memory_was_short(const struct ct_worker *worker)
{
    uint64_t kills = ct_outside_memory_kills();

    return kills == UINT64_MAX || kills != worker->memory_kills;
}

bool ct_worker_killed(const struct ct_worker *worker)
{
    return death_signal(worker) == SIGKILL;
}

int ct_worker_outside(const struct ct_worker *worker)
{
    int number = death_signal(worker);

    if (!ct_outside_signal(number) || (number == SIGKILL && memory_was_short(worker)))
        return 0;
    return number;
}

bool ct_worker_go_on(struct ct_worker *worker)
{
    siginfo_t info = {0};

    if (worker->pid <= 0 || waitid(P_PID, (id_t)worker->pid, &info, WSTOPPED | WNOHANG) ||
        !info.si_pid)
        return false;
    worker->stops++;
    kill(-worker->pid, SIGCONT);
    return true;
}

void ct_worker_death(const struct ct_worker *worker, struct ct_str *out)
{
    int status = worker->wait_status;

    if (!worker->reaped)
        ct_str_puts(out, "died");
    else if (WIFSIGNALED(status))
        ct_str_addf(out, "was killed by %s (%s)", signal_name(WTERMSIG(status)),
                    strsignal(WTERMSIG(status)));
    else
        ct_str_addf(out, "exited with status %d", WEXITSTATUS(status));
    add_tail(worker, out);
}
