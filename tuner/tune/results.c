// SPDX-License-Identifier: Apache-2.0
// The results of a search: the best, the order, and the first failure of each kind.
#include "tune/results.h"

#include "tune/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct_results_release(struct ct_results *results)
{
    free(results->done);
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++) {
        free(results->failures[i].first);
        free(results->failures[i].cause);
        free(results->failures[i].other);
    }
}

bool ct_evaluated_competes(const struct ct_evaluated *entry)
{
    return entry->status == CT_RESULT_OK && !isnan(entry->value);
}

void ct_results_note_best(struct ct_results *results,
                          const struct ct_objective *objective,
                          const struct ct_evaluated *entry)
{
    double cost = ct_objective_cost(objective, entry->value);

    if (!ct_evaluated_competes(entry) ||
        (results->best_ns > 0 && !(cost < results->best_cost)))
        return;
    results->best_ns = entry->time_ns;
    results->best_cost = cost;
}

enum ct_status ct_results_add(struct ct_results *results,
                              const struct ct_objective *objective,
                              const struct ct_evaluated *entry, struct ct_err *err)
{
    if (entry->index == CT_OUTSIDE)
        return CT_OK;
    if (!ct_mem_grow(&results->done, &results->done_capacity, results->done_count + 1,
                     sizeof(*entry)))
        return ct_err_nomem(err);
    results->done[results->done_count++] = *entry;
    results->status_counts[entry->status]++;
    results->reused += entry->stored;
    results->evaluated += !entry->stored;
    ct_results_note_best(results, objective, entry);
    return CT_OK;
}

/* --- failures --- */

/* "CONFIGURATION: CAUSE", the caller frees; NULL if out of memory. */
static char *describe_failure(const struct ct_workload *work, const char *cause)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_workload_put_config(work, work->values, &text);
    if (*cause)
        ct_str_addf(&text, ": %s", cause);
    return ct_str_detach(&text);
}

void ct_results_note_failure(struct ct_results *results, const struct ct_workload *work,
                             enum ct_result_status status, const char *message,
                             const char *build_log)
{
    struct ct_failure_kinds *kinds = &results->failures[status];
    struct ct_str cause;

    if (status == CT_RESULT_OK || kinds->other)
        return;
    if (results->first_failure == CT_RESULT_OK)
        results->first_failure = status;
    ct_str_init(&cause);
    ct_str_puts(&cause, message);
    if (status == CT_RESULT_BUILD_FAILED) {
        if (*message && *build_log)
            ct_str_puts(&cause, ": ");
        ct_cause_put_error(&cause, build_log);
    }
    if (!kinds->first) {
        kinds->first = describe_failure(work, cause.data);
        kinds->cause = ct_str_detach(&cause);
        return;
    }
    if (kinds->cause && !ct_cause_is_same(kinds->cause, cause.data))
        kinds->other = describe_failure(work, cause.data);
    ct_str_release(&cause);
}

void ct_results_put_first_failure(const struct ct_results *results, struct ct_str *out)
{
    const char *text = results->failures[results->first_failure].first;

    if (text)
        ct_str_addf(out, "%s: %s", ct_result_status_name(results->first_failure), text);
}

/* --- order --- */

void ct_results_forget_ranks(struct ct_results *results)
{
    for (size_t i = 0; i < results->done_count; i++) {
        results->done[i].rank = 0;
        results->done[i].tied = false;
    }
}

/* The rank of the pick and of those tied with it; 0: all others, which are ordered by value (the
 * default may have played for comparison only). */
static size_t front_rank(const struct ct_evaluated *entry)
{
    return entry->rank == 1 || entry->tied ? entry->rank : 0;
}

static int by_rank(const struct ct_evaluated *x, const struct ct_evaluated *y)
{
    size_t mine = front_rank(x);
    size_t other = front_rank(y);

    if (mine != other && mine && other)
        return mine < other ? -1 : 1;
    if (!mine != !other)
        return mine ? -1 : 1;
    return 0;
}

static int by_index(const struct ct_evaluated *x, const struct ct_evaluated *y)
{
    /* Results measured themselves come before their duplicates. */
    if (!*x->duplicate_of.text != !*y->duplicate_of.text && x->rank)
        return *x->duplicate_of.text ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* An entry and the value that it is ordered by. */
struct valued {
    const struct ct_evaluated *entry;
    double value;
};

/* Negative when `x` comes before `y`. */
static int compare_results(const struct valued *x, const struct valued *y,
                           const struct ct_objective *objective)
{
    int order = by_rank(x->entry, y->entry);

    if (order || (front_rank(x->entry) && front_rank(x->entry) == front_rank(y->entry)))
        return order ? order : by_index(x->entry, y->entry);
    if (x->value != y->value)
        return ct_objective_is_better(objective, x->value, y->value) ? -1 : 1;
    return by_index(x->entry, y->entry);
}

/* qsort passes no objective, and only its direction matters. */
static const struct ct_objective least = {.maximize = false};
static const struct ct_objective most = {.maximize = true};

static int smaller_first(const void *a, const void *b)
{
    return compare_results(a, b, &least);
}

static int larger_first(const void *a, const void *b)
{
    return compare_results(a, b, &most);
}

const struct ct_evaluated **
ct_results_ranking(const struct ct_results *results, const struct ct_objective *objective,
                   double (*value)(const void *user, const struct ct_evaluated *entry),
                   const void *user, size_t *count)
{
    struct valued *valued = ct_mem_array(results->done_count, sizeof(*valued));
    const struct ct_evaluated **order = ct_mem_array(results->done_count, sizeof(*order));

    *count = 0;
    for (size_t i = 0; order && valued && i < results->done_count; i++) {
        const struct ct_evaluated *entry = &results->done[i];

        if (ct_evaluated_competes(entry))
            valued[(*count)++] =
                (struct valued){entry, value ? value(user, entry) : entry->value};
    }
    if (*count)
        qsort(valued, *count, sizeof(*valued),
              objective->maximize ? larger_first : smaller_first);
    for (size_t i = 0; i < *count; i++)
        order[i] = valued[i].entry;
    if (!valued) {
        free(order);
        order = NULL;
    }
    free(valued);
    return order;
}

const struct ct_evaluated *ct_results_best(const struct ct_results *results,
                                           const struct ct_objective *objective)
{
    const struct ct_evaluated *best = NULL;

    for (size_t i = 0; i < results->done_count; i++)
        if (ct_evaluated_competes(&results->done[i]) &&
            (!best ||
             compare_results(&(struct valued){&results->done[i], results->done[i].value},
                             &(struct valued){best, best->value}, objective) < 0))
            best = &results->done[i];
    return best;
}
