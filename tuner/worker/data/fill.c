// SPDX-License-Identifier: Apache-2.0
// Fills that need more than the buffer itself.
#include "worker/data/fill.h"

#include "base/hash.h"
#include "worker/data/data.h"
#include "worker/host/host.h"
#include "protocol/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum ct_status copy_contents(const struct ct_plan *plan, size_t index,
                                    const struct ct_fill *fill, void *const *contents,
                                    void *bytes, struct ct_err *err)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    const struct ct_plan_buffer *source = &plan->buffers[fill->sources[0]];
    size_t size = 0;
    size_t source_size = 0;

    if (!ct_layout_size(buffer, &size) || !ct_layout_size(source, &source_size) ||
        size != source_size)
        return ct_err_set(
            err, CT_E_SPEC,
            "buffer %s of %zu bytes cannot be a copy of buffer %s of %zu bytes",
            buffer->name, size, source->name, source_size);
    if (contents[fill->sources[0]])
        memcpy(bytes, contents[fill->sources[0]], size);
    else
        memset(bytes, 0xFF, size);
    return CT_OK;
}

/* Iterates over scalars in memory order, without pad lanes. */
struct cursor {
    struct ct_layout layout;
    size_t record;
    size_t component;
};

static size_t step_cursor(struct cursor *at)
{
    size_t index = at->record * at->layout.record_step + at->component;

    if (++at->component == at->layout.components) {
        at->component = 0;
        at->record++;
    }
    return index;
}

static enum ct_status check_interleaved(const struct ct_plan *plan, size_t index,
                                        const struct ct_fill *fill, struct ct_err *err)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    uint64_t scalars = 0;

    for (size_t s = 0; s < fill->source_count; s++) {
        const struct ct_plan_buffer *source = &plan->buffers[fill->sources[s]];

        if (source->type.scalar != buffer->type.scalar ||
            source->count != plan->buffers[fill->sources[0]].count)
            return ct_err_set(err, CT_E_SPEC,
                              "buffer %s cannot interleave buffer %s: its sources must "
                              "be of its scalar type and of one size",
                              buffer->name, source->name);
        scalars += source->count * source->type.width;
    }
    if (scalars != buffer->count * buffer->type.width)
        return ct_err_set(err, CT_E_SPEC,
                          "buffer %s holds %" PRIu64 " numbers, what it interleaves "
                          "%" PRIu64,
                          buffer->name, buffer->count * buffer->type.width, scalars);
    return CT_OK;
}

static enum ct_status interleave(const struct ct_plan *plan, size_t index,
                                 const struct ct_fill *fill, void *const *contents,
                                 unsigned char *bytes, struct ct_err *err)
{
    const struct ct_plan_buffer *buffer = &plan->buffers[index];
    size_t size = ct_scalar_size(buffer->type.scalar);
    struct cursor to = {ct_layout_host(buffer), 0, 0};
    enum ct_status status = check_interleaved(plan, index, fill, err);
    uint64_t count = fill->source_count ? plan->buffers[fill->sources[0]].count : 0;

    if (status)
        return status;
    for (size_t e = 0; e < (size_t)count; e++) {
        for (size_t s = 0; s < fill->source_count; s++) {
            const struct ct_plan_buffer *source = &plan->buffers[fill->sources[s]];
            const unsigned char *from = contents[fill->sources[s]];
            size_t width = source->type.width;
            size_t first = e * (width == 3 ? 4 : width);

            for (size_t lane = 0; lane < width; lane++) {
                unsigned char *at = bytes + step_cursor(&to) * size;

                if (from)
                    memcpy(at, from + (first + lane) * size, size);
                else
                    memset(at, 0xFF, size);
            }
        }
    }
    return CT_OK;
}

/* One pointer per argument, the first two to the array and its count; the function gets copies of
 * the others.  NULL if out of memory. */
static void **point_at(struct ct_arena *arena, const struct ct_plan_host *host,
                       void *bytes, uint64_t *count)
{
    void **pointers = ct_arena_array(arena, host->arg_count, sizeof(*pointers));

    if (!pointers)
        return NULL;
    pointers[0] = bytes;
    pointers[1] = count;
    return ct_host_copy_values(arena, host->args + 2, host->arg_count - 2, pointers + 2)
               ? pointers
               : NULL;
}

/* Loads the code and calls it once; static data stay, because code is never unloaded. */
static enum ct_status call_once(struct ct_session *session, const struct ct_plan *plan,
                                const char *who, void *bytes, size_t size,
                                struct ct_err *err)
{
    uint64_t count = plan->buffers[0].count;
    struct ct_arena arena = {0};
    void **pointers = point_at(&arena, &plan->reference, bytes, &count);
    struct ct_host_code *code = NULL;
    enum ct_status status =
        pointers ? ct_host_load(session->host_codes, plan, CT_HOST_FILL, &code, err)
                 : ct_err_nomem(err);

    if (status) {
        ct_err_prefix(err, "buffer %s", plan->buffers[0].name);
        ct_arena_release(&arena);
        return status;
    }
    memset(bytes, 0, size);
    ct_session_phase_of(session, CT_PHASE_DATA, CT_CULPRIT_HOST, who);
    ct_host_call_guarded(code, pointers);
    ct_session_phase(session, CT_PHASE_DATA, CT_CULPRIT_NONE);
    ct_host_free(code);
    ct_arena_release(&arena);
    if (!ct_data_intact(bytes, size))
        return ct_err_set(err, CT_E_SPEC, "%s writes outside the buffer", who);
    return CT_OK;
}

/* Calls a fill twice, because other workers call it again: with other data than the reference
 * had, every configuration would be wrong. */
static enum ct_status call_twice(struct ct_session *session, const struct ct_plan *plan,
                                 const char *who, void *bytes, size_t size,
                                 struct ct_err *err)
{
    enum ct_status status = call_once(session, plan, who, bytes, size, err);
    struct ct_hash first;

    if (status)
        return status;
    first = ct_hash_bytes(bytes, size);
    status = call_once(session, plan, who, bytes, size, err);
    if (!status && strcmp(ct_hash_bytes(bytes, size).text, first.text) != 0)
        status = ct_err_set(err, CT_E_SPEC,
                            "%s is not deterministic: two calls write different values; "
                            "set the seed of its random numbers in each call",
                            who);
    return status;
}

enum ct_status ct_fill_host(struct ct_arena *arena, const struct ct_plan_buffer *buffer,
                            const struct ct_fill *fill, struct ct_plan *plan,
                            struct ct_err *err)
{
    const struct ct_plan_arg own[] = {{.kind = CT_ARG_BUFFER},
                                      {.kind = CT_ARG_SCALAR, .type = {CT_T_ULONG, 1}}};

    return ct_host_of_fill(arena, buffer, fill, own, sizeof(own) / sizeof(*own), plan,
                           err);
}

/* Calls the user's function like a reference: through a shim that lets the compiler check the
 * arguments. */
static enum ct_status call_c(struct ct_session *session,
                             const struct ct_plan_buffer *buffer,
                             const struct ct_fill *fill, void *bytes, size_t size,
                             struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_plan plan;
    char who[600];
    enum ct_status status = ct_fill_host(&arena, buffer, fill, &plan, err);

    snprintf(who, sizeof(who), "the fill %s of buffer %s in %s", fill->function,
             buffer->name, fill->path);
    if (!status)
        status = call_twice(session, &plan, who, bytes, size, err);
    ct_arena_release(&arena);
    return status;
}

enum ct_status ct_fill_make(struct ct_session *session, const struct ct_plan *plan,
                            size_t index, const struct ct_fill *fill,
                            void *const *contents, uint64_t seed, void *bytes,
                            struct ct_err *err)
{
    struct ct_plan_buffer buffer = plan->buffers[index];
    size_t size = 0;
    enum ct_status status;

    buffer.fill = *fill;
    if (!ct_layout_size(&buffer, &size))
        return ct_err_nomem(err);
    switch (fill->kind) {
    case CT_FILL_COPY:
        return copy_contents(plan, index, fill, contents, bytes, err);
    case CT_FILL_INTERLEAVE:
        memset(bytes, 0, size);
        return interleave(plan, index, fill, contents, bytes, err);
    case CT_FILL_FILE:
        status = ct_npy_read(fill->path, *fill->path_hash.text ? &fill->path_hash : NULL,
                             buffer.type, buffer.count, bytes, err);
        if (status)
            ct_err_prefix(err, "buffer %s", buffer.name);
        return status;
    case CT_FILL_C:
        return call_c(session, &buffer, fill, bytes, size, err);
    default:
        ct_data_fill(&buffer, seed, bytes);
        return CT_OK;
    }
}
