// SPDX-License-Identifier: Apache-2.0
// Few configurations for many devices and problems as C: a function that chooses one.
//
// The header compiles as C99 and C++11.  A decision is a question with the smaller side in braces and
// the larger one behind it: blocks nest no deeper than the logarithm of the number of leaves.
#include "report/variants.h"

#include "report/export.h"
#include "report/print.h"
#include "report/warn.h"

#include <stdio.h>
#include <string.h>

/* Of C types: what values of all variants fit in. */
static const char *type_of(enum ct_kind kind)
{
    return kind == CT_TEXT ? "const char *" : kind == CT_REAL ? "double " : "long long ";
}

/* A member for each parameter that some variant has. */
struct c_field {
    const char *name;  /* of the parameter */
    const char *spelt; /* in C */
    enum ct_kind kind;
};

struct writing {
    const struct ct_report_choice *choice;
    struct ct_arena arena;
    struct ct_str out;
    struct c_field *members;
    size_t member_count;
    size_t member_capacity;
    const char **sizes; /* names of arguments, by feature; NULL for facts */
    size_t *leaves;     /* below each node */
};

/* Appends `text` with other characters than letters and digits of ASCII as underscores. */
static void put_word(struct ct_str *out, const char *text)
{
    for (; *text; text++) {
        bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                     (*text >= '0' && *text <= '9');

        ct_str_putc(out, plain ? *text : '_');
    }
}

/* "PREFIX_text", with a number if it is taken. */
static const char *spell(struct writing *w, const char *prefix, const char *text,
                         const char *const *taken, size_t count)
{
    struct ct_str word;
    const char *copy = NULL;

    ct_str_init(&word);
    for (unsigned n = 1; !copy; n++) {
        bool is_taken = false;

        ct_str_reset(&word);
        ct_str_puts(&word, prefix);
        put_word(&word, text);
        if (n > 1)
            ct_str_addf(&word, "_%u", n);
        for (size_t i = 0; i < count; i++)
            is_taken = is_taken || (taken[i] && strcmp(taken[i], word.data) == 0);
        if (is_taken && !word.failed)
            continue;
        copy = word.failed ? "" : ct_arena_copy(&w->arena, word.data, word.length);
        w->out.failed |= word.failed || !copy;
        copy = copy ? copy : "";
    }
    ct_str_release(&word);
    return copy;
}

/* --- members and arguments --- */

static struct c_field *find_member(struct writing *w, const char *name)
{
    for (size_t i = 0; i < w->member_count; i++)
        if (strcmp(w->members[i].name, name) == 0)
            return &w->members[i];
    return NULL;
}

/* Mixed kinds become the one that holds both; what is a text somewhere is one everywhere. */
static enum ct_kind join(enum ct_kind a, enum ct_kind b)
{
    if (a == CT_TEXT || b == CT_TEXT)
        return CT_TEXT;
    return a == CT_REAL || b == CT_REAL ? CT_REAL : CT_INT;
}

static bool list_members(struct writing *w)
{
    const struct ct_report_choice *choice = w->choice;
    const char **taken;
    size_t most = 0;

    for (size_t v = 0; v < choice->variants->count; v++)
        most += choice->each[v].result.value_count;
    w->members = ct_arena_array(&w->arena, most, sizeof(*w->members));
    taken = ct_arena_array(&w->arena, most, sizeof(*taken));
    if (!w->members || !taken)
        return false;
    for (size_t v = 0; v < choice->variants->count; v++)
        for (size_t i = 0; i < choice->each[v].result.value_count; i++) {
            const struct ct_db_value *value = &choice->each[v].result.values[i];
            struct c_field *member = find_member(w, value->name);

            if (member) {
                member->kind = join(member->kind, value->value.kind);
                continue;
            }
            member = &w->members[w->member_count];
            member->name = value->name;
            member->kind = value->value.kind;
            member->spelt = spell(w, "param_", value->name, taken, w->member_count);
            taken[w->member_count++] = member->spelt;
        }
    return true;
}

static bool list_sizes(struct writing *w)
{
    const struct ct_selector *selector = w->choice->selector;

    w->sizes = ct_arena_array(&w->arena, selector->feature_count, sizeof(*w->sizes));
    w->leaves = ct_arena_array(&w->arena, selector->node_count, sizeof(*w->leaves));
    if (!w->sizes || !w->leaves)
        return false;
    for (size_t i = 0; i < selector->feature_count; i++)
        if (selector->features[i].fact == CT_FACT_COUNT)
            w->sizes[i] = spell(w, "size_", selector->features[i].name, w->sizes, i);
    /* Children have larger numbers. */
    for (size_t i = selector->node_count; i-- > 0;)
        w->leaves[i] = selector->nodes[i].leaf ? 1
                                               : w->leaves[selector->nodes[i].yes] +
                                                     w->leaves[selector->nodes[i].no];
    return true;
}

/* --- values --- */

static void put_literal(struct ct_str *out, enum ct_kind kind, struct ct_value value)
{
    struct ct_str text;

    ct_str_init(&text);
    ct_value_print(&text, value);
    if (kind == CT_TEXT)
        ct_export_put_string(out, text.data);
    else if (kind == CT_REAL && value.kind == CT_INT)
        ct_str_addf(out, "%s.0", text.data);
    else if (value.kind == CT_INT && value.u.i == INT64_MIN)
        ct_str_puts(out, "(-9223372036854775807 - 1)");
    else
        ct_str_puts(out, text.data);
    out->failed |= text.failed;
    ct_str_release(&text);
}

/* An inactive parameter is 0 or "". */
static struct ct_value value_in(const struct ct_report_variant *variant,
                                const struct c_field *member)
{
    for (size_t i = 0; i < variant->result.value_count; i++)
        if (strcmp(variant->result.values[i].name, member->name) == 0)
            return variant->result.values[i].value;
    return member->kind == CT_TEXT ? ct_value_text("") : ct_value_int(0);
}

static void put_table(struct writing *w)
{
    const struct ct_report_choice *choice = w->choice;

    ct_str_puts(&w->out, "    static const struct cltune_");
    put_word(&w->out, choice->points->kernel);
    ct_str_addf(&w->out, "_variant variants[%zu] = {\n", choice->variants->count);
    for (size_t v = 0; v < choice->variants->count; v++) {
        ct_str_addf(&w->out, "        {%zu, ", v);
        ct_export_put_string(&w->out, choice->each[v].flags);
        for (size_t i = 0; i < w->member_count; i++) {
            ct_str_puts(&w->out, ", ");
            put_literal(&w->out, w->members[i].kind,
                        value_in(&choice->each[v], &w->members[i]));
        }
        ct_str_puts(&w->out, "},\n");
    }
    ct_str_puts(&w->out, "    };\n");
}

/* --- decisions --- */

static void put_indent(struct ct_str *out, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        ct_str_puts(out, "    ");
}

/* The condition of a node, or its opposite. */
static void put_condition(struct writing *w, const struct ct_selector_node *node,
                          bool opposite)
{
    const struct ct_selector_feature *feature =
        &w->choice->selector->features[node->feature];
    struct ct_str operand;

    ct_str_init(&operand);
    if (feature->fact == CT_FACT_COUNT)
        ct_str_puts(&operand, w->sizes[node->feature]);
    else
        ct_str_addf(&operand, "device->%s", feature->name);
    if (feature->kind == CT_TEXT) {
        ct_str_addf(&w->out, opposite ? "!%s || strcmp(%s, " : "%s && strcmp(%s, ",
                    operand.data, operand.data);
        ct_export_put_string(&w->out, node->threshold.u.s);
        ct_str_puts(&w->out, opposite ? ") != 0" : ") == 0");
    } else {
        ct_str_addf(&w->out, "%s %s ", operand.data, opposite ? ">" : "<=");
        put_literal(&w->out, feature->kind, node->threshold);
    }
    w->out.failed |= operand.failed;
    ct_str_release(&operand);
}

/* The decisions from a node on: the smaller side of each in braces, so the depth of blocks, and of
 * the recursion, is at most the logarithm of the number of leaves. */
static void put_decisions(struct writing *w, size_t number, unsigned depth)
{
    const struct ct_selector *selector = w->choice->selector;
    const struct ct_selector_node *node = &selector->nodes[number];

    for (; !node->leaf; node = &selector->nodes[number]) {
        bool opposite = w->leaves[node->no] < w->leaves[node->yes];
        size_t inner = opposite ? node->no : node->yes;

        put_indent(&w->out, depth);
        ct_str_puts(&w->out, "if (");
        put_condition(w, node, opposite);
        ct_str_puts(&w->out, ") {\n");
        put_decisions(w, inner, depth + 1);
        put_indent(&w->out, depth);
        ct_str_puts(&w->out, "}\n");
        number = opposite ? node->yes : node->no;
    }
    put_indent(&w->out, depth);
    ct_str_addf(&w->out, "return &variants[%zu];\n", node->variant);
}

/* --- the header --- */

static void put_head(struct writing *w)
{
    const struct ct_report_choice *choice = w->choice;
    const struct ct_variants *variants = choice->variants;

    ct_str_puts(&w->out, "/* Generated by cltune ");
    ct_export_put_comment(&w->out, CT_VERSION);
    ct_str_puts(&w->out, "; do not edit.\n   kernel  ");
    ct_export_put_comment(&w->out, choice->points->kernel);
    ct_str_addf(&w->out,
                "\n   %zu variant%s for %zu case%s (devices and problems); loss at most "
                "%.1f%% of the best\n   performance that is stored for each, on average "
                "%.1f%%\n",
                variants->count, variants->count == 1 ? "" : "s",
                choice->points->point_count, choice->points->point_count == 1 ? "" : "s",
                100 * choice->selector->worst_loss, 100 * (1 - variants->mean));
    if (*choice->size_macros) {
        ct_str_puts(&w->out, "   The options lack macros that follow from the problem: ");
        ct_export_put_comment(&w->out, choice->size_macros);
        ct_str_putc(&w->out, '\n');
    }
    ct_str_puts(&w->out, "*/\n#ifndef CLTUNE_");
    ct_export_put_identifier(&w->out, choice->points->kernel);
    ct_str_puts(&w->out, "_SELECT_H\n#define CLTUNE_");
    ct_export_put_identifier(&w->out, choice->points->kernel);
    ct_str_puts(&w->out, "_SELECT_H\n\n#include <string.h>\n\n");
}

/* The same in the header of every kernel. */
static void put_facts(struct writing *w)
{
    ct_str_puts(
        &w->out,
        "#ifndef CLTUNE_DEVICE_FACTS\n"
        "#define CLTUNE_DEVICE_FACTS\n"
        "/* What is known of a device; 0: not known. */\n"
        "struct cltune_device_facts {\n"
        "    const char *name;   /* CL_DEVICE_NAME */\n"
        "    const char *vendor; /* CL_DEVICE_VENDOR */\n"
        "    const char *type;   /* \"GPU\", \"CPU\", \"ACCELERATOR\" or \"CUSTOM\" */\n"
        "    long long compute_units;       /* CL_DEVICE_MAX_COMPUTE_UNITS */\n"
        "    long long max_work_group_size; /* CL_DEVICE_MAX_WORK_GROUP_SIZE */\n"
        "    long long local_mem_bytes;     /* CL_DEVICE_LOCAL_MEM_SIZE */\n"
        "    long long global_mem_bytes;    /* CL_DEVICE_GLOBAL_MEM_SIZE */\n"
        "};\n"
        "#endif\n\n");
}

static void put_struct(struct writing *w)
{
    ct_str_puts(&w->out, "struct cltune_");
    put_word(&w->out, w->choice->points->kernel);
    ct_str_puts(&w->out, "_variant {\n    int number;\n    const char *options; /* for "
                         "clBuildProgram */\n");
    for (size_t i = 0; i < w->member_count; i++)
        ct_str_addf(&w->out, "    %s%s;\n", type_of(w->members[i].kind),
                    w->members[i].spelt);
    ct_str_puts(&w->out, "};\n\n");
}

static void put_function(struct writing *w)
{
    const struct ct_selector *selector = w->choice->selector;

    ct_str_puts(&w->out,
                "/* The variant for a device and a problem; never NULL.  `device` "
                "may be NULL. */\nstatic inline const struct cltune_");
    put_word(&w->out, w->choice->points->kernel);
    ct_str_puts(&w->out, "_variant *cltune_");
    put_word(&w->out, w->choice->points->kernel);
    ct_str_puts(&w->out, "_select(const struct cltune_device_facts *device");
    for (size_t i = 0; i < selector->feature_count; i++)
        if (w->sizes[i])
            ct_str_addf(&w->out, ", %s%s", type_of(selector->features[i].kind),
                        w->sizes[i]);
    ct_str_puts(&w->out, ")\n{\n");
    put_table(w);
    ct_str_puts(
        &w->out,
        "    static const struct cltune_device_facts unknown = {0, 0, 0, 0, 0, 0, 0};\n"
        "\n    if (!device)\n        device = &unknown;\n");
    for (size_t i = 0; i < selector->feature_count; i++)
        if (w->sizes[i])
            ct_str_addf(&w->out, "    (void)%s;\n", w->sizes[i]);
    put_decisions(w, 0, 1);
    ct_str_puts(&w->out, "}\n\n#endif\n");
}

enum ct_status ct_report_choice_header(const struct ct_report_choice *choice,
                                       struct ct_err *err)
{
    struct writing w = {.choice = choice};
    enum ct_status status = CT_OK;

    for (size_t v = 0; v < choice->variants->count; v++)
        if (!choice->each[v].same_flags)
            return ct_err_set(
                err, CT_E_DB,
                "the options of configuration %s differ between problems, and the "
                "database does not say which macros follow from the problem: search "
                "again, or use --format json, which has the options for each problem",
                choice->each[v].result.configuration);
    ct_str_init(&w.out);
    if (list_members(&w) && list_sizes(&w)) {
        put_head(&w);
        put_facts(&w);
        put_struct(&w);
        put_function(&w);
    } else {
        w.out.failed = true;
    }
    if (w.out.failed)
        status = ct_err_nomem(err);
    else
        ct_print_bytes(w.out.data, w.out.length);
    if (status == CT_OK && *choice->size_macros)
        ct_report_warn("the options lack %s, which follow%s from the problem: add -D "
                       "NAME=VALUE for the problem at hand",
                       choice->size_macros, strchr(choice->size_macros, ',') ? "" : "s");
    ct_str_release(&w.out);
    ct_arena_release(&w.arena);
    return status;
}
