// SPDX-License-Identifier: Apache-2.0
// The reliability of a search's results: ties, noise, drift.
#include "report/search_impl.h"

#include "report/doubts.h"
#include "report/format.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

/* "tied with 2 others: #2, #3: ..." */
static void print_ties(const struct ct_search *search,
                       const struct ct_evaluated *const *order, size_t count, FILE *out)
{
    const size_t named = 10; /* rows of the table */
    size_t tied = 0;
    size_t listed = 0;

    for (size_t i = 0; i < count; i++)
        tied += order[i]->tied;
    if (!tied)
        return;
    fprintf(out, "tied      #1 with %zu other%s: ", tied, tied == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < named; i++)
        if (order[i]->tied)
            fprintf(out, "%s#%zu", listed++ ? ", " : "", i + 1);
    if (listed < tied)
        fprintf(out, "%s%zu more", listed ? " and " : "", tied - listed);
    if (search->playoff.played)
        fprintf(out, "; differences below %.1f%% are within the noise",
                100 * search->playoff.resolution);
    putc('\n', out);
}

/* Speed-ups against a time that no play-off has confirmed, from another run. */
static void print_old_default(const struct ct_search *search, size_t count, FILE *out)
{
    const struct ct_evaluated *entry = &search->defaults.result;

    if (count && ct_search_default_ns(search) > 0 && entry->stored && !entry->rounds)
        fprintf(out,
                "default   timed in a single process of an earlier run that was rough or "
                "interrupted: speed-ups\n          may be off; use --fresh to time it "
                "again\n");
}

/* Samples saved by racing, and interference by other programs. */
static void print_race(const struct ct_search *search, FILE *out)
{
    const struct ct_scheduler_stats *stats = &search->jobs.stats;
    char number[CT_FORMAT_SIZE];
    char all[CT_FORMAT_SIZE];
    char duration[CT_FORMAT_SIZE];

    if (stats->samples_saved && stats->stopped_early)
        fprintf(out, "early stop %s of %s measured configurations, %s saved\n",
                ct_format_count(number, stats->stopped_early),
                ct_format_count(all, stats->measured),
                ct_format_duration(duration, (double)stats->saved_ns / 1e9));
    if (search->second.timed)
        fprintf(out, "again     %s that seemed slow, %s of them faster than at first\n",
                ct_format_count(number, search->second.timed),
                ct_format_count(all, search->second.faster));
    if (stats->samples_retaken)
        fprintf(out, "repeated  %s samples, because other programs were running\n",
                ct_format_count(number, stats->samples_retaken));
}

static json_t *race_json(const struct ct_search *search)
{
    const struct ct_scheduler_stats *stats = &search->jobs.stats;

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "second_tries",
                     (json_int_t)stats->second_tries, "stopped_early",
                     (json_int_t)stats->stopped_early, "samples_saved",
                     (json_int_t)stats->samples_saved, "saved_ns",
                     (json_int_t)stats->saved_ns, "samples_added",
                     (json_int_t)stats->samples_added, "added_ns",
                     (json_int_t)stats->added_ns, "samples_retaken",
                     (json_int_t)stats->samples_retaken, "looked_twice",
                     (json_int_t)search->second.timed, "faster_then",
                     (json_int_t)search->second.faster);
}

/* That processes differ more or less than the line of the A/A test says. */
static void print_spread(const struct ct_search_playoff *playoff, FILE *out)
{
    if (playoff->spread > 0)
        fprintf(
            out,
            "          ratios differ by %.1f%% from process to process, more than the default's "
            "times\n          do: the play-off began anew, with all that may be the best then\n",
            100 * playoff->spread);
    else if (playoff->settled.freedom)
        fprintf(
            out,
            "          ratios differ by %.1f%% at most from process to process, which the A/A test "
            "did not\n          show: few rounds decide\n",
            100 * playoff->settled.deviation * sqrt(2));
}

/* Its limit is a share that the A/A test is part of. */
static void print_playoff(const struct ct_search *search, size_t count, FILE *out)
{
    const struct ct_search_playoff *playoff = &search->playoff;
    char number[CT_FORMAT_SIZE];
    char all[CT_FORMAT_SIZE];
    char duration[CT_FORMAT_SIZE];
    char planned[CT_FORMAT_SIZE];
    char most[CT_FORMAT_SIZE];
    double spent_ns = (double)playoff->spent_ns + 1e9 * search->budget.noise_s;
    double total_ns = (double)(search->pace.end_ns - search->pace.start_ns);

    fprintf(out, "play-off  %s of %s in %zu processes, %s (%s %s, planned %s)%s\n",
            ct_format_count(number, playoff->entrants), ct_format_count(all, count),
            playoff->processes,
            ct_format_duration(duration, (double)playoff->spent_ns / 1e9),
            playoff->hard ? "at most" : "up to about",
            ct_format_duration(most, playoff->limit_s),
            ct_format_duration(planned, playoff->planned_s),
            playoff->cut ? "; cut short: use a larger --playoff" : "");
    if (search->pace.end_ns > search->pace.start_ns)
        fprintf(
            out, "          %s%.0f%% of the search%s\n",
            search->budget.noise_s > 0 ? "with the A/A test " : "",
            100 * spent_ns / total_ns,
            playoff->hard
                ? ""
                : "; the limit is a quarter, or up to 6 s, or what intervals require");
    print_spread(playoff, out);
}

static void print_rough(size_t alternated, FILE *out)
{
    if (alternated)
        fprintf(
            out,
            "rough     each time comes from a single process, those of the %zu leaders "
            "from one in which they alternated; run without --rough to separate "
            "them\n",
            alternated);
    else
        fprintf(out,
                "rough     each time comes from a single process; run without --rough to "
                "separate the leaders\n");
}

void ct_report_confidence(const struct ct_search *search,
                          const struct ct_evaluated *const *order, size_t count,
                          FILE *out)
{
    const struct ct_search_playoff *playoff = &search->playoff;
    char number[CT_FORMAT_SIZE];
    struct ct_str text;
    uint64_t since = 0;
    double change = ct_drift_change(&search->drift.series, &since);

    print_ties(search, order, count, out);
    if (playoff->played)
        print_playoff(search, count, out);
    else if (search->options->rough && count > 1)
        print_rough(playoff->alternated, out);
    if (playoff->doubtful)
        fprintf(
            out,
            "          #1 was as fast as those tied with it side by side, but slower in "
            "the later processes\n          that its time is from: times on this device "
            "vary from minute to minute\n");
    print_old_default(search, count, out);
    print_race(search, out);
    if (search->noise.known) {
        ct_str_init(&text);
        ct_report_put_noise(search, &text);
        fprintf(out, "noise     %s\n", text.data);
        ct_str_release(&text);
    }
    if (change != 0)
        fprintf(out, "drift     the device has been %.0f%% %s since evaluation %s\n",
                100 * fabs(change), change > 0 ? "slower" : "faster",
                ct_format_count(number, since));
}

static json_t *noise_json(const struct ct_search *search)
{
    const struct ct_noise *noise = &search->noise.result;

    if (!search->noise.known)
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "processes",
                     (json_int_t)noise->processes, "median_ns", noise->median_ns,
                     "within", noise->within, "between", noise->between, "resolution",
                     noise->resolution, "playoff_resolution", noise->playoff_resolution,
                     "samples", (json_int_t)search->noise.samples, "spent_ns",
                     (json_int_t)noise->spent_ns);
}

static json_t *playoff_json(const struct ct_search *search)
{
    const struct ct_search_playoff *playoff = &search->playoff;

    if (!playoff->played)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:f, s:b, s:I, s:f, s:f, s:b, s:f, s:f}",
                     "entrants", (json_int_t)playoff->entrants, "processes",
                     (json_int_t)playoff->processes, "tied", (json_int_t)playoff->tied,
                     "resolution", playoff->resolution, "doubtful",
                     playoff->doubtful ? 1 : 0, "spent_ns", (json_int_t)playoff->spent_ns,
                     "limit_ns", 1e9 * playoff->limit_s, "planned_ns",
                     1e9 * playoff->planned_s, "cut", playoff->cut ? 1 : 0, "spread",
                     playoff->spread, "settled", playoff->settled.deviation);
}

/* The results shown as the best (NULL: none) and as the default, if this run has timed them;
 * returns how many. */
static size_t timed_results(const struct ct_search *search,
                            const struct ct_evaluated *best, struct ct_timed out[2])
{
    const struct ct_evaluated *shown[2] = {best, NULL};
    static const char *const names[] = {"the best", "the default"};
    size_t count = 0;

    if (search->defaults.known && search->defaults.result.status == CT_RESULT_OK &&
        !(best && best->index == search->defaults.result.index))
        shown[1] = &search->defaults.result;
    for (size_t i = 0; i < 2; i++)
        if (shown[i] && !shown[i]->stored)
            out[count++] =
                ct_timing_timed(&shown[i]->timing, &shown[i]->observed,
                                search->work.device, names[i], shown[i]->rounds > 0);
    return count;
}

void ct_report_doubts(const struct ct_search *search, const struct ct_evaluated *best)
{
    struct ct_timed all[2];
    size_t count = timed_results(search, best, all);

    for (size_t i = 0; i < count; i++)
        ct_doubts_warn(&all[i]);
}

static json_t *warnings_json(const struct ct_search *search,
                             const struct ct_evaluated *best)
{
    struct ct_timed all[2];
    size_t count = timed_results(search, best, all);
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        ct_doubts_json(&all[i], array);
    return array;
}

void ct_report_confidence_json(const struct ct_search *search,
                               const struct ct_evaluated *best, struct json_t *object)
{
    uint64_t since = 0;
    double change = ct_drift_change(&search->drift.series, &since);

    json_object_set_new(object, "noise", noise_json(search));
    json_object_set_new(object, "playoff", playoff_json(search));
    json_object_set_new(object, "race", race_json(search));
    json_object_set_new(object, "drift",
                        json_pack("{s:I, s:f}", "times",
                                  (json_int_t)search->drift.series.count, "change",
                                  change));
    json_object_set_new(object, "warnings", warnings_json(search, best));
}
