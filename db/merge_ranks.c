// SPDX-License-Identifier: Apache-2.0
// Whether scores are what their results have.
#include "db/merge_ranks.h"

#include "db/adhoc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE "1e-9" /* as in is_odd */

/* The rank under the objective of a result's own run is its value; other objectives are the time, or
 * quantities of that name. */
#define ODD_RANKS(condition)                                                             \
    "SELECT result_id, rank, CASE direction WHEN 'maximize' THEN -value ELSE value END"  \
    " AS fit FROM (SELECT score.result_id, score.rank, score.direction, CASE"            \
    " WHEN score.objective = run.objective AND score.direction = run.direction"          \
    " THEN result.objective_value"                                                       \
    " WHEN score.objective = 'time' THEN result.time_ns"                                 \
    " WHEN score.objective = 'end_to_end' THEN result.end_to_end_ns"                     \
    " WHEN score.objective NOT GLOB '*[^A-Za-z0-9_]*' THEN"                              \
    " coalesce(json_extract(nullif(result.metrics, ''), '$.' || score.objective),"       \
    " json_extract(nullif(result.observed, ''), '$.' || score.objective)) END AS value"  \
    " FROM score JOIN result ON result.id = score.result_id"                             \
    " JOIN run ON run.id = result.run_id" condition                                      \
    ") WHERE abs(rank - fit) > " TOLERANCE " * abs(fit) LIMIT 20"

const char ct_merge_odd_ranks[] = ODD_RANKS("");

enum { RESULT, OBJECTIVE, DIRECTION, RANK, DEVICE }; /* columns of a score */

/* --- objectives --- */

/* Whether the item, a direction and an objective, is of these. */
static bool is_objective(const char *item, const char *objective, const char *direction)
{
    size_t length = strlen(direction);

    return strncmp(item, direction, length) == 0 && item[length] == ' ' &&
           strcmp(item + length + 1, objective) == 0;
}

enum ct_status ct_merge_objective(struct ct_merge_objectives *all, const char *objective,
                                  const char *direction, uint32_t *out,
                                  struct ct_err *err)
{
    struct ct_str text;

    for (size_t i = 0; i < all->count; i++)
        if (is_objective(all->items[i], objective, direction)) {
            *out = (uint32_t)i;
            return CT_OK;
        }
    ct_str_init(&text);
    ct_str_addf(&text, "%s %s", direction, objective);
    if (text.failed ||
        !ct_mem_grow(&all->items, &all->capacity, all->count + 1, sizeof(*all->items))) {
        ct_str_release(&text);
        return ct_err_nomem(err);
    }
    *out = (uint32_t)all->count;
    all->items[all->count++] = text.data;
    return CT_OK;
}

void ct_merge_objectives_release(struct ct_merge_objectives *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->items[i]);
    free(all->items);
    free(all->of_runs);
}

/* --- scores --- */

void ct_merge_judge_begin(struct ct_merge_judge *judge, struct ct_merge *merge)
{
    *judge = (struct ct_merge_judge){
        .m = merge,
        .odd = ct_adhoc_begin(merge->from, ODD_RANKS(" WHERE score.result_id = ?1")),
    };
}

enum ct_status ct_merge_judge_end(struct ct_merge_judge *judge, struct ct_err *err)
{
    return ct_adhoc_end(&judge->odd, err);
}

/* Looks up what the score refers to, mostly the same as the one before. */
static bool has_references(struct ct_merge_judge *judge, struct ct_db_use *score)
{
    const struct ct_merge *m = judge->m;
    const struct ct_merge_ids *const all[] = {&m->devices, &m->kernels, &m->problems};
    bool found = true;

    for (int i = 0; i < 3; i++) {
        int64_t id = ct_db_int(score, DEVICE + i);

        if (!judge->known || id != judge->ids[i])
            found &= ct_merge_ids_find(all[i], id) != NULL;
        judge->ids[i] = id;
    }
    return found;
}

/* Whether the rank is another than the value, which is NAN if it is not known. */
static bool is_odd(double rank, double value, bool maximize)
{
    double fit = maximize ? -value : value;

    return fabs(rank - fit) > 1e-9 * fabs(fit);
}

/* Whether SQLite finds an odd rank of that result. */
static bool finds_odd(struct ct_merge_judge *judge, int64_t result_id)
{
    bool odd;

    ct_db_bind_int(&judge->odd, 1, result_id);
    odd = ct_db_row(&judge->odd);
    ct_adhoc_again(&judge->odd);
    return odd;
}

enum ct_status ct_merge_judge_score(struct ct_merge_judge *judge, struct ct_db_use *score,
                                    const struct ct_merge_row *row, struct ct_err *err)
{
    const char *objective = ct_db_peek(score, OBJECTIVE);
    const char *direction = ct_db_peek(score, DIRECTION);
    bool maximize = strcmp(direction, "maximize") == 0;
    double rank = ct_db_real(score, RANK);
    struct ct_merge_objectives *all = &judge->m->objectives;
    bool odd;

    if (!row || !has_references(judge, score))
        return ct_merge_missing(ct_db_path(judge->m->from), "score", err);
    if (!judge->known ||
        !is_objective(all->items[judge->objective], objective, direction)) {
        enum ct_status status =
            ct_merge_objective(all, objective, direction, &judge->objective, err);

        if (status != CT_OK)
            return status;
    }
    judge->known = true;
    if (judge->objective == row->objective)
        odd = is_odd(rank, row->value, maximize);
    else if (strcmp(objective, "time") == 0)
        odd = is_odd(rank, row->time_ns, maximize);
    else if (strcmp(objective, "end_to_end") == 0)
        odd = is_odd(rank, row->end_to_end_ns, maximize);
    else
        odd = finds_odd(judge, row->from);
    if (odd)
        return ct_err_set(err, CT_E_DB,
                          "%s is damaged (result %lld competes with a value that is not "
                          "its own) and is not merged",
                          ct_db_path(judge->m->from), (long long)row->from);
    return judge->odd.rc == SQLITE_OK ? CT_OK
                                      : ct_db_fail(judge->m->from, judge->odd.rc, err);
}
