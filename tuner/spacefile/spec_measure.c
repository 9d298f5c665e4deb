// SPDX-License-Identifier: Apache-2.0
// The section [measure]: checks of its keys, and what is optimized.
#include "spacefile/spec_impl.h"

#include <string.h>

CT_SPEC_PARSER(ct_spec_check_direction)
{
    static const char *const names[] = {"minimize", "maximize"};
    const struct ct_spec_word *direction = object;
    int word = ct_spec_find_word(names, 2, direction->text);
    const char *hint;

    (void)entry;
    if (word >= 0) {
        builder->spec->optimized.maximize = word == 1;
        return;
    }
    hint = ct_spec_hint(builder, direction->text, names, 2);
    CT_SPEC_COMPLAIN(builder, direction->place, "'%s' is not a direction%s",
                     direction->text, *hint ? hint : "; use minimize or maximize");
}

CT_SPEC_PARSER(ct_spec_check_strategy)
{
    (void)object;
    for (size_t i = 0; i < entry->value.length; i++)
        if (strchr(" \t',", entry->value.text[i])) {
            CT_SPEC_COMPLAIN(builder, ct_text_place(&entry->value, i),
                             "a strategy must be one word without quotes");
            return;
        }
}

CT_SPEC_PARSER(ct_spec_check_target)
{
    const struct ct_spec_word *target = object;
    bool is_time;
    double value;

    (void)entry;
    if (!ct_spec_goal(target->text, &value, &is_time))
        CT_SPEC_COMPLAIN(
            builder, target->place,
            "'target' must be a time such as 1.2 ms, or a number for a metric");
}

void ct_spec_read_measure(struct ct_spec_builder *b)
{
    size_t index = 0;
    const struct ct_reader_section *section = ct_spec_next(b, "measure", &index);

    if (section)
        ct_spec_read_section(b, section, &b->spec->measure);
}

static void resolve_objective(struct ct_spec_builder *b)
{
    struct ct_spec *spec = b->spec;
    struct ct_spec_optimized *out = &spec->optimized;
    const struct ct_spec_word *objective = &spec->measure.objective;
    const struct ct_spec_word *direction = &spec->measure.direction;
    const char *text = objective->text ? objective->text : "time";
    const char *likely;
    size_t which;

    if (!ct_spec_find_objective(spec, text, &out->objective, &which, &likely)) {
        CT_SPEC_COMPLAIN(
            b, objective->place,
            "objective '%s' is not time, end_to_end, a name in [metric] or an "
            "observed quantity%s%s%s",
            text, likely ? "; did you mean '" : "", likely ? likely : "",
            likely ? "'?" : "");
        return;
    }
    switch (out->objective) {
    case CT_OBJECTIVE_METRIC:
        out->metric = which;
        if (!direction->text)
            CT_SPEC_COMPLAIN(
                b, objective->place,
                "the objective '%s' requires a 'direction', minimize or maximize", text);
        break;
    case CT_OBJECTIVE_QUANTITY:
        out->quantity = (enum ct_quantity)which;
        break;
    case CT_OBJECTIVE_TIME:
    case CT_OBJECTIVE_END_TO_END:
        if (out->maximize)
            CT_SPEC_COMPLAIN(
                b, direction->place,
                "the objective '%s' is always minimized; only a metric or an observed value can be maximized",
                text);
        break;
    }
}

static void resolve_by(struct ct_spec_builder *b)
{
    const struct ct_spec_word *by = &b->spec->measure.by;
    struct ct_str names;

    if (!by->text || ct_spec_find_param(b->spec, by->text) >= 0)
        return;
    ct_str_init(&names);
    ct_spec_put_params(b->spec, by->text, &names);
    CT_SPEC_COMPLAIN(b, by->place, "'%s' is not a parameter%s", by->text, names.data);
    ct_str_release(&names);
}

void ct_spec_resolve_measure(struct ct_spec_builder *b)
{
    resolve_objective(b);
    resolve_by(b);
}
