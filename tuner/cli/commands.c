// SPDX-License-Identifier: Apache-2.0
// The command table, its dispatch and its help.
#include "cli/cli.h"

#include "base/str.h"
#include "cli/option_help.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/version.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct ct_command *const commands[] = {
#define CT_COMMAND(name) &ct_cli_command_##name,
#include "cli/commands.def"
#undef CT_COMMAND
    NULL,
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) - 1 };

/* The commands and the topics have pages of their own, so that this fits a screen. */
static void print_help(void)
{
    ct_print(
        "cltune %s: finds the fastest way to run an OpenCL kernel, and remembers it\n"
        "usage: cltune COMMAND [OPTION...] [OPERAND...], or cltune --version\n\n",
        CT_VERSION);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!commands[i]->aside)
            ct_print("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    ct_print("\n"
             "Try 'cltune COMMAND --help', 'cltune help', 'cltune help exit-status'.\n");
}

static const struct ct_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    const char *near;

    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    near = ct_str_suggest(name, names, COMMAND_COUNT);
    if (near)
        fprintf(ct_screen_err(), "cltune: unknown command '%s'; did you mean '%s'?\n",
                name, near);
    else
        fprintf(ct_screen_err(),
                "cltune: unknown %s '%s'; try 'cltune --help' for a list of commands\n",
                *name == '-' ? "option" : "command", name);
    return CT_EXIT_USAGE;
}

static int run_command(const struct ct_command *command, int argc, char **argv)
{
    struct ct_options options;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    memset(&options, 0, sizeof(options));
    options.commands = commands;
    if (ct_options_parse(command->options, argc, argv, &options, &err)) {
        exit_status = err.code == CT_E_USAGE
                          ? ct_cli_usage(command->name, "%s", err.message)
                          : ct_cli_error(&err);
    } else if (options.help) {
        ct_command_help(command, options.operand_count == 1 &&
                                     strcmp(options.operands[0], "all") == 0);
        exit_status = CT_EXIT_OK;
    } else {
        exit_status = command->run(&options);
    }
    ct_options_release(&options);
    return exit_status;
}

/* A full disk or a closed pipe behind standard output must not look like success. */
static int finish_output(int exit_status)
{
    int error = ct_screen_finish();

    if (!error)
        return exit_status;
    if (error == EBADF)
        fprintf(ct_screen_err(),
                "cltune: cannot write to standard output: it is closed\n");
    else if (error != EPIPE)
        fprintf(ct_screen_err(), "cltune: cannot write to standard output: %s\n",
                strerror(error));
    return exit_status ? exit_status : CT_EXIT_FAILED;
}

int ct_cli_main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    const struct ct_command *command;
    int exit_status = CT_EXIT_OK;

    /* A file size limit is an error to report, not a reason to die. */
    signal(SIGXFSZ, SIG_IGN);
    ct_screen_open();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return finish_output(argc > 1 ? CT_EXIT_OK : CT_EXIT_USAGE);
    }
    if (strcmp(name, "--version") == 0) {
        ct_report_version();
        return finish_output(CT_EXIT_OK);
    }
    command = find_command(name);
    if (!command)
        return unknown_command(name);
    exit_status = run_command(command, argc - 1, argv + 1);
    return finish_output(exit_status);
}
