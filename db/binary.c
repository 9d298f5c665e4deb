// SPDX-License-Identifier: Apache-2.0
// Loads program binaries.  Both files may be damaged or hostile: every size, index and text is
// checked before it is used, and no name in them is opened.
#include "db/binary.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/show.h"
#include "db/cltunedb-binary.h"
#include "db/lookup.h"
#include "db/plain_locale.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the seal --- */

static const char json_end[] = "\n}\n";
enum { JSON_END = sizeof(json_end) - 1 };

static void put_check(struct ct_str *out, const char *json, size_t length)
{
    ct_str_addf(out, ",\n  \"check\": \"%s\"%s", ct_hash_bytes(json, length).text,
                json_end);
}

void ct_binary_seal(struct ct_str *json)
{
    struct ct_str check;

    if (json->failed || json->length < JSON_END)
        return;
    ct_str_init(&check);
    put_check(&check, json->data, json->length - JSON_END);
    json->length -= JSON_END;
    ct_str_add(json, check.data, check.length);
    json->failed |= check.failed;
    ct_str_release(&check);
}

/* Whether a text is sealed, and unchanged. */
static bool is_sealed(const struct ct_str *json)
{
    struct ct_str check;
    bool same;

    ct_str_init(&check);
    put_check(&check, "", 0);
    if (!check.failed && json->length >= check.length) {
        size_t length = json->length - check.length;

        ct_str_reset(&check);
        put_check(&check, json->data, length);
        same =
            !check.failed && memcmp(json->data + length, check.data, check.length) == 0;
    } else {
        same = false;
    }
    ct_str_release(&check);
    return same;
}

/* --- reading --- */

/* What a caller gets, and what it lives in. */
struct loaded {
    cltunedb_binary shown; /* first: cltunedb_binary_free gets its address */
    struct ct_arena arena;
    struct ct_str bytes;
};

struct loading {
    struct loaded *to;
    const char *path;
    const char *json_path;
    const cltunedb_binary_device *device;
    json_t *root;
    struct ct_err *err;
};

static enum ct_status refuse_json(const struct loading *load, const char *why)
{
    return ct_err_set(load->err, CT_E_DB,
                      "%s is damaged or not cltune's: %s; export again", load->json_path,
                      why);
}

static enum ct_status read_file(const char *path, uint64_t limit_bytes,
                                struct ct_str *out, struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    int error = ct_file_read(path, limit_bytes, out, NULL);

    if (!error)
        return CT_OK;
    if (error == ENOMEM)
        return ct_err_nomem(err);
    return ct_err_set(err, error == ENOENT ? CT_E_NOT_FOUND : CT_E_DB,
                      "cannot read %s: %s", path, ct_file_why(why, error, limit_bytes));
}

static enum ct_status read_json(struct loading *load)
{
    struct ct_str text;
    enum ct_status status;

    ct_str_init(&text);
    status = read_file(load->json_path, CT_BINARY_JSON_MOST, &text, load->err);
    if (status == CT_OK && !is_sealed(&text))
        status = refuse_json(load, "its checksum differs");
    if (status == CT_OK) {
        load->root = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(load->root))
            status = refuse_json(load, "it is not a JSON object");
    }
    ct_str_release(&text);
    return status;
}

/* A text of the arena; NULL if the member is missing, of another type, or memory is short. */
static const char *text_of(struct loading *load, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? ct_arena_copy(&load->to->arena, text, strlen(text)) : NULL;
}

/* A whole number from `least` to `most`. */
static bool number_of(const json_t *json, uint64_t least, uint64_t most, size_t *out)
{
    json_int_t value = json_integer_value(json);

    if (!json_is_integer(json) || value < 0 || (uint64_t)value < least ||
        (uint64_t)value > most)
        return false;
    *out = (size_t)value;
    return true;
}

/* --- for which device --- */

/* Texts of files, shown in messages. */
static enum ct_status refuse_device(const struct loading *load, const char *what,
                                    const char *built, const char *here)
{
    struct ct_arena arena = {0};
    enum ct_status status = ct_err_set(
        load->err, CT_E_NOT_FOUND,
        "%s was built for a device with %s '%.200s', but this one has '%.200s': "
        "build the kernel from its source, or export again on this device",
        load->path, what, ct_show_line(&arena, built), ct_show_line(&arena, here));

    ct_arena_release(&arena);
    return status;
}

static enum ct_status check_device(struct loading *load)
{
    const cltunedb_binary_device *device = load->device;
    const struct {
        const char *member;
        const char *what;
        const char *here; /* NULL: not compared */
    } facts[] = {
        {"device", "name", device->name},
        {"vendor", "vendor", device->vendor},
        {"type", "type", device->type},
        {"driver", "driver", device->driver_version},
        {"platform", "platform", device->platform_name},
        {"platform_version", "platform version", device->platform_version},
    };
    size_t version;

    if (!number_of(json_object_get(load->root, "schema_version"), 1, SIZE_MAX / 2,
                   &version))
        return refuse_json(load, "it has no schema_version");
    if (version != CT_BINARY_SCHEMA_VERSION)
        return ct_err_set(
            load->err, CT_E_DB,
            "%s has version %zu, which this library does not know: update it, "
            "or export again",
            load->json_path, version);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        const char *built =
            json_string_value(json_object_get(load->root, facts[i].member));

        if (!built)
            return refuse_json(load, "a fact about the device is missing");
        if (facts[i].here && strcmp(built, facts[i].here) != 0)
            return refuse_device(load, facts[i].what, built, facts[i].here);
    }
    return CT_OK;
}

/* --- what it is --- */

static int by_name(const void *left, const void *right)
{
    const cltunedb_value *a = left;
    const cltunedb_value *b = right;

    return strcmp(a->name, b->name);
}

/* An object of numbers and texts, sorted by name. */
static enum ct_status read_values(struct loading *load, const char *member,
                                  const cltunedb_value **out, size_t *count)
{
    json_t *object = json_object_get(load->root, member);
    struct ct_arena *arena = &load->to->arena;
    cltunedb_value *values;
    const char *name;
    json_t *json;

    if (!json_is_object(object))
        return refuse_json(load, "problem or configuration is missing");
    values = ct_arena_array(arena, json_object_size(object), sizeof(*values));
    if (!values)
        return ct_err_nomem(load->err);
    *out = values;
    json_object_foreach(object, name, json)
    {
        cltunedb_value *value = &values[(*count)++];

        *value = (cltunedb_value){.kind = CLTUNEDB_TEXT, .s = ""};
        value->name = ct_arena_copy(arena, name, strlen(name));
        if (json_is_string(json)) {
            value->s =
                ct_arena_copy(arena, json_string_value(json), json_string_length(json));
        } else if (json_is_number(json)) {
            value->kind = json_is_integer(json) ? CLTUNEDB_INT : CLTUNEDB_REAL;
            value->i = json_integer_value(json);
            value->r = json_number_value(json);
        } else {
            return refuse_json(load, "a value is neither a number nor a text");
        }
        if (!value->name || !value->s)
            return ct_err_nomem(load->err);
    }
    if (*count)
        qsort(values, *count, sizeof(*values), by_name);
    return CT_OK;
}

static enum ct_status read_programs(struct loading *load)
{
    json_t *list = json_object_get(load->root, "programs");
    cltunedb_binary *shown = &load->to->shown;
    cltunedb_binary_program *programs;
    size_t at = 0;

    shown->program_count = json_array_size(list);
    if (!shown->program_count || shown->program_count > CT_BINARY_PROGRAMS_MOST)
        return refuse_json(load, "it has no programs, or too many");
    programs = ct_arena_array(&load->to->arena, shown->program_count, sizeof(*programs));
    if (!programs)
        return ct_err_nomem(load->err);
    shown->programs = programs;
    for (size_t i = 0; i < shown->program_count; i++) {
        json_t *json = json_array_get(list, i);
        size_t offset;

        if (!number_of(json_object_get(json, "offset"), at, at, &offset) ||
            !number_of(json_object_get(json, "bytes"), 1, load->to->bytes.length - at,
                       &programs[i].size))
            return refuse_json(load, "its programs do not fill the binary");
        programs[i].bytes = (const unsigned char *)load->to->bytes.data + offset;
        programs[i].options = text_of(load, json, "options");
        if (!programs[i].options)
            return refuse_json(load, "a program has no options");
        at += programs[i].size;
    }
    return at == load->to->bytes.length
               ? CT_OK
               : refuse_json(load, "its programs do not fill the binary");
}

/* Up to three numbers; what is not given is 1.  The number of them, or 0. */
static unsigned read_sizes(const json_t *list, size_t out[3])
{
    size_t dims = json_array_size(list);

    for (size_t d = 0; d < 3; d++) {
        out[d] = 1;
        if (d < dims && !number_of(json_array_get(list, d), 1, SIZE_MAX / 2, &out[d]))
            return 0;
    }
    return dims <= 3 ? (unsigned)dims : 0;
}

static bool read_launch(struct loading *load, const json_t *json,
                        cltunedb_binary_launch *launch)
{
    const json_t *local = json_object_get(json, "local");

    launch->kernel = text_of(load, json, "kernel");
    launch->dims = read_sizes(json_object_get(json, "global"), launch->global);
    if (!launch->kernel || !launch->dims ||
        !number_of(json_object_get(json, "program"), 0, load->to->shown.program_count - 1,
                   &launch->program) ||
        !number_of(json_object_get(json, "times"), 1, CT_BINARY_LAUNCHES_MOST,
                   &launch->times))
        return false;
    return json_is_null(local) || read_sizes(local, launch->local) == launch->dims;
}

static enum ct_status read_launches(struct loading *load)
{
    json_t *list = json_object_get(load->root, "launches");
    cltunedb_binary *shown = &load->to->shown;
    cltunedb_binary_launch *launches;

    shown->launch_count = json_array_size(list);
    if (!json_is_array(list) || shown->launch_count > CT_BINARY_LAUNCHES_MOST)
        return refuse_json(load, "it has no launches, or too many");
    launches = ct_arena_array(&load->to->arena, shown->launch_count, sizeof(*launches));
    if (!launches)
        return ct_err_nomem(load->err);
    shown->launches = launches;
    for (size_t i = 0; i < shown->launch_count; i++)
        if (!read_launch(load, json_array_get(list, i), &launches[i]))
            return refuse_json(load, "a launch is incomplete");
    return CT_OK;
}

static enum ct_status read_bytes(struct loading *load)
{
    const char *hash = json_string_value(json_object_get(load->root, "hash"));
    struct ct_str *bytes = &load->to->bytes;
    size_t wanted;
    enum ct_status status;

    if (!hash || !number_of(json_object_get(load->root, "bytes"), 1, CT_BINARY_BYTES_MOST,
                            &wanted))
        return refuse_json(load, "it has no hash and size of the binary");
    status = read_file(load->path, CT_BINARY_BYTES_MOST, bytes, load->err);
    if (status)
        return status;
    if (bytes->length != wanted)
        return ct_err_set(load->err, CT_E_DB,
                          "%s has %zu bytes, but %s is about a file of %zu: export again",
                          load->path, bytes->length, load->json_path, wanted);
    if (strcmp(ct_hash_bytes(bytes->data, bytes->length).text, hash) != 0)
        return ct_err_set(load->err, CT_E_DB,
                          "%s is damaged, or not the file that %s is about: its hash "
                          "differs; export again",
                          load->path, load->json_path);
    return CT_OK;
}

static enum ct_status read_all(struct loading *load)
{
    cltunedb_binary *shown = &load->to->shown;
    enum ct_status status = read_json(load);

    if (!status)
        status = check_device(load);
    if (!status)
        status = read_bytes(load);
    if (!status)
        status = read_values(load, "problem", &shown->problem, &shown->problem_count);
    if (!status)
        status = read_values(load, "configuration", &shown->configuration,
                             &shown->configuration_count);
    if (!status)
        status = read_programs(load);
    if (!status)
        status = read_launches(load);
    if (status)
        return status;
    shown->kernel = text_of(load, load->root, "kernel");
    shown->flags = text_of(load, load->root, "flags");
    shown->experiment = text_of(load, load->root, "experiment");
    return shown->kernel && shown->flags && shown->experiment
               ? CT_OK
               : refuse_json(load, "the kernel, its flags or the experiment is missing");
}

/* --- interface --- */

static bool is_complete(const cltunedb_binary_device *device)
{
    return device && device->name && device->vendor && device->type &&
           device->driver_version;
}

static enum ct_status load_binary(const char *path, const cltunedb_binary_device *device,
                                  cltunedb_binary **out, struct ct_err *err)
{
    struct loaded *to = ct_mem_array(1, sizeof(*to));
    struct loading load = {.to = to, .path = path, .device = device, .err = err};
    struct ct_str json_path;
    enum ct_status status;

    if (!to)
        return ct_err_nomem(err);
    ct_str_init(&to->bytes);
    ct_str_init(&json_path);
    ct_str_addf(&json_path, "%s.json", path);
    load.json_path = json_path.data;
    status = json_path.failed ? ct_err_nomem(err) : read_all(&load);
    if (status)
        cltunedb_binary_free(&to->shown);
    else
        *out = &to->shown;
    json_decref(load.root);
    ct_str_release(&json_path);
    return status;
}

cltunedb_status cltunedb_binary_load(const char *path,
                                     const cltunedb_binary_device *device,
                                     cltunedb_binary **out, char *message,
                                     size_t message_bytes)
{
    struct ct_plain_locale plain = ct_plain_locale_begin();
    struct ct_err err = CT_ERR_INIT;
    enum ct_status status;

    if (out)
        *out = NULL;
    if (!out || !path || !is_complete(device))
        status = ct_err_set(&err, CT_E_USAGE,
                            "the path, the result, or the device's name, vendor, type or "
                            "driver version is NULL");
    else
        status = load_binary(path, device, out, &err);
    ct_plain_locale_end(&plain);
    return ct_lookup_outcome(status, &err, message, message_bytes);
}

void cltunedb_binary_free(cltunedb_binary *binary)
{
    struct loaded *loaded = (struct loaded *)(void *)binary;

    if (!loaded)
        return;
    ct_str_release(&loaded->bytes);
    ct_arena_release(&loaded->arena);
    free(loaded);
}
