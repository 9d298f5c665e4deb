// SPDX-License-Identifier: Apache-2.0
// The program: a command of the user's, or a worker process of our own.
#include "capture/answers.h"
#include "cli/cli.h"
#include "layer/questions.h"
#include "protocol/protocol.h"
#include "worker/worker_main.h"

#include <dirent.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens what is closed of standard input, output and error, before anything else takes
 * their numbers and receives what is printed: databases, workers' sockets.  Standard
 * output is opened for reading, so that what is lost there is noticed.  False when that
 * cannot be done. */
static bool open_standard(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};

    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        /* The lowest number is taken; without devices any folder does. */
        if (open("/dev/null", modes[fd]) != fd && open("/", O_RDONLY) != fd)
            return false;
    }
    return true;
}

/* Whatever else our caller has open is no business of drivers, kernels, references and
 * compilers, which all run in processes that we start. */
static void close_inherited_on_exec(void)
{
    DIR *dir = opendir("/proc/self/fd");

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        long fd = strtol(entry->d_name, NULL, 10);

        if (fd > 2)
            fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    }
    if (dir)
        closedir(dir);
}

/* Arrays that grow with a search stay in mappings of their own, which grow in place and go back to
 * the system; by default glibc moves such blocks into the heap once one of their size was freed.
 * Not in workers, where drivers and the user's code allocate. */
static void keep_large_blocks_apart(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    /* That also ends its adaption of this one, and the heap's end would come and go. */
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, char **argv)
{
    if (!open_standard())
        return CT_EXIT_FAILED;
    close_inherited_on_exec();
    if (argc > 1 && strcmp(argv[1], CT_WORKER_ARGUMENT) == 0)
        return ct_worker_main();
    if (argc > 1 && strcmp(argv[1], CT_ANSWERS_ARGUMENT) == 0)
        return ct_answers_serve(STDIN_FILENO);
    keep_large_blocks_apart();
    return ct_cli_main(argc, argv);
}
