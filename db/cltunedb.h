/* SPDX-License-Identifier: Apache-2.0 */
/* libcltunedb: asks a cltune database for the fastest known configuration of an OpenCL
 * kernel on a device, also one that was never measured.  Needs no OpenCL. */
#ifndef CLTUNEDB_H
#define CLTUNEDB_H

/*-******************************************************************************
 * Introduction
 *
 *   cltune measures configurations of OpenCL kernels (values of tile sizes, work-group
 *   sizes, switches, ...) and stores the results in one SQLite file.  This library
 *   reads that file.  A program that ships a kernel asks at start-up, or when built:
 *
 *       cltunedb *db;
 *       cltunedb_answers *answers;
 *       cltunedb_query query = CLTUNEDB_QUERY_INIT;
 *       char message[CLTUNEDB_MESSAGE_BYTES];
 *
 *       if (cltunedb_open(NULL, &db, message, sizeof(message)) != CLTUNEDB_OK)
 *           ... say message, use the defaults ...
 *       query.kernel = "fir";
 *       query.device_name = name;          // CL_DEVICE_NAME
 *       query.device_vendor = vendor;      // CL_DEVICE_VENDOR
 *       query.device_type = "GPU";
 *       query.driver_version = driver;     // CL_DRIVER_VERSION
 *       if (cltunedb_find(db, &query, &answers, message, sizeof(message)) ==
 *           CLTUNEDB_OK) {
 *           const cltunedb_answer *a = cltunedb_answer_at(answers, 0);
 *           if (a->problem_flags)
 *               clBuildProgram(program, 1, &device, a->problem_flags, NULL, NULL);
 *           cltunedb_free(answers);
 *       }
 *       cltunedb_close(db);
 *
 *   Memory   every answer and every text in it belongs to its cltunedb_answers, lives
 *            until cltunedb_free(), and outlives the database it came from.
 *   Threads  one cltunedb may be used by one thread at a time; any number of them may be
 *            open.  There is no global state.
 *   Output   the library never prints, exits or aborts, and never writes to the database.
 *   Growth   new fields go to the end of the structures.  cltunedb_query holds its size,
 *            and callers only hold pointers to answers: old programs work with newer
 *            libraries.
 ********************************************************************************/

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define CLTUNEDB_VERSION_MAJOR   0
#define CLTUNEDB_VERSION_MINOR   1
#define CLTUNEDB_VERSION_RELEASE 0

/*! cltunedb_version() : version of the library in use, as major * 10000 + minor * 100 +
 *  release. */
int cltunedb_version(void);

/*-************************************
 *  Outcome of a function
 **************************************/
typedef enum {
    CLTUNEDB_OK = 0,
    CLTUNEDB_E_NOT_FOUND = 1, /* no such file, or no stored result matches the query */
    CLTUNEDB_E_DATABASE = 2,  /* the file cannot be used; the message says why */
    CLTUNEDB_E_ARGUMENT = 3,  /* the query is invalid: no kernel ... */
    CLTUNEDB_E_MEMORY = 4
} cltunedb_status;

/* Room that every message fits in.  Shorter buffers get the message cut; a buffer of NULL
 * or 0 bytes gets none.  Messages are one sentence, without a line end, printable as they
 * are.  Buffers are untouched on success. */
#define CLTUNEDB_MESSAGE_BYTES 2048

/*-************************************
 *  Database
 **************************************/
typedef struct cltunedb cltunedb;

/*! cltunedb_open() : opens a database for reading.
 *  `path` : the file; NULL: $CLTUNE_DB, else $XDG_DATA_HOME/cltune/cltune.db, else
 *      ~/.local/share/cltune/cltune.db.
 *  `out` : receives the handle, to be closed with cltunedb_close(); NULL on failure.
 *  `message`, `message_bytes` : room for a failure's reason, see CLTUNEDB_MESSAGE_BYTES.
 * @return : CLTUNEDB_OK; CLTUNEDB_E_NOT_FOUND when there is no file; CLTUNEDB_E_DATABASE
 *      when it is damaged, locked, unreadable, newer than the library or no cltune
 * database; CLTUNEDB_E_MEMORY. Guarantee : creates and changes nothing (SQLite may create
 * FILE-shm and FILE-wal beside a database in a writable folder).  Works on read-only
 * media.  The file may be untrusted: no SQL of its own runs, and a query costs no more
 * than an intact file of its size can need. */
cltunedb_status cltunedb_open(const char *path, cltunedb **out, char *message,
                              size_t message_bytes);

/*! cltunedb_open(NULL, ...) opens several files in layers.  The user's (see above) is on top,
 *  and may be missing.  Below it are, in this order, the files that $CLTUNE_DB_PATH lists
 *  (files, or folders with .db files, separated by colons), and the .db files in the folder
 *  cltune of each folder of $XDG_DATA_DIRS (by default /usr/local/share:/usr/share): values
 *  that were shipped with an application or a system.  For each kernel the nearest evidence
 *  answers, of equal evidence the nearest problem, of equals the upper layer.  A file below
 *  the user's that cannot be used is left out. */

/*! cltunedb_layer_count() : number of files, those that were left out included.
 *  cltunedb_layer_path() : name of file `index`; NULL when there are fewer.
 *  cltunedb_layer_fault() : why file `index` is left out; "" if it is used, or is the user's and
 *      does not exist; NULL when there are fewer.  All texts live as long as `db`. */
size_t cltunedb_layer_count(const cltunedb *db);
const char *cltunedb_layer_path(const cltunedb *db, size_t index);
const char *cltunedb_layer_fault(const cltunedb *db, size_t index);

/*! cltunedb_close() : closes; NULL is allowed.  Answers stay valid. */
void cltunedb_close(cltunedb *db);

/*-************************************
 *  Values
 **************************************/
typedef enum { CLTUNEDB_INT = 1, CLTUNEDB_REAL = 2, CLTUNEDB_TEXT = 3 } cltunedb_kind;

typedef struct {
    const char *name;
    cltunedb_kind kind; /* which of the three below holds */
    int64_t i;
    double r;      /* also set for CLTUNEDB_INT */
    const char *s; /* "" unless CLTUNEDB_TEXT */
} cltunedb_value;

/*-************************************
 *  Query
 **************************************/
/* Set to CLTUNEDB_QUERY_INIT, then fill in what is known.  A text that is NULL or "" is
 * unknown.
 *
 * The device, either:
 *   nothing         every stored device is an answer;
 *   device_pattern  any part of name, vendor or type, case ignored; every stored device
 *                   that it matches is an answer.  The whole name of a stored device is
 *                   that device alone.  If none matches, the pattern is taken
 *                   as the name of a device that was never measured;
 *   device_name     and as much as is known of vendor, type, driver and compute units, as
 *                   OpenCL reports them: one device, measured or not. */
typedef struct {
    size_t struct_bytes; /* sizeof(cltunedb_query), set by CLTUNEDB_QUERY_INIT */
    const char *kernel;  /* name of the kernel; unknown: all kernels */
    const char *device_pattern;
    const char *device_name;    /* CL_DEVICE_NAME */
    const char *device_vendor;  /* CL_DEVICE_VENDOR */
    const char *device_type;    /* "GPU", "CPU", "ACCELERATOR" or "CUSTOM" */
    const char *driver_version; /* CL_DRIVER_VERSION */
    uint32_t compute_units;     /* CL_DEVICE_MAX_COMPUTE_UNITS; 0: unknown */
    /* The problem: a stored problem matches if it has every value given here; other names
     * are ignored.  If none matches: the nearest in log space.  0 values: all. */
    const cltunedb_value *problem;
    size_t problem_count;
    const char *objective; /* "time", "end_to_end", a metric; unknown: "time", or, for
                              kernels never tuned for time, all that they have */
    /* Limits of the device by the names of space files, "DEVICE_MAX_WORK_GROUP_SIZE", ..., as
     * far as they are known: answers from other devices keep to them.  Those that are not given
     * are those stored with the device, else those of its architecture. */
    const cltunedb_value *limits;
    size_t limit_count;
    /* For a device that was never measured: up to this many configurations, of which one probably
     * does well there, for a program that can try them.  0 and 1: one. */
    uint32_t candidates;
} cltunedb_query;

#define CLTUNEDB_QUERY_INIT                                                              \
    {                                                                                    \
        sizeof(cltunedb_query), NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL,    \
            NULL, 0, 0                                                                   \
    }

/*-************************************
 *  Answers
 **************************************/
/* How near the evidence is, nearest first. */
typedef enum {
    CLTUNEDB_SAME_DRIVER = 0, /* this device with this driver, or no driver was named */
    CLTUNEDB_SAME_DEVICE = 1, /* this device with another driver */
    CLTUNEDB_SAME_ARCHITECTURE = 2,
    CLTUNEDB_SAME_VENDOR = 3, /* same vendor and type */
    CLTUNEDB_SAME_TYPE = 4,
    CLTUNEDB_ANY_DEVICE = 5
} cltunedb_evidence;

/*! cltunedb_evidence_text() : "same device and driver", "same device, other driver", ...;
 *  a constant, never NULL. */
const char *cltunedb_evidence_text(cltunedb_evidence evidence);

/* Unknown reals are NAN, texts "".  Lists are sorted by name. */
typedef struct {
    const char *kernel;
    /* The device that was measured.  From CLTUNEDB_SAME_ARCHITECTURE on it is the member
     * of the group where this configuration was measured last. */
    const char *device_name;
    const char *device_vendor;
    const char *device_type;
    const char *driver_version;
    uint32_t compute_units;
    /* The problem that was measured. */
    const char *problem_json;
    const cltunedb_value *problem;
    size_t problem_count;
    double
        problem_distance; /* 0: the queried one; else the distance in log space: ln 2 is a
                                factor of two in one dimension */
    const char *configuration_json;
    const cltunedb_value *configuration;
    size_t configuration_count;
    const char *flags; /* compiler options that select it: "-D WG=64 ..." */
    const char *objective;
    int maximize; /* 0: a lower objective is better, 1: a higher one */
    double objective_value;
    double time_ns; /* and its interval */
    double low_ns;
    double high_ns;
    double default_time_ns;   /* of the untuned configuration, there and then */
    const char *metrics_json; /* "" for none */
    const char *experiment;   /* identity of the result: 32 hexadecimal digits */
    int64_t measured_unix_s;
    cltunedb_evidence evidence;
    int outdated; /* 1: a newer version of the kernel's source was measured since,
                     here or elsewhere; the configuration may not fit it */
    uint32_t device_count;       /* devices in the group; 1 for the device itself */
    double relative_performance; /* mean over them of (best there / this there), with 0
                                    for a device where it has no good result; 1 for the
                                    device's own best */
    int verified;                /* 0: its outputs were not compared with anything */
    double default_value;        /* the objective of the untuned configuration */
    uint32_t rounds;      /* processes of the play-off that time and interval come from;
                             0: they are the search's own, and may be lucky */
    int standing;         /* 0: the pick of the last play-off there, and therefore the
                             best; > 0: another of its entrants; -1: in none */
    uint32_t tied_count;  /* of a pick: how many are statistically tied with it */
    double end_to_end_ns; /* with transfers, and its interval */
    double end_to_end_low_ns;
    double end_to_end_high_ns;
    const char *observed_json; /* observed besides time: {"energy_j":0.2,...} */
    /* The macros of `flags` that follow from the problem, each with its expression in names of
     * the problem and the configuration, or null if that is not all: {"TAPS_LEN":"taps"}; "{}"
     * for none, "" if not known (stored by an older version of cltune).  problem_flags
     * has them computed for the queried problem. */
    const char *problem_macros_json;
    /* From CLTUNEDB_SAME_ARCHITECTURE on: the limits of the queried device that decide whether it
     * can run this configuration, but are not known, separated by ", "; "" if it can. */
    const char *unknown_limits;
    const char *layer_path; /* the database that answers */
    uint32_t
        layer_number; /* 0: the user's, or the one that was named; else one below it */
    const char
        *space_file; /* the space file on the machine that measured, and the hash */
    const char *space_hash; /* of its contents then; "" if not known */
    /* `flags` for the queried problem: if that is another one (problem_distance above 0), with
     * the macros that follow from it computed anew.  NULL if some cannot be computed, whose names
     * stale_macros has, separated by ", ": then the options are for `problem` alone. */
    const char *problem_flags;
    const char *stale_macros;
    uint32_t candidate; /* 0: the best; 1, 2, ...: what to try next (see the query) */
    double
        coverage; /* mean over the group's devices of the best relative performance that
                           this candidate and those before it reach there */
} cltunedb_answer;

typedef struct cltunedb_answers cltunedb_answers;

/* Why an answer may be out of date; bits. */
enum {
    CLTUNEDB_STALE_SOURCE =
        1, /* a newer source of the kernel was searched since (outdated) */
    CLTUNEDB_STALE_SPACE =
        2, /* the space file, with options and values, has changed since */
    CLTUNEDB_STALE_DRIVER = 4 /* measured with another driver than that of the query */
};

/*! cltunedb_stale() : the reasons that hold for an answer; 0: none.  Reads the space file, if
 *  the answer is from the user's database or from one that was named (layer_number 0), and the file
 *  is there. */
int cltunedb_stale(const cltunedb_answer *answer);

/*! cltunedb_find() : answers a query from the nearest evidence.
 *  `query` : see there.
 *  `answers` : receives at least one answer, to be freed with cltunedb_free(); NULL on
 *      failure.  Several if the query leaves kernel, device or problem open: sorted
 * by kernel, device, problem, objective.
 * @return : CLTUNEDB_OK; CLTUNEDB_E_NOT_FOUND when nothing fits, with what there is in
 * the message; CLTUNEDB_E_ARGUMENT; CLTUNEDB_E_DATABASE; CLTUNEDB_E_MEMORY.
 *
 *  For a device that was measured the answer is its best: the pick of the last play-off
 *  (the best few, timed once more over several processes), else the best value.  Only
 *  maintained tables are read: the time does not grow with the number of results.  The
 *  newest driver answers for a device that was measured with several, unless the query
 *  names one of them.
 *
 *  Else the nearest group that has results of the kernel answers (cltunedb_evidence, from
 *  the same architecture to any device): the configuration with the best mean relative
 *  performance over the group's devices, among those that were never wrong and never
 * crashed on one of them.  A device without a good result of the configuration counts as
 * 0, so that a configuration proven on many devices beats one that was tried on few.
 * Configurations that the device cannot run, by the limits that are
 *  known of it, are no answers.  Equal means: the one measured last.  Here the time grows with the results of that
 * kernel in the group. */
cltunedb_status cltunedb_find(cltunedb *db, const cltunedb_query *query,
                              cltunedb_answers **answers, char *message,
                              size_t message_bytes);

/*! cltunedb_answer_count() : number of answers; 0 for NULL. */
size_t cltunedb_answer_count(const cltunedb_answers *answers);

/*! cltunedb_answer_at() : answer `index`, or NULL when there are fewer. */
const cltunedb_answer *cltunedb_answer_at(const cltunedb_answers *answers, size_t index);

/*! cltunedb_free() : frees the answers; NULL is allowed. */
void cltunedb_free(cltunedb_answers *answers);

#if defined(__cplusplus)
}
#endif

#endif
