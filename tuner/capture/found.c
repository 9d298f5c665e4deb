// SPDX-License-Identifier: Apache-2.0
// Reads the layer's lines and counters.
#include "capture/found.h"

#include "base/mem.h"
#include "base/str.h"
#include "layer/counters.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_sizes(const json_t *list, uint64_t *out)
{
    for (size_t i = 0; i < 3 && i < json_array_size(list); i++)
        out[i] = (uint64_t)json_integer_value(json_array_get(list, i));
}

static const char *text_of(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));

    return text ? text : "";
}

static bool add_group(struct ct_found *found, json_t *record, size_t *capacity)
{
    struct ct_found_group *group;

    if (!ct_mem_grow(&found->groups, capacity, found->count + 1, sizeof(*found->groups)))
        return false;
    group = &found->groups[found->count++];
    *group = (struct ct_found_group){
        .kernel = text_of(record, "kernel"),
        .program = text_of(record, "program"),
        .options = text_of(record, "options"),
        .device = text_of(record, "device"),
        .dimensions = json_array_size(json_object_get(record, "global")),
        .refused = json_string_value(json_object_get(record, "unusable")),
        .record = json_incref(record)};
    if (group->dimensions > 3)
        group->dimensions = 3;
    read_sizes(json_object_get(record, "global"), group->global);
    read_sizes(json_object_get(record, "local"), group->local);
    return true;
}

/* A line about a group: `first` is the number of this process's first group in the list. */
static bool take_line(struct ct_found *found, size_t first, json_t *record,
                      size_t *capacity)
{
    const json_t *captured = json_object_get(record, "captured");
    const json_t *refused = json_object_get(record, "refused");
    size_t index;

    if (json_object_get(record, "group"))
        return add_group(found, record, capacity);
    if (!captured && !refused)
        return true;
    index = first + (size_t)json_integer_value(captured ? captured : refused);
    if (index >= found->count || json_array_append(found->records, record))
        return true;
    if (captured) {
        found->groups[index].captured = record;
        found->groups[index].refused = NULL;
    } else if (!found->groups[index].captured) {
        found->groups[index].refused = text_of(record, "why");
    }
    return true;
}

static bool read_lines(FILE *file, struct ct_found *found, size_t *capacity)
{
    size_t first = found->count;
    bool good = true;
    char *line = NULL;
    size_t room = 0;

    while (good && getline(&line, &room, file) > 0) {
        json_t *record = json_loads(line, 0, NULL);

        if (json_is_object(record))
            good = take_line(found, first, record, capacity);
        json_decref(record);
    }
    free(line);
    return good;
}

static void read_counts(const char *path, struct ct_found *found, size_t first)
{
    struct ct_capture_counter counter;
    FILE *file = fopen(path, "rbe");

    for (size_t i = first; file && i < found->count; i++) {
        if (fread(&counter, sizeof(counter), 1, file) != 1)
            break;
        found->groups[i].launches = counter.launches;
        found->groups[i].timed = counter.timed;
        found->groups[i].time_ns = counter.time_ns;
    }
    if (file)
        fclose(file);
}

static int by_time(const void *a, const void *b)
{
    const struct ct_found_group *x = a;
    const struct ct_found_group *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return (x->launches < y->launches) - (x->launches > y->launches);
}

static enum ct_status read_process(const char *folder, const char *name, size_t length,
                                   struct ct_found *out, size_t *capacity,
                                   struct ct_err *err)
{
    enum ct_status status = CT_OK;
    size_t first = out->count;
    struct ct_str path;
    FILE *file;

    ct_str_init(&path);
    ct_str_addf(&path, "%s/%s", folder, name);
    file = path.failed ? NULL : fopen(path.data, "re");
    if (!file)
        status =
            ct_err_set(err, CT_E_IO, "cannot read %s: %s", path.data, strerror(errno));
    else if (!read_lines(file, out, capacity))
        status = ct_err_nomem(err);
    if (file)
        fclose(file);
    ct_str_reset(&path);
    ct_str_addf(&path, "%s/%.*s.counts", folder, (int)length, name);
    if (status == CT_OK && !path.failed)
        read_counts(path.data, out, first);
    ct_str_release(&path);
    if (out->count > first)
        out->processes++;
    return status;
}

enum ct_status ct_found_read(const char *folder, struct ct_found *out, struct ct_err *err)
{
    DIR *dir = opendir(folder);
    enum ct_status status = CT_OK;
    size_t capacity = 0;

    *out = (struct ct_found){.records = json_array()};
    if (!dir)
        return ct_err_set(err, CT_E_IO, "cannot read %s: %s", folder, strerror(errno));
    for (struct dirent *entry; status == CT_OK && (entry = readdir(dir));) {
        const char *end = strstr(entry->d_name, ".jsonl");

        if (end)
            status = read_process(folder, entry->d_name, (size_t)(end - entry->d_name),
                                  out, &capacity, err);
    }
    closedir(dir);
    for (size_t i = 0; i < out->count; i++)
        out->time_ns += out->groups[i].time_ns;
    if (out->count)
        qsort(out->groups, out->count, sizeof(*out->groups), by_time);
    /* Those that OpenCL has refused each time are no launches; they are last. */
    while (out->count && !out->groups[out->count - 1].launches)
        json_decref(out->groups[--out->count].record);
    return status;
}

void ct_found_release(struct ct_found *found)
{
    for (size_t i = 0; i < found->count; i++)
        json_decref(found->groups[i].record);
    free(found->groups);
    json_decref(found->records);
    *found = (struct ct_found){0};
}
