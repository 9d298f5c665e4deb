// SPDX-License-Identifier: Apache-2.0
// Opens a space file for a running program's device and problem.
#include "online/work.h"

#include "spacefile/source.h"

#include <stdlib.h>
#include <string.h>

/* --- the device --- */

static const char *copied(struct ct_online_work *work, const cltunedb_value *value,
                          bool *failed)
{
    const char *text = "";

    if (value->kind == CLTUNEDB_TEXT && value->s) {
        text = ct_arena_copy(&work->arena, value->s, strlen(value->s));
        *failed |= !text;
    }
    return text ? text : "";
}

static void take_property(struct ct_online_work *work, const cltunedb_value *value,
                          bool *failed)
{
    for (int i = 0; i < CT_DEVPROP_COUNT; i++) {
        if (strcmp(ct_devprops[i].name, value->name) != 0)
            continue;
        if (ct_devprops[i].kind == CT_TEXT && value->kind == CLTUNEDB_TEXT)
            work->device.props[i] = ct_value_text(copied(work, value, failed));
        else if (ct_devprops[i].kind == CT_INT && value->kind == CLTUNEDB_INT)
            work->device.props[i] = ct_value_int(value->i);
    }
}

static enum ct_status take_device(struct ct_online_work *work,
                                  const cltunedb_tune_request *request,
                                  struct ct_err *err)
{
    bool failed = false;

    work->device.platform_name = work->device.platform_version = "";
    for (size_t i = 0; i < request->device_count; i++) {
        const cltunedb_value *value = &request->device[i];

        if (!value->name)
            continue;
        if (strcmp(value->name, "PLATFORM_NAME") == 0)
            work->device.platform_name = copied(work, value, &failed);
        else if (strcmp(value->name, "PLATFORM_VERSION") == 0)
            work->device.platform_version = copied(work, value, &failed);
        else
            take_property(work, value, &failed);
    }
    if (failed)
        return ct_err_nomem(err);
    ct_devinfo_complete(&work->device, &work->arena);
    if (!*ct_devinfo_text(&work->device, CT_DEVICE_NAME))
        return ct_err_set(err, CT_E_USAGE,
                          "the request does not name the device: give DEVICE_NAME");
    return CT_OK;
}

/* --- the space --- */

/* The first finding that is an error, with its place. */
static enum ct_status first_error(enum ct_status status, const struct ct_diags *diags,
                                  const struct ct_err *own, struct ct_err *err)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct ct_diag *diag = &diags->items[i];

        if (diag->severity != CT_ERROR)
            continue;
        if (diag->line)
            return ct_err_set(err, status, "%s:%d:%d: %s", diag->file, diag->line,
                              diag->column, diag->message);
        return ct_err_set(err, status, "%s: %s", diag->file, diag->message);
    }
    if (err)
        *err = *own;
    return status;
}

static size_t file_bytes(const cltunedb_tune_file *file)
{
    return file->bytes ? file->bytes : strlen(file->text);
}

/* The space file among those that the program carries, or NULL. */
static const cltunedb_tune_file *given_space(const cltunedb_tune_request *request,
                                             const char *path)
{
    for (size_t i = 0; i < request->file_count; i++)
        if (strcmp(request->files[i].path, path) == 0)
            return &request->files[i];
    return NULL;
}

/* The other files, by the paths that the space file's names become. */
static enum ct_status give_files(struct ct_online_work *work,
                                 const cltunedb_tune_request *request, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < request->file_count && !status; i++) {
        const cltunedb_tune_file *file = &request->files[i];
        const char *path = ct_spec_path(work->spec, &work->arena, file->path);

        status = path ? ct_source_cache_give(work->sources, path, file->text,
                                             file_bytes(file), err)
                      : ct_err_nomem(err);
    }
    return status;
}

static enum ct_status load_spec(struct ct_online_work *work,
                                const cltunedb_tune_request *request, const char *path,
                                struct ct_err *err)
{
    const cltunedb_tune_file *given = given_space(request, path);
    const char *kernel = request->kernel;
    struct ct_diags diags = {0};
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status = given ? ct_spec_parse(path, given->text, file_bytes(given),
                                                  &work->spec, &diags, &own)
                                  : ct_spec_load(path, &work->spec, &diags, &own);

    if (!status)
        work->spec->given = given != NULL;
    if (status)
        status = first_error(status, &diags, &own, err);
    else if (kernel && strcmp(kernel, work->spec->kernel.name) != 0)
        status =
            ct_err_set(err, CT_E_USAGE, "%s is the space file of kernel %s, not of %s",
                       path, work->spec->kernel.name, kernel);
    ct_diags_release(&diags);
    return status;
}

/* The problem's values as the command line gives them. */
static enum ct_status put_settings(const cltunedb_tune_request *request,
                                   struct ct_arena *arena, struct ct_setting *settings,
                                   struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str text;

    ct_str_init(&text);
    for (size_t i = 0; i < request->problem_count && !status; i++) {
        const cltunedb_value *value = &request->problem[i];

        ct_str_reset(&text);
        if (!value->name || value->kind == CLTUNEDB_TEXT)
            status = ct_err_set(err, CT_E_USAGE,
                                "the request's problem: '%s' is not a name with a number",
                                value->name ? value->name : "");
        else
            ct_value_print(&text, value->kind == CLTUNEDB_INT ? ct_value_int(value->i)
                                                              : ct_value_real(value->r));
        settings[i].name = value->name;
        settings[i].text = ct_arena_copy(arena, text.data, text.length);
        if (!status && !settings[i].text)
            status = ct_err_nomem(err);
    }
    ct_str_release(&text);
    return status;
}

static enum ct_status bind(struct ct_online_work *work,
                           const cltunedb_tune_request *request, struct ct_err *err)
{
    struct ct_diags diags = {0};
    struct ct_err own = CT_ERR_INIT;
    struct ct_setting *settings =
        ct_arena_array(&work->arena, request->problem_count + 1, sizeof(*settings));
    struct ct_binding_options options = {.device = &work->device,
                                         .problem_count = request->problem_count,
                                         .problem = settings};
    enum ct_status status =
        settings ? put_settings(request, &work->arena, settings, err) : ct_err_nomem(err);

    if (status)
        return status;
    status = ct_binding_new(work->spec, &options, &work->binding, &diags, &own);
    if (status)
        status = first_error(status, &diags, &own, err);
    ct_diags_release(&diags);
    return status;
}

/* The default, or what is valid and nearest to it. */
static enum ct_status find_default(struct ct_online_work *work, struct ct_err *err)
{
    enum ct_status status = ct_binding_start(work->binding, work->values, err);

    if (status)
        return status;
    if (ct_space_find(work->space, work->values, &work->default_index))
        return CT_OK;
    for (size_t p = 0; p < work->spec->param_count; p++) {
        const struct ct_domain *domain = &work->binding->domains[p];

        for (size_t i = 0; i < domain->count; i++)
            if (ct_value_equal(domain->values[i], work->values[p]))
                work->config[p] = (uint32_t)i;
    }
    if (!ct_space_nearest(work->space, work->config, work->config, err) ||
        !ct_space_index(work->space, work->config, &work->default_index))
        return ct_err_set(
            err, CT_E_NOT_FOUND, "%s: no configuration is valid on %s for this problem",
            work->spec->path, ct_devinfo_text(&work->device, CT_DEVICE_NAME));
    return CT_OK;
}

enum ct_status ct_online_work_open(struct ct_online_work *work,
                                   const cltunedb_tune_request *request,
                                   const char *space_file, struct ct_err *err)
{
    enum ct_status status;

    *work = (struct ct_online_work){0};
    status = take_device(work, request, err);
    if (!status)
        status = load_spec(work, request, space_file, err);
    if (!status) {
        work->sources = ct_source_cache_new();
        status = work->sources ? give_files(work, request, err) : ct_err_nomem(err);
    }
    if (!status)
        status = bind(work, request, err);
    if (!status)
        status = ct_space_new(work->binding, NULL, &work->space, err);
    if (status)
        return status;
    work->values = ct_mem_array(work->spec->param_count, sizeof(*work->values));
    work->config = ct_mem_array(work->spec->param_count, sizeof(*work->config));
    if (!work->values || !work->config)
        return ct_err_nomem(err);
    return find_default(work, err);
}

void ct_online_work_release(struct ct_online_work *work)
{
    if (work->sources)
        ct_source_cache_free(work->sources);
    if (work->space)
        ct_space_free(work->space);
    if (work->binding)
        ct_binding_free(work->binding);
    if (work->spec)
        ct_spec_free(work->spec);
    free(work->values);
    free(work->config);
    ct_arena_release(&work->arena);
    *work = (struct ct_online_work){0};
}

/* --- configurations --- */

bool ct_online_work_find(struct ct_online_work *work, const struct ct_db_value *values,
                         size_t count, uint64_t *index)
{
    if (count != work->spec->param_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        int p = ct_spec_find_param(work->spec, values[i].name);

        if (p < 0)
            return false;
        work->values[p] = values[i].value;
    }
    return ct_space_find(work->space, work->values, index);
}

static bool exceeds(const struct ct_devinfo *device, enum ct_devprop prop,
                    uint64_t wanted)
{
    int64_t limit = ct_devinfo_int(device, prop, 0);

    return limit > 0 && wanted > (uint64_t)limit;
}

static bool launch_fits(const struct ct_devinfo *device,
                        const struct ct_plan_launch *launch)
{
    uint64_t items = 1;
    uint64_t local_bytes = 0;

    for (unsigned d = 0; d < launch->dims; d++) {
        uint64_t size = launch->local[d];

        if (exceeds(device, (enum ct_devprop)(CT_DEVICE_MAX_WORK_ITEM_SIZES_0 + (int)d),
                    size))
            return false;
        items = size && items > UINT64_MAX / size ? UINT64_MAX : items * size;
    }
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == CT_ARG_LOCAL)
            local_bytes += launch->args[i].local_bytes;
    return !exceeds(device, CT_DEVICE_MAX_WORK_GROUP_SIZE, items) &&
           !exceeds(device, CT_DEVICE_LOCAL_MEM_SIZE, local_bytes);
}

enum ct_status ct_online_work_plan(struct ct_online_work *work, uint64_t index,
                                   struct ct_arena *arena, struct ct_plan *plan,
                                   struct ct_err *err)
{
    enum ct_status status;

    ct_space_config(work->space, index, work->config);
    ct_binding_values(work->binding, work->config, work->values);
    status =
        ct_binding_plan(work->binding, work->values, work->sources, arena, plan, err);
    /* As a search plans it: the same experiment. */
    if (!status)
        ct_plan_observe(plan, ct_spec_metrics_use(work->spec));
    return status;
}

bool ct_online_work_fits(const struct ct_online_work *work, const struct ct_plan *plan)
{
    for (size_t i = 0; i < plan->launch_count; i++)
        if (*plan->launches[i].kernel && !launch_fits(&work->device, &plan->launches[i]))
            return false;
    return true;
}
