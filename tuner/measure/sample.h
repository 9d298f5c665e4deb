// SPDX-License-Identifier: Apache-2.0
// When to take which sample, and which clock to believe: decisions without a device.
//
// A sample is a number of pipelines behind one clFinish, so many that it lasts about 10
// ms (1 to CT_SAMPLE_REPEATS_MAX of them).  Its time is that from the first start to the
// last end by the device's clock, divided by that number, unless wall time contradicts
// the device's clock.
#ifndef CT_MEASURE_SAMPLE_H
#define CT_MEASURE_SAMPLE_H

#include "measure/measure.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CT_SAMPLE_DEFAULT = 10, /* samples of a configuration */
    CT_SAMPLE_LEAST = 3,    /* before it may be stopped early */
    CT_SAMPLE_MOST = 10000,
    CT_SAMPLE_REPEATS_MAX = 100, /* pipelines a sample */
    CT_SAMPLE_TARGET_NS = 10000000,
};

/* What one sample saw. */
struct ct_sample {
    uint32_t repeats;  /* pipelines in it, at least 1 */
    uint64_t event_ns; /* by the device's clock; 0: none, or end not after start */
    uint64_t wall_ns;  /* from before the first enqueue to after clFinish */
};

enum ct_sample_clock {
    CT_SAMPLE_CLOCK_FINE,
    CT_SAMPLE_CLOCK_SHORT, /* far below wall time: a clock in other units, or the host
                              was held up; only all samples together can tell */
    CT_SAMPLE_CLOCK_WRONG, /* no time, or longer than wall time: impossible */
};

/* What to think of the device's clock in one sample. */
enum ct_sample_clock ct_sample_judge(const struct ct_sample *sample);

struct ct_sampler {
    uint32_t wanted;
    double leader_ns; /* 0: none */
    struct ct_sample *taken;
    size_t count;
    size_t capacity;
    size_t shorts;
    double least_share; /* of wall time that the device's clock saw, in any sample */
    double most_share;
    bool clock_wrong;
    double best_ns; /* the shortest pipeline so far, the estimate included */
};

/* `estimate_ns`: wall time of one warm pipeline, 0 for not known.  `wanted` 0 means
 * CT_SAMPLE_DEFAULT. */
void ct_sampler_init(struct ct_sampler *sampler, uint32_t wanted, double leader_ns,
                     uint64_t estimate_ns);
void ct_sampler_release(struct ct_sampler *sampler);

/* How many pipelines the next sample should run; 0: enough has been seen. */
uint32_t ct_sampler_next(const struct ct_sampler *sampler);

/* How long the next sample will last, about. */
uint64_t ct_sampler_next_ns(const struct ct_sampler *sampler);

/* Adds a sample.  CT_E_NOMEM. */
enum ct_status ct_sampler_add(struct ct_sampler *sampler, const struct ct_sample *sample,
                              struct ct_err *err);

/* Writes samples, their number, median, interval and the two flags into the outcome,
 * whose arena owns the samples (in the order taken).  CT_E_NOMEM. */
enum ct_status ct_sampler_finish(const struct ct_sampler *sampler,
                                 struct ct_outcome *outcome, struct ct_err *err);

#endif
