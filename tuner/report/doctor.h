// SPDX-License-Identifier: Apache-2.0
// The findings of `cltune devices --doctor`.
#ifndef CT_REPORT_DOCTOR_H
#define CT_REPORT_DOCTOR_H

#include "schedule/doctor.h"

/* One line a finding, with what to do below those that need it. */
void ct_report_checkup(const struct ct_checkup *checkup);
void ct_report_checkup_json(const struct ct_checkup *checkup);

#endif
