// SPDX-License-Identifier: Apache-2.0
// Takes a snapshot around a launch.
#define _GNU_SOURCE // O_CLOEXEC
#include "layer/snapshot.h"

#include "layer/arguments.h"
#include "layer/log.h"
#include "layer/memory.h"
#include "layer/probe.h"
#include "layer/repeat.h"

#include "base/create.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct snapshot {
    const struct ct_layer_launch *launch;
    struct ct_layer_launch beside; /* the same in a queue of the layer's own */
    const struct ct_snapshot_settings *settings;
    size_t group;
    char folder[PATH_MAX];
    char name[64]; /* of the folder */
    bool stuck;    /* CT_MEMORY_STUCK in the layer's own queue */
    cl_uint count;
    struct ct_argument_info *infos;
    struct ct_repeat_argument *memory; /* one per argument */
};

/* --- what cannot be written down --- */

static const char *check_memory(const struct snapshot *shot, char *text, size_t size)
{
    uint64_t bytes = ct_arguments_bytes(shot->infos, shot->count, false);

    if (ct_arguments_overlap(shot->infos, shot->count))
        return "two of its arguments are overlapping parts of one buffer";
    if (bytes <= shot->settings->max_bytes)
        return NULL;
    snprintf(text, size, "its buffers have %llu bytes, more than --max-bytes %llu",
             (unsigned long long)bytes, (unsigned long long)shot->settings->max_bytes);
    return text;
}

static const char *check_launch(const struct ct_layer_launch *launch)
{
    if (ct_layer_is_empty(launch))
        return "a component of its global or local size is 0";
    for (cl_uint i = 0; launch->offset && i < launch->dimensions; i++)
        if (launch->offset[i])
            return "it has a global offset";
    if (launch->record->special)
        return "it has execution information (clSetKernelExecInfo)";
    return launch->record->program->unusable;
}

/* Fills infos; NULL, or why not. */
static const char *inspect(struct snapshot *shot, char *text, size_t size)
{
    const char *why = check_launch(shot->launch);
    cl_program program = NULL;
    cl_kernel informed;

    if (why)
        return why;
    if (!shot->infos || !shot->memory)
        return "memory is short";
    informed = ct_arguments_informed(shot->launch, &program);
    if (informed)
        why = ct_arguments_describe(shot->launch->record, informed, shot->infos);
    else
        why = "the driver does not tell what its arguments are";
    if (informed)
        ct_real.clReleaseKernel(informed);
    if (program)
        ct_real.clReleaseProgram(program);
    if (why)
        return why;
    for (cl_uint i = 0; i < shot->count; i++)
        shot->memory[i].owner = shot->infos[i].owner;
    return check_memory(shot, text, size);
}

/* --- files --- */

static void path_of(const struct snapshot *shot, cl_uint index, const char *suffix,
                    char *out)
{
    snprintf(out, PATH_MAX + 64, "%s/%u-raw%s.npy", shot->folder, index, suffix);
}

static int write_source(const struct snapshot *shot)
{
    const struct ct_layer_program *program = shot->launch->record->program;
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/kernel.cl", shot->folder);
    return ct_file_create(path, program->source, program->length);
}

static void remove_folder(const struct snapshot *shot)
{
    DIR *folder = opendir(shot->folder);

    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(shot->folder);
}

/* What is in memory before the launch. */
static int save_before(struct snapshot *shot)
{
    char path[PATH_MAX + 64];
    int error = mkdir(shot->folder, 0700) ? errno : write_source(shot);

    for (cl_uint i = 0; i < shot->count && !error; i++) {
        if (!shot->infos[i].memory || shot->memory[i].owner != i)
            continue;
        path_of(shot, i, "", path);
        error = ct_memory_save(shot->beside.queue, &shot->infos[i], path, NULL,
                               &shot->memory[i].before);
    }
    return error;
}

/* What the launch has changed; what it has not gets no file. */
static int save_after(struct snapshot *shot)
{
    char path[PATH_MAX + 64];
    int error = 0;

    for (cl_uint i = 0; i < shot->count && !error; i++) {
        struct ct_repeat_argument *memory = &shot->memory[i];
        struct ct_memory_digest after = {.count = 0};

        memory->after = memory->before.all;
        if (!shot->infos[i].memory || memory->owner != i || shot->infos[i].constant)
            continue;
        path_of(shot, i, ".after", path);
        error = ct_memory_save(shot->beside.queue, &shot->infos[i], path, &memory->before,
                               &after);
        memory->after = after.all;
        memory->changed = strcmp(memory->before.all.text, memory->after.text) != 0;
        ct_memory_release(&after);
    }
    return error;
}

/* --- the line --- */

static void put_image(const struct ct_argument_info *info, struct ct_str *line)
{
    cl_image_format format = {0, 0};
    size_t size[3] = {0};
    size_t pixel_bytes = 0;

    ct_memory_image(info->memory, size, &pixel_bytes, &format);
    ct_str_puts(line, ",\"size\":");
    ct_log_sizes(line, size, 3);
    ct_str_addf(line, ",\"order\":%u,\"channel\":%u,\"pixel\":%zu",
                format.image_channel_order, format.image_channel_data_type, pixel_bytes);
}

static void put_sampler(const struct ct_layer_argument *argument, struct ct_str *line)
{
    cl_sampler sampler = NULL;
    cl_bool normalized = CL_FALSE;
    cl_addressing_mode addressing = 0;
    cl_filter_mode filter = 0;

    if (argument->bytes && argument->size_bytes == sizeof(cl_sampler))
        memcpy(&sampler, argument->bytes, sizeof(cl_sampler));
    if (sampler) {
        ct_real.clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS,
                                 sizeof(normalized), &normalized, NULL);
        ct_real.clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(addressing),
                                 &addressing, NULL);
        ct_real.clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter,
                                 NULL);
    }
    ct_str_addf(line, ",\"normalized\":%s,\"addressing\":%u,\"filter\":%u",
                normalized ? "true" : "false", addressing, filter);
}

static void put_argument(const struct snapshot *shot, cl_uint index, struct ct_str *line)
{
    static const char *const kinds[] = {"value",   "buffer", "image", "local",
                                        "sampler", "null",   "other"};
    const struct ct_argument_info *info = &shot->infos[index];
    const struct ct_layer_argument *argument = &shot->launch->record->arguments[index];

    ct_str_addf(line, "%s{\"kind\":\"%s\",\"type\":", index ? "," : "",
                kinds[info->kind]);
    ct_log_quote(line, info->type);
    ct_str_puts(line, ",\"resolved\":");
    ct_log_quote(line, info->resolved);
    ct_str_puts(line, ",\"name\":");
    ct_log_quote(line, info->name);
    ct_str_addf(line, ",\"bytes\":%zu,\"owner\":%u,\"constant\":%s,\"changed\":%s",
                info->size_bytes, shot->memory[index].owner,
                info->constant ? "true" : "false",
                shot->memory[index].changed ? "true" : "false");
    if (info->kind == CT_ARGUMENT_IMAGE)
        put_image(info, line);
    else if (info->kind == CT_ARGUMENT_SAMPLER)
        put_sampler(argument, line);
    else if (info->kind == CT_ARGUMENT_VALUE) {
        ct_str_puts(line, ",\"value\":");
        ct_log_hex(line, argument->bytes, argument->bytes ? argument->size_bytes : 0);
    }
    ct_str_putc(line, '}');
}

static const char *word_of(enum ct_repeat_answer answer)
{
    return answer == CT_REPEAT_YES ? "true" : answer == CT_REPEAT_NO ? "false" : "null";
}

static bool log_taken(struct snapshot *shot)
{
    struct ct_repeat_result result;
    char text[PATH_MAX];
    struct ct_str line;
    bool good;

    ct_repeat_test(&shot->beside, shot->folder, shot->infos, shot->memory, &result);
    shot->stuck = result.stuck;
    ct_str_init(&line);
    ct_str_addf(&line, "{\"captured\":%zu,\"folder\":", shot->group);
    ct_log_quote(&line, shot->name);
    ct_str_puts(&line, ",\"cwd\":");
    ct_log_quote(&line, getcwd(text, sizeof(text)) ? text : "");
    ct_str_addf(
        &line,
        ",\"deterministic\":%s,\"repeatable\":%s,\"independent\":%s,\"limit\":%zu,"
        "\"args\":[",
        word_of(result.deterministic), word_of(result.repeatable),
        word_of(result.independent), result.work_group_max);
    for (cl_uint i = 0; i < shot->count; i++)
        put_argument(shot, i, &line);
    ct_str_puts(&line, "],\"required\":");
    ct_log_sizes(&line, result.required, 3);
    ct_str_putc(&line, '}');
    good = ct_log_line(shot->settings->log, &line);
    ct_str_release(&line);
    return good;
}

static void log_refused(const struct snapshot *shot, const char *why)
{
    struct ct_str line;

    ct_str_init(&line);
    ct_str_addf(&line, "{\"refused\":%zu,\"why\":", shot->group);
    ct_log_quote(&line, why);
    ct_str_putc(&line, '}');
    ct_log_line(shot->settings->log, &line);
    ct_str_release(&line);
}

/* --- taking it --- */

static enum ct_snapshot_outcome give_up(struct snapshot *shot, int error)
{
    char text[256];

    remove_folder(shot);
    if (error == CT_MEMORY_DEVICE) {
        log_refused(shot, "the device did not give its memory back");
        return CT_SNAPSHOT_REFUSED;
    }
    if (error == CT_MEMORY_STUCK) {
        shot->stuck = true;
        log_refused(shot,
                    "reading its memory waits for something that the program does later");
        return CT_SNAPSHOT_LATER;
    }
    snprintf(text, sizeof(text), "its data cannot be written: %s", strerror(error));
    log_refused(shot, text);
    return CT_SNAPSHOT_FULL;
}

/* Waits for the launch, as ct_layer_await. */
static cl_int follow(const struct snapshot *shot, cl_event event)
{
    cl_int status;

    ct_real.clFlush(shot->launch->queue);
    status = ct_layer_await(event);
    if (!status && ct_real.clEnqueueMarkerWithWaitList)
        ct_real.clEnqueueMarkerWithWaitList(shot->beside.queue, 1, &event, NULL);
    return status;
}

static enum ct_snapshot_outcome take(struct snapshot *shot, cl_event *event, cl_int *code)
{
    int error = save_before(shot);
    cl_int status;

    *code = ct_layer_enqueue(shot->launch, event);
    if (error)
        return give_up(shot, error);
    status = *code ? *code : follow(shot, *event);
    if (status) {
        remove_folder(shot);
        log_refused(shot, status < 0
                              ? "the launch failed"
                              : "it waits for something that the program does later");
        return status < 0 ? CT_SNAPSHOT_REFUSED : CT_SNAPSHOT_LATER;
    }
    error = save_after(shot);
    if (error)
        return give_up(shot, error);
    return log_taken(shot) ? CT_SNAPSHOT_TAKEN : give_up(shot, ENOSPC);
}

enum ct_snapshot_outcome ct_snapshot_take(const struct ct_layer_launch *launch,
                                          const struct ct_snapshot_settings *settings,
                                          size_t group, cl_event *event, cl_int *code)
{
    cl_uint count = launch->record->argument_count;
    struct snapshot shot = {.launch = launch,
                            .beside = *launch,
                            .settings = settings,
                            .group = group,
                            .count = count,
                            .infos = ct_mem_array(count + 1u, sizeof(*shot.infos)),
                            .memory = ct_mem_array(count + 1u, sizeof(*shot.memory))};
    enum ct_snapshot_outcome outcome;
    cl_command_queue own_queue;
    char text[256];
    const char *why;

    snprintf(shot.name, sizeof(shot.name), "%ld-%zu", (long)getpid(), group);
    snprintf(shot.folder, sizeof(shot.folder), "%s/%s", settings->folder, shot.name);
    own_queue = ct_layer_own_queue(launch);
    if (own_queue)
        shot.beside.queue = own_queue;
    why = inspect(&shot, text, sizeof(text));
    if (why) {
        log_refused(&shot, why);
        *code = ct_layer_enqueue(launch, event);
        outcome = CT_SNAPSHOT_REFUSED;
    } else if ((why =
                    ct_layer_settle(launch, ct_arguments_bytes(shot.infos, count, false),
                                    shot.beside.queue))) {
        log_refused(&shot, why);
        *code = ct_layer_enqueue(launch, event);
        outcome = CT_SNAPSHOT_LATER;
    } else {
        ct_probe_types(&shot.beside, shot.infos);
        outcome = take(&shot, event, code);
    }
    for (cl_uint i = 0; shot.memory && i < count; i++)
        ct_memory_release(&shot.memory[i].before);
    if (own_queue && !shot.stuck)
        ct_real.clReleaseCommandQueue(own_queue);
    free(shot.infos);
    free(shot.memory);
    return outcome;
}
