// SPDX-License-Identifier: Apache-2.0
// Commands and their common functions.  Only this module chooses an exit status; it and report/ print.
#ifndef CT_CLI_CLI_H
#define CT_CLI_CLI_H

#include "base/devinfo.h"
#include "base/diag.h"
#include "base/err.h"
#include "cli/options.h"
#include "db/cltunedb.h"
#include "schedule/measure.h"
#include "space/space.h"
#include "plan/binding.h"
#include "tune/options.h"

#include <stdio.h>

/* Exit statuses (doc/man/exit-status.md). */
enum {
    CT_EXIT_OK = 0,
    CT_EXIT_FAILED = 1,
    CT_EXIT_USAGE = 2,
    CT_EXIT_NOTHING = 3,
    CT_EXIT_NO_DEVICE = 4,
    CT_EXIT_INTERRUPTED = 130,
};

/* A line of shell, and what it does in a few words. */
struct ct_command_example {
    const char *line;
    const char *what;
};

/* A command.  Its file defines one, and commands.def has a row for it. */
struct ct_command {
    const char *name;
    const char *operands; /* as shown in its usage */
    const char *summary;
    /* Paragraphs for its help, separated by empty lines, the first one for --help as well.  Lines
     * that begin with a blank keep their form, others are broken anew. */
    const char *details;
    /* names in the option table, besides those common to all commands */
    const char *options;
    /* those of them that --help shows, which fits a screen of 24 lines; NULL: all */
    const char *common;
    struct ct_command_example examples[2];
    bool aside; /* not in the list of commands, which has a line about it */
    int (*run)(const struct ct_options *options); /* returns the exit status */
};

#define CT_COMMAND(name) extern const struct ct_command ct_cli_command_##name;
#include "cli/commands.def"
#undef CT_COMMAND

/* Runs the command that argv[1] names; returns the exit status.  Standard output is
 * checked for write failure before it returns. */
int ct_cli_main(int argc, char **argv);

/* --- common.c --- */

/* Prints "cltune: FILE:LINE:COLUMN: MESSAGE" to standard error; returns the exit status for the
 * code. */
int ct_cli_error(const struct ct_err *err);

/* A usage error, with a pointer to the command's help; returns 2. */
int ct_cli_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* From now on the first SIGINT, SIGTERM or SIGHUP ends the measurement (CT_E_INTERRUPTED), the
 * second exits at once. */
void ct_cli_catch_signals(void);

/* Appends the formats of `cltune best`, for its help. */
void ct_cli_put_formats(struct ct_str *out);

/* NAME=TEXT of --problem as a database query: integer, real, else text; borrows from the
 * setting. */
cltunedb_value ct_cli_query_value(const struct ct_setting *setting);

/* Turns options into those of the engine.  CT_E_USAGE for an invalid --cache. */
enum ct_status ct_cli_tune_options(const struct ct_options *options,
                                   struct ct_tune_options *out, struct ct_err *err);

/* The single operand, a space file; reports an error and returns NULL otherwise. */
const char *ct_cli_space_file(const char *command, const struct ct_options *options,
                              int most_operands);

/* Loads a space file and prints its findings.  On failure `*exit_status` is set and NULL
 * returned. */
struct ct_spec *ct_cli_load(const char *path, const struct ct_options *options,
                            int *exit_status);

/* As ct_cli_load for the space file that the database names (`stored`, "" if none) for results of
 * `kernel`, or that of --space: refused unless the user has searched it, or names it now. */
struct ct_spec *ct_cli_load_stored(const struct ct_options *options, const char *kernel,
                                   const char *stored, int *exit_status);

/* Binds it, with messages as above.  `problem` replaces options->problem unless NULL. */
struct ct_binding *ct_cli_bind(const struct ct_spec *spec,
                               const struct ct_options *options,
                               const struct ct_devinfo *device,
                               const struct ct_settings *problem, int *exit_status);

/* Warns of constraints that a configuration violates: they guide a search, but here the user
 * requested this very one. */
void ct_cli_warn_violated(const struct ct_binding *binding,
                          const struct ct_value *values);

/* Constructs the space of a binding within the limits of the options.  The caller frees it; NULL
 * after a message. */
struct ct_space *ct_cli_space_new(const struct ct_binding *binding,
                                  const struct ct_options *options, int *exit_status);

/* Reports that a space has no valid configuration and which constraint removes most; returns the
 * exit status. */
int ct_cli_empty_space(const struct ct_space *space);

/* The devices for a space file: for a [program], the host's processor (tune/host_device.h) unless
 * -d names a device; else as ct_cli_devices_match. */
enum ct_status ct_cli_devices_for(struct ct_arena *arena, const struct ct_spec *spec,
                                  const char *pattern, const struct ct_devinfo ***out,
                                  struct ct_err *err);

/* All that match, and the host's processor, which is also there without OpenCL. */
enum ct_status ct_cli_devices_and_host(struct ct_arena *arena, const char *pattern,
                                       const struct ct_devinfo ***out,
                                       struct ct_err *err);

/* As ct_devices_match (tune/devices.h); warns of a cache that cannot be used. */
enum ct_status ct_cli_devices_match(struct ct_arena *arena, const char *pattern,
                                    const struct ct_devinfo ***out, struct ct_err *err);

/* Creates the file that an option of -o names.  CT_E_USAGE if it exists, CT_E_IO if it
 * cannot be written. */
enum ct_status ct_cli_create(const char *path, const struct ct_str *text,
                             struct ct_err *err);

#endif
