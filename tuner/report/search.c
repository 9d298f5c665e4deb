// SPDX-License-Identifier: Apache-2.0
// Shows a search before it measures, and its results.
#include "report/search.h"

#include "base/clock.h"
#include "report/format.h"
#include "report/observer.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/search_impl.h"
#include "report/siblings.h"
#include "report/width.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

static void put_problem(const struct ct_search *search, struct ct_str *out)
{
    const struct ct_spec *spec = search->work.spec;
    bool first = true;

    for (size_t i = 0; i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM) {
            ct_str_addf(out, "%s%s=", first ? "" : " ", spec->slots.symbols[i].name);
            ct_value_print(out, search->work.binding->fixed[i]);
            first = false;
        }
}

static void print_dry_details(const struct ct_plan *plan, FILE *out)
{
    struct ct_str options;
    char text[CT_FORMAT_SIZE];

    ct_str_init(&options);
    if (plan->program_count && ct_plan_options(&plan->programs[0], &options))
        fprintf(out, "  options    %s\n", options.data);
    ct_str_release(&options);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *b = &plan->buffers[i];
        char type[16];

        ct_type_name(b->type, type);
        fprintf(out, "  buffer     %s: %" PRIu64 " x %s, %s%s\n", b->name, b->count, type,
                ct_format_bytes(text, b->count * ct_type_size(b->type)),
                b->check != CT_CHECK_NONE ? ", checked" : "");
    }
}

/* What the level of effort means besides the budget. */
static void print_effort(const struct ct_search *search, FILE *out)
{
    const struct ct_tune_options *options = search->options;

    if (!options->effort)
        return;
    fprintf(out, "  effort     %s", options->effort);
    if (options->samples)
        fprintf(out, ", %" PRIu32 " sample%s per configuration", options->samples,
                options->samples == 1 ? "" : "s");
    if (options->rough)
        fputs(", neither A/A test nor play-off", out);
    else if (options->budget.playoff > 0)
        fprintf(out, ", play-off at most %.3g%% of the search",
                100 * options->budget.playoff);
    fputc('\n', out);
}

void ct_report_intent(const struct ct_search *search, bool details, FILE *out)
{
    uint64_t count = ct_space_count(search->work.space);
    int64_t units = ct_devinfo_int(search->work.device, CT_DEVICE_MAX_COMPUTE_UNITS, 0);
    struct ct_space_stats stats;
    struct ct_str text;
    char number[CT_FORMAT_SIZE];
    char other[CT_FORMAT_SIZE];

    ct_space_stats_get(search->work.space, &stats);
    fprintf(out, "%s: %s valid configurations of %s combinations\n",
            search->work.spec->path, ct_format_count(number, count),
            ct_format_big(other, stats.cartesian));
    fprintf(out, "  device     %s (%s, %" PRId64 " compute unit%s, driver %s)\n",
            ct_devinfo_text(search->work.device, CT_DEVICE_NAME),
            search->work.device->type, units, units == 1 ? "" : "s",
            search->work.device->driver_version);
    ct_report_siblings_intent(search, out);
    ct_str_init(&text);
    put_problem(search, &text);
    fprintf(out, "  kernel     %s%s%s\n", search->work.spec->kernel.name,
            *text.data ? ", " : "", text.data);
    ct_str_reset(&text);
    ct_workload_put_config(&search->work, search->work.default_values, &text);
    fprintf(out, "  default    %s%s\n", text.data,
            search->work.default_index == CT_OUTSIDE ? " (outside the restricted space)"
                                                     : "");
    if (search->objective.kind != CT_OBJECTIVE_TIME)
        fprintf(out, "  objective  %s, %s\n", search->objective.name,
                search->objective.maximize ? "maximized" : "minimized");
    ct_report_part(search, out);
    ct_str_reset(&text);
    ct_report_put_budget(search, &text);
    fprintf(out, "  strategy   %s%s\n", search->proposer.name, text.data);
    print_effort(search, out);
    ct_str_release(&text);
    if (details)
        print_dry_details(&search->defaults.plan, out);
    else if (count > CT_REPORT_ESTIMATE_AFTER &&
             (!search->budget.evaluations ||
              search->budget.evaluations > CT_REPORT_ESTIMATE_AFTER))
        fprintf(out, "  estimate   follows after %d evaluations\n",
                CT_REPORT_ESTIMATE_AFTER);
}

void ct_report_evaluated(const struct ct_search *search, const struct ct_event *event)
{
    const struct ct_evaluated *entry = event->entry;
    const struct ct_workload *work = &search->work;
    char time[CT_FORMAT_SIZE];
    struct ct_str text;

    ct_str_init(&text);
    ct_workload_values(work, entry->index);
    ct_workload_put_config(work, work->values, &text);
    if (event->duplicate_of) {
        ct_str_puts(&text, "  = ");
        ct_workload_values(work, *event->duplicate_of);
        ct_workload_put_config(work, work->values, &text);
        ct_str_puts(&text, " (same program)");
    }
    if (entry->stored)
        ct_str_puts(&text, "  (stored before)");
    if (entry->status == CT_RESULT_OK && !entry->verified)
        ct_str_puts(&text, "  (unverified)");
    if (*event->text)
        ct_str_addf(&text, ": %s", event->text);
    fprintf(ct_screen_err(), "%6zu  %-12s  %10s  %s\n", search->results.done_count,
            ct_result_status_name(entry->status),
            entry->status == CT_RESULT_OK ? ct_format_time(time, entry->time_ns) : "-",
            text.data);
    ct_str_reset(&text);
    if (!entry->stored && ct_report_put_why(search, entry->index, &text))
        fprintf(ct_screen_err(), "        %s\n", text.data);
    ct_str_release(&text);
}

bool ct_report_has_expected(const struct ct_spec *spec)
{
    bool expected = false;

    for (size_t i = 0; i < spec->buffer_count; i++)
        expected |= spec->buffers[i].has_expect;
    return expected || spec->reference.host.present || spec->reference.present;
}

/* Configurations that worked but were compared with nothing.  Even with a reference, a
 * configuration may use none of the checked buffers. */
static void print_unverified(const struct ct_search *search, FILE *out)
{
    const uint64_t worked = search->results.status_counts[CT_RESULT_OK];
    char number[CT_FORMAT_SIZE];
    char other[CT_FORMAT_SIZE];
    uint64_t count = 0;

    for (size_t i = 0; i < search->results.done_count; i++)
        count += search->results.done[i].status == CT_RESULT_OK &&
                         !search->results.done[i].verified
                     ? 1
                     : 0;
    if (count && !ct_report_has_expected(search->work.spec))
        fprintf(out,
                "unverified: the space file has no [reference] and no 'expect', so the "
                "best may be wrong\n");
    else if (count)
        fprintf(out,
                "unverified: %s of the %s successful configurations write no checked "
                "buffer, so the best may be wrong\n",
                ct_format_count(number, count), ct_format_count(other, worked));
}

/* "96 measured: 90 ok, 4 invalid, 2 wrong" */
static void print_counts(const struct ct_search *search, FILE *out)
{
    char number[CT_FORMAT_SIZE];
    char other[CT_FORMAT_SIZE];
    bool first = true;

    fprintf(out, "%s evaluated now, %s stored before",
            ct_format_count(number, search->results.evaluated),
            ct_format_count(other, search->results.reused - search->islands.adopted));
    if (search->islands.adopted)
        fprintf(out, ", %s by other islands",
                ct_format_count(number, search->islands.adopted));
    fprintf(out, ", of %s valid:",
            ct_format_count(number, ct_space_count(search->work.space)));
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (search->results.status_counts[i]) {
            fprintf(out, "%s %s %s", first ? "" : ",",
                    ct_format_count(number, search->results.status_counts[i]),
                    ct_result_status_name((enum ct_result_status)i));
            first = false;
        }
    putc('\n', out);
    print_unverified(search, out);
}

/* "2 builders: 96 built, 12 from stored binaries, 20 ..." */
static void print_scheduler(const struct ct_search *search, FILE *out)
{
    const struct ct_scheduler_stats *stats = &search->jobs.stats;
    char n[CT_FORMAT_SIZE];

    if (!stats->builders_started && !stats->runners_started)
        return;
    fprintf(out, "built     %s by %u builder%s", ct_format_count(n, stats->built),
            stats->jobs, stats->jobs == 1 ? "" : "s");
    if (stats->from_cache)
        fprintf(out, ", %s from stored binaries", ct_format_count(n, stats->from_cache));
    if (stats->macro_duplicates)
        fprintf(out, ", %s skipped (duplicates except for unused macros)",
                ct_format_count(n, stats->macro_duplicates));
    if (stats->refused)
        fprintf(out, ", %s skipped (certain to be refused by the device)",
                ct_format_count(n, stats->refused));
    fprintf(out, "\nmeasured  %s", ct_format_count(n, stats->measured));
    if (stats->binary_duplicates)
        fprintf(out, ", %s skipped (duplicate binaries)",
                ct_format_count(n, stats->binary_duplicates));
    if (*stats->duplicates_off && !search->options->no_duplicates)
        fprintf(out, "; duplicate binaries are not detected: %s", stats->duplicates_off);
    putc('\n', out);
    ct_report_siblings(search, out);
}

/* Only if the strategy has an estimate. */
static void print_chance(const struct ct_search *search, FILE *out)
{
    double chance = ct_search_chance(search);

    if (!isnan(chance))
        fprintf(out,
                "chance    %.0f%% (estimated by %s) that a configuration more than 5%% "
                "better remains\n",
                100 * chance, ct_strategy_name(search->proposer.strategy));
}

/* `text` as one word of a shell command. */
static void print_quoted(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_./:@%+-";

    if (*text && !text[strspn(text, plain)]) {
        ct_print_text(text);
        return;
    }
    fputc('\'', ct_screen_out());
    for (; *text; text++) {
        if (*text == '\'')
            ct_print_text("'\\''");
        else
            fputc(*text, ct_screen_out());
    }
    fputc('\'', ct_screen_out());
}

static void print_next(const struct ct_search *search)
{
    const struct ct_spec *spec = search->work.spec;

    const char *how =
        search->options->fresh ? "the same command without --fresh" : "the same command";

    if (search->interrupted)
        ct_print("interrupted; run %s to continue\n", how);
    else if (search->budget.end != CT_SEARCH_WHOLE) {
        struct ct_str text;

        ct_str_init(&text);
        ct_report_put_end(search, &text);
        ct_print("%s; run %s to continue\n", text.data, how);
        ct_str_release(&text);
    }
    if (search->options->shard.of || search->options->island.of) {
        ct_print("next      when all are done: cltune db merge, then cltune search "
                 "--playoff-only\n");
        return;
    }
    ct_print("look up   cltune best --device ");
    print_quoted(ct_devinfo_text(search->work.device, CT_DEVICE_NAME));
    for (size_t i = 0; i < spec->slots.count; i++)
        if (spec->slots.symbols[i].class == CT_SYM_PROBLEM) {
            struct ct_str value;

            ct_str_init(&value);
            ct_value_print(&value, search->work.binding->fixed[i]);
            ct_print(" -p %s=", spec->slots.symbols[i].name);
            print_quoted(value.data);
            ct_str_release(&value);
        }
    if (search->options->db) {
        ct_print(" --db ");
        print_quoted(search->options->db);
    }
    ct_print_text(*spec->kernel.name == '-' ? " -- " : " ");
    print_quoted(spec->kernel.name);
    ct_print_text("\n");
}

/* "all 10: ALGORITHM=transposed && SEGMENT>0" */
static void print_explanation(const struct ct_search *search,
                              enum ct_result_status status, FILE *out)
{
    struct ct_str text;
    char number[CT_FORMAT_SIZE];
    size_t count;

    ct_str_init(&text);
    if (ct_search_explain_failures(search, status, &count, &text) && !text.failed)
        fprintf(out, "  %-12s  all %s %s ones, and none that worked: %s\n", "",
                ct_format_count(number, count), ct_result_status_name(status), text.data);
    ct_str_release(&text);
}

/* One line for each kind, one for a second cause of it, and one for what they have in common. */
static void print_failures(const struct ct_search *search, FILE *out)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (i != CT_RESULT_SKIPPED && search->results.failures[i].first) {
            const struct ct_failure_kinds *kinds = &search->results.failures[i];

            fprintf(out, "  %-12s  %s\n", ct_result_status_name((enum ct_result_status)i),
                    kinds->first);
            if (kinds->other)
                fprintf(out, "  %-12s  %s\n", "other cause", kinds->other);
            print_explanation(search, (enum ct_result_status)i, out);
        }
}

/* Everything between the table and what to do next, in lines that fit. */
static void print_summary(const struct ct_search *search,
                          const struct ct_evaluated *const *order, size_t count,
                          const struct ct_report_form *form)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = form->width ? open_memstream(&text, &length) : NULL;
    struct ct_str lines;

    if (!out)
        out = ct_screen_out();
    ct_report_confidence(search, order, count, out);
    print_counts(search, out);
    print_failures(search, out);
    ct_report_importance(search, out);
    ct_report_ceiling(search, count ? order[0] : NULL, out);
    ct_report_verdict(search, out);
    print_scheduler(search, out);
    ct_report_spent(search, form->verbose, out);
    print_chance(search, out);
    if (out == ct_screen_out())
        return;
    ct_str_init(&lines);
    if (fclose(out) == 0 && text)
        ct_width_wrap_lines(&lines, text, form->width);
    ct_print_text(lines.data ? lines.data : "");
    ct_str_release(&lines);
    free(text);
}

void ct_report_search(const struct ct_search *search, const struct ct_report_form *form)
{
    size_t count;
    const struct ct_evaluated **order = ct_search_ranking(search, &count);
    const struct ct_evaluated *best;

    if (!order)
        return;
    best = count ? order[0] : NULL;
    if (form->json) {
        ct_report_search_json(search, order, count, count < SHOWN ? count : SHOWN);
    } else {
        if (count)
            ct_report_search_table(search, order, count < SHOWN ? count : SHOWN,
                                   form->width);
        ct_report_per_value(search, order, count, form->width);
        print_summary(search, order, count, form);
        if (count)
            print_next(search);
    }
    if (!form->quiet)
        ct_report_doubts(search, best);
    free(order);
}
