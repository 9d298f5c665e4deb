// SPDX-License-Identifier: Apache-2.0
// Shows what one search for several problems has found.
#include "report/joint.h"

#include "plan/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/print.h"
#include "report/search_impl.h"
#include "report/table.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool is_problem(const struct ct_spec *spec, size_t slot)
{
    return spec->slots.symbols[slot].class == CT_SYM_PROBLEM;
}

/* Whether the problems differ in a name. */
static bool is_varied(const struct ct_joint *joint, size_t slot)
{
    for (size_t p = 1; p < joint->count; p++)
        if (!ct_value_equal(joint->parts[0].search->work.binding->fixed[slot],
                            joint->parts[p].search->work.binding->fixed[slot]))
            return true;
    return false;
}

/* "n=512 m=2", the names that differ. */
static void put_varied(const struct ct_joint *joint, size_t part, struct ct_str *out)
{
    const struct ct_search *search = joint->parts[part].search;
    const struct ct_spec *spec = search->work.spec;

    for (size_t i = 0; i < spec->slots.count; i++)
        if (is_problem(spec, i) && is_varied(joint, i)) {
            ct_str_addf(out, "%s%s=", out->length ? " " : "",
                        spec->slots.symbols[i].name);
            ct_value_print(out, search->work.binding->fixed[i]);
        }
}

static void print_row(const struct ct_joint *joint, struct ct_table *table, size_t i)
{
    const struct ct_joint_best *best = &joint->best[i];
    const struct ct_workload *work = &joint->parts[0].search->work;
    struct ct_str text;

    ct_table_row(table);
    ct_table_cellf(table, "%zu%s", i + 1, best->tied ? " (tied)" : "");
    ct_table_cellf(table, "%.3f", best->mean);
    for (size_t p = 0; p < joint->count; p++) {
        char time[CT_FORMAT_SIZE];

        ct_table_cellf(table, "%.3f (%s)", best->ratios[p],
                       ct_format_time(time, best->entries[p]->time_ns));
        snprintf(time, sizeof(time), "%.3f", best->ratios[p]);
        ct_table_brief(table, time);
    }
    ct_str_init(&text);
    ct_workload_values(work, (int64_t)best->index);
    ct_workload_put_config(work, work->values, &text);
    ct_table_cell(table, text.data);
    ct_str_release(&text);
}

static void print_table(const struct ct_joint *joint, size_t width)
{
    struct ct_table *table = ct_table_new();
    struct ct_str text;

    ct_str_init(&text);
    ct_table_column(table, "#", false);
    ct_table_column(table, "MEAN", true);
    for (size_t p = 0; p < joint->count; p++) {
        ct_str_reset(&text);
        put_varied(joint, p, &text);
        ct_str_addf(&text, " (weight %g)", joint->parts[p].weight);
        ct_table_column(table, text.data, true);
        ct_table_yields(table,
                        (struct ct_table_yield){
                            .leaves = CT_TABLE_FOR_ALL + (unsigned)p + 1,
                            .briefly = 2 * CT_TABLE_FOR_ALL + (unsigned)joint->count});
    }
    ct_table_column(table, "CONFIGURATION", false);
    ct_table_yields(table, (struct ct_table_yield){.cut_to = CT_TABLE_CONFIG_LEAST});
    ct_str_release(&text);
    for (size_t i = 0; i < joint->best_count; i++)
        print_row(joint, table, i);
    ct_table_show(table, width);
    ct_table_free(table);
}

/* "the best for all is 1.2 ms on average, and reaches the target of 1.3 ms" */
static void print_target(const struct ct_joint *joint)
{
    const struct ct_search *first = joint->parts[0].search;
    struct ct_str text;

    if (!joint->budget.has_target || !joint->best_count)
        return;
    ct_str_init(&text);
    ct_str_puts(&text, "target    the weighted geometric mean of the best is ");
    ct_report_put_value(first, joint->best[0].value, &text);
    ct_str_puts(&text, ct_joint_target_reached(joint) ? ", which reaches the target of "
                       : joint->budget.end == CT_SEARCH_TARGET
                           ? "; no play-off confirmed the target of "
                           : ", which misses the target of ");
    ct_report_put_value(first, joint->budget.target, &text);
    ct_print_line(text.data);
    ct_str_release(&text);
}

void ct_report_joint(const struct ct_joint *joint, size_t width)
{
    char new[CT_FORMAT_SIZE];
    char old[CT_FORMAT_SIZE];

    ct_print("\nbest for all %zu problems: weighted geometric mean of the ratios to each "
             "problem's best\n",
             joint->count);
    print_table(joint, width);
    ct_print("%s configurations evaluated now, %s stored before; %llu worked for all "
             "problems, %llu did not\n",
             ct_format_count(new, joint->evaluated), ct_format_count(old, joint->known),
             (unsigned long long)joint->worked, (unsigned long long)joint->failed);
    if (joint->best_count && !joint->best[0].played)
        ct_print("unconfirmed: there was no play-off, so each time comes from a single "
                 "process\n");
    print_target(joint);
    ct_print("look up   cltune best --portable with the same -p, --device and kernel\n");
}

static json_t *best_json(const struct ct_joint *joint, const struct ct_joint_best *best)
{
    const struct ct_workload *work = &joint->parts[0].search->work;
    json_t *ratios = json_array();
    json_t *times = json_array();
    json_t *object = json_object();

    for (size_t p = 0; p < joint->count; p++) {
        json_array_append_new(ratios, json_real(best->ratios[p]));
        json_array_append_new(times, ct_json_time(best->entries[p]->time_ns));
    }
    ct_workload_values(work, (int64_t)best->index);
    json_object_set_new(object, "configuration",
                        ct_json_values(work->spec, work->values));
    json_object_set_new(object, "mean_ratio", json_real(best->mean));
    json_object_set_new(object, "mean_value", json_real(best->value));
    json_object_set_new(object, "ratios", ratios);
    json_object_set_new(object, "times_ns", times);
    json_object_set_new(object, "confirmed", json_boolean(best->played));
    json_object_set_new(object, "tied", json_boolean(best->tied));
    return object;
}

void ct_report_joint_json(const struct ct_joint *joint)
{
    json_t *object = json_object();
    json_t *problems = json_array();
    json_t *best = json_array();

    for (size_t p = 0; p < joint->count; p++) {
        json_t *one = json_object();

        json_object_set_new(one, "problem",
                            ct_json_problem(joint->parts[p].search->work.binding));
        json_object_set_new(one, "weight", json_real(joint->parts[p].weight));
        json_array_append_new(problems, one);
    }
    for (size_t i = 0; i < joint->best_count; i++)
        json_array_append_new(best, best_json(joint, &joint->best[i]));
    json_object_set_new(object, "joint", problems);
    json_object_set_new(object, "strategy", json_string(joint->name));
    json_object_set_new(object, "evaluated", json_integer((json_int_t)joint->evaluated));
    json_object_set_new(object, "known_before", json_integer((json_int_t)joint->known));
    json_object_set_new(object, "worked", json_integer((json_int_t)joint->worked));
    json_object_set_new(object, "failed", json_integer((json_int_t)joint->failed));
    json_object_set_new(object, "ended",
                        json_string(ct_search_end_name(joint->budget.end)));
    json_object_set_new(object, "target",
                        joint->budget.has_target ? json_real(joint->budget.target)
                                                 : json_null());
    json_object_set_new(object, "target_reached",
                        joint->budget.has_target
                            ? json_boolean(ct_joint_target_reached(joint))
                            : json_null());
    json_object_set_new(object, "best", best);
    ct_report_json(object);
    json_decref(object);
}
