// SPDX-License-Identifier: Apache-2.0
// Recorded spaces from cltune's own databases.
#ifndef CT_REPLAY_STORED_H
#define CT_REPLAY_STORED_H

#include "replay/recorded.h"

enum { CT_REPLAY_DB_LEAST = 10 }; /* least configurations for a space */

/* Spaces found so far. */
struct ct_recorded_list {
    struct ct_recorded **items;
    size_t count;
    size_t capacity;
    bool database; /* some of them come from a database */
};

/* Adds the spaces of one file: one, or of a cltune database one for each kernel, device and problem
 * with enough results; times are those of the launches, whatever the objective was.  Errors as
 * for ct_recorded_read; CT_E_NOT_FOUND if the database has none. */
enum ct_status ct_recorded_list_add(struct ct_recorded_list *list, const char *path,
                                    struct ct_err *err);
void ct_recorded_list_release(struct ct_recorded_list *list);

#endif
