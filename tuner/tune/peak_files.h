// SPDX-License-Identifier: Apache-2.0
// The space files and kernels of `cltune peak`, embedded by scripts/embed.
#ifndef CT_TUNE_PEAK_FILES_H
#define CT_TUNE_PEAK_FILES_H

extern const char *const ct_peak_files[];       /* their contents */
extern const char *const ct_peak_files_paths[]; /* "spaces/copy.ini": relative */
extern const int ct_peak_files_count;

#endif
