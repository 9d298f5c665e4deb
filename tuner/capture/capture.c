// SPDX-License-Identifier: Apache-2.0
// Runs a program, and turns what is left into experiments.
#define _GNU_SOURCE // mkdtemp, nftw
#include "capture/capture.h"

#include "base/str.h"
#include "base/temporary.h"
#include "capture/experiment.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- folders --- */

static int remove_one(const char *path, const struct stat *facts, int type,
                      struct FTW *at)
{
    (void)facts;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A folder of ours: beside the output, or for temporary files.  Its absolute path, for a program that
 * may go elsewhere. */
static enum ct_status make_folder(const char *output, char *out, struct ct_err *err)
{
    struct ct_str pattern;
    enum ct_status status = CT_OK;
    char *made;

    ct_str_init(&pattern);
    if (output) {
        size_t length = strlen(output);

        while (length > 1 && output[length - 1] == '/')
            length--;
        ct_str_addf(&pattern, "%.*s.capturing-XXXXXX", (int)length, output);
    } else {
        int fd = ct_temporary_open(&pattern, err);

        if (fd < 0) {
            ct_str_release(&pattern);
            return CT_E_IO;
        }
        close(fd);
        ct_str_puts(&pattern, "/capture-XXXXXX");
    }
    made = pattern.failed ? NULL : mkdtemp(pattern.data);
    if (!made || !realpath(made, out)) {
        status = ct_err_set(err, CT_E_IO, "cannot create a folder for %s: %s",
                            output ? output : "what is captured", strerror(errno));
        if (made)
            rmdir(made);
    }
    ct_str_release(&pattern);
    return status;
}

/* --- experiments --- */

/* Names of kernels are words; a shape after the first has a number. */
static void name_folder(const struct ct_found *found, size_t index, char *out,
                        size_t size)
{
    unsigned number = 1;

    for (size_t i = 0; i < index; i++)
        if (*found->groups[i].folder &&
            strcmp(found->groups[i].kernel, found->groups[index].kernel) == 0)
            number++;
    if (number == 1)
        snprintf(out, size, "%.200s", found->groups[index].kernel);
    else
        snprintf(out, size, "%.200s-%u", found->groups[index].kernel, number);
}

static void join_command(char *const *argv, struct ct_str *out)
{
    for (size_t i = 0; argv[i]; i++)
        ct_str_addf(out, "%s%s", i ? " " : "", argv[i]);
}

/* Makes experiments in `raw`, each in a folder of its own name in `folder`. */
static enum ct_status write_all(const char *raw, const char *folder,
                                const struct ct_capture_options *options,
                                struct ct_capture_result *result, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str command;

    ct_str_init(&command);
    join_command(options->argv, &command);
    for (size_t i = 0; i < result->found.count && status == CT_OK; i++) {
        struct ct_found_group *group = &result->found.groups[i];
        const char *name = json_string_value(json_object_get(group->captured, "folder"));
        char from[PATH_MAX + 512];
        char to[PATH_MAX + 512];
        struct ct_err why = CT_ERR_INIT;

        if (!group->captured || !name)
            continue;
        snprintf(from, sizeof(from), "%s/%s", raw, name);
        status = ct_experiment_write(from, group, command.data, &why);
        if (status == CT_E_NOT_FOUND) {
            group->captured = NULL;
            group->refused =
                ct_arena_copy(&result->arena, why.message, strlen(why.message));
            status = CT_OK;
            continue;
        }
        name_folder(&result->found, i, group->folder, sizeof(group->folder));
        snprintf(to, sizeof(to), "%s/%s", folder, group->folder);
        if (status == CT_OK && rename(from, to))
            status =
                ct_err_set(&why, CT_E_IO, "cannot create %s: %s", to, strerror(errno));
        if (status)
            *err = why;
        else
            result->written++;
    }
    ct_str_release(&command);
    return status;
}

/* Moves a folder to the output's place: the only experiment, or the folder of all. */
static enum ct_status publish(const char *folder,
                              const struct ct_capture_options *options,
                              struct ct_capture_result *result, struct ct_err *err)
{
    char only[PATH_MAX + 512];
    const char *from = folder;

    for (size_t i = 0; result->written == 1 && i < result->found.count; i++) {
        struct ct_found_group *group = &result->found.groups[i];

        if (!*group->folder)
            continue;
        snprintf(only, sizeof(only), "%s/%s", folder, group->folder);
        snprintf(group->folder, sizeof(group->folder), ".");
        from = only;
    }
    chmod(from, 0755);
    if (rename(from, options->output))
        return ct_err_set(err, CT_E_IO, "cannot create %s: %s", options->output,
                          strerror(errno));
    return CT_OK;
}

static enum ct_status make_experiments(const char *raw,
                                       const struct ct_capture_options *options,
                                       struct ct_capture_result *result,
                                       struct ct_err *err)
{
    char folder[PATH_MAX + 64];
    enum ct_status status;

    snprintf(folder, sizeof(folder), "%s/experiments", raw);
    if (mkdir(folder, 0755))
        return ct_err_set(err, CT_E_IO, "cannot create %s: %s", folder, strerror(errno));
    status = write_all(raw, folder, options, result, err);
    if (status == CT_OK && result->written)
        status = publish(folder, options, result, err);
    if (status)
        result->written = 0;
    return status;
}

/* --- running --- */

static enum ct_status run_program(const char *raw,
                                  const struct ct_capture_options *options,
                                  struct ct_capture_result *result, struct ct_err *err)
{
    char launch[32];
    char most[32];
    const char *layer;
    struct ct_variable variables[] = {
        {"CLTUNE_CAPTURE", raw},
        {"CLTUNE_CAPTURE_WRITE", options->output ? "1" : NULL},
        {"CLTUNE_CAPTURE_KERNEL", options->kernel},
        {"CLTUNE_CAPTURE_LAUNCH", options->launch ? launch : NULL},
        {"CLTUNE_CAPTURE_MAX_BYTES", options->max_bytes ? most : NULL},
        {"CLTUNE_EXEC", NULL},
    };
    enum ct_status status = ct_start_layer(&result->arena, &layer, err);

    snprintf(launch, sizeof(launch), "%" PRIu64, options->launch);
    snprintf(most, sizeof(most), "%" PRIu64, options->max_bytes);
    if (status == CT_OK)
        status = ct_start_run(&result->program, layer, options->argv, variables,
                              sizeof(variables) / sizeof(*variables), &result->end, err);
    return status;
}

enum ct_status ct_capture_run(const struct ct_capture_options *options,
                              struct ct_capture_result *result, struct ct_err *err)
{
    char raw[PATH_MAX];
    struct stat facts;
    enum ct_status status;

    *result = (struct ct_capture_result){.end = {.status = -1}};
    if (options->output && lstat(options->output, &facts) == 0)
        return ct_err_set(
            err, CT_E_USAGE,
            "%s exists already: choose another folder with -o, or remove it",
            options->output);
    status = ct_start_find(&result->arena, options->argv[0], &result->program, err);
    if (status == CT_OK)
        status = make_folder(options->output, raw, err);
    if (status)
        return status;
    status = run_program(raw, options, result, err);
    if (status == CT_OK)
        status = ct_found_read(raw, &result->found, err);
    if (status == CT_OK && options->output)
        status = make_experiments(raw, options, result, err);
    remove_all(raw);
    return status;
}

void ct_capture_release(struct ct_capture_result *result)
{
    ct_found_release(&result->found);
    ct_arena_release(&result->arena);
}
