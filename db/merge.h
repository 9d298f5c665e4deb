// SPDX-License-Identifier: Apache-2.0
// Copies results from other databases into one: merging, and exports of a part.
#ifndef CT_DB_MERGE_H
#define CT_DB_MERGE_H

#include "base/map.h"
#include "db/store.h"

/* What is copied; {0}: everything. */
struct ct_db_selection {
    const char *kernel; /* name; NULL: all */
    const char *device; /* pattern, as ct_name_matches; NULL: all */
    /* For giving away: of each kernel, device and problem only successful results, and of these
     * the best and its `runners_up`; nothing that names a file, a folder or a host processor. */
    bool contribute;
    size_t runners_up;
    /* The number of a layer below what is there (0: of none): then results of a kernel, device and
     * problem are copied only if there are none yet, and its sources of a kernel count as older. */
    uint32_t layer;
};

/* What a merge did. */
struct ct_db_merged {
    uint64_t results;  /* that were read */
    uint64_t added;    /* were not there */
    uint64_t replaced; /* are newer than the stored ones, or come from a play-off */
    uint64_t devices;  /* that were added */
    uint64_t kernels;
    uint64_t runs;
};

/* Merges the files at `paths` into `db`: all of them or, after a failure, none.  Repeating it changes
 * nothing, and the order of the files does not matter, but for the place of a new kernel's space file: of two results of one experiment, kernel and
 * problem that from a play-off counts, else the one measured last.  What is in flight elsewhere is
 * not copied.
 *
 * A file is data: it must pass ct_db_open, SQLite's integrity check and that of its references; its
 * problems must have their hashes, its scores their results' values, and nothing may be of the future.
 * CT_E_DB: it does not, or its schema is another one; CT_E_USAGE: it is `db` itself; as for ct_db_open. */
enum ct_status ct_db_merge(struct ct_db *db, const char *const *paths, size_t count,
                           const struct ct_db_selection *selection,
                           struct ct_db_merged *out, struct ct_err *err);

/* Copies what the open database `from` knows, as selected; nothing of it after a failure.  Unlike files
 * that are merged, it is not checked as a whole: `db` is a draft. */
enum ct_status ct_db_merge_layer(struct ct_db *db, struct ct_db *from,
                                 const struct ct_db_selection *selection,
                                 struct ct_err *err);

/* --- shared by merge*.c --- */

enum {
    CT_MERGE_DAY_S = 24 * 60 * 60
}; /* by which a time may be in the future: clocks differ */

/* The identities of copied rows, by those in the source, ascending. */
struct ct_merge_ids {
    struct ct_merge_id {
        int64_t from;
        int64_t to;
    } * items;
    size_t count;
    size_t capacity;
};

/* 0: not copied. */
int64_t ct_merge_id_of(const struct ct_merge_ids *ids, int64_t from);

/* NULL: the source has none of that identity. */
const struct ct_merge_id *ct_merge_ids_find(const struct ct_merge_ids *ids, int64_t from);

/* Results of one kernel on a device for a problem, by their identities in `to`. */
struct ct_merge_subject {
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    bool mixed; /* had results before, so that they compete with the new ones */
};

/* A result of the source. */
struct ct_merge_row {
    int64_t from; /* its identities */
    int64_t to;   /* 0: its row is not the stored one */
    int64_t configuration_hash;
    double
        value; /* what its scores must be: under the objective of its run, and others */
    double time_ns;
    double end_to_end_ns;
    uint32_t objective; /* of its run, in ct_merge.objectives */
    uint32_t subject;   /* in ct_merge.subjects, if it is stored */
    bool ok;            /* its status, so that it competes */
    bool alone;         /* no result of its configuration was there before it */
};

/* Objectives with their directions, which get numbers. */
struct ct_merge_objectives {
    char **items;
    size_t count;
    size_t capacity;
    uint32_t *of_runs; /* in the order of ct_merge.runs */
    size_t run_capacity;
};

/* An index of the target that is missing during a merge. */
struct ct_merge_later {
    char *sql; /* what makes it; NULL: it is there */
};

struct ct_merge {
    struct ct_db *to;
    struct ct_db *from;
    const struct ct_db_selection *selection;
    bool checked; /* the source is a stranger's file: all of it is checked */
    struct ct_db_merged *done;
    /* The experiments of all results in the target, so that most rows are known to be new without
     * looking them up; NULL: the target had results before. */
    struct ct_map *seen;
    struct ct_map *configurations; /* likewise those of their subjects; NULL: as `seen` */
    struct ct_merge_later *later;  /* NULL: no index is missing */
    struct ct_merge_ids devices;
    struct ct_merge_ids kernels;
    struct ct_merge_ids problems;
    struct ct_merge_ids runs;
    struct ct_merge_ids leaders; /* for contributions: the only results to copy; to: 1 */
    struct ct_merge_row *rows;   /* all results of the source, ascending by `from` */
    size_t row_count;
    size_t row_capacity;
    struct ct_merge_subject *subjects; /* in the order in which they were found */
    size_t subject_count;
    size_t subject_capacity;
    uint32_t *ordered_subjects; /* their numbers, for finding them */
    size_t ordered_capacity;
    struct ct_merge_objectives objectives;
};

/* Drops the index of configurations from a target that has no results. */
enum ct_status ct_merge_index_drop(struct ct_merge_later *later, struct ct_db *db,
                                   struct ct_err *err);

/* Makes it now, unless it is there; `later` may be NULL. */
enum ct_status ct_merge_index_make(struct ct_merge_later *later, struct ct_db *db,
                                   struct ct_err *err);

void ct_merge_index_release(struct ct_merge_later *later);

enum ct_status ct_merge_ids_add(struct ct_merge_ids *ids, int64_t from, int64_t to,
                                struct ct_err *err);

/* A row of the source breaks a rule of the schema; its status. */
enum ct_status ct_merge_refuse(const char *path, const char *why, struct ct_err *err);

/* A row of the source's table refers to one that is missing; its status. */
enum ct_status ct_merge_missing(const char *path, const char *table, struct ct_err *err);

/* A time of the source is in the future, which would count for ever; its status. */
enum ct_status ct_merge_future(const char *path, struct ct_err *err);

/* Texts of a result, and of its kernel the macros that follow from the problem. */
struct ct_merge_gift {
    const char *flags;
    const char *configuration;
    const char *macros;
    const char *metrics;
};

/* What others get of them: known options, metrics with plain names.  CT_E_DB: a path may be among
 * them; it names the database at `path`. */
enum ct_status ct_merge_give(const struct ct_merge_gift *gift, const char *path,
                             struct ct_str *flags, struct ct_str *metrics,
                             struct ct_err *err);

/* Of each subject the best and its runners-up, which are all that is given away. */
enum ct_status ct_merge_find_leaders(struct ct_merge *merge, struct ct_err *err);

/* NULL: the source has no such result. */
const struct ct_merge_row *ct_merge_row_of(const struct ct_merge *merge, int64_t from);

/* Copies results, then their scores and rankings; bests follow. */
enum ct_status ct_merge_results(struct ct_merge *merge, struct ct_err *err);
enum ct_status ct_merge_scores(struct ct_merge *merge, struct ct_err *err);

/* Makes `best` the first of each objective of these subjects; rankings that have lost their pick
 * end. */
enum ct_status ct_merge_settle(struct ct_db *db, const struct ct_merge_subject *subjects,
                               size_t count, struct ct_err *err);

#endif
