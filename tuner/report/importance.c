// SPDX-License-Identifier: Apache-2.0
// The importance of parameters as JSON and as tables.
#include "report/importance.h"

#include "base/show.h"
#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/search_impl.h"
#include "report/stored.h"

#include <math.h>
#include <stdio.h>

static const char *const states[] = {[CT_IMPORTANCE_TOO_FEW] = "too_few",
                                     [CT_IMPORTANCE_ALIKE] = "alike",
                                     [CT_IMPORTANCE_UNCLEAR] = "unclear",
                                     [CT_IMPORTANCE_KNOWN] = "known"};

/* --- JSON --- */

static json_t *real_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *level_json(const struct ct_importance_level *level)
{
    if (ct_value_equal(level->low, level->high))
        return ct_json_value(&level->low);
    return json_pack("{s:o, s:o}", "low", ct_json_value(&level->low), "high",
                     ct_json_value(&level->high));
}

static json_t *param_json(const struct ct_importance_param *param)
{
    bool compared = !isnan(param->worth);

    return json_pack(
        "{s:o, s:I, s:f, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:b, s:I, s:o, s:b}", "name",
        ct_json_text(param->name), "levels", (json_int_t)param->levels, "main",
        param->main, "total", real_json(param->total), "best",
        compared ? level_json(&param->best) : json_null(), "versus",
        compared ? level_json(&param->versus) : json_null(), "versus_default",
        param->versus_default ? 1 : 0, "worth", real_json(param->worth), "worth_low",
        real_json(param->low), "worth_high", real_json(param->high), "matters",
        param->matters ? 1 : 0, "witnesses", (json_int_t)param->witnesses, "within",
        real_json(param->within), "no_difference", param->no_difference ? 1 : 0);
}

static json_t *sentences_json(const struct ct_importance *importance)
{
    struct ct_str sentences[CT_IMPORTANCE_SENTENCES];
    json_t *array = json_array();
    size_t count;

    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++)
        ct_str_init(&sentences[i]);
    count = ct_report_importance_sentences(importance, sentences);
    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++) {
        if (i < count)
            json_array_append_new(array, ct_json_text(sentences[i].data));
        ct_str_release(&sentences[i]);
    }
    return array;
}

struct json_t *ct_report_importance_json(const struct ct_importance *importance)
{
    json_t *params = json_array();
    json_t *pairs = json_array();
    bool known = importance->state >= CT_IMPORTANCE_UNCLEAR;

    for (size_t p = 0; known && p < importance->param_count; p++)
        json_array_append_new(params, param_json(&importance->params[p]));
    for (size_t i = 0; i < importance->pair_count; i++)
        json_array_append_new(pairs,
                              json_pack("{s:[o, o], s:f}", "parameters",
                                        ct_json_text(importance->pairs[i].names[0]),
                                        ct_json_text(importance->pairs[i].names[1]),
                                        "share", importance->pairs[i].share));
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "state",
        states[importance->state], "over", importance->whole ? "results" : "model",
        "results", (json_int_t)importance->results, "failed",
        (json_int_t)importance->failed, "needed", (json_int_t)importance->needed,
        "explained", known ? real_json(importance->explained) : json_null(), "spread",
        real_json(importance->spread), "deciding",
        importance->deciding ? json_integer((json_int_t)importance->deciding)
                             : json_null(),
        "parameters", params, "interactions", pairs, "text", sentences_json(importance));
}

/* --- a search --- */

/* Prints sentences behind a head, each on lines of its own. */
static void print_sentences(const struct ct_importance *importance, const char *head,
                            const char *next, FILE *out)
{
    struct ct_str sentences[CT_IMPORTANCE_SENTENCES];
    size_t count;

    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++)
        ct_str_init(&sentences[i]);
    count = ct_report_importance_sentences(importance, sentences);
    for (size_t i = 0; i < CT_IMPORTANCE_SENTENCES; i++) {
        if (i < count)
            fprintf(out, "%s%s\n", i ? next : head, sentences[i].data);
        ct_str_release(&sentences[i]);
    }
}

void ct_report_importance(const struct ct_search *search, FILE *out)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_importance importance;

    /* Out of memory: the rest of the report is worth more than a complaint. */
    if (ct_importance_of_search(search, &importance, &err))
        return;
    print_sentences(&importance, "insight   ", "          ", out);
    ct_importance_release(&importance);
}

struct json_t *ct_report_search_importance_json(const struct ct_search *search)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_importance importance;
    json_t *json;

    if (ct_importance_of_search(search, &importance, &err))
        return json_null();
    json = ct_report_importance_json(&importance);
    ct_importance_release(&importance);
    return json;
}

/* --- stored results --- */

static void cell_level(struct ct_table *table, const struct ct_importance_param *param,
                       const struct ct_importance_level *level)
{
    struct ct_arena arena = {0};
    struct ct_str text;

    if (isnan(param->worth)) {
        ct_table_cell(table, "-");
        return;
    }
    ct_str_init(&text);
    ct_value_print(&text, level->low);
    if (!ct_value_equal(level->low, level->high)) {
        ct_str_puts(&text, "..");
        ct_value_print(&text, level->high);
    }
    ct_table_cell(table, ct_show_line(&arena, text.data));
    ct_str_release(&text);
    ct_arena_release(&arena);
}

static void put_param(struct ct_table *table, const struct ct_importance_param *param)
{
    struct ct_arena arena = {0};
    char number[CT_FORMAT_SIZE];
    char high[CT_FORMAT_SIZE];

    ct_table_row(table);
    ct_table_cell(table, ct_show_line(&arena, param->name));
    ct_table_cellf(table, "%.0f%%", 100 * param->main);
    if (isnan(param->total))
        ct_table_cell(table, "-");
    else
        ct_table_cellf(table, "%.0f%%", 100 * param->total);
    cell_level(table, param, &param->best);
    cell_level(table, param, &param->versus);
    ct_table_cell(table,
                  isnan(param->worth) ? "-" : ct_format_ratio(number, param->worth));
    if (isnan(param->worth))
        ct_table_cell(table, "-");
    else
        ct_table_cellf(table, "%s - %s", ct_format_ratio(number, param->low),
                       ct_format_ratio(high, param->high));
    ct_table_cell(table, param->matters         ? "matters"
                         : param->no_difference ? "no difference"
                                                : "");
    ct_arena_release(&arena);
}

static enum ct_status print_params(const struct ct_importance *importance, size_t width,
                                   struct ct_err *err)
{
    struct ct_table *table = ct_table_new();
    bool shown;

    ct_table_column(table, "PARAMETER", false);
    ct_table_column(table, "ALONE", true);
    ct_table_column(table, "TOTAL", true);
    ct_table_column(table, "BEST", true);
    ct_table_column(table, "OVER", true);
    ct_table_column(table, "WORTH", true);
    ct_table_column(table, "INTERVAL", true);
    ct_table_yields(table, (struct ct_table_yield){.leaves = CT_TABLE_FOR_ALL});
    ct_table_column(table, "VERDICT", false);
    for (size_t p = 0; p < importance->param_count; p++)
        put_param(table, &importance->params[p]);
    shown = ct_table_show(table, width);
    ct_table_free(table);
    return shown ? CT_OK : ct_err_nomem(err);
}

static enum ct_status print_subject(const struct ct_stored_subject *s,
                                    const struct ct_importance *importance, size_t width,
                                    struct ct_err *err)
{
    struct ct_arena arena = {0};
    char number[CT_FORMAT_SIZE];
    enum ct_status status = CT_OK;
    struct ct_str problem;

    ct_str_init(&problem);
    ct_report_put_stored(&problem, s->of.problem_json, NULL);
    ct_print("%s%s on %s%s%s: ", ct_show_line(&arena, s->of.kernel),
             s->of.outdated ? " (an older version of its source)" : "",
             ct_show_line(&arena, s->of.device_name), problem.length ? ", " : "",
             problem.length ? problem.data : "");
    ct_str_release(&problem);
    ct_print("importance over %s result%s%s",
             ct_format_count(number, importance->results),
             importance->results == 1 ? "" : "s",
             importance->whole ? "" : " by a model of them");
    if (importance->failed)
        ct_print(", without %s that failed", ct_format_count(number, importance->failed));
    ct_print_text("\n");
    ct_arena_release(&arena);
    if (importance->state == CT_IMPORTANCE_TOO_FEW)
        ct_print("too few results: at least %zu that worked are required\n",
                 importance->needed);
    if (importance->state >= CT_IMPORTANCE_UNCLEAR)
        status = print_params(importance, width, err);
    print_sentences(importance, "", "", ct_screen_out());
    return status;
}

enum ct_status ct_report_importance_stored(const struct ct_stored_columns *columns,
                                           size_t width, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < columns->count && !status; i++) {
        struct ct_importance importance;

        status = ct_importance_of_stored(&columns->subjects[i], &importance, err);
        if (status)
            break;
        if (i)
            ct_print_text("\n");
        status = print_subject(&columns->subjects[i], &importance, width, err);
        ct_importance_release(&importance);
    }
    return status;
}

enum ct_status ct_report_importance_stored_json(const struct ct_stored_columns *columns,
                                                struct ct_err *err)
{
    json_t *array = json_array();
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < columns->count && !status; i++) {
        const struct ct_stored_subject *s = &columns->subjects[i];
        struct ct_importance importance;

        status = ct_importance_of_stored(s, &importance, err);
        if (status)
            break;
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:b, s:o, s:o}", "kernel",
                                        ct_json_text(s->of.kernel), "device",
                                        ct_json_text(s->of.device_name), "outdated",
                                        s->of.outdated ? 1 : 0, "problem",
                                        ct_json_stored(s->of.problem_json), "importance",
                                        ct_report_importance_json(&importance)));
        ct_importance_release(&importance);
    }
    if (!status)
        ct_report_json(array);
    json_decref(array);
    return status;
}
