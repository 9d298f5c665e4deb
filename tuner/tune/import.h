// SPDX-License-Identifier: Apache-2.0
// Results of other tuners, stored beside cltune's own.
#ifndef CT_TUNE_IMPORT_H
#define CT_TUNE_IMPORT_H

#include "db/merge.h"
#include "plan/binding.h"
#include "replay/recorded.h"

#include <jansson.h>

/* What the user says about the files; NULL or 0: what the file says. */
struct ct_import_options {
    const char *kernel;
    const char *device; /* name */
    const struct ct_setting *problem;
    size_t problem_count;
};

/* Imports the results of files: all of them or, after a failure, none.  Formats are recognized: T4
 * results, caches of Kernel Tuner, JSON of CLBlast's tuners, of CLTune and of KTT, CSV with a head
 * (columns of parameters, then time_ms or time_ns, and perhaps status, kernel, device, vendor and
 * type), and the tables that `cltune replay` reads.  A file is of one kernel on one device.
 *
 * A kernel of the name is a version of its own, older than those that were searched here; runs have
 * the strategy "import" and the origin's name as their version; results are unverified and as old as
 * their file.  Of two results of one configuration the one measured last stays, as in ct_db_merge;
 * `*out` counts what happened.  CT_E_USAGE: a file is missing or is no such file, or does not name its kernel or
 * device, which then must be given; has several of them; has a name or value that a space file or
 * compiler options cannot carry, or a number out of range;
 * CT_E_NOT_FOUND: it has no result of a configuration that worked; as for ct_db_result_put. */
enum ct_status ct_import(struct ct_db *db, const char *const *paths, size_t count,
                         const struct ct_import_options *options,
                         struct ct_db_merged *out, struct ct_err *err);

/* --- shared by import.c, import_read.c and import_csv.c --- */

/* 31 years: a duration that is longer is a mistake, and a larger one fits no integer. */
#define CT_IMPORT_LONGEST_NS 1e18

/* A duration of the record that is longer (infinite, perhaps), or 0. */
double ct_import_odd(const struct ct_record *record);

/* One file; all zeros before it is read. */
struct ct_imported {
    struct ct_recorded *recorded;
    const char *origin; /* "Kernel Tuner" */
    char *kernel;       /* NULL: the file does not tell */
    char *device;
    char *vendor;
    char *type;
    json_t *sizes; /* an object, or NULL */
};

/* Reads one file.  Always release. */
enum ct_status ct_imported_read(const char *path, struct ct_imported *out,
                                struct ct_err *err);
/* Likewise, of CSV; changes `text`. */
enum ct_status ct_imported_csv(const char *path, struct ct_str *text,
                               struct ct_imported *out, struct ct_err *err);
void ct_imported_release(struct ct_imported *imported);

#endif
