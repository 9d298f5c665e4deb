// SPDX-License-Identifier: Apache-2.0
// What the files of `cltune run` know of each other.
#ifndef CT_CLI_RUN_H
#define CT_CLI_RUN_H

#include "cli/cli.h"
#include "schedule/measure.h"
#include "spacefile/source.h"

#include <stdbool.h>

/* What a run needs, in the order it is made and the reverse of its release. */
struct ct_run {
    struct ct_arena arena;
    const struct ct_devinfo *device;
    struct ct_spec *spec;
    struct ct_binding *binding;
    struct ct_source_cache *sources;
    struct ct_value *values;
    struct ct_plan plan;
    struct ct_runner *runner;
    struct ct_outcome outcome;
    bool measured;
};

/* Print the outcome to standard output: for people, and as one JSON object. */
void ct_run_print_text(const struct ct_run *run);
void ct_run_print_json(const struct ct_run *run);

/* Launches that do the same but for their arguments, such as the passes of a loop. */
struct ct_run_group {
    size_t launch; /* the first of them */
    size_t count;
};

/* Groups the launches in order of their first; the caller frees.  NULL when memory is
 * short. */
struct ct_run_group *ct_run_groups(const struct ct_plan *plan, size_t *count);

/* Whether the outcome has facts of this launch's kernel: not when the configuration
 * failed before it was built, nor of launches that copy or zero. */
bool ct_run_built(const struct ct_run *run, size_t launch);

#endif
