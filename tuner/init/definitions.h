// SPDX-License-Identifier: Apache-2.0
// The names that a source defines outside of functions.
#ifndef CT_INIT_DEFINITIONS_H
#define CT_INIT_DEFINITIONS_H

#include "init/code.h"

enum ct_definitions {
    CT_DEFINITIONS_SHARED, /* functions, types, constants: what other sources use */
    CT_DEFINITIONS_ALL,    /* also variables and enumerators */
};

/* Calls `tell` with each name, macros excepted, perhaps more than once.  A function that is only
 * declared is none.  It reads words, not C: what macros make up is not found. */
void ct_definitions_find(const struct ct_code *code, enum ct_definitions which,
                         void (*tell)(void *context, const char *name), void *context);

#endif
