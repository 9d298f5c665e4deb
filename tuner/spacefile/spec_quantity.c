// SPDX-License-Identifier: Apache-2.0
// Relates metrics and objectives to observed quantities.
#include "spacefile/spec.h"

#include <stdlib.h>
#include <string.h>

uint32_t ct_spec_metric_uses(const struct ct_spec *spec, size_t metric)
{
    const struct ct_expr *expr = spec->metrics[metric].expr;
    uint32_t uses = 0;

    /* Names of [let] and [derive] do not depend on results. */
    for (size_t i = 0; expr && i < expr->slot_count; i++) {
        const struct ct_symbol *symbol = &spec->slots.symbols[expr->slots[i]];

        if (symbol->class == CT_SYM_RESULT)
            uses |= 1u << symbol->quantity;
    }
    return uses;
}

uint32_t ct_spec_metrics_use(const struct ct_spec *spec)
{
    uint32_t uses = 0;

    for (size_t i = 0; i < spec->metric_count; i++)
        uses |= ct_spec_metric_uses(spec, i);
    return uses;
}

/* The likely objective; NULL if there is none, or memory is short. */
static const char *likely_objective(const struct ct_spec *spec, const char *name)
{
    const char **names =
        ct_mem_array(spec->metric_count + CT_QUANTITY_COUNT + 2, sizeof(*names));
    const char *likely;
    size_t count = 0;

    if (!names)
        return NULL;
    names[count++] = "time";
    names[count++] = "end_to_end";
    for (size_t i = 0; i < spec->metric_count; i++)
        names[count++] = spec->metrics[i].name;
    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        names[count++] = ct_quantity_info_of((enum ct_quantity)i)->name;
    likely = ct_str_suggest(name, names, count);
    free(names);
    return likely;
}

bool ct_spec_find_objective(const struct ct_spec *spec, const char *name,
                            enum ct_spec_objective *objective, size_t *which,
                            const char **hint)
{
    enum ct_quantity quantity;

    *which = 0;
    *hint = NULL;
    if (strcmp(name, "time") == 0 || strcmp(name, "end_to_end") == 0) {
        *objective = *name == 't' ? CT_OBJECTIVE_TIME : CT_OBJECTIVE_END_TO_END;
        return true;
    }
    *objective = CT_OBJECTIVE_METRIC;
    for (size_t i = 0; i < spec->metric_count; i++)
        if (strcmp(spec->metrics[i].name, name) == 0) {
            *which = i;
            return true;
        }
    if (!ct_quantity_find(name, &quantity)) {
        *hint = likely_objective(spec, name);
        return false;
    }
    *which = quantity;
    *objective = quantity == CT_QUANTITY_TIME_NS         ? CT_OBJECTIVE_TIME
                 : quantity == CT_QUANTITY_END_TO_END_NS ? CT_OBJECTIVE_END_TO_END
                                                         : CT_OBJECTIVE_QUANTITY;
    return true;
}
