// SPDX-License-Identifier: Apache-2.0
// How many threads of this process are runnable, whether or not they get a processor: unlike
// processor time, that does not depend on other programs.
#ifndef CT_WORKER_HOST_RUNNABLE_H
#define CT_WORKER_HOST_RUNNABLE_H

#include <stddef.h>

struct ct_runnable;

/* Starts sampling, a thousand times a second at most.  NULL if no thread can be started or memory
 * is short. */
struct ct_runnable *ct_runnable_begin(void);

/* Number of samples so far. */
size_t ct_runnable_looks(struct ct_runnable *runnable);

/* Ends sampling, and frees: the mean number of threads that ran or were ready to, without the
 * sampling one; 0 without samples.  NULL is allowed. */
double ct_runnable_end(struct ct_runnable *runnable);

#endif
