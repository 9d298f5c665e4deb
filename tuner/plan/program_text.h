// SPDX-License-Identifier: Apache-2.0
// Everything a program's text consists of, as far as it is known without the compiler, and which
// macros it cannot depend on.
#ifndef CT_PLAN_PROGRAM_TEXT_H
#define CT_PLAN_PROGRAM_TEXT_H

#include "base/err.h"
#include "base/hash.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts by program, each read once and kept. */
struct ct_program_texts;

/* NULL if out of memory. */
struct ct_program_texts *ct_program_texts_new(void);
void ct_program_texts_free(struct ct_program_texts *texts);

/* An included file as it was read. */
struct ct_program_file {
    const char *path;
    int64_t changed_s;
    int64_t changed_ns;
    uint64_t size_bytes;
    uint64_t inode;
};

struct ct_program_text {
    /* Of the source and of every file that it may include, byte by byte; "" if the compiler's
     * input is unknown: an include by a macro, one that is not found, options that name files. */
    struct ct_hash hash;
    size_t file_count;
    const struct ct_program_file *files;
    /* Whether names may be formed otherwise: by pasting (##), or hidden by a # within a line,
     * trigraphs, characters by number, or continuations followed by blanks. */
    bool hides_names;
};

/* The text of a program; the same for every later call with the same source, options and include
 * folders, and owned by `texts`.  A file counts wherever the compiler might look for it: in an
 * include folder, beside the including file or the source, in the current folder.  CT_E_NOMEM. */
enum ct_status ct_program_text_get(struct ct_program_texts *texts,
                                   const struct ct_plan_program *program,
                                   const struct ct_program_text **out,
                                   struct ct_err *err);

/* The identity of what a plan does, without macros that its programs cannot depend on: plans with
 * equal keys run the same machine code with the same arguments on the same data.  "" if out of
 * memory. */
struct ct_hash ct_program_text_key(struct ct_program_texts *texts,
                                   const struct ct_plan *plan);

/* The identity of what a driver makes of a plan's program, likewise without macros that it cannot
 * depend on: programs with equal keys are the same machine code on the same device, and the driver
 * reports the same of their kernels.  Includes the plan's environment.  "" if out of memory. */
struct ct_hash ct_program_text_build_key(struct ct_program_texts *texts,
                                         const struct ct_plan *plan, size_t program);

#endif
