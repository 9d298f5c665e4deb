// SPDX-License-Identifier: Apache-2.0
// The competition between results: rows of `score`, rankings, and a consistent `best`.
#ifndef CT_DB_SCORE_H
#define CT_DB_SCORE_H

#include "db/internal.h"

/* The subject of a score. */
struct ct_subject {
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    const char *objective;
    bool maximize;
};

/* One row of `score`, with its result. */
struct ct_score {
    struct ct_subject of;
    double rank; /* the value, negated if higher is better */
    int64_t result_id;
    int64_t configuration_hash;
    int standing; /* -1: none */
    bool tied;
};

/* Scores that change together.  Initially all zeros but `db`. */
struct ct_scoring {
    struct ct_db *db;
    struct ct_arena arena; /* owns the texts in `old` */
    struct ct_score *old;  /* those loaded so far */
    size_t old_count;
    size_t old_capacity;
    struct ct_subject *touched; /* whose best may have changed */
    size_t touched_count;
    size_t touched_capacity;
};

void ct_scoring_release(struct ct_scoring *scoring);

/* Binds device, kernel, problem, objective and direction as parameters 1 to 5. */
void ct_subject_bind(struct ct_db_use *use, const struct ct_subject *of);

bool ct_subject_same(const struct ct_subject *a, const struct ct_subject *b);

/* The subject of a run's results; its objective lives until another run is queried. CT_E_INTERNAL
 * if there is no such run. */
enum ct_status ct_subject_of_run(struct ct_db *db, int64_t run_id, struct ct_subject *out,
                                 struct ct_err *err);

/* Appends the scores of a result to scoring->old. */
enum ct_status ct_score_load(struct ct_scoring *scoring, int64_t result_id,
                             struct ct_err *err);

enum ct_status ct_score_drop(struct ct_scoring *scoring, const struct ct_score *score,
                             struct ct_err *err);
enum ct_status ct_score_add(struct ct_scoring *scoring, const struct ct_score *score,
                            struct ct_err *err);

/* Ends the rankings of a subject. */
enum ct_status ct_score_end_rankings(struct ct_scoring *scoring,
                                     const struct ct_subject *of, struct ct_err *err);

/* Ends the rankings of a score's subject if it is so much better than their pick that waiting for
 * the next play-off would hide it. */
enum ct_status ct_score_challenge(struct ct_scoring *scoring,
                                  const struct ct_score *score, struct ct_err *err);

/* Makes `best` the first of every subject that changed.  Rankings that have lost their pick end. */
enum ct_status ct_score_settle(struct ct_scoring *scoring, struct ct_err *err);

/* --- in read.c --- */

/* CT_E_NOT_FOUND (err untouched) if there is none. */
enum ct_status ct_db_result_by_id(struct ct_db *db, int64_t id, struct ct_arena *arena,
                                  struct ct_db_result *out, struct ct_err *err);

/* --- in result.c --- */

/* As ct_db_result_put, inside a transaction.  `playoff`: its times are a play-off's.
 * Then nothing ends the rankings of the run's subject, and those under other
 * objectives stay. */
enum ct_status ct_db_result_store(struct ct_db *db, const struct ct_db_result *result,
                                  bool playoff, struct ct_err *err);

#endif
