// SPDX-License-Identifier: Apache-2.0
// Writes space files.
#include "capture/space_text.h"

#include "base/mem.h"
#include "base/show.h"
#include "capture/experiment.h"
#include "capture/includes.h"
#include "capture/space_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char axes[] = "XYZ";
static const char *const sizes[] = {"global_x", "global_y", "global_z"};

/* --- arguments --- */

/* Whether one of the first arguments has the name. */
static bool is_taken(const struct ct_space_text *space, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(space->arguments[i].name, name) == 0)
            return true;
    return false;
}

/* Names of its own for memory: that of the argument, unless it is taken or means something else. */
static void choose_name(struct ct_space_text *space, size_t index)
{
    struct ct_space_argument *argument = &space->arguments[index];
    const char *given = json_string_value(json_object_get(argument->json, "name"));
    bool free_name =
        given && ct_space_data_is_free(given) && !is_taken(space, index, given);

    if (free_name) {
        snprintf(argument->name, sizeof(argument->name), "%.63s", given);
        return;
    }
    snprintf(argument->name, sizeof(argument->name), "argument_%zu", index);
    /* The program may have given an argument just that name. */
    for (size_t more = 2; is_taken(space, index, argument->name); more++)
        snprintf(argument->name, sizeof(argument->name), "argument_%zu_%zu", index, more);
}

static bool read_arguments(struct ct_space_text *space)
{
    const json_t *list = json_object_get(space->group->captured, "args");

    space->argument_count = json_array_size(list);
    space->arguments = ct_mem_array(space->argument_count + 1, sizeof(*space->arguments));
    for (size_t i = 0; space->arguments && i < space->argument_count; i++) {
        struct ct_space_argument *argument = &space->arguments[i];
        const char *kind;
        const char *given;

        argument->json = json_array_get(list, i);
        kind = json_string_value(json_object_get(argument->json, "kind"));
        argument->is_memory =
            kind && (strcmp(kind, "buffer") == 0 || strcmp(kind, "image") == 0);
        argument->owner =
            (size_t)json_integer_value(json_object_get(argument->json, "owner"));
        argument->changed = json_is_true(json_object_get(argument->json, "changed"));
        given = json_string_value(json_object_get(argument->json, "resolved"));
        argument->type = ct_ctype_read(given ? given : "");
        choose_name(space, i);
    }
    return space->arguments != NULL;
}

/* --- sections --- */

static void put_comment(const struct ct_space_text *space, struct ct_str *out)
{
    const struct ct_found_group *group = space->group;
    const json_t *deterministic = json_object_get(group->captured, "deterministic");

    ct_str_puts(out, "; Captured by cltune from: ");
    ct_show_add(out, space->command, strlen(space->command), CT_SHOW_LINE);
    ct_str_addf(out, "\n; %s: %" PRIu64 " launches of this shape", group->kernel,
                group->launches);
    if (group->timed)
        ct_str_addf(out, ", %.3f ms each, on %s",
                    (double)group->time_ns / (double)group->timed / 1e6, group->device);
    ct_str_puts(out, ".\n");
    if (json_is_false(deterministic))
        ct_str_puts(
            out,
            "; The kernel is not deterministic: a second run with the same inputs gave "
            "other outputs.\n; Loosen the checks below as far as they may differ.\n");
    ct_str_putc(out, '\n');
}

static void put_kernel(const struct ct_space_text *space, const struct ct_str *include,
                       const struct ct_str *options, struct ct_str *out)
{
    ct_str_puts(out, "[kernel]\nname    = ");
    ct_experiment_put_name(out, space->group->kernel, space->group->program);
    ct_str_puts(out, "\nsource  = kernel.cl\n");
    if (options->length)
        ct_str_addf(out, "options = %s\n", options->data);
    if (include->length)
        ct_str_addf(out, "include = %s\n", include->data);
    ct_str_puts(out, "\n[problem]\n");
    for (size_t i = 0; i < 3 && i < space->group->dimensions; i++)
        ct_str_addf(out, "%s = %" PRIu64 "\n", sizes[i], space->group->global[i]);
}

/* Whether the program's own work-group is one of those that the space has. */
static bool divides_globally(const struct ct_found_group *group)
{
    for (size_t i = 0; i < group->dimensions; i++)
        if (!group->local[i] || group->global[i] % group->local[i])
            return false;
    return true;
}

/* Parameters of the work-group: what divides the global size, and 0 for the driver's choice. */
static void put_local_params(const struct ct_space_text *space, struct ct_str *out)
{
    for (size_t i = 0; i < 3 && i < space->group->dimensions; i++)
        ct_str_addf(out, "%s%c = %sdivisors(%s)%s%s%s\n", space->local, axes[i],
                    i ? "" : "0, ", sizes[i], i ? " if " : "", i ? space->local : "",
                    i ? "X > 0"
                      : "                ; work-items in a group; 0: the driver "
                        "chooses");
}

/* Whether the build options have the macro, too: then it is a parameter already, or one of the
 * options that stay and win over a guarded default. */
static bool is_option(const struct ct_space_text *space, const struct ct_str *options,
                      const struct ct_macro *macro)
{
    for (size_t i = 0; i < space->options.count; i++)
        if (strcmp(space->options.items[i].name, macro->name) == 0)
            return true;
    return macro->guarded && options->length &&
           ct_macros_uses(options->data, macro->name);
}

static void put_params(const struct ct_space_text *space, const struct ct_str *options,
                       struct ct_str *out)
{
    if (!space->local && !space->options.count && !space->defines.count)
        return;
    ct_str_puts(out, "\n[param]\n");
    if (space->local)
        put_local_params(space, out);
    for (size_t i = 0; i < space->options.count; i++) {
        ct_str_addf(out, "%s = ", space->options.items[i].name);
        ct_macros_put_values(&space->options.items[i], out);
        ct_str_puts(out, "                ; the program builds with -D\n");
    }
    if (space->defines.count)
        ct_str_puts(
            out, "; Macros that the source defines, with guesses; remove the ; of those "
                 "that may vary.\n");
    for (size_t i = 0; i < space->defines.count; i++) {
        const struct ct_macro *macro = &space->defines.items[i];

        if (is_option(space, options, macro))
            continue;
        ct_str_addf(out, "; %s = ", macro->name);
        ct_macros_put_values(macro, out);
        ct_str_addf(out, "%s                ; line %d of the source%s\n",
                    macro->guarded ? "" : " replaces", macro->line,
                    macro->several ? "; others define it differently" : "");
    }
}

static void put_items(const struct ct_space_text *space, struct ct_str *out)
{
    for (size_t i = 0; i < space->group->dimensions; i++)
        ct_str_addf(out, "%s%s%c", i ? " * " : "", space->local, axes[i]);
}

static void put_constraint(const struct ct_space_text *space, struct ct_str *out)
{
    const json_t *args = json_object_get(space->group->captured, "args");
    uint64_t items = 1;
    bool shares = false;

    if (!space->local)
        return;
    for (size_t i = 0; i < json_array_size(args); i++) {
        const char *kind =
            json_string_value(json_object_get(json_array_get(args, i), "kind"));

        shares = shares || (kind && strcmp(kind, "local") == 0);
    }
    ct_str_puts(out, "\n[constraint]\ngroup fits = ");
    put_items(space, out);
    ct_str_puts(out, " <= DEVICE_MAX_WORK_GROUP_SIZE\n");
    for (size_t i = 0; i < space->group->dimensions; i++)
        items *= space->group->local[i];
    /* The program has made local memory for its own work-group. */
    if (shares && items) {
        ct_str_puts(out, "local memory suffices = ");
        put_items(space, out);
        ct_str_addf(out, " <= %" PRIu64 " && %sX > 0\n", items, space->local);
    }
}

static void put_launch(const struct ct_space_text *space, struct ct_str *out)
{
    const struct ct_found_group *group = space->group;

    ct_str_addf(out, "\n[launch %s]\nkernel = %s\nargs   = ", group->kernel,
                group->kernel);
    for (size_t i = 0; i < space->argument_count; i++) {
        ct_str_puts(out, i ? ",\n         " : "");
        ct_space_data_put_argument(space, i, out);
    }
    ct_str_puts(out, "\nglobal = ");
    for (size_t i = 0; i < group->dimensions; i++)
        ct_str_addf(out, "%s%s", i ? ", " : "", sizes[i]);
    ct_str_puts(out, "\nlocal  = ");
    for (size_t i = 0; i < group->dimensions; i++) {
        ct_str_puts(out, i ? ", " : "");
        if (!space->local)
            ct_str_addf(out, "%" PRIu64, group->local[i]);
        else if (i)
            ct_str_addf(out, "%sX ? %s%c : 0", space->local, space->local, axes[i]);
        else
            ct_str_addf(out, "%sX", space->local);
    }
    ct_str_putc(out, '\n');
}

static void put_default(const struct ct_space_text *space, struct ct_str *out)
{
    const struct ct_found_group *group = space->group;

    if (!space->local)
        return;
    ct_str_puts(out,
                "\n[default]                              ; what the program does\n");
    if (!divides_globally(group)) {
        ct_str_addf(out, "%sX = 0\n", space->local);
        return;
    }
    for (size_t i = 0; i < group->dimensions; i++)
        ct_str_addf(out, "%s%c = %" PRIu64 "\n", space->local, axes[i], group->local[i]);
}

/* A prefix that the kernel does not use; NULL if its source fixes the work-group. */
static const char *choose_local(const struct ct_found_group *group, const char *source)
{
    const json_t *required = json_object_get(group->captured, "required");

    if (json_integer_value(json_array_get(required, 0)))
        return NULL;
    for (int i = 0; i < 3; i++) {
        char name[32];

        snprintf(name, sizeof(name), CT_EXPERIMENT_LOCAL "%c", axes[i]);
        if (ct_macros_uses(source, name))
            return CT_EXPERIMENT_LOCAL_OWN;
    }
    return CT_EXPERIMENT_LOCAL;
}

/* Copies headers: then the experiment's own folder is all that it includes from.  Appends the value of
 * the key `include`, or "". */
static enum ct_status take_headers(const struct ct_space_text *space, const char *source,
                                   const char *cwd, struct ct_str *folders,
                                   struct ct_str *include, struct ct_err *err)
{
    struct ct_includes found;
    enum ct_status status;

    /* Compilers look into the current folder, too. */
    ct_str_add(folders, cwd, strlen(cwd) + 1);
    status = ct_includes_copy(space->folder, source, folders, &found, err);
    if (status != CT_OK)
        return status;
    if (*found.unnamed)
        return ct_err_set(
            err, CT_E_NOT_FOUND,
            "it includes %s, which is in no folder that a space file can name",
            found.unnamed);
    ct_str_puts(include, found.copied ? CT_INCLUDES_FOLDER : "");
    for (const char *at = folders->data;
         !found.complete && at < folders->data + folders->length; at += strlen(at) + 1)
        if (!strpbrk(at, CT_INCLUDES_UNNAMED))
            ct_str_addf(include, "%s%s", include->length ? ", " : "", at);
    return CT_OK;
}

enum ct_status ct_space_text_make(struct ct_space_text *space, const char *source,
                                  struct ct_str *out, struct ct_err *err)
{
    const char *cwd = json_string_value(json_object_get(space->group->captured, "cwd"));
    enum ct_status status = CT_OK;
    struct ct_str folders;
    struct ct_str include;
    struct ct_str rest;

    ct_str_init(&folders);
    ct_str_init(&include);
    ct_str_init(&rest);
    space->local = choose_local(space->group, source);
    if (!read_arguments(space) ||
        !ct_macros_split_options(space->group->options, source, cwd ? cwd : ".",
                                 &space->options, &folders, &rest) ||
        !ct_macros_find(source, &space->defines))
        status = ct_err_nomem(err);
    if (status == CT_OK)
        status = take_headers(space, source, cwd ? cwd : ".", &folders, &include, err);
    if (status == CT_OK)
        status = ct_space_data_check(space, err);
    if (status == CT_OK) {
        put_comment(space, out);
        put_kernel(space, &include, &rest, out);
        put_params(space, &rest, out);
        put_constraint(space, out);
        ct_space_data_put(space, out);
        put_launch(space, out);
        put_default(space, out);
    }
    ct_str_release(&folders);
    ct_str_release(&include);
    ct_str_release(&rest);
    return status == CT_OK && out->failed ? ct_err_nomem(err) : status;
}

void ct_space_text_release(struct ct_space_text *space)
{
    free(space->arguments);
    ct_macros_release(&space->options);
    ct_macros_release(&space->defines);
}
