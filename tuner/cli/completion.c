// SPDX-License-Identifier: Apache-2.0
// cltune completion: scripts for shells, and what these ask for.
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/manual_files.h"
#include "cli/option_values.h"
#include "report/print.h"

#include <stdio.h>
#include <string.h>

/* The script of a shell; NULL if there is none. */
static const char *script_of(const char *shell)
{
    for (int i = 0; i < ct_manual_files_count; i++) {
        const char *path = ct_manual_files_paths[i];
        const char *dot = strrchr(path, '.');

        if (strstr(path, "/completion/") && strcmp(dot + 1, shell) == 0)
            return ct_manual_files[i];
    }
    return NULL;
}

/* completion words AT -- WORD... */
static int print_words(const struct ct_options *options)
{
    struct ct_str out;
    uint64_t at = 0;

    if (options->operand_count < 3 || !ct_option_number(options->operands[1], &at) || !at)
        return ct_cli_usage("completion", "'words' requires the number of a word, and "
                                          "the words: it is for the scripts");
    ct_str_init(&out);
    ct_complete(options->commands, options->operands + 2,
                (size_t)options->operand_count - 2, (size_t)at, &out);
    ct_print_text(out.data);
    ct_str_release(&out);
    return CT_EXIT_OK;
}

static int run_command(const struct ct_options *options)
{
    const char *shell = options->operand_count ? options->operands[0] : NULL;
    const char *script = shell ? script_of(shell) : NULL;

    if (options->output.json)
        return ct_cli_usage("completion", "--json is not supported here");
    if (!shell)
        return ct_cli_usage("completion", "no shell given: name bash, zsh or fish");
    if (strcmp(shell, "words") == 0)
        return print_words(options);
    if (options->operand_count > 1)
        return ct_cli_usage("completion", "unexpected argument '%s': name one shell",
                            options->operands[1]);
    if (!script)
        return ct_cli_usage("completion", "no completion for '%s': use bash, zsh or fish",
                            shell);
    ct_print_text(script);
    return CT_EXIT_OK;
}

const struct ct_command ct_cli_command_completion = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "print the script that completes command lines in bash, zsh or fish",
    .details =
        "'make install' puts the scripts where shells look for them.  They call 'cltune\n"
        "completion words AT -- WORD...', which prints what may stand at word AT: commands,\n"
        "options, their values, the kernels and devices of the database, and the problem\n"
        "sizes, parameters and values of the space file on the line.\n",
    .options = "",
    .examples = {{"source <(cltune completion bash)", "for this shell"},
                 {"cltune completion fish | source", "the same in fish"}},
    .aside = true,
    .run = run_command,
};
