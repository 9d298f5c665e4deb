// SPDX-License-Identifier: Apache-2.0
// When to take which sample, and which clock to believe: decisions without a device.
//
// A sample is a number of pipelines behind one clFinish, so many that it lasts about 10
// ms (1 to CT_SAMPLE_REPEATS_MAX of them) and at least CT_SAMPLE_TICKS steps of the clock
// that times it.  Its time is that from the first start to the last end by the device's
// clock, less what accidents added, divided by that number, unless wall time contradicts
// the device's clock.
//
// How many samples: racing (Maron & Moore, Hoeffding Races, NIPS 1994).  An entrant is
// given up as soon as its interval lies wholly beyond the leader's time.  The interval is
// that of the median from order statistics (base/stats.h), which asks for no distribution
// and which a few spikes do not move; "beyond" is by more than the resolution, that is,
// the smallest difference of two processes that an A/A test could tell apart.  Resolution
// is known for `wanted` samples: of k samples a median is sqrt(wanted / k) times as
// uncertain, and an interval of fewer than six does not reach 95% (of three: 75%), so
// that the resolution is multiplied by that for fewer samples.  With normal noise that
// the A/A test has seen, an entrant as fast as the leader is given up by mistake at one
// in 10000 of the first looks, and one that is slower by exactly the resolution at one in
// 100; looks become rarer as samples become more, which bounds their sum (union bound).
//
// Contenders, whose interval reaches down to the leader's time within the resolution, go
// on to twice as many samples, until their interval is no wider than the resolution:
// beyond that, processes differ by more than samples do, and only more processes help
// (judge/playoff.h).
#ifndef CT_WORKER_TIMING_SAMPLE_H
#define CT_WORKER_TIMING_SAMPLE_H

#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CT_SAMPLE_DOUBT = 20,       /* more, to tell a lying clock from a busy host */
    CT_SAMPLE_DOUBT_LONGER = 4, /* times as long */
    CT_SAMPLE_LEAST = 3,        /* before it may be stopped early */
    CT_SAMPLE_MOST = 10000,
    CT_SAMPLE_CONTENDER = 2,       /* times as many for who may be the best */
    CT_SAMPLE_REPEATS_MAX = 100,   /* pipelines a sample */
    CT_SAMPLE_TICKS_MAX = 1000000, /* pipelines a sample, where the clock is coarse */
    CT_SAMPLE_TICKS = 100,         /* steps of the clock a sample */
    CT_SAMPLE_TARGET_NS = 10000000,
    CT_SAMPLE_PARTS = 16, /* of a sample that are told apart, at most */
    CT_SAMPLE_PARTS_LEAST = 8,
};

/* What one sample saw. */
struct ct_sample {
    uint32_t repeats;  /* pipelines in it, at least 1 */
    uint64_t event_ns; /* by the device's clock; 0: none, or an end before its start */
    uint64_t wall_ns;  /* from before the first enqueue to after clFinish */
    /* Of event_ns, what accidents added (ct_sample_accidents): left out of the time. */
    double accidents_ns;
};

/* When the parts of a sample ended, by the device's clock. */
struct ct_sample_parts {
    size_t count; /* 0: not known */
    uint64_t start_ns;
    uint64_t ends_ns[CT_SAMPLE_PARTS];
    uint32_t runs[CT_SAMPLE_PARTS]; /* pipelines in each */
};

/* Parts that took longer for each pipeline than the median part by more than six standard
 * deviations (1.4826 MAD, so that they do not hide themselves; Hampel) and a tenth were
 * disturbed: what they took beyond the median.  0 for fewer than CT_SAMPLE_PARTS_LEAST
 * parts, and where a quarter of them or more are like that: then it is no accident. */
double ct_sample_accidents(const struct ct_sample_parts *parts);

enum ct_sample_clock {
    CT_SAMPLE_CLOCK_FINE,
    CT_SAMPLE_CLOCK_SHORT, /* far below wall time: a clock in other units, or the host
                              was held up; only all samples together can tell */
    CT_SAMPLE_CLOCK_WRONG, /* no time, or longer than wall time: impossible */
};

/* What to think of the device's clock, which goes in steps of `timer_ns` (0: not known),
 * in one sample. */
enum ct_sample_clock ct_sample_judge(const struct ct_sample *sample, double timer_ns);

struct ct_sampler {
    uint32_t wanted;
    double leader_ns; /* 0: none */
    double resolution;
    bool off;
    double timer_ns;
    struct ct_sample *taken;
    size_t count;
    size_t capacity;
    size_t shorts;
    bool delayed; /* some samples are so short that the host may have been held up */
    bool clock_wrong;
    double best_ns;       /* the shortest pipeline so far, the estimate included */
    double event_ns;      /* the same by the device's clock; 0: none yet */
    unsigned passed_over; /* samples that were too short for the clock */
    bool enough;          /* no more samples are wanted */
    bool beyond;          /* because the leader is out of reach */
};

/* `estimate_ns`: wall time of one warm pipeline, 0 for not known.  `wanted` 0 means
 * CT_SAMPLE_DEFAULT.  Without ct_sampler_race, those are given up whose samples are all
 * at least 1.25 times as slow as the leader, and nobody gets more than `wanted`. */
void ct_sampler_init(struct ct_sampler *sampler, uint32_t wanted, double leader_ns,
                     uint64_t estimate_ns);
void ct_sampler_release(struct ct_sampler *sampler);

/* Before the first sample: the smallest relative difference that can be told apart (0:
 * not known), and whether everybody gets `wanted` samples whatever they are. */
void ct_sampler_race(struct ct_sampler *sampler, double resolution, bool off);

/* Before the first sample: the steps of the device's clock; 0: not known. */
void ct_sampler_timer(struct ct_sampler *sampler, double timer_ns);

/* How many pipelines the next sample should run; 0: enough has been seen. */
uint32_t ct_sampler_next(const struct ct_sampler *sampler);

/* The same, also when enough has been seen: never 0. */
uint32_t ct_sampler_repeats(const struct ct_sampler *sampler);

/* Whether every sample is more than twice as slow as the leader. */
bool ct_sampler_hopeless(const struct ct_sampler *sampler);

/* How long the next sample will last, about. */
uint64_t ct_sampler_next_ns(const struct ct_sampler *sampler);

/* How long the samples will last that are still wanted, contenders' apart, about. */
uint64_t ct_sampler_rest_ns(const struct ct_sampler *sampler);

/* Adds a sample; one that the device's clock could not time, because the estimate of its
 * length was far too long, only corrects that estimate.  CT_E_NOMEM. */
enum ct_status ct_sampler_add(struct ct_sampler *sampler, const struct ct_sample *sample,
                              struct ct_err *err);

/* Forgets the samples from the `count`th on, as if they had not been taken; what they
 * told about the length of a pipeline stays. */
void ct_sampler_rewind(struct ct_sampler *sampler, size_t count);

/* Writes samples, their number, median, interval, what racing saved and added, and the
 * two flags into the outcome, whose arena owns the samples (in the order taken).
 * CT_E_NOMEM. */
enum ct_status ct_sampler_finish(const struct ct_sampler *sampler,
                                 struct ct_outcome *outcome, struct ct_err *err);

#endif
