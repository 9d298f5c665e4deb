// SPDX-License-Identifier: Apache-2.0
// What a running search does, in words for its progress.
#ifndef CT_REPORT_STATUS_H
#define CT_REPORT_STATUS_H

#include "report/progress.h"
#include "schedule/scheduler.h"
#include "tune/observer.h"

enum { CT_STATUS_SIZE = CT_PROGRESS_TEXT };

/* Zeros: nothing is known yet. */
struct ct_status_words {
    char phase[CT_STATUS_SIZE];
    char workers[CT_STATUS_SIZE];
    char counts[CT_STATUS_SIZE];
    char failures[CT_STATUS_SIZE];
    /* Of each worker but the runner what it does, while the strategy proposes. */
    struct ct_status_worker {
        struct ct_scheduler_worker does;
        int64_t index; /* of the configuration of its job */
    } each[CT_SCHEDULER_WORKERS_MAX];
    size_t each_count;
    const struct ct_search *search; /* of the last view */
    bool proposing;   /* the strategy proposes: the workers' configurations are known */
    uint64_t over_ns; /* when the phase is probably over; 0: unknown */
};

/* Notes what an event says of the phase and the workers; true if the phase is a new one. */
bool ct_status_note(struct ct_status_words *words, const struct ct_event *event);

/* What is shown of a search now; valid until the next call for these words. */
struct ct_progress_view ct_status_view(struct ct_status_words *words,
                                       const struct ct_search *search);

#endif
