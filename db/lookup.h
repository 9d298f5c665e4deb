// SPDX-License-Identifier: Apache-2.0
// Answers queries from a store, behind the public interface in db/cltunedb.c.
#ifndef CT_DB_LOOKUP_H
#define CT_DB_LOOKUP_H

#include "db/cltunedb.h"
#include "db/internal.h"

/* Answers, and everything they point to. */
struct cltunedb_answers {
    struct ct_arena arena;
    cltunedb_answer *items;
    size_t count;
    size_t capacity;
    struct cltunedb_answers *next; /* what these answers also point to: those of layers */
};

/* As cltunedb_find, on an open store.  CT_E_NOT_FOUND, CT_E_USAGE, CT_E_DB,
 * CT_E_NOMEM. */
enum ct_status ct_lookup_find(struct ct_db *db, const cltunedb_query *query,
                              struct cltunedb_answers **out, struct ct_err *err);

void ct_lookup_free(struct cltunedb_answers *answers);

/* --- shared by lookup.c, device_evidence.c, group.c, answer.c and list.c --- */

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
    cltunedb_evidence evidence; /* how near its results are to the query */
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
    double distance; /* distance of its problem to the queried one */
};

/* A stored device that is asked about, with its limits: "DEVICE_MAX_WORK_GROUP_SIZE", ... */
struct ct_look_asker {
    struct ct_db_value *limits;
    size_t count;
};

/* A result whose needs are judged. */
struct ct_look_result {
    struct ct_db_value *config;
    size_t config_count;
    const struct ct_look_problem *problem;
};

/* Whether a result can run on the devices that are asked about. */
struct ct_look_fit {
    bool fits;             /* nothing that is known says no */
    struct ct_str unknown; /* what would have to be known to be sure, separated by ", " */
    struct ct_str reason;  /* why not, after the device's name */
};

struct ct_look {
    struct ct_db *db;
    cltunedb_query query;
    struct ct_arena arena; /* state of the search */
    struct ct_look_device *devices;
    size_t device_count;
    struct ct_look_kernel *kernels; /* by name, the newest version first */
    size_t kernel_count;
    struct ct_look_problem **problems; /* those used so far; each lives in the arena */
    size_t problem_count;
    size_t problem_capacity;
    struct ct_look_row *rows;
    size_t row_count;
    size_t row_capacity;
    struct cltunedb_answers *answers;
    const char *architecture; /* of the queried device; "": not known */
    struct ct_look_asker
        *askers; /* the stored devices that were asked about; NULL: not read */
    size_t asker_count;
    struct ct_look_asker *relatives; /* those of the same architecture */
    size_t relative_count;
    const char *too_small; /* why the queried device cannot run the best that there is */
    const char *other_objective; /* a stored one instead of the wanted one */
    const char *other_problem;   /* one without the queried names */
    bool reading;                /* a read transaction is open */
};

/* Begins a look-up: everything read until ct_look_end is a consistent snapshot.  Devices are
 * loaded and rated, kernels loaded.  Must be ended also after a failure. */
enum ct_status ct_look_begin(struct ct_look *look, struct ct_db *db,
                             const cltunedb_query *query, struct ct_err *err);
void ct_look_end(struct ct_look *look);

/* Fills look->rows with the results of kernels [first, end) on devices of this evidence: for the
 * queried objective, and problems with the queried names. */
enum ct_status ct_look_load_rows(struct ct_look *look, cltunedb_evidence evidence,
                                 size_t first, size_t end, struct ct_err *err);

/* A problem by its identity; lives as long as the look-up. */
enum ct_status ct_look_find_problem(struct ct_look *look, int64_t id,
                                    const struct ct_look_problem **out,
                                    struct ct_err *err);

/* The distance of a problem from the queried one: the Euclidean distance over the queried names;
 * infinite if it lacks one, or has another text. */
double ct_look_distance(const cltunedb_query *query,
                        const struct ct_look_problem *problem);

/* Sets the error that explains why there is no answer: CT_E_NOT_FOUND. */
enum ct_status ct_look_nothing(struct ct_look *look, struct ct_err *err);

/* Copies a text; NULL and *failed if out of memory. */
const char *ct_look_copy(struct ct_arena *arena, const char *text, bool *failed);

/* Fills look->devices; then rates each as evidence (device_evidence.c). */
enum ct_status ct_look_load_devices(struct ct_look *look, struct ct_err *err);
enum ct_status ct_look_rate_devices(struct ct_look *look, struct ct_err *err);

/* Judges a row's result by the limits that are known of the queried device (fits.c). */
void ct_look_fit_init(struct ct_look_fit *fit);
void ct_look_fit_release(struct ct_look_fit *fit);
enum ct_status ct_look_fits(struct ct_look *look, const struct ct_look_row *row,
                            struct ct_look_fit *fit, struct ct_err *err);

/* Appends the answer from a row's result; `unknown` as unknown_limits of cltunedb_answer.  `members` and `relative` as in cltunedb_answer;
 * `newest` is the index of the newest version of the kernel. */
enum ct_status ct_look_answer(struct ct_look *look, const struct ct_look_row *row,
                              size_t newest, size_t members, double relative,
                              const char *unknown, struct ct_err *err);

/* `rank` relative to the best, both as in `score`; 1 for equals.  Ratios have no meaning for
 * values of 0 or below: then only the best itself counts. */
double ct_look_relative(double best, double rank, bool maximize);

/* Sorts the answers. */
void ct_look_sort(struct cltunedb_answers *answers);

/* Answers for a group of devices from look->rows, which hold one row for each device
 * under one version, problem and objective (those of rows[0]); `newest` as above. */
enum ct_status ct_look_group(struct ct_look *look, const struct ct_look_row *rows,
                             size_t count, size_t newest, struct ct_err *err);

/* The outcome of a public function: copies the reason of a failure to the caller's room. */
cltunedb_status ct_lookup_outcome(enum ct_status status, const struct ct_err *err,
                                  char *message, size_t message_bytes);

#endif
