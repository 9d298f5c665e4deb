// SPDX-License-Identifier: Apache-2.0
// A search space as a whole: its size, components and constraints, for users and as JSON.
#include "report/space.h"

#include "base/mem.h"
#include "base/str.h"
#include "report/json.h"
#include "report/diags.h"
#include "report/format.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/table.h"
#include "report/warn.h"

#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ct_report_count_text(char *out, size_t size, uint64_t count, bool exact)
{
    snprintf(out, size, "%s%" PRIu64, exact ? "" : "more than ", count);
    return out;
}

/* --- warnings --- */

/* The limits that a constraint uses and the device does not report: "A, B". */
static void put_unreported(const struct ct_binding *binding, const struct ct_expr *expr,
                           struct ct_str *out)
{
    const struct ct_spec *spec = binding->spec;
    bool *marked = ct_mem_array(spec->slots.count, sizeof(*marked));

    if (!marked)
        return;
    for (size_t i = 0; i < expr->slot_count; i++)
        marked[expr->slots[i]] = true;
    ct_binding_mark_uses(binding, marked);
    for (size_t i = 0; i < CT_DEVPROP_COUNT; i++)
        if (marked[i] && binding->fixed[i].kind == CT_NONE)
            ct_str_addf(out, "%s%s", out->length ? ", " : "", ct_devprops[i].name);
    free(marked);
}

static void report_undecided(const struct ct_space *space, size_t index)
{
    const struct ct_binding *binding = ct_space_binding(space);
    const struct ct_named_expr *constraint = &binding->spec->constraints[index];
    struct ct_str names;

    if (!*binding->device_name) {
        ct_report_warn(
            "constraint '%s' depends on the device and is assumed to hold: use "
            "-d to name a device, or --assume to give its limits",
            constraint->name);
        return;
    }
    ct_str_init(&names);
    put_unreported(binding, constraint->expr, &names);
    ct_report_warn("constraint '%s' is assumed to hold, since the device does not report "
                   "%s; test with known() first",
                   constraint->name, names.length ? names.data : "a limit in it");
    ct_str_release(&names);
}

void ct_report_undecided(const struct ct_space *space)
{
    struct ct_space_stats stats;

    ct_space_stats_get(space, &stats);
    for (size_t i = 0; i < stats.constraint_count; i++)
        if (stats.constraints[i].undecided)
            report_undecided(space, i);
}

void ct_report_space_warnings(const struct ct_space *space, bool check)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_diags diags = {0};
    struct ct_space_stats stats;
    char failed[CT_FORMAT_SIZE];
    char tried[CT_FORMAT_SIZE];

    ct_space_stats_get(space, &stats);
    for (size_t i = 0; i < stats.constraint_count; i++) {
        const struct ct_constraint_stats *c = &stats.constraints[i];
        const struct ct_named_expr *constraint = &spec->constraints[i];

        if (c->undecided)
            report_undecided(space, i);
        if (check && c->failed > 0)
            ct_diags_add(&diags, CT_WARNING, spec->path, constraint->place.line,
                         constraint->place.column,
                         "constraint '%s' (%s) cannot be evaluated for %s of the %s "
                         "combinations that it is applied to; they are excluded",
                         constraint->name, constraint->expr->text,
                         ct_format_big(failed, c->failed),
                         ct_format_big(tried, c->tried));
    }
    ct_report_diags(&diags, false);
    ct_diags_release(&diags);
}

/* --- for users --- */

static const char *param_name(const struct ct_spec *spec, size_t p)
{
    return spec->slots.symbols[spec->params[p].slot].name;
}

/* "1,234", or "more than 18,446,744,073,709,551,615 (about 1.2e+30)". */
static void print_valid(const struct ct_space_stats *stats)
{
    char text[CT_FORMAT_SIZE];

    if (stats->valid_exact)
        ct_print("valid               %s\n", ct_format_count(text, stats->valid));
    else
        ct_print("valid               more than %s (about %.3g)\n",
                 ct_format_count(text, stats->valid), stats->valid_approx);
}

static void print_totals(const struct ct_space_stats *stats, bool verbose)
{
    char text[CT_FORMAT_SIZE];
    char more[CT_FORMAT_SIZE];

    ct_print("combinations        %s\n", ct_format_big(text, stats->cartesian));
    ct_print("without duplicates  %s%s\n", stats->canonical_exact ? "" : "more than ",
             ct_format_count(text, stats->canonical));
    print_valid(stats);
    ct_print("components          %zu\n", stats->component_count);
    ct_print("nodes, edges        %s, %s\n", ct_format_count(text, stats->nodes),
             ct_format_count(more, stats->edges));
    ct_print("constructed in      %s, uses %s\n",
             ct_format_time(text, (double)stats->construct_ns),
             ct_format_bytes(more, stats->bytes));
    if (!verbose)
        return;
    ct_print("                    %s at most, ",
             ct_format_bytes(text, stats->peak_bytes));
    ct_print("%s pairs of state and value examined\n",
             ct_format_count(text, stats->tried));
}

/* Parameters without constraints would be a row each without information. */
static bool is_free(const struct ct_component_stats *component)
{
    return component->param_count == 1 &&
           (double)component->valid == component->cartesian;
}

static void print_free(const struct ct_spec *spec, const struct ct_space_stats *stats)
{
    const char *between = "free: ";

    for (size_t i = 0; i < stats->component_count; i++)
        if (is_free(&stats->components[i])) {
            ct_print("%s%s", between, param_name(spec, *stats->components[i].params));
            between = " ";
        }
    if (*between == ' ')
        ct_print_text("\n");
}

static void print_components(const struct ct_spec *spec,
                             const struct ct_space_stats *stats)
{
    struct ct_table *table = ct_table_new();
    struct ct_str names;
    char text[CT_FORMAT_SIZE];
    bool any = false;

    ct_str_init(&names);
    ct_table_column(table, "VALID", true);
    ct_table_column(table, "OF", true);
    ct_table_column(table, "NODES", true);
    ct_table_column(table, "EDGES", true);
    ct_table_column(table, "COMPONENT", false);
    for (size_t i = 0; i < stats->component_count; i++) {
        const struct ct_component_stats *c = &stats->components[i];

        if (is_free(c))
            continue;
        any = true;
        ct_str_reset(&names);
        for (size_t p = 0; p < c->param_count; p++)
            ct_str_addf(&names, "%s%s", p ? " " : "", param_name(spec, c->params[p]));
        ct_table_row(table);
        ct_table_cellf(table, "%s%s", c->valid_exact ? "" : ">",
                       ct_format_count(text, c->valid));
        ct_table_cell(table, ct_format_big(text, c->cartesian));
        ct_table_cell(table, c->enumerated ? "listed" : ct_format_count(text, c->nodes));
        ct_table_cell(table, c->enumerated ? "" : ct_format_count(text, c->edges));
        ct_table_cell(table, names.data);
    }
    if (stats->component_count)
        ct_print_text("\n");
    if (any)
        ct_table_print(table, ct_screen_out());
    print_free(spec, stats);
    ct_table_free(table);
    ct_str_release(&names);
}

static const char *removes(const struct ct_constraint_stats *c, char *text)
{
    if (c->undecided)
        return "undecided";
    return c->vacuous ? "nothing" : ct_format_big(text, c->removed);
}

static void print_constraints(const struct ct_spec *spec,
                              const struct ct_space_stats *stats)
{
    struct ct_table *table = ct_table_new();
    char text[CT_FORMAT_SIZE];

    ct_table_column(table, "CONSTRAINT", false);
    ct_table_column(table, "REMOVES", true);
    ct_table_column(table, "OF", true);
    ct_table_column(table, "FAILED", true);
    ct_table_column(table, "EXPRESSION", false);
    for (size_t i = 0; i < stats->constraint_count; i++) {
        const struct ct_constraint_stats *c = &stats->constraints[i];

        ct_table_row(table);
        ct_table_cell(table, spec->constraints[i].name);
        ct_table_cell(table, removes(c, text));
        ct_table_cell(table, ct_format_big(text, c->tried));
        ct_table_cell(table, ct_format_big(text, c->failed));
        ct_table_cell(table, spec->constraints[i].expr->text);
    }
    ct_print_text("\n");
    ct_table_print(table, ct_screen_out());
    ct_table_free(table);
}

void ct_report_space(const struct ct_space *space, bool verbose)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;

    ct_space_stats_get(space, &stats);
    ct_print("%s: %s, %zu parameter%s, %zu constraint%s\n", spec->path,
             spec->kernel.name ? spec->kernel.name : "no kernel", spec->param_count,
             spec->param_count == 1 ? "" : "s", spec->constraint_count,
             spec->constraint_count == 1 ? "" : "s");
    print_totals(&stats, verbose);
    print_components(spec, &stats);
    if (spec->constraint_count)
        print_constraints(spec, &stats);
}

/* --- JSON --- */

/* JSON readers round numbers beyond 2^53: those are strings. */
static json_t *number_json(uint64_t count, bool exact)
{
    char text[64];

    if (count <= UINT64_C(1) << 53)
        return json_integer((json_int_t)count);
    return json_string(ct_report_count_text(text, sizeof(text), count, exact));
}

static json_t *count_json(uint64_t count)
{
    return number_json(count, true);
}

/* JSON has no infinity. */
static json_t *beyond_reals(void)
{
    char text[40];

    snprintf(text, sizeof(text), "more than %.15g", DBL_MAX);
    return json_string(text);
}

static json_t *big_json(double count)
{
    char text[40];

    if (count <= 0x1p53)
        return json_integer((json_int_t)count);
    if (!isfinite(count))
        return beyond_reals();
    snprintf(text, sizeof(text), "%.15g", count);
    return json_string(text);
}

static json_t *approximate_json(const struct ct_space_stats *stats)
{
    double count = stats->valid_exact ? (double)stats->valid : stats->valid_approx;

    return isfinite(count) ? json_real(count) : beyond_reals();
}

/* The exact product of the numbers of values, in decimal. */
static json_t *cartesian_json(const struct ct_binding *binding, double approximate)
{
    enum { DIGITS = 9, BASE = 1000000000 };
    size_t room = binding->spec->param_count + 2; /* a domain has less than 2^32 values */
    uint64_t *limbs = ct_mem_array(2 * room, sizeof(*limbs)); /* the lowest first */
    struct ct_str text;
    size_t count = 1;
    json_t *result;

    if (!limbs || approximate <= 0x1p53) {
        free(limbs);
        return big_json(approximate);
    }
    limbs[0] = 1;
    for (size_t p = 0; p < binding->spec->param_count; p++) {
        uint64_t carry = 0;

        for (size_t i = 0; i < count; i++) {
            carry += limbs[i] * binding->domains[p].count;
            limbs[i] = carry % BASE;
            carry /= BASE;
        }
        for (; carry; carry /= BASE)
            limbs[count++] = carry % BASE;
    }
    ct_str_init(&text);
    ct_str_addf(&text, "%" PRIu64, limbs[count - 1]);
    for (size_t i = count - 1; i-- > 0;)
        ct_str_addf(&text, "%0*" PRIu64, DIGITS, limbs[i]);
    result = json_string(text.data);
    ct_str_release(&text);
    free(limbs);
    return result;
}

static json_t *constraints_json(const struct ct_spec *spec,
                                const struct ct_space_stats *stats)
{
    json_t *array = json_array();

    for (size_t i = 0; i < stats->constraint_count; i++) {
        const struct ct_constraint_stats *c = &stats->constraints[i];

        json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:b}", "name",
                      spec->constraints[i].name, "expression",
                      spec->constraints[i].expr->text, "tried", big_json(c->tried),
                      "removed", big_json(c->removed), "failed", big_json(c->failed),
                      "component",
                      c->component == SIZE_MAX ? json_null()
                                               : json_integer((json_int_t)c->component),
                      "undecided", c->undecided ? 1 : 0, "vacuous", c->vacuous ? 1 : 0));
    }
    return array;
}

static json_t *components_json(const struct ct_spec *spec,
                               const struct ct_space_stats *stats)
{
    json_t *array = json_array();

    for (size_t i = 0; i < stats->component_count; i++) {
        const struct ct_component_stats *c = &stats->components[i];
        json_t *names = json_array();

        for (size_t p = 0; p < c->param_count; p++)
            json_array_append_new(names, json_string(param_name(spec, c->params[p])));
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "parameters", names,
                             "cartesian", big_json(c->cartesian), "valid",
                             number_json(c->valid, c->valid_exact), "nodes",
                             count_json(c->nodes), "edges", count_json(c->edges),
                             "enumerated", c->enumerated ? 1 : 0));
    }
    return array;
}

void ct_report_space_json(const struct ct_space *space, uint64_t parse_ns)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;
    json_t *object;

    ct_space_stats_get(space, &stats);
    object = json_pack(
        "{s:s?, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}",
        "kernel", spec->kernel.name, "cartesian",
        cartesian_json(ct_space_binding(space), stats.cartesian), "canonical",
        number_json(stats.canonical, stats.canonical_exact), "valid",
        number_json(stats.valid, stats.valid_exact), "valid_approx",
        approximate_json(&stats), "components", (json_int_t)stats.component_count,
        "nodes", count_json(stats.nodes), "edges", count_json(stats.edges), "tried",
        count_json(stats.tried), "bytes", count_json(stats.bytes), "peak_bytes",
        count_json(stats.peak_bytes), "parse_ns", (json_int_t)parse_ns, "construct_ns",
        (json_int_t)stats.construct_ns, "component_list", components_json(spec, &stats),
        "constraints", constraints_json(spec, &stats));
    ct_report_json(object);
    json_decref(object);
}
