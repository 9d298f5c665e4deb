// SPDX-License-Identifier: Apache-2.0
// Writes a tuned configuration in a form that other builds read: export formats, listed in
// exports.def, one file each.
#ifndef CT_REPORT_EXPORT_H
#define CT_REPORT_EXPORT_H

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

struct ct_export_value {
    const char *name;
    struct ct_value value; /* CT_INT, CT_REAL or CT_TEXT */
};

/* One answer; every string is set, "" if unknown. */
struct ct_export_answer {
    const char *version; /* of cltune */
    const char *kernel;
    const char *device;
    const char *driver;
    const char *evidence;
    const char *experiment;
    const char *flags; /* the options and macros of the build */
    size_t problem_count;
    const struct ct_export_value *problem; /* that was measured */
    const char *asked; /* "n=4096", if another one was asked for; NULL */
    size_t config_count;
    const struct ct_export_value *config;
    double time_ns;
    double default_time_ns;     /* 0: unknown */
    const char *objective;      /* "gflops 105", unless it is the time; NULL: it is */
    bool unverified;            /* its outputs were not compared with anything */
    const char *unknown_limits; /* as in cltunedb_answer; NULL for none */
};

/* An export format.  Everything in an answer may come from a stranger's database: none of it may
 * leave the comment, literal or word that it is written into. */
struct ct_export {
    const char *name; /* of --format */
    const char *help; /* "a C header" */
    /* Appends the answer.  `notes` receives a line, ending with a line feed, about each thing
     * that the user should know.  CT_E_DB if it cannot be written in this format; lack of memory
     * shows in `out`. */
    enum ct_status (*put)(struct ct_str *out, const struct ct_export_answer *answer,
                          struct ct_str *notes, struct ct_err *err);
};

#define CT_EXPORT(name) extern const struct ct_export ct_export_##name;
#include "report/exports.def"
#undef CT_EXPORT

/* All of them, and how many. */
extern const struct ct_export *const ct_exports[];
extern const size_t ct_export_count;

/* --- helpers for the formats --- */

/* Appends an identifier made of `text`: letters become upper case, other characters underscores. */
void ct_export_put_identifier(struct ct_str *out, const char *text);

/* Appends text inside a C comment, on one line: neither the comment's end or beginning nor a
 * trigraph may come from outside. */
void ct_export_put_comment(struct ct_str *out, const char *text);

/* Appends a C string literal of the same bytes, in printable ASCII. */
void ct_export_put_string(struct ct_str *out, const char *text);

#endif
