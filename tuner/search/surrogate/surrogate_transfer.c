// SPDX-License-Identifier: Apache-2.0
// Predictions from results elsewhere (another device, another problem), and their weight.
//
// The objective here is modelled as a multiple of that elsewhere plus a Gaussian process (Kennedy
// and O'Hagan, "Predicting the output from a complex computer code when fast approximations are
// available", 2000: autoregressive co-kriging).  The multiple has a normal prior around 0 worth a
// few observations (Rasmussen and Williams 2.7: explicit basis functions): results from elsewhere
// count only as far as results here confirm them.
#include "search/surrogate/surrogate.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The prior of a source's multiple is worth this many observations. */
static const double stubborn = 2;

/* An agreement of fewer standard errors than this is taken for chance: there are several sources,
 * and they are weighed again after every result. */
static const double doubt = 2.5;

/* The expected multiple of a single source, which nothing confirms or contradicts. */
static const double alone = 0.25;

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

bool ct_surrogate_transfer_add(struct ct_surrogate *self, unsigned number, uint64_t index,
                               double cost)
{
    struct ct_surrogate_source *source = NULL;
    size_t s = 0;

    while (s < self->transfer.source_count && self->transfer.sources[s].number != number)
        s++;
    if (s == CT_SURROGATE_SOURCES)
        return true; /* the source has enough records */
    source = &self->transfer.sources[s];
    if (s == self->transfer.source_count) {
        source->number = number;
        self->transfer.source_count++;
    }
    if (ct_map_has(&source->costs, index))
        return true;
    if (!ct_mem_grow(&source->records, &source->room, source->count + 1,
                     sizeof(*source->records)) ||
        !ct_map_put(&source->costs, index, bits_of(cost)))
        return false;
    source->records[source->count++] = (struct ct_surrogate_record){index, cost};
    return true;
}

void ct_surrogate_transfer_release(struct ct_surrogate *self)
{
    for (size_t s = 0; s < self->transfer.source_count; s++) {
        free(self->transfer.sources[s].records);
        ct_map_release(&self->transfer.sources[s].costs);
        ct_gp_free(self->transfer.sources[s].gp);
    }
    free(self->pool.transfer);
    free(self->transfer.means);
}

static int by_cost(const void *a, const void *b)
{
    const struct ct_surrogate_record *x = a;
    const struct ct_surrogate_record *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Scaled like the objective here: relative to the best there; failures count as the median. */
static double y_there(const struct ct_surrogate_source *source, double cost)
{
    return cost < INFINITY ? ct_surrogate_excess(cost, source->records[0].cost)
                           : source->failure;
}

/* The regression of a source's results: of the best half of its capacity, and of others at even
 * distances in order of cost. */
static bool learn(struct ct_surrogate *self, struct ct_surrogate_source *source)
{
    size_t n = source->count;
    size_t room = n < CT_SURROGATE_THERE ? n : CT_SURROGATE_THERE;
    size_t best = n > room ? room / 2 : room;

    source->gp = ct_gp_new(self->features.params, self->features.count, room);
    if (!source->gp)
        return false;
    for (size_t i = 0; i < room; i++) {
        size_t at = i < best ? i : best + (i - best) * (n - best) / (room - best);

        ct_features_codes(&self->features, source->records[at].index, self->codes);
        ct_gp_add(source->gp, self->codes, y_there(source, source->records[at].cost));
    }
    return ct_gp_fit(source->gp, 20, true);
}

/* If the space can be listed, the sources' predictions are computed once. */
static bool say_all(struct ct_surrogate *self)
{
    size_t count = (size_t)self->history.count;
    size_t width = self->features.count;
    uint64_t *indices = ct_mem_array(count, sizeof(*indices));
    uint16_t *codes = ct_mem_array(count * width, sizeof(*codes));
    float *all = ct_mem_array(count * self->transfer.source_count, sizeof(*all));
    bool enough = indices && codes && all;

    for (size_t i = 0; i < count && enough; i++) {
        indices[i] = i;
        ct_features_codes(&self->features, i, codes + i * width);
    }
    enough = enough && ct_surrogate_transfer_scan(self, indices, codes, count, all);
    free(indices);
    free(codes);
    if (!enough) {
        free(all);
        return false;
    }
    self->transfer.means = all;
    return true;
}

/* Sums for the regression of a source's values on the mean of the others'. */
struct agreement {
    double product;
    double square_others;
    double square_own;
};

/* Over the configurations that source `s` has in common with others. */
static struct agreement agree(const struct ct_surrogate *self, size_t s)
{
    const struct ct_surrogate_source *source = &self->transfer.sources[s];
    struct agreement sums = {0};

    for (size_t i = 0; i < source->count; i++) {
        const struct ct_surrogate_record *record = &source->records[i];
        double own = y_there(source, record->cost) - source->mean;
        double sum = 0;
        size_t others = 0;

        for (size_t t = 0; t < self->transfer.source_count; t++) {
            const struct ct_surrogate_source *other = &self->transfer.sources[t];
            uint64_t bits = t == s ? UINT64_MAX
                                   : ct_map_get(&other->costs, record->index, UINT64_MAX);

            if (bits == UINT64_MAX)
                continue;
            sum += y_there(other, of_bits(bits)) - other->mean;
            others++;
        }
        if (!others)
            continue;
        sum /= (double)others;
        sums.product += sum * own;
        sums.square_others += sum * sum;
        sums.square_own += own * own;
    }
    return sums;
}

/* What the multiples are expected to be: this device is one more like the others, so what the rest
 * says of each of them is what all of them say of it; sources with which the others agree count
 * most. */
static void expect_multiples(struct ct_surrogate *self)
{
    size_t k = self->transfer.source_count;
    double product = 0;
    double square = 0;
    double total = 0;
    double slope = k > 1 ? 0 : alone;
    double trust = 0;

    for (size_t s = 0; s < k; s++) {
        struct agreement sums = agree(self, s);
        double correlation =
            sums.product > 0 ? sums.product / sqrt(sums.square_others * sums.square_own)
                             : 0;

        trust += correlation * correlation / (double)k;
        product += sums.product;
        square += sums.square_others;
        self->transfer.sources[s].expected =
            k > 1 ? correlation / (1.05 - correlation * correlation) : 1;
        total += self->transfer.sources[s].expected;
    }
    if (k > 1 && square > 0 && product > 0)
        slope = product < square ? product / square : 1;
    for (size_t s = 0; s < k; s++) {
        struct ct_surrogate_source *source = &self->transfer.sources[s];

        source->expected = total > 0 ? source->expected * slope / total : 0;
        source->multiple = source->expected;
    }
    self->transfer.trust = trust;
}

bool ct_surrogate_transfer_begin(struct ct_surrogate *self)
{
    size_t kept = 0;

    for (size_t s = 0; s < self->transfer.source_count; s++) {
        struct ct_surrogate_source *source = &self->transfer.sources[s];
        size_t ok = 0;
        double sum = 0;
        double squares = 0;

        qsort(source->records, source->count, sizeof(*source->records), by_cost);
        while (ok < source->count && source->records[ok].cost < INFINITY)
            ok++;
        /* Objectives of both signs have no ratio; two results are not informative. */
        if (ok < 3 ||
            !(source->records[0].cost > 0 || source->records[ok - 1].cost < 0)) {
            free(source->records);
            ct_map_release(&source->costs);
            continue;
        }
        source->ok_count = ok;
        source->failure =
            ct_surrogate_excess(source->records[ok / 2].cost, source->records[0].cost);
        for (size_t i = 0; i < source->count; i++) {
            double y = y_there(source, source->records[i].cost);

            sum += y;
            squares += y * y;
        }
        source->mean = sum / (double)source->count;
        source->variance = squares / (double)source->count - source->mean * source->mean;
        if (s != kept) {
            self->transfer.sources[kept] = *source;
            memset(source, 0, sizeof(*source));
        }
        kept++;
    }
    self->transfer.source_count = kept;
    for (size_t s = 0; s < kept; s++) {
        if (!learn(self, &self->transfer.sources[s]))
            return false;
    }
    expect_multiples(self);
    return !kept || self->history.count > CT_SURROGATE_SCAN || say_all(self);
}

bool ct_surrogate_transfer_scan(const struct ct_surrogate *self, const uint64_t *indices,
                                const uint16_t *codes, size_t count, float *out)
{
    size_t sources = self->transfer.source_count;
    float *mean;
    float *variance;
    bool enough;

    if (self->transfer.means || !sources) {
        for (size_t i = 0; i < count && sources; i++)
            memcpy(out + i * sources, self->transfer.means + indices[i] * sources,
                   sources * sizeof(*out));
        return true;
    }
    mean = ct_mem_array(count, sizeof(*mean));
    variance = ct_mem_array(count, sizeof(*variance));
    enough = mean && variance;
    for (size_t s = 0; s < sources && enough; s++) {
        const struct ct_surrogate_source *source = &self->transfer.sources[s];
        double noise = source->gp->hyper.noise * source->gp->scale + 1e-12;

        enough = ct_gp_scan(source->gp, codes, count, mean, variance);
        for (size_t i = 0; i < count && enough; i++) {
            double y = (double)mean[i];
            uint64_t bits = ct_map_get(&source->costs, indices[i], UINT64_MAX);

            /* One more observation, for those that were measured there. */
            if (bits != UINT64_MAX && of_bits(bits) < INFINITY)
                y += (double)variance[i] / ((double)variance[i] + noise) *
                     (y_there(source, of_bits(bits)) - y);
            out[i * sources + s] = (float)(y - source->mean);
        }
    }
    free(mean);
    free(variance);
    return enough;
}

double ct_surrogate_transfer_sum(const struct ct_surrogate *self, const float *there)
{
    double sum = 0;

    /* Results from elsewhere are ratios to the best. */
    for (size_t s = 0; s < self->transfer.source_count && self->data.logarithmic; s++)
        sum += self->transfer.sources[s].multiple * (double)there[s];
    return sum;
}

double ct_surrogate_transfer_expected(const struct ct_surrogate *self, const float *there)
{
    double sum = 0;

    /* Sources from which nothing is expected still have an order. */
    for (size_t s = 0; s < self->transfer.source_count; s++)
        sum += (self->transfer.sources[s].expected + 1e-6) * (double)there[s];
    return sum;
}

bool ct_surrogate_transfer_weigh(struct ct_surrogate *self)
{
    enum { SWEEPS = 30 };
    size_t n = self->gp->count;
    size_t k = self->transfer.source_count;
    const double *one = self->gp->white_1;
    double *white = ct_mem_array((k + 2) * n, sizeof(*white));
    double *scratch = white ? white + (k + 1) * n : NULL;
    double g[CT_SURROGATE_SOURCES + 1][CT_SURROGATE_SOURCES + 1];

    if (!white)
        return false;
    for (size_t s = 0; s <= k; s++) {
        double along = 0;

        /* The last one is the objective itself. */
        for (size_t i = 0; i < n; i++) {
            const struct ct_surrogate_sample *sample =
                &self->data.samples[self->fit.rows[i]];

            scratch[i] =
                s < k ? (double)sample->there[s]
                      : self->fit.y[i] + ct_surrogate_transfer_sum(self, sample->there);
        }
        ct_gp_whiten(self->gp, 0, scratch, white + s * n);
        for (size_t i = 0; i < n; i++)
            along += white[s * n + i] * one[i];
        for (size_t i = 0; i < n; i++)
            white[s * n + i] -= along / self->gp->sum_11 * one[i];
        for (size_t t = 0; t <= s; t++) {
            g[s][t] = 0;
            for (size_t i = 0; i < n; i++)
                g[s][t] += white[s * n + i] * white[t * n + i];
            g[t][s] = g[s][t];
        }
    }
    free(white);
    /* Coordinate descent; negative multiples are excluded: slow there is never taken as fast
     * here. */
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t s = 0; s < k; s++) {
            double ridge = stubborn * self->transfer.sources[s].variance + 1e-12;
            double sum = g[s][k] + ridge * self->transfer.sources[s].expected -
                         doubt * sqrt(self->gp->scale * g[s][s]);

            for (size_t t = 0; t < k; t++)
                if (t != s)
                    sum -= g[s][t] * self->transfer.sources[t].multiple;
            sum /= g[s][s] + ridge;
            self->transfer.sources[s].multiple = sum > 0 ? sum : 0;
        }
    return true;
}

/* The weighted mean of what was measured of a configuration elsewhere. */
static double consensus(const struct ct_surrogate *self, uint64_t index)
{
    double sum = 0;
    double weights = 0;

    for (size_t s = 0; s < self->transfer.source_count; s++) {
        const struct ct_surrogate_source *source = &self->transfer.sources[s];
        uint64_t bits = ct_map_get(&source->costs, index, UINT64_MAX);
        /* Sources from which nothing is expected still have an order. */
        double weight = bits == UINT64_MAX ? 0 : source->expected + 1e-6;

        if (weight > 0)
            sum += weight * (y_there(source, of_bits(bits)) - source->mean);
        weights += weight;
    }
    return weights > 0 ? sum / weights : INFINITY;
}

/* The best configurations so far of a walk over the sources. */
enum { AMONG = 16, WALK = 256 };
struct shortlist {
    uint64_t indices[AMONG];
    double values[AMONG];
    size_t count;
};

static void shortlist_add(struct shortlist *list, uint64_t index, double value)
{
    size_t at;

    for (size_t i = 0; i < list->count; i++)
        if (list->indices[i] == index)
            return;
    if (list->count == AMONG && value >= list->values[AMONG - 1])
        return;
    at = list->count < AMONG ? list->count++ : AMONG - 1;
    for (; at > 0 && list->values[at - 1] > value; at--) {
        list->values[at] = list->values[at - 1];
        list->indices[at] = list->indices[at - 1];
    }
    list->values[at] = value;
    list->indices[at] = index;
}

bool ct_surrogate_transfer_best(struct ct_surrogate *self, uint64_t *index)
{
    struct shortlist list = {.count = 0};
    double most = -1;

    for (size_t s = 0; s < self->transfer.source_count; s++) {
        const struct ct_surrogate_source *source = &self->transfer.sources[s];

        for (size_t r = 0; r < source->ok_count && r < WALK; r++)
            if (!ct_history_has(&self->history, source->records[r].index))
                shortlist_add(&list, source->records[r].index,
                              consensus(self, source->records[r].index));
    }
    /* The best first, then among the best those least like all so far. */
    for (size_t i = 0; i < list.count; i++) {
        double near = ct_surrogate_nearest(self, list.indices[i]);

        if (near > most) {
            most = near;
            *index = list.indices[i];
        }
        if (!self->transfer.tries)
            break;
    }
    return list.count > 0;
}
