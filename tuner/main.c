// SPDX-License-Identifier: Apache-2.0
// The program: a command of the user's, or a worker process of our own.
#include "cli/cli.h"
#include "measure/measure.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], CT_WORKER_ARGUMENT) == 0)
        return ct_worker_main();
    return ct_cli_main(argc, argv);
}
