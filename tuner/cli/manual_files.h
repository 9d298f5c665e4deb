// SPDX-License-Identifier: Apache-2.0
// The pages of doc/ that `cltune help` shows and the shells' completions, embedded by scripts/embed.
#ifndef CT_CLI_MANUAL_FILES_H
#define CT_CLI_MANUAL_FILES_H

extern const char *const ct_manual_files[];       /* their contents */
extern const char *const ct_manual_files_paths[]; /* "doc/measuring.md" */
extern const int ct_manual_files_count;

#endif
