// SPDX-License-Identifier: Apache-2.0
// What the compiler is given for a program: its source, with the macros at its top, and options.
//
// A driver includes headers of its own before the source.  Macros on the command line reach into
// those: a parameter that is called like a keyword or like anything in them breaks the build.
#ifndef CT_PROTOCOL_COMPILE_H
#define CT_PROTOCOL_COMPILE_H

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"
#include "plan/program_text.h"

struct ct_compile {
    struct ct_str source;
    struct ct_str options; /* for that source */
    /* Of all files that the program may consist of, which are as they were then; "": unknown */
    struct ct_hash text;
};

/* Prepares a program.  Lines of messages are those of the program's own source.  `more`: further
 * options, "" for none.  With `texts` (may be NULL), macros on which the program cannot depend are
 * left out: drivers that keep what they have compiled know a source by its text.  Where the user's
 * options include a file before the source, which may use macros, all of them stay on the command
 * line.  CT_E_IO as for ct_include_options; CT_E_NOMEM.  Always release. */
enum ct_status ct_compile_init(struct ct_compile *compile,
                               const struct ct_plan_program *program, const char *more,
                               struct ct_program_texts *texts, struct ct_err *err);
void ct_compile_release(struct ct_compile *compile);

#endif
