// SPDX-License-Identifier: Apache-2.0
// What a database contains, whether it is sound, and what is removed from it.
#ifndef CT_DB_MAINTAIN_H
#define CT_DB_MAINTAIN_H

#include "db/store.h"

/* --- contents --- */

struct ct_db_contents {
    int schema;          /* PRAGMA user_version */
    uint64_t file_bytes; /* with its log */
    uint64_t devices;
    uint64_t kernels; /* versions of their sources */
    uint64_t problems;
    uint64_t runs;
    uint64_t results;
    uint64_t ok;          /* of them successful */
    uint64_t bests;       /* subjects with a best */
    uint64_t imported;    /* results that other programs measured */
    int64_t first_unix_s; /* the earliest and the latest measurement; 0: none */
    int64_t last_unix_s;
};

/* Counts; reads as much as there is. */
enum ct_status ct_db_contents_read(struct ct_db *db, struct ct_db_contents *out,
                                   struct ct_err *err);

/* Likewise inside a transaction of the caller. */
enum ct_status ct_db_contents_count(struct ct_db *db, struct ct_db_contents *out,
                                    struct ct_err *err);

/* Removes runs of imports whose results a later import has replaced. */
enum ct_status ct_db_drop_empty_imports(struct ct_db *db, struct ct_err *err);

/* --- checking --- */

struct ct_db_faults {
    struct ct_str
        text; /* a line for each, at most 20 of a kind; initialised and owned by the caller */
    size_t count;
    size_t
        repaired; /* bests that were found again, and 1 for indices that were made anew */
};

/* Checks pages, indices, constraints and references, and whether every best is the first of its
 * scores.  With `repair`, which needs a database open for writing, indices are made anew and bests
 * found again, in one transaction; the faults are those that are left. */
enum ct_status ct_db_check(struct ct_db *db, bool repair, struct ct_db_faults *out,
                           struct ct_err *err);

/* --- removing --- */

/* The results that have all of these properties. */
struct ct_db_pruning {
    int64_t before_unix_s; /* measured before; 0: at any time */
    const char *kernel;    /* NULL: all; CT_E_NOT_FOUND if there is none of the name */
    const char *device;    /* pattern; NULL: all */
    bool outdated; /* only those of sources that are not the newest of their kernel */
    bool dry_run;  /* only count */
};

struct ct_db_pruned {
    uint64_t results; /* that were removed */
    uint64_t kept;    /* that fit, but are a best or were ranked by the last play-off */
    uint64_t runs;
};

/* Removes results and the runs that are left without any, in one transaction; bests and their rivals
 * stay. */
enum ct_status ct_db_prune(struct ct_db *db, const struct ct_db_pruning *pruning,
                           struct ct_db_pruned *out, struct ct_err *err);

#endif
