// SPDX-License-Identifier: Apache-2.0
// Whether scores are what their results have, so that nothing competes with an invented value.
#ifndef CT_DB_MERGE_RANKS_H
#define CT_DB_MERGE_RANKS_H

#include "db/internal.h"
#include "db/merge.h"

/* Selects scores whose rank is not their result's value: its id, the rank, the value. */
extern const char ct_merge_odd_ranks[];

/* The number of an objective among those of the merge. */
enum ct_status ct_merge_objective(struct ct_merge_objectives *all, const char *objective,
                                  const char *direction, uint32_t *out,
                                  struct ct_err *err);
void ct_merge_objectives_release(struct ct_merge_objectives *all);

/* The columns of a score that are judged. */
#define CT_MERGE_SCORE_COLUMNS                                                           \
    "result_id, objective, direction, rank, device_id, kernel_id, problem_id"

/* Judges the scores of a source whose results have all been read. */
struct ct_merge_judge {
    struct ct_merge *m;
    struct ct_db_use odd; /* of one result, for what is not kept of it */
    uint32_t objective;   /* that of the score before */
    bool known;           /* there was one */
    int64_t ids[3];
};
void ct_merge_judge_begin(struct ct_merge_judge *judge, struct ct_merge *merge);
enum ct_status ct_merge_judge_end(struct ct_merge_judge *judge, struct ct_err *err);

/* CT_E_DB: what the score refers to is missing, `row` (NULL) among others, or its rank is not the result's
 * value. */
enum ct_status ct_merge_judge_score(struct ct_merge_judge *judge, struct ct_db_use *score,
                                    const struct ct_merge_row *row, struct ct_err *err);

#endif
