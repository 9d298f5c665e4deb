// SPDX-License-Identifier: Apache-2.0
// cltune exec: runs a program with the stored bests in place of its own configurations.
#define _GNU_SOURCE // realpath
#include "capture/start.h"
#include "cli/cli.h"
#include "db/cltunedb.h"
#include "report/warn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether there is anything to look up in; a program runs as well without. */
static bool has_database(const char *path)
{
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    cltunedb *db = NULL;
    cltunedb_status status = cltunedb_open(path, &db, message, sizeof(message));

    cltunedb_close(db);
    if (status != CLTUNEDB_OK)
        ct_report_warn("the program runs as it is: %s", message);
    return status == CLTUNEDB_OK;
}

/* The database's path, for a program that may go to another folder. */
static const char *absolute(struct ct_arena *arena, const char *path)
{
    char *real = path ? realpath(path, NULL) : NULL;
    const char *copy = real ? ct_arena_copy(arena, real, strlen(real)) : path;

    free(real);
    return copy;
}

/* Runs the program in this process's place: its exit status is that of the command. */
static int run_program(struct ct_arena *arena, const struct ct_options *options,
                       const struct ct_program_file *program, struct ct_err *err)
{
    const char *layer;
    char verify[32];
    struct ct_variable variables[] = {
        {"CLTUNE_EXEC", "1"},
        {"CLTUNE_EXEC_VERIFY", options->program.verify ? verify : NULL},
        {"CLTUNE_EXEC_REPORT", options->program.report ? "1" : NULL},
        {"CLTUNE_CAPTURE", NULL},
        {"CLTUNE_DB", absolute(arena, options->db)}, /* left out unless given */
    };
    size_t count = sizeof(variables) / sizeof(*variables) - !options->db;

    snprintf(verify, sizeof(verify), "%" PRIu64, options->program.verify);
    if (!has_database(options->db))
        return (int)ct_start_replace(program, NULL, options->operands, NULL, 0, err);
    if (ct_start_layer(arena, &layer, err))
        return (int)err->code;
    if (program->doubt)
        ct_report_warn("%s %s: it runs as it is", program->path, program->doubt);
    return (int)ct_start_replace(program, layer, options->operands, variables, count,
                                 err);
}

static int run_command(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_program_file program;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    if (options->output.json)
        return ct_cli_usage("exec", "--json is not supported here");
    if (!options->operand_count)
        return ct_cli_usage("exec", "no program given: use 'cltune exec -- PROGRAM "
                                    "ARGUMENTS'");
    if (!ct_start_find(&arena, options->operands[0], &program, &err))
        run_program(&arena, options, &program, &err);
    exit_status = ct_cli_error(&err);
    ct_arena_release(&arena);
    return exit_status;
}

const struct ct_command ct_cli_command_exec = {
    .name = "exec",
    .operands = "-- PROGRAM [ARGUMENT...]",
    .summary = "run a program with the stored bests of its kernels",
    .details =
        "Runs the program; where the database has a best for one of its kernels on the device,\n"
        "for this or the nearest global size, the launch is replaced: work-group, macros and\n"
        "options.  The exit status is the program's.\n"
        "\n"
        "What does not fit stays as the program asks for it.  Kernels are known by their source\n"
        "and build options: 'cltune capture' makes the experiments to search.\n",
    .options = "db verify report",
    .examples = {{"cltune exec -- ./app input.dat", "run it with the bests"},
                 {"cltune exec --verify 3 --report -- ./app", "compare and time"}},
    .run = run_command,
};
