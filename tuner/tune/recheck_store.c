// SPDX-License-Identifier: Apache-2.0
// Stores a recheck as results of the device's present driver.
#include "tune/recheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the outcome of one evaluation. */
static struct ct_outcome outcome_of(const struct ct_recheck *recheck, size_t index)
{
    const struct ct_entrant *entrant = &recheck->entrants[index];
    const struct ct_rechecked *one = &recheck->ones[index];
    struct ct_outcome outcome = {
        .status = entrant->status,
        .phase = entrant->phase,
        .message = entrant->message ? entrant->message : "",
        .build_log = "",
        .verified = one->verified,
        .wall_clock = one->wall_clock,
        .binary_bytes = one->binary_bytes,
        .observed = entrant->observed,
    };

    if (entrant->status == CT_RESULT_TIMEOUT)
        outcome.deadline_ns = recheck->options->deadlines.ns[entrant->phase];
    if (entrant->status != CT_RESULT_OK)
        return outcome;
    outcome.samples.count = entrant->processes;
    outcome.samples.ns = entrant->times_ns;
    outcome.samples.launches = 1;
    outcome.time_ns = entrant->time_ns;
    outcome.low_ns = entrant->low_ns;
    outcome.high_ns = entrant->high_ns;
    outcome.end_to_end.time_ns = entrant->end_to_end_ns;
    outcome.end_to_end.low_ns = entrant->end_to_end_low_ns;
    outcome.end_to_end.high_ns = entrant->end_to_end_high_ns;
    return outcome;
}

/* An entrant's quantities, including its times. */
static struct ct_quantities quantities_of(const struct ct_entrant *entrant)
{
    struct ct_quantities known = entrant->observed;

    ct_quantities_set(&known, CT_QUANTITY_TIME_NS, entrant->time_ns);
    if (entrant->end_to_end_ns > 0)
        ct_quantities_set(&known, CT_QUANTITY_END_TO_END_NS, entrant->end_to_end_ns);
    return known;
}

static double known_time(double ns)
{
    return ns > 0 ? ns : NAN;
}

/* False if it did not work or has no value. */
static bool ranked_of(struct ct_recheck *recheck, size_t index,
                      struct ct_db_ranked *ranked)
{
    const struct ct_entrant *entrant = &recheck->entrants[index];
    const struct ct_rechecked *one = &recheck->ones[index];
    struct ct_quantities observed = quantities_of(entrant);

    if (entrant->status != CT_RESULT_OK || !entrant->processes)
        return false;
    *ranked = (struct ct_db_ranked){
        .experiment = one->experiment,
        .tied = entrant->ranking.rank == CT_RANK_TIED,
        .value = ct_objective_value(&recheck->objective, recheck->work.binding,
                                    one->values, &observed),
        .time_ns = entrant->time_ns,
        .low_ns = entrant->low_ns,
        .high_ns = entrant->high_ns,
        .end_to_end_ns = known_time(entrant->end_to_end_ns),
        .end_to_end_low_ns = known_time(entrant->end_to_end_low_ns),
        .end_to_end_high_ns = known_time(entrant->end_to_end_high_ns),
        .rounds = entrant->processes,
        .rounds_ns = entrant->times_ns,
    };
    return !isnan(ranked->value);
}

static enum ct_status store_rankings(struct ct_recheck *recheck, struct ct_err *err)
{
    struct ct_db_ranked *rows = ct_mem_array(recheck->count, sizeof(*rows));
    const struct ct_entrant **order =
        ct_mem_array(recheck->count, sizeof(struct ct_entrant *));
    enum ct_status status = CT_OK;
    size_t ordered;
    size_t count = 0;

    if (!rows || !order) {
        status = ct_err_nomem(err);
    } else {
        ordered =
            ct_playoff_order(&recheck->playoff, recheck->entrants, recheck->count, order);
        for (size_t i = 0; i < ordered; i++)
            count +=
                ranked_of(recheck, (size_t)(order[i] - recheck->entrants), &rows[count]);
        status = ct_db_rankings_put(recheck->store.db, recheck->store.run.id, rows, count,
                                    err);
    }
    free(order);
    free(rows);
    return status;
}

static enum ct_status store_all(struct ct_recheck *recheck, struct ct_err *err)
{
    struct ct_store *store = &recheck->store;
    enum ct_status status = ct_db_begin(store->db, err);

    if (status)
        return status;
    for (size_t i = 0; i < recheck->count && !status; i++) {
        const struct ct_rechecked *one = &recheck->ones[i];
        struct ct_outcome outcome = outcome_of(recheck, i);

        memcpy(recheck->work.values, one->values,
               recheck->work.spec->param_count * sizeof(*one->values));
        status =
            ct_store_result(store, &one->plan, &one->experiment, &outcome, NULL, err);
    }
    if (!status)
        status = store_rankings(recheck, err);
    if (!status)
        return ct_db_commit(store->db, err);
    ct_db_rollback(store->db);
    return status;
}

enum ct_status ct_recheck_store(struct ct_recheck *recheck, struct ct_err *err)
{
    struct ct_store *store = &recheck->store;
    enum ct_status status = ct_store_begin(store, &recheck->ones[0].plan, "recheck", err);

    if (status)
        return status;
    store->run.race_saved_ns = 0;
    status = store_all(recheck, err);
    if (!status)
        return ct_store_end(store, "done", recheck->count, 0, err);
    ct_store_end(store, "failed", recheck->count, 0, NULL);
    return status;
}
