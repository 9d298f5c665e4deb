// SPDX-License-Identifier: Apache-2.0
// Messages, space files and devices for all commands.
#include "cli/cli.h"

#include "base/create.h"
#include "base/str.h"
#include "protocol/cache.h"
#include "report/format.h"
#include "report/diags.h"
#include "report/screen.h"
#include "report/warn.h"
#include "tune/devices.h"
#include "tune/host_device.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int exit_status_of(enum ct_status code)
{
    switch (code) {
    case CT_OK:
        return CT_EXIT_OK;
    case CT_E_USAGE:
    case CT_E_SPEC:
        return CT_EXIT_USAGE;
    case CT_E_NOT_FOUND:
        return CT_EXIT_NOTHING;
    case CT_E_NO_DEVICE:
        return CT_EXIT_NO_DEVICE;
    case CT_E_INTERRUPTED:
        return CT_EXIT_INTERRUPTED;
    case CT_E_NOMEM:
    case CT_E_IO:
    case CT_E_DB:
    case CT_E_DEVICE:
    case CT_E_WORKER:
    case CT_E_INTERNAL:
        break;
    }
    return CT_EXIT_FAILED;
}

int ct_cli_error(const struct ct_err *err)
{
    fflush(ct_screen_out());
    fputs("cltune: ", ct_screen_err());
    ct_report_place(err->file, err->line, err->column);
    fprintf(ct_screen_err(), "%s\n", err->message);
    return exit_status_of(err->code);
}

int ct_cli_usage(const char *command, const char *format, ...)
{
    va_list args;

    fflush(ct_screen_out());
    fprintf(ct_screen_err(), "cltune %s: ", command);
    va_start(args, format);
    vfprintf(ct_screen_err(), format, args);
    va_end(args);
    fprintf(ct_screen_err(),
            "\n"
            "cltune %s: try 'cltune %s --help'\n",
            command, command);
    return CT_EXIT_USAGE;
}

enum ct_status ct_cli_tune_options(const struct ct_options *options,
                                   struct ct_tune_options *out, struct ct_err *err)
{
    bool cold = options->sampling.cache && strcmp(options->sampling.cache, "cold") == 0;
    bool warm = options->sampling.cache && strcmp(options->sampling.cache, "warm") == 0;

    *out = (struct ct_tune_options){
        .db = options->db,
        .objective = options->objective,
        .per_value = options->output.by,
        .strategy = options->strategy,
        .shard = {options->shard.number, options->shard.of},
        .island = {options->island.number, options->island.of},
        .playoff_only = options->playoff_only,
        .no_baseline = options->shard.of || options->island.of,
        /* Islands differ, and the first one is the search without islands. */
        .seed = options->seed + (options->island.of ? options->island.number - 1 : 0),
        .budget = {.evaluations = options->budget.evaluations,
                   .seconds = options->budget.duration_s,
                   .fraction = options->budget.fraction,
                   .until_chance = options->budget.until_chance,
                   .no_progress = options->budget.no_progress,
                   .playoff = options->budget.playoff,
                   .baseline = options->budget.baseline,
                   .target = options->budget.target},
        .deadlines = ct_tune_deadlines(options->workers.timeout_s,
                                       options->workers.build_timeout_s),
        .cache = cold   ? CT_CACHE_COLD
                 : warm ? CT_CACHE_WARM
                        : CT_CACHE_UNSPECIFIED,
        .samples = (uint32_t)options->sampling.samples,
        .jobs = options->workers.jobs,
        .retry = options->stored.retry,
        .keep_going = options->stored.keep_going,
        .fresh = options->stored.fresh,
        .rough = options->sampling.rough,
        .no_cache = options->workers.no_cache,
        .no_duplicates = options->stored.no_duplicates,
        .no_race = options->sampling.no_race,
        .no_transfer = options->stored.no_transfer,
        .with = options->stored.with.items,
        .with_count = options->stored.with.count,
        .beside = options->stored.beside.items,
        .beside_count = options->stored.beside.count,
    };
    if (!options->sampling.cache || cold || warm)
        return CT_OK;
    return ct_err_set(err, CT_E_USAGE, "--cache must be warm or cold, not '%s'",
                      options->sampling.cache);
}

const char *ct_cli_space_file(const char *command, const struct ct_options *options,
                              int most_operands)
{
    if (options->operand_count < 1) {
        ct_cli_usage(command, "no space file given: use 'cltune %s SPACE.ini'", command);
        return NULL;
    }
    if (options->operand_count > most_operands) {
        ct_cli_usage(command, "unexpected argument '%s': name one space file",
                     options->operands[most_operands]);
        return NULL;
    }
    return options->operands[0];
}

/* Errors are reported either by the findings or, without any, by `err`. */
static int report_failure(enum ct_status status, const struct ct_diags *diags,
                          const struct ct_err *err)
{
    struct ct_err plain = CT_ERR_INIT;

    if (err->code && (err->code != CT_E_SPEC || !diags->errors) &&
        (err->code != CT_E_USAGE || !diags->errors))
        return ct_cli_error(err);
    if (diags->errors)
        return exit_status_of(status);
    ct_err_set(&plain, status,
               "failed without giving a reason; please report this as a bug");
    return ct_cli_error(&plain);
}

struct ct_spec *ct_cli_load(const char *path, const struct ct_options *options,
                            int *exit_status)
{
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_spec *spec = NULL;
    enum ct_status status = ct_spec_load(path, &spec, &diags, &err);

    ct_report_diags(&diags, options->output.quiet);
    if (status)
        *exit_status = report_failure(status, &diags, &err);
    ct_diags_release(&diags);
    return status ? NULL : spec;
}

struct ct_binding *ct_cli_bind(const struct ct_spec *spec,
                               const struct ct_options *options,
                               const struct ct_devinfo *device,
                               const struct ct_settings *problem, int *exit_status)
{
    const struct ct_settings *sizes = problem ? problem : &options->problem;
    struct ct_binding_options wanted = {
        .device = device,
        .problem_count = sizes->count,
        .problem = sizes->items,
        .restrict_count = options->param.count,
        .restrict_ = options->param.items,
        .assume_count = options->assume.count,
        .assume = options->assume.items,
    };
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    struct ct_binding *binding = NULL;
    enum ct_status status = ct_binding_new(spec, &wanted, &binding, &diags, &err);

    ct_report_diags(&diags, options->output.quiet);
    if (status)
        *exit_status = report_failure(status, &diags, &err);
    ct_diags_release(&diags);
    return status ? NULL : binding;
}

/* On the heap now.  Where the C library does not count that, resident memory that is no file's. */
static uint64_t heap_bytes(void)
{
#ifdef __GLIBC__
    struct mallinfo2 heap = mallinfo2();

    return (uint64_t)heap.uordblks + heap.hblkhd;
#else
    FILE *file = fopen("/proc/self/statm", "re");
    uint64_t pages = 0;
    uint64_t of_files = 0;

    if (file) {
        if (fscanf(file, "%*u %" SCNu64 " %" SCNu64, &pages, &of_files) != 2)
            pages = of_files = 0;
        fclose(file);
    }
    return (pages - of_files) * (uint64_t)sysconf(_SC_PAGESIZE);
#endif
}

struct ct_space *ct_cli_space_new(const struct ct_binding *binding,
                                  const struct ct_options *options, int *exit_status)
{
    struct ct_space_options wanted = {.memory_max_bytes = options->memory_bytes,
                                      .memory_used_bytes = heap_bytes(),
                                      .enumerate = options->listing.enumerate};
    struct ct_err err = CT_ERR_INIT;
    struct ct_space *space = NULL;

    if (!ct_space_new(binding, &wanted, &space, &err))
        return space;
    *exit_status = ct_cli_error(&err);
    return NULL;
}

int ct_cli_empty_space(const struct ct_space *space)
{
    const struct ct_spec *spec = ct_space_binding(space)->spec;
    struct ct_space_stats stats;
    struct ct_err err = CT_ERR_INIT;
    char removed[CT_FORMAT_SIZE];
    char tried[CT_FORMAT_SIZE];
    size_t worst = 0;

    ct_space_stats_get(space, &stats);
    for (size_t i = 1; i < stats.constraint_count; i++)
        if (stats.constraints[i].removed > stats.constraints[worst].removed)
            worst = i;
    if (!stats.constraint_count || !(stats.constraints[worst].removed > 0))
        ct_err_set(&err, CT_E_NOT_FOUND, "%s: no valid configuration remains",
                   spec->path);
    else
        ct_err_at(&err, CT_E_NOT_FOUND, spec->path, spec->constraints[worst].place.line,
                  spec->constraints[worst].place.column,
                  "no valid configuration: constraint '%s' (%s) removes the most, %s of "
                  "the %s combinations that it is applied to; see 'cltune space' for all "
                  "constraints",
                  spec->constraints[worst].name, spec->constraints[worst].expr->text,
                  ct_format_big(removed, stats.constraints[worst].removed),
                  ct_format_big(tried, stats.constraints[worst].tried));
    return ct_cli_error(&err);
}

/* Before the first worker: an unusable cache costs time at every start. */
static void warn_unsafe_cache(void)
{
    struct ct_err unsafe = CT_ERR_INIT;

    if (ct_cache_unsafe(&unsafe))
        ct_report_warn(
            "the cache is not used: %s; correct its owner and permissions, or set "
            "XDG_CACHE_HOME",
            unsafe.message);
}

enum ct_status ct_cli_devices_match(struct ct_arena *arena, const char *pattern,
                                    const struct ct_devinfo ***out, struct ct_err *err)
{
    warn_unsafe_cache();
    return ct_devices_match(arena, pattern, out, err);
}

/* The host's processor alone, or behind others. */
static enum ct_status add_host(struct ct_arena *arena, const struct ct_devinfo **others,
                               const struct ct_devinfo ***out, struct ct_err *err)
{
    const struct ct_devinfo **all;
    size_t count = 0;

    while (others && others[count])
        count++;
    all = ct_arena_array(arena, count + 2, sizeof(*all));
    if (!all)
        return ct_err_nomem(err);
    if (count)
        memcpy(all, others, count * sizeof(*all));
    all[count] = ct_host_device(arena);
    *out = all;
    return all[count] ? CT_OK : ct_err_nomem(err);
}

enum ct_status ct_cli_devices_for(struct ct_arena *arena, const struct ct_spec *spec,
                                  const char *pattern, const struct ct_devinfo ***out,
                                  struct ct_err *err)
{
    if (!spec->command.present || (pattern && strcmp(pattern, "host") != 0))
        return ct_cli_devices_match(arena, pattern, out, err);
    warn_unsafe_cache();
    return add_host(arena, NULL, out, err);
}

enum ct_status ct_cli_devices_and_host(struct ct_arena *arena, const char *pattern,
                                       const struct ct_devinfo ***out, struct ct_err *err)
{
    const struct ct_devinfo **others = NULL;
    struct ct_err none = CT_ERR_INIT;

    if (pattern && strcmp(pattern, "host") == 0)
        return add_host(arena, NULL, out, err);
    if (pattern && strcmp(pattern, "all") != 0)
        return ct_cli_devices_match(arena, pattern, out, err);
    if (ct_cli_devices_match(arena, "all", &others, &none) &&
        none.code != CT_E_NO_DEVICE) {
        *err = none;
        return none.code;
    }
    return add_host(arena, none.code ? NULL : others, out, err);
}

void ct_cli_warn_violated(const struct ct_binding *binding, const struct ct_value *values)
{
    const struct ct_spec *spec = binding->spec;
    struct ct_value *env = ct_mem_array(spec->slots.count, sizeof(*env));

    if (!env)
        return;
    ct_binding_evaluate_values(binding, values, env);
    for (size_t i = 0; i < spec->constraint_count; i++)
        if (ct_binding_decide(binding, i, env) == CT_VIOLATED)
            ct_report_warn(
                "this configuration violates constraint '%s' (%s); a search would not "
                "try it",
                spec->constraints[i].name, spec->constraints[i].expr->text);
    free(env);
}

enum ct_status ct_cli_create(const char *path, const struct ct_str *text,
                             struct ct_err *err)
{
    int error = text->failed ? ENOMEM : ct_file_create(path, text->data, text->length);

    if (error == EEXIST)
        return ct_err_set(err, CT_E_USAGE,
                          "%s exists already: choose another name with -o, or remove it",
                          path);
    return error ? ct_err_set(err, CT_E_IO, "cannot write %s: %s", path, strerror(error))
                 : CT_OK;
}
