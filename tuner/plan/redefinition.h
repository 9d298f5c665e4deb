// SPDX-License-Identifier: Apache-2.0
// Finds sources that define macros of the space themselves: then every value of a parameter gives
// the same program, without a word of most compilers.
#ifndef CT_PLAN_REDEFINITION_H
#define CT_PLAN_REDEFINITION_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct ct_redefinition {
    const struct ct_plan_macro *macro;
    const char *path; /* of the file; that of the source, or one that the cache owns */
    int line; /* of the directive, or of a comment before it in the line; from 1 */
};

/* Where included files are, and what else defines macros. */
struct ct_redefinition_files {
    struct ct_source_cache *cache; /* has loaded the source */
    const struct ct_plan_program *program;
};

/* Finds the first `#define` of one of the macros in a source file or (unless `files` is NULL) the
 * files that it includes.  Directives count where they certainly take effect: those in
 * conditionals do if the conditions consist of `defined NAME` of these macros or of names defined
 * before, or of 0 and 1, as in an #ifndef around a default; and those behind an include guard.
 * False if there is none, or memory is short. */
bool ct_redefinition_find(const char *path, const char *text, size_t length,
                          const struct ct_plan_macro *macros, size_t macro_count,
                          const struct ct_redefinition_files *files,
                          struct ct_redefinition *out);

#endif
