// SPDX-License-Identifier: Apache-2.0
// The importance of parameters in words.
#include "report/importance.h"

#include "base/show.h"
#include "report/format.h"

#include <math.h>

enum {
    NAMES_MOST = 4,  /* in one sentence */
    WORTHS_MOST = 2, /* sentences about values */
};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* "1.4", "12": percent. */
static void put_percent(struct ct_str *out, double share)
{
    ct_str_addf(out, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

/* Shares over a model are no more precise than this. */
static void put_share(const struct ct_importance *importance, double share,
                      struct ct_str *out)
{
    if (importance->whole)
        ct_str_addf(out, "%.0f%%", 100 * share);
    else
        ct_str_addf(out, "about %.0f%%", 10 * round(10 * share));
}

static void put_level(const struct ct_importance_level *level, struct ct_str *out)
{
    struct ct_str text;

    ct_str_init(&text);
    if (level->low.kind == CT_NONE)
        ct_str_puts(&text, "(inactive)");
    ct_value_print(&text, level->low);
    if (!ct_value_equal(level->low, level->high) && level->high.kind != CT_NONE) {
        ct_str_puts(&text, "..");
        ct_value_print(&text, level->high);
    }
    ct_show_add(out, text.data, text.length, CT_SHOW_LINE);
    ct_str_release(&text);
}

static void put_name(const char *name, struct ct_str *out)
{
    struct ct_arena arena = {0};

    ct_str_puts(out, ct_show_line(&arena, name));
    ct_arena_release(&arena);
}

/* "A, B and C", at most NAMES_MOST of them. */
static void put_names(const char *const *names, size_t count, struct ct_str *out)
{
    size_t shown = count <= NAMES_MOST ? count : NAMES_MOST - 1;

    for (size_t i = 0; i < shown; i++) {
        ct_str_puts(out, i == 0 ? "" : i + 1 == count && shown == count ? " and " : ", ");
        put_name(names[i], out);
    }
    if (shown < count)
        ct_str_addf(out, " and %zu more", count - shown);
}

static double weight_of(const struct ct_importance_param *param)
{
    return isnan(param->total) || param->main > param->total ? param->main : param->total;
}

/* --- sentences --- */

static void put_alike(const struct ct_importance *importance, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    ct_str_addf(out,
                "no parameter makes a difference: 95%% of the %s results are within ",
                ct_format_count(number, importance->results));
    put_percent(out, importance->spread);
    ct_str_puts(out, " of the best");
}

static void put_unclear(const struct ct_importance *importance, struct ct_str *out)
{
    char number[CT_FORMAT_SIZE];

    ct_str_addf(out,
                "it is too early to say which parameters matter: a model of the %s "
                "results predicts %.0f%% of the variation, %.0f%% is required",
                ct_format_count(number, importance->results), 100 * importance->explained,
                100 * CT_IMPORTANCE_EXPLAINED);
}

/* Whether the first parameters matter by the results alone, or are in a pair that does: a model's
 * shares alone may come from a few results, and those of a whole space from noise. */
static bool is_supported(const struct ct_importance *importance, size_t count)
{
    size_t supported = 0;

    for (size_t p = 0; p < count; p++) {
        const struct ct_importance_param *param = &importance->params[p];
        bool paired = false;

        for (size_t i = 0; i < importance->pair_count; i++)
            paired = paired || importance->pairs[i].names[0] == param->name ||
                     importance->pairs[i].names[1] == param->name;
        supported += param->matters || paired ? 1 : 0;
    }
    return supported == count;
}

/* "1 of 8 parameters decides: VEC; the others explain less than 10% of the variation"; of the
 * first one alone if it is not known how many decide (0). */
static void put_deciding(const struct ct_importance *importance, size_t count,
                         struct ct_str *out)
{
    const struct ct_importance_param *params = importance->params;
    const char *names[NAMES_MOST + 1];
    uint64_t all = importance->results + importance->failed;

    if (!count) {
        put_name(params[0].name, out);
        ct_str_puts(out, " matters most: ");
        put_share(importance, weight_of(&params[0]), out);
        ct_str_puts(out, " of the variation depends on it");
    } else {
        ct_str_addf(out, "%zu of %zu parameter%s decide%s: ", count,
                    importance->param_count, plural(importance->param_count),
                    count == 1 ? "s" : "");
        for (size_t i = 0; i <= NAMES_MOST && i < count; i++)
            names[i] = params[i].name;
        put_names(names, count, out);
        if (count < importance->param_count)
            ct_str_addf(out, "; the other%s explain%s less than %.0f%% of the variation",
                        plural(importance->param_count - count),
                        importance->param_count - count == 1 ? "s" : "",
                        100 * (1 - CT_IMPORTANCE_DECIDING));
    }
    if (importance->failed)
        ct_str_addf(out, " (without the %.0f%% of results that failed)",
                    ceil(100 * (double)importance->failed / (double)all));
}

static void put_worth(const struct ct_importance_param *param, struct ct_str *out)
{
    char worth[CT_FORMAT_SIZE];
    char low[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    put_name(param->name, out);
    ct_str_putc(out, '=');
    put_level(&param->best, out);
    ct_str_addf(out, " is worth %s over %s", ct_format_ratio(worth, param->worth),
                param->versus_default ? "the default " : "");
    put_name(param->name, out);
    ct_str_putc(out, '=');
    put_level(&param->versus, out);
    ct_str_addf(out, ", on average (95%% interval %s to %s)",
                ct_format_ratio(low, param->low), ct_format_ratio(high, param->high));
}

/* False: there is none. */
static bool put_nothing(const struct ct_importance *importance, struct ct_str *out)
{
    const char *names[NAMES_MOST + 1];
    double within = 0;
    size_t count = 0;

    for (size_t p = 0; p < importance->param_count; p++) {
        const struct ct_importance_param *param = &importance->params[p];

        if (!param->no_difference)
            continue;
        if (count <= NAMES_MOST)
            names[count] = param->name;
        count++;
        within = fmax(within, param->within);
    }
    if (!count)
        return false;
    put_names(names, count, out);
    ct_str_puts(out, count == 1 ? " makes no difference (" : " make no difference (");
    if (within < 0.001)
        ct_str_puts(out, "less than 0.1%");
    else
        put_percent(out, within);
    ct_str_puts(out, " in 9 of 10 comparisons)");
    return true;
}

static void put_pair(const struct ct_importance *importance, struct ct_str *out)
{
    const struct ct_importance_pair *pair = &importance->pairs[0];

    put_names(pair->names, 2, out);
    ct_str_puts(out, " interact: the effect of one depends on the other (");
    put_share(importance, pair->share, out);
    ct_str_puts(out, " of the variation)");
}

size_t ct_report_importance_sentences(const struct ct_importance *importance,
                                      struct ct_str *out)
{
    size_t count = 0;
    size_t worths = 0;

    if (importance->state == CT_IMPORTANCE_TOO_FEW)
        return 0;
    if (importance->state == CT_IMPORTANCE_ALIKE) {
        put_alike(importance, &out[0]);
        return 1;
    }
    if (importance->state == CT_IMPORTANCE_UNCLEAR) {
        put_unclear(importance, &out[0]);
        return 1;
    }
    if (importance->deciding && is_supported(importance, importance->deciding))
        put_deciding(importance, importance->deciding, &out[count++]);
    else if (is_supported(importance, 1))
        put_deciding(importance, 0, &out[count++]);
    for (size_t p = 0; p < importance->param_count && worths < WORTHS_MOST; p++)
        if (importance->params[p].matters) {
            put_worth(&importance->params[p], &out[count++]);
            worths++;
        }
    if (put_nothing(importance, &out[count]))
        count++;
    if (importance->pair_count)
        put_pair(importance, &out[count++]);
    return count;
}
