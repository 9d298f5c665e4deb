// SPDX-License-Identifier: Apache-2.0
// Numbers formatted for users.
#ifndef CT_REPORT_FORMAT_H
#define CT_REPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum { CT_FORMAT_SIZE = 32 };

/* Each writes into `out` (CT_FORMAT_SIZE bytes) and returns it. */

/* A kernel's time with three significant digits or more: "931 ns", "12.4 us", "1.043
 * ms". */
const char *ct_format_time(char *out, double ns);

/* A duration: "0.4 s", "12 s", "3 min 20 s", "2 h 05 min". */
const char *ct_format_duration(char *out, double seconds);

/* "1,234,567". */
const char *ct_format_count(char *out, uint64_t count);

/* As ct_format_count up to 2^63, "1.23e+30" beyond. */
const char *ct_format_big(char *out, double count);

/* "512 B", "32 KiB", "16.0 GiB". */
const char *ct_format_bytes(char *out, uint64_t bytes);

/* Three significant digits without an exponent where possible: "105", "43.9",
 * "0.0123". */
const char *ct_format_real(char *out, double value);

/* A ratio of times: "3.92x". */
const char *ct_format_ratio(char *out, double ratio);

#endif
