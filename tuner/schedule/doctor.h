// SPDX-License-Identifier: Apache-2.0
// Examines a machine's OpenCL: the loader, its drivers, each device, and what they need.
#ifndef CT_SCHEDULE_DOCTOR_H
#define CT_SCHEDULE_DOCTOR_H

#include "base/devinfo.h"
#include "base/err.h"
#include "base/finding.h"

struct ct_examined_device {
    const struct ct_devinfo *info;
    struct ct_findings findings;
    bool usable; /* compiles and runs */
};

struct ct_checkup {
    struct ct_arena arena;
    struct ct_findings machine;
    struct ct_examined_device *devices; /* NULL if there is none */
    size_t device_count;
    size_t usable;
};

/* Examines, each driver and device in workers of their own, which may crash or hang: that is a
 * finding.  The caller releases `out` also after an error: CT_E_NOMEM, CT_E_INTERRUPTED. */
enum ct_status ct_doctor_examine(struct ct_checkup *out, struct ct_err *err);
/* Only what a worker finds about the loader, without its drivers.  The caller releases `out` also
 * after an error: CT_E_NOMEM, CT_E_INTERRUPTED. */
enum ct_status ct_doctor_loader(struct ct_findings *out, struct ct_err *err);

void ct_checkup_release(struct ct_checkup *checkup);

#endif
