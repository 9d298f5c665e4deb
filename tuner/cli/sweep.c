// SPDX-License-Identifier: Apache-2.0
// Several values per size: all combinations of them.
#include "cli/sweep.h"

#include "base/mem.h"

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

static const char *nth(const struct ct_sweep_list *list, size_t n)
{
    const char *text = list->text;

    while (n--)
        text += strlen(text) + 1;
    return text;
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
        sweep->count *= sweep->lists[i].count;
    }
    return CT_OK;
}

void ct_sweep_release(struct ct_sweep *sweep)
{
    for (size_t i = 0; i < sweep->list_count; i++)
        free(sweep->lists[i].text);
    free(sweep->lists);
    free(sweep->items);
}

struct ct_settings ct_sweep_at(struct ct_sweep *sweep, size_t n)
{
    for (size_t i = sweep->list_count; i-- > 0;) {
        sweep->items[i].name = sweep->lists[i].name;
        sweep->items[i].text = nth(&sweep->lists[i], n % sweep->lists[i].count);
        n /= sweep->lists[i].count;
    }
    return (struct ct_settings){sweep->items, sweep->list_count, sweep->list_count};
}
