/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a program binary for a device: FILE NAME VENDOR TYPE DRIVER [PLATFORM VERSION]. */
#include "cltunedb-binary.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    cltunedb_binary_device device = CLTUNEDB_BINARY_DEVICE_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES];
    cltunedb_binary *binary;
    cltunedb_status status;

    if (argc < 6)
        return 9;
    device.name = argv[2];
    device.vendor = argv[3];
    device.type = argv[4];
    device.driver_version = argv[5];
    device.platform_name = argc > 6 ? argv[6] : NULL;
    device.platform_version = argc > 7 ? argv[7] : NULL;
    status = cltunedb_binary_load(argv[1], &device, &binary, message, sizeof(message));
    if (status != CLTUNEDB_OK) {
        puts(message);
        return status;
    }
    printf("%s %s\n", binary->kernel, binary->experiment);
    for (size_t i = 0; i < binary->program_count; i++)
        printf("program %.31s\n", (const char *)binary->programs[i].bytes);
    for (size_t i = 0; i < binary->launch_count; i++) {
        const cltunedb_binary_launch *launch = &binary->launches[i];

        printf("launch %s %zu %zu/%zu x%zu\n", launch->kernel, launch->program,
               launch->global[0], launch->local[0], launch->times);
    }
    cltunedb_binary_free(binary);
    return 0;
}
