// SPDX-License-Identifier: Apache-2.0
// Updates rows of `score`, and keeps `best` and the rankings consistent.
#include "db/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct_scoring_release(struct ct_scoring *scoring)
{
    free(scoring->old);
    free(scoring->touched);
    ct_arena_release(&scoring->arena);
}

void ct_subject_bind(struct ct_db_use *use, const struct ct_subject *of)
{
    ct_db_bind_int(use, 1, of->device_id);
    ct_db_bind_int(use, 2, of->kernel_id);
    ct_db_bind_int(use, 3, of->problem_id);
    ct_db_bind_text(use, 4, of->objective);
    ct_db_bind_text(use, 5, ct_db_direction(of->maximize));
}

bool ct_subject_same(const struct ct_subject *a, const struct ct_subject *b)
{
    return a->device_id == b->device_id && a->kernel_id == b->kernel_id &&
           a->problem_id == b->problem_id && a->maximize == b->maximize &&
           strcmp(a->objective, b->objective) == 0;
}

enum ct_status ct_subject_of_run(struct ct_db *db, int64_t run_id, struct ct_subject *out,
                                 struct ct_err *err)
{
    struct ct_db_subject *kept = &db->subject;
    enum ct_status status = CT_OK;

    if (kept->run_id != run_id || !run_id) {
        struct ct_db_use use = ct_db_use_begin(db, CT_SQL_RUN_GET);
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
    *out = (struct ct_subject){kept->device_id, kept->kernel_id, kept->problem_id,
                               kept->objective, kept->maximize};
    return status;
}

static enum ct_status note_touched(struct ct_scoring *scoring,
                                   const struct ct_subject *of, struct ct_err *err)
{
    if (!ct_mem_grow(&scoring->touched, &scoring->touched_capacity,
                     scoring->touched_count + 1, sizeof(*scoring->touched)))
        return ct_err_nomem(err);
    scoring->touched[scoring->touched_count++] = *of;
    return CT_OK;
}

enum ct_status ct_score_load(struct ct_scoring *scoring, int64_t result_id,
                             struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(scoring->db, CT_SQL_SCORES_OF_RESULT);

    ct_db_bind_int(&use, 1, result_id);
    while (ct_db_row(&use)) {
        struct ct_score *next;

        if (!ct_mem_grow(&scoring->old, &scoring->old_capacity, scoring->old_count + 1,
                         sizeof(*scoring->old))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        next = &scoring->old[scoring->old_count++];
        next->of.device_id = ct_db_int(&use, 0);
        next->of.kernel_id = ct_db_int(&use, 1);
        next->of.problem_id = ct_db_int(&use, 2);
        next->of.objective = ct_db_text(&use, 3, &scoring->arena);
        next->of.maximize = strcmp(ct_db_peek(&use, 4), "maximize") == 0;
        next->rank = ct_db_real(&use, 5);
        next->result_id = result_id;
        next->configuration_hash = ct_db_int(&use, 6);
        next->standing = ct_db_ranking(&use, 7);
        next->tied = ct_db_int(&use, 8) != 0;
    }
    return ct_db_done(&use, err);
}

enum ct_status ct_score_drop(struct ct_scoring *scoring, const struct ct_score *score,
                             struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(scoring->db, CT_SQL_SCORE_DROP);
    enum ct_status status;

    ct_subject_bind(&use, &score->of);
    ct_db_bind_real(&use, 6, score->rank);
    ct_db_bind_int(&use, 7, score->result_id);
    status = ct_db_exec(&use, err);
    return status == CT_OK ? note_touched(scoring, &score->of, err) : status;
}

enum ct_status ct_score_add(struct ct_scoring *scoring, const struct ct_score *score,
                            struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(scoring->db, CT_SQL_SCORE_ADD);
    enum ct_status status;

    ct_subject_bind(&use, &score->of);
    ct_db_bind_real(&use, 6, score->rank);
    ct_db_bind_int(&use, 7, score->result_id);
    ct_db_bind_int(&use, 8, score->configuration_hash);
    ct_db_bind_count(&use, 9, score->standing);
    ct_db_bind_int(&use, 10, score->tied);
    status = ct_db_exec(&use, err);
    return status == CT_OK ? note_touched(scoring, &score->of, err) : status;
}

enum ct_status ct_score_end_rankings(struct ct_scoring *scoring,
                                     const struct ct_subject *of, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(scoring->db, CT_SQL_RANKINGS_END);
    enum ct_status status;

    ct_subject_bind(&use, of);
    status = ct_db_exec(&use, err);
    return status == CT_OK ? note_touched(scoring, of, err) : status;
}

/* The first of a subject's rankings, or of all others; found->result_id 0: none. */
static enum ct_status first_of(struct ct_db *db, enum ct_sql which,
                               const struct ct_subject *of, struct ct_score *found,
                               struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(db, which);

    *found = (struct ct_score){.of = *of, .rank = NAN, .standing = -1};
    ct_subject_bind(&use, of);
    ct_db_bind_int(&use, 6, 1);
    if (ct_db_row(&use)) {
        found->rank = ct_db_real(&use, 0);
        found->result_id = ct_db_int(&use, 1);
        found->standing = ct_db_ranking(&use, 2);
    }
    return ct_db_done(&use, err);
}

/* By how much a new result must be better than the last play-off's pick to replace it without
 * another play-off: lucky samples are rarely that lucky. */
static const double challenge = 0.1;

enum ct_status ct_score_challenge(struct ct_scoring *scoring,
                                  const struct ct_score *score, struct ct_err *err)
{
    struct ct_score pick;
    enum ct_status status =
        first_of(scoring->db, CT_SQL_SCORE_RANKED, &score->of, &pick, err);

    if (status != CT_OK || pick.standing != 0 ||
        !(score->rank < pick.rank - challenge * fabs(pick.rank)))
        return status;
    return ct_score_end_rankings(scoring, &score->of, err);
}

static enum ct_status put_best(struct ct_db *db, const struct ct_score *first,
                               struct ct_err *err)
{
    struct ct_db_use use =
        ct_db_use_begin(db, first->result_id ? CT_SQL_BEST_PUT : CT_SQL_BEST_DROP);

    ct_subject_bind(&use, &first->of);
    if (first->result_id) {
        ct_db_bind_real(&use, 6, first->of.maximize ? -first->rank : first->rank);
        ct_db_bind_int(&use, 7, first->result_id);
    }
    return ct_db_exec(&use, err);
}

enum ct_status ct_score_settle(struct ct_scoring *scoring, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    /* Ending rankings marks the subject being settled again: it must not. */
    for (size_t i = 0, n = scoring->touched_count; i < n && status == CT_OK; i++) {
        struct ct_subject of = scoring->touched[i];
        struct ct_score first;

        status = first_of(scoring->db, CT_SQL_SCORE_RANKED, &of, &first, err);
        if (status == CT_OK && first.standing > 0)
            status = ct_score_end_rankings(scoring, &of, err);
        if (status == CT_OK && first.standing != 0)
            status = first_of(scoring->db, CT_SQL_SCORE_LEAST, &of, &first, err);
        if (status == CT_OK)
            status = put_best(scoring->db, &first, err);
    }
    return status;
}
