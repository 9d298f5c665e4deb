// SPDX-License-Identifier: Apache-2.0
// What an examination of this machine's OpenCL found.
#ifndef CT_BASE_FINDING_H
#define CT_BASE_FINDING_H

#include "base/wire.h"

/* How a finding judges its subject. */
enum ct_finding_state {
    CT_FINDING_GOOD,
    CT_FINDING_NOTE, /* works, but something is missing that some people want */
    CT_FINDING_BAD,
    CT_FINDING_STATE_COUNT
};

/* One line of an examination.  Texts belong to the list's arena. */
struct ct_finding {
    enum ct_finding_state state;
    const char *subject; /* "loader", "driver", "compiles" */
    const char *text;    /* what was found */
    const char *remedy;  /* what to do about it; "" if there is nothing */
};

struct ct_findings {
    struct ct_arena arena;
    struct ct_finding *items;
    size_t count;
    size_t capacity;
    bool failed; /* memory ran out: what follows is lost */
};

/* Adds a finding; the texts are copied. */
void ct_findings_add(struct ct_findings *findings, enum ct_finding_state state,
                     const char *subject, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

bool ct_findings_bad(const struct ct_findings *findings);

/* Appends them in the form that workers send. */
void ct_findings_put(struct ct_str *out, const struct ct_findings *findings);

/* Adds those that were sent; in->failed if they are damaged. */
void ct_findings_get(struct ct_wire_reader *in, struct ct_findings *findings);

void ct_findings_release(struct ct_findings *findings);

#endif
