// SPDX-License-Identifier: Apache-2.0
// When to take which sample, and which clock to trust: decisions without a device.
//
// A sample is a number of pipelines before one clFinish, so many that it lasts about 10 ms (1 to
// CT_SAMPLE_REPEATS_MAX of them) and at least CT_SAMPLE_TICKS steps of the clock that times it.
// Its time is that from the first start to the last end by the device's clock, less what
// accidents added, divided by that number, unless wall time contradicts the device's clock.
//
// How many samples: racing (Maron & Moore, Hoeffding Races, NIPS 1994).  A configuration is
// stopped as soon as its interval lies wholly beyond the leader's time.  The interval is that of
// the median from order statistics (base/stats.h), which assumes no distribution and is robust
// against a few spikes; "beyond" is by more than the resolution, that is, the smallest difference
// of two processes that an A/A test could resolve.  The resolution is known for `wanted` samples:
// the median of k samples is sqrt(wanted / k) times as uncertain, and an interval of fewer than
// six does not reach 95% (of three: 75%), so that the resolution is multiplied by that for fewer
// samples. With normal noise as in the A/A test, a configuration as fast as the leader is stopped
// by mistake at one in 10000 of the first looks, and one that is slower by exactly the resolution
// at one in 100; looks become rarer as samples accumulate, which bounds their sum (union bound).
//
// What is far beyond the leader needs no interval on a steady device (resolution up to 2%): one
// sample ends it that is slower by four times the resolution for so few, and by a tenth at least
// (3% up to a resolution of 0.5%), if the warm-up was that slow, too.  What is slower still is
// ended by the launches before the first sample (ct_sampler_glance): a spike that makes one launch
// twice as long is rare, two in a row are rarer.  Launches that are much shorter than a sample are
// first run a few times (ct_sampler_probe), which shows as much in a third of the time.
//
// Contenders, whose interval reaches down to the leader's time within the resolution, get up to
// twice as many samples, until their interval is no wider than the resolution: beyond that,
// processes differ by more than samples do, and only more processes help (judge/playoff.h).
#ifndef CT_WORKER_TIMING_SAMPLE_H
#define CT_WORKER_TIMING_SAMPLE_H

#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CT_SAMPLE_DOUBT = 20,       /* more, to distinguish a wrong clock from a busy host */
    CT_SAMPLE_DOUBT_LONGER = 4, /* times as long */
    CT_SAMPLE_LEAST = 3, /* before an interval counts; what is far beyond ends sooner */
    CT_SAMPLE_MOST = 10000,
    CT_SAMPLE_CONTENDER = 2,       /* times as many for contenders */
    CT_SAMPLE_REPEATS_MAX = 100,   /* pipelines per sample */
    CT_SAMPLE_TICKS_MAX = 1000000, /* pipelines per sample, if the clock is coarse */
    CT_SAMPLE_TICKS = 100,         /* clock steps per sample */
    CT_SAMPLE_TARGET_NS = 10000000,
    CT_SAMPLE_COLD_NS =
        1000000,              /* that a first launch takes longer than others, at most */
    CT_SAMPLE_AGREEING = 2,   /* samples that may agree (ct_sampler_agree) */
    CT_SAMPLE_COLD_KNOWN = 5, /* configurations that show how much it really is */
    CT_SAMPLE_PROBE_NS = 3000000,
    CT_SAMPLE_PARTS = 16, /* most parts of a sample that are timed separately */
    CT_SAMPLE_PARTS_LEAST = 8,
};

/* By which share two launches may differ and count as the same, if it is unknown what can be resolved. */
#define CT_SAMPLE_SAME 0.002

/* The measurements of one sample. */
struct ct_sample {
    uint32_t repeats;  /* pipelines in it, at least 1 */
    uint64_t event_ns; /* by the device's clock; 0: none, or an end before its start */
    uint64_t wall_ns;  /* from before the first enqueue to after clFinish */
    /* The part of event_ns added by accidents (ct_sample_accidents), excluded from the time. */
    double accidents_ns;
};

/* When the parts of a sample ended, by the device's clock. */
struct ct_sample_parts {
    size_t count; /* 0: unknown */
    uint64_t start_ns;
    uint64_t ends_ns[CT_SAMPLE_PARTS];
    uint32_t runs[CT_SAMPLE_PARTS]; /* pipelines in each */
};

/* Parts that took longer per pipeline than the median part by more than six standard deviations
 * (1.4826 MAD, so that they do not hide themselves; Hampel) and a tenth were disturbed: returns
 * their time beyond the median.  0 for fewer than CT_SAMPLE_PARTS_LEAST parts, and if a quarter
 * of them or more are like that: then it is no accident. */
double ct_sample_accidents(const struct ct_sample_parts *parts);

struct ct_sampler {
    uint32_t wanted;
    double leader_ns; /* 0: none */
    double resolution;
    bool off;
    double agreeing;    /* see ct_sampler_agree; 0: no samples are enough for that */
    double second_look; /* see ct_sampler_look_twice; 0: there is none */
    double beat_ns;     /* see ct_sampler_beat; 0: nothing */
    double timer_ns;
    double cold_share; /* see ct_sampler_allow_cold; negative: unknown */
    struct ct_sample *taken;
    size_t count;
    size_t capacity;
    size_t shorts;    /* samples in which the device's clock is far below wall time */
    size_t confirmed; /* and in which it agrees with it */
    bool delayed;     /* some samples are so short that the host may have been delayed */
    bool clock_wrong;
    double best_ns;       /* the shortest pipeline so far, including the estimate */
    double event_ns;      /* the same by the device's clock; 0: none yet */
    unsigned passed_over; /* samples that were too short for the clock */
    bool enough;          /* no more samples are needed */
    bool beyond;          /* because the leader is out of reach */
};

/* `estimate_ns`: wall time of one warm pipeline, 0: unknown.  `wanted` 0 means CT_SAMPLE_DEFAULT.
 * Without ct_sampler_race, a configuration is stopped if its samples are all at least 1.25 times
 * as slow as the leader, and none gets more than `wanted`. */
void ct_sampler_init(struct ct_sampler *sampler, uint32_t wanted, double leader_ns,
                     uint64_t estimate_ns);
void ct_sampler_release(struct ct_sampler *sampler);

/* Before the first sample: the smallest relative difference that can be resolved (0: unknown),
 * and whether all configurations get `wanted` samples. */
void ct_sampler_race(struct ct_sampler *sampler, double resolution, bool off);

/* Before the first sample: from CT_SAMPLE_AGREEING on, samples are enough if they differ by this share
 * at most; 0: they are not. */
void ct_sampler_agree(struct ct_sampler *sampler, double share);

/* Before the first sample: what is stopped early, and takes up to so many times as long as the leader,
 * is timed once more later; 0: it is not.  Then, since samples right after another would share what
 * disturbs it, the first one decides, if the warm-up was as slow: by the resolution for so few, and
 * twice as slow at least; and on processors a glance does from that many times on. */
void ct_sampler_look_twice(struct ct_sampler *sampler, double times);

/* Before the first sample: if the first sample of it all takes `beat_ns` or longer, it is the last one; 0: it
 * is not. */
void ct_sampler_beat(struct ct_sampler *sampler, double beat_ns);

/* Before the first sample: the steps of the device's clock; 0: unknown. */
void ct_sampler_timer(struct ct_sampler *sampler, double timer_ns);

/* How much longer first launches are than the samples that follow. */
struct ct_sampler_cold {
    size_t count; /* configurations that have shown it */
    double most;  /* relative to their times; what was seen long ago has faded */
};

/* Before the first sample: what other configurations have shown.  From CT_SAMPLE_COLD_KNOWN of
 * them on, twice that instead of CT_SAMPLE_COLD_NS is allowed for. */
void ct_sampler_allow_cold(struct ct_sampler *sampler,
                           const struct ct_sampler_cold *cold);

/* Adds what a configuration has shown, if its first launch was as long as a sample, and it was launched
 * again: those samples include more than the first launch.  One that was disturbed hides some of the
 * difference, but others show it. */
void ct_sampler_note_cold(const struct ct_sampler *sampler, const struct ct_sample *first,
                          struct ct_sampler_cold *cold);

/* How often a launch has run before, as far as its time is concerned. */
enum ct_sampler_launch {
    CT_SAMPLER_FIRST, /* the device may have had to fetch code and data */
    CT_SAMPLER_WARM,
    CT_SAMPLER_PROBE,  /* several in a row (ct_sampler_probe) */
    CT_SAMPLER_SHARED, /* warm, on processors that other programs use as well */
};

/* Before the first sample: whether a single pipeline's time shows that the leader is out of reach.
 * It has to be twice as slow, or more if the device is noisy; if it lasts as long as a sample
 * would, by as much as one sample has to be.  A first launch is trusted only on a steady device
 * (resolution up to 2%, and not unknown), less what it may have taken for being the first
 * (CT_SAMPLE_COLD_NS, or what ct_sampler_allow_cold says); a warm one up to a resolution of 10%.
 * A probe is a short sample: it has to be slower by what one sample has to be, widened by the
 * square root of how much shorter it is, and by 15% at least.  On processors four times as slow is
 * enough, whatever the noise, or what a second look is for.  Of warm launches and those on processors
 * the caller asks for two.  False if the clock is coarse or in doubt. */
bool ct_sampler_glance(const struct ct_sampler *sampler, const struct ct_sample *sample,
                       enum ct_sampler_launch launch);

/* How many pipelines a probe should run after one that took as long as `warm`, not on processors;
 * 0: none, because a sample is hardly longer, or this one is not slower than the leader. */
uint32_t ct_sampler_probe(const struct ct_sampler *sampler, const struct ct_sample *warm);

/* Whether the first two launches, each as long as a sample, are samples: they differ by no more than
 * can be resolved (CT_SAMPLE_SAME if that is unknown), so that neither the first one was slow for
 * being the first, nor the device for having been idle. */
bool ct_sampler_same(const struct ct_sampler *sampler, const struct ct_sample *first,
                     const struct ct_sample *second);

/* After a glance: takes it for the only sample.  CT_E_NOMEM. */
enum ct_status ct_sampler_accept(struct ct_sampler *sampler,
                                 const struct ct_sample *sample, struct ct_err *err);

/* How many pipelines the next sample should run; 0: enough samples. */
uint32_t ct_sampler_next(const struct ct_sampler *sampler);

/* The same, also with enough samples: never 0. */
uint32_t ct_sampler_repeats(const struct ct_sampler *sampler);

/* Whether every sample is more than twice as slow as the leader. */
bool ct_sampler_hopeless(const struct ct_sampler *sampler);

/* The approximate length of the samples still needed, without those added for contenders. */
uint64_t ct_sampler_rest_ns(const struct ct_sampler *sampler);

/* Adds a sample; one that the device's clock could not time, because the estimate of its length
 * was far too long, only corrects that estimate.  CT_E_NOMEM. */
enum ct_status ct_sampler_add(struct ct_sampler *sampler, const struct ct_sample *sample,
                              struct ct_err *err);

/* Discards the samples from the `count`th on; what they showed about the length of a pipeline is
 * kept. */
void ct_sampler_rewind(struct ct_sampler *sampler, size_t count);

/* Writes samples, their number, median, interval, what racing saved and added, and the two flags
 * into the outcome, whose arena owns the samples (in the order taken). CT_E_NOMEM. */
enum ct_status ct_sampler_finish(const struct ct_sampler *sampler,
                                 struct ct_outcome *outcome, struct ct_err *err);

#endif
