// SPDX-License-Identifier: Apache-2.0
// Results of other recorded spaces (another device, another problem) as sources of a transfer.
#ifndef CT_REPLAY_SOURCES_H
#define CT_REPLAY_SOURCES_H

#include "replay/replay.h"
#include "replay/stored.h"

enum { CT_REPLAY_SOURCES = 5 }; /* used at a time */

/* The spaces of each file that was named; starts as {0}. */
struct ct_replay_sources {
    struct ct_recorded_list *files;
    size_t count;
    size_t capacity;
};

/* Reads the spaces of a file: one, or all in a cltune database.  Errors as for
 * ct_recorded_list_add. */
enum ct_status ct_replay_sources_add(struct ct_replay_sources *sources, const char *path,
                                     struct ct_err *err);

/* The results that the sources have for configurations of `recorded`; each source has a number of
 * its own.  If there are more than CT_REPLAY_SOURCES, those with the most such results are taken.
 * In a database, a space with the name of `recorded` is left out: it is the same one.  The caller
 * frees *out, which may be NULL.  CT_E_USAGE: a file has nothing for this
 * space; CT_E_NOT_FOUND: a database has nothing for it; CT_E_NOMEM. */
enum ct_status ct_replay_sources_collect(const struct ct_replay_sources *sources,
                                         const struct ct_recorded *recorded,
                                         struct ct_replay_transfer **out, size_t *count,
                                         struct ct_err *err);

void ct_replay_sources_release(struct ct_replay_sources *sources);

/* One other space's records as transfers to this one: those of configurations that both have,
 * matched by the names and values of parameters.  The caller frees *out. CT_E_USAGE, for a space of a
 * database CT_E_NOT_FOUND: the parameters differ, or no configuration is in both; CT_E_NOMEM. */
enum ct_status ct_replay_transfers(const struct ct_recorded *recorded,
                                   const struct ct_recorded *other,
                                   struct ct_replay_transfer **out, size_t *count,
                                   struct ct_err *err);

#endif
