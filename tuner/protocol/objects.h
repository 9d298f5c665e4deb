// SPDX-License-Identifier: Apache-2.0
// Checksums of what PoCL keeps in our cache folder.
//
// PoCL compiles each kernel to shared objects in its cache, and loads what it finds there
// by a name made of the program: an object that was cut kills the worker, and one with a
// changed bit computes something else.  So a worker notes, for each program, which
// objects were mapped and their checksums, and compares before it builds that program
// again.  A program with a damaged object leaves PoCL's cache, and is compiled anew.
//
// A cache that the user has chosen (POCL_CACHE_DIR) is the user's: nothing is removed
// there.
#ifndef CT_PROTOCOL_OBJECTS_H
#define CT_PROTOCOL_OBJECTS_H

#include "base/hash.h"
#include "protocol/mapped.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* The objects of one plan's programs; {0} is good for ct_objects_end. */
struct ct_objects {
    const char *folder; /* PoCL's cache, borrowed; NULL: nothing is checked */
    struct ct_hash key;
    struct ct_str known; /* lines "CHECKSUM PATH", of objects that are as they were */
    struct ct_mapped before;
};

/* Before building: compares the programs' objects in `folder` with their checksums, and
 * removes the programs that have a damaged one. */
void ct_objects_begin(struct ct_objects *objects, const char *folder,
                      const struct ct_plan *plan);

/* After running: notes what has been mapped since, and releases.  Failing means that
 * nothing is compared the next time. */
void ct_objects_end(struct ct_objects *objects);

/* Removes the programs in PoCL's cache `folder` with an object that was cut, whether or
 * not there are checksums of it: of those used since an hour before this was done last,
 * since machines lose what was written last.  Returns their number. */
size_t ct_objects_mend(const char *folder);

#endif
