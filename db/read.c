// SPDX-License-Identifier: Apache-2.0
// Reads results.
#include "db/score.h"

#include <math.h>
#include <string.h>

const struct ct_db_result ct_db_result_init = {
    .status = "",
    .failure.phase = "",
    .configuration = "",
    .flags = "",
    .objective_value = NAN,
    .time_ns = NAN,
    .low_ns = NAN,
    .high_ns = NAN,
    .end_to_end.time_ns = NAN,
    .end_to_end.low_ns = NAN,
    .end_to_end.high_ns = NAN,
    .observed = "",
    .samples.timer_ns = NAN,
    .playoff.raw_ns = NAN,
    .metrics = "",
    .resources = "",
    .failure.message = "",
    .failure.log = "",
    .mismatch.buffer = "",
    .mismatch.expected = NAN,
    .mismatch.seen = NAN,
    .twin_of = "",
    .stored.objective = "",
    .rank.number = -1,
};

/* The doubles in a blob, *out of them. */
static const double *read_doubles(struct ct_db_use *use, int column,
                                  struct ct_arena *arena, size_t *out)
{
    const unsigned char *bytes = sqlite3_column_blob(use->stmt, column);
    size_t count = (size_t)sqlite3_column_bytes(use->stmt, column) / 8;
    double *samples = NULL;

    if (!ct_guard_take(use->db, count * sizeof(*samples)))
        use->rc = SQLITE_INTERRUPT;
    else if (!(samples = ct_arena_array(arena, count, sizeof(*samples))))
        use->rc = SQLITE_NOMEM;
    *out = samples ? count : 0;
    if (!samples)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;

        for (int byte = 7; byte >= 0; byte--)
            bits = bits << 8 | bytes[i * 8 + (size_t)byte];
        memcpy(&samples[i], &bits, sizeof(bits));
    }
    return samples;
}

/* Reads the result in the statement's current row (CT_RESULT_COLUMNS). */
static void read_result_row(struct ct_db_use *use, struct ct_arena *arena,
                            struct ct_db_result *out)
{
    size_t rounds;
    int i = 0;

    *out = ct_db_result_init;
    out->stored.id = ct_db_int(use, i++);
    out->stored.device_id = ct_db_int(use, i++);
    out->experiment = ct_db_hash(use, i++);
    out->run_id = ct_db_int(use, i++);
    out->stored.kernel_id = ct_db_int(use, i++);
    out->stored.problem_id = ct_db_int(use, i++);
    out->stored.objective = ct_db_text(use, i++, arena);
    out->stored.maximize = strcmp(ct_db_peek(use, i++), "maximize") == 0;
    out->status = ct_db_text(use, i++, arena);
    out->failure.phase = ct_db_text(use, i++, arena);
    out->objective_value = ct_db_real(use, i++);
    out->time_ns = ct_db_real(use, i++);
    out->low_ns = ct_db_real(use, i++);
    out->high_ns = ct_db_real(use, i++);
    out->samples.launches = (uint32_t)ct_db_int(use, i++);
    out->spent.build_ns = (uint64_t)ct_db_int(use, i++);
    out->spent.first_ns = (uint64_t)ct_db_int(use, i++);
    out->spent.check_ns = (uint64_t)ct_db_int(use, i++);
    out->spent.measure_ns = (uint64_t)ct_db_int(use, i++);
    out->failure.deadline_ns = (uint64_t)ct_db_int(use, i++);
    out->binary_bytes = (uint64_t)ct_db_int(use, i++);
    out->verified = ct_db_int(use, i++) != 0;
    out->samples.stopped_early = ct_db_int(use, i++) != 0;
    out->samples.wall_clock = ct_db_int(use, i++) != 0;
    out->attempts = (uint32_t)ct_db_int(use, i++);
    out->measured_unix_s = ct_db_int(use, i++);
    out->mismatch.buffer = ct_db_text(use, i++, arena);
    out->mismatch.element = (uint64_t)ct_db_int(use, i++);
    out->mismatch.expected = ct_db_real(use, i++);
    out->mismatch.seen = ct_db_real(use, i++);
    out->mismatch.count = (uint64_t)ct_db_int(use, i++);
    out->mismatch.guard = ct_db_int(use, i++) != 0;
    out->configuration = ct_db_text(use, i++, arena);
    out->flags = ct_db_text(use, i++, arena);
    out->metrics = ct_db_text(use, i++, arena);
    out->resources = ct_db_text(use, i++, arena);
    out->failure.message = ct_db_text(use, i++, arena);
    out->samples.ns = read_doubles(use, i++, arena, &out->samples.count);
    out->failure.log = ct_db_text(use, i++, arena);
    out->twin_of = ct_db_text(use, i++, arena);
    out->observed = ct_db_text(use, i++, arena);
    out->end_to_end.time_ns = ct_db_real(use, i++);
    out->end_to_end.low_ns = ct_db_real(use, i++);
    out->end_to_end.high_ns = ct_db_real(use, i++);
    out->playoff.rounds = (size_t)ct_db_int(use, i++);
    out->playoff.rounds_ns = read_doubles(use, i++, arena, &rounds);
    if (rounds != out->playoff.rounds)
        out->playoff.rounds_ns = NULL;
    out->samples.timer_ns = ct_db_real(use, i++);
    out->playoff.raw_ns = ct_db_real(use, i++);
}

/* Reads the one result that a bound statement selects. */
static enum ct_status read_one(struct ct_db_use *use, struct ct_arena *arena,
                               struct ct_db_result *out, struct ct_err *err)
{
    bool found = ct_db_row(use);
    enum ct_status status;

    if (found)
        read_result_row(use, arena, out);
    status = ct_db_done(use, err);
    return status == CT_OK && !found ? CT_E_NOT_FOUND : status;
}

enum ct_status ct_db_result_by_id(struct ct_db *db, int64_t id, struct ct_arena *arena,
                                  struct ct_db_result *out, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RESULT_BY_ID);

    ct_db_bind_int(&use, 1, id);
    return read_one(&use, arena, out, err);
}

/* A row of an experiment. */
struct owned {
    int64_t id; /* 0: none yet */
    bool own;   /* of the queried kernel and problem */
    bool superseded;
    int64_t measured_unix_s;
};

static bool is_better(const struct owned *a, const struct owned *b)
{
    if (!b->id || a->superseded != b->superseded)
        return !b->id || b->superseded;
    if (a->own != b->own)
        return a->own;
    if (a->measured_unix_s != b->measured_unix_s)
        return a->measured_unix_s > b->measured_unix_s;
    return a->id > b->id;
}

enum ct_status ct_db_result_get_of(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                                   int64_t problem_id, const struct ct_hash *experiment,
                                   struct ct_arena *arena, struct ct_db_result *out,
                                   struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RESULT_OWNERS);
    struct owned best = {0};
    enum ct_status status;

    ct_db_bind_int(&use, 1, device_id);
    ct_db_bind_hash(&use, 2, experiment);
    while (ct_db_row(&use)) {
        struct owned next = {.id = ct_db_int(&use, 0),
                             .own = ct_db_int(&use, 1) == kernel_id &&
                                    ct_db_int(&use, 2) == problem_id,
                             .superseded = ct_db_int(&use, 3) != 0,
                             .measured_unix_s = ct_db_int(&use, 4)};

        if (is_better(&next, &best))
            best = next;
    }
    status = ct_db_done(&use, err);
    if (status != CT_OK)
        return status;
    return best.id ? ct_db_result_by_id(db, best.id, arena, out, err) : CT_E_NOT_FOUND;
}

enum ct_status ct_db_result_get(struct ct_db *db, int64_t device_id,
                                const struct ct_hash *experiment, struct ct_arena *arena,
                                struct ct_db_result *out, struct ct_err *err)
{
    return ct_db_result_get_of(db, device_id, 0, 0, experiment, arena, out, err);
}

enum ct_status ct_db_results_each(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                                  int64_t problem_id,
                                  enum ct_status (*each)(void *user,
                                                         const struct ct_db_known *known,
                                                         struct ct_err *err),
                                  void *user, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RESULT_EACH);
    enum ct_status stopped = CT_OK;
    enum ct_status status;

    ct_db_bind_int(&use, 1, kernel_id);
    ct_db_bind_int(&use, 2, problem_id);
    ct_db_bind_int(&use, 3, device_id);
    while (stopped == CT_OK && ct_db_row(&use)) {
        struct ct_db_known known = {
            .experiment = ct_db_hash(&use, 0),
            .status = ct_db_peek(&use, 1),
            .configuration = ct_db_peek(&use, 2),
            .objective = ct_db_peek(&use, 3),
            .maximize = strcmp(ct_db_peek(&use, 4), "maximize") == 0,
            .objective_value = ct_db_real(&use, 5),
            .time_ns = ct_db_real(&use, 6),
            .deadline_ns = (uint64_t)ct_db_int(&use, 7),
            .attempts = (uint32_t)ct_db_int(&use, 8),
            .measured_unix_s = ct_db_int(&use, 9),
            .build_ns = (uint64_t)ct_db_int(&use, 10),
            .first_ns = (uint64_t)ct_db_int(&use, 11),
            .check_ns = (uint64_t)ct_db_int(&use, 12),
            .measure_ns = (uint64_t)ct_db_int(&use, 13),
            .verified = ct_db_int(&use, 14) != 0,
            .metrics = ct_db_peek(&use, 15),
        };

        stopped = each(user, &known, err);
    }
    status = ct_db_done(&use, stopped == CT_OK ? err : NULL);
    return stopped != CT_OK ? stopped : status;
}

/* Reads up to `max` - `*count` results that a statement about a subject selects, after the
 * existing ones. */
static enum ct_status lead(struct ct_db *db, enum ct_sql which,
                           const struct ct_subject *of, size_t max,
                           struct ct_arena *arena, struct ct_db_result *results,
                           size_t *count, struct ct_err *err)
{
    struct ct_db_use leaders = ct_db_use_begin(db, which);
    enum ct_status status = CT_OK;

    ct_subject_bind(&leaders, of);
    ct_db_bind_u64(&leaders, 6, max - *count);
    while (status == CT_OK && *count < max && ct_db_row(&leaders)) {
        status =
            ct_db_result_by_id(db, ct_db_int(&leaders, 1), arena, &results[*count], err);
        results[*count].rank.number = ct_db_ranking(&leaders, 2);
        results[*count].rank.tied = ct_db_int(&leaders, 3) != 0;
        *count += status == CT_OK;
    }
    if (status == CT_OK)
        return ct_db_done(&leaders, err);
    ct_db_done(&leaders, NULL);
    return status;
}

enum ct_status ct_db_best_top(struct ct_db *db, int64_t device_id, int64_t kernel_id,
                              int64_t problem_id, const char *objective, bool maximize,
                              size_t max, struct ct_arena *arena,
                              struct ct_db_result *results, size_t *count,
                              struct ct_err *err)
{
    const struct ct_subject of = {device_id, kernel_id, problem_id, objective, maximize};
    enum ct_status status;

    *count = 0;
    if (max == 1)
        return lead(db, CT_SQL_BEST_GET, &of, max, arena, results, count, err);
    status = lead(db, CT_SQL_SCORE_RANKED, &of, max, arena, results, count, err);
    if (status == CT_OK && *count < max)
        status = lead(db, CT_SQL_SCORE_LEAST, &of, max, arena, results, count, err);
    return status;
}
