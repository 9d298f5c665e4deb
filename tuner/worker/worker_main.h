// SPDX-License-Identifier: Apache-2.0
// Entry point of a worker process.
#ifndef CT_WORKER_WORKER_MAIN_H
#define CT_WORKER_WORKER_MAIN_H

/* Main loop of a worker: answers requests on the socket until it is closed.  Returns the exit
 * status of the process. */
int ct_worker_main(void);

#endif
