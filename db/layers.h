// SPDX-License-Identifier: Apache-2.0
// Databases in layers: the user's on top of those of applications and of the system.
#ifndef CT_DB_LAYERS_H
#define CT_DB_LAYERS_H

#include "db/lookup.h"

struct ct_layer {
    char *path;
    struct ct_db *db;  /* NULL: not used */
    struct ct_err why; /* then; code 0: there is no such file */
};

/* The first is the user's; all zeros before opening. */
struct ct_layers {
    struct ct_layer *items;
    size_t count;
    size_t capacity;
    struct ct_db *combined; /* NULL: none was made */
};

/* Opens `path` alone, or, if it is NULL, the default database and below it, in this order, the files
 * that CLTUNE_DB_PATH lists (files, or folders with *.db, separated by colons), and cltune/\*.db in the
 * folders of XDG_DATA_DIRS.  Only a missing file may be left out on top; one below it that cannot be
 * used is left out, and its layer says why.  CT_E_NOT_FOUND: there is none at all; errors of
 * ct_db_open for the first.  Always close. */
enum ct_status ct_layers_open(struct ct_layers *layers, const char *path,
                              struct ct_err *err);
void ct_layers_close(struct ct_layers *layers);

/* As ct_lookup_find, over all layers: for each kernel the nearest evidence counts, then the nearest
 * problem, then the upper layer. */
enum ct_status ct_layers_find(const struct ct_layers *layers, const cltunedb_query *query,
                              struct cltunedb_answers **out, struct ct_err *err);

/* One database with what all layers know of a kernel (NULL: of all): of each device and problem what the
 * uppermost layer has that measured it, and of several sources the newest that the uppermost layer
 * with the kernel has.  `*out` is the only layer that can be used, or a draft that is made in the
 * empty folder `folder`; it belongs to the layers.  A lower layer that cannot be copied is left out,
 * and says why.  Errors of ct_db_open for the draft, of ct_db_merge_layer for the uppermost layer. */
enum ct_status ct_layers_combine(struct ct_layers *layers, const char *kernel,
                                 const char *folder, struct ct_db **out,
                                 struct ct_err *err);

/* Whether more than one layer can be used, so that ct_layers_combine needs a folder. */
bool ct_layers_are_several(const struct ct_layers *layers);

#endif
