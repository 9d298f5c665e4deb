// SPDX-License-Identifier: Apache-2.0
// Storing a result, and keeping `score` and `best` true to what is stored.
#include "db/internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a score is about. */
struct subject {
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    const char *objective;
    bool maximize;
};

/* One row of `score`, with its result. */
struct score {
    struct subject of;
    double rank;
    int64_t result_id;
};

/* A result on its way in. */
struct put {
    struct ct_db *db;
    const struct ct_db_result *result;
    struct subject of; /* under the run's objective */
    int64_t configuration_hash;
    int64_t measured_unix_s;
    int64_t id;            /* of the row; 0 until it is known */
    uint32_t attempts;     /* stored before; 0 for a new one */
    bool again;            /* the measurement is the stored one */
    struct ct_arena arena; /* owns the texts in `old` and `touched` */
    struct score *old;     /* what the stored result competed with */
    size_t old_count;
    size_t old_capacity;
    struct subject *touched; /* whose best may have changed */
    size_t touched_count;
    size_t touched_capacity;
};

int64_t ct_db_configuration_hash(const char *configuration)
{
    struct ct_hash hash = ct_hash_bytes(configuration, strlen(configuration));
    uint64_t bits;
    int64_t number;

    hash.text[16] = '\0';
    bits = strtoull(hash.text, NULL, 16);
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* --- scores --- */

static void bind_subject(struct ct_db_use *use, const struct subject *of,
                         bool kernel_first)
{
    ct_db_bind_int(use, kernel_first ? 2 : 1, of->device_id);
    ct_db_bind_int(use, kernel_first ? 1 : 2, of->kernel_id);
    ct_db_bind_int(use, 3, of->problem_id);
    ct_db_bind_text(use, 4, of->objective);
    ct_db_bind_text(use, 5, ct_db_direction(of->maximize));
}

static enum ct_status touch(struct put *put, const struct subject *of, struct ct_err *err)
{
    if (!ct_mem_grow(&put->touched, &put->touched_capacity, put->touched_count + 1,
                     sizeof(*put->touched)))
        return ct_err_nomem(err);
    put->touched[put->touched_count++] = *of;
    return CT_OK;
}

/* Appends the scores of a result to put->old. */
static enum ct_status load_scores(struct put *put, int64_t result_id, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_SCORES_OF_RESULT);

    ct_db_bind_int(&use, 1, result_id);
    while (ct_db_row(&use)) {
        struct score *next;

        if (!ct_mem_grow(&put->old, &put->old_capacity, put->old_count + 1,
                         sizeof(*put->old))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        next = &put->old[put->old_count++];
        next->of.device_id = ct_db_int(&use, 0);
        next->of.kernel_id = ct_db_int(&use, 1);
        next->of.problem_id = ct_db_int(&use, 2);
        next->of.objective = ct_db_text(&use, 3, &put->arena);
        next->of.maximize = strcmp(ct_db_peek(&use, 4), "maximize") == 0;
        next->rank = ct_db_real(&use, 5);
        next->result_id = result_id;
    }
    return ct_db_done(&use, err);
}

static enum ct_status drop_score(struct put *put, const struct score *score,
                                 struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_SCORE_DROP);
    enum ct_status status;

    bind_subject(&use, &score->of, false);
    ct_db_bind_real(&use, 6, score->rank);
    ct_db_bind_int(&use, 7, score->result_id);
    status = ct_db_exec(&use, err);
    return status == CT_OK ? touch(put, &score->of, err) : status;
}

static enum ct_status add_score(struct put *put, const struct subject *of, double rank,
                                struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_SCORE_ADD);
    enum ct_status status;

    bind_subject(&use, of, false);
    ct_db_bind_real(&use, 6, rank);
    ct_db_bind_int(&use, 7, put->id);
    ct_db_bind_int(&use, 8, put->configuration_hash);
    status = ct_db_exec(&use, err);
    return status == CT_OK ? touch(put, of, err) : status;
}

/* Makes `best` agree with the first score of a subject. */
static enum ct_status refresh_best(struct put *put, const struct subject *of,
                                   struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_SCORE_LEAST);
    enum ct_status status;
    int64_t result_id = 0;
    double rank = NAN;

    bind_subject(&use, of, false);
    ct_db_bind_int(&use, 6, 1);
    if (ct_db_row(&use)) {
        rank = ct_db_real(&use, 0);
        result_id = ct_db_int(&use, 1);
    }
    status = ct_db_done(&use, err);
    if (status != CT_OK)
        return status;
    use = ct_db_use(put->db, result_id ? CT_SQL_BEST_PUT : CT_SQL_BEST_DROP);
    bind_subject(&use, of, true);
    if (result_id) {
        ct_db_bind_real(&use, 6, of->maximize ? -rank : rank);
        ct_db_bind_int(&use, 7, result_id);
    }
    return ct_db_exec(&use, err);
}

/* --- the steps of storing --- */

/* Finds out what the result belongs to, from its run. */
static enum ct_status load_subject(struct put *put, struct ct_err *err)
{
    struct ct_db *db = put->db;
    struct ct_db_subject *kept = &db->subject;
    int64_t run_id = put->result->run_id;
    enum ct_status status = CT_OK;

    if (kept->run_id != run_id || !run_id) {
        struct ct_db_use use = ct_db_use(db, CT_SQL_RUN_GET);
        bool found;

        kept->run_id = 0;
        free(kept->objective);
        kept->objective = NULL;
        ct_db_bind_int(&use, 1, run_id);
        found = ct_db_row(&use);
        if (found) {
            const char *objective = ct_db_peek(&use, 3);

            kept->device_id = ct_db_int(&use, 0);
            kept->kernel_id = ct_db_int(&use, 1);
            kept->problem_id = ct_db_int(&use, 2);
            kept->objective = ct_mem_copy(objective, strlen(objective));
            kept->maximize = strcmp(ct_db_peek(&use, 4), "maximize") == 0;
            if (!kept->objective)
                use.rc = SQLITE_NOMEM;
        }
        status = ct_db_done(&use, err);
        if (status == CT_OK && !found)
            status = ct_err_set(err, CT_E_INTERNAL, "%s has no run %lld", db->path,
                                (long long)run_id);
        if (status != CT_OK)
            return status;
        kept->run_id = run_id;
    }
    put->of = (struct subject){kept->device_id, kept->kernel_id, kept->problem_id,
                               kept->objective, kept->maximize};
    return status;
}

static bool same_real(double a, double b)
{
    return a == b || (!isfinite(a) && !isfinite(b));
}

/* Takes the stored result of the same experiment, if any, out of the competition. */
static enum ct_status retire_old(struct put *put, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_RESULT_FIND);
    enum ct_status status;

    ct_db_bind_int(&use, 1, put->of.device_id);
    ct_db_bind_hash(&use, 2, &put->result->experiment);
    if (ct_db_row(&use)) {
        put->id = ct_db_int(&use, 0);
        put->attempts = (uint32_t)ct_db_int(&use, 1);
        put->again = same_real(ct_db_real(&use, 2), put->result->time_ns) &&
                     ct_db_int(&use, 3) == put->measured_unix_s;
    }
    status = ct_db_done(&use, err);
    if (status == CT_OK && put->id)
        status = load_scores(put, put->id, err);
    for (size_t i = 0; i < put->old_count && status == CT_OK; i++)
        status = drop_score(put, &put->old[i], err);
    return status;
}

/* A text cut at `max` bytes, on a character's border, with a note; NULL and *whole when
 * it needs no cutting.  The caller frees. */
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

/* Doubles as little-endian bytes; NULL when memory is short.  The caller frees. */
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
    ct_db_bind_text(use, 8, r->phase);
    ct_db_bind_real(use, 9, r->objective_value);
    ct_db_bind_real(use, 10, r->time_ns);
    ct_db_bind_real(use, 11, r->low_ns);
    ct_db_bind_real(use, 12, r->high_ns);
    ct_db_bind_int(use, 13, r->launches_per_sample);
    ct_db_bind_u64(use, 14, r->build_ns);
    ct_db_bind_u64(use, 15, r->first_ns);
    ct_db_bind_u64(use, 16, r->check_ns);
    ct_db_bind_u64(use, 17, r->measure_ns);
    ct_db_bind_u64(use, 18, r->deadline_ns);
    ct_db_bind_u64(use, 19, r->binary_bytes);
    ct_db_bind_int(use, 20, r->verified);
    ct_db_bind_int(use, 21, r->stopped_early);
    ct_db_bind_int(use, 22, r->wall_clock);
    ct_db_bind_int(use, 23, r->attempts ? r->attempts : put->attempts + 1);
    ct_db_bind_int(use, 24, put->measured_unix_s);
}

static enum ct_status write_row(struct put *put, struct ct_err *err)
{
    const struct ct_db_result *r = put->result;
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_RESULT_PUT);
    unsigned char *samples = pack_doubles(r->samples_ns, r->sample_count);
    size_t round_count = r->rounds_ns ? r->rounds : 0;
    unsigned char *rounds = pack_doubles(r->rounds_ns, round_count);
    char *message = NULL;
    char *log = NULL;
    enum ct_status status;

    if ((!samples || !rounds) && use.rc == SQLITE_OK)
        use.rc = SQLITE_NOMEM;
    bind_numbers(&use, put);
    ct_db_bind_text(&use, 25, r->mismatch_buffer);
    ct_db_bind_u64(&use, 26, r->mismatch_element);
    ct_db_bind_real(&use, 27, r->mismatch_expected);
    ct_db_bind_real(&use, 28, r->mismatch_seen);
    ct_db_bind_u64(&use, 29, r->mismatch_count);
    ct_db_bind_int(&use, 30, r->mismatch_guard);
    ct_db_bind_text(&use, 31, r->configuration);
    ct_db_bind_text(&use, 32, r->flags);
    ct_db_bind_text(&use, 33, r->metrics);
    ct_db_bind_text(&use, 34, r->resources);
    bind_capped(&use, 35, r->message, CT_DB_MESSAGE_BYTES, &message);
    ct_db_bind_blob(&use, 36, samples, r->sample_count * 8);
    bind_capped(&use, 37, r->log, CT_DB_LOG_BYTES, &log);
    ct_db_bind_text(&use, 38, r->twin_of);
    ct_db_bind_text(&use, 39, r->observed);
    ct_db_bind_real(&use, 40, r->end_to_end_ns);
    ct_db_bind_real(&use, 41, r->end_to_end_low_ns);
    ct_db_bind_real(&use, 42, r->end_to_end_high_ns);
    ct_db_bind_u64(&use, 43, r->rounds);
    ct_db_bind_blob(&use, 44, rounds, round_count * 8);
    ct_db_bind_real(&use, 45, r->timer_ns);
    ct_db_bind_real(&use, 46, r->raw_ns);
    /* An INSERT is only done when it has been stepped to its end. */
    while (ct_db_row(&use))
        put->id = ct_db_int(&use, 0);
    status = ct_db_done(&use, err);
    free(samples);
    free(rounds);
    free(message);
    free(log);
    return status;
}

static bool same_objective(const struct subject *a, const struct subject *b)
{
    return strcmp(a->objective, b->objective) == 0 && a->maximize == b->maximize;
}

/* Results of the same configuration under other experiments: under one objective only the
 * one measured last stays in the competition, even when it failed.  *current says whether
 * it is this one. */
static enum ct_status retire_twins(struct put *put, bool *current, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use(put->db, CT_SQL_TWINS);
    size_t before = put->old_count;
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
        size_t first = put->old_count;

        status = load_scores(put, ct_db_int(&use, 0), err);
        for (size_t i = first; i < put->old_count && status == CT_OK; i++) {
            if (!same_objective(&put->old[i].of, &put->of))
                continue;
            rival = true;
            if (!newer)
                status = drop_score(put, &put->old[i], err);
        }
        if (newer && rival)
            *current = false;
    }
    if (status == CT_OK)
        status = ct_db_done(&use, err);
    else
        ct_db_done(&use, NULL);
    put->old_count = before;
    return status;
}

/* The value that a new measurement has under another objective; NAN: not known. */
static double value_under(const struct ct_db_result *result, const char *objective)
{
    json_t *metrics;
    double value = NAN;

    if (strcmp(objective, "time") == 0)
        return result->time_ns;
    metrics = json_loads(result->metrics ? result->metrics : "", 0, NULL);
    if (json_is_number(json_object_get(metrics, objective)))
        value = json_number_value(json_object_get(metrics, objective));
    json_decref(metrics);
    return value;
}

/* Enters the result into the competition under the run's objective, and again under those
 * that it was in before. */
static enum ct_status compete(struct put *put, struct ct_err *err)
{
    const struct ct_db_result *r = put->result;
    bool current;
    enum ct_status status = retire_twins(put, &current, err);

    if (status != CT_OK || strcmp(r->status, "ok") != 0)
        return status;
    if (current && isfinite(r->objective_value))
        status =
            add_score(put, &put->of,
                      put->of.maximize ? -r->objective_value : r->objective_value, err);
    for (size_t i = 0; i < put->old_count && status == CT_OK; i++) {
        struct subject of = put->of;
        double rank = put->old[i].rank;

        of.objective = put->old[i].of.objective;
        of.maximize = put->old[i].of.maximize;
        if (same_objective(&of, &put->of))
            continue;
        if (!put->again)
            rank = value_under(r, of.objective) * (of.maximize ? -1 : 1);
        if (isfinite(rank))
            status = add_score(put, &of, rank, err);
    }
    return status;
}

static enum ct_status steps(struct put *put, struct ct_err *err)
{
    struct ct_db_use use;
    enum ct_status status = load_subject(put, err);

    if (status == CT_OK)
        status = retire_old(put, err);
    if (status == CT_OK)
        status = write_row(put, err);
    if (status == CT_OK)
        status = compete(put, err);
    for (size_t i = 0; i < put->touched_count && status == CT_OK; i++)
        status = refresh_best(put, &put->touched[i], err);
    if (status != CT_OK)
        return status;
    use = ct_db_use(put->db, CT_SQL_INFLIGHT_DROP);
    ct_db_bind_int(&use, 1, put->of.device_id);
    ct_db_bind_hash(&use, 2, &put->result->experiment);
    return ct_db_exec(&use, err);
}

enum ct_status ct_db_result_put(struct ct_db *db, const struct ct_db_result *result,
                                struct ct_err *err)
{
    struct put put = {.db = db, .result = result};
    enum ct_status status = ct_db_enter(db, err);

    if (status != CT_OK)
        return status;
    put.configuration_hash =
        ct_db_configuration_hash(result->configuration ? result->configuration : "");
    put.measured_unix_s = ct_db_when(result->measured_unix_s);
    status = ct_db_leave(db, steps(&put, err), err);
    free(put.old);
    free(put.touched);
    ct_arena_release(&put.arena);
    return status;
}
