// SPDX-License-Identifier: Apache-2.0
// A search's jobs: what the scheduler has, what waits for it, and failures that are held.
#ifndef CT_TUNE_JOBS_H
#define CT_TUNE_JOBS_H

#include "schedule/scheduler.h"
#include "tune/results.h"

/* A configuration that the scheduler has. */
struct ct_pending {
    uint64_t ticket;
    struct ct_arena arena; /* owns the plan */
    struct ct_plan plan;
    struct ct_evaluated entry; /* what is known so far */
};

/* A list of indices of the space. */
struct ct_index_list {
    int64_t *items;
    size_t count;
    size_t capacity;
};

/* What a ticket of the scheduler refers to, for as long as duplicates may refer to it. */
struct ct_ticket {
    int64_t index;
    struct ct_hash experiment;
};

struct ct_jobs {
    struct ct_scheduler *scheduler;
    void (*rank)(void *search);      /* for the scheduler (struct ct_scheduler_options) */
    struct ct_scheduler_stats stats; /* of the scheduler, once it is freed */
    char duplicates_off[200];        /* stats.duplicates_off points here */
    struct ct_pending **pending;
    size_t pending_count;
    size_t pending_capacity;
    struct ct_ticket *tickets; /* by ticket */
    size_t ticket_count;
    size_t ticket_capacity;
    /* in flight when the machine went down: last, one at a time */
    struct ct_index_list retries;
    size_t retry_next;
    /* Looked at again later: the scheduler already has their experiment, or they were postponed. */
    struct ct_index_list postponed;
    struct ct_plan *early;  /* compiled before they are proposed; in the arena */
    int64_t *early_indices; /* of their configurations, likewise */
    size_t early_count;
    struct ct_arena early_arena;
};

/* A failure that is not accepted yet. */
struct ct_held {
    struct ct_pending *pending; /* owned */
    struct ct_report report;    /* owned */
};

/* Failures that wait until something works after them. */
struct ct_canary {
    struct ct_held *held;
    size_t held_count;
    size_t held_capacity;
    uint64_t held_before;    /* tickets below this are from before the last of them */
    size_t next_at;          /* failures that make the canary run */
    size_t failed_in_a_row;  /* failures of the common kinds */
    unsigned asked;          /* canaries so far */
    unsigned machine_faults; /* canaries that failed, in a row */
};

#endif
