// SPDX-License-Identifier: Apache-2.0
// Turns options into a query of stored results.
#include "cli/stored_query.h"

#include "base/mem.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

int ct_cli_stored_query(const char *command, const struct ct_options *options,
                        cltunedb_query *out)
{
    struct ct_err err = CT_ERR_INIT;
    cltunedb_value *problem;

    *out = (cltunedb_query)CLTUNEDB_QUERY_INIT;
    if (options->operand_count > 1)
        return ct_cli_usage(command, "unexpected argument '%s': name one kernel",
                            options->operands[1]);
    problem = ct_mem_array(options->problem.count, sizeof(*problem));
    if (!problem) {
        ct_err_nomem(&err);
        return ct_cli_error(&err);
    }
    for (size_t i = 0; i < options->problem.count; i++)
        problem[i] = ct_cli_query_value(&options->problem.items[i]);
    out->kernel = options->operand_count ? options->operands[0] : NULL;
    out->device_pattern =
        options->device && strcmp(options->device, "all") != 0 ? options->device : NULL;
    out->problem = problem;
    out->problem_count = options->problem.count;
    return CT_EXIT_OK;
}

void ct_cli_stored_query_release(cltunedb_query *query)
{
    free((void *)(uintptr_t)query->problem);
    query->problem = NULL;
}
