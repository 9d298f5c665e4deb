// SPDX-License-Identifier: Apache-2.0
#include "report/farm.h"

#include "report/json.h"
#include "protocol/trim.h"
#include "report/format.h"
#include "report/json_lines.h"
#include "report/print.h"
#include "report/screen.h"

#include <jansson.h>

#include <stdio.h>

void ct_report_farm(const struct ct_farm *farm)
{
    const struct ct_scheduler_stats *stats = &farm->stats;
    char a[CT_FORMAT_SIZE];
    char b[CT_FORMAT_SIZE];

    ct_print("built     %s of %s configurations", ct_format_count(a, stats->built),
             ct_format_count(b, farm->done));
    ct_print(", %s from stored binaries", ct_format_count(a, stats->from_cache));
    ct_print(", %s failed\n", ct_format_count(a, farm->failed));
    if (farm->first_failure)
        ct_print("failed    first: %s\n", farm->first_failure);
    ct_print("spent     %s by %u builder%s\n",
             ct_format_duration(a, (double)farm->wall_ns / 1e9), stats->jobs,
             stats->jobs == 1 ? "" : "s");
    if (stats->binary_bytes)
        ct_print("cache     %s in %s\n", ct_format_bytes(a, stats->binary_bytes),
                 farm->cache.data);
    if (stats->launched)
        ct_print("cache     %s (PoCL's own)\n", farm->driver_cache.data);
}

void ct_report_farm_json(const struct ct_farm *farm)
{
    const struct ct_scheduler_stats *stats = &farm->stats;
    json_t *all = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:f, s:i}", "configurations",
        (json_int_t)farm->done, "built", (json_int_t)stats->built, "from_cache",
        (json_int_t)stats->from_cache, "failed", (json_int_t)farm->failed, "not_launched",
        (json_int_t)stats->unlaunched, "binary_bytes", (json_int_t)stats->binary_bytes,
        "cache", farm->cache.data, "driver_cache", farm->driver_cache.data, "seconds",
        (double)farm->wall_ns / 1e9, "jobs", (int)stats->jobs);

    ct_report_json(all);
    json_decref(all);
}

void ct_report_farm_warnings(const struct ct_farm *farm)
{
    uint64_t limit_bytes = ct_trim_limit();
    char a[CT_FORMAT_SIZE];
    char b[CT_FORMAT_SIZE];

    if (farm->stats.binary_bytes > limit_bytes / 8 * 7)
        fprintf(
            ct_screen_err(),
            "cltune: warning: these binaries take %s, but the cache keeps %s and drops "
            "the oldest: set CLTUNE_CACHE_SIZE for all tasks and searches\n",
            ct_format_bytes(a, farm->stats.binary_bytes),
            ct_format_bytes(b, limit_bytes));
    if (farm->stats.unlaunched)
        fprintf(ct_screen_err(),
                "cltune: warning: %s configurations were not launched, because their "
                "buffers take more than a builder may use: PoCL compiles them during the "
                "search\n",
                ct_format_count(a, farm->stats.unlaunched));
}
