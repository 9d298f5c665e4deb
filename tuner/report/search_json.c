// SPDX-License-Identifier: Apache-2.0
// The results of a search as one JSON object.
#include "report/search_impl.h"
#include "report/json.h"
#include "report/siblings.h"

#include "plan/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Of this process only, without workers. */
static uint64_t peak_memory_bytes(void)
{
    struct rusage usage;

    /* Linux counts in KiB. */
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

/* Integers in Jansson have 63 bits: larger ones become real numbers, never negative. */
static json_t *count_json(uint64_t count)
{
    return count <= INT64_MAX ? json_integer((json_int_t)count)
                              : json_real((double)count);
}

static json_t *entry_json(const struct ct_search *search,
                          const struct ct_evaluated *entry)
{
    json_t *metrics = json_object();
    struct ct_evaluated scaled;

    ct_search_rescale(search, entry, &scaled);
    ct_workload_values(&search->work, entry->index);
    for (size_t m = 0; m < search->work.spec->metric_count; m++) {
        double value;

        if (ct_binding_metric(search->work.binding, m, search->work.values,
                              &entry->observed, &value))
            json_object_set_new(metrics, search->work.spec->metrics[m].name,
                                json_real(value));
    }
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b, s:o, s:o, s:o, s:s, s:b, s:b, "
        "s:o}",
        "configuration", ct_json_values(search->work.spec, search->work.values), "value",
        isfinite(entry->value) ? json_real(entry->value) : json_null(), "time_ns",
        ct_json_time(entry->time_ns), "low_ns", ct_json_time(entry->low_ns), "high_ns",
        ct_json_time(entry->high_ns), "raw_ns", ct_json_time(entry->raw_ns), "scaled_ns",
        ct_json_time(scaled.time_ns), "rounds", (json_int_t)entry->rounds, "rank",
        (json_int_t)entry->rank, "tied", entry->tied ? 1 : 0, "ratio",
        ct_json_time(entry->to_best.middle), "ratio_low",
        ct_json_time(entry->to_best.low), "ratio_high", ct_json_time(entry->to_best.high),
        "experiment", entry->experiment.text, "known_before", entry->stored ? 1 : 0,
        "verified", entry->verified ? 1 : 0, "metrics", metrics);
}

/* By status; of those with another cause than the first (`other`). */
static json_t *failures_json(const struct ct_search *search, bool other)
{
    json_t *object = json_object();

    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++) {
        const struct ct_failure_kinds *kinds = &search->results.failures[i];
        const char *text = other ? kinds->other : kinds->first;

        if (text)
            json_object_set_new(object, ct_result_status_name((enum ct_result_status)i),
                                ct_json_text(text));
    }
    return object;
}

/* By status, if there is an explanation: what all failures and nothing that worked have in common. */
static json_t *explanations_json(const struct ct_search *search)
{
    json_t *object = json_object();

    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++) {
        struct ct_str text;
        size_t count;

        ct_str_init(&text);
        if (search->results.status_counts[i] &&
            ct_search_explain_failures(search, (enum ct_result_status)i, &count, &text) &&
            !text.failed)
            json_object_set_new(object, ct_result_status_name((enum ct_result_status)i),
                                json_pack("{s:I, s:o}", "witnesses", (json_int_t)count,
                                          "conjunction", ct_json_text(text.data)));
        ct_str_release(&text);
    }
    return object;
}

static json_t *scheduler_json(const struct ct_scheduler_stats *stats)
{
    return json_pack(
        "{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:b}",
        "jobs", (int)stats->jobs, "builders_started", (int)stats->builders_started,
        "runners_started", (int)stats->runners_started, "built", (json_int_t)stats->built,
        "from_cache", (json_int_t)stats->from_cache, "macro_duplicates",
        (json_int_t)stats->macro_duplicates, "binary_duplicates",
        (json_int_t)stats->binary_duplicates, "refused", (json_int_t)stats->refused,
        "measured", (json_int_t)stats->measured, "loaded", (json_int_t)stats->loaded,
        "build_wall_ns", (json_int_t)stats->build_wall_ns, "run_wall_ns",
        (json_int_t)stats->run_wall_ns, "duplicates_off",
        stats->duplicates_off ? stats->duplicates_off : "", "binaries",
        (int)stats->binaries, "small_launches", (int)stats->small_launches);
}

/* What each value of a parameter got, and the best of those that worked, best first; null unless
 * requested. */
static json_t *per_value_json(const struct ct_search *search,
                              const struct ct_evaluated *const *order, size_t count)
{
    size_t found;
    struct ct_search_arm *arms = ct_search_arms(search, order, count, &found);
    json_t *best = json_array();
    json_t *values = json_array();

    if (search->per_value < 0) {
        json_decref(best);
        json_decref(values);
        return json_null();
    }
    for (size_t i = 0; i < found; i++) {
        const struct ct_evaluated *entry = arms[i].best;

        json_array_append_new(values,
                              json_pack("{s:o, s:I, s:I, s:o}", "value",
                                        ct_json_value(&arms[i].value), "evaluations",
                                        (json_int_t)arms[i].evaluated, "failures",
                                        (json_int_t)arms[i].failed, "best_time_ns",
                                        entry ? json_real(entry->time_ns) : json_null()));
        if (entry) {
            double share = ct_report_share_of_copy(search, entry);
            json_t *one = entry_json(search, entry);

            json_object_set_new(one, "share_of_copy",
                                isnan(share) ? json_null() : json_real(share));
            json_array_append_new(best, one);
        }
    }
    free(arms);
    return json_pack("{s:s, s:o, s:o}", "parameter",
                     search->work.spec->slots
                         .symbols[search->work.spec->params[search->per_value].slot]
                         .name,
                     "values", values, "best", best);
}

void ct_report_search_json(const struct ct_search *search,
                           const struct ct_evaluated *const *order, size_t count,
                           size_t shown)
{
    json_t *best = json_array();
    json_t *counts = json_object();
    const struct ct_scheduler_stats *stats = &search->jobs.stats;
    json_t *object;
    double chance = ct_search_chance(search);

    for (size_t i = 0; i < shown; i++)
        json_array_append_new(best, entry_json(search, order[i]));
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        json_object_set_new(counts, ct_result_status_name((enum ct_result_status)i),
                            json_integer((json_int_t)search->results.status_counts[i]));
    object = json_pack(
        "{s:o, s:o, s:o, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:b, s:i, s:I, s:o}",
        "kernel", ct_json_text(search->work.spec->kernel.name), "device",
        ct_json_text(ct_devinfo_text(search->work.device, CT_DEVICE_NAME)), "problem",
        ct_json_problem(search->work.binding), "objective", search->objective.name,
        "strategy", search->proposer.name, "valid",
        count_json(ct_space_count(search->work.space)), "evaluated",
        (json_int_t)search->results.evaluated, "known_before",
        (json_int_t)(search->results.reused - search->islands.adopted), "counts", counts,
        "failures", failures_json(search, false), "default",
        ct_search_default_ns(search) > 0 ? entry_json(search, &search->defaults.result)
                                         : json_null(),
        "baseline_ns",
        search->host.has_one ? json_real(search->host.one.time_ns) : json_null(), "best",
        best, "scheduler", scheduler_json(stats), "spent_ns",
        ct_report_spent_json(search), "interrupted", search->interrupted ? 1 : 0,
        "workers", (int)(stats->builders_started + stats->runners_started),
        "peak_memory_bytes", (json_int_t)peak_memory_bytes(), "other_failures",
        failures_json(search, true));
    json_object_set_new(object, "failures_explained", explanations_json(search));
    json_object_set_new(object, "importance", ct_report_search_importance_json(search));
    json_object_set_new(object, "verdict", ct_report_verdict_json(search));
    json_object_set_new(object, "by", per_value_json(search, order, count));
    json_object_set_new(object, "ceiling",
                        ct_report_ceiling_json(search, count ? order[0] : NULL));
    ct_report_confidence_json(search, count ? order[0] : NULL, object);
    json_object_set_new(object, "effort",
                        search->options->effort ? json_string(search->options->effort)
                                                : json_null());
    json_object_set_new(object, "ended",
                        json_string(ct_search_end_name(search->budget.end)));
    json_object_set_new(object, "over_budget_ns",
                        json_integer((json_int_t)(1e9 * ct_search_over_s(search))));
    json_object_set_new(object, "chance",
                        isnan(chance) ? json_null() : json_real(chance));
    json_object_set_new(object, "priors",
                        json_integer((json_int_t)search->proposer.transfer_count));
    json_object_set_new(object, "part", ct_report_part_json(search));
    json_object_set_new(object, "adopted",
                        json_integer((json_int_t)search->islands.adopted));
    json_object_set_new(object, "devices", ct_report_siblings_json(search));
    ct_report_json(object);
    json_decref(object);
}
