/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bests from a text file: main FILE DEVICE VENDOR TYPE.  Needs nothing but the reader. */
#include "cltunedb-mini.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    cltunedb_mini_query query = {0};
    const cltunedb_mini_answer *best = NULL;
    cltunedb_mini *db = NULL;
    char group[16] = "0";

    query.kernel = "scale";
    query.device = argc > 2 ? argv[2] : NULL;
    query.vendor = argc > 3 ? argv[3] : NULL;
    query.type = argc > 4 ? argv[4] : NULL;
    if (argc > 1 && cltunedb_mini_open(argv[1], &db) == CLTUNEDB_MINI_OK)
        best = cltunedb_mini_find(db, &query);
    if (best)
        cltunedb_mini_value(best, "WG", group, sizeof(group));
    printf("%s: %s, groups of %s\n", best ? "tuned" : "defaults",
           best ? best->flags : "-D ITEMS=1 -D WG=0", group);
    cltunedb_mini_close(db);
    return 0;
}
