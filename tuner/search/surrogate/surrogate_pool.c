// SPDX-License-Identifier: Apache-2.0
// The candidates of the surrogate strategy, and predictions for them.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates being collected. */
struct harvest {
    struct ct_surrogate *self;
    uint64_t *indices;
    uint16_t *codes;
    float *there; /* predictions from elsewhere */
    size_t count;
    size_t room;
    size_t codes_room;
    struct ct_map listed; /* needed if neighbours may come twice */
};

static bool harvest_add(struct harvest *h, uint64_t index, const uint32_t *config)
{
    size_t width = h->self->features.count;

    if (ct_history_has(&h->self->history, index))
        return true;
    if (!ct_mem_grow(&h->indices, &h->room, h->count + 1, sizeof(*h->indices)) ||
        !ct_mem_grow(&h->codes, &h->codes_room, (h->count + 1) * width,
                     sizeof(*h->codes)))
        return false;
    h->indices[h->count] = index;
    if (config)
        ct_features_of(&h->self->features, config, h->codes + h->count * width);
    else
        ct_features_codes(&h->self->features, index, h->codes + h->count * width);
    h->count++;
    return true;
}

static bool take_list(struct harvest *h, const struct ct_config_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t *config = ct_config_list_at(list, i);
        uint64_t index;

        if (!ct_space_index(h->self->history.space, config, &index) ||
            ct_map_has(&h->listed, index))
            continue;
        if (!ct_map_put(&h->listed, index, 0) || !harvest_add(h, index, config))
            return false;
    }
    return true;
}

/* The best samples, up to `count`, best first; returns the number. */
static size_t leaders(const struct ct_surrogate *self, size_t *out, size_t count)
{
    for (size_t found = 0; found < count; found++) {
        size_t best = SIZE_MAX;

        for (size_t s = 0; s < self->data.count; s++) {
            bool chosen = !(self->data.samples[s].cost < INFINITY);

            for (size_t i = 0; i < found; i++)
                chosen = chosen || out[i] == s;
            if (!chosen && (best == SIZE_MAX ||
                            self->data.samples[s].cost < self->data.samples[best].cost))
                best = s;
        }
        if (best == SIZE_MAX)
            return found;
        out[found] = best;
    }
    return count;
}

/* Of each arm of the present round, however few configurations it has, some random ones. */
static bool sample_arms(struct harvest *h)
{
    struct ct_surrogate *self = h->self;
    const struct ct_surrogate_arms *arms = &self->arms;

    for (size_t a = 0; a < arms->count && !arms->over; a++)
        for (size_t i = 0; i < CT_SURROGATE_SAMPLE / (4 * arms->count); i++) {
            uint64_t index;

            if (arms->items[a].out || !ct_surrogate_arms_draw(self, a, &index) ||
                ct_map_has(&h->listed, index))
                continue;
            if (!ct_map_put(&h->listed, index, 0) || !harvest_add(h, index, NULL))
                return false;
        }
    return true;
}

/* For a space too large to scan: a fresh sample, and the neighbours of the best. */
static bool sample_candidates(struct harvest *h)
{
    enum { LEADERS = 5 };
    struct ct_surrogate *self = h->self;
    size_t best[LEADERS] = {0};
    size_t count = leaders(self, best, LEADERS);
    struct ct_config_list list = {0};
    bool enough = !ct_space_sample(self->history.space, CT_SURROGATE_SAMPLE,
                                   ct_rng_next(&self->history.rng), &list, NULL);

    for (size_t i = 0; i < count && enough; i++) {
        ct_space_config(self->history.space, self->data.samples[best[i]].index,
                        self->features.config);
        enough = !ct_space_neighbours(self->history.space, self->features.config,
                                      CT_NEIGHBOURS_ONE, &list, NULL);
    }
    enough = enough && take_list(h, &list) && sample_arms(h);
    ct_config_list_release(&list);
    return enough;
}

struct ranked {
    float score;
    uint32_t at;
};

static int better(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* The arm of candidate `i` of the harvest. */
static size_t arm_at(const struct harvest *h, size_t i)
{
    const struct ct_surrogate *self = h->self;

    return self->arms.count ? h->codes[i * self->features.count + self->arms.feature]
                            : CT_SURROGATE_ANY;
}

/* Quick predictions for a harvest. */
struct scan {
    float *mean;
    float *variance;
    float *works; /* the chances that they do */
    struct ranked *ranked;
    bool *kept; /* whatever else is */
};

static void scan_free(struct scan *scan)
{
    free(scan->mean);
    free(scan->variance);
    free(scan->works);
    free(scan->ranked);
    free(scan->kept);
}

static bool scan_new(const struct harvest *h, struct scan *scan)
{
    const struct ct_surrogate *self = h->self;
    size_t sources = self->transfer.source_count;

    scan->mean = ct_mem_array(h->count, sizeof(*scan->mean));
    scan->variance = ct_mem_array(h->count, sizeof(*scan->variance));
    scan->works = ct_mem_array(h->count, sizeof(*scan->works));
    scan->ranked = ct_mem_array(h->count, sizeof(*scan->ranked));
    scan->kept = ct_mem_array(h->count, sizeof(*scan->kept));
    if (!scan->mean || !scan->variance || !scan->works || !scan->ranked || !scan->kept ||
        !ct_gp_scan(self->gp, h->codes, h->count, scan->mean, scan->variance) ||
        !ct_surrogate_works_scan(self, h->codes, h->count, scan->works))
        return false;
    for (size_t i = 0; i < h->count; i++)
        scan->mean[i] += (float)ct_surrogate_transfer_sum(self, h->there + i * sources);
    return true;
}

/* Ranks candidates by bounds on their expected improvement, as far as they work, on the best, or
 * `own`: on that of their arm. */
static void rank(const struct harvest *h, struct scan *scan, bool own)
{
    for (size_t i = 0; i < h->count; i++) {
        double best = ct_surrogate_goal(h->self, own ? arm_at(h, i) : CT_SURROGATE_ANY);

        scan->ranked[i].at = (uint32_t)i;
        scan->ranked[i].score =
            scan->kept[i] ? INFINITY
                          : scan->works[i] * (float)ct_surrogate_improvement(
                                                 (double)scan->mean[i],
                                                 sqrt((double)scan->variance[i]), best);
    }
    qsort(scan->ranked, h->count, sizeof(*scan->ranked), better);
}

/* Of each arm, some of the best of its own are kept: it is judged by them. */
static bool keep_of_arms(const struct harvest *h, struct scan *scan, size_t keep)
{
    const struct ct_surrogate_arms *arms = &h->self->arms;
    size_t quota = keep / (4 * arms->count);
    size_t *taken = ct_mem_array(arms->count, sizeof(*taken));

    if (!taken)
        return false;
    rank(h, scan, true);
    for (size_t i = 0; i < h->count; i++) {
        size_t at = scan->ranked[i].at;

        scan->kept[at] = taken[arm_at(h, at)]++ < quota;
    }
    free(taken);
    return true;
}

/* Keeps the `keep` candidates with the largest bounds on expected improvement. */
static bool thin_candidates(struct harvest *h, size_t keep)
{
    struct scan scan = {0};
    size_t width = h->self->features.count;
    size_t sources = h->self->transfer.source_count;
    uint64_t *indices = ct_mem_array(keep, sizeof(*indices));
    uint16_t *codes = ct_mem_array(keep * width, sizeof(*codes));
    float *there = ct_mem_array(keep * sources, sizeof(*there));
    bool enough = indices && codes && there && scan_new(h, &scan);

    if (enough && h->self->arms.count && !h->self->arms.over)
        enough = keep_of_arms(h, &scan, keep);
    if (enough)
        rank(h, &scan, false);
    for (size_t i = 0; i < keep && enough; i++) {
        size_t at = scan.ranked[i].at;

        indices[i] = h->indices[at];
        memcpy(codes + i * width, h->codes + at * width, width * sizeof(*codes));
        memcpy(there + i * sources, h->there + at * sources, sources * sizeof(*there));
    }
    scan_free(&scan);
    if (!enough) {
        free(indices);
        free(codes);
        free(there);
        return false;
    }
    free(h->indices);
    free(h->codes);
    free(h->there);
    h->there = there;
    h->indices = indices;
    h->codes = codes;
    h->count = keep;
    return true;
}

/* Predictions for the candidates start anew. */
static bool predict(struct ct_surrogate *self, const struct harvest *h)
{
    free(self->pool.arms);
    self->pool.arms = ct_mem_array(h->count, sizeof(*self->pool.arms));
    for (size_t i = 0; i < h->count && self->pool.arms && self->arms.count; i++)
        self->pool.arms[i] = (uint16_t)arm_at(h, i);
    return self->pool.arms &&
           ct_gp_panel_set(&self->pool.panel, self->gp, h->codes, h->count) &&
           ct_surrogate_works_set(self, h->codes, h->count);
}

bool ct_surrogate_pool(struct ct_surrogate *self)
{
    struct harvest h = {.self = self};
    size_t keep = CT_SURROGATE_WORK / (self->gp->count + 1);
    bool enough = true;

    if (keep < CT_SURROGATE_POOL_MIN)
        keep = CT_SURROGATE_POOL_MIN;
    if (self->history.count > CT_SURROGATE_SCAN)
        enough = sample_candidates(&h);
    else
        for (uint64_t i = 0; i < self->history.count && enough; i++)
            enough = harvest_add(&h, i, NULL);
    self->pool.part = self->history.count > CT_SURROGATE_SCAN || h.count > keep;
    h.there = ct_mem_array(h.count * self->transfer.source_count, sizeof(*h.there));
    enough = enough && h.there &&
             ct_surrogate_transfer_scan(self, h.indices, h.codes, h.count, h.there);
    if (enough && h.count > keep)
        enough = thin_candidates(&h, keep);
    enough = enough && predict(self, &h);
    ct_map_release(&h.listed);
    free(h.codes);
    free(self->pool.indices);
    free(self->pool.transfer);
    self->pool.transfer = h.there;
    self->pool.indices = h.indices;
    self->pool.count = enough ? h.count : 0;
    return enough;
}
