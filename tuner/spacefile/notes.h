// SPDX-License-Identifier: Apache-2.0
// Facts that were found out, by a hash of what they are about.
#ifndef CT_SPACEFILE_NOTES_H
#define CT_SPACEFILE_NOTES_H

#include "base/map.h"

#include <stdbool.h>

/* Bounded: when it is full, all are forgotten. */
struct ct_notes {
    struct ct_map facts;
};

bool ct_notes_have(const struct ct_notes *notes, const struct ct_hash *fact);

/* Forgets it if memory is short. */
void ct_notes_add(struct ct_notes *notes, const struct ct_hash *fact);

void ct_notes_release(struct ct_notes *notes);

#endif
