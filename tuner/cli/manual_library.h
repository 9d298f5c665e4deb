// SPDX-License-Identifier: Apache-2.0
// The functions of libcltunedb, as its headers describe them.
#ifndef CT_CLI_MANUAL_LIBRARY_H
#define CT_CLI_MANUAL_LIBRARY_H

#include "base/str.h"

/* Appends a section of Markdown for each header: the prototypes and what is said of them. */
void ct_manual_put_library(struct ct_str *out);

#endif
