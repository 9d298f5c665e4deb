// SPDX-License-Identifier: Apache-2.0
// cltune search: every device and problem that was asked for, one search each.
#include "cli/search.h"
#include "cli/trusted.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

/* The first signal lets the search store and report what it has; the second ends at once
 * (workers die with the process that started them). */
static void on_signal(int number)
{
    (void)number;
    if (signals++)
        _exit(CT_EXIT_INTERRUPTED);
    ct_measure_interrupt();
}

void ct_cli_catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    struct sigaction old;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
        /* nohup, and shells for background jobs, have signals ignored: so they stay. */
        if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
}

/* One value list of a problem name: "512,1024" has two. */
struct sweep {
    const char *name;
    char *text; /* values separated by zeros */
    size_t count;
};

/* Splits at commas outside parentheses; false when memory is short. */
static bool split(const struct ct_setting *setting, struct sweep *sweep)
{
    int depth = 0;

    sweep->name = setting->name;
    sweep->text = ct_mem_copy(setting->text, strlen(setting->text));
    sweep->count = 1;
    if (!sweep->text)
        return false;
    for (char *c = sweep->text; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == ',' && !depth) {
            *c = '\0';
            sweep->count++;
        }
    }
    return true;
}

static const char *nth(const struct sweep *sweep, size_t n)
{
    const char *text = sweep->text;

    while (n--)
        text += strlen(text) + 1;
    return text;
}

/* Fills in combination number `n`. */
static void combine(const struct sweep *sweeps, size_t count, size_t n,
                    struct ct_setting *items)
{
    for (size_t i = count; i-- > 0;) {
        items[i].name = sweeps[i].name;
        items[i].text = nth(&sweeps[i], n % sweeps[i].count);
        n /= sweeps[i].count;
    }
}

/* Every combination of the problem values, on one device.  All of them are bound before
 * the first is searched, so that a slip in the last does not come after hours. */
static int search_problems(const struct ct_options *options, const struct ct_spec *spec,
                           const struct ct_devinfo *device, const struct sweep *sweeps,
                           size_t sweep_count, size_t *printed)
{
    struct ct_setting *items = ct_mem_array(sweep_count, sizeof(*items));
    struct ct_settings problem = {items, sweep_count, sweep_count};
    struct ct_options silent = *options;
    struct ct_err err = CT_ERR_INIT;
    size_t total = 1;
    int worst = CT_EXIT_OK;

    /* Warnings come when each is searched. */
    silent.quiet = true;

    if (!items) {
        ct_err_nomem(&err);
        return ct_cli_error(&err);
    }
    for (size_t i = 0; i < sweep_count; i++)
        total *= sweeps[i].count;
    for (size_t n = 0; n < total && !worst; n++) {
        struct ct_binding *binding;

        combine(sweeps, sweep_count, n, items);
        binding = ct_cli_bind(spec, &silent, device, &problem, &worst);
        if (binding)
            ct_binding_free(binding);
    }
    for (size_t n = 0; n < total && worst < CT_EXIT_INTERRUPTED; n++) {
        int exit_status;

        if (worst == CT_EXIT_USAGE)
            break;
        combine(sweeps, sweep_count, n, items);
        exit_status = ct_search_run(options, spec, device, &problem, printed);
        if (exit_status > worst)
            worst = exit_status;
    }
    free(items);
    return worst;
}

int ct_cli_search(const struct ct_options *options)
{
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    const struct ct_devinfo **devices;
    const char *path = ct_cli_space_file("search", options, 1);
    struct ct_spec *spec = NULL;
    size_t sweep_count = options->problem.count;
    struct sweep *sweeps = ct_mem_array(sweep_count, sizeof(*sweeps));
    size_t printed = 0;
    bool several;
    int exit_status = CT_EXIT_OK;

    if (!path)
        exit_status = CT_EXIT_USAGE;
    else
        spec = ct_cli_load(path, options, &exit_status);
    if (!spec)
        goto out;
    if (!spec->launch_count) {
        ct_err_at(&err, CT_E_SPEC, path, 0, 0,
                  "nothing to search: the file declares no [launch] (it is fine for "
                  "'cltune space')");
        exit_status = ct_cli_error(&err);
        goto out;
    }
    for (size_t i = 0; i < sweep_count; i++)
        if (!sweeps || !split(&options->problem.items[i], &sweeps[i])) {
            ct_err_nomem(&err);
            exit_status = ct_cli_error(&err);
            goto out;
        }
    if (ct_cli_devices_match(&arena, options->device, &devices, &err)) {
        exit_status = ct_cli_error(&err);
        goto out;
    }
    if (!options->dry_run)
        ct_trust_space(path);
    if (options->json && options->dry_run) {
        exit_status = ct_cli_usage("search", "--dry-run prints no JSON");
        goto out;
    }
    ct_cli_catch_signals();
    /* Several searches make an array. */
    several = devices[1] != NULL;
    for (size_t i = 0; i < sweep_count; i++)
        several |= sweeps[i].count > 1;
    if (options->json && several)
        puts("[");
    for (; *devices && exit_status != CT_EXIT_INTERRUPTED; devices++) {
        int one = search_problems(options, spec, *devices, sweeps, sweep_count, &printed);

        if (one > exit_status)
            exit_status = one;
    }
    if (options->json && several)
        puts("]");
out:
    for (size_t i = 0; sweeps && i < sweep_count; i++)
        free(sweeps[i].text);
    free(sweeps);
    if (spec)
        ct_spec_free(spec);
    ct_arena_release(&arena);
    return exit_status;
}
