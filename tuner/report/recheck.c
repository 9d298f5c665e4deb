// SPDX-License-Identifier: Apache-2.0
// Shows a recheck.
#include "base/show.h"
#include "plan/json.h"
#include "report/print.h"
#include "report/recheck.h"

#include "report/format.h"
#include "report/table.h"
#include "plan/identity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller changes are not reported. */
static const double change_min = 0.02;

/* --- then and now --- */

/* By how much a value is worse (above 1) or better than another. */
static double worse_ratio(const struct ct_recheck *recheck, double now, double then)
{
    return recheck->subject->maximize ? then / now : now / then;
}

/* Whether the intervals of the pick's time, today's and the stored one, are disjoint. */
static bool has_changed(const struct ct_recheck *recheck)
{
    const struct ct_entrant *now = &recheck->entrants[0];
    const struct ct_db_result *then = recheck->ones[0].then;
    double ratio = now->time_ns / then->time_ns;

    return now->time_ns > 0 && then->time_ns > 0 && fabs(ratio - 1) >= change_min &&
           (now->low_ns > then->high_ns || now->high_ns < then->low_ns);
}

static void put_values(const struct ct_recheck *recheck, size_t index, struct ct_str *out)
{
    ct_workload_put_config(&recheck->work, recheck->ones[index].values, out);
}

/* "1.32 ms then, 1.51 ms now: 14% slower; driver 3.1 then, 3.2 now" */
static void put_change(const struct ct_recheck *recheck, struct ct_str *out)
{
    const struct ct_db_result *then = recheck->ones[0].then;
    const struct ct_entrant *now = &recheck->entrants[0];
    const char *driver = recheck->work.device->driver_version;
    char a[CT_FORMAT_SIZE];
    char b[CT_FORMAT_SIZE];
    double ratio = now->time_ns / then->time_ns;

    if (recheck->refused || now->status != CT_RESULT_OK || !(now->time_ns > 0))
        ct_str_addf(out, "%s then", ct_format_time(a, then->time_ns));
    else if (has_changed(recheck))
        ct_str_addf(out, "%s then, %s now: %.0f%% %s", ct_format_time(a, then->time_ns),
                    ct_format_time(b, now->time_ns), 100 * fabs(ratio - 1),
                    ratio > 1 ? "slower" : "faster");
    else
        ct_str_addf(out, "%s then, %s now", ct_format_time(a, then->time_ns),
                    ct_format_time(b, now->time_ns));
    if (strcmp(recheck->subject->of.driver_version, driver) != 0)
        ct_str_addf(out, "; driver %s then, %s now", recheck->subject->of.driver_version,
                    driver);
    if (!recheck->refused &&
        strcmp(ct_spec_version(recheck->work.spec, &recheck->ones[0].plan).text,
               recheck->subject->source_hash.text) != 0)
        ct_str_puts(out, "; the kernel has changed since");
}

/* --- the verdict --- */

static const char *verdict_name(enum ct_recheck_verdict verdict)
{
    return verdict == CT_RECHECK_HOLDS    ? "holds"
           : verdict == CT_RECHECK_BEATEN ? "beaten"
                                          : "failed";
}

static void put_failure(const struct ct_recheck *recheck, struct ct_str *out)
{
    const struct ct_entrant *pick = &recheck->entrants[0];

    ct_str_addf(
        out, "%s: %s",
        ct_result_status_name(recheck->refused ? CT_RESULT_INVALID : pick->status),
        recheck->refused ? recheck->refused : pick->message);
}

static void print_verdict(const struct ct_recheck *recheck)
{
    const struct ct_playoff *playoff = &recheck->playoff;
    struct ct_str text;
    struct ct_str change;

    ct_str_init(&text);
    ct_str_init(&change);
    if (!recheck->refused)
        put_values(recheck, 0, &text);
    else
        ct_str_puts(&text, recheck->ones[0].then->configuration);
    put_change(recheck, &change);
    if (recheck->verdict == CT_RECHECK_HOLDS) {
        ct_print("still the best: %s; %s\n", text.data, change.data);
    } else if (recheck->verdict == CT_RECHECK_BEATEN) {
        ct_print("no longer the best: %s; %s\n", text.data, change.data);
    } else {
        struct ct_str why;

        ct_str_init(&why);
        put_failure(recheck, &why);
        ct_print("no longer works: %s; %s\n%s\n", text.data, change.data, why.data);
        ct_str_release(&why);
    }
    if (recheck->verdict != CT_RECHECK_HOLDS && !recheck->refused &&
        playoff->winner != SIZE_MAX) {
        ct_str_reset(&text);
        put_values(recheck, playoff->winner, &text);
        ct_print("the best now is %s", text.data);
        /* Contest and confirmation may disagree. */
        if (recheck->verdict == CT_RECHECK_BEATEN &&
            recheck->entrants[0].ranking.ratio > 1)
            ct_print(", %.1f%% better",
                     100 * (1 - 1 / recheck->entrants[0].ranking.ratio));
        ct_print_text("\n");
    }
    ct_str_release(&change);
    ct_str_release(&text);
}

/* --- for users --- */

/* What ranks, where that is no time of the device. */
static bool has_value(const struct ct_recheck *recheck)
{
    return strcmp(recheck->subject->objective, "time") != 0;
}

static void put_value(const struct ct_recheck *recheck, struct ct_table *table,
                      const struct ct_entrant *entrant)
{
    char text[CT_FORMAT_SIZE];
    double cost = entrant->ranking.cost;

    if (strcmp(recheck->subject->objective, "end_to_end") == 0)
        ct_table_cell(table, ct_format_time(text, entrant->end_to_end_ns));
    else
        ct_table_cell(table,
                      ct_format_real(text, recheck->subject->maximize ? 1 / cost : cost));
}

static void print_row(const struct ct_recheck *recheck, struct ct_table *table,
                      size_t index)
{
    const struct ct_entrant *entrant = &recheck->entrants[index];
    char time[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];
    struct ct_str config;

    ct_table_row(table);
    if (entrant->status != CT_RESULT_OK) {
        ct_table_cell(table, ct_result_status_name(entrant->status));
        ct_table_cell(table, "-");
        ct_table_cell(table, "-");
        if (has_value(recheck))
            ct_table_cell(table, "-");
        ct_table_cell(table, "-");
    } else {
        ct_table_cell(table, ct_rank_name(entrant->ranking.rank));
        ct_table_cell(table, ct_format_time(time, entrant->time_ns));
        ct_table_cellf(table, "%s - %s", ct_format_time(low, entrant->low_ns),
                       ct_format_time(high, entrant->high_ns));
        if (has_value(recheck))
            put_value(recheck, table, entrant);
        ct_table_cell(table, ct_format_ratio(time, entrant->ranking.ratio));
    }
    ct_table_cell(table, ct_format_time(time, recheck->ones[index].then->time_ns));
    ct_str_init(&config);
    put_values(recheck, index, &config);
    ct_table_cell(table, config.data);
    ct_str_release(&config);
}

static void print_table(const struct ct_recheck *recheck, size_t width)
{
    struct ct_table *table = ct_table_new();

    ct_table_column(table, "RANK", false);
    ct_table_column(table, "TIME", true);
    ct_table_column(table, "INTERVAL", true);
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
    if (has_value(recheck))
        ct_table_column(table,
                        strcmp(recheck->subject->objective, "end_to_end") == 0
                            ? "END TO END"
                            : recheck->subject->objective,
                        true);
    ct_table_column(table, "RATIO", true);
    ct_table_column(table, "THEN", true);
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    for (size_t i = 0; i < recheck->count; i++)
        print_row(recheck, table, i);
    ct_table_show(table, width);
    ct_table_free(table);
}

static void print_head(const struct ct_recheck *recheck)
{
    const struct ct_db_subject_best *subject = recheck->subject;
    const struct ct_binding *binding = recheck->work.binding;
    const struct ct_spec *spec = recheck->work.spec;
    struct ct_arena arena = {0};
    struct ct_str problem;
    char spent[CT_FORMAT_SIZE];

    ct_str_init(&problem);
    for (size_t i = 0; i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM) {
            ct_str_addf(&problem, " %s=", spec->slots.symbols[i].name);
            ct_value_print(&problem, binding->fixed[i]);
        }
    ct_print("%s%s%s on %s (driver %s)", ct_show_line(&arena, subject->of.kernel),
             *problem.data ? "," : "", problem.data,
             ct_show_line(&arena, subject->of.device_name),
             ct_show_line(&arena, recheck->work.device->driver_version));
    if (strcmp(subject->objective, "time") != 0)
        ct_print(", by %s", ct_show_line(&arena, subject->objective));
    if (recheck->played)
        ct_print(": %zu configurations in %zu processes, %s", recheck->count,
                 recheck->playoff.rounds + recheck->playoff.confirmed,
                 ct_format_duration(spent, (double)recheck->playoff.spent_ns / 1e9));
    ct_print_text("\n");
    ct_str_release(&problem);
    ct_arena_release(&arena);
}

void ct_report_recheck(const struct ct_recheck *recheck, bool quiet, size_t width)
{
    if (!quiet) {
        print_head(recheck);
        if (recheck->played)
            print_table(recheck, width);
    }
    print_verdict(recheck);
    if (recheck->playoff.doubtful)
        ct_print("doubtful: times on this device vary from minute to minute\n");
}

/* --- for programs --- */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *one_json(const struct ct_recheck *recheck, size_t index)
{
    const struct ct_entrant *entrant = &recheck->entrants[index];
    const struct ct_rechecked *one = &recheck->ones[index];
    bool ok = !recheck->refused && entrant->status == CT_RESULT_OK;
    json_t *times = json_array();
    json_t *config =
        one->values ? ct_json_values(recheck->work.spec, one->values) : json_object();

    for (size_t i = 0; ok && i < entrant->processes; i++)
        json_array_append_new(times, json_real(entrant->times_ns[i]));
    return json_pack(
        "{s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "configuration",
        recheck->refused ? (json_decref(config), ct_json_stored(one->then->configuration))
                         : config,
        "status",
        ct_result_status_name(recheck->refused ? CT_RESULT_INVALID : entrant->status),
        "rank", ok ? ct_json_text(ct_rank_name(entrant->ranking.rank)) : json_null(),
        "message",
        recheck->refused   ? recheck->refused
        : entrant->message ? entrant->message
                           : "",
        "time_ns", ok ? json_real(entrant->time_ns) : json_null(), "low_ns",
        ok ? json_real(entrant->low_ns) : json_null(), "high_ns",
        ok ? json_real(entrant->high_ns) : json_null(), "ratio",
        ok ? real_or_null(entrant->ranking.ratio) : json_null(), "rounds_ns", times,
        "then_ns", real_or_null(one->then->time_ns), "experiment",
        ct_json_text(one->experiment.text));
}

json_t *ct_report_recheck_json(const struct ct_recheck *recheck)
{
    const struct ct_db_subject_best *subject = recheck->subject;
    const struct ct_playoff *playoff = &recheck->playoff;
    json_t *all = json_array();
    bool won = recheck->played && playoff->winner != SIZE_MAX;

    for (size_t i = 0; i < recheck->count; i++)
        json_array_append_new(all, one_json(recheck, i));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:I, s:I, s:I, "
        "s:b}",
        "kernel", ct_json_text(subject->of.kernel), "device",
        ct_json_text(subject->of.device_name), "problem",
        ct_json_stored(subject->of.problem_json), "objective",
        ct_json_text(subject->objective), "driver",
        ct_json_text(recheck->work.device->driver_version), "driver_then",
        ct_json_text(subject->of.driver_version), "verdict",
        verdict_name(recheck->verdict), "changed",
        recheck->verdict != CT_RECHECK_FAILED && has_changed(recheck), "change",
        recheck->verdict != CT_RECHECK_FAILED
            ? real_or_null(worse_ratio(recheck, recheck->entrants[0].time_ns,
                                       recheck->ones[0].then->time_ns))
            : json_null(),
        "pick", one_json(recheck, 0), "winner",
        won ? one_json(recheck, playoff->winner) : json_null(), "entrants", all, "rounds",
        (json_int_t)playoff->rounds, "confirmed", (json_int_t)playoff->confirmed,
        "spent_ns", (json_int_t)playoff->spent_ns, "doubtful", playoff->doubtful ? 1 : 0);
}
