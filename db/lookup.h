// SPDX-License-Identifier: Apache-2.0
// Answering questions from a store: what db/cltunedb.c puts behind its public face.
#ifndef CT_DB_LOOKUP_H
#define CT_DB_LOOKUP_H

#include "db/cltunedb.h"
#include "db/internal.h"

/* Answers, and all that they point to. */
struct cltunedb_answers {
    struct ct_arena arena;
    cltunedb_answer *items;
    size_t count;
    size_t capacity;
};

/* As cltunedb_find, on an open store.  CT_E_NOT_FOUND, CT_E_USAGE, CT_E_DB,
 * CT_E_NOMEM. */
enum ct_status ct_lookup_find(struct ct_db *db, const cltunedb_query *query,
                              struct cltunedb_answers **out, struct ct_err *err);

void ct_lookup_free(struct cltunedb_answers *answers);

/* --- shared by lookup.c, asked.c, group.c, answer.c and subjects.c --- */

struct ct_look_device {
    int64_t id;
    const char *name;
    const char *vendor;
    const char *type;
    const char *driver;
    uint32_t compute_units;
    const char *name_key;
    const char *vendor_key;
    const char *architecture;
    cltunedb_evidence evidence; /* what its results are worth for the question */
};

/* One version of a kernel's source. */
struct ct_look_kernel {
    int64_t id;
    const char *name;
};

struct ct_look_problem {
    int64_t id;
    const char *json;
    struct ct_db_value *values;
    size_t count;
};

/* A row of `best` that may answer. */
struct ct_look_row {
    const struct ct_look_device *device;
    size_t version; /* index into look.kernels: within a name the newest comes first */
    const struct ct_look_problem *problem;
    const char *objective;
    bool maximize;
    double value;
    int64_t result_id;
    int64_t measured_unix_s;
    double distance; /* of its problem from the one asked for */
};

struct ct_look {
    struct ct_db *db;
    cltunedb_query query;
    struct ct_arena arena; /* what only the search needs */
    struct ct_look_device *devices;
    size_t device_count;
    struct ct_look_kernel *kernels; /* by name, the newest version first */
    size_t kernel_count;
    struct ct_look_problem **problems; /* those met so far; each lives in the arena */
    size_t problem_count;
    size_t problem_capacity;
    struct ct_look_row *rows;
    size_t row_count;
    size_t row_capacity;
    struct cltunedb_answers *answers;
    const char *other_objective; /* one that is stored where the wanted one is not */
    const char *other_problem;   /* one that has not the names asked for */
    bool reading;                /* a read transaction is open */
};

/* Begins a look-up: what is read until ct_look_end is of one moment.  Devices are loaded
 * and rated, kernels loaded.  To be ended also after a failure. */
enum ct_status ct_look_begin(struct ct_look *look, struct ct_db *db,
                             const cltunedb_query *query, struct ct_err *err);
void ct_look_end(struct ct_look *look);

/* Fills look->rows with what devices of this evidence have of kernels [first, end): of
 * the objective asked for, and of problems with the names asked for. */
enum ct_status ct_look_load_rows(struct ct_look *look, cltunedb_evidence evidence,
                                 size_t first, size_t end, struct ct_err *err);

/* A problem by its identity; lives as long as the look-up. */
enum ct_status ct_look_find_problem(struct ct_look *look, int64_t id,
                                    const struct ct_look_problem **out,
                                    struct ct_err *err);

/* How far a problem is from the one asked for: the Euclidean distance over the names
 * asked for; infinite when it lacks one, or has another text. */
double ct_look_distance(const cltunedb_query *query,
                        const struct ct_look_problem *problem);

/* Sets the error that says why there is no answer: CT_E_NOT_FOUND. */
enum ct_status ct_look_nothing(struct ct_look *look, struct ct_err *err);

/* Copies a text; NULL and *failed when memory is short. */
const char *ct_look_copy(struct ct_arena *arena, const char *text, bool *failed);

/* Fills look->devices; then says of each what its results are worth (asked.c). */
enum ct_status ct_look_load_devices(struct ct_look *look, struct ct_err *err);
enum ct_status ct_look_rate_devices(struct ct_look *look, struct ct_err *err);

/* Appends the answer that a row's result gives. `members` and `relative` as in
 * cltunedb_answer; `newest` is the index of the newest version of the kernel. */
enum ct_status ct_look_answer(struct ct_look *look, const struct ct_look_row *row,
                              size_t newest, size_t members, double relative,
                              struct ct_err *err);

/* Puts the answers in their order. */
void ct_look_sort(struct cltunedb_answers *answers);

/* Answers for a group of devices from look->rows, which hold one row for each device
 * under one version, problem and objective (those of rows[0]); `newest` as above. */
enum ct_status ct_look_group(struct ct_look *look, const struct ct_look_row *rows,
                             size_t count, size_t newest, struct ct_err *err);

#endif
