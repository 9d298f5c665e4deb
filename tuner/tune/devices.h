// SPDX-License-Identifier: Apache-2.0
// Which of this machine's devices a pattern names.
#ifndef CT_TUNE_DEVICES_H
#define CT_TUNE_DEVICES_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

/* The devices that `pattern` names ("all": every one; NULL: the first GPU, else the first
 * device), in a NULL-terminated array owned by the arena.  CT_E_NO_DEVICE when there is
 * none, with a list of what there is; CT_E_USAGE when the pattern fits several. */
enum ct_status ct_devices_match(struct ct_arena *arena, const char *pattern,
                                const struct ct_devinfo ***out, struct ct_err *err);

/* Whether a pattern names this device: its index "P:D", or a part of name, vendor or
 * type. */
bool ct_device_matches(const struct ct_devinfo *device, const char *pattern);

#endif
