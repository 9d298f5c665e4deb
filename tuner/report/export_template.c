// SPDX-License-Identifier: Apache-2.0
// "cltune best --format template --template FILE": answers in any form (doc/formats.md).
#include "report/export.h"

#include "base/file.h"
#include "plan/json.h"
#include "report/layout.h"

#include "report/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What names refer to: the answers that the loops around have selected, and of the innermost loop
 * its turn. */
struct scope {
    const struct ct_export_answer *const *answers;
    size_t count;
    const struct ct_export_value *item; /* of a loop over parameters or sizes; NULL */
    size_t turn;                        /* from 1; 0: no loop */
    size_t turns;
};

struct writer {
    struct ct_str *out;
    const struct ct_layout *layout;
    struct ct_arena arena;
    struct ct_err *err;
};

/* --- values --- */

static void put_real(struct ct_str *out, double value)
{
    if (isfinite(value))
        ct_value_print(out, ct_value_real(value));
}

static void put_settings(struct ct_str *out, const struct ct_export_value *values,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ct_str_addf(out, "%s%s=", i ? " " : "", values[i].name);
        ct_value_print(out, values[i].value);
    }
}

static const char *text_of(const struct ct_export_answer *a, const char *name)
{
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"kernel", a->kernel},
        {"device", a->device},
        {"vendor", a->vendor},
        {"type", a->type},
        {"driver", a->driver},
        {"flags", a->flags},
        {"evidence", a->evidence},
        {"experiment", a->experiment},
        {"version", a->version},
        {"objective", a->stored->objective},
        {"direction", a->stored->maximize ? "maximize" : "minimize"},
        {"unknown_limits", a->unknown_limits ? a->unknown_limits : ""},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(texts[i].name, name) == 0)
            return texts[i].text;
    return NULL;
}

static bool put_number(struct ct_str *out, const struct ct_export_answer *a,
                       const char *name)
{
    const cltunedb_answer *stored = a->stored;
    const struct {
        const char *name;
        double value;
    } reals[] = {
        {"time_ns", a->time_ns},
        {"time_ms", a->time_ns / 1e6},
        {"low_ns", stored->low_ns},
        {"high_ns", stored->high_ns},
        {"default_time_ns", stored->default_time_ns},
        {"speed_up",
         a->default_time_ns > 0 ? a->default_time_ns / a->time_ns : (double)NAN},
        {"objective_value", stored->objective_value},
        {"relative_performance", stored->relative_performance},
    };
    const struct {
        const char *name;
        int64_t value;
    } integers[] = {
        {"measured_unix_s", stored->measured_unix_s},
        {"compute_units", stored->compute_units},
        {"verified", stored->verified},
    };

    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
        if (strcmp(reals[i].name, name) == 0) {
            put_real(out, reals[i].value);
            return true;
        }
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
        if (strcmp(integers[i].name, name) == 0) {
            ct_str_addf(out, "%" PRId64, integers[i].value);
            return true;
        }
    return false;
}

static bool put_named(struct ct_str *out, const struct ct_export_value *values,
                      size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0) {
            ct_value_print(out, values[i].value);
            return true;
        }
    return false;
}

/* What belongs to the loop. */
static bool put_of_loop(struct ct_str *out, const struct scope *scope, const char *name)
{
    if (scope->item && strcmp(name, "name") == 0)
        ct_str_puts(out, scope->item->name);
    else if (scope->item && strcmp(name, "value") == 0)
        ct_value_print(out, scope->item->value);
    else if (scope->turn && strcmp(name, "index") == 0)
        ct_str_addf(out, "%zu", scope->turn);
    else if (strcmp(name, "count") == 0)
        ct_str_addf(out, "%zu", scope->turn ? scope->turns : scope->count);
    else
        return false;
    return true;
}

/* Appends what a name stands for; false: nothing has this name. */
static bool put_name(struct ct_str *out, const struct scope *scope, const char *name)
{
    const struct ct_export_answer *a = scope->answers[0];
    const char *text;

    if (strncmp(name, "param.", 6) == 0)
        return put_named(out, a->config, a->config_count, name + 6);
    if (strncmp(name, "size.", 5) == 0)
        return put_named(out, a->problem, a->problem_count, name + 5);
    if (put_of_loop(out, scope, name) || put_number(out, a, name))
        return true;
    text = text_of(a, name);
    if (text)
        ct_str_puts(out, text);
    else if (strcmp(name, "configuration") == 0)
        put_settings(out, a->config, a->config_count);
    else if (strcmp(name, "problem") == 0)
        put_settings(out, a->problem, a->problem_count);
    else
        return put_named(out, a->config, a->config_count, name) ||
               put_named(out, a->problem, a->problem_count, name);
    return true;
}

/* --- filters --- */

static void put_json_string(struct ct_str *out, const char *text)
{
    json_t *json = ct_json_text(text);
    char *dumped = ct_json_dump(json, JSON_ENCODE_ANY);

    out->failed |= !dumped;
    if (dumped)
        ct_str_puts(out, dumped);
    free(dumped);
    json_decref(json);
}

static void put_xml(struct ct_str *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            ct_str_puts(out, "&amp;");
            break;
        case '<':
            ct_str_puts(out, "&lt;");
            break;
        case '>':
            ct_str_puts(out, "&gt;");
            break;
        case '"':
            ct_str_puts(out, "&quot;");
            break;
        case '\'':
            ct_str_puts(out, "&#39;");
            break;
        default:
            ct_str_putc(out, *text);
        }
}

static const struct text_filter {
    const char *name;
    void (*put)(struct ct_str *out, const char *text);
} filters[] = {
    {"", ct_str_puts},
    {"c", ct_export_put_string},
    {"comment", ct_export_put_comment},
    {"csv", ct_csv_field},
    {"id", ct_export_put_identifier},
    {"json", put_json_string},
    {"shell", ct_export_put_shell_word},
    {"xml", put_xml},
};
enum { FILTERS = sizeof(filters) / sizeof(filters[0]) };

/* --- writing --- */

static enum ct_status fail_name(const struct writer *w, const struct ct_layout_token *t,
                                const char *what, const char *name)
{
    return ct_err_at(w->err, CT_E_USAGE, w->layout->path, t->line, t->column,
                     "unknown %s '%s'; see doc/formats.md", what, name);
}

static enum ct_status put_value(struct writer *w, const struct scope *scope,
                                const struct ct_layout_token *t)
{
    const struct text_filter *filter = NULL;
    struct ct_str text;
    bool found;

    for (size_t i = 0; i < FILTERS; i++)
        if (strcmp(filters[i].name, t->more) == 0)
            filter = &filters[i];
    if (!filter)
        return fail_name(w, t, "filter", t->more);
    ct_str_init(&text);
    found = put_name(&text, scope, t->text);
    if (found)
        filter->put(w->out, text.data);
    w->out->failed |= text.failed;
    ct_str_release(&text);
    return found ? CT_OK : fail_name(w, t, "name", t->text);
}

/* Whether a condition holds; a name that nothing has is empty. */
static bool holds(struct writer *w, const struct scope *scope,
                  const struct ct_layout_token *t)
{
    struct ct_str text;
    bool set;
    bool equal;

    ct_str_init(&text);
    put_name(&text, scope, t->text);
    set = *text.data && strcmp(text.data, "0") != 0;
    equal = strcmp(text.data, t->more) == 0;
    w->out->failed |= text.failed;
    ct_str_release(&text);
    return t->test == CT_LAYOUT_SET       ? set
           : t->test == CT_LAYOUT_NOT_SET ? !set
           : t->test == CT_LAYOUT_EQUAL   ? equal
                                          : !equal;
}

static enum ct_status put_tokens(struct writer *w, const struct scope *scope, size_t from,
                                 size_t to);

/* A turn for each parameter or size of the answer. */
static enum ct_status put_items(struct writer *w, const struct scope *scope, size_t at,
                                const struct ct_export_value *values, size_t count)
{
    struct scope inner = *scope;
    enum ct_status status = CT_OK;

    inner.turns = count;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        inner.item = &values[i];
        inner.turn = i + 1;
        status = put_tokens(w, &inner, at + 1, w->layout->tokens[at].end);
    }
    return status;
}

/* What two answers must have in common to be in one turn. */
static bool same_kernel(const struct ct_export_answer *a,
                        const struct ct_export_answer *b)
{
    return strcmp(a->kernel, b->kernel) == 0;
}

static bool same_device(const struct ct_export_answer *a,
                        const struct ct_export_answer *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->vendor, b->vendor) == 0 &&
           strcmp(a->driver, b->driver) == 0 &&
           a->stored->compute_units == b->stored->compute_units;
}

static bool same_problem(const struct ct_export_answer *a,
                         const struct ct_export_answer *b)
{
    return strcmp(a->stored->problem_json, b->stored->problem_json) == 0;
}

static bool same_answer(const struct ct_export_answer *a,
                        const struct ct_export_answer *b)
{
    return a == b;
}

typedef bool (*same_function)(const struct ct_export_answer *a,
                              const struct ct_export_answer *b);

/* Groups the answers of the scope: those that are the same as answer `i`, which must be the first
 * of them; 0: it is not. */
static size_t group_of(const struct scope *scope, size_t i, same_function same,
                       const struct ct_export_answer **out)
{
    size_t count = 0;

    for (size_t k = 0; k < i; k++)
        if (same(scope->answers[k], scope->answers[i]))
            return 0;
    for (size_t k = i; k < scope->count; k++)
        if (same(scope->answers[k], scope->answers[i]))
            out[count++] = scope->answers[k];
    return count;
}

/* A turn for each group of answers. */
static enum ct_status put_groups(struct writer *w, const struct scope *scope, size_t at,
                                 same_function same)
{
    const struct ct_export_answer **group =
        ct_arena_array(&w->arena, scope->count, sizeof(struct ct_export_answer *));
    struct scope inner = {.answers = group};
    enum ct_status status = CT_OK;

    if (!group)
        return ct_err_nomem(w->err);
    for (size_t i = 0; i < scope->count; i++)
        inner.turns += group_of(scope, i, same, group) != 0;
    for (size_t i = 0; i < scope->count && status == CT_OK; i++) {
        inner.count = group_of(scope, i, same, group);
        inner.turn += inner.count != 0;
        if (inner.count)
            status = put_tokens(w, &inner, at + 1, w->layout->tokens[at].end);
    }
    return status;
}

static enum ct_status put_loop(struct writer *w, const struct scope *scope, size_t at)
{
    static const struct {
        const char *name;
        same_function same;
    } lists[] = {{"answers", same_answer},
                 {"kernels", same_kernel},
                 {"devices", same_device},
                 {"problems", same_problem}};
    const struct ct_layout_token *t = &w->layout->tokens[at];
    const struct ct_export_answer *a = scope->answers[0];

    if (strcmp(t->text, "parameters") == 0)
        return put_items(w, scope, at, a->config, a->config_count);
    if (strcmp(t->text, "sizes") == 0)
        return put_items(w, scope, at, a->problem, a->problem_count);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(lists[i].name, t->text) == 0)
            return put_groups(w, scope, at, lists[i].same);
    return fail_name(w, t, "list", t->text);
}

static enum ct_status put_tokens(struct writer *w, const struct scope *scope, size_t from,
                                 size_t to)
{
    enum ct_status status = CT_OK;

    for (size_t i = from; i < to && status == CT_OK; i++) {
        const struct ct_layout_token *t = &w->layout->tokens[i];

        if (t->kind == CT_LAYOUT_TEXT) {
            ct_str_puts(w->out, t->text);
        } else if (t->kind == CT_LAYOUT_VALUE) {
            status = put_value(w, scope, t);
        } else if (t->kind == CT_LAYOUT_SEP) {
            if (scope->turn < scope->turns)
                ct_str_puts(w->out, t->text);
        } else if (t->kind == CT_LAYOUT_FOR) {
            status = put_loop(w, scope, i);
            i = t->end;
        } else if (t->kind == CT_LAYOUT_IF) {
            status = holds(w, scope, t) ? put_tokens(w, scope, i + 1, t->otherwise)
                                        : put_tokens(w, scope, t->otherwise + 1, t->end);
            i = t->end;
        }
    }
    return status;
}

static enum ct_status put_template(struct ct_str *out, const struct ct_export_set *set,
                                   struct ct_str *notes, struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    struct ct_layout layout;
    struct writer w = {.out = out, .layout = &layout, .err = err};
    const struct ct_export_answer **all =
        ct_arena_array(&w.arena, set->count, sizeof(struct ct_export_answer *));
    const struct scope scope = {.answers = all, .count = set->count};
    struct ct_str text;
    int error;
    enum ct_status status;

    (void)notes;
    if (!all)
        return ct_err_nomem(err);
    ct_str_init(&text);
    error = ct_file_read(set->template_path, CT_FILE_SPACE_MAX, &text, NULL);
    for (size_t i = 0; i < set->count; i++)
        all[i] = &set->answers[i];
    if (error)
        status =
            ct_err_set(err, ct_file_status(error), "cannot read the template %s: %s",
                       set->template_path, ct_file_why(why, error, CT_FILE_SPACE_MAX));
    else if (text.failed)
        status = ct_err_nomem(err);
    else
        status = ct_layout_parse(&w.arena, set->template_path, text.data, &layout, err);
    if (status == CT_OK)
        status = put_tokens(&w, &scope, 0, layout.count);
    ct_str_release(&text);
    ct_arena_release(&w.arena);
    return status;
}

const struct ct_export ct_export_template = {
    .name = "template",
    .help = "as the file of --template says",
    .put_all = put_template,
};
