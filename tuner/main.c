// SPDX-License-Identifier: Apache-2.0
// The program: a command of the user's, or a worker process of our own.
#include "cli/cli.h"
#include "measure/measure.h"

#include <fcntl.h>
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

int main(int argc, char **argv)
{
    if (!open_standard())
        return CT_EXIT_FAILED;
    if (argc > 1 && strcmp(argv[1], CT_WORKER_ARGUMENT) == 0)
        return ct_worker_main();
    return ct_cli_main(argc, argv);
}
