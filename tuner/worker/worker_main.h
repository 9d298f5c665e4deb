// SPDX-License-Identifier: Apache-2.0
// Where a worker process begins.
#ifndef CT_WORKER_WORKER_MAIN_H
#define CT_WORKER_WORKER_MAIN_H

/* The life of a worker: answers requests on the socket until it is closed.  Returns the
 * exit status of the process. */
int ct_worker_main(void);

#endif
