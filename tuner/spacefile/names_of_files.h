// SPDX-License-Identifier: Apache-2.0
// Remembers where the paths of a space file lead, so that links are followed once, not for every
// configuration.
#ifndef CT_SPACEFILE_NAMES_OF_FILES_H
#define CT_SPACEFILE_NAMES_OF_FILES_H

#include "base/mem.h"

#include <stddef.h>

struct ct_spec;

/* Initialise with {0}. */
struct ct_names_of_files {
    struct ct_arena arena;
    struct ct_name_of_file {
        const char *dir; /* of the space file */
        const char *path;
        const char *full;
    } * items;
    size_t count;
    size_t capacity;
};

/* What ct_spec_path said of a path when it was first asked about.  Owned by `names`; NULL if out of
 * memory. */
const char *ct_names_of_files_get(struct ct_names_of_files *names,
                                  const struct ct_spec *spec, const char *path);

void ct_names_of_files_release(struct ct_names_of_files *names);

#endif
