// SPDX-License-Identifier: Apache-2.0
// Serializes orders to builders and their replies.
#include "protocol/build.h"

#include <string.h>

static const char *text_or_empty(struct ct_wire_reader *in, struct ct_arena *arena)
{
    const char *text = ct_wire_get_text(in, arena);

    return text ? text : "";
}

static void *array(struct ct_wire_reader *in, struct ct_arena *arena, size_t *count,
                   size_t least_bytes, size_t size_bytes)
{
    void *made;

    *count = ct_wire_get_count(in, least_bytes);
    if (in->failed)
        *count = 0;
    made = ct_arena_array(arena, *count, size_bytes);
    if (!made) {
        in->failed = true;
        *count = 0;
    }
    return made;
}

void ct_build_order_put(struct ct_str *out, const struct ct_build_order *order)
{
    ct_wire_put_u32(out, order->launch);
    ct_wire_put_u32(out, order->small);
    ct_wire_put_u64(out, order->data_limit_bytes);
    ct_wire_put_u32(out, order->binaries);
    ct_wire_put_u32(out, order->code);
    ct_wire_put_u32(out, order->cache);
    ct_wire_put_u64(out, order->text_count);
    for (size_t i = 0; i < order->text_count; i++) {
        const struct ct_build_text *text = &order->texts[i];

        ct_wire_put_text(out, text->hash.text);
        ct_wire_put_u64(out, text->file_count);
        for (size_t k = 0; k < text->file_count; k++) {
            ct_wire_put_text(out, text->files[k].path);
            ct_wire_put_i64(out, text->files[k].changed_s);
            ct_wire_put_i64(out, text->files[k].changed_ns);
            ct_wire_put_u64(out, text->files[k].size_bytes);
            ct_wire_put_u64(out, text->files[k].inode);
        }
    }
}

static void get_text(struct ct_wire_reader *in, struct ct_arena *arena,
                     struct ct_build_text *text)
{
    const char *hash = text_or_empty(in, arena);
    struct ct_program_file *files;

    if (strlen(hash) < sizeof(text->hash.text))
        memcpy(text->hash.text, hash, strlen(hash) + 1);
    files = array(in, arena, &text->file_count, 36, sizeof(*files));
    for (size_t k = 0; k < text->file_count; k++) {
        files[k].path = text_or_empty(in, arena);
        files[k].changed_s = ct_wire_get_i64(in);
        files[k].changed_ns = ct_wire_get_i64(in);
        files[k].size_bytes = ct_wire_get_u64(in);
        files[k].inode = ct_wire_get_u64(in);
    }
    text->files = files;
}

void ct_build_order_get(struct ct_wire_reader *in, struct ct_arena *arena,
                        struct ct_build_order *order)
{
    uint32_t launch = ct_wire_get_u32(in);

    if (launch > CT_BUILD_LAUNCH_TWICE)
        in->failed = true;
    order->launch = in->failed ? CT_BUILD_LAUNCH_NEVER : (enum ct_build_launch)launch;
    order->small = ct_wire_get_u32(in) != 0;
    order->data_limit_bytes = ct_wire_get_u64(in);
    order->binaries = ct_wire_get_u32(in) != 0;
    order->code = ct_wire_get_u32(in) != 0;
    order->cache = ct_wire_get_u32(in) != 0;
    order->texts = array(in, arena, &order->text_count, 12, sizeof(*order->texts));
    for (size_t i = 0; i < order->text_count; i++)
        get_text(in, arena, &order->texts[i]);
}

static void put_programs(struct ct_str *out, size_t count,
                         const struct ct_built_program *programs)
{
    ct_wire_put_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        ct_wire_put_bytes(out, programs[i].binary, programs[i].size_bytes);
        ct_wire_put_text(out, programs[i].log);
    }
}

static struct ct_built_program *get_programs(struct ct_wire_reader *in,
                                             struct ct_arena *arena, size_t *count)
{
    struct ct_built_program *programs = array(in, arena, count, 12, sizeof(*programs));

    for (size_t i = 0; i < *count; i++) {
        programs[i].binary = ct_wire_get_bytes(in, &programs[i].size_bytes);
        programs[i].log = text_or_empty(in, arena);
    }
    return programs;
}

void ct_built_put(struct ct_str *out, const struct ct_built *built)
{
    ct_wire_put_u32(out, built->launched);
    ct_wire_put_u64(out, built->small_ns);
    ct_wire_put_u64(out, built->first_ns);
    ct_wire_put_u64(out, built->second_ns);
    ct_wire_put_u32(out, built->from_cache);
    ct_wire_put_u64(out, built->rebuild_ns);
    ct_wire_put_u64(out, built->binary_ns);
    ct_wire_put_text(out, built->unstored ? built->unstored : "");
    put_programs(out, built->program_count, built->programs);
    ct_wire_put_bytes(out, built->code, built->code_bytes);
}

void ct_built_get(struct ct_wire_reader *in, struct ct_arena *arena,
                  struct ct_built *built)
{
    built->launched = ct_wire_get_u32(in) != 0;
    built->small_ns = ct_wire_get_u64(in);
    built->first_ns = ct_wire_get_u64(in);
    built->second_ns = ct_wire_get_u64(in);
    built->from_cache = ct_wire_get_u32(in) != 0;
    built->rebuild_ns = ct_wire_get_u64(in);
    built->binary_ns = ct_wire_get_u64(in);
    built->unstored = text_or_empty(in, arena);
    if (!*built->unstored)
        built->unstored = NULL;
    built->programs = get_programs(in, arena, &built->program_count);
    built->code = ct_wire_get_bytes(in, &built->code_bytes);
}

void ct_handover_put(struct ct_str *out, const struct ct_handover *handover)
{
    put_programs(out, handover->program_count, handover->programs);
}

void ct_handover_get(struct ct_wire_reader *in, struct ct_arena *arena,
                     struct ct_handover *handover)
{
    handover->programs = get_programs(in, arena, &handover->program_count);
}
