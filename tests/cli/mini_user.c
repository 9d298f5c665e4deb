/* SPDX-License-Identifier: Apache-2.0 */
/* Asks cltunedb-mini: mini_user FILE [NAME=TEXT...] with the members of the query, and
 * value=PARAMETER for the value to show (WG); --damage FILE flips every
 * bit and cuts the file at every length, and counts what is not refused. */
#include "cltunedb-mini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int opens(const char *path, const char *text, size_t length)
{
    cltunedb_mini *db;
    FILE *file = fopen(path, "wb");
    int status;

    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
        exit(9);
    status = cltunedb_mini_open(path, &db);
    cltunedb_mini_close(db);
    return status == CLTUNEDB_MINI_OK;
}

static int damage(const char *path)
{
    static char text[1 << 16];
    char copy[4096];
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof(text), file) : 0;
    size_t i;
    int passed = 0;

    if (!file || fclose(file) != 0 || length < 100)
        return 9;
    snprintf(copy, sizeof(copy), "%s.damaged", path);
    if (!opens(copy, text, length))
        return 8;
    for (i = 0; i < length; i++) {
        int bit;

        for (bit = 0; bit < 8; bit += 3) {
            text[i] = (char)(text[i] ^ (1 << bit));
            passed += opens(copy, text, length);
            text[i] = (char)(text[i] ^ (1 << bit));
        }
        passed += opens(copy, text, i);
    }
    printf("%d\n", passed);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"kernel", "device",  "vendor",   "type",
                                        "driver", "problem", "objective"};
    cltunedb_mini_query query = {0, 0, 0, 0, 0, 0, 0};
    const char **const members[] = {&query.kernel,   &query.device, &query.vendor,
                                    &query.type,     &query.driver, &query.problem,
                                    &query.objective};
    const cltunedb_mini_answer *best;
    cltunedb_mini *db;
    char value[64];
    const char *shown = "WG";
    int status;
    int i;

    if (argc == 3 && strcmp(argv[1], "--damage") == 0)
        return damage(argv[2]);
    status = cltunedb_mini_open(argc > 1 ? argv[1] : "", &db);
    if (status)
        return status;
    for (i = 2; i < argc; i++) {
        size_t m;

        if (strncmp(argv[i], "value=", 6) == 0)
            shown = argv[i] + 6;
        for (m = 0; m < sizeof(names) / sizeof(names[0]); m++)
            if (strncmp(argv[i], names[m], strlen(names[m])) == 0 &&
                argv[i][strlen(names[m])] == '=')
                *members[m] = argv[i] + strlen(names[m]) + 1;
    }
    best = cltunedb_mini_find(db, &query);
    if (!best)
        puts("none");
    else
        printf("%d|%s|%s|%.17g|%s|%s|%s\n", best->evidence, best->device, best->problem,
               best->time_ns, best->flags, best->problem_distance > 0 ? "near" : "exact",
               cltunedb_mini_value(best, shown, value, sizeof(value)) ? value : "-");
    cltunedb_mini_close(db);
    return 0;
}
