// SPDX-License-Identifier: Apache-2.0
// How many threads of this process have work to do, whether or not they get a processor:
// unlike processor time, that does not hang on what other programs are at.
#ifndef CT_WORKER_HOST_RUNNABLE_H
#define CT_WORKER_HOST_RUNNABLE_H

#include <stddef.h>

struct ct_runnable;

/* Begins to look, a thousand times a second at most.  NULL when no thread can be started
 * or memory is short. */
struct ct_runnable *ct_runnable_begin(void);

/* How often it has looked. */
size_t ct_runnable_looks(struct ct_runnable *runnable);

/* Ends looking, and frees: the mean number of threads that ran or could have run, the
 * looking one left out; 0 when it has not looked.  NULL is fine. */
double ct_runnable_end(struct ct_runnable *runnable);

#endif
