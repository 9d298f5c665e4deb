// SPDX-License-Identifier: Apache-2.0
// Checksums of PoCL's objects in cltune's cache folder.
//
// PoCL compiles each kernel to shared objects in its cache, and loads them by a name derived from
// the program: a truncated object kills the worker, and one with a changed bit computes something
// else.  Therefore a worker records, for each program, which objects were mapped and their
// checksums, and compares them before it builds that program again.  A program with a damaged
// object is removed from PoCL's cache, and compiled anew.
//
// A cache that the user has chosen (POCL_CACHE_DIR) is the user's: nothing is removed there.
#ifndef CT_PROTOCOL_OBJECTS_H
#define CT_PROTOCOL_OBJECTS_H

#include "base/hash.h"
#include "protocol/mapped.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* The objects of one plan's programs; {0} is valid for ct_objects_end. */
struct ct_objects {
    const char *folder; /* PoCL's cache, borrowed; NULL: nothing is checked */
    struct ct_hash key;
    struct ct_str known; /* lines "CHECKSUM PATH", of unchanged objects */
    struct ct_mapped before;
};

/* Before building: compares the programs' objects in `folder` with their checksums, and removes
 * programs with a damaged one: then false. */
bool ct_objects_begin(struct ct_objects *objects, const char *folder,
                      const struct ct_plan *plan);

/* After running: records what has been mapped since, and releases.  On failure nothing is
 * compared the next time. */
void ct_objects_end(struct ct_objects *objects);

/* Removes programs with a truncated object from PoCL's cache `folder`, whether or not there are
 * checksums: those used since an hour before this was last done, since a machine that goes down
 * loses its latest writes.  Returns their number. */
size_t ct_objects_mend(const char *folder);

#endif
