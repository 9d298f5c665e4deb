// SPDX-License-Identifier: Apache-2.0
// One configuration with everything that a program of its own needs to do the same: `cltune repro`.
#ifndef CT_TUNE_REPRO_H
#define CT_TUNE_REPRO_H

#include "tune/run.h"

/* How the program gets the contents of a buffer. */
enum ct_repro_source {
    CT_REPRO_NONE,     /* every byte 0xFF */
    CT_REPRO_COMPUTED, /* by the fill itself */
    CT_REPRO_COPY,     /* from buffer fill.sources[0] */
    CT_REPRO_EMBEDDED, /* from bytes in the program */
    CT_REPRO_BESIDE,   /* from a file beside it: more than CT_REPRO_EMBEDDED_MOST bytes */
    CT_REPRO_UNKNOWN,  /* it cannot: zeros */
};

enum { CT_REPRO_EMBEDDED_MOST = 1 << 18 };

struct ct_repro_buffer {
    enum ct_repro_source source;
    unsigned char *input; /* in the host layout; NULL: not known */
    unsigned char *after; /* what the run left; NULL: not known */
    unsigned char *truth; /* what is expected; NULL: nothing, or not known */
    const struct ct_plan_buffer *model; /* type and size of `truth` */
};

/* A stored result of the same experiment. */
struct ct_repro_stored {
    bool known;
    char status[16];
    double time_ns; /* NAN: none */
    int64_t measured_unix_s;
};

struct ct_repro {
    struct ct_run run; /* with the outcome of now */
    struct ct_repro_buffer *buffers;
    struct ct_repro_stored stored;
    uint64_t seed; /* of random contents */
};

/* Begins as ct_run_init, and chooses a configuration: the settings', or `values` (one per
 * parameter) unless NULL.  CT_E_USAGE for a [program], and as for ct_run_choose.  Always
 * release. */
enum ct_status ct_repro_init(struct ct_repro *repro,
                             const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_devinfo *device, const struct ct_spec *spec,
                             struct ct_binding *binding, struct ct_err *err);
void ct_repro_release(struct ct_repro *repro);

/* Evaluates the configuration, and keeps the contents of its buffers before and after.  That it
 * fails is an outcome.  Errors as for ct_run_measure; CT_E_IO. */
enum ct_status ct_repro_measure(struct ct_repro *repro, struct ct_err *err);

/* Looks up what the database has of the same experiment; nothing is no error. */
enum ct_status ct_repro_look_up(struct ct_repro *repro, struct ct_err *err);

/* The configuration that the database has as the best for the same kernel, device and problem, as
 * settings owned by `arena`.  CT_E_NOT_FOUND. */
enum ct_status ct_repro_best(const struct ct_repro *repro, struct ct_arena *arena,
                             struct ct_setting **out, size_t *count, struct ct_err *err);

#endif
