// SPDX-License-Identifier: Apache-2.0
// Creates files of the user's, whole or not at all.
#ifndef CT_BASE_CREATE_H
#define CT_BASE_CREATE_H

#include <stddef.h>

/* Creates a file of these bytes, which nobody sees half written.  0, or an errno: EEXIST if there
 * is something of that name, which stays as it is. */
int ct_file_create(const char *path, const void *bytes, size_t length);

#endif
