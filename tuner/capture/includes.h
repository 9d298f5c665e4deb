// SPDX-License-Identifier: Apache-2.0
// Headers of a captured program: an experiment is complete without the program's folders.
#ifndef CT_CAPTURE_INCLUDES_H
#define CT_CAPTURE_INCLUDES_H

#include "base/err.h"
#include "base/str.h"

/* The folder in an experiment that holds headers. */
#define CT_INCLUDES_FOLDER "include"

/* Copies each header that the source includes, and those that these include, from `folders` (separated
 * by ", ", searched in this order) into FOLDER/include under the name that the directive has.
 * What is found nowhere is the compiler's.  A name that leads out of the folder cannot be copied:
 * `*complete` is then false.  CT_E_IO; CT_E_NOMEM. */
enum ct_status ct_includes_copy(const char *folder, const char *source,
                                const char *folders, size_t *copied, bool *complete,
                                struct ct_err *err);

#endif
