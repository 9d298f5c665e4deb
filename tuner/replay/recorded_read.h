// SPDX-License-Identifier: Apache-2.0
// What the readers of recorded spaces share.
#ifndef CT_REPLAY_RECORDED_READ_H
#define CT_REPLAY_RECORDED_READ_H

#include "replay/recorded.h"

/* The kind of failure that a word means (compile, RuntimeFailedConfig, constraints, ...). */
enum ct_failure ct_recorded_failure(const char *status);

/* CT_E_USAGE: a text has a NUL byte, behind which nothing would be read. */
enum ct_status ct_recorded_check_text(const char *path, const struct ct_str *text,
                                      struct ct_err *err);

/* Reads a Kernel Tuner cache or T4 results; may repair `text`. */
enum ct_status ct_recorded_json(const char *path, const char *name, struct ct_str *text,
                                struct ct_recorded **out, struct ct_err *err);

#endif
