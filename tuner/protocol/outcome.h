// SPDX-License-Identifier: Apache-2.0
// The outcome of one configuration, and the phase of its evaluation: what a worker reports to the
// main process.
#ifndef CT_PROTOCOL_OUTCOME_H
#define CT_PROTOCOL_OUTCOME_H

#include "base/mem.h"
#include "base/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of outcome (doc/schema.md, "result"). */
enum ct_result_status {
    CT_RESULT_OK,
    CT_RESULT_BUILD_FAILED,
    CT_RESULT_INVALID, /* refused by the device: work-group size, local memory ... */
    CT_RESULT_WRONG,
    CT_RESULT_CRASHED,
    CT_RESULT_TIMEOUT,
    CT_RESULT_INTERRUPTED,
    CT_RESULT_SKIPPED,
    CT_RESULT_STATUS_COUNT
};

/* "ok", "build_failed", ...: as used in the database and by --retry. */
const char *ct_result_status_name(enum ct_result_status status);

enum ct_phase {
    CT_PHASE_START, /* starting a worker, opening the device */
    CT_PHASE_DATA,  /* filling inputs, running the reference */
    CT_PHASE_BUILD,
    CT_PHASE_FIRST, /* first launch: some drivers compile then */
    CT_PHASE_CHECK, /* reading back and comparing outputs */
    CT_PHASE_MEASURE,
    CT_PHASE_COUNT
};
const char *ct_phase_name(enum ct_phase phase);

/* How long each phase may take before the worker is killed.  CT_PHASE_MEASURE counts from sample
 * to sample (announced at most every 100 ms, or half the deadline), so that it limits a hanging
 * launch whatever the number of samples. */
struct ct_deadlines {
    uint64_t ns[CT_PHASE_COUNT];
};

/* Defaults: start and build 120 s each, first launch and measure `launch_s` each, check 60 s,
 * data (with the reference) 300 s, or 30 times `launch_s` if that is more. */
struct ct_deadlines ct_deadlines_default(double launch_s);

enum { CT_MISMATCH_TEXT = 48 };

struct ct_mismatch {
    uint32_t buffer;
    uint64_t element; /* scalar index within the buffer, or behind it (guard) */
    double expected;
    double seen;
    uint64_t wrong_count; /* scalars outside the tolerance */
    bool guard;           /* a write outside the buffer, not a wrong value */
    /* For the worker's message, and transmitted for an outcome's differences only.  The only exact
     * form of 64-bit integers. */
    char expected_text[CT_MISMATCH_TEXT];
    char seen_text[CT_MISMATCH_TEXT];
    bool unwritten; /* the value is the one from before the run */
};

/* Facts about a built kernel, one per launch; all 0 for launches that copy or fill zeros. */
struct ct_kernel_facts {
    uint64_t work_group_size;
    uint64_t local_mem_bytes;
    uint64_t private_mem_bytes;
    uint64_t preferred_multiple;
    /* From the compiler's log (worker/build/facts_log.h); 0: none, or unknown. */
    uint64_t registers;
    uint64_t spill_bytes;
};

/* Files that `cltune run --dump` writes for a buffer (protocol/dump.h). */
enum ct_dump_kind {
    CT_DUMP_AFTER,    /* what it held after the run that was checked */
    CT_DUMP_BEFORE,   /* and before, if it has a fill and a launch may write it */
    CT_DUMP_TRUTH,    /* its expected contents */
    CT_DUMP_NO_TRUTH, /* no file: a launch may write it, and nothing is expected */
    CT_DUMP_COUNT
};

struct ct_dumped {
    uint32_t buffer;
    enum ct_dump_kind kind;
};

struct ct_outcome {
    struct ct_arena arena; /* owns everything below */
    enum ct_result_status status;
    enum ct_phase phase;         /* in which it failed */
    const char *message;         /* one sentence if it failed, "" otherwise */
    const char *build_log;       /* from the compiler, cut at 64 KiB; "" for none */
    uint64_t deadline_ns;        /* the one exceeded, for CT_RESULT_TIMEOUT */
    struct ct_mismatch mismatch; /* for CT_RESULT_WRONG */
    /* For CT_RESULT_WRONG, if requested: the first values that are wrong, of each buffer that has
     * some.  Without `expected`, `seen` and `wrong_count`. */
    struct {
        size_t count;
        struct ct_mismatch *items;
    } differences;
    /* Files that were written, if requested. */
    struct {
        size_t count;
        struct ct_dumped *items;
        bool timed; /* they hold what the timed runs left, not the first one */
    } dump;
    uint64_t binary_bytes; /* 0: unknown (requesting it costs PoCL another compilation) */
    uint32_t programs_kept; /* that its worker had built before, from the same text */
    size_t fact_count;
    struct ct_kernel_facts *facts;
    struct {
        size_t count;
        /* Time of the whole pipeline, one value per sample, all kept.  If a buffer is restored
         * before every run, a sample is one pipeline between two untimed restores; else many in a
         * row. */
        double *ns;
        uint32_t launches;    /* pipelines per sample, of the last one */
        uint32_t interleaved; /* how many, at the end, were interleaved */
        uint32_t retaken;     /* discarded because other programs interfered */
        double timer_ns;      /* steps of the clock that gave them; 0: unknown */
    } samples;
    /* Wall time of writing the inputs, the pipeline, and reading the checked outputs (with the
     * host's part of a reduction): median and interval of separate samples; 0 unless requested
     * (plan->end_to_end). */
    struct {
        double time_ns;
        double low_ns;
        double high_ns;
    } end_to_end;
    double time_ns; /* median of the samples */
    double low_ns;  /* interval of the median (base/stats.h) */
    double high_ns;
    bool stopped_early; /* clearly slower than the best: fewer samples */
    bool wall_clock;    /* event times contradicted wall time, which was used instead */
    /* Racing (worker/timing/sample.h): samples saved by stopping early, or added for a contender,
     * and their time. */
    struct {
        uint32_t saved;
        uint32_t added;
        uint64_t saved_ns;
        uint64_t added_ns;
    } race;
    /* Cold caches (plan->cold): copies of the buffers that are used in turn, 1 if one pass over
     * the plan's own is enough; 0: caches were warm.  `incomplete`: memory, or the number of
     * copies, did not suffice to move twice the last-level cache in a pass. */
    struct {
        uint32_t copies;
        bool incomplete;
    } cold;
    uint64_t spent_ns[CT_PHASE_COUNT]; /* wall time of each phase */
    bool verified;                     /* outputs were compared with a reference */
    /* Why that check proves little, one sentence: any kernel would have passed; NULL: it is
     * sound. */
    const char *doubt;
    /* Of a baseline: how many copies ran at the same time; 1 if it has threads of its own. 0 for
     * configurations. */
    uint32_t copies;
    /* Quantities observed during timing, without the times above. */
    struct ct_quantities observed;
};

/* Whether an outcome is a refusal of memory other than the device's, perhaps because of other
 * programs. */
bool ct_outcome_lacks_memory(const struct ct_outcome *outcome);

void ct_outcome_release(struct ct_outcome *outcome);

/* All quantities of a configuration: those observed, and its times. */
struct ct_quantities ct_outcome_quantities(const struct ct_outcome *outcome);

#endif
