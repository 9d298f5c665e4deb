// SPDX-License-Identifier: Apache-2.0
// What a report consists of besides its data, embedded by scripts/embed.
#ifndef CT_REPORT_HTML_FILES_H
#define CT_REPORT_HTML_FILES_H

extern const char *const ct_html_files[]; /* their contents */
extern const char
    *const ct_html_files_paths[]; /* "tuner/report/html/main.js": relative */
extern const int ct_html_files_count;

#endif
