// SPDX-License-Identifier: Apache-2.0
// What a session tells while it is at work.  The engine prints nothing: it calls an observer, which
// tuner/report implements for people and tests implement to look on.
#ifndef CT_TUNE_OBSERVER_H
#define CT_TUNE_OBSERVER_H

#include "protocol/outcome.h"

#include <stddef.h>
#include <stdint.h>

struct ct_search;
struct ct_evaluated;

enum ct_event_kind {
    CT_EVENT_BEGIN,    /* a search is about to measure */
    CT_EVENT_TRANSFER, /* results of elsewhere were given to the strategy */
    CT_EVENT_NOISE,    /* the A/A test is over */
    CT_EVENT_LOOP, /* the strategy is about to be asked: search->pace.planned is known */
    CT_EVENT_EVALUATED, /* `entry` is done; `text`: why it failed, "" for nothing to say;
                               `duplicate_of`: the index whose program it shares, or NULL */
    CT_EVENT_PROGRESS,  /* some are done */
    CT_EVENT_CANARY, /* `count` failures in a row: a working configuration was tried, with
                               `status` */
    CT_EVENT_LOOP_END,      /* the strategy is asked no more */
    CT_EVENT_PLAYOFF,       /* `count` configurations are about to be timed again */
    CT_EVENT_TARGET_MISSED, /* in the play-off: the search goes on */
    CT_EVENT_COMPARE,       /* `count` configurations in `rounds` processes */
    CT_EVENT_SLOW,          /* the user's own code, `text`, is still running; it may take
                               `seconds` */
    CT_EVENT_WARNING,       /* `text` */
};

/* What is not said of a kind above is zero.  Valid during the call alone. */
struct ct_event {
    enum ct_event_kind kind;
    const struct ct_search *search; /* NULL for a session that is no search */
    const struct ct_evaluated *entry;
    const char *text;
    const int64_t *duplicate_of;
    size_t count;
    size_t rounds;
    double seconds;
    enum ct_result_status status;
};

struct ct_observer {
    /* Called on the session's thread, in the order of what happens.  NULL: nobody looks. */
    void (*event)(void *user, const struct ct_event *event);
    void *user;
};

/* Tells an observer, which may be NULL. */
void ct_observer_event(const struct ct_observer *observer, const struct ct_event *event);

/* An event of CT_EVENT_WARNING. */
void ct_observer_warn(const struct ct_observer *observer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
