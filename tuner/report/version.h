// SPDX-License-Identifier: Apache-2.0
// The versions of cltune and of the libraries that it runs with.
#ifndef CT_REPORT_VERSION_H
#define CT_REPORT_VERSION_H

/* Prints "cltune VERSION", then a line for each library with the version that this process has
 * loaded, and for the OpenCL loader with what a worker found.  inih does not know its version: the
 * line shows the one that cltune was built with. */
void ct_report_version(void);

#endif
