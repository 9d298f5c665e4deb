// SPDX-License-Identifier: Apache-2.0
// Registers and spills, as far as a compiler's log reports them.
#ifndef CT_WORKER_BUILD_FACTS_LOG_H
#define CT_WORKER_BUILD_FACTS_LOG_H

#include <stdint.h>

/* The option that makes NVIDIA's compiler report them; only devices with the extension
 * cl_nv_compiler_options accept it.  It does not change code, so it is not part of any identity. */
#define CT_FACTS_NV_EXTENSION "cl_nv_compiler_options"
#define CT_FACTS_NV_OPTION    "-cl-nv-verbose"

struct ct_facts_log {
    uint64_t registers; /* per work-item; 0: unknown */
    /* stored and loaded in its code because registers were short; 0: none, or unknown */
    uint64_t spill_bytes;
};

/* Finds the facts about `kernel` in `log`.  Supported are ptxas (NVIDIA; only when it compiled
 * anew: its cache keeps no log), LLVM's kernel-resource-usage remarks (AMD) and IGC's warning
 * about spills (Intel). */
struct ct_facts_log ct_facts_log_read(const char *log, const char *kernel);

#endif
