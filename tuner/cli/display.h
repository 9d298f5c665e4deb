// SPDX-License-Identifier: Apache-2.0
// Options about what a running search shows.
#ifndef CT_CLI_DISPLAY_H
#define CT_CLI_DISPLAY_H

#include "cli/cli.h"
#include "report/observer.h"

/* What shows a session's events, as the options say. */
struct ct_console ct_cli_console(const struct ct_options *options);

/* CT_E_USAGE if --color or --json-lines do not fit; `weighted`: one search for several problems. */
enum ct_status ct_cli_check_display(const struct ct_options *options, bool weighted,
                                    struct ct_err *err);

#endif
