// SPDX-License-Identifier: Apache-2.0
// Stores the ranking of a play-off.
#include "db/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A play-off being stored. */
struct playoff {
    struct ct_db *db;
    int64_t run_id;
    struct ct_subject of;
    const struct ct_db_ranked *ranked_all;
    size_t count;
    struct ct_arena arena; /* for one entrant at a time */
};

static bool stands(const struct playoff *playoff, const struct ct_hash *experiment)
{
    for (size_t i = 0; i < playoff->count; i++)
        if (strcmp(playoff->ranked_all[i].experiment.text, experiment->text) == 0)
            return true;
    return false;
}

/* Gives a stored result the times of an entrant. */
static void take_times(const struct playoff *playoff, const struct ct_db_ranked *ranked,
                       struct ct_db_result *result)
{
    if (!result->playoff.rounds)
        result->playoff.raw_ns = result->time_ns;
    result->run_id = playoff->run_id;
    result->objective_value = ranked->value;
    result->time_ns = ranked->time_ns;
    result->low_ns = ranked->low_ns;
    result->high_ns = ranked->high_ns;
    if (ranked->rounds_ns || ranked->rounds != result->playoff.rounds)
        result->playoff.rounds_ns = ranked->rounds_ns;
    result->playoff.rounds = ranked->rounds;
    if (isfinite(ranked->end_to_end_ns)) {
        result->end_to_end.time_ns = ranked->end_to_end_ns;
        result->end_to_end.low_ns = ranked->end_to_end_low_ns;
        result->end_to_end.high_ns = ranked->end_to_end_high_ns;
    }
    if (ranked->observed)
        result->observed = ranked->observed;
    if (ranked->metrics)
        result->metrics = ranked->metrics;
}

/* The row of the play-off's own kernel and problem. */
static enum ct_status get_own(struct playoff *playoff, const struct ct_hash *experiment,
                              struct ct_db_result *result, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(playoff->db, CT_SQL_RESULT_FIND);
    enum ct_status status;
    int64_t id = 0;

    ct_db_bind_int(&use, 1, playoff->of.device_id);
    ct_db_bind_hash(&use, 2, experiment);
    ct_db_bind_int(&use, 3, playoff->of.kernel_id);
    ct_db_bind_int(&use, 4, playoff->of.problem_id);
    if (ct_db_row(&use))
        id = ct_db_int(&use, 0);
    status = ct_db_done(&use, err);
    if (status != CT_OK)
        return status;
    return id ? ct_db_result_by_id(playoff->db, id, &playoff->arena, result, err)
              : CT_E_NOT_FOUND;
}

static enum ct_status set_ranking(const struct playoff *playoff, size_t place,
                                  int64_t result_id, bool *found, struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(playoff->db, CT_SQL_RANKING_SET);

    *found = false;
    ct_subject_bind(&use, &playoff->of);
    ct_db_bind_int(&use, 6, result_id);
    ct_db_bind_u64(&use, 7, place);
    ct_db_bind_int(&use, 8, place > 0 && playoff->ranked_all[place].tied);
    while (ct_db_row(&use))
        *found = true;
    return ct_db_done(&use, err);
}

/* Stores the times of entrant `place`, and its rank.  `*root`: the experiment whose program it
 * has. */
static enum ct_status put_ranked(struct playoff *playoff, size_t place,
                                 struct ct_hash *root, struct ct_err *err)
{
    const struct ct_db_ranked *ranked = &playoff->ranked_all[place];
    struct ct_db_result result;
    bool good = isfinite(ranked->value) && ranked->rounds;
    enum ct_status status = get_own(playoff, &ranked->experiment, &result, err);

    *root = ranked->experiment;
    if (status != CT_OK && status != CT_E_NOT_FOUND)
        return status;
    good = good && status == CT_OK && strcmp(result.status, "ok") == 0;
    if (good) {
        if (*result.twin_of)
            memcpy(root->text, result.twin_of, strlen(result.twin_of) + 1);
        take_times(playoff, ranked, &result);
        result.measured_unix_s = 0; /* now */
        status = ct_db_result_store(playoff->db, &result, true, err);
        if (status == CT_OK)
            status = set_ranking(playoff, place, result.stored.id, &good, err);
        if (status != CT_OK)
            return status;
    }
    if (!good)
        status =
            ct_err_set(err, CT_E_INTERNAL,
                       "%s: experiment %s cannot be ranked: it has no successful result, "
                       "value or rounds, or is ranked already",
                       playoff->db->path, ranked->experiment.text);
    return status;
}

/* Lists the experiments that have the program of `root`, including itself. */
static enum ct_status list_duplicates(struct playoff *playoff, const struct ct_hash *root,
                                      struct ct_hash **out, size_t *count,
                                      struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(playoff->db, CT_SQL_DUPLICATE_FIND);
    struct ct_hash *list = NULL;
    size_t capacity = 0;
    enum ct_status status = CT_OK;

    *count = 0;
    if (!ct_mem_grow(&list, &capacity, 1, sizeof(*list)))
        return ct_err_nomem(err);
    list[(*count)++] = *root;
    ct_db_bind_int(&use, 1, playoff->of.device_id);
    ct_db_bind_hash(&use, 2, root);
    ct_db_bind_int(&use, 3, playoff->of.kernel_id);
    ct_db_bind_int(&use, 4, playoff->of.problem_id);
    while (ct_db_row(&use)) {
        if (!ct_mem_grow(&list, &capacity, *count + 1, sizeof(*list))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        list[(*count)++] = ct_db_hash(&use, 0);
    }
    status = ct_db_done(&use, err);
    *out = list;
    return status;
}

/* Gives an entrant's times to all with its program. */
static enum ct_status put_duplicates(struct playoff *playoff,
                                     const struct ct_db_ranked *ranked,
                                     const struct ct_hash *root, struct ct_err *err)
{
    struct ct_hash *duplicates = NULL;
    size_t count;
    enum ct_status status = list_duplicates(playoff, root, &duplicates, &count, err);

    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct ct_db_result result;

        if (stands(playoff, &duplicates[i]))
            continue;
        status = get_own(playoff, &duplicates[i], &result, err);
        if (status == CT_OK && strcmp(result.status, "ok") == 0) {
            take_times(playoff, ranked, &result);
            status = ct_db_result_store(playoff->db, &result, true, err);
        }
        /* The one that was measured may have been pruned. */
        if (status == CT_E_NOT_FOUND)
            status = CT_OK;
    }
    free(duplicates);
    return status;
}

static enum ct_status put_all(struct playoff *playoff, struct ct_err *err)
{
    struct ct_scoring scoring = {.db = playoff->db};
    enum ct_status status =
        ct_subject_of_run(playoff->db, playoff->run_id, &playoff->of, err);

    if (status == CT_OK)
        status = ct_score_end_rankings(&scoring, &playoff->of, err);
    for (size_t i = 0; i < playoff->count && status == CT_OK; i++) {
        struct ct_hash root;

        status = put_ranked(playoff, i, &root, err);
        if (status == CT_OK)
            status = put_duplicates(playoff, &playoff->ranked_all[i], &root, err);
        ct_arena_release(&playoff->arena);
    }
    if (status == CT_OK)
        status = ct_score_settle(&scoring, err);
    ct_scoring_release(&scoring);
    return status;
}

enum ct_status ct_db_rankings_put(struct ct_db *db, int64_t run_id,
                                  const struct ct_db_ranked *ranked_all, size_t count,
                                  struct ct_err *err)
{
    struct playoff playoff = {
        .db = db, .run_id = run_id, .ranked_all = ranked_all, .count = count};
    enum ct_status status = ct_db_enter(db, err);

    if (status != CT_OK)
        return status;
    return ct_db_leave(db, put_all(&playoff, err), err);
}
