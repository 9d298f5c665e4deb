// SPDX-License-Identifier: Apache-2.0
// Recorded spaces: all configurations have been measured before, for replaying strategies.
#ifndef CT_REPLAY_RECORDED_H
#define CT_REPLAY_RECORDED_H

#include "base/err.h"
#include "base/value.h"
#include "search/strategy.h"
#include "space/space.h"

#include <stddef.h>
#include <stdint.h>

/* The recorded result of one configuration. */
struct ct_record {
    double time_ns; /* the objective; NAN unless failure is CT_FAILURE_NONE */
    enum ct_failure failure;
    double compile_ns; /* wall time spent compiling; 0 if not recorded */
    double bench_ns;   /* wall time spent running and checking; 0 if not recorded */
    double headroom;   /* as in struct ct_strategy_result; 0 if not recorded */
};

/* A recorded space.  The space has exactly the recorded configurations. */
struct ct_recorded {
    char *name;
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_space *space;
    struct ct_record *records; /* by index in the space */
    double best_ns;            /* of all records; at least one worked */
    bool stored;               /* of a cltune database, not a file of its own */
};

/* --- recording --- */

struct ct_recorder;

/* Starts a space with these parameters (names are copied).  CT_E_USAGE: a name is none that a space
 * file could have, so that it would change the meaning of what is written after it; CT_E_NOMEM. */
enum ct_status ct_recorder_new(const char *name, const char *const *params,
                               size_t param_count, struct ct_recorder **out,
                               struct ct_err *err);

/* Adds a configuration, one value per parameter (texts are copied).  CT_E_NOMEM. */
enum ct_status ct_recorder_add(struct ct_recorder *recorder,
                               const struct ct_value *values,
                               const struct ct_record *record, struct ct_err *err);

/* Makes the space; always frees the recorder.  A parameter's values are ordered as numbers, or,
 * if it has texts, by appearance.  A configuration that was added more than once keeps its
 * first result.  CT_E_NOT_FOUND: no configuration worked; CT_E_USAGE: a name is invalid for a parameter;
 * CT_E_NOMEM. */
enum ct_status ct_recorder_finish(struct ct_recorder *recorder, struct ct_recorded **out,
                                  struct ct_err *err);
void ct_recorder_free(struct ct_recorder *recorder);

/* --- reading --- */

/* Reads a file, optionally compressed with gzip:
 * - tab-separated values: lines that begin with '#', then a line of column names, then a line for
 *   each configuration.  Columns before `time_ms` are parameters; `time_ms` empty: failed;
 *   `status` (ok, compile, runtime, invalid, wrong), `compile_ms`, `bench_ms`, `headroom` may follow;
 * - a cache file of Kernel Tuner (JSON with "cache"), even if incomplete at the end;
 * - T4 results (JSON with "results"; times in "metadata"."timeunit", else milliseconds).
 * The space is named after the file.  CT_E_USAGE: it is missing, cannot be read, or has mistakes (with
 * the place); CT_E_NOT_FOUND: it has no configuration, or none that worked; CT_E_IO: the system fails; CT_E_NOMEM. */
enum ct_status ct_recorded_read(const char *path, struct ct_recorded **out,
                                struct ct_err *err);

void ct_recorded_free(struct ct_recorded *recorded);

#endif
