// SPDX-License-Identifier: Apache-2.0
// Folders for temporary files that are removed even if their owner dies.
//
// A folder is locked by its owner for as long as the owner lives: what a killed process has left,
// with its compilers' files in it, is found unlocked and removed by the next process.
#ifndef CT_PROTOCOL_SCRATCH_H
#define CT_PROTOCOL_SCRATCH_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct ct_scratch {
    struct ct_str path; /* "" if there is none */
    int lock;           /* -1: none */
};

/* Creates a folder among this user's temporary files (base/temporary.h), and sweeps.  CT_E_IO,
 * CT_E_NOMEM. */
enum ct_status ct_scratch_open(struct ct_scratch *scratch, struct ct_err *err);

/* Removes it with its contents. */
void ct_scratch_close(struct ct_scratch *scratch);

/* Removes the folders whose owners are gone, and nothing else: through descriptors of folders
 * that are this user's alone, following no link, and only if named by cltune. */
void ct_scratch_sweep(void);

#endif
