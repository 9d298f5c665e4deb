// SPDX-License-Identifier: Apache-2.0
// Times look-ups of the library: store_lookup FILE KERNELS DEVICES COUNT prints, in microseconds, a
// look-up with the database open, and one with opening and closing it.
#include "base/clock.h"
#include "db/cltunedb.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool look_up(cltunedb *db, unsigned number, unsigned kernels, unsigned devices)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    char kernel[32];
    char device[32];
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    cltunedb_answers *answers = NULL;
    bool found;

    snprintf(kernel, sizeof(kernel), "kernel%u", number % kernels);
    snprintf(device, sizeof(device), "Card %02u", number * 7 % devices);
    query.kernel = kernel;
    query.device_name = device;
    query.device_vendor = "NVIDIA Corporation";
    query.device_type = "GPU";
    query.driver_version = "550.0";
    found = cltunedb_find(db, &query, &answers, message, sizeof(message)) == CLTUNEDB_OK;
    if (!found)
        fprintf(stderr, "%s\n", message);
    cltunedb_free(answers);
    return found;
}

int main(int argc, char **argv)
{
    unsigned count = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    unsigned kernels = argc == 5 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned devices = argc == 5 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb *db = NULL;
    const unsigned opened = count / 10 + 1;
    uint64_t begun;
    double warm_us;

    if (!count || !kernels || !devices) {
        fprintf(stderr, "usage: store_lookup FILE KERNELS DEVICES COUNT\n");
        return 2;
    }
    if (cltunedb_open(argv[1], &db, message, sizeof(message)) != CLTUNEDB_OK ||
        !look_up(db, 0, kernels, devices)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    begun = ct_clock_now_ns();
    for (unsigned i = 0; i < count; i++)
        look_up(db, i, kernels, devices);
    warm_us = (double)(ct_clock_now_ns() - begun) / 1e3 / count;
    cltunedb_close(db);
    begun = ct_clock_now_ns();
    for (unsigned i = 0; i < opened; i++) {
        cltunedb_open(argv[1], &db, message, sizeof(message));
        look_up(db, i, kernels, devices);
        cltunedb_close(db);
    }
    printf("%.1f %.1f\n", warm_us, (double)(ct_clock_now_ns() - begun) / 1e3 / opened);
    return 0;
}
