// SPDX-License-Identifier: Apache-2.0
// Where the wall time of a search goes.  Every moment belongs to one kind, so the kinds add up.
#ifndef CT_TUNE_METER_H
#define CT_TUNE_METER_H

#include <stdint.h>

enum ct_spent {
    CT_SPENT_OTHER,    /* all that is none of the following */
    CT_SPENT_NOISE,    /* the A/A test */
    CT_SPENT_BUILD,    /* waiting for builders while the runner has nothing to do */
    CT_SPENT_RUN,      /* waiting for the runner; builders may work, too */
    CT_SPENT_PLAYOFF,  /* the play-off, including its builds */
    CT_SPENT_BASELINE, /* host code, and the best with transfers beside it */
    CT_SPENT_STORE,    /* the database */
    CT_SPENT_STRATEGY, /* the strategy: proposals, results */
    CT_SPENT_COUNT
};

/* All zeros: not started. */
struct ct_meter {
    uint64_t ns[CT_SPENT_COUNT];
    uint64_t since_ns; /* when `now` began */
    enum ct_spent now;
};

/* Starts with CT_SPENT_OTHER. */
void ct_meter_start(struct ct_meter *meter);

/* The time from now on is of this kind; returns the kind so far, to return to. */
enum ct_spent ct_meter_turn(struct ct_meter *meter, enum ct_spent kind);

/* Moves up to `ns` that were booked as one kind to another. */
void ct_meter_move(struct ct_meter *meter, enum ct_spent from, enum ct_spent to,
                   uint64_t ns);

/* The sum, up to the last turn. */
uint64_t ct_meter_total_ns(const struct ct_meter *meter);

/* "noise", "building", ...: a key of JSON; and "A/A test", "building", ...: for users. */
const char *ct_spent_key(enum ct_spent kind);
const char *ct_spent_name(enum ct_spent kind);

#endif
