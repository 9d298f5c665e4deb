// SPDX-License-Identifier: Apache-2.0
// The command table, its dispatch and its help.
#include "cli/cli.h"

#include "base/mem.h"
#include "base/str.h"
#include "report/screen.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct ct_command commands[] = {
    {"best", CT_CMD_BEST, "[KERNEL]", "the stored best for a kernel, problem and device",
     "Looks up the fastest configuration in the database.  Never loads OpenCL.  Without\n"
     "--device all devices are listed.  For a device that was never measured the answer\n"
     "comes from the closest ones, and says so.  --format flags prints words that "
     "shells,\n"
     "make and clBuildProgram read alike, and refuses what they would expand or run;\n"
     "--format header names macros CLTUNE_KERNEL_PARAMETER, numbers names that collide\n"
     "and says which.\n",
     ct_cli_best},
    {"compare", CT_CMD_COMPARE, "SPACE.ini [CONFIG...]",
     "time configurations against each other",
     "CONFIG: \"NAME=VALUE...\" in one word each; what is not named has its default.  A "
     "single\n"
     "one is compared with the default.  They meet in fresh processes and take turns "
     "there,\n"
     "sample by sample, so that what disturbs the machine disturbs all of them.  Ratios "
     "are\n"
     "to the first one; nothing is stored.\n",
     ct_cli_compare},
    {"devices", CT_CMD_DEVICES, "",
     "OpenCL devices, with the limits that matter to tuning",
     "Lists what the OpenCL ICD loader finds.\n", ct_cli_devices},
    {"peak", CT_CMD_PEAK, "", "what a device can do at most, and what using it costs",
     "Tunes copying and multiply-adds briefly, measures launches and allocations, and "
     "stores\n"
     "what comes of it: searches then say how near to these ceilings their best comes, "
     "where\n"
     "the space file has 'bytes' and 'operations' in [metric].\n",
     ct_cli_peak},
    {"recheck", CT_CMD_RECHECK, "[KERNEL]",
     "whether the stored best still is the best, in seconds",
     "Measures what is stored as the best of a kernel against its runners-up, on this\n"
     "machine's devices as they are now, and stores what comes of it.  For driver "
     "updates\n"
     "and automatic builds: ends with 0 when the best still holds, with 1 when another "
     "one\n"
     "is better beyond doubt or the best does not work any more.\n"
     "\n"
     "The space file is the one that the database names.  As it can run C code, it has "
     "to "
     "be\n"
     "one that you have searched yourself, or to be confirmed with --space, once.\n",
     ct_cli_recheck},
    {"replay", CT_CMD_REPLAY, "DATA...",
     "run strategies against recorded results instead of a device",
     "DATA: recorded spaces, packed with gzip or not: tab-separated values, cache files "
     "of\nKernel Tuner, T4 results.  Every repeat starts a fresh strategy; a "
     "configuration that\nfailed costs an evaluation too.\n",
     ct_cli_replay},
    {"run", CT_CMD_RUN, "SPACE.ini [NAME=VALUE...]",
     "build, check and time one configuration",
     "Parameters that are not named take the values of [default].\n", ct_cli_run},
    {"search", CT_CMD_SEARCH, "SPACE.ini",
     "tune: build, verify, time, store, print the best",
     "Evaluates every valid configuration unless -n, -t or the space file's budget says\n"
     "otherwise.  A second call continues: what is stored is not measured again.\n",
     ct_cli_search},
    {"space", CT_CMD_SPACE, "SPACE.ini [NAME=VALUE...]",
     "check a space file; count, list or sample its configurations",
     "Measures nothing.  Device limits take part when -d names a device or --assume "
     "gives\n"
     "them; constraints that need more are reported.  NAME=VALUE names the "
     "configuration\n"
     "that --explain shows.  Nothing is enumerated: spaces may be of any size.\n",
     ct_cli_space},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static void print_help(void)
{
    printf(
        "cltune %s: finds the fastest way to run an OpenCL kernel, and remembers it\n\n"
        "usage: cltune COMMAND [OPTION...] [OPERAND...]\n\nCommands:\n",
        CT_VERSION);
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf("\n'cltune COMMAND --help' tells a command's options; --version the version.\n"
           "Exit status: 0 done; 1 failed; 2 usage or a mistake in the space file; 3 "
           "nothing\n"
           "found; 4 no such device; 130 interrupted (everything measured so far is "
           "stored).\n");
}

static void print_command_help(const struct ct_command *command)
{
    printf("usage: cltune %s [OPTION...]%s%s\n\n%c%s.\n%s", command->name,
           *command->operands ? " " : "", command->operands,
           toupper((unsigned char)command->summary[0]), command->summary + 1,
           command->details);
    ct_options_help(command->bit);
}

static const struct ct_command *find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    const char *near;

    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    near = ct_str_suggest(name, names, COMMAND_COUNT);
    if (near)
        fprintf(stderr, "cltune: unknown command '%s'; did you mean '%s'?\n", name, near);
    else
        fprintf(stderr, "cltune: unknown %s '%s'; 'cltune --help' lists the commands\n",
                *name == '-' ? "option" : "command", name);
    return CT_EXIT_USAGE;
}

static int run_command(const struct ct_command *command, int argc, char **argv)
{
    struct ct_options options;
    struct ct_err err = CT_ERR_INIT;
    int exit_status;

    memset(&options, 0, sizeof(options));
    if (ct_options_parse(command->bit, argc, argv, &options, &err)) {
        exit_status = err.code == CT_E_USAGE
                          ? ct_cli_usage(command->name, "%s", err.message)
                          : ct_cli_error(&err);
    } else if (options.help) {
        print_command_help(command);
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
        fprintf(stderr, "cltune: cannot write to standard output: it is closed\n");
    else if (error != EPIPE)
        fprintf(stderr, "cltune: cannot write to standard output: %s\n", strerror(error));
    return exit_status ? exit_status : CT_EXIT_FAILED;
}

int ct_cli_main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    const struct ct_command *command;
    int exit_status = CT_EXIT_OK;

    /* A file that may not grow is an error to report, not a reason to die. */
    signal(SIGXFSZ, SIG_IGN);
    ct_screen_open();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return finish_output(argc > 1 ? CT_EXIT_OK : CT_EXIT_USAGE);
    }
    if (strcmp(name, "--version") == 0) {
        printf("cltune %s\n", CT_VERSION);
        return finish_output(CT_EXIT_OK);
    }
    if (strcmp(name, "help") == 0) {
        command = argc > 2 ? find(argv[2]) : NULL;
        if (argc > 2 && !command)
            return unknown_command(argv[2]);
        if (command)
            print_command_help(command);
        else
            print_help();
        return finish_output(CT_EXIT_OK);
    }
    command = find(name);
    if (!command)
        return unknown_command(name);
    exit_status = run_command(command, argc - 1, argv + 1);
    return finish_output(exit_status);
}
