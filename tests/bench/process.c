// SPDX-License-Identifier: Apache-2.0
// Runs a command several times and prints the least wall time and the peak memory:
// process RUNS COMMAND...
//
// A program of its own, because a process inherits the peak memory of what forked it:
// measured from a large one, every child is large.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Runs it once with its output thrown away; false when it fails. */
static int run(char **command, double *seconds, long *peak_kib)
{
    double start_s = now_s();
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child < 0)
        return 0;
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);

        if (nowhere >= 0) {
            dup2(nowhere, STDIN_FILENO);
            dup2(nowhere, STDOUT_FILENO);
        }
        execvp(command[0], command);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) != child)
        return 0;
    *seconds = now_s() - start_s;
    *peak_kib = usage.ru_maxrss;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
    double best_s = 0;
    long peak_kib = 0;

    if (runs < 1) {
        fprintf(stderr, "usage: process RUNS COMMAND...\n");
        return 2;
    }
    for (int i = 0; i < runs; i++) {
        double seconds;
        long kib;

        if (!run(argv + 2, &seconds, &kib)) {
            fprintf(stderr, "process: '%s' failed\n", argv[2]);
            return 1;
        }
        if (i == 0 || seconds < best_s)
            best_s = seconds;
        if (kib > peak_kib)
            peak_kib = kib;
    }
    printf("{\"seconds\": %.6f, \"peak_kib\": %ld}\n", best_s, peak_kib);
    return 0;
}
