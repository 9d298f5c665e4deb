/* SPDX-License-Identifier: Apache-2.0 */
/* cltunedb-mini: reads the bests of a cltune database from a text file, without SQLite and without
 * any other library.  Copy both files into your program, or link them; they are C99 and C++.
 *
 *     cltune db export --text -o tuned.txt         # ship this file with your program
 *
 *     cltunedb_mini *db;
 *     cltunedb_mini_query query = {0};
 *     const cltunedb_mini_answer *best;
 *
 *     if (cltunedb_mini_open("tuned.txt", &db) == CLTUNEDB_MINI_OK) {
 *         query.kernel = "fir";
 *         query.device = name;        // CL_DEVICE_NAME
 *         query.vendor = vendor;      // CL_DEVICE_VENDOR
 *         query.type = "GPU";
 *         query.driver = driver;      // CL_DRIVER_VERSION
 *         query.problem = "taps=512 inputs=100000";
 *         best = cltunedb_mini_find(db, &query);
 *         clBuildProgram(program, 1, &device, best ? best->flags : DEFAULTS, NULL, NULL);
 *         cltunedb_mini_close(db);
 *     }
 *
 * The file: a line "cltunedb-text 1", a line for each best, and "end COUNT HASH".  A line has twelve
 * fields and a hash of 64 bits (FNV-1a, 16 hexadecimal digits, of all bytes before it), with tabs
 * between: level (device, vendor, type, any), kernel, device, vendor, type, driver, problem
 * (NAME=VALUE with blanks between), objective, time in nanoseconds, configuration (the same),
 * options, validity of the options for other problems (any, this).  \t, \n, \r and \\ stand for a tab,
 * a line feed, a carriage return and a backslash, and in names and values of problems and configurations
 * \s and \e for a blank and an equals sign.  The last line has the number of bests, and the hash of all lines
 * before.  A file with any other line, hash or number is refused as a whole. */
#ifndef CLTUNEDB_MINI_H
#define CLTUNEDB_MINI_H

#if defined(__cplusplus)
extern "C" {
#endif

enum {
    CLTUNEDB_MINI_OK = 0,
    CLTUNEDB_MINI_E_FILE = 1,   /* cannot be read, or is larger than 64 MiB */
    CLTUNEDB_MINI_E_FORMAT = 2, /* damaged, cut off, or of another version */
    CLTUNEDB_MINI_E_MEMORY = 3
};

typedef struct cltunedb_mini cltunedb_mini;

/* NULL or "" is unknown. */
typedef struct {
    const char *kernel; /* must be given */
    const char *device; /* as OpenCL reports them */
    const char *vendor;
    const char *type; /* "GPU", "CPU", ... */
    const char *driver;
    const char *problem; /* "n=1024 m=512"; the nearest answers; blanks in values as \s */
    const char *objective; /* NULL: "time" */
} cltunedb_mini_query;

/* How near the evidence is, nearest first. */
enum {
    CLTUNEDB_MINI_SAME_DRIVER = 0,
    CLTUNEDB_MINI_SAME_DEVICE = 1, /* with another driver */
    CLTUNEDB_MINI_SAME_VENDOR = 2, /* and type: what does best on average there */
    CLTUNEDB_MINI_SAME_TYPE = 3,
    CLTUNEDB_MINI_ANY_DEVICE = 4
};

/* All texts live as long as the database. */
typedef struct {
    const char *kernel;
    const char *device; /* "" for a group of devices */
    const char *vendor;
    const char *type;
    const char *driver;
    const char *problem; /* that was measured */
    const char *objective;
    const char *configuration; /* "WG=64 VEC=4", escaped as in the file */
    const char *flags;         /* for clBuildProgram */
    double time_ns;
    double problem_distance; /* 0: the asked problem; else in log space */
    int evidence;
} cltunedb_mini_answer;

/*! cltunedb_mini_open() : reads a file.  `*out` is NULL on failure; close it otherwise.
 * @return : CLTUNEDB_MINI_OK, or one of the failures above. */
int cltunedb_mini_open(const char *path, cltunedb_mini **out);

/*! cltunedb_mini_find() : the best from the nearest evidence, and of that for the nearest problem.
 *  Options that hold for their own problem only are no answer for another one.
 * @return : NULL if there is none; else an answer that lives until the next call or close. */
const cltunedb_mini_answer *cltunedb_mini_find(cltunedb_mini *db,
                                               const cltunedb_mini_query *query);

/*! cltunedb_mini_value() : the value of a parameter in an answer's configuration, as text, in `value` of
 *  `bytes`, without escapes; 0 if there is none or it does not fit. */
int cltunedb_mini_value(const cltunedb_mini_answer *answer, const char *name, char *value,
                        unsigned bytes);

/*! cltunedb_mini_close() : NULL is allowed. */
void cltunedb_mini_close(cltunedb_mini *db);

#if defined(__cplusplus)
}
#endif

#endif
