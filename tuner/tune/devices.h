// SPDX-License-Identifier: Apache-2.0
// Matches this machine's devices against a pattern.
#ifndef CT_TUNE_DEVICES_H
#define CT_TUNE_DEVICES_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

/* The devices that `pattern` names ("all": every one; NULL: the first GPU, else the first
 * device; several patterns with commas between them: those of each), in a NULL-terminated array owned by the arena.  CT_E_NO_DEVICE, with a list of the
 * devices, if none matches; CT_E_USAGE if several do, of one pattern. */
enum ct_status ct_devices_match(struct ct_arena *arena, const char *pattern,
                                const struct ct_devinfo ***out, struct ct_err *err);

/* Whether a pattern names this device: its index "P:D", or a part of its name, vendor or type.
 * (ct_devices_match also takes "D" alone if nothing else matches and there is one platform.) */
bool ct_device_matches(const struct ct_devinfo *device, const char *pattern);

#endif
