// SPDX-License-Identifier: Apache-2.0
// A tuned configuration in the form that another build reads.
#ifndef CT_REPORT_EMIT_H
#define CT_REPORT_EMIT_H

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

struct ct_emit_value {
    const char *name;
    struct ct_value value; /* CT_INT, CT_REAL or CT_TEXT */
};

/* One answer; every text is set, "" where not known. */
struct ct_emit {
    const char *version; /* of cltune */
    const char *kernel;
    const char *device;
    const char *driver;
    const char *evidence;
    const char *experiment;
    const char *flags; /* the options and macros of the build */
    size_t problem_count;
    const struct ct_emit_value *problem;
    size_t config_count;
    const struct ct_emit_value *config;
    double time_ns;
    double default_time_ns; /* 0: not known */
    const char *objective;  /* "gflops 105", where it is not the time; NULL: it is */
    bool unverified;        /* its outputs were not compared with anything */
};

/* Everything in an answer may come from a stranger's database: none of it leaves the
 * comment, literal or word that it is written into. */

/* "cltune best --format flags": the build options on one line, for $(...) in a shell, for
 * $(shell ...) in make and for clBuildProgram, which all must read the same words.  Words
 * that a shell would take for more than words are put between double quotes.  CT_E_DB for
 * what these readers do not agree upon or would run: `$`, backquotes, backslashes, line
 * ends and controls, a quote without its other half. */
enum ct_status ct_emit_flags(struct ct_str *out, const struct ct_emit *answer,
                             struct ct_err *err);

/* "--format header": a C header.  Macros are CLTUNE_<KERNEL>_<NAME>; integers and reals
 * are literals, texts are string literals, and CLTUNE_<KERNEL>_OPTIONS is the text for
 * clBuildProgram.  Names that would be the same macro (of letters that differ in case
 * alone, or one that the header itself needs) get _2, _3 and so on, except the one that
 * is spelt like the macro; `notes` gets a line about each, ending with a line feed. */
void ct_emit_header(struct ct_str *out, const struct ct_emit *answer,
                    struct ct_str *notes);

#endif
