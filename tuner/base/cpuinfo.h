// SPDX-License-Identifier: Apache-2.0
// The host's processors: as Linux describes them in /proc/cpuinfo, and how many may be used.
#ifndef CT_BASE_CPUINFO_H
#define CT_BASE_CPUINFO_H

#include "base/str.h"

#include <stddef.h>

/* The name of its model; "unknown" if the system does not report it. */
void ct_cpuinfo_name(char *name, size_t size);

/* Appends what distinguishes it for a compiler's -march=native: model and features. */
void ct_cpuinfo_add_identity(struct ct_str *out);

/* How many processors this process may use, at least 1. */
unsigned ct_cpuinfo_usable(void);

#endif
