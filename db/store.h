// SPDX-License-Identifier: Apache-2.0
// The store: every device, kernel, problem, run and result that cltune has stored, in one
// SQLite file (doc/schema.md describes the tables; db/cltunedb.h is the look-up for
// others).
//
// Rules that hold for every function here:
// - Functions return CT_OK or a code with one complete sentence in `err` (what, which
//   file, what to do); see ct_db_open for failures common to all of them.
// - A function that writes does so entirely or not at all.  Outside ct_db_begin and
//   ct_db_commit each is one transaction of its own (WAL, synchronous=NORMAL: no fsync,
//   safe against a killed process; a power cut may take the last ones, never the file).
// - Texts passed in are borrowed for the call; NULL counts as "".  Bytes that are not
//   UTF-8 are stored as '?'.  Texts handed out live in the arena that was passed.
// - Unknown real numbers are NAN and stored as NULL, as are infinities.
// - Identities (`*_id`) are positive and belong to one file.
// - A ct_db belongs to one thread at a time.
#ifndef CT_DB_STORE_H
#define CT_DB_STORE_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/value.h"
#include "db/cltunedb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_db;

/* --- the file --- */

enum ct_db_mode {
    CT_DB_READ,  /* never creates nor changes anything; works on read-only media */
    CT_DB_WRITE, /* creates file and schema where missing, migrates an older schema */
};

struct ct_db_options {
    enum ct_db_mode mode;
    int busy_ms; /* wait for another process's lock; 0: 5 s; < 0: not at all */
    /* Reading leaves no file beside it, unless there is a log with changes: nobody may write to it
     * while it is open. */
    bool immutable;
    /* Nobody else opens the file, and it is thrown away unless all goes well: what undoes a group is
     * in memory, not in a log on the disk.  Closed, it can be read on read-only media. */
    bool draft;
};

/* The path of the database that is used without --db: $CLTUNE_DB, else
 * $XDG_DATA_HOME/cltune/cltune.db, else ~/.local/share/cltune/cltune.db; a variable that
 * is empty counts as unset, and so does a relative XDG_DATA_HOME, as the XDG
 * specification requires.  The caller frees `*out`.  CT_E_DB if none of them is set;
 * CT_E_NOMEM. */
enum ct_status ct_db_default_path(char **out, struct ct_err *err);

/* Opens the file at `path` (NULL: the default path).  `options` NULL: write, 5 s.
 *
 * CT_DB_WRITE creates missing folders (mode 0700) only on the way to the default path;
 * else the folder must exist.  Errors, all of which leave the file as it was:
 * - CT_E_NOT_FOUND: CT_DB_READ, and there is no file (or one without a schema yet);
 * - CT_E_DB: the file or folder is read-only or unreadable; another process holds the
 *   lock; the file is damaged or no database; it belongs to another program
 *   (application_id) or was made by a newer cltune (user_version); the disk is full;
 * - CT_E_NOMEM.
 * Every other function returns the same codes if this happens later. */
enum ct_status ct_db_open(const char *path, const struct ct_db_options *options,
                          struct ct_db **out, struct ct_err *err);

/* Closes; NULL is allowed.  A group that was not committed is rolled back. */
void ct_db_close(struct ct_db *db);

/* The path that was opened; lives as long as `db`. */
const char *ct_db_path(const struct ct_db *db);

/* The version of SQLite that this process has loaded, such as "3.40.1". */
const char *ct_db_library_version(void);

/* Starts a group: what follows becomes one transaction that ct_db_commit makes durable or
 * ct_db_rollback undoes.  Groups do not nest (CT_E_INTERNAL).  A write that fails inside a group
 * is undone alone; if the failure ended the whole transaction (disk full), ct_db_commit reports
 * it. */
enum ct_status ct_db_begin(struct ct_db *db, struct ct_err *err);
enum ct_status ct_db_commit(struct ct_db *db, struct ct_err *err);
void ct_db_rollback(struct ct_db *db);

/* --- named values: configurations, problems, metrics --- */

struct ct_db_value {
    const char *name;
    struct ct_value value; /* CT_INT, CT_REAL (finite) or CT_TEXT */
};

/* Appends the canonical JSON of `count` values: one object, names sorted by bytes, no blanks,
 * integers in decimal, reals in the shortest form that reads back the same and always with a
 * point or an exponent.  Equal values give equal bytes.  CT_E_INTERNAL for a value that has no
 * JSON (NAN, CT_NONE) or a duplicate name; CT_E_NOMEM. */
enum ct_status ct_db_canonical(struct ct_str *out, const struct ct_db_value *values,
                               size_t count, struct ct_err *err);

/* Reads such an object back, in its own order.  CT_E_DB if it is invalid. */
enum ct_status ct_db_parse(struct ct_arena *arena, const char *json,
                           struct ct_db_value **out, size_t *count, struct ct_err *err);

/* --- devices, kernels, problems --- */

/* Finds or adds a device.  Its identity: platform name and version, device name, vendor,
 * type, versions of driver and OpenCL, number of compute units. */
enum ct_status ct_db_device_put(struct ct_db *db, const struct ct_devinfo *info,
                                int64_t *device_id, struct ct_err *err);

/* A kernel as declared by a space file.  Its identity is name and source_hash; the other fields
 * are replaced if they are known and differ, so that an extended space continues. */
struct ct_db_kernel {
    const char *name;
    /* Identifies what the results are about: the sources, and whatever else makes the times of
     * all configurations incomparable with earlier ones.  Bests of two source hashes never
     * compete; look-up uses the latest and marks the others as outdated. */
    struct ct_hash source_hash;
    const char *space_path;  /* as the user gave it; NULL or "": there is no file */
    const char *parameters;  /* JSON: {"NAME":[values],...} */
    const char *constraints; /* JSON: [{"name":...,"expression":...},...] */
    /* JSON: {"NAME":"expression",...} of the macros that follow from the problem, in names of the
     * problem and of parameters; null instead of the text if more decides; "": not known */
    const char *problem_macros;
    const char *space_file;    /* the absolute path of space_path; "": not known */
    struct ct_hash space_hash; /* of that file; "": not known */
};

enum ct_status ct_db_kernel_put(struct ct_db *db, const struct ct_db_kernel *kernel,
                                int64_t *kernel_id, struct ct_err *err);

/* Likewise, but of several sources of that name it counts as the one that was used first: results
 * that others have measured never make own ones outdated. */
enum ct_status ct_db_kernel_put_oldest(struct ct_db *db,
                                       const struct ct_db_kernel *kernel,
                                       int64_t *kernel_id, struct ct_err *err);

/* Finds or adds a problem: names and numbers (texts are allowed, but look-up can only compare
 * them for equality).  `count` may be 0. */
enum ct_status ct_db_problem_put(struct ct_db *db, const struct ct_db_value *values,
                                 size_t count, int64_t *problem_id, struct ct_err *err);

/* --- runs --- */

/* A search on one device.  Unknown counts are negative, including those that do not fit 63 bits.
 * Start from ct_db_run_init. */
struct ct_db_run {
    int64_t id; /* set by ct_db_run_begin */
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    const char *objective; /* "time", "end_to_end" or a metric's name */
    bool maximize;
    const char *strategy;
    uint64_t seed;
    const char *version;    /* of cltune */
    double space_count;     /* combinations; NAN: unknown */
    int64_t valid_count;    /* of them valid */
    int64_t started_unix_s; /* 0: now */
    /* The following fields are stored by ct_db_run_end. */
    const char *status;      /* "done", "interrupted" or "failed" */
    int64_t evaluated_count; /* new evaluations of this run */
    int64_t reused_count;    /* stored results that were reused */
    double default_value;    /* objective of the default configuration */
    double default_time_ns;
    double baseline_time_ns;
    int64_t ended_unix_s; /* 0: now */
    struct {
        double resolution;         /* smallest relative difference that can be resolved */
        double playoff_resolution; /* likewise by a play-off */
        int64_t samples;           /* per configuration */
        int64_t processes;         /* of the test */
        double within;             /* relative spread of samples in one process */
        double between;            /* relative spread of the processes' medians */
        double drift;              /* relative change of the default during the run */
    } noise; /* confidence of its times: results of the A/A test (struct ct_noise) */
    int64_t race_saved_ns;       /* saved by stopping early */
    double baseline_all_time_ns; /* the baseline on all processors */
    int64_t baseline_all_processors;
    /* canonical JSON of the run's facts (driver, clocks, throttling, ...); "" for none */
    const char *observed;
};

extern const struct ct_db_run ct_db_run_init; /* everything unknown: NAN, -1, "" */

/* Stores the run with status "running" and sets `run->id`. */
enum ct_status ct_db_run_begin(struct ct_db *db, struct ct_db_run *run,
                               struct ct_err *err);

/* Completes the run `run->id`, and discards the rest of its batch.  May be called more than once
 * (the default's time can be stored as soon as it is known, with status "running"). */
enum ct_status ct_db_run_end(struct ct_db *db, const struct ct_db_run *run,
                             struct ct_err *err);

/* --- results --- */

enum {
    CT_DB_LOG_BYTES = 16384,    /* longer compiler logs are cut, with a note */
    CT_DB_MESSAGE_BYTES = 4096, /* likewise */
};

/* A configuration's result.  Initialise with CT_DB_RESULT_INIT. */
struct ct_db_result {
    /* Identity. */
    int64_t run_id;
    struct ct_hash experiment; /* identity, together with the device */
    /* "ok", "build_failed", "invalid", "wrong", "crashed", "timeout", "interrupted", "skipped" */
    const char *status;
    const char *configuration; /* canonical JSON (ct_db_canonical) */
    const char *flags;         /* for builds: "-D WG=64 -D VEC=4 ..." */
    /* Times; NAN if unknown. */
    /* under the run's objective; only results that are "ok" and have one compete for `best` */
    double objective_value;
    double time_ns; /* of the play-off where its rounds are not 0 */
    double low_ns;
    double high_ns;
    struct {
        const double *ns; /* of the time before any play-off */
        size_t count;
        double timer_ns;   /* resolution of the clock that timed them */
        uint32_t launches; /* of a sample */
        bool stopped_early;
        bool wall_clock;
    } samples;
    struct {
        double time_ns;
        double low_ns;
        double high_ns;
    } end_to_end; /* with transfers, and its interval */
    struct {
        size_t rounds; /* processes that time_ns comes from; 0: the search's own */
        const double *rounds_ns; /* one time per process; NULL: unknown */
        double raw_ns;           /* time_ns before */
    } playoff;
    /* canonical JSON of what was observed beside time, by the names of base/quantity.h:
     * {"energy_j":0.2,...}; "" for none */
    const char *observed;
    const char *metrics;   /* canonical JSON of the metrics; "" for none */
    const char *resources; /* JSON of what the compiler reported; "" for none */
    uint64_t binary_bytes; /* 0: unknown */
    bool verified;
    struct {
        uint64_t build_ns;
        uint64_t first_ns;
        uint64_t check_ns;
        uint64_t measure_ns;
    } spent;
    struct {
        const char *phase; /* phase of the failure: "build", ...; "" for none */
        const char *message;
        const char *log;
        uint64_t deadline_ns; /* that a timeout exceeded; 0: none */
    } failure;
    struct {
        const char *buffer; /* "" unless status is "wrong" */
        uint64_t element;
        double expected;
        double seen;
        uint64_t count;
        bool guard;
    } mismatch;
    /* The experiment whose program was found to be the same and which was measured instead (times
     * and samples are copies of its own), as 32 digits; "" for none. */
    const char *twin_of;
    uint32_t attempts;       /* 0 on put: one more than stored */
    int64_t measured_unix_s; /* 0 on put: now */
    struct {
        int64_t id;
        int64_t device_id;
        int64_t kernel_id;
        int64_t problem_id;
        const char *objective; /* of the run; objective_value is under this one */
        bool maximize;
    } stored; /* set by the functions that read; ignored by ct_db_result_put */
    struct {
        /* 0: the pick of the last play-off; 1, 2, ...: the others in order; -1: in none */
        int number;
        bool tied; /* statistically tied with the pick; the pick itself is not tied */
    } rank; /* set by ct_db_best_top and ct_db_list only, for the queried objective */
};

extern const struct ct_db_result ct_db_result_init; /* numbers NAN, texts "" */

/* Stores a result.  A stored one of the same experiment, device, kernel and problem is
 * replaced, whatever its status was.  Results of the same configuration, kernel, problem
 * and device but another experiment (the space file's options changed, say) are kept for
 * resuming, but under the run's objective only the latest measurement competes for
 * `best`.  Takes the experiment out of the in-flight record and updates `best`, all
 * in one transaction.
 *
 * An experiment belongs to every kernel and problem that it was stored for.  A new
 * measurement (measured_unix_s 0, not "interrupted") replaces what all of them have,
 * if their values follow from it ("time", "end_to_end", observed quantities; a failure).
 * A row with metrics keeps its measurement and counts as superseded:
 * ct_db_result_get_of gives the new one in its place, for its search to put again.
 *
 * To make a stored result also count for another kernel or problem, or under the
 * objective of another run (which is valid for a function of its time), read it with
 * ct_db_result_get_of and put it again with the new run_id, objective_value, metrics and
 * configuration, all else unchanged.  Its values under other objectives stay as
 * long as time_ns and measured_unix_s are the stored ones; after a new measurement "time"
 * follows time_ns, "end_to_end" end_to_end_ns, other objectives follow `metrics`, else
 * `observed`, and are dropped if neither has them.
 *
 * A subject's rankings (ct_db_rankings_put) all end when its pick is measured
 * again (another time_ns or measured_unix_s), fails or is replaced by a newer experiment,
 * and when something new is better than the pick by more than a tenth: a smaller
 * advantage may be luck and is left to the next play-off.
 *
 * CT_E_INTERNAL: run_id is unknown, the status is not one of these words, the configuration is
 * not a JSON object. */
enum ct_status ct_db_result_put(struct ct_db *db, const struct ct_db_result *result,
                                struct ct_err *err);

/* Reads the result of an experiment on a device that belongs to a kernel and problem; if there is
 * none, or it is superseded, that of the kernel and problem measured last: see its ids.
 * CT_E_NOT_FOUND (err untouched: it is no failure) if there is none at all. */
enum ct_status ct_db_result_get_of(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                                   int64_t problem_id, const struct ct_hash *experiment,
                                   struct ct_arena *arena, struct ct_db_result *out,
                                   struct ct_err *err);

/* Likewise, for any owner. */
enum ct_status ct_db_result_get(struct ct_db *db, int64_t device_id,
                                const struct ct_hash *experiment, struct ct_arena *arena,
                                struct ct_db_result *out, struct ct_err *err);

/* The short form of a stored result; texts live only during the callback. */
struct ct_db_known {
    struct ct_hash experiment;
    const char *status;
    const char *configuration; /* canonical JSON */
    const char *objective;     /* the one that objective_value is under */
    bool maximize;
    double objective_value;
    double time_ns;
    const char *metrics; /* canonical JSON of the metrics' values; "" for none */
    bool verified;
    uint64_t build_ns; /* what it took */
    uint64_t first_ns;
    uint64_t check_ns;
    uint64_t measure_ns;
    uint64_t deadline_ns;
    uint32_t attempts;
    int64_t measured_unix_s;
};

/* Calls `each` for every result of a device, kernel and problem, oldest first; a
 * status other than CT_OK from it ends the loop and is returned.  `each` must not
 * write to `db`. */
enum ct_status ct_db_results_each(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                                  int64_t problem_id,
                                  enum ct_status (*each)(void *user,
                                                         const struct ct_db_known *known,
                                                         struct ct_err *err),
                                  void *user, struct ct_err *err);

/* Reads the up to `max` best results that compete for an objective, into `results` (room for
 * `max`); `*count` may be 0.  Ranked ones come first, in rank order; the others follow, best
 * first.  max 1 reads the maintained `best`. */
enum ct_status ct_db_best_top(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                              int64_t problem_id, const char *objective, bool maximize,
                              size_t max, struct ct_arena *arena,
                              struct ct_db_result *results, size_t *count,
                              struct ct_err *err);

/* --- rankings of the last play-off (doc/measuring.md) --- */

/* One entrant, with its results in the play-off.  Unknown reals are NAN. */
struct ct_db_ranked {
    struct ct_hash experiment;
    bool tied;    /* statistically tied with the pick */
    double value; /* under the run's objective; must be known */
    double time_ns;
    double low_ns;
    double high_ns;
    double end_to_end_ns; /* unknown: the stored value stays */
    double end_to_end_low_ns;
    double end_to_end_high_ns;
    size_t rounds;           /* processes, > 0 */
    const double *rounds_ns; /* NULL: stored ones of as many rounds stay */
    const char *observed;    /* as in ct_db_result; NULL: the stored value stays */
    const char *metrics;     /* likewise */
};

/* Stores the outcome of a play-off of the run's subject (device, kernel, problem, objective,
 * direction): `standers` in rank order, the pick first.  All earlier rankings of the subject end;
 * the entrants' stored results get the play-off's times and value (raw_ns keeps the time before
 * the first play-off), belong to this run from now on, and count as measured now; `best` is the
 * pick.  A result of the same program as an entrant (twin_of) gets the same times and value, so
 * that no lucky time of its own is shown for it, and no rank.  Under other objectives their
 * values follow the new times if possible, and their rankings stay.
 *
 * count 0: only ends the rankings.  CT_E_INTERNAL: run_id is unknown; an entrant has no stored
 * "ok" result of the run's kernel and problem, no value, no rounds, or is listed twice. */
enum ct_status ct_db_rankings_put(struct ct_db *db, int64_t run_id,
                                  const struct ct_db_ranked *ranked_all, size_t count,
                                  struct ct_err *err);

/* --- lists --- */

/* What a list is of: a kernel and problem on a device, with its driver. */
struct ct_db_listed {
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    const char *kernel;
    const char *space_path;
    const char *space_file; /* "": not known */
    bool outdated; /* a newer source of the kernel was used since, here or elsewhere */
    const char *problem_json;
    const char *device_name;
    const char *device_vendor;
    const char *device_type;
    const char *driver_version;
    uint32_t compute_units;
};

/* A subject with a best: all of the above under an objective. */
struct ct_db_subject_best {
    struct ct_db_listed of;
    struct ct_hash source_hash;
    const char *objective;
    bool maximize;
    const struct ct_db_result *top; /* ordered as by ct_db_best_top; at least one */
    size_t top_count;
};

/* Lists the subjects that match a query, each with its up to `top` (at least 1) best: the kernel,
 * device, problem and objective of `query` as for cltunedb_find, but without substitutes for what
 * was not measured: all drivers of a described device are listed, and problems must agree.  No
 * objective: all.  Ordered by kernel, device, problem and objective.  CT_E_NOT_FOUND names what
 * is stored instead; CT_E_USAGE as CLTUNEDB_E_ARGUMENT of cltunedb_find; CT_E_INTERNAL inside a
 * group. */
enum ct_status ct_db_list(struct ct_db *db, const cltunedb_query *query, size_t top,
                          struct ct_arena *arena, struct ct_db_subject_best **out,
                          size_t *count, struct ct_err *err);

/* What was evaluated, with any result. */
struct ct_db_record {
    struct ct_db_listed of;
    const char *parameters; /* JSON, as in ct_db_kernel */
    const char *constraints;
    uint64_t result_count; /* results in ct_db_results_each */
};

/* Lists the subjects with results, selected by the kernel, device and problem of `query` as above
 * (its objective is ignored), in the same order.  Reads as much of an index as there are results.
 * Errors as above. */
enum ct_status ct_db_records(struct ct_db *db, const cltunedb_query *query,
                             struct ct_arena *arena, struct ct_db_record **out,
                             size_t *count, struct ct_err *err);

/* --- the in-flight record --- */

/* Records what is about to be evaluated, replacing the run's earlier batch, in a fully
 * synchronous transaction: it survives a power cut that the evaluation causes.  Not
 * inside a group (CT_E_INTERNAL). */
enum ct_status ct_db_batch_begin(struct ct_db *db, int64_t run_id,
                                 const struct ct_hash *experiments, size_t count,
                                 struct ct_err *err);

struct ct_db_orphan {
    struct ct_hash experiment;
    int64_t run_id;
    int64_t since_unix_s;
    bool machine_died; /* the machine was restarted since, not only cltune */
    bool alone;        /* nothing else was in flight with it */
};

/* What was in flight on a device, has no outcome, and whose process is gone (other live processes
 * that use the same device are left alone).  Storing a result for it, or the end of its run
 * (ct_db_run_end), takes it out of the record. */
enum ct_status ct_db_orphans(struct ct_db *db, int64_t device_id, struct ct_arena *arena,
                             struct ct_db_orphan **out, size_t *count,
                             struct ct_err *err);

/* Takes one experiment out of the record: it has an earlier outcome after all. */
enum ct_status ct_db_orphan_end(struct ct_db *db, int64_t device_id,
                                const struct ct_hash *experiment, struct ct_err *err);

/* --- baselines and ceilings --- */

/* The time of a kernel's host code on a processor (normalised by db/names.h). */
struct ct_db_baseline {
    int64_t kernel_id;
    int64_t problem_id;
    const char *host_cpu;
    const char *function;
    double time_ns;
    double low_ns;
    double high_ns;
    int64_t measured_unix_s; /* 0 on put: now */
    /* The same on all processors; not measured if `processors` is 0. */
    uint32_t processors;
    double all_time_ns;
    double all_low_ns;
    double all_high_ns;
};

/* Stores, replacing the one of the same kernel, problem and host processor. */
enum ct_status ct_db_baseline_put(struct ct_db *db, const struct ct_db_baseline *baseline,
                                  struct ct_err *err);

/* A limit of a device that `cltune peak` measured. */
struct ct_db_ceiling {
    int64_t device_id;
    const char *name; /* "copy", "mad", "launch", ... (doc/schema.md, "ceiling") */
    const char *unit; /* "GB/s", "GFLOP/s", "ns" */
    double value;
    double low;
    double high;
    int64_t measured_unix_s; /* 0 on put: now */
};

/* Stores, replacing the one of the same device and name. */
enum ct_status ct_db_ceiling_put(struct ct_db *db, const struct ct_db_ceiling *ceiling,
                                 struct ct_err *err);

/* All ceilings of a device, by name; `*count` may be 0. */
enum ct_status ct_db_ceilings(struct ct_db *db, int64_t device_id, struct ct_arena *arena,
                              struct ct_db_ceiling **out, size_t *count,
                              struct ct_err *err);

#endif
