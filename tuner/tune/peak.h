// SPDX-License-Identifier: Apache-2.0
// The ceilings of a device, from two small searches and some launches of empty kernels.
#ifndef CT_TUNE_PEAK_H
#define CT_TUNE_PEAK_H

#include "base/devinfo.h"
#include "base/overhead.h"
#include "base/str.h"
#include "db/store.h"
#include "tune/observer.h"
#include "tune/options.h"

enum ct_peak_kind {
    CT_PEAK_COPY,      /* bytes moved, GB/s */
    CT_PEAK_MAD,       /* multiply-adds, GFLOP/s */
    CT_PEAK_OVERHEADS, /* from here on as enum ct_overhead_kind, ns */
    CT_PEAK_COUNT = CT_PEAK_OVERHEADS + CT_OVERHEAD_COUNT
};

/* Names and units as in the database; `what` explains those that are no search. */
struct ct_peak_info {
    const char *name;
    const char *unit;
    const char *what;
};
const struct ct_peak_info *ct_peak_info_of(enum ct_peak_kind kind);

/* What was found for one device: CT_PEAK_COUNT of them. */
struct ct_peak_found {
    bool known;
    double value;
    double low; /* 95% interval */
    double high;
    struct ct_str how; /* the configuration */
};

struct ct_peak {
    const struct ct_tune_options *options;
    const struct ct_observer *observer;
    struct ct_str folder; /* where the embedded space files are */
    struct ct_db *db;
};

/* Writes the embedded space files where they can be read, and opens the database early, before
 * minutes are spent on results it might not accept.  Options and observer are borrowed.  Must
 * always be closed. */
enum ct_status ct_peak_open(struct ct_peak *peak, const struct ct_tune_options *options,
                            const struct ct_observer *observer, struct ct_err *err);
void ct_peak_close(struct ct_peak *peak);

/* Searches for CT_PEAK_COPY or CT_PEAK_MAD on a device.  What was found before an error is kept.
 * Errors as for ct_search_run and ct_search_found. */
enum ct_status ct_peak_tune(struct ct_peak *peak, const struct ct_devinfo *device,
                            enum ct_peak_kind kind, struct ct_peak_found *found,
                            struct ct_err *err);

/* Measures all overheads.  Errors as for ct_measure_overheads. */
enum ct_status ct_peak_overheads(const struct ct_devinfo *device,
                                 struct ct_peak_found *found, struct ct_err *err);

/* Stores what was found. */
enum ct_status ct_peak_store(struct ct_peak *peak, const struct ct_devinfo *device,
                             const struct ct_peak_found *found, struct ct_err *err);

#endif
