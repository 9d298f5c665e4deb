// SPDX-License-Identifier: Apache-2.0
// Shows few configurations for many devices and problems, as a table, as JSON and as C.
#ifndef CT_REPORT_VARIANTS_H
#define CT_REPORT_VARIANTS_H

#include "tune/selector.h"

/* A variant with everything that is shown of it. */
struct ct_report_variant {
    struct ct_db_point_result result; /* at the first point that it serves */
    const char *
        flags; /* those of the configuration: without macros that follow from the problem */
    bool same_flags; /* they are the same at all points that it serves */
    size_t points;   /* that it serves, and the largest loss at them */
    double worst_loss;
};

struct ct_report_choice {
    struct ct_arena arena;
    const struct ct_db_points *points;
    const struct ct_variants *variants;
    const struct ct_selector *selector; /* NULL: there is none */
    struct ct_report_variant *each;     /* by number */
    struct ct_db_point_result *results; /* by point, of its variant */
    const char *size_macros; /* macros that follow from the problem, separated by ", " */
    bool portable;           /* one configuration for all was asked for */
};

/* Reads what is shown of each variant.  Release `out` in any case. */
enum ct_status ct_report_choice_read(struct ct_db *db, struct ct_db_points *points,
                                     const struct ct_variants *variants,
                                     struct ct_report_choice *out, struct ct_err *err);
void ct_report_choice_release(struct ct_report_choice *choice);

/* On standard output, with warnings on standard error.  CT_E_DB if options of a variant differ
 * between the problems that it serves, so that C has no text for them; CT_E_NOMEM. */
enum ct_status ct_report_choice_text(const struct ct_report_choice *choice,
                                     struct ct_err *err);
enum ct_status ct_report_choice_json(const struct ct_report_choice *choice,
                                     struct ct_err *err);
enum ct_status ct_report_choice_header(const struct ct_report_choice *choice,
                                       struct ct_err *err);

#endif
