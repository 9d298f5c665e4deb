// SPDX-License-Identifier: Apache-2.0
// --color, NO_COLOR and --json-lines.
#include "cli/display.h"

#include <stdlib.h>
#include <string.h>

/* https://no-color.org: set and not empty. */
static bool wants_color(const char *when)
{
    const char *no_color = getenv("NO_COLOR");

    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return !(no_color && *no_color);
}

struct ct_console ct_cli_console(const struct ct_options *options)
{
    return (struct ct_console){.quiet = options->output.quiet,
                               .verbose = options->output.verbose,
                               .color = wants_color(options->output.color),
                               .json_lines = options->output.json_lines};
}

enum ct_status ct_cli_check_display(const struct ct_options *options, bool weighted,
                                    struct ct_err *err)
{
    static const char *const words[] = {"auto", "always", "never"};
    const char *when = options->output.color;
    bool known = !when;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        known = known || strcmp(when, words[i]) == 0;
    if (!known)
        return ct_err_set(err, CT_E_USAGE,
                          "--color requires auto, always or never, not '%s'", when);
    if (options->output.json_lines && options->output.json)
        return ct_err_set(err, CT_E_USAGE,
                          "--json and --json-lines exclude each other: use one of them");
    if (options->output.json_lines && options->dry_run)
        return ct_err_set(err, CT_E_USAGE, "--dry-run does not support --json-lines");
    if (options->output.json_lines && weighted)
        return ct_err_set(err, CT_E_USAGE,
                          "--json-lines does not support weighted problems; use --json");
    return CT_OK;
}
