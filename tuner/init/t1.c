// SPDX-License-Identifier: Apache-2.0
// Turns a T1 description into a draft.
#include "init/t1.h"

#include "capture/space_data.h"
#include "base/file.h"
#include "base/show.h"
#include "init/python.h"
#include "spacefile/source_word.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ct_t1 {
    struct ct_arena arena;
    const char *path;
    json_t *all;
    const json_t *space;
    const json_t *kernel;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

enum ct_status ct_t1_open(const char *path, struct ct_t1 **out, struct ct_err *err)
{
    struct ct_t1 *t1 = calloc(1, sizeof(*t1));
    char why[CT_FILE_WHY_SIZE];
    json_error_t wrong;
    struct ct_str text;
    enum ct_status status = CT_OK;
    int error;

    if (!t1)
        return ct_err_nomem(err);
    t1->path = path;
    ct_str_init(&text);
    error = ct_file_read(path, CT_FILE_SPACE_MAX, &text, NULL);
    if (error)
        status = ct_err_set(err, ct_file_status(error), "cannot read %s: %s", path,
                            ct_file_why(why, error, CT_FILE_SPACE_MAX));
    else
        t1->all = json_loadb(text.data, text.length, 0, &wrong);
    if (!error && !t1->all)
        status =
            ct_err_at(err, CT_E_USAGE, path, wrong.line, wrong.column, "%s", wrong.text);
    ct_str_release(&text);
    t1->space = json_object_get(t1->all, "ConfigurationSpace");
    t1->kernel = json_object_get(t1->all, "KernelSpecification");
    if (!status && (!json_array_size(json_object_get(t1->space, "TuningParameters")) ||
                    !json_is_object(t1->kernel)))
        status = ct_err_set(err, CT_E_USAGE,
                            "%s is no T1 description: it has no "
                            "ConfigurationSpace.TuningParameters and KernelSpecification",
                            path);
    if (status)
        ct_t1_free(t1);
    else
        *out = t1;
    return status;
}

void ct_t1_free(struct ct_t1 *t1)
{
    if (!t1)
        return;
    json_decref(t1->all);
    ct_arena_release(&t1->arena);
    free(t1);
}

enum ct_status ct_t1_kernel_file(struct ct_t1 *t1, const char **out, struct ct_err *err)
{
    const char *language = text_of(t1->kernel, "Language");
    const char *file = text_of(t1->kernel, "KernelFile");
    const char *slash = strrchr(t1->path, '/');

    if (*language && strcmp(language, "OpenCL") != 0)
        return ct_err_set(err, CT_E_USAGE,
                          "%s: its kernel is %s: name a file with the kernel in OpenCL, "
                          "'cltune init KERNEL.cl --from-t1 %s'",
                          t1->path, language, t1->path);
    if (!*file)
        return ct_err_set(
            err, CT_E_USAGE,
            "%s names no KernelFile: use 'cltune init KERNEL.cl --from-t1 %s'", t1->path,
            t1->path);
    *out = *file == '/' || !slash
               ? file
               : ct_arena_format(&t1->arena, "%.*s%s", (int)(slash - t1->path + 1),
                                 t1->path, file);
    return *out ? CT_OK : ct_err_nomem(err);
}

const char *ct_t1_kernel(const struct ct_t1 *t1)
{
    return text_of(t1->kernel, "KernelName");
}

/* On one line, whatever it holds. */
static void put_option(const char *option, struct ct_str *out)
{
    if (out->length)
        ct_str_putc(out, ' ');
    for (; *option; option++)
        ct_str_putc(out, iscntrl((unsigned char)*option) ? ' ' : *option);
}

void ct_t1_put_options(const struct ct_t1 *t1, struct ct_str *out)
{
    size_t i;
    json_t *option;

    json_array_foreach(json_object_get(t1->kernel, "CompilerOptions"), i, option)
    {
        if (json_string_length(option))
            put_option(json_string_value(option), out);
    }
}

/* --- parameters --- */

/* A text of a stranger for a message. */
static const char *show(struct ct_t1 *t1, const char *text)
{
    return ct_show_line(&t1->arena, text);
}

/* The list as text: the schema has Python in a string, others an array. */
static const char *values_text(struct ct_t1 *t1, const json_t *param)
{
    const json_t *values = json_object_get(param, "Values");
    char *dumped;
    const char *copy;

    if (json_is_string(values))
        return json_string_value(values);
    dumped = json_dumps(values, JSON_ENCODE_ANY);
    copy = dumped ? ct_arena_copy(&t1->arena, dumped, strlen(dumped)) : NULL;
    free(dumped);
    return copy ? copy : "";
}

static enum ct_status add_param(struct ct_t1 *t1, const json_t *param,
                                struct ct_draft *draft, struct ct_err *err)
{
    const char *name = text_of(param, "Name");
    const char *first = "";
    struct ct_draft_line line = {.name = ct_draft_format(draft, "%s", name)};

    /* A line break in it would be a line of the space file. */
    if (!ct_word_starts((unsigned char)*name) || *ct_word_skip(name))
        return ct_err_set(
            err, CT_E_USAGE,
            "%s: parameter name '%s' is not a name: use letters, digits and _", t1->path,
            show(t1, name));
    line.value = ct_python_values(&draft->arena, values_text(t1, param), &first);
    if (!line.value)
        return ct_err_set(err, CT_E_USAGE,
                          "%s: the values of parameter '%s' cannot be translated: %s",
                          t1->path, name, show(t1, values_text(t1, param)));
    ct_draft_add(draft, &draft->params, line);
    /* In `config`, texts have no quotes. */
    if (*first == '\'')
        first = ct_draft_format(draft, "%.*s", (int)strlen(first) - 2, first + 1);
    ct_draft_add(draft, &draft->defaults,
                 (struct ct_draft_line){.name = line.name, .value = first});
    return CT_OK;
}

static enum ct_status add_params(struct ct_t1 *t1, struct ct_draft *draft,
                                 struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t i;
    json_t *param;

    json_array_foreach(json_object_get(t1->space, "TuningParameters"), i, param)
    {
        if (!status)
            status = add_param(t1, param, draft, err);
    }
    return status;
}

static void add_conditions(struct ct_t1 *t1, struct ct_draft *draft)
{
    size_t i;
    json_t *condition;

    json_array_foreach(json_object_get(t1->space, "Conditions"), i, condition)
    {
        const char *python = text_of(condition, "Expression");
        const char *value = ct_python_translate(&draft->arena, python, false);
        struct ct_draft_line line = {.name =
                                         ct_draft_format(draft, "condition %zu", i + 1),
                                     .value = value ? value : python,
                                     .is_off = !value};

        if (!value)
            line.decide = "this condition could not be translated: write it by hand";
        ct_draft_add(draft, &draft->constraints, line);
    }
}

enum ct_status ct_t1_macros(struct ct_t1 *t1, struct ct_subject *subject,
                            struct ct_err *err)
{
    struct ct_draft draft = {0};
    enum ct_status status = add_params(t1, &draft, err);

    for (size_t i = 0; !status && i < draft.defaults.count; i++) {
        const struct ct_draft_line *line = &draft.defaults.items[i];
        struct ct_macro macro = {.name = ct_mem_copy(line->name, strlen(line->name)),
                                 .value = strtoll(line->value, NULL, 0)};

        if (macro.name &&
            ct_mem_grow(&subject->options.items, &subject->options.capacity,
                        subject->options.count + 1, sizeof(*subject->options.items))) {
            subject->options.items[subject->options.count++] = macro;
        } else {
            free(macro.name);
            status = ct_err_nomem(err);
        }
    }
    ct_draft_release(&draft);
    return status;
}

/* --- launch --- */

static enum ct_status add_launch(struct ct_t1 *t1, struct ct_draft *draft,
                                 struct ct_err *err)
{
    static const char *const axes[] = {"X", "Y", "Z"};
    const json_t *global = json_object_get(t1->kernel, "GlobalSize");
    const json_t *local = json_object_get(t1->kernel, "LocalSize");
    /* CUDA counts groups. */
    bool groups = strcmp(text_of(t1->kernel, "GlobalSizeType"), "CUDA") == 0;

    for (size_t d = 0; d < 3; d++)
        if (*text_of(global, axes[d]))
            draft->dims = d + 1;
    if (!draft->dims || !*text_of(global, "X"))
        return ct_err_set(
            err, CT_E_USAGE,
            "%s has no GlobalSize: use 'cltune init KERNEL.cl', and copy the "
            "parameters",
            t1->path);
    for (size_t d = 0; d < draft->dims; d++) {
        const char *items = *text_of(global, axes[d]) ? text_of(global, axes[d]) : "1";
        const char *group = text_of(local, axes[d]);

        draft->global[d] = ct_python_translate(&draft->arena, items, true);
        if (*group || *text_of(local, "X"))
            draft->local[d] =
                ct_python_translate(&draft->arena, *group ? group : "1", true);
        if (!draft->global[d] || (*group && !draft->local[d]))
            return ct_err_set(err, CT_E_USAGE, "%s: size '%s' cannot be translated",
                              t1->path, draft->global[d] ? group : items);
        if (groups && draft->local[d])
            draft->global[d] =
                ct_draft_format(draft, "(%s) * (%s)", draft->global[d], draft->local[d]);
    }
    return CT_OK;
}

/* --- arguments --- */

/* T1's names of types; "custom" has a size alone. */
static struct ct_ctype type_of(const json_t *arg)
{
    const char *name = text_of(arg, "Type");
    char full[16];

    if (strncmp(name, "int", 3) == 0 || strncmp(name, "uint", 4) == 0) {
        bool is_plain = strcmp(name, "int") == 0 || strcmp(name, "uint") == 0;

        snprintf(full, sizeof(full), is_plain ? "%.8s" : "%.8s_t", name);
        return ct_ctype_read(full);
    }
    return ct_ctype_read(strcmp(name, "bool") == 0 ? "uchar" : name);
}

static const char *number_of(struct ct_draft *draft, const json_t *value,
                             const char *otherwise)
{
    if (json_is_integer(value))
        return ct_draft_format(draft, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return ct_draft_format(draft, "%.17g", json_real_value(value));
    return otherwise;
}

static const char *fill_of(struct ct_t1 *t1, const json_t *arg, struct ct_ctype type,
                           struct ct_draft *draft, struct ct_draft_arg *out)
{
    const char *kind = text_of(arg, "FillType");
    const char *value = number_of(draft, json_object_get(arg, "FillValue"), "1");
    bool real = strcmp(type.name, "float") == 0 || strcmp(type.name, "double") == 0 ||
                strcmp(type.name, "half") == 0;

    (void)t1;
    if (!*kind || strcmp(kind, "Constant") == 0)
        return ct_draft_format(draft, "constant(%s)",
                               json_object_get(arg, "FillValue") ? value : "0");
    if (strcmp(kind, "Random") == 0)
        return real ? ct_draft_format(draft, "uniform(0, %s)",
                                      strtod(value, NULL) > 0 ? value : "1")
                    : "uniform(0, 100)";
    out->decide = ct_draft_format(draft,
                                  "the contents: %s (%s) has no counterpart, so they are "
                                  "random",
                                  kind, text_of(arg, "DataSource"));
    return real ? "uniform(0, 1)" : "uniform(0, 100)";
}

static enum ct_status add_memory(struct ct_t1 *t1, const json_t *arg, const char *name,
                                 struct ct_draft *draft, struct ct_draft_arg *out,
                                 struct ct_err *err)
{
    struct ct_ctype type = type_of(arg);
    const char *access = text_of(arg, "AccessType");
    const json_t *size = json_object_get(arg, "Size");

    if (!type.name) {
        json_int_t each = json_integer_value(json_object_get(arg, "TypeSize"));
        json_int_t elements = json_integer_value(size);

        type = ct_ctype_read("uchar");
        if (each > 0 && elements > 0 && elements <= INT64_MAX / each)
            out->count = ct_draft_format(draft, "%" PRId64, (int64_t)(elements * each));
    } else if (json_is_string(size)) {
        out->count = ct_python_translate(&draft->arena, json_string_value(size), true);
    } else {
        out->count = number_of(draft, size, NULL);
    }
    if (!out->count || strcmp(out->count, "0") == 0)
        return ct_err_set(err, CT_E_USAGE, "%s: argument '%s' has no Size", t1->path,
                          name);
    out->memory = CT_DRAFT_BUFFER;
    out->name = name;
    out->type = type.width > 1 ? ct_draft_format(draft, "%s%u", type.name, type.width)
                               : type.name;
    out->fill = fill_of(t1, arg, type, draft, out);
    if (strcmp(access, "ReadOnly") != 0) {
        out->check = ct_space_data_check_of(type);
        draft->has_outputs = true;
    }
    return CT_OK;
}

static enum ct_status add_arg(struct ct_t1 *t1, const json_t *arg, size_t index,
                              struct ct_draft *draft, struct ct_err *err)
{
    struct ct_draft_arg *out = &draft->args[index];
    const char *kind = text_of(arg, "MemoryType");
    const char *given = text_of(arg, "Name");
    struct ct_ctype type = type_of(arg);
    const char *value = number_of(draft, json_object_get(arg, "FillValue"),
                                  number_of(draft, json_object_get(arg, "Value"), "0"));
    bool is_free = ct_space_data_is_free(given);

    for (size_t i = 0; is_free && i < index; i++)
        is_free = !draft->args[i].name || strcmp(draft->args[i].name, given) != 0;
    if (strcmp(kind, "Vector") == 0)
        return add_memory(t1, arg,
                          is_free ? ct_draft_format(draft, "%s", given)
                                  : ct_draft_format(draft, "argument_%zu", index),
                          draft, out, err);
    if (strcmp(kind, "Local") == 0)
        out->text = ct_draft_format(draft, "local(%s * %zu)",
                                    number_of(draft, json_object_get(arg, "Size"), "1"),
                                    type.name ? type.size_bytes * type.width : 1);
    else if (strcmp(kind, "Scalar") == 0 && type.name && type.width > 1)
        out->text = ct_draft_format(draft, "%s%u(%s)", type.name, type.width, value);
    else if (strcmp(kind, "Scalar") == 0 && type.name)
        out->text = ct_draft_format(draft, "%s(%s)", type.name, value);
    else
        return ct_err_set(err, CT_E_USAGE,
                          "%s: argument '%s' with MemoryType '%s' and Type '%s' is not "
                          "supported",
                          t1->path, given, kind, text_of(arg, "Type"));
    return CT_OK;
}

enum ct_status ct_t1_draft(struct ct_t1 *t1, const struct ct_subject *subject,
                           struct ct_draft *draft, struct ct_err *err)
{
    const json_t *list = json_object_get(t1->kernel, "Arguments");
    enum ct_status status = add_params(t1, draft, err);

    if (!status)
        status = add_launch(t1, draft, err);
    add_conditions(t1, draft);
    draft->arg_count = json_array_size(list);
    draft->args =
        ct_arena_array(&draft->arena, draft->arg_count + 1, sizeof(*draft->args));
    if (!status && !draft->args)
        status = ct_err_nomem(err);
    if (!status && draft->arg_count != subject->arg_count)
        status =
            ct_err_set(err, CT_E_USAGE, "%s has %zu arguments, but kernel %s takes %zu",
                       t1->path, draft->arg_count, subject->function, subject->arg_count);
    for (size_t i = 0; !status && i < draft->arg_count; i++)
        status = add_arg(t1, json_array_get(list, i), i, draft, err);
    return !status && draft->failed ? ct_err_nomem(err) : status;
}
