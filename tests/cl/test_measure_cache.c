// SPDX-License-Identifier: Apache-2.0
// Where drivers keep their caches: full disks, no place at all, and what they leave, on
// device 0.
#define _GNU_SOURCE // folder.h, unshare
#include "measure_plan.h"
#include "worker/worker_main.h"

#include "protocol/cache.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Runs `body` in a process of its own and returns its exit status. */
static int in_child(int (*body)(void))
{
    pid_t pid;
    int status = 0;

    fflush(NULL);
    pid = fork();
    if (!pid)
        _exit(body());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static const char *in_folder(const char *name)
{
    static char path[160];

    snprintf(path, sizeof(path), "%s/%s", test_folder, name);
    return path;
}

/* --- full disks --- */

static bool mount_small(void)
{
    return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           !mkdir(in_folder("small"), 0700) &&
           !mount("none", in_folder("small"), "tmpfs", 0, "size=8m");
}

static void fill_small(void)
{
    static const char zeros[4096];
    int fd = open(in_folder("small/filler"), O_CREAT | O_WRONLY, 0600);

    while (write(fd, zeros, sizeof(zeros)) > 0) {
    }
    close(fd);
}

/* Evaluates on a full disk, then once there is room again. */
static int evaluate_on_a_full_disk(void)
{
    struct ct_measure_options how = options(60);
    struct ct_outcome outcome;
    struct ct_err err = CT_ERR_INIT;
    struct ct_runner *runner = runner_new();
    struct plan p;
    enum ct_status status;

    fill_small();
    plan_init(&p, "");
    status = ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err);
    if (status != CT_E_IO || !strstr(err.message, in_folder("small")) ||
        !strstr(err.message, "is full")) {
        print_error("%d %s %s\n", (int)status, err.message,
                    status ? "" : outcome.message);
        return 1;
    }
    unlink(in_folder("small/filler"));
    if (ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err) ||
        outcome.status != CT_RESULT_OK)
        return 2;
    ct_outcome_release(&outcome);
    /* With room, failures are the configuration's again. */
    plan_init(&p, "syntax");
    if (ct_runner_evaluate(runner, &p.plan, &how, &outcome, &err) ||
        outcome.status != CT_RESULT_BUILD_FAILED)
        return 3;
    ct_outcome_release(&outcome);
    ct_runner_free(runner);
    return 0;
}

static int own_cache_full(void)
{
    if (!mount_small())
        return 77;
    setenv("XDG_CACHE_HOME", in_folder("small"), 1);
    return evaluate_on_a_full_disk();
}

static int chosen_cache_full(void)
{
    if (!mount_small())
        return 77;
    setenv("POCL_CACHE_DIR", in_folder("small"), 1);
    return evaluate_on_a_full_disk();
}

static void full_disk_is_nobodys_fault(void **state)
{
    int code = in_child(own_cache_full);

    (void)state;
    if (code == 77)
        skip(); /* who is not root cannot mount a small disk */
    assert_int_equal(code, 0);
    assert_int_equal(rmdir(in_folder("small")), 0);
    assert_int_equal(in_child(chosen_cache_full), 0);
}

/* --- no place --- */

static int list_without_a_place(void)
{
    struct ct_arena arena = {0};
    struct ct_devinfo *devices;
    size_t count;
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    setenv("TMPDIR", "/proc/nowhere", 1);
    status = ct_measure_devices(&arena, &devices, &count, &err);
    ct_arena_release(&arena);
    /* A driver that needs none has its devices. */
    if (!status)
        return 78;
    if (status == CT_E_IO && strstr(err.message, "cannot write a cache for the driver") &&
        strstr(err.message, "/proc/nowhere"))
        return 0;
    print_error("%d %s\n", (int)status, err.message);
    return 1;
}

static int list_with_a_wrong_place(void)
{
    setenv("POCL_CACHE_DIR", "/proc/nowhere", 1);
    return list_without_a_place();
}

static void no_place_for_a_cache_is_said(void **state)
{
    int code = in_child(list_without_a_place);

    (void)state;
    if (code == 78)
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(in_child(list_with_a_wrong_place), 0);
}

/* --- what PoCL leaves --- */

static void make_file(const char *folder, const char *name, bool old)
{
    char path[256];
    struct timespec times[2];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    write_file(path, "");
    times[0].tv_sec = times[1].tv_sec = time(NULL) - (old ? 4000 : 3000);
    times[0].tv_nsec = times[1].tv_nsec = 0;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return !access(path, F_OK);
}

static void old_leavings_are_swept(void **state)
{
    char own[160];
    char chosen[160];
    pid_t held;

    (void)state;
    snprintf(own, sizeof(own), "%s/cache/cltune/pocl", test_folder);
    snprintf(chosen, sizeof(chosen), "%s/chosen", test_folder);
    ct_runner_free(runner_new());
    assert_int_equal(access(own, W_OK), 0);
    assert_int_equal(mkdir(chosen, 0700), 0);
    for (int i = 0; i < 2; i++) {
        const char *folder = i ? chosen : own;

        make_file(folder, "tempfile_0a1b2c", true);
        make_file(folder, "tempfile_young", false);
        make_file(folder, "temporary", true);
    }
    /* A young one may be somebody's who holds the folder. */
    held = fork();
    assert_true(held >= 0);
    if (!held) {
        ct_cache_hold(own);
        make_file(own, "tempfile_held", false);
        for (;;)
            pause();
    }
    while (!is_there(own, "tempfile_held"))
        usleep(1000);
    ct_runner_free(runner_new());
    assert_false(is_there(own, "tempfile_0a1b2c"));
    assert_true(is_there(own, "tempfile_young"));
    assert_true(is_there(own, "temporary"));
    kill(held, SIGKILL);
    waitpid(held, NULL, 0);
    ct_runner_free(runner_new());
    assert_false(is_there(own, "tempfile_young"));
    assert_false(is_there(own, "tempfile_held"));
    assert_true(is_there(own, "temporary"));
    setenv("POCL_CACHE_DIR", chosen, 1);
    ct_runner_free(runner_new());
    unsetenv("POCL_CACHE_DIR");
    assert_true(is_there(chosen, "tempfile_0a1b2c"));
}

static int set_up(void **state)
{
    int failed = set_up_folder(state);

    own_driver_cache();
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disk_is_nobodys_fault),
        cmocka_unit_test(no_place_for_a_cache_is_said),
        cmocka_unit_test(old_leavings_are_swept),
    };

    if (argc > 1 && !strcmp(argv[1], CT_WORKER_ARGUMENT))
        return ct_worker_main();
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
