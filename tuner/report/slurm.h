// SPDX-License-Identifier: Apache-2.0
// Scripts for Slurm: a job array that searches, and a job that merges and plays off.
#ifndef CT_REPORT_SLURM_H
#define CT_REPORT_SLURM_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the scripts say.  Paths are absolute and have no line breaks; all is borrowed. */
struct ct_slurm {
    const char *program; /* cltune itself */
    const char *version;
    const char *space;   /* the space file */
    const char *name;    /* of the jobs, after "cltune-" */
    const char *folder;  /* of scripts, databases and logs */
    const char *current; /* where the tasks run */
    uint64_t tasks;
    bool islands; /* else parts of the space */
    const char
        *search_options; /* words of a shell command, each with a blank before it */
    const char *finish_options;
    const char *const *options; /* of sbatch */
    size_t option_count;
};

/* Appends the script of the array: each of its tasks measures a part, or is an island.  A task that
 * Slurm ends before its time stores what it has and queues itself again. */
void ct_slurm_put_search(const struct ct_slurm *slurm, struct ct_str *out);

/* Appends the script of the last job, whose argument is the number of the array, if that may still
 * run: it merges what there is, plays off, and fails with a line that
 * says what is missing. */
void ct_slurm_put_finish(const struct ct_slurm *slurm, struct ct_str *out);

#endif
