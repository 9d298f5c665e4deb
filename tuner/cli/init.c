// SPDX-License-Identifier: Apache-2.0
// cltune init: makes a space file for a kernel.
#define _POSIX_C_SOURCE 200809L
#include "init/init.h"

#include "cli/cli.h"
#include "report/init.h"
#include "report/print.h"
#include "report/screen.h"
#include "report/warn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A command in progress. */
struct making {
    const struct ct_options *options;
    struct ct_init init;
    struct ct_arena arena;
    const struct ct_devinfo *device; /* NULL: there is none */
    bool asks;
};

/* --- questions --- */

/* A line of the terminal without its end; "" for an empty one and at the end of the input. */
static const char *ask(struct making *m, const char *question)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    const char *copy;

    ct_print("%s ", question);
    fflush(ct_screen_out());
    length = getline(&line, &room, stdin);
    if (length <= 0)
        ct_print_text("\n");
    copy =
        length > 0 && line ? ct_arena_copy(&m->arena, line, strcspn(line, "\r\n")) : "";
    free(line);
    return copy ? copy : "";
}

/* The number of one of `count` choices, from 0; an empty answer is `otherwise`. */
static size_t ask_number(struct making *m, const char *what, size_t count,
                         size_t otherwise)
{
    for (int tries = 0; tries < 3; tries++) {
        const char *text =
            ask(m, ct_arena_format(&m->arena, "%s [%zu]:", what, otherwise + 1));
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (!*text)
            return otherwise;
        if (!*end && number >= 1 && number <= count)
            return (size_t)number - 1;
        ct_print("Type a number from 1 to %zu.\n", count);
    }
    return otherwise;
}

/* --- steps --- */

/* Without -d, a terminal's user chooses among several.  No device is no error unless one was named:
 * the file is then made from the source alone. */
static int find_device(struct making *m)
{
    const struct ct_devinfo **devices;
    struct ct_err err = CT_ERR_INIT;
    const char *pattern = m->options->device;
    size_t count = 0;
    size_t number = 0;

    if (ct_cli_devices_match(&m->arena, !pattern && m->asks ? "all" : pattern, &devices,
                             &err)) {
        if (err.code != CT_E_NO_DEVICE || pattern)
            return ct_cli_error(&err);
        ct_report_warn("the kernel is neither compiled nor run: %s", err.message);
        return CT_EXIT_OK;
    }
    while (devices[count])
        count++;
    if (count > 1 && !m->asks)
        return ct_cli_usage("init", "several devices match -d: name one by its index");
    for (size_t i = 0; count > 1 && i < count; i++) {
        ct_print("  %zu  %s (%s)\n", i + 1, ct_devinfo_text(devices[i], CT_DEVICE_NAME),
                 devices[i]->platform_name);
        if (strcmp(devices[number]->type, "GPU") != 0 &&
            strcmp(devices[i]->type, "GPU") == 0)
            number = i;
    }
    if (count > 1)
        number = ask_number(m, "Device", count, number);
    m->device = devices[number];
    return CT_EXIT_OK;
}

static enum ct_status choose_kernel(struct making *m, struct ct_err *err)
{
    const char *name = m->init.options.kernel;
    enum ct_status status = ct_init_list(&m->init, err);

    if (!status && !name && m->asks && m->init.name_count > 1) {
        for (size_t i = 0; i < m->init.name_count; i++)
            ct_print("  %zu  %s\n", i + 1, m->init.names[i]);
        name = m->init.names[ask_number(m, "Kernel", m->init.name_count, 0)];
    }
    return status ? status : ct_init_choose(&m->init, name, err);
}

static enum ct_status choose_size(struct making *m, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str usual;

    if (m->options->making.size)
        return ct_init_read_size(&m->init, m->options->making.size, err);
    if (!m->asks || m->options->making.from_t1)
        return CT_OK;
    ct_str_init(&usual);
    ct_init_put_size(&m->init, &usual);
    for (int tries = 0; tries < 3; tries++) {
        const char *text =
            ask(m, ct_arena_format(&m->arena, "Work-items [%s]:", usual.data));

        status = *text ? ct_init_read_size(&m->init, text, err) : CT_OK;
        if (!status)
            break;
        ct_cli_error(err);
    }
    ct_str_release(&usual);
    return status;
}

/* An existing file stays unless a terminal's user says otherwise. */
static enum ct_status save(struct making *m, struct ct_err *err)
{
    bool replace = false;

    if (m->asks && access(m->init.output, F_OK) == 0) {
        const char *answer = ask(
            m, ct_arena_format(&m->arena, "%s exists. Replace it? [n]:", m->init.output));

        replace = *answer == 'y' || *answer == 'Y';
    }
    return ct_init_save(&m->init, replace, err);
}

static int make(struct making *m)
{
    struct ct_err err = CT_ERR_INIT;
    int exit_status = find_device(m);

    if (exit_status)
        return exit_status;
    if (ct_init_compile(&m->init, m->device, &err) || choose_kernel(m, &err) ||
        choose_size(m, &err) || ct_init_make(&m->init, m->device, &err) || save(m, &err))
        return ct_cli_error(&err);
    if (m->options->output.json)
        ct_report_init_json(&m->init);
    else if (!m->options->output.quiet)
        ct_report_init(&m->init);
    return CT_EXIT_OK;
}

/* --- the command --- */

static int check_operands(const struct ct_options *options)
{
    bool has_other = options->making.from_cpp || options->making.from_t1;

    if (!options->operand_count && !has_other)
        return ct_cli_usage("init", "no kernel given: use 'cltune init KERNEL.cl'");
    return CT_EXIT_OK;
}

static int run_command(const struct ct_options *options)
{
    struct making m = {.options = options};
    struct ct_init_options wanted = {
        .paths = options->operands,
        .path_count = (size_t)options->operand_count,
        .from_cpp = options->making.from_cpp,
        .from_t1 = options->making.from_t1,
        .output = options->output.path,
        .kernel = options->store.kernel,
        .options = options->making.options,
    };
    bool asks = !options->making.yes && !options->output.json && isatty(STDIN_FILENO) &&
                isatty(STDOUT_FILENO);
    struct ct_err err = CT_ERR_INIT;
    int exit_status = check_operands(options);

    if (exit_status)
        return exit_status;
    m.asks = wanted.may_exist = asks;
    ct_cli_catch_signals();
    exit_status = ct_init_open(&wanted, &m.init, &err) ? ct_cli_error(&err) : make(&m);
    ct_init_release(&m.init);
    ct_arena_release(&m.arena);
    return exit_status;
}

const struct ct_command ct_cli_command_init = {
    .name = "init",
    .operands = "KERNEL.cl...",
    .summary = "make a space file for a kernel",
    .details =
        "Compiles the kernel, guesses its launch, data and parameters, runs the guess, and\n"
        "writes a space file that 'cltune search' takes as it is.  Comments with DECIDE name\n"
        "what to check.  Several files are concatenated.\n",
    .options = "device from-cpp from-t1 kernel options output size yes",
    .examples = {{"cltune init scale.cl", "write scale.ini"},
                 {"cltune init blur.cl --size 640x480 --yes", "ask nothing"}},
    .run = run_command,
};
