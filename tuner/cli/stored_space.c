// SPDX-License-Identifier: Apache-2.0
// The space file that a stored result names.
#include "cli/cli.h"
#include "report/warn.h"
#include "spacefile/trusted.h"

#include <string.h>
#include <unistd.h>

/* A space file can compile and run C code, and the stored name comes from the database. */
static void check_trust(const char *path, bool named, const char *kernel,
                        struct ct_err *err)
{
    if (named)
        ct_trust_space(path);
    else if (!*path)
        ct_err_set(
            err, CT_E_USAGE,
            "the database does not say which space file the results of %s come from: "
            "name it with --space FILE",
            kernel);
    else if (access(path, F_OK) == 0 && !ct_trusted_space(path))
        ct_err_set(err, CT_E_USAGE,
                   "the database names %s as the space file of %s, but you have not "
                   "searched it yet and it can run C code: read it, then confirm it with "
                   "--space %s",
                   path, kernel, path);
}

struct ct_spec *ct_cli_load_stored(const struct ct_options *options, const char *kernel,
                                   const char *stored, int *exit_status)
{
    const char *path = options->contest.space ? options->contest.space : stored;
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec;

    check_trust(path, options->contest.space != NULL, kernel, &err);
    if (err.code) {
        *exit_status = ct_cli_error(&err);
        return NULL;
    }
    spec = ct_cli_load(path, options, exit_status);
    if (!spec && !options->contest.space)
        ct_report_warn(
            "%s is where the space file of %s was; use --space FILE to name its "
            "new location",
            path, kernel);
    if (spec && strcmp(spec->kernel.name, kernel) != 0) {
        ct_err_at(&err, CT_E_USAGE, path, 0, 0, "this is the space file of %s, not of %s",
                  spec->kernel.name, kernel);
        *exit_status = ct_cli_error(&err);
        ct_spec_free(spec);
        return NULL;
    }
    return spec;
}
