// SPDX-License-Identifier: Apache-2.0
// The configuration that serves a group of devices best on average.
//
// For every configuration: the mean over the group's devices of (best there / this
// there), where a device without a good result of it counts as 0.  A mean of relative
// performances treats all devices alike, however fast they are.
#include "db/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration's results, first on one device, then summed over all. */
struct ranked {
    int64_t configuration_hash;
    double relative; /* initially its rank */
    size_t device;   /* index of its row */
};

struct ranked_list {
    struct ranked *items;
    size_t count;
    size_t capacity;
};

static int by_configuration(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    return (a->configuration_hash > b->configuration_hash) -
           (a->configuration_hash < b->configuration_hash);
}

static int by_ranking(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;

    if (a->relative != b->relative)
        return a->relative > b->relative ? -1 : 1;
    return by_configuration(left, right);
}

double ct_look_relative(double best, double rank, bool maximize)
{
    double least = maximize ? -best : best;
    double value = maximize ? -rank : rank;

    if (value == least)
        return 1;
    if (value <= 0 || least <= 0)
        return 0;
    return maximize ? value / least : least / value;
}

/* Turns ranks into performance relative to the device's best.  If that is the pick of a play-off
 * (`pick` is its index), others may have a better time by luck, or be tied with it: they count
 * slightly less than the pick. */
static void relate_to_best(struct ranked *items, size_t count, size_t pick, bool maximize)
{
    const double trifle = 1e-6;
    double best = INFINITY;

    for (size_t i = 0; i < count; i++)
        if (pick == SIZE_MAX && items[i].relative < best)
            best = items[i].relative;
    if (pick != SIZE_MAX)
        best = items[pick].relative;
    for (size_t i = 0; i < count; i++) {
        items[i].relative = ct_look_relative(best, items[i].relative, maximize);
        if (pick != SIZE_MAX && i != pick)
            items[i].relative = fmin(items[i].relative, 1 - trifle);
    }
}

/* Appends the results of all configurations on a row's device. */
static enum ct_status add_device(struct ct_look *look, const struct ct_look_row *row,
                                 size_t device, struct ranked_list *list,
                                 struct ct_err *err)
{
    struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_SCORE_ALL);
    size_t first = list->count;
    size_t pick = SIZE_MAX;

    ct_db_bind_int(&use, 1, row->device->id);
    ct_db_bind_int(&use, 2, look->kernels[row->version].id);
    ct_db_bind_int(&use, 3, row->problem->id);
    ct_db_bind_text(&use, 4, row->objective);
    ct_db_bind_text(&use, 5, ct_db_direction(row->maximize));
    while (ct_db_row(&use)) {
        if (!ct_mem_grow(&list->items, &list->capacity, list->count + 1,
                         sizeof(*list->items))) {
            use.rc = SQLITE_NOMEM;
            break;
        }
        if (ct_db_ranking(&use, 1) == 0)
            pick = list->count - first;
        list->items[list->count].device = device;
        list->items[list->count].relative = ct_db_real(&use, 0);
        list->items[list->count++].configuration_hash = ct_db_int(&use, 2);
    }
    if (list->count > first)
        relate_to_best(&list->items[first], list->count - first, pick, row->maximize);
    return ct_db_done(&use, err);
}

/* Sums up what belongs to one configuration, and puts the best first. */
static void sum_up(struct ranked_list *list, size_t devices)
{
    size_t kept = 0;

    if (!list->count)
        return;
    qsort(list->items, list->count, sizeof(*list->items), by_configuration);
    for (size_t i = 1; i < list->count; i++) {
        if (list->items[i].configuration_hash == list->items[kept].configuration_hash)
            list->items[kept].relative += list->items[i].relative;
        else
            list->items[++kept] = list->items[i];
    }
    list->count = kept + 1;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].relative /= (double)devices;
    qsort(list->items, list->count, sizeof(*list->items), by_ranking);
}

/* Whether a configuration was wrong or crashed on one of the group's devices, for any problem. */
static enum ct_status was_bad(struct ct_look *look, const struct ct_look_row *rows,
                              size_t count, int64_t configuration_hash, bool *bad,
                              struct ct_err *err)
{
    enum ct_status status = CT_OK;

    *bad = false;
    for (size_t i = 0; i < count && status == CT_OK && !*bad; i++) {
        struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_BAD);

        ct_db_bind_int(&use, 1, look->kernels[rows[i].version].id);
        ct_db_bind_int(&use, 2, configuration_hash);
        ct_db_bind_int(&use, 3, rows[i].device->id);
        *bad = ct_db_row(&use);
        status = ct_db_done(&use, err);
    }
    return status;
}

/* Finds the device on which a configuration was measured last: it represents the group. */
static enum ct_status speaker(struct ct_look *look, const struct ct_look_row *rows,
                              size_t count, int64_t configuration_hash,
                              struct ct_look_row *out, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool found = false;

    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct ct_db_use use = ct_db_use_begin(look->db, CT_SQL_FIND_OF_CONFIGURATION);

        ct_db_bind_int(&use, 1, look->kernels[rows[i].version].id);
        ct_db_bind_int(&use, 2, configuration_hash);
        ct_db_bind_int(&use, 3, rows[i].device->id);
        ct_db_bind_int(&use, 4, rows[i].problem->id);
        ct_db_bind_text(&use, 5, rows[i].objective);
        ct_db_bind_text(&use, 6, ct_db_direction(rows[i].maximize));
        if (ct_db_row(&use) && (!found || ct_db_int(&use, 1) > out->measured_unix_s)) {
            double rank = ct_db_real(&use, 2);

            *out = rows[i];
            out->result_id = ct_db_int(&use, 0);
            out->measured_unix_s = ct_db_int(&use, 1);
            out->value = rows[i].maximize ? -rank : rank;
            found = true;
        }
        status = ct_db_done(&use, err);
    }
    return status;
}

/* Judges a candidate, which then may be chosen; the first one that does not fit says why. */
static enum ct_status check_fit(struct ct_look *look, const struct ct_look_row *row,
                                struct ct_look_fit *fit, struct ct_err *err)
{
    enum ct_status status;
    bool failed = false;

    ct_look_fit_release(fit);
    ct_look_fit_init(fit);
    status = ct_look_fits(look, row, fit, err);
    if (status == CT_OK && !fit->fits && !look->too_small)
        look->too_small = ct_look_copy(&look->arena, fit->reason.data, &failed);
    return failed ? ct_err_nomem(err) : status;
}

/* Means that differ by less than this are equal: the order of summation causes such differences. */
static const double equal_means = 1e-9;

/* --- further candidates --- */

/* The results of all configurations on each device, if further candidates are wanted. */
static enum ct_status keep_each(const struct ct_look *look,
                                const struct ranked_list *list, struct ranked_list *each,
                                struct ct_err *err)
{
    if (look->query.candidates < 2 || !list->count)
        return CT_OK;
    if (!ct_mem_grow(&each->items, &each->capacity, list->count, sizeof(*each->items)))
        return ct_err_nomem(err);
    memcpy(each->items, list->items, list->count * sizeof(*each->items));
    each->count = list->count;
    qsort(each->items, each->count, sizeof(*each->items), by_configuration);
    return CT_OK;
}

/* A greedy choice of configurations: each adds most to the best relative performance on every device
 * (at least 1 - 1/e of what the best choice of as many reaches: Nemhauser, Wolsey and Fisher 1978,
 * "An analysis of approximations for maximizing submodular set functions"). */
struct covering {
    struct ct_look *look;
    const struct ct_look_row *rows;
    size_t row_count;
    size_t newest;
    const struct ranked_list *each; /* by configuration */
    double *covered;                /* the best so far, of each device */
    struct ranked *gains;           /* of each configuration, the largest first */
    size_t gain_count;
};

static void cover(struct covering *c, int64_t configuration_hash)
{
    for (size_t i = 0; i < c->each->count; i++) {
        const struct ranked *r = &c->each->items[i];

        if (r->configuration_hash == configuration_hash)
            c->covered[r->device] = fmax(c->covered[r->device], r->relative);
    }
}

static void find_gains(struct covering *c)
{
    c->gain_count = 0;
    for (size_t i = 0; i < c->each->count; i++) {
        const struct ranked *r = &c->each->items[i];
        double gain = fmax(0, r->relative - c->covered[r->device]);

        if (i && c->gains[c->gain_count - 1].configuration_hash == r->configuration_hash)
            c->gains[c->gain_count - 1].relative += gain;
        else
            c->gains[c->gain_count++] = (struct ranked){r->configuration_hash, gain, 0};
    }
    qsort(c->gains, c->gain_count, sizeof(*c->gains), by_ranking);
}

/* Adds the next candidate as an answer; *added: whether there was one. */
static enum ct_status add_next(struct covering *c, uint32_t number, bool *added,
                               struct ct_err *err)
{
    struct ct_look *look = c->look;
    struct ct_look_fit fit;
    enum ct_status status = CT_OK;

    *added = false;
    ct_look_fit_init(&fit);
    find_gains(c);
    for (size_t i = 0; i < c->gain_count && status == CT_OK && !*added; i++) {
        int64_t hash = c->gains[i].configuration_hash;
        struct ct_look_row candidate = {0};
        double mean = 0;
        bool bad;

        if (!(c->gains[i].relative > equal_means))
            break;
        status = was_bad(look, c->rows, c->row_count, hash, &bad, err);
        if (status != CT_OK || bad)
            continue;
        status = speaker(look, c->rows, c->row_count, hash, &candidate, err);
        if (status == CT_OK && candidate.device)
            status = check_fit(look, &candidate, &fit, err);
        if (status != CT_OK || !candidate.device || !fit.fits)
            continue;
        cover(c, hash);
        for (size_t k = 0; k < c->each->count; k++)
            if (c->each->items[k].configuration_hash == hash)
                mean += c->each->items[k].relative / (double)c->row_count;
        status = ct_look_answer(look, &candidate, c->newest, c->row_count, mean,
                                fit.unknown.data, err);
        if (status != CT_OK)
            continue;
        *added = true;
        look->answers->items[look->answers->count - 1].candidate = number;
        mean = 0;
        for (size_t d = 0; d < c->row_count; d++)
            mean += c->covered[d] / (double)c->row_count;
        look->answers->items[look->answers->count - 1].coverage = mean;
    }
    ct_look_fit_release(&fit);
    return status;
}

static enum ct_status add_candidates(struct covering *c, int64_t first,
                                     struct ct_err *err)
{
    enum ct_status status = CT_OK;
    bool added = true;

    c->covered = ct_mem_array(c->row_count, sizeof(*c->covered));
    c->gains = ct_mem_array(c->each->count, sizeof(*c->gains));
    if (!c->covered || !c->gains) {
        free(c->covered);
        free(c->gains);
        return ct_err_nomem(err);
    }
    cover(c, first);
    for (uint32_t i = 1; i < c->look->query.candidates && status == CT_OK && added; i++)
        status = add_next(c, i, &added, err);
    free(c->covered);
    free(c->gains);
    return status;
}

enum ct_status ct_look_group(struct ct_look *look, const struct ct_look_row *rows,
                             size_t count, size_t newest, struct ct_err *err)
{
    struct ranked_list list = {0};
    struct ranked_list each = {0};
    struct ct_look_row chosen = {0};
    struct ct_look_fit fit;
    struct ct_str unknown;
    int64_t chosen_hash = 0;
    double leading = -1;
    enum ct_status status = CT_OK;

    ct_look_fit_init(&fit);
    ct_str_init(&unknown);
    for (size_t i = 0; i < count && status == CT_OK; i++)
        status = add_device(look, &rows[i], i, &list, err);
    if (status == CT_OK)
        status = keep_each(look, &list, &each, err);
    if (status == CT_OK)
        sum_up(&list, count);
    for (size_t i = 0; i < list.count && status == CT_OK; i++) {
        struct ct_look_row candidate = {0};
        bool bad;

        if (list.items[i].relative < leading - equal_means)
            break;
        status = was_bad(look, rows, count, list.items[i].configuration_hash, &bad, err);
        if (status != CT_OK || bad)
            continue;
        status =
            speaker(look, rows, count, list.items[i].configuration_hash, &candidate, err);
        if (status == CT_OK && candidate.device)
            status = check_fit(look, &candidate, &fit, err);
        if (status != CT_OK || !candidate.device || !fit.fits)
            continue;
        if (leading < 0 || candidate.measured_unix_s > chosen.measured_unix_s) {
            chosen = candidate;
            chosen_hash = list.items[i].configuration_hash;
            leading = leading < 0 ? list.items[i].relative : leading;
            ct_str_reset(&unknown);
            ct_str_puts(&unknown, fit.unknown.data);
        }
    }
    free(list.items);
    if (status == CT_OK && leading >= 0 && chosen.device)
        status = ct_look_answer(look, &chosen, newest, count, leading, unknown.data, err);
    if (status == CT_OK && leading >= 0 && chosen.device && each.count) {
        struct covering c = {.look = look,
                             .rows = rows,
                             .row_count = count,
                             .newest = newest,
                             .each = &each};

        status = add_candidates(&c, chosen_hash, err);
    }
    free(each.items);
    ct_str_release(&unknown);
    ct_look_fit_release(&fit);
    return status;
}
