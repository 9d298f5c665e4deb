// SPDX-License-Identifier: Apache-2.0
// The table of export formats.
#include "report/export.h"

const struct ct_export *const ct_exports[] = {
#define CT_EXPORT(name) &ct_export_##name,
#include "report/exports.def"
#undef CT_EXPORT
};
const size_t ct_export_count = sizeof(ct_exports) / sizeof(ct_exports[0]);
