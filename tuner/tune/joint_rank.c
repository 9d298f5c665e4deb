// SPDX-License-Identifier: Apache-2.0
// The best of a joint search: who enters the play-offs, and what they say.
#include "tune/joint_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

/* A configuration that works for all problems. */
struct ranked {
    uint64_t index;
    double cost; /* weighted mean of the logarithms */
    bool played;
};

struct ranked_list {
    struct ranked *items;
    size_t count;
    size_t capacity;
};

/* Whether all times of a configuration are of play-offs, of this run or of an earlier one. */
static bool is_played(struct ct_joint *joint, uint64_t index)
{
    for (size_t p = 0; p < joint->count; p++) {
        const struct ct_evaluated *entry =
            ct_joint_entry(&joint->parts[p], ct_joint_index(joint, p, index));

        if (!entry || !(entry->played || entry->rank))
            return false;
    }
    return true;
}

static int by_cost(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* The best of those whose times are of play-offs comes first: the others may have been lucky. */
static void put_pick_first(struct ranked_list *list)
{
    size_t at = 0;
    struct ranked pick;

    while (at < list->count && !list->items[at].played)
        at++;
    if (!at || at == list->count)
        return;
    pick = list->items[at];
    memmove(&list->items[1], &list->items[0], at * sizeof(pick));
    list->items[0] = pick;
}

static enum ct_status list_all(struct ct_joint *joint, struct ranked_list *list,
                               struct ct_err *err)
{
    const struct ct_results *first = &joint->parts[0].search->results;

    for (size_t i = 0; i < first->done_count; i++) {
        struct ranked one = {.index = (uint64_t)first->done[i].index};
        bool known;

        if (first->done[i].index == CT_OUTSIDE ||
            !ct_joint_cost(joint, one.index, &one.cost, &known))
            continue;
        one.played = is_played(joint, one.index);
        if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                         sizeof(*list->items)))
            return ct_err_nomem(err);
        list->items[list->count++] = one;
    }
    return CT_OK;
}

enum ct_status ct_joint_invite(struct ct_joint *joint, bool *more, struct ct_err *err)
{
    struct ranked_list list = {0};
    enum ct_status status = list_all(joint, &list, err);
    size_t count = list.count < CT_JOINT_LEADERS ? list.count : CT_JOINT_LEADERS;

    *more = count && !status;
    if (*more) {
        qsort(list.items, list.count, sizeof(*list.items), by_cost);
        *more = !list.items[0].played;
    }
    for (size_t p = 0; p < joint->count && !status; p++) {
        for (size_t i = 0; i < count; i++)
            joint->parts[p].invited[i] = ct_joint_index(joint, p, list.items[i].index);
        joint->parts[p].search->playoff.invited = joint->parts[p].invited;
        joint->parts[p].search->playoff.invited_count = count;
    }
    free(list.items);
    return status;
}

enum ct_status ct_joint_least(struct ct_joint *joint, double *least, double *pick,
                              struct ct_err *err)
{
    struct ranked_list list = {0};
    enum ct_status status = list_all(joint, &list, err);

    *least = *pick = INFINITY;
    if (list.count) {
        qsort(list.items, list.count, sizeof(*list.items), by_cost);
        *least = list.items[0].cost;
        put_pick_first(&list);
        *pick = list.items[0].cost;
    }
    free(list.items);
    return status;
}

/* --- the ranking --- */

/* Half the width of the 95% interval of a ratio's logarithm; of one from an earlier run, unknown, 0. */
static double half_width(const struct ct_ratio *ratio)
{
    return ratio->middle > 0 && ratio->low > 0 && ratio->high > 0
               ? log(ratio->high / ratio->low) / 2
               : 0;
}

/* Whether the interval of the ratio of two means contains 1: both are compared with the same
 * pick of each play-off, and their errors count as independent, which overstates them. */
static bool is_tied(const struct ct_joint *joint, const struct ct_joint_best *a,
                    const struct ct_joint_best *b)
{
    double weights = 0;
    double squares = 0;

    for (size_t p = 0; p < joint->count; p++) {
        weights += joint->parts[p].weight;
        squares += pow(joint->parts[p].weight * half_width(&a->entries[p]->to_best), 2) +
                   pow(joint->parts[p].weight * half_width(&b->entries[p]->to_best), 2);
    }
    return fabs(log(b->mean / a->mean)) <= sqrt(squares) / weights;
}

/* The least cost that is known for a problem: the play-off's pick, if there is one. */
static double least_cost(const struct ct_joint_part *part)
{
    const struct ct_evaluated *best =
        ct_results_best(&part->search->results, &part->search->objective);

    return best ? ct_objective_positive(&part->search->objective, best->value) : NAN;
}

static bool set_best(struct ct_joint *joint, const struct ranked *ranked,
                     struct ct_joint_best *out)
{
    double sum = 0;
    double weights = 0;

    *out = (struct ct_joint_best){.index = ranked->index, .played = ranked->played};
    out->ratios = ct_arena_array(&joint->arena, joint->count, sizeof(*out->ratios));
    out->entries =
        ct_arena_array(&joint->arena, joint->count, sizeof(const struct ct_evaluated *));
    if (!out->ratios || !out->entries)
        return false;
    for (size_t p = 0; p < joint->count; p++) {
        struct ct_joint_part *part = &joint->parts[p];

        out->entries[p] = ct_joint_entry(part, ct_joint_index(joint, p, ranked->index));
        out->ratios[p] =
            ct_objective_positive(&part->search->objective, out->entries[p]->value) /
            least_cost(part);
        sum += part->weight * log(out->ratios[p]);
        weights += part->weight;
    }
    out->mean = exp(sum / weights);
    out->value = joint->parts[0].search->objective.maximize ? exp(-ranked->cost)
                                                            : exp(ranked->cost);
    return true;
}

enum ct_status ct_joint_rank(struct ct_joint *joint, struct ct_err *err)
{
    struct ranked_list list = {0};
    enum ct_status status = list_all(joint, &list, err);

    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), by_cost);
    put_pick_first(&list);
    joint->best = ct_arena_array(&joint->arena, SHOWN, sizeof(*joint->best));
    if (!status && !joint->best)
        status = ct_err_nomem(err);
    for (size_t i = 0; joint->best && i < list.count && i < SHOWN && !status; i++) {
        struct ct_joint_best *one = &joint->best[joint->best_count];

        if (!set_best(joint, &list.items[i], one))
            status = ct_err_nomem(err);
        else
            joint->best_count++;
    }
    for (size_t i = 1; joint->best && i < joint->best_count; i++)
        joint->best[i].tied = joint->best[0].played && joint->best[i].played &&
                              is_tied(joint, &joint->best[0], &joint->best[i]);
    free(list.items);
    return status;
}
