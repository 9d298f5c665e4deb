// SPDX-License-Identifier: Apache-2.0
// Printing to the standard output that report/screen.h filters.
#ifndef CT_REPORT_PRINT_H
#define CT_REPORT_PRINT_H

#include <stddef.h>

/* As printf, puts, fputs and fwrite to standard output, which no code of cli/ and report/ calls:
 * they would pass the filter by.  What cannot be written is what ct_screen_finish reports. */
void ct_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `text` and a line feed. */
void ct_print_line(const char *text);

/* `text` as it is. */
void ct_print_text(const char *text);

/* `size_bytes` bytes, zeros among them. */
void ct_print_bytes(const char *bytes, size_t size_bytes);

#endif
