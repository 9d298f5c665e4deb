// SPDX-License-Identifier: Apache-2.0
// Folders for temporary files that somebody removes, whatever happens to their owner.
//
// A folder is locked by its owner for as long as that lives: what a process that was
// killed has left, with its compilers' files in it, the next one finds unlocked and
// sweeps away.
#ifndef CT_PROTOCOL_SCRATCH_H
#define CT_PROTOCOL_SCRATCH_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct ct_scratch {
    struct ct_str path; /* "" when there is none */
    int lock;           /* -1: none */
};

/* Makes a folder in that of this user's temporary files (base/temporary.h), and
 * sweeps.  CT_E_IO, CT_E_NOMEM. */
enum ct_status ct_scratch_open(struct ct_scratch *scratch, struct ct_err *err);

/* Removes it with all that is in it. */
void ct_scratch_close(struct ct_scratch *scratch);

/* Removes the folders whose owners are no more, and nothing else: through descriptors of
 * folders that are this user's alone, following no link, and only by names of ours. */
void ct_scratch_sweep(void);

#endif
