// SPDX-License-Identifier: Apache-2.0
// What a kernel's configurations reach on several devices and for several problems.
#ifndef CT_DB_POINTS_H
#define CT_DB_POINTS_H

#include "db/store.h"

/* A device with a problem. */
struct ct_db_point {
    const char *device_name;
    const char *device_vendor;
    const char *device_type;
    const char *driver_version;
    uint32_t compute_units;
    const struct ct_db_value *limits; /* "DEVICE_LOCAL_MEM_SIZE", ... as far as stored */
    size_t limit_count;
    const char *problem_json;
    const struct ct_db_value *sizes;
    size_t size_count;
    double best;   /* value of the best that can be used there */
    double weight; /* product of those of its sizes; 1 unless given */
    /* Private. */
    int64_t device_id;
    int64_t problem_id;
};

/* A configuration that can be used at a point. */
struct ct_db_cell {
    int64_t configuration; /* hash */
    size_t point;
    double performance; /* best there / this there, above 0, at most 1 */
    bool ranked;        /* by the last play-off there */
};

/* Everything in it, `db` aside, belongs to the arena. */
struct ct_db_points {
    struct ct_arena arena;
    const char *kernel;
    const char *objective;
    bool maximize;
    const char *problem_macros; /* as in ct_db_kernel */
    struct ct_db_point *points; /* by device, then problem */
    size_t point_count;
    struct ct_db_cell *cells; /* by configuration, then point */
    size_t cell_count;
    size_t outdated; /* points left out: they have results of an older source only */
    int64_t kernel_id;
};

/* The values of a size to select, with their weights (NULL: 1 each). */
struct ct_db_points_size {
    const char *name;
    const cltunedb_value *values;
    const double *weights;
    size_t count;
};

/* What is selected.  NULL or "" selects all. */
struct ct_db_points_query {
    const char *kernel;  /* may be left out if the database has one kernel */
    const char *devices; /* patterns as in cltunedb_query, separated by commas */
    const char *objective;
    const struct ct_db_points_size *sizes;
    size_t size_count;
};

/* Reads the points: each stored device with its newest driver, for each problem that has a result of
 * the kernel's newest source.  What failed at a point in any way, and what was wrong or crashed
 * on its device for any problem, is not among its cells.  CT_E_NOT_FOUND says what there is instead, or which pattern or value selects
 * nothing; CT_E_USAGE: the kernel or the objective is ambiguous.  Release `out` in any case. */
enum ct_status ct_db_points_read(struct ct_db *db, const struct ct_db_points_query *query,
                                 struct ct_db_points *out, struct ct_err *err);
void ct_db_points_release(struct ct_db_points *points);

/* The configuration of a cell, as stored at that point; texts belong to the points' arena. */
struct ct_db_point_result {
    const char *configuration; /* JSON */
    const struct ct_db_value *values;
    size_t value_count;
    const char *flags;
    double value; /* of the objective */
};
enum ct_status ct_db_points_result(struct ct_db *db, struct ct_db_points *points,
                                   const struct ct_db_cell *cell,
                                   struct ct_db_point_result *out, struct ct_err *err);

/* The cell of a configuration at a point; NULL: it cannot be used there. */
const struct ct_db_cell *ct_db_points_cell(const struct ct_db_points *points,
                                           int64_t configuration, size_t point);

/* Fills the cells of the points, in their order.  Only for ct_db_points_read. */
enum ct_status ct_db_cells_read(struct ct_db *db, struct ct_db_points *out,
                                struct ct_err *err);

#endif
