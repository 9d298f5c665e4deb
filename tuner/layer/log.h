// SPDX-License-Identifier: Apache-2.0
// What the layer tells the program that started it: lines of JSON in a file of each process.
#ifndef CT_LAYER_LOG_H
#define CT_LAYER_LOG_H

#include "base/str.h"

#include <stdbool.h>

/* Opens FOLDER/PID.SUFFIX, anew, for reading and writing; -1 if that fails. */
int ct_log_open(const char *folder, const char *suffix);

/* Appends "text" with quotes and escapes; bytes that are not UTF-8 become \u00xx. */
void ct_log_quote(struct ct_str *out, const char *text);

/* Appends the bytes as hexadecimal digits in quotes. */
void ct_log_hex(struct ct_str *out, const void *bytes, size_t length);

/* Appends [1,2,3]. */
void ct_log_sizes(struct ct_str *out, const size_t *sizes, size_t count);

/* Writes a line in one piece; false if it cannot be written. */
bool ct_log_line(int fd, struct ct_str *line);

#endif
