// SPDX-License-Identifier: Apache-2.0
// Budgets, noise and predictions of a search in words.
#include "report/search_impl.h"

#include "judge/policy.h"
#include "report/format.h"

void ct_report_put_value(const struct ct_search *search, double value, struct ct_str *out)
{
    char text[CT_FORMAT_SIZE];

    if (search->objective.kind == CT_OBJECTIVE_METRIC)
        ct_str_addf(out, "%s %s", search->objective.name, ct_format_real(text, value));
    else
        ct_str_puts(out, ct_format_time(text, value));
}

void ct_report_put_budget(const struct ct_search *search, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    if (search->budget.evaluations)
        ct_str_addf(out, ", at most %s new evaluations%s",
                    ct_format_count(number, search->budget.evaluations),
                    search->budget.is_share ? " (a share of the valid ones)" : "");
    if (search->budget.seconds > 0)
        ct_str_addf(out, ", at most %s",
                    ct_format_duration(number, search->budget.seconds));
    if (search->budget.reserved_s > 0)
        ct_str_addf(out, " (%s of it for the play-off)",
                    ct_format_duration(number, search->budget.reserved_s));
    if (search->budget.has_target) {
        ct_str_puts(out, ", until ");
        ct_report_put_value(search, search->budget.target, out);
        ct_str_puts(out, search->objective.maximize ? " or more" : " or less");
    }
    if (search->budget.no_progress)
        ct_str_addf(out, ", at most %s in a row without improvement",
                    ct_format_count(number, search->budget.no_progress));
    if (search->budget.until_chance > 0)
        ct_str_addf(out,
                    ", until the chance of a configuration more than 5%% better is below "
                    "%.3g%%",
                    100 * search->budget.until_chance);
}

void ct_report_put_end(const struct ct_search *search, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    switch (search->budget.end) {
    case CT_SEARCH_WHOLE:
        break;
    case CT_SEARCH_EVALUATIONS:
        ct_str_addf(out, "the budget of %s new evaluations is used up",
                    ct_format_count(number, search->budget.evaluations));
        break;
    case CT_SEARCH_FRACTION:
        ct_str_addf(out,
                    "the budget of %s new evaluations (a share of the space) is used up",
                    ct_format_count(number, search->budget.evaluations));
        break;
    case CT_SEARCH_TIME:
        ct_str_addf(out, "the time budget of %s is used up",
                    ct_format_duration(number, search->budget.seconds));
        break;
    case CT_SEARCH_TARGET:
        ct_str_puts(out, "the target of ");
        ct_report_put_value(search, search->budget.target, out);
        ct_str_puts(
            out,
            ct_search_target_reached(search)
                ? " is reached"
                : " was reached in single processes but never confirmed by a play-off");
        break;
    case CT_SEARCH_NO_PROGRESS:
        ct_str_addf(out, "%s new evaluations in a row found nothing better",
                    ct_format_count(number, search->budget.no_progress));
        break;
    case CT_SEARCH_CHANCE:
        ct_str_addf(
            out,
            "the estimated chance of a configuration more than 5%% better is below "
            "%.3g%%",
            100 * search->budget.until_chance);
        break;
    case CT_SEARCH_ALL_WRONG: /* the error says it */
        ct_str_puts(out, "every value is wrong");
        break;
    }
}

bool ct_report_put_why(const struct ct_search *search, int64_t index, struct ct_str *out)
{
    bool maximize = search->objective.maximize;
    double sign = maximize ? -1 : 1;
    struct ct_why why;

    if (!ct_search_why(search, index, &why))
        return false;
    if (why.predicted) {
        double low = maximize ? -why.high : why.low;
        double high = maximize ? -why.low : why.high;

        ct_str_puts(out, "predicted ");
        ct_report_put_value(search, sign * why.objective, out);
        ct_str_puts(out, " (");
        ct_report_put_value(search, low, out);
        ct_str_puts(out, " to ");
        ct_report_put_value(search, high, out);
        ct_str_puts(out, "): ");
    }
    ct_str_puts(out, why.reason);
    if (why.predicted)
        ct_str_addf(out, " (%.0f%%)", 100 * why.is_better);
    return true;
}

void ct_report_put_noise(const struct ct_search *search, struct ct_str *out)
{
    const struct ct_noise *noise = &search->noise.result;

    uint32_t samples = search->noise.samples ? search->noise.samples : noise->samples;

    if (noise->resolution > CT_POLICY_NOISE_USELESS) {
        ct_str_addf(out,
                    "%.1f%% between processes, %.1f%% within: times of the same program "
                    "vary too much to compare configurations before the play-off; close "
                    "other programs, or fix the device's clocks; %u samples each",
                    100 * noise->between, 100 * noise->within, samples);
        return;
    }
    ct_str_addf(out,
                "%.1f%% between processes, %.1f%% within; differences above %.1f%% are "
                "significant (%.1f%% in a play-off); %u samples each",
                100 * noise->between, 100 * noise->within, 100 * noise->resolution,
                100 * noise->playoff_resolution, samples);
}
