// SPDX-License-Identifier: Apache-2.0
// Events of a running session.  The engine prints nothing: it calls an observer, which
// tuner/report implements for users and tests implement to check events.
#ifndef CT_TUNE_OBSERVER_H
#define CT_TUNE_OBSERVER_H

#include "protocol/outcome.h"

#include <stddef.h>
#include <stdint.h>

struct ct_search;
struct ct_scheduler_activity;
struct ct_evaluated;

enum ct_event_kind {
    CT_EVENT_BEGIN,       /* measuring is about to begin */
    CT_EVENT_TRANSFER,    /* results from elsewhere were given to the strategy */
    CT_EVENT_NOISE_BEGIN, /* the A/A test is about to begin */
    CT_EVENT_NOISE,       /* it is over */
    CT_EVENT_LOOP, /* the strategy is about to propose: search->pace.planned is known */
    /* `entry` is done; `text`: why it failed, or ""; `duplicate_of`: index of the configuration
     * whose program it shares, or NULL */
    CT_EVENT_EVALUATED,
    CT_EVENT_PROGRESS, /* some are done */
    /* `count` failures in a row: a working configuration was tried, with `status` */
    CT_EVENT_CANARY,
    CT_EVENT_LOOP_END, /* the strategy proposes no more */
    CT_EVENT_PLAYOFF,  /* `count` configurations are about to be timed again */
    /* `rounds` of it are over; `count` configurations still take part, with the indices `still`; 0:
     * only the time of the winner is being confirmed */
    CT_EVENT_ROUND,
    CT_EVENT_BASELINE, /* the baseline on the host is about to be timed */
    /* Workers have got work: `activity`; while the strategy proposes, `still` has the index of the
     * configuration that is about to be timed, if there is one (`count` 1), and `indices` has those
     * of the jobs, and of what is compiled ahead, of `activity->workers`.  Never while a CPU device
     * is timed. */
    CT_EVENT_ACTIVITY,
    CT_EVENT_TARGET_MISSED, /* by the play-off: the search continues */
    CT_EVENT_COMPARE,       /* `count` configurations in `rounds` processes */
    CT_EVENT_END,           /* the search is over: its results are final */
    /* the user's own code, `text`, is still running; it may take `seconds` */
    CT_EVENT_SLOW,
    CT_EVENT_WARNING, /* `text` */
};

/* Fields not named above for a kind are zero.  Valid during the call only. */
struct ct_event {
    enum ct_event_kind kind;
    const struct ct_search *search; /* NULL if the session is no search */
    const struct ct_evaluated *entry;
    const char *text;
    const int64_t *duplicate_of;
    size_t count;
    size_t rounds;
    double seconds;
    double planned_s; /* of a play-off, if it is as short as it can be; `rounds` then */
    bool hard;        /* it takes at most `seconds`, not about that */
    enum ct_result_status status;
    const int64_t *still; /* indices in the space, or CT_OUTSIDE */
    const struct ct_scheduler_activity *activity;
    const int64_t
        *indices; /* one per worker; without meaning for those that have no job */
};

struct ct_observer {
    /* Called on the session's thread, in order.  NULL: events are ignored. */
    void (*event)(void *user, const struct ct_event *event);
    void *user;
};

/* Passes an event to an observer, which may be NULL. */
void ct_observer_event(const struct ct_observer *observer, const struct ct_event *event);

/* An event of CT_EVENT_WARNING. */
void ct_observer_warn(const struct ct_observer *observer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
