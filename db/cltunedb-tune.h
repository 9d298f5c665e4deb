/* SPDX-License-Identifier: Apache-2.0 */
/* libcltunedb: tunes a kernel inside the program that uses it, on the launches that the program
 * makes anyway.  Needs no OpenCL; cltunedb-cl.h has what is convenient with OpenCL. */
#ifndef CLTUNEDB_TUNE_H
#define CLTUNEDB_TUNE_H

/*-******************************************************************************
 * Introduction
 *
 *   The program ships a space file (doc/space-file.md) with its kernel, or carries both in itself
 *   (`files` of the request).  Before each launch it asks for a configuration, after those that are
 *   measured it reports the time:
 *
 *       cltunedb_tune_request request = CLTUNEDB_TUNE_REQUEST_INIT;
 *       cltunedb_tune *tune;
 *       const cltunedb_tune_config *config;
 *
 *       request.space_file = "share/scale.ini";
 *       request.device = facts;             // cltunedb_cl_facts() of cltunedb-cl.h
 *       request.device_count = fact_count;
 *       request.problem = &size;            // {"n", CLTUNEDB_INT, n, n, ""}
 *       request.problem_count = 1;
 *       request.budget_launches = 200;
 *       cltunedb_tune_begin(&request, &tune, message, sizeof(message));
 *       for (;;) {
 *           cltunedb_tune_next(tune, &config, message, sizeof(message));
 *           ... the kernel built with config->flags, kept by config->number ...
 *           ... launch it with config->launches[0].global and local ...
 *           if (config->measure)
 *               cltunedb_tune_report(tune, CLTUNEDB_TUNE_RAN, time_ns);
 *       }
 *       cltunedb_tune_done(tune, message, sizeof(message));
 *
 *   What is known (the user's database and the layers below it) decides where it begins: with the
 *   stored best of this device, driver, problem and kernel nothing is tried; results of other
 *   devices and problems tell where to look.  New configurations run until the budget is used
 *   up but for a reserve, or a gain of 5% is unlikely.  The fastest, at most three within 10% of the
 *   best, are then measured in turns, and the best of them runs from then on.  Each result is stored in the user's database at once.  If the
 *   best becomes slower than 1.1 times its stored time, it is tuned again.
 *
 *   Safety   each launch does the program's own work once: nothing is repeated, so kernels that
 *            overwrite their input are no problem, but a configuration that computes something
 *            wrong spoils that launch.  Configurations that `cltune search` or a program found
 *            to be wrong or to crash are not used; a search before shipping finds them.  A
 *            program that repeats one launch to tune saves what the kernel overwrites before,
 *            and restores it after (cltunedb_cl_save).
 *   Crashes  a configuration that is running when the program or the machine dies is not tried
 *            again.
 *   Threads  one cltunedb_tune may be used by one thread at a time.  No threads are started.
 *   Output   the library never prints, exits or aborts.
 ********************************************************************************/

#include "cltunedb-binary.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A file whose contents the program carries in itself, as a string literal for example. */
typedef struct {
    /* Of the space file: as `space_file` of the request.  Of sources, what they include, C code and
     * data: as the space file or the source names it, relative to the space file's folder. */
    const char *path;
    const char *text;
    size_t bytes; /* 0: up to the zero byte that ends `text` */
} cltunedb_tune_file;

/* Set to CLTUNEDB_TUNE_REQUEST_INIT, then fill in.  Everything is copied. */
typedef struct {
    size_t struct_bytes;    /* sizeof(cltunedb_tune_request) */
    const char *space_file; /* NULL: that of the newest results of `kernel` in the user's
                               database, if the user has searched it on this machine */
    const char *kernel;     /* its name; NULL: that of the space file */
    /* NULL: the user's database, with the layers below it (cltunedb_open); else this file alone.
     * It is made if it does not exist. */
    const char *database;
    /* The device by the names of space files: "PLATFORM_NAME", "PLATFORM_VERSION",
     * "DRIVER_VERSION", "DEVICE_NAME", "DEVICE_MAX_WORK_GROUP_SIZE", ... ; DEVICE_NAME is
     * necessary, and results of `cltune search` are those of this device if all are given as it
     * reads them (cltunedb_cl_facts).  Names that are not known are ignored. */
    const cltunedb_value *device;
    size_t device_count;
    /* The problem; names that are left out have the space file's value. */
    const cltunedb_value *problem;
    size_t problem_count;
    /* How many launches may be spent on tuning, and how many milliseconds from cltunedb_tune_next
     * to cltunedb_tune_report, with what the program does between them; 0: no limit of that
     * kind.  Confirming counts, and what has begun is finished, with at most six launches more.
     * Both 0: tuning is off; the best that is known is used, and nothing is written. */
    uint64_t budget_launches;
    double budget_ms;
    uint64_t seed; /* of choices by chance */
    /* Files that are not read from disk.  All that the space file names has to be among them, or on
     * disk.  Results are the same as those of `cltune search` with files of these contents; the
     * database does not learn where the space file is. */
    const cltunedb_tune_file *files;
    size_t file_count;
} cltunedb_tune_request;

#define CLTUNEDB_TUNE_REQUEST_INIT                                                       \
    {                                                                                    \
        sizeof(cltunedb_tune_request), NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0,      \
            NULL, 0                                                                      \
    }

typedef enum {
    CLTUNEDB_TUNE_SETTLED = 0,   /* the best that is known */
    CLTUNEDB_TUNE_TRYING = 1,    /* a new configuration */
    CLTUNEDB_TUNE_CONFIRMING = 2 /* one of the fastest, measured again */
} cltunedb_tune_phase;

/* A configuration.  It and all its texts live until cltunedb_tune_done(); `phase` and `measure`
 * are those of the next launch. */
typedef struct {
    uint64_t
        number; /* equal for equal configurations: programs keep what they built by it */
    cltunedb_tune_phase phase;
    int measure; /* 1: report the next launch; 0: no need to measure it */
    const cltunedb_value *values; /* of the parameters, in the order of the space file */
    size_t value_count;
    const char *flags; /* compiler options, of the first program */
    /* The launches of the space file; `program` counts its programs. */
    const cltunedb_binary_launch *launches;
    size_t launch_count;
    const char *const *program_flags; /* of each program */
    size_t program_count;
} cltunedb_tune_config;

/* What became of a launch. */
typedef enum {
    CLTUNEDB_TUNE_RAN = 0,
    CLTUNEDB_TUNE_BUILD_FAILED = 1, /* the compiler refuses it */
    CLTUNEDB_TUNE_INVALID = 2,      /* the device refuses to launch it */
    CLTUNEDB_TUNE_WRONG = 3,        /* the program found its outputs to be wrong */
    CLTUNEDB_TUNE_CRASHED = 4,      /* the device or its driver failed */
    CLTUNEDB_TUNE_TIMEOUT = 5       /* the program gave up waiting */
} cltunedb_tune_outcome;

typedef struct cltunedb_tune cltunedb_tune;

/*! cltunedb_tune_begin() : reads the space file and what is known.
 *  `request` : of an older version it may be shorter: what it lacks is 0.
 *  `out` : receives the handle, to be ended with cltunedb_tune_done(); NULL on failure.
 *  `message`, `message_bytes` : as for cltunedb_open().
 * @return : CLTUNEDB_OK, also if a database cannot be used: then nothing is known or stored, and
 *      cltunedb_tune_fault() says why.  CLTUNEDB_E_ARGUMENT if an argument is missing, the space
 *      file cannot be read, has a mistake, or is only named by a database, or a name of the problem
 *      is not in it;
 *      CLTUNEDB_E_NOT_FOUND if no configuration of the space is valid on the device, or no space
 *      file is known; CLTUNEDB_E_DATABASE if the space file is to be found in a database that cannot
 *      be used; CLTUNEDB_E_MEMORY. */
cltunedb_status cltunedb_tune_begin(const cltunedb_tune_request *request,
                                    cltunedb_tune **out, char *message,
                                    size_t message_bytes);

/*! cltunedb_tune_next() : the configuration for the next launch.
 *  `config` : receives it.  It stays the same until a launch is reported.
 * @return : CLTUNEDB_OK; CLTUNEDB_E_NOT_FOUND if every configuration has failed; CLTUNEDB_E_ARGUMENT
 *      if an argument is NULL; CLTUNEDB_E_MEMORY. */
cltunedb_status cltunedb_tune_next(cltunedb_tune *tune,
                                   const cltunedb_tune_config **config, char *message,
                                   size_t message_bytes);

/*! cltunedb_tune_report() : what became of the last configuration's launch.  Failures are reported
 *  whether or not `measure` was set; the configuration is not used again.
 *  `time_ns` : with CLTUNEDB_TUNE_RAN its time, of all launches of the configuration together; else
 *      ignored.  What is not positive and finite is no report.  tune NULL: does nothing. */
void cltunedb_tune_report(cltunedb_tune *tune, cltunedb_tune_outcome outcome,
                          double time_ns);

/*! cltunedb_tune_fault() : why results are not read or stored; "" if they are.  Lives until the next
 *  call. */
const char *cltunedb_tune_fault(const cltunedb_tune *tune);

/*! cltunedb_tune_done() : ends tuning; everything measured is stored.  NULL is allowed.
 * @return : CLTUNEDB_OK; CLTUNEDB_E_DATABASE with the reason if something could not be stored. */
cltunedb_status cltunedb_tune_done(cltunedb_tune *tune, char *message,
                                   size_t message_bytes);

#if defined(__cplusplus)
}
#endif

#endif
