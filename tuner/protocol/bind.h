// SPDX-License-Identifier: Apache-2.0
// Which processors the threads of this process may run on.  Where the system refuses, nothing
// changes.
#ifndef CT_PROTOCOL_BIND_H
#define CT_PROTOCOL_BIND_H

#include <stdbool.h>

/* Processors that the calling thread may run on, and its affinity before. */
struct ct_bind;

/* Records where the calling thread may run now.  NULL if out of memory. */
struct ct_bind *ct_bind_new(void);
void ct_bind_free(struct ct_bind *bind); /* NULL is allowed */

/* Number of these processors, at least 1. */
unsigned ct_bind_count(const struct ct_bind *bind);

/* Index of the processor the calling thread is on. */
unsigned ct_bind_here(const struct ct_bind *bind);

/* Binds the calling thread, and those that it starts from now on, to number `index` of them. */
void ct_bind_thread(const struct ct_bind *bind, unsigned index);

/* The same for every thread of the process, whoever started it. */
void ct_bind_process(const struct ct_bind *bind, unsigned index);

/* Lets every thread of the process run on all of them. */
void ct_bind_undo(const struct ct_bind *bind);

#endif
