// SPDX-License-Identifier: Apache-2.0
// Which processors the threads of this process may run on.  Where the system refuses,
// nothing changes: then there is nothing to choose from.
#ifndef CT_PROTOCOL_BIND_H
#define CT_PROTOCOL_BIND_H

#include <stdbool.h>

/* Processors that the calling thread may run on, and what it was bound to before. */
struct ct_bind;

/* Notes where the calling thread may run now.  NULL when memory is short. */
struct ct_bind *ct_bind_new(void);
void ct_bind_free(struct ct_bind *bind); /* NULL is fine */

/* How many processors those are, at least 1. */
unsigned ct_bind_count(const struct ct_bind *bind);

/* Number of the one that the calling thread is on. */
unsigned ct_bind_here(const struct ct_bind *bind);

/* Keeps the calling thread, and those that it starts from now on, on number `index` of
 * them. */
void ct_bind_thread(const struct ct_bind *bind, unsigned index);

/* The same for every thread that the process has, whoever started it. */
void ct_bind_process(const struct ct_bind *bind, unsigned index);

/* Lets every thread of the process run on all of them. */
void ct_bind_undo(const struct ct_bind *bind);

#endif
