// SPDX-License-Identifier: Apache-2.0
// Functions that the files of init share.
#ifndef CT_INIT_INIT_IMPL_H
#define CT_INIT_INIT_IMPL_H

#include "init/init.h"

/* Writes the strings of a C++ file that have kernels, and those that the chosen one needs, as .cl
 * files beside the space file, makes the one with the kernel init->path, and lists init->parts: files
 * in front (or the strings that are needed of those that are C++), needed strings, the kernel's.
 * Errors as for ct_init_open; CT_E_NOT_FOUND if no string has a kernel, or a file in front has
 * nothing that it uses. */
enum ct_status ct_init_extract(struct ct_init *init, struct ct_err *err);

#endif
