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

/* Texts by program, each read once; the last ones are kept. */
struct ct_program_texts;

enum { CT_PROGRAM_TEXTS = 64 };

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

/* The text of a program, as it was read once for the same source, options and include folders; owned
 * by `texts` until CT_PROGRAM_TEXTS others have been asked for.  A file counts wherever the compiler
 * might look for it: in an include folder, beside the including file or the source, in the current
 * folder.  CT_E_NOMEM. */
enum ct_status ct_program_text_get(struct ct_program_texts *texts,
                                   const struct ct_plan_program *program,
                                   const struct ct_program_text **out,
                                   struct ct_err *err);

/* Whether included files are still as they were read. */
bool ct_program_files_unchanged(const struct ct_program_file *files, size_t count);

/* Whether the program, whose text this is, cannot depend on its macro number `index`: nothing hides
 * names in the text, it is completely known, and the macro's name does not occur in it (not even in
 * comments and strings), in the options or in the value of any macro.  Names that drivers' own
 * headers may use (cl_khr_fp64, __FAST_RELAXED_MATH__, M_PI_F) are never unused, nor those that begin
 * with CT_. */
bool ct_program_text_is_unused(const struct ct_program_text *shown,
                               const struct ct_plan_program *program, size_t index);

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
