// SPDX-License-Identifier: Apache-2.0
// Writes answers in a form that users, builds and other programs read: export formats, listed in
// exports.def, one file each.
#ifndef CT_REPORT_EXPORT_H
#define CT_REPORT_EXPORT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/value.h"
#include "db/cltunedb.h"
#include "db/store.h"
#include "tune/stored_results.h"

#include <jansson.h>

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
    const char *vendor;
    const char *type;
    const char *driver;
    const char *evidence;
    const char *experiment;
    const char *flags; /* the options and macros of the build */
    const char *stale; /* macros in `flags` that are for another problem; "" */
    size_t problem_count;
    const struct ct_export_value *problem; /* that was measured */
    const char *asked; /* "n=4096", if another one was asked for; NULL */
    size_t config_count;
    const struct ct_export_value *config;
    double time_ns;
    double default_time_ns;        /* 0: unknown */
    const char *objective;         /* "gflops 105", unless it is the time; NULL: it is */
    bool unverified;               /* its outputs were not compared with anything */
    const char *unknown_limits;    /* as in cltunedb_answer; NULL for none */
    const cltunedb_answer *stored; /* everything else */
};

/* What a format writes. */
struct ct_export_set {
    const cltunedb_query *query; /* that was answered */
    size_t count;
    const struct ct_export_answer *answers;
    /* For devices that are not among the answers; NULL if there is none. */
    const struct ct_export_answer *fallback;
    /* All results of the kernel, device and problem of answers[0], ordered by configuration, and
     * what is stored of its space; NULL unless the format has `all_results`. */
    const struct ct_stored_results *results;
    const struct ct_db_record *space;
    const char *template_path; /* NULL: not given */
};

/* An export format.  Everything in an answer may come from a stranger's database: none of it may
 * leave the comment, literal or word that it is written into.  The same answers give the same
 * bytes.  `notes` receives a line, ending with a line feed, about each thing that the user should
 * know.  CT_E_DB if an answer cannot be written in this format; lack of memory shows in `out`. */
struct ct_export {
    const char *name; /* of --format */
    const char *help; /* "a C header" */
    /* Appends one answer, and any number of answers; either may be NULL. */
    enum ct_status (*put)(struct ct_str *out, const struct ct_export_answer *answer,
                          struct ct_str *notes, struct ct_err *err);
    enum ct_status (*put_all)(struct ct_str *out, const struct ct_export_set *set,
                              struct ct_str *notes, struct ct_err *err);
    bool one;         /* put_all writes the results of a single answer */
    bool all_results; /* set->results and set->space are wanted */
    bool
        one_problem; /* put_all writes one kernel, problem and objective on several devices */
    bool
        builds; /* a program is built on the device, and written to a file: neither of the above */
    bool tells_staleness; /* it says itself which macros are for another problem */
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

/* Appends text as a word between single quotes that a POSIX shell reads as the same bytes. */
void ct_export_put_shell_word(struct ct_str *out, const char *text);

/* Appends "NAME=VALUE NAME=VALUE" on one line. */
void ct_export_put_values(struct ct_str *out, const cltunedb_value *values, size_t count);

/* A value of an answer's objective in its unit, in `text` of CT_FORMAT_SIZE, which is returned. */
const char *ct_export_format_value(char *text, const cltunedb_answer *answer,
                                   double value);

/* How many times as good as the default by the objective; NAN: unknown. */
double ct_export_gain(const cltunedb_answer *answer);

/* Appends the optimized objective with its value; false, and nothing, if that is the time. */
bool ct_export_put_objective(struct ct_str *out, const cltunedb_answer *answer);

/* Appends the sentence about limits of the device that are not known. */
void ct_export_put_limits(struct ct_str *out, const char *limits);

/* Replaces the texts of an answer by what may be shown on one line: line feeds in stored text must
 * not look like cltune's own lines. */
void ct_export_show_texts(struct ct_arena *arena, cltunedb_answer *answer);

/* Appends JSON, indented, with a line feed, and releases it.  Reals have this many significant
 * digits: with 17 the fewest that read back the same, 15 have no traces of binary fractions. */
void ct_export_put_json(struct ct_str *out, json_t *json, unsigned digits);

/* A comment of several lines, in the form of a language. */
struct ct_export_comment {
    const char *first; /* before the first line, the others, and after the last one */
    const char *next;
    const char *last;
    void (*put)(struct ct_str *out, const char *text); /* appends text on one line */
};

/* Comments of C, and of everything that begins them with '#' and ends them with the line. */
extern const struct ct_export_comment ct_export_comment_c;
extern const struct ct_export_comment ct_export_comment_hash;

/* Appends where an answer comes from, as a comment. */
void ct_export_put_origin(struct ct_str *out, const struct ct_export_answer *answer,
                          const struct ct_export_comment *comment);

/* A name that a format needs for itself. */
struct ct_export_reserved {
    const char *name; /* upper case */
    const char *what; /* "the include guard" */
};

/* Names of the form CLTUNE_<KERNEL>_<NAME> for the parameters of an answer, of which only NAME is
 * returned: one per parameter, owned by the arena; NULL if out of memory.  Names that would be the
 * same (that differ only in case, or equal a reserved one) get _2, _3 and so on, except the one
 * that is spelt like it; there is a note about each, which says that it is so in the `where`. */
const char **ct_export_names(struct ct_arena *arena,
                             const struct ct_export_answer *answer,
                             const struct ct_export_reserved *reserved,
                             size_t reserved_count, const char *where,
                             struct ct_str *notes);

/* Appends "CLTUNE_<KERNEL>_<name>". */
void ct_export_put_name(struct ct_str *out, const struct ct_export_answer *answer,
                        const char *name);

/* The words of build options, as a shell and clBuildProgram read them: blanks separate them,
 * double quotes hold them together and are left out. */
struct ct_export_words {
    char **items; /* owned by the arena */
    size_t count;
};

/* Splits options.  Returns NULL, or why shells and OpenCL compilers read them differently ("a
 * backslash, which ..."); lack of memory is such a reason, too. */
const char *ct_export_split(struct ct_arena *arena, const char *flags,
                            struct ct_export_words *out);

/* Takes out all words but those that define macros or undo that: "-D" or "-U" with the word after it,
 * "-DNAME=VALUE", "-UNAME". */
void ct_export_keep_macros(struct ct_export_words *words);

/* CT_E_DB if the options or the value of a parameter hold control characters or anything else
 * that a terminal does not show as it is, besides, with `lines`, line feeds and tabs: output
 * passes a filter that would change it.  `format` is named in the message. */
enum ct_status ct_export_check_plain(const struct ct_export_answer *answer, bool lines,
                                     const char *format, struct ct_err *err);

#endif
