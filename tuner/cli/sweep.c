// SPDX-License-Identifier: Apache-2.0
// Several values per size: all combinations of them.
#include "cli/sweep.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Splits at commas outside parentheses; false if out of memory. */
static bool split(const struct ct_setting *setting, struct ct_sweep_list *list)
{
    int depth = 0;

    list->name = setting->name;
    list->text = ct_mem_copy(setting->text, strlen(setting->text));
    list->count = 1;
    if (!list->text)
        return false;
    for (char *c = list->text; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == ',' && !depth) {
            *c = '\0';
            list->count++;
        }
    }
    return true;
}

const char *ct_sweep_value(const struct ct_sweep_list *list, size_t n)
{
    const char *text = list->text;

    while (n--)
        text += strlen(text) + 1;
    return text;
}

/* --- weights --- */

/* The colon before a weight: the last one that belongs neither to a text nor to a choice `a ? b : c`;
 * NULL if there is none. */
static char *weight_colon(char *value)
{
    char *colon = NULL;
    char quote = '\0';
    int depth = 0;
    int choices = 0;

    for (char *c = value; *c; c++) {
        if (quote) {
            quote = *c == quote ? '\0' : quote;
            continue;
        }
        quote = *c == '\'' || *c == '"' ? *c : '\0';
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        choices += !depth && *c == '?';
        if (*c != ':' || depth)
            continue;
        colon = choices ? colon : c;
        choices -= choices > 0;
    }
    return colon;
}

/* Takes the weights off the values. */
static enum ct_status read_weights(struct ct_sweep_list *list, struct ct_err *err)
{
    char *value = list->text;
    char *to = list->text;
    size_t given = 0;

    list->weights = ct_mem_array(list->count, sizeof(*list->weights));
    if (!list->weights)
        return ct_err_nomem(err);
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(value);
        char *colon = weight_colon(value);
        char *end = colon;

        if (colon) {
            list->weights[i] = strtod(colon + 1, &end);
            if (end == colon + 1 || *end || !(list->weights[i] > 0) ||
                !isfinite(list->weights[i]))
                return ct_err_set(err, CT_E_USAGE,
                                  "-p %s=...%s: a weight must be a positive number, not "
                                  "'%s'",
                                  list->name, colon, colon + 1);
            *colon = '\0';
            given++;
        }
        memmove(to, value, strlen(value) + 1);
        to += strlen(to) + 1;
        value += length + 1;
    }
    if (given && given < list->count)
        return ct_err_set(err, CT_E_USAGE,
                          "-p %s: %zu of %zu values have a weight; give all of them one, "
                          "as in -p %s=512:3,1024:1, or none",
                          list->name, given, list->count, list->name);
    if (!given) {
        free(list->weights);
        list->weights = NULL;
    }
    return CT_OK;
}

bool ct_sweep_is_weighted(const struct ct_sweep *sweep)
{
    for (size_t i = 0; i < sweep->list_count; i++)
        if (sweep->lists[i].weights)
            return true;
    return false;
}

double ct_sweep_weight(const struct ct_sweep *sweep, size_t n)
{
    double weight = 1;

    for (size_t i = sweep->list_count; i-- > 0;) {
        if (sweep->lists[i].weights)
            weight *= sweep->lists[i].weights[n % sweep->lists[i].count];
        n /= sweep->lists[i].count;
    }
    return weight;
}

enum ct_status ct_sweep_init(struct ct_sweep *sweep, const struct ct_settings *settings,
                             struct ct_err *err)
{
    *sweep = (struct ct_sweep){.count = 1};
    sweep->lists = ct_mem_array(settings->count, sizeof(*sweep->lists));
    sweep->items = ct_mem_array(settings->count, sizeof(*sweep->items));
    if (!sweep->lists || !sweep->items)
        return ct_err_nomem(err);
    for (size_t i = 0; i < settings->count; i++) {
        if (!split(&settings->items[i], &sweep->lists[i]))
            return ct_err_nomem(err);
        sweep->list_count++;
        if (read_weights(&sweep->lists[i], err))
            return err->code;
        sweep->count *= sweep->lists[i].count;
    }
    return CT_OK;
}

void ct_sweep_release(struct ct_sweep *sweep)
{
    for (size_t i = 0; i < sweep->list_count; i++) {
        free(sweep->lists[i].text);
        free(sweep->lists[i].weights);
    }
    free(sweep->lists);
    free(sweep->items);
}

struct ct_settings ct_sweep_at(struct ct_sweep *sweep, size_t n)
{
    for (size_t i = sweep->list_count; i-- > 0;) {
        sweep->items[i].name = sweep->lists[i].name;
        sweep->items[i].text =
            ct_sweep_value(&sweep->lists[i], n % sweep->lists[i].count);
        n /= sweep->lists[i].count;
    }
    return (struct ct_settings){sweep->items, sweep->list_count, sweep->list_count};
}
