// SPDX-License-Identifier: Apache-2.0
// Expressions of a space file in a form that can be stored: without names that only the file
// defines.
#ifndef CT_PLAN_STORED_EXPR_H
#define CT_PLAN_STORED_EXPR_H

#include "base/str.h"
#include "spacefile/spec.h"

/* Longer ones are not kept: names of [let] that double each other grow without bound. */
enum { CT_STORED_EXPR_BYTES = 2000 };

/* What the value of an expression follows from, besides parameters. */
struct ct_stored_follows {
    bool problem; /* names of the problem */
    bool sizes;   /* and of these such that follow from others unless they are given */
    bool device;  /* limits of the device, DEVICE_... */
    bool more;    /* anything else */
};

/* Adds to `out` what the values of `expr` (NULL: of nothing) or of a slot follow from. */
void ct_stored_expr_follow(const struct ct_spec *spec, const struct ct_expr *expr,
                           struct ct_stored_follows *out);
void ct_stored_expr_follow_slot(const struct ct_spec *spec, int slot,
                                struct ct_stored_follows *out);

/* Appends the expression with every name that [let] or [derived] defines replaced by its
 * definition; more than CT_STORED_EXPR_BYTES are cut and of no use. */
void ct_stored_expr_put(const struct ct_spec *spec, const struct ct_expr *expr,
                        struct ct_str *out);

/* The constraints of a space file as JSON: [{"name":...,"expression":...},...].  Those that
 * follow from limits of the device, and else from parameters and the problem alone, also have "device": the
 * expression in names of those.  NULL if out of memory; the caller frees. */
char *ct_stored_constraints_json(const struct ct_spec *spec);

#endif
