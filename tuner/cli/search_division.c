// SPDX-License-Identifier: Apache-2.0
// Options of searches that are one of several.
#include "cli/search_division.h"

#include "cli/cli.h"

int ct_cli_check_division(const struct ct_options *options, bool weighted)
{
    int ways = (options->shard.of > 0) + (options->island.of > 0) + options->playoff_only;
    const char *name = options->shard.of    ? "--shard"
                       : options->island.of ? "--island"
                                            : "--playoff-only";

    if (options->stored.beside.count && !options->shard.of)
        return ct_cli_usage("search",
                            "--beside requires --shard: use --with for other databases");
    if (!ways)
        return CT_EXIT_OK;
    if (ways > 1)
        return ct_cli_usage(
            "search",
            "--shard, --island and --playoff-only exclude each other: use one of them");
    if (weighted)
        return ct_cli_usage("search", "%s does not support weights of problems", name);
    if (options->playoff_only && (options->sampling.rough || options->stored.fresh))
        return ct_cli_usage("search", "--playoff-only cannot be combined with --%s",
                            options->sampling.rough ? "rough" : "fresh");
    if (!options->playoff_only && options->budget.playoff > 0)
        return ct_cli_usage(
            "search",
            "%s has no play-off: merge the databases, then use --playoff-only with "
            "--playoff",
            name);
    return CT_EXIT_OK;
}
