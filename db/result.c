// SPDX-License-Identifier: Apache-2.0
// Stores a result, and enters it into the competition.
#include "db/score.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result being stored. */
struct put {
    struct ct_db *db;
    const struct ct_db_result *result;
    bool playoff;         /* its times are a play-off's */
    struct ct_subject of; /* under the run's objective */
    int64_t configuration_hash;
    int64_t measured_unix_s;
    int64_t id;                /* of the row; 0 until it is known */
    uint32_t attempts;         /* stored before; 0 for a new one */
    bool again;                /* the measurement is the stored one */
    struct ct_scoring scoring; /* the stored result's scores */
};

/* --- the steps of storing --- */

static bool same_real(double a, double b)
{
    return a == b || (!isfinite(a) && !isfinite(b));
}

/* Takes the stored result of the same experiment, if any, out of the competition. */
static enum ct_status retire_old(struct put *put, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(put->db, CT_SQL_RESULT_FIND);
    enum ct_status status;

    ct_db_bind_int(&use, 1, put->of.device_id);
    ct_db_bind_hash(&use, 2, &put->result->experiment);
    ct_db_bind_int(&use, 3, put->of.kernel_id);
    ct_db_bind_int(&use, 4, put->of.problem_id);
    if (ct_db_row(&use)) {
        put->id = ct_db_int(&use, 0);
        put->attempts = (uint32_t)ct_db_int(&use, 1);
        put->again = same_real(ct_db_real(&use, 2), put->result->time_ns) &&
                     ct_db_int(&use, 3) == put->measured_unix_s;
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK && put->id)
        status = ct_score_load(&put->scoring, put->id, err);
    for (size_t i = 0; i < put->scoring.old_count && status == CT_OK; i++)
        status = ct_score_drop(&put->scoring, &put->scoring.old[i], err);
    return status;
}

/* A text cut at `max` bytes, between characters, with a note; NULL and *whole if it need not be
 * cut.  The caller frees. */
static char *capped(const char *text, size_t max, bool *whole)
{
    size_t length = text ? strlen(text) : 0;
    struct ct_str str;
    size_t end = max;

    *whole = length <= max;
    if (*whole)
        return NULL;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    ct_str_init(&str);
    ct_str_add(&str, text, end);
    ct_str_addf(&str, "\n[%zu bytes more]\n", length - end);
    return ct_str_detach(&str);
}

static void bind_capped(struct ct_db_use *use, int index, const char *text, size_t max,
                        char **copy)
{
    bool whole;

    *copy = capped(text, max, &whole);
    if (!whole && !*copy && use->rc == SQLITE_OK)
        use->rc = SQLITE_NOMEM;
    ct_db_bind_text(use, index, whole ? text : *copy);
}

/* Doubles as little-endian bytes; NULL if out of memory.  The caller frees. */
static unsigned char *pack_doubles(const double *values, size_t count)
{
    unsigned char *bytes = ct_mem_array(count, 8);

    for (size_t i = 0; bytes && i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof(bits));
        for (size_t byte = 0; byte < 8; byte++)
            bytes[i * 8 + byte] = (unsigned char)(bits >> (8 * byte));
    }
    return bytes;
}

static void bind_numbers(struct ct_db_use *use, const struct put *put)
{
    const struct ct_db_result *r = put->result;

    ct_db_bind_int(use, 1, put->of.device_id);
    ct_db_bind_hash(use, 2, &r->experiment);
    ct_db_bind_int(use, 3, r->run_id);
    ct_db_bind_int(use, 4, put->of.kernel_id);
    ct_db_bind_int(use, 5, put->of.problem_id);
    ct_db_bind_int(use, 6, put->configuration_hash);
    ct_db_bind_text(use, 7, r->status);
    ct_db_bind_text(use, 8, r->failure.phase);
    ct_db_bind_real(use, 9, r->objective_value);
    ct_db_bind_real(use, 10, r->time_ns);
    ct_db_bind_real(use, 11, r->low_ns);
    ct_db_bind_real(use, 12, r->high_ns);
    ct_db_bind_int(use, 13, r->samples.launches);
    ct_db_bind_u64(use, 14, r->spent.build_ns);
    ct_db_bind_u64(use, 15, r->spent.first_ns);
    ct_db_bind_u64(use, 16, r->spent.check_ns);
    ct_db_bind_u64(use, 17, r->spent.measure_ns);
    ct_db_bind_u64(use, 18, r->failure.deadline_ns);
    ct_db_bind_u64(use, 19, r->binary_bytes);
    ct_db_bind_int(use, 20, r->verified);
    ct_db_bind_int(use, 21, r->samples.stopped_early);
    ct_db_bind_int(use, 22, r->samples.wall_clock);
    ct_db_bind_int(use, 23, r->attempts ? r->attempts : put->attempts + 1);
    ct_db_bind_int(use, 24, put->measured_unix_s);
}

static enum ct_status write_row(struct put *put, struct ct_err *err)
{
    const struct ct_db_result *r = put->result;
    struct ct_db_use use = ct_db_use_begin(put->db, CT_SQL_RESULT_PUT);
    unsigned char *samples = pack_doubles(r->samples.ns, r->samples.count);
    size_t round_count = r->playoff.rounds_ns ? r->playoff.rounds : 0;
    unsigned char *rounds = pack_doubles(r->playoff.rounds_ns, round_count);
    char *message = NULL;
    char *log = NULL;
    enum ct_status status;

    if ((!samples || !rounds) && use.rc == SQLITE_OK)
        use.rc = SQLITE_NOMEM;
    bind_numbers(&use, put);
    ct_db_bind_text(&use, 25, r->mismatch.buffer);
    ct_db_bind_u64(&use, 26, r->mismatch.element);
    ct_db_bind_real(&use, 27, r->mismatch.expected);
    ct_db_bind_real(&use, 28, r->mismatch.seen);
    ct_db_bind_u64(&use, 29, r->mismatch.count);
    ct_db_bind_int(&use, 30, r->mismatch.guard);
    ct_db_bind_text(&use, 31, r->configuration);
    ct_db_bind_text(&use, 32, r->flags);
    ct_db_bind_text(&use, 33, r->metrics);
    ct_db_bind_text(&use, 34, r->resources);
    bind_capped(&use, 35, r->failure.message, CT_DB_MESSAGE_BYTES, &message);
    ct_db_bind_blob(&use, 36, samples, r->samples.count * 8);
    bind_capped(&use, 37, r->failure.log, CT_DB_LOG_BYTES, &log);
    ct_db_bind_text(&use, 38, r->twin_of);
    ct_db_bind_text(&use, 39, r->observed);
    ct_db_bind_real(&use, 40, r->end_to_end.time_ns);
    ct_db_bind_real(&use, 41, r->end_to_end.low_ns);
    ct_db_bind_real(&use, 42, r->end_to_end.high_ns);
    ct_db_bind_u64(&use, 43, r->playoff.rounds);
    ct_db_bind_blob(&use, 44, rounds, round_count * 8);
    ct_db_bind_real(&use, 45, r->samples.timer_ns);
    ct_db_bind_real(&use, 46, r->playoff.raw_ns);
    /* An INSERT is only complete after stepping to its end. */
    while (ct_db_row(&use))
        put->id = ct_db_int(&use, 0);
    status = ct_db_done(&use, err);
    free(samples);
    free(rounds);
    free(message);
    free(log);
    return status;
}

static bool same_objective(const struct ct_subject *a, const struct ct_subject *b)
{
    return strcmp(a->objective, b->objective) == 0 && a->maximize == b->maximize;
}

/* Results of the same configuration under other experiments: under one objective only the latest
 * measurement stays in the competition, even if it failed.  *current: whether it is this one. */
static enum ct_status retire_duplicates(struct put *put, bool *current,
                                        struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(put->db, CT_SQL_DUPLICATES);
    struct ct_scoring *scoring = &put->scoring;
    size_t before = scoring->old_count;
    enum ct_status status = CT_OK;

    *current = true;
    ct_db_bind_int(&use, 1, put->of.kernel_id);
    ct_db_bind_int(&use, 2, put->configuration_hash);
    ct_db_bind_int(&use, 3, put->of.device_id);
    ct_db_bind_int(&use, 4, put->of.problem_id);
    ct_db_bind_text(&use, 5, put->of.objective);
    ct_db_bind_text(&use, 6, ct_db_direction(put->of.maximize));
    ct_db_bind_int(&use, 7, put->id);
    while (status == CT_OK && ct_db_row(&use)) {
        bool newer = ct_db_int(&use, 1) > put->measured_unix_s;
        bool rival = ct_db_int(&use, 2) != 0;
        size_t first = scoring->old_count;

        status = ct_score_load(scoring, ct_db_int(&use, 0), err);
        for (size_t i = first; i < scoring->old_count && status == CT_OK; i++) {
            if (!same_objective(&scoring->old[i].of, &put->of))
                continue;
            rival = true;
            if (!newer)
                status = ct_score_drop(scoring, &scoring->old[i], err);
        }
        if (newer && rival)
            *current = false;
    }
    if (status == CT_OK)
        status = ct_db_done(&use, err);
    else
        ct_db_done(&use, NULL);
    scoring->old_count = before;
    return status;
}

/* The number of that name in a JSON object, or NAN. */
static double named_number(const char *json, const char *name)
{
    json_t *object = json_loads(json ? json : "", 0, NULL);
    const json_t *number = json_object_get(object, name);
    double value = json_is_number(number) ? json_number_value(number) : NAN;

    json_decref(object);
    return value;
}

/* A new measurement's value under another objective; NAN: unknown. */
static double value_under(const struct ct_db_result *result, const char *objective)
{
    double value;

    if (strcmp(objective, "time") == 0)
        return result->time_ns;
    if (strcmp(objective, "end_to_end") == 0)
        return result->end_to_end.time_ns;
    value = named_number(result->metrics, objective);
    return isnan(value) ? named_number(result->observed, objective) : value;
}

/* Enters the result into the competition about `of`.  `old` is its score there before, or
 * NULL. */
static enum ct_status enter_competition(struct put *put, const struct ct_subject *of,
                                        double rank, const struct ct_score *old,
                                        struct ct_err *err)
{
    struct ct_score score = {.of = *of,
                             .rank = rank,
                             .result_id = put->id,
                             .configuration_hash = put->configuration_hash,
                             .standing = -1};
    bool stays = put->again || put->playoff;
    enum ct_status status;

    if (old && stays) {
        score.standing = old->standing;
        score.tied = old->tied;
    }
    status = ct_score_add(&put->scoring, &score, err);
    if (status != CT_OK || (put->playoff && ct_subject_same(of, &put->of)) ||
        score.standing >= 0 || (old && stays && old->rank == rank))
        return status;
    return ct_score_challenge(&put->scoring, &score, err);
}

/* Enters the result into the competition under the run's objective, and again under its earlier
 * ones. */
static enum ct_status compete(struct put *put, struct ct_err *err)
{
    const struct ct_db_result *r = put->result;
    const struct ct_score *own = NULL;
    size_t count = put->scoring.old_count;
    bool current;
    enum ct_status status = retire_duplicates(put, &current, err);

    if (status != CT_OK || strcmp(r->status, "ok") != 0)
        return status;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        const struct ct_score *old = &put->scoring.old[i];
        struct ct_subject of = put->of;
        double rank = old->rank;

        of.objective = old->of.objective;
        of.maximize = old->of.maximize;
        if (same_objective(&of, &put->of)) {
            own = old;
            continue;
        }
        if (!put->again)
            rank = value_under(r, of.objective) * (of.maximize ? -1 : 1);
        if (put->playoff && !isfinite(rank))
            rank = old->rank;
        if (isfinite(rank))
            status = enter_competition(put, &of, rank, old, err);
    }
    if (status == CT_OK && current && isfinite(r->objective_value))
        status = enter_competition(
            put, &put->of, put->of.maximize ? -r->objective_value : r->objective_value,
            own, err);
    return status;
}

static enum ct_status steps(struct put *put, struct ct_err *err)
{
    struct ct_db_use use;
    enum ct_status status =
        ct_subject_of_run(put->db, put->result->run_id, &put->of, err);

    if (status == CT_OK)
        status = retire_old(put, err);
    if (status == CT_OK)
        status = write_row(put, err);
    if (status == CT_OK)
        status = compete(put, err);
    if (status == CT_OK)
        status = ct_score_settle(&put->scoring, err);
    if (status != CT_OK)
        return status;
    use = ct_db_use_begin(put->db, CT_SQL_INFLIGHT_DROP);
    ct_db_bind_int(&use, 1, put->of.device_id);
    ct_db_bind_hash(&use, 2, &put->result->experiment);
    return ct_db_exec(&use, err);
}

/* --- other owners of the experiment --- */

/* Whether a new measurement has all values of another's row. */
static enum ct_status values_follow(struct put *put, const struct ct_db_result *new,
                                    const struct ct_db_result *other, bool *follow,
                                    struct ct_err *err)
{
    struct ct_scoring scoring = {.db = put->db};
    enum ct_status status;

    *follow = true;
    if (strcmp(new->status, "ok") != 0)
        return CT_OK;
    /* It is unknown whether a failed one would have metrics. */
    *follow = strcmp(other->status, "ok") == 0 && isfinite(new->objective_value) &&
              (!*other->metrics || strcmp(other->metrics, "{}") == 0);
    status = ct_score_load(&scoring, other->stored.id, err);
    for (size_t i = 0; *follow && i < scoring.old_count; i++)
        *follow = isfinite(value_under(new, scoring.old[i].of.objective));
    ct_scoring_release(&scoring);
    return status;
}

static enum ct_status supersede(struct ct_db *db, int64_t id, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RESULT_SUPERSEDE);

    ct_db_bind_int(&use, 1, id);
    return ct_db_exec(&use, err);
}

/* Gives another owner's row the new measurement.  Metrics are functions of its own problem, known
 * only to its space file: a row with metrics stays unchanged until its own search updates it, so
 * that its time and its metrics are of one measurement. */
static enum ct_status pass_on(struct put *put, int64_t id, struct ct_arena *arena,
                              struct ct_err *err)
{
    struct ct_db_result new = *put->result;
    struct ct_db_result other;
    bool follow;
    enum ct_status status = ct_db_result_by_id(put->db, id, arena, &other, err);

    if (status != CT_OK)
        return status;
    new.run_id = other.run_id;
    new.configuration = other.configuration;
    new.flags = other.flags;
    new.metrics = "";
    new.objective_value = NAN;
    if (strcmp(new.status, "ok") == 0)
        new.objective_value = value_under(&new, other.stored.objective);
    new.attempts = other.attempts + 1;
    new.measured_unix_s = put->measured_unix_s;
    status = values_follow(put, &new, &other, &follow, err);
    if (status != CT_OK)
        return status;
    return follow ? ct_db_result_store(put->db, &new, false, err)
                  : supersede(put->db, id, err);
}

/* A new measurement counts for all owners of the experiment. */
static enum ct_status tell_siblings(struct put *put, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(put->db, CT_SQL_RESULT_OWNERS);
    struct ct_arena arena = {0};
    int64_t *ids = NULL;
    size_t count = 0;
    size_t capacity = 0;
    enum ct_status status;

    ct_db_bind_int(&use, 1, put->of.device_id);
    ct_db_bind_hash(&use, 2, &put->result->experiment);
    while (ct_db_row(&use)) {
        if (ct_db_int(&use, 0) == put->id)
            continue;
        if (!ct_mem_grow(&ids, &capacity, count + 1, sizeof(*ids))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        ids[count++] = ct_db_int(&use, 0);
    }
    status = ct_db_done(&use, err);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        status = pass_on(put, ids[i], &arena, err);
        ct_arena_release(&arena);
    }
    free(ids);
    return status;
}

enum ct_status ct_db_result_store(struct ct_db *db, const struct ct_db_result *result,
                                  bool playoff, struct ct_err *err)
{
    struct put put = {
        .db = db, .result = result, .playoff = playoff, .scoring = {.db = db}};
    enum ct_status status;

    put.configuration_hash =
        ct_db_hash_configuration(result->configuration ? result->configuration : "");
    put.measured_unix_s = ct_db_when(result->measured_unix_s);
    status = steps(&put, err);
    /* A result put with its time is a stored one.  Play-offs belong to a subject, and interrupted
     * results have no meaning for others. */
    if (status == CT_OK && !playoff && !result->measured_unix_s &&
        strcmp(result->status, "interrupted") != 0)
        status = tell_siblings(&put, err);
    ct_scoring_release(&put.scoring);
    return status;
}

enum ct_status ct_db_result_put(struct ct_db *db, const struct ct_db_result *result,
                                struct ct_err *err)
{
    enum ct_status status = ct_db_enter(db, err);

    if (status != CT_OK)
        return status;
    return ct_db_leave(db, ct_db_result_store(db, result, false, err), err);
}
