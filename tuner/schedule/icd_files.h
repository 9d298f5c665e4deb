// SPDX-License-Identifier: Apache-2.0
// The drivers that an OpenCL loader is told of.
#ifndef CT_SCHEDULE_ICD_FILES_H
#define CT_SCHEDULE_ICD_FILES_H

#include "base/err.h"
#include "base/mem.h"

#include <stddef.h>

struct ct_icd_file {
    const char *path; /* of the .icd file; the library's if the environment names that */
    const char *library; /* "" if the file cannot be read or is empty */
    const char *why;     /* then: the reason; else "" */
};

/* Finds the .icd files as ocl-icd 2.3 and the Khronos loader do: in the folder, or the one file or
 * library, that OCL_ICD_VENDORS names, else in OPENCL_VENDOR_PATH, else in /etc/OpenCL/vendors;
 * and the libraries of OCL_ICD_FILENAMES.  Sorted by path; texts belong to the arena.  `*where`
 * is the place in which they were looked for.  CT_E_NOMEM. */
enum ct_status ct_icd_files(struct ct_arena *arena, struct ct_icd_file **out,
                            size_t *count, const char **where, struct ct_err *err);

#endif
