// SPDX-License-Identifier: Apache-2.0
// A program binary and what is written beside it (doc/binary.schema.json).
#ifndef CT_REPORT_BINARY_H
#define CT_REPORT_BINARY_H

#include "tune/binary.h"

/* The message that something of that name exists; true if there is. */
bool ct_report_binary_exists(const char *path, struct ct_err *err);

/* Writes the programs of a binary, one after the other, to the file `path`, and PATH.json; neither
 * may exist.  CT_E_USAGE if one does, CT_E_IO, CT_E_NOMEM; then neither is written. */
enum ct_status ct_report_binary(const struct ct_binary *binary, const char *path,
                                struct ct_err *err);

#endif
