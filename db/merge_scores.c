// SPDX-License-Identifier: Apache-2.0
// Merges scores and rankings, and finds the bests of all subjects that changed.
#include "db/merge.h"

#include "db/adhoc.h"
#include "db/merge_feed.h"
#include "db/merge_ranks.h"
#include "db/score.h"

#include <stdio.h>
#include <string.h>

#define OF_SUBJECT                                                                       \
    " WHERE device_id = ?1 AND kernel_id = ?2 AND problem_id = ?3 AND objective = ?4"    \
    " AND direction = ?5"

#define OF_RESULTS " WHERE device_id = ?1 AND kernel_id = ?2 AND problem_id = ?3"

/* --- scores --- */

/* Scores of the source being copied. */
struct scoring {
    struct ct_merge *m;
    struct ct_err *err;
    enum ct_status status;
    struct ct_db_use from;
    struct ct_merge_judge judge;
    const struct ct_merge_row *row; /* the result of the current one */
};

static bool next_score(void *user)
{
    struct scoring *s = user;

    while (ct_db_row(&s->from)) {
        s->row = ct_merge_row_of(s->m, ct_db_int(&s->from, 0));
        if (s->m->checked)
            s->status = ct_merge_judge_score(&s->judge, &s->from, s->row, s->err);
        if (s->status != CT_OK)
            return false;
        if (s->row && s->row->to && s->row->ok)
            return true;
    }
    return false;
}

static void score_value(void *user, sqlite3_context *to, int column)
{
    const struct scoring *s = user;
    const struct ct_merge_subject *of = &s->m->subjects[s->row->subject];
    const int64_t ids[] = {of->device_id, of->kernel_id, of->problem_id, s->row->to,
                           s->row->configuration_hash};

    if (column < 5)
        sqlite3_result_int64(to, ids[column]);
    else
        ct_merge_feed_copy(to, s->from.stmt, column - 4);
}

/* Copies the scores of all results whose row is now that of the source, without ranks. */
static enum ct_status copy_scores(struct ct_merge *m, struct ct_err *err)
{
    struct scoring s = {
        .m = m,
        .err = err,
        .from = ct_adhoc_begin(
            m->from, "SELECT " CT_MERGE_SCORE_COLUMNS " FROM score"
                     " ORDER BY device_id, kernel_id, problem_id, objective, direction,"
                     " rank, result_id"),
    };
    const struct ct_merge_feed feed = {next_score, score_value, &s};
    struct ct_err own_err = CT_ERR_INIT;
    enum ct_status status;
    enum ct_status own;

    ct_merge_judge_begin(&s.judge, m);
    status = ct_merge_feed_run(
        m->to,
        "INSERT INTO score (device_id, kernel_id, problem_id, result_id,"
        " configuration_hash, objective, direction, rank)"
        " SELECT c0, c1, c2, c3, c4, c5, c6, c7 FROM feed WHERE true"
        " ON CONFLICT DO NOTHING",
        &feed, &own_err);
    if (s.status != CT_OK)
        status = s.status;
    else if (status != CT_OK && err)
        *err = own_err;
    own = ct_adhoc_end(&s.from, status == CT_OK ? err : NULL);
    status = status == CT_OK ? own : status;
    own = ct_merge_judge_end(&s.judge, status == CT_OK ? err : NULL);
    return status == CT_OK ? own : status;
}

/* Of several experiments with one configuration only the latest competes under an objective: finds those
 * of rows that follow each other in the target, and of others that meet them. */
static const char outdated[] =
    "SELECT iif(is_newer, other, mine), objective, direction FROM"
    " (SELECT mine.id AS mine, other.id AS other, (mine.measured_unix_s, mine.experiment) >"
    " (other.measured_unix_s, other.experiment) AS is_newer, mine.run_id AS my_run,"
    " other.run_id AS other_run FROM result AS mine CROSS JOIN result AS other"
    " INDEXED BY result_by_configuration ON other.kernel_id = mine.kernel_id AND"
    " other.configuration_hash = mine.configuration_hash AND other.device_id ="
    " mine.device_id AND other.problem_id = mine.problem_id AND other.id <> mine.id"
    " WHERE mine.id BETWEEN ?1 AND ?2)"
    " JOIN run ON run.id = iif(is_newer, my_run, other_run)";

/* Whether the target may have another result of the row's configuration that competes with it. */
static bool may_outdate(const struct ct_merge *m, const struct ct_merge_row *row)
{
    return row->to && !row->alone && m->subjects[row->subject].mixed;
}

/* Scores of results that newer ones of their configurations outdate go, as far as the source's rows are
 * among these; subjects that are new to the target have none. */
static enum ct_status drop_outdated(struct ct_merge *m, struct ct_err *err)
{
    size_t first = 0;
    struct ct_db_use each;
    struct ct_db_use drop;
    enum ct_status status;
    enum ct_status own;
    size_t end;

    while (first < m->row_count && !may_outdate(m, &m->rows[first]))
        first++;
    if (first == m->row_count)
        return CT_OK;
    status = ct_merge_index_make(m->later, m->to, err);
    if (status != CT_OK)
        return status;
    each = ct_adhoc_begin(m->to, outdated);
    drop = ct_adhoc_begin(
        m->to,
        "DELETE FROM score WHERE result_id = ?1 AND objective = ?2 AND direction = ?3");
    for (size_t i = first; i < m->row_count && each.rc == SQLITE_OK; i = end) {
        end = i + 1;
        if (!may_outdate(m, &m->rows[i]))
            continue;
        while (end < m->row_count && m->rows[end].to == m->rows[end - 1].to + 1 &&
               may_outdate(m, &m->rows[end]))
            end++;
        ct_db_bind_int(&each, 1, m->rows[i].to);
        ct_db_bind_int(&each, 2, m->rows[end - 1].to);
        while (drop.rc == SQLITE_OK && ct_db_row(&each)) {
            for (int k = 0; k < 3; k++)
                ct_adhoc_copy(&drop, k + 1, &each, k);
            while (ct_db_row(&drop)) {
            }
            ct_adhoc_again(&drop);
        }
        ct_adhoc_again(&each);
    }
    status = ct_adhoc_end(&each, err);
    own = ct_adhoc_end(&drop, status == CT_OK ? err : NULL);
    return status == CT_OK ? own : status;
}

/* --- rankings --- */

/* Everything that a subject's rankings need. */
struct ranking {
    struct ct_merge *m;
    struct ct_db_use source; /* the ranked of a subject in the source */
    struct ct_db_use pick;   /* when the pick of a subject was measured */
    struct ct_db_use end;
    struct ct_db_use set;
};

/* Whether the source's play-off is later than the stored one. */
static bool is_later(struct ranking *r, const struct ct_subject *of, int64_t measured,
                     const char *experiment)
{
    bool later = true;

    ct_subject_bind(&r->pick, of);
    if (ct_db_row(&r->pick)) {
        int64_t stored = ct_db_int(&r->pick, 0);

        later = measured > stored ||
                (measured == stored && strcmp(experiment, ct_db_peek(&r->pick, 1)) >= 0);
    }
    ct_adhoc_again(&r->pick);
    return later;
}

/* Takes the rankings of one subject over, if its pick is still what the source has measured. */
static void take_rankings(struct ranking *r, const struct ct_subject *from,
                          const struct ct_subject *to)
{
    bool taking = false;

    ct_subject_bind(&r->source, from);
    while (ct_db_row(&r->source)) {
        const struct ct_merge_row *row = ct_merge_row_of(r->m, ct_db_int(&r->source, 0));
        int64_t id = row ? row->to : 0;
        bool pick = ct_db_int(&r->source, 1) == 0;

        if (pick && (!id || !is_later(r, to, ct_db_int(&r->source, 3),
                                      ct_db_peek(&r->source, 4))))
            break;
        if (pick) {
            taking = true;
            ct_subject_bind(&r->end, to);
            while (ct_db_row(&r->end)) {
            }
            ct_adhoc_again(&r->end);
        }
        if (!taking || !id)
            continue;
        ct_subject_bind(&r->set, to);
        ct_db_bind_int(&r->set, 6, id);
        ct_adhoc_copy(&r->set, 7, &r->source, 1);
        ct_adhoc_copy(&r->set, 8, &r->source, 2);
        while (ct_db_row(&r->set)) {
        }
        ct_adhoc_again(&r->set);
    }
    ct_adhoc_again(&r->source);
}

static enum ct_status merge_rankings(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use each = ct_adhoc_begin(
        m->from,
        "SELECT device_id, kernel_id, problem_id, objective, direction FROM score"
        " WHERE standing = 0");
    struct ranking r = {
        .m = m,
        .source = ct_adhoc_begin(
            m->from,
            "SELECT result_id, standing, tied, measured_unix_s, experiment FROM"
            " (SELECT result_id AS ranked, standing, tied, result_id FROM score" OF_SUBJECT
            " AND standing IS NOT NULL) JOIN result ON result.id = ranked"
            " ORDER BY standing"),
        .pick = ct_adhoc_begin(
            m->to,
            "SELECT measured_unix_s, experiment FROM (SELECT result_id FROM score" OF_SUBJECT
            " AND standing = 0) JOIN result ON result.id = result_id"),
        .end =
            ct_adhoc_begin(m->to, "UPDATE score SET standing = NULL, tied = 0" OF_SUBJECT
                                  " AND standing IS NOT NULL"),
        .set =
            ct_adhoc_begin(m->to, "UPDATE score SET standing = ?7, tied = ?8" OF_SUBJECT
                                  " AND result_id = ?6"),
    };
    struct ct_db_use *const all[] = {&each, &r.source, &r.pick, &r.end, &r.set};
    enum ct_status status = CT_OK;

    while (r.set.rc == SQLITE_OK && r.end.rc == SQLITE_OK && ct_db_row(&each)) {
        char objective[256];
        struct ct_subject from = {
            .device_id = ct_db_int(&each, 0),
            .kernel_id = ct_db_int(&each, 1),
            .problem_id = ct_db_int(&each, 2),
            .objective = objective,
            .maximize = strcmp(ct_db_peek(&each, 4), "maximize") == 0,
        };
        struct ct_subject to = from;

        snprintf(objective, sizeof(objective), "%s", ct_db_peek(&each, 3));
        to.device_id = ct_merge_id_of(&m->devices, from.device_id);
        to.kernel_id = ct_merge_id_of(&m->kernels, from.kernel_id);
        to.problem_id = ct_merge_id_of(&m->problems, from.problem_id);
        if (to.device_id && to.kernel_id && to.problem_id)
            take_rankings(&r, &from, &to);
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        enum ct_status own = ct_adhoc_end(all[i], status == CT_OK ? err : NULL);

        status = status == CT_OK ? own : status;
    }
    return status;
}

/* --- bests --- */

/* Rankings that have lost their pick end; then the pick, or the best value, is the best.  Of equal
 * values the one that was measured itself, and then the first experiment, so that the order of
 * merging does not matter. */
enum ct_status ct_merge_settle(struct ct_db *db, const struct ct_merge_subject *subjects,
                               size_t count, struct ct_err *err)
{
    static const char *const steps[] = {
        "UPDATE score INDEXED BY score_by_standing SET standing = NULL, tied = 0" OF_RESULTS
        " AND standing IS NOT NULL AND NOT EXISTS (SELECT 1 FROM score AS"
        " pick WHERE pick.device_id = ?1 AND pick.kernel_id = ?2 AND pick.problem_id = ?3"
        " AND pick.objective = score.objective AND pick.direction = score.direction"
        " AND pick.standing = 0)",
        "DELETE FROM best" OF_RESULTS,
        /* `first` goes from each objective to the next without reading what is between them. */
        "INSERT INTO best (device_id, kernel_id, problem_id, objective, direction, value,"
        " result_id) WITH RECURSIVE first (objective, direction, least) AS (SELECT * FROM"
        " (SELECT objective, direction, rank FROM score" OF_RESULTS
        " ORDER BY objective, direction, rank LIMIT 1) UNION ALL"
        " SELECT score.objective, score.direction, rank FROM first JOIN score" OF_RESULTS
        " AND (score.objective, score.direction, rank, result_id) = (SELECT objective,"
        " direction, rank, result_id FROM score" OF_RESULTS
        " AND (objective, direction) > (first.objective, first.direction)"
        " ORDER BY objective, direction, rank, result_id LIMIT 1)),"
        " leader AS (SELECT score.* FROM first CROSS JOIN score" OF_RESULTS
        " AND score.objective = first.objective AND score.direction = first.direction"
        " AND rank = least UNION ALL SELECT score.* FROM score INDEXED BY score_by_standing" OF_RESULTS
        " AND standing = 0)"
        " SELECT device_id, kernel_id, problem_id, objective, direction,"
        " CASE direction WHEN 'maximize' THEN -rank ELSE rank END, result_id FROM"
        " (SELECT leader.*, row_number() OVER (PARTITION BY objective, direction"
        " ORDER BY standing IS NULL, standing, rank, result.twin_of <> '', experiment)"
        " AS place FROM leader JOIN result ON result.id = result_id) WHERE place = 1",
    };
    enum { STEPS = sizeof(steps) / sizeof(steps[0]) };
    struct ct_db_use uses[STEPS];
    enum ct_status status = CT_OK;
    bool sound = true;

    for (int k = 0; k < STEPS; k++)
        uses[k] = ct_adhoc_begin(db, steps[k]);
    for (size_t i = 0; i < count && sound; i++)
        for (int k = 0; k < STEPS && sound; k++) {
            ct_db_bind_int(&uses[k], 1, subjects[i].device_id);
            ct_db_bind_int(&uses[k], 2, subjects[i].kernel_id);
            ct_db_bind_int(&uses[k], 3, subjects[i].problem_id);
            while (ct_db_row(&uses[k])) {
            }
            sound = uses[k].rc == SQLITE_OK;
            ct_adhoc_again(&uses[k]);
        }
    for (int k = 0; k < STEPS; k++) {
        enum ct_status own = ct_adhoc_end(&uses[k], status == CT_OK ? err : NULL);

        status = status == CT_OK ? own : status;
    }
    return status;
}

enum ct_status ct_merge_scores(struct ct_merge *m, struct ct_err *err)
{
    enum ct_status status = copy_scores(m, err);

    if (status == CT_OK)
        status = drop_outdated(m, err);
    if (status == CT_OK)
        status = merge_rankings(m, err);
    return status == CT_OK ? ct_merge_settle(m->to, m->subjects, m->subject_count, err)
                           : status;
}
