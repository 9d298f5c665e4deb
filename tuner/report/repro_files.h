// SPDX-License-Identifier: Apache-2.0
// The code of the programs that `cltune repro` writes, embedded by scripts/embed.
#ifndef CT_REPORT_REPRO_FILES_H
#define CT_REPORT_REPRO_FILES_H

extern const char *const ct_repro_files[]; /* runtime.inc, types.inc */
extern const char *const ct_repro_files_paths[];
extern const int ct_repro_files_count;

#endif
