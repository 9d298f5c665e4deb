// SPDX-License-Identifier: Apache-2.0
// What the files of the surrogate strategy share.  Private to tuner/search.
#ifndef CT_SEARCH_SURROGATE_H
#define CT_SEARCH_SURROGATE_H

#include "search/features.h"
#include "search/gp.h"
#include "search/seen.h"

/* Why a configuration was asked for. */
enum ct_surrogate_reason {
    CT_REASON_SPREAD,  /* far from all others, to begin with */
    CT_REASON_IMPROVE, /* most expected improvement */
    CT_REASON_RANDOM,  /* nothing else is left, or it was told without being asked for */
};

/* A configuration that was asked for or told. */
struct ct_surrogate_sample {
    uint64_t index;
    double cost; /* INFINITY: it failed */
    bool told;
    enum ct_surrogate_reason reason;
    double mean; /* prediction when it was asked for; NAN: there was none */
    double sd;
    double best_y; /* of what was known then */
};

struct ct_surrogate {
    struct ct_strategy base;
    struct ct_seen seen;
    struct ct_features features;
    struct ct_gp *gp;
    uint16_t *codes; /* scratch: one configuration, and another */
    uint16_t *other;

    struct ct_surrogate_sample *samples;
    size_t sample_count;
    size_t sample_room;
    struct ct_index_map place; /* of configurations in samples */
    size_t told_count;
    size_t ok_count;
    double best;      /* lowest cost; INFINITY: none */
    double worst;     /* highest cost of what worked */
    bool logarithmic; /* all costs so far have the same sign */

    size_t *rows;    /* samples in the regression, in its order */
    size_t taken_in; /* samples that are in the regression, or were */
    double *y;       /* scratch: for each of them */
    bool changed;    /* what is known of some of them has changed */
    double failure;  /* y of what failed */
    size_t start_count;
    size_t next_fit; /* number of results */
    size_t improved; /* number of results when the best was found */
    bool local;      /* the regression has the local product */

    /* Candidates: all that were not seen, or those that promise most. */
    struct ct_gp_panel panel;
    uint64_t *pool; /* their configurations */
    size_t pool_count;
    bool pool_part;   /* it is not everything */
    size_t last_pool; /* number of results when it was made */
    size_t next_pool;
    bool stale;  /* a new best, whose neighbours may not be in the pool */
    bool failed; /* memory was short */
};

enum {
    CT_SURROGATE_ROOM = 512,      /* observations in the regression */
    CT_SURROGATE_KEEP = 320,      /* ... that stay when it is full */
    CT_SURROGATE_START = 8,       /* configurations before the first regression */
    CT_SURROGATE_PATIENCE = 8,    /* results without a new best, until it looks closer */
    CT_SURROGATE_SCAN = 32768,    /* larger spaces are sampled */
    CT_SURROGATE_SAMPLE = 8192,   /* this many */
    CT_SURROGATE_WORK = 1 << 17,  /* candidates * observations, an evaluation */
    CT_SURROGATE_POOL_MIN = 2048, /* candidates, however many observations */
};

/* The cost as the regression sees it; that of the best is 0 where costs have one sign. */
double ct_surrogate_y(const struct ct_surrogate *self, double cost);

/* Makes the pool anew; false when memory is short. */
bool ct_surrogate_pool(struct ct_surrogate *self);

/* E max(best - Y, 0) for a normal Y (Jones, Schonlau and Welch, "Efficient Global
 * Optimization of Expensive Black-Box Functions", 1998, equation 15). */
double ct_surrogate_improvement(double mean, double sd, double best);

/* Probability that some candidate has y below `limit`: of the candidates that are most
 * likely to, the joint distribution, by simulation with a fixed seed. */
double ct_surrogate_chance(struct ct_surrogate *self, double limit);

#endif
