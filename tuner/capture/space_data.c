// SPDX-License-Identifier: Apache-2.0
// Writes data and arguments.
#include "capture/space_data.h"

#include "spacefile/source_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* OpenCL's numbers, which are public and never change (CL/cl.h): this file knows no OpenCL. */
static const struct {
    json_int_t number;
    const char *name;
} orders[] = {
    {0x10B0, "CL_R"}, {0x10B2, "CL_RG"}, {0x10B5, "CL_RGBA"}, {0x10B6, "CL_BGRA"}};

static const struct {
    json_int_t number;
    const char *name;
    const char *type;
} channels[] = {
    {0x10D2, "CL_UNORM_INT8", "uchar"},      {0x10D3, "CL_UNORM_INT16", "ushort"},
    {0x10D7, "CL_SIGNED_INT8", "char"},      {0x10D8, "CL_SIGNED_INT16", "short"},
    {0x10D9, "CL_SIGNED_INT32", "int"},      {0x10DA, "CL_UNSIGNED_INT8", "uchar"},
    {0x10DB, "CL_UNSIGNED_INT16", "ushort"}, {0x10DC, "CL_UNSIGNED_INT32", "uint"},
    {0x10DD, "CL_HALF_FLOAT", "half"},       {0x10DE, "CL_FLOAT", "float"},
};

static json_int_t integer(const json_t *json, const char *key)
{
    return json_integer_value(json_object_get(json, key));
}

static bool is_kind(const json_t *json, const char *kind)
{
    const char *text = json_string_value(json_object_get(json, "kind"));

    return text && strcmp(text, kind) == 0;
}

static const char *order_of(const json_t *image)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i].number == integer(image, "order"))
            return orders[i].name;
    return NULL;
}

static const char *channel_of(const json_t *image, const char **type)
{
    for (size_t i = 0; i < sizeof(channels) / sizeof(*channels); i++)
        if (channels[i].number == integer(image, "channel")) {
            *type = channels[i].type;
            return channels[i].name;
        }
    return NULL;
}

bool ct_space_data_is_free(const char *name)
{
    static const char *const taken[] = {"null",    "bytes", "struct",
                                        "sampler", "local", "name"};

    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    /* Names of types are functions; and a line break would begin a line of the space file. */
    return ct_word_starts((unsigned char)*name) && !*ct_word_skip(name) &&
           strlen(name) < 64 && !ct_ctype_read(name).name;
}

enum ct_status ct_space_data_check(struct ct_space_text *space, struct ct_err *err)
{
    for (size_t i = 0; i < space->argument_count; i++) {
        struct ct_space_argument *argument = &space->arguments[i];
        uint64_t bytes = (uint64_t)integer(argument->json, "bytes");
        const char *type = NULL;

        if (is_kind(argument->json, "image")) {
            if (!order_of(argument->json) || !channel_of(argument->json, &type))
                return ct_err_set(err, CT_E_NOT_FOUND,
                                  "it has an image of a format that space files lack");
            argument->type = ct_ctype_read(type);
        } else if (argument->is_memory &&
                   (!argument->type.name || bytes % argument->type.size_bytes)) {
            /* A structure, or what only the kernel understands. */
            argument->type = ct_ctype_read("uchar");
        }
    }
    return CT_OK;
}

const char *ct_space_data_check_of(struct ct_ctype type)
{
    return strcmp(type.name, "float") == 0    ? "1e-5"
           : strcmp(type.name, "double") == 0 ? "1e-12"
           : strcmp(type.name, "half") == 0   ? "1e-2"
                                              : "exact";
}

/* Inputs are what was there before the launch; what it may have written is compared with what was
 * there afterwards. */
static void put_contents(const struct ct_space_text *space,
                         const struct ct_space_argument *argument, struct ct_str *out)
{
    const json_t *captured = space->group->captured;
    bool constant = json_is_true(json_object_get(argument->json, "constant"));
    /* Only written: a search then finds what a configuration leaves unwritten. */
    bool output = !constant && json_is_true(json_object_get(captured, "independent"));
    /* What only the kernel understands may be anything but a number. */
    const char *check = ct_space_data_check_of(argument->type);

    if (!output)
        ct_str_addf(out, "fill   = file(%s.npy)\n", argument->name);
    if (constant)
        return;
    ct_str_addf(out, "expect = file(%s%s.npy)\ncheck  = %s\n", argument->name,
                argument->changed ? ".after" : "", check);
    if (!output && !json_is_true(json_object_get(captured, "repeatable")))
        ct_str_puts(out,
                    "restore = each                         ; the launch reads what it "
                    "writes\n");
}

static void put_image(const struct ct_space_argument *argument, struct ct_str *out)
{
    const json_t *size = json_object_get(argument->json, "size");
    const char *access = json_string_value(json_object_get(argument->json, "type"));
    const char *type = NULL;
    const char *channel = channel_of(argument->json, &type);
    size_t dimensions = access && strstr(access, "3d")   ? 3
                        : access && strstr(access, "1d") ? 1
                                                         : 2;

    ct_str_addf(out, "\n[image %s]\nsize   = ", argument->name);
    for (size_t i = 0; i < dimensions; i++)
        ct_str_addf(out, "%s%" JSON_INTEGER_FORMAT, i ? ", " : "",
                    json_integer_value(json_array_get(size, i)));
    ct_str_addf(out, "\nformat = %s %s\n", order_of(argument->json), channel);
}

void ct_space_data_put(const struct ct_space_text *space, struct ct_str *out)
{
    for (size_t i = 0; i < space->argument_count; i++) {
        const struct ct_space_argument *argument = &space->arguments[i];

        if (!argument->is_memory || argument->owner != i)
            continue;
        if (is_kind(argument->json, "image"))
            put_image(argument, out);
        else
            ct_str_addf(
                out, "\n[buffer %s]\ntype   = %s\ncount  = %" JSON_INTEGER_FORMAT "\n",
                argument->name, argument->type.name,
                integer(argument->json, "bytes") / (json_int_t)argument->type.size_bytes);
        put_contents(space, argument, out);
    }
}

static void put_sampler(const json_t *json, struct ct_str *out)
{
    static const char *const modes[] = {"none", "clamp_to_edge", "clamp", "repeat",
                                        "mirrored_repeat"};
    json_int_t mode = integer(json, "addressing") - 0x1130;

    ct_str_addf(out, "sampler(%s, %s, %s)", mode >= 0 && mode < 5 ? modes[mode] : "none",
                integer(json, "filter") == 0x1141 ? "linear" : "nearest",
                json_is_true(json_object_get(json, "normalized")) ? "normalized"
                                                                  : "unnormalized");
}

void ct_space_data_put_argument(const struct ct_space_text *space, size_t index,
                                struct ct_str *out)
{
    const struct ct_space_argument *argument = &space->arguments[index];
    const char *value = json_string_value(json_object_get(argument->json, "value"));

    if (argument->is_memory)
        ct_str_puts(out, space->arguments[argument->owner].name);
    else if (is_kind(argument->json, "local"))
        ct_str_addf(out, "local(%" JSON_INTEGER_FORMAT ")",
                    integer(argument->json, "bytes"));
    else if (is_kind(argument->json, "sampler"))
        put_sampler(argument->json, out);
    else if (is_kind(argument->json, "null"))
        ct_str_puts(out, "null");
    else
        ct_ctype_put_value(out, argument->type, value ? value : "");
}
