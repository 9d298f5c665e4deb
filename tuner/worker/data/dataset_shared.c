// SPDX-License-Identifier: Apache-2.0
// Shares data sets with other workers.
//
// Contents that follow from a fill alone are items of their own: if the size of an output depends
// on the configuration, every configuration has its own data set, but the inputs are the same.
#include "worker/data/data.h"
#include "worker/data/dataset.h"
#include "worker/offer.h"
#include "worker/parallel.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A data set in memory: a head of four words for each buffer, then the bytes of all, in the same
 * order: contents, expected outputs, marks of what the reference leaves unwritten.  Each is
 * aligned for any type. */
enum { HEAD_WORDS = 4, ALIGNMENT = 64 };
enum head { INITIAL_BYTES, KIND, EXPECTED_BYTES, MARK_BYTES };

/* Origin of contents: a fill's, poison (worker/reference/poison.h), an item of their own. */
enum kind { OWN, POISONED, ELSEWHERE };

/* A smaller item is not worth its descriptor. */
enum { LEAST_ITEM_BYTES = 1 << 20 };

static uint64_t padded(uint64_t size_bytes)
{
    return (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t heads_bytes(const struct ct_dataset *dataset)
{
    return padded(HEAD_WORDS * sizeof(uint64_t) * dataset->count);
}

/* Size of the parts described by one head. */
static uint64_t parts_bytes(const uint64_t *head)
{
    return padded(head[INITIAL_BYTES]) + padded(head[EXPECTED_BYTES]) +
           padded(head[MARK_BYTES]);
}

static void name_of(const struct ct_dataset *dataset, char *name, size_t size)
{
    snprintf(name, size, "data %s %llu", dataset->hash.text,
             (unsigned long long)dataset->seed);
}

/* The name of a buffer's contents as an item; false if they are none. */
static bool name_fill(const struct ct_dataset *dataset,
                      const struct ct_plan_buffer *planned, size_t size_bytes, char *name,
                      size_t size)
{
    struct ct_hash hash = {""};

    if (size_bytes >= LEAST_ITEM_BYTES)
        hash = ct_plan_fill_hash(planned);
    snprintf(name, size, "fill %s %llu", hash.text, (unsigned long long)dataset->seed);
    return *hash.text;
}

static const struct ct_shared_cache_item *find_fill(const struct ct_session *session,
                                                    const struct ct_dataset *dataset,
                                                    const struct ct_plan_buffer *planned,
                                                    size_t size_bytes)
{
    char name[CT_SHARED_CACHE_NAME_SIZE];
    const struct ct_shared_cache_item *item;

    if (!name_fill(dataset, planned, size_bytes, name, sizeof(name)))
        return NULL;
    item = ct_shared_cache_find(&session->shared_cache, name);
    return item && item->size_bytes == size_bytes ? item : NULL;
}

/* --- offering --- */

static void fill_contents(void *data, void *bytes)
{
    const struct ct_dataset_buffer *buffer = data;

    ct_parallel_copy(bytes, buffer->initial, buffer->size_bytes);
}

/* The contents that are items of their own. */
static void offer_fills(struct ct_session *session, struct ct_dataset *dataset,
                        const struct ct_plan *plan)
{
    for (size_t i = 0; i < dataset->count; i++) {
        struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        char name[CT_SHARED_CACHE_NAME_SIZE];

        if (buffer->initial && !buffer->poisoned &&
            name_fill(dataset, &plan->buffers[i], buffer->size_bytes, name,
                      sizeof(name)) &&
            !ct_shared_cache_find(&session->shared_cache, name))
            ct_offer(session, name, buffer->size_bytes, fill_contents, buffer);
    }
}

/* State of writing a data set. */
struct offering {
    const struct ct_session *session;
    const struct ct_dataset *dataset;
    const struct ct_plan *plan;
};

static void set_head(const struct offering *of, size_t index, uint64_t *head)
{
    const struct ct_dataset_buffer *buffer = &of->dataset->buffers[index];
    bool elsewhere = buffer->initial && !buffer->poisoned &&
                     find_fill(of->session, of->dataset, &of->plan->buffers[index],
                               buffer->size_bytes);

    head[INITIAL_BYTES] = buffer->initial && !elsewhere ? buffer->size_bytes : 0;
    head[KIND] = elsewhere ? ELSEWHERE : buffer->poisoned ? POISONED : OWN;
    head[EXPECTED_BYTES] = buffer->expected.bytes ? buffer->expected.size_bytes : 0;
    head[MARK_BYTES] = buffer->expected.unwritten ? buffer->expected.unwritten_count : 0;
}

static unsigned char *put_bytes(unsigned char *at, const void *bytes, uint64_t size_bytes)
{
    if (size_bytes)
        ct_parallel_copy(at, bytes, (size_t)size_bytes);
    return at + padded(size_bytes);
}

static void fill_shared(void *data, void *bytes)
{
    const struct offering *of = data;
    uint64_t *heads = bytes;
    unsigned char *at = (unsigned char *)bytes + heads_bytes(of->dataset);

    for (size_t i = 0; i < of->dataset->count; i++) {
        const struct ct_dataset_buffer *buffer = &of->dataset->buffers[i];
        uint64_t *head = heads + HEAD_WORDS * i;

        set_head(of, i, head);
        at = put_bytes(at, buffer->initial, head[INITIAL_BYTES]);
        at = put_bytes(at, buffer->expected.bytes, head[EXPECTED_BYTES]);
        at = put_bytes(at, buffer->expected.unwritten, head[MARK_BYTES]);
    }
}

void ct_dataset_offer(struct ct_session *session, struct ct_dataset *dataset,
                      const struct ct_plan *plan)
{
    struct offering of = {session, dataset, plan};
    uint64_t size_bytes = heads_bytes(dataset);
    char name[CT_SHARED_CACHE_NAME_SIZE];

    if (session->socket < 0 || !*dataset->hash.text || !dataset->count)
        return;
    offer_fills(session, dataset, plan);
    for (size_t i = 0; i < dataset->count; i++) {
        uint64_t head[HEAD_WORDS];

        set_head(&of, i, head);
        size_bytes += parts_bytes(head);
    }
    name_of(dataset, name, sizeof(name));
    ct_offer(session, name, size_bytes, fill_shared, &of);
}

/* --- taking --- */

bool ct_dataset_take_fill(const struct ct_session *session,
                          const struct ct_dataset *dataset,
                          const struct ct_plan_buffer *planned,
                          struct ct_dataset_buffer *buffer)
{
    const struct ct_shared_cache_item *item =
        find_fill(session, dataset, planned, buffer->size_bytes);
    void *bytes;

    if (!item)
        return false;
    bytes = mmap(NULL, buffer->size_bytes, PROT_READ, MAP_SHARED, item->fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    buffer->initial = bytes;
    buffer->shared = buffer->mapped = true;
    return true;
}

void *ct_dataset_map_fill(const struct ct_session *session,
                          const struct ct_dataset *dataset,
                          const struct ct_plan_buffer *planned, size_t size_bytes)
{
    const struct ct_shared_cache_item *item =
        find_fill(session, dataset, planned, size_bytes);

    return item ? ct_data_map(item->fd, size_bytes) : NULL;
}

static enum ct_status take_buffer(const struct ct_session *session,
                                  const struct ct_dataset *dataset,
                                  const struct ct_plan_buffer *planned,
                                  struct ct_dataset_buffer *buffer, const uint64_t *head,
                                  unsigned char *at, bool expected, struct ct_err *err)
{
    enum ct_status status;

    if (head[KIND] != ELSEWHERE) {
        buffer->initial = head[INITIAL_BYTES] ? at : NULL;
        buffer->shared = head[INITIAL_BYTES] != 0;
    } else if (!ct_dataset_take_fill(session, dataset, planned, buffer)) {
        return ct_err_nomem(err); /* it was found: mapping it failed */
    }
    buffer->poisoned = head[KIND] == POISONED;
    status = ct_dataset_pack(buffer, planned, err);
    if (status)
        return status;
    at += padded(head[INITIAL_BYTES]);
    buffer->expected.size_bytes = (size_t)head[EXPECTED_BYTES];
    buffer->expected.shared = expected && head[EXPECTED_BYTES];
    buffer->expected.bytes = buffer->expected.shared ? at : NULL;
    at += padded(head[EXPECTED_BYTES]);
    if (expected && head[MARK_BYTES]) {
        buffer->expected.unwritten = ct_mem_array((size_t)head[MARK_BYTES], 1);
        if (!buffer->expected.unwritten)
            return ct_err_nomem(err);
        memcpy(buffer->expected.unwritten, at, (size_t)head[MARK_BYTES]);
        buffer->expected.unwritten_count = (size_t)head[MARK_BYTES];
    }
    return CT_OK;
}

/* Whether the heads and their total match such a data set, and the items they refer to exist. */
static bool dataset_fits(const struct ct_session *session,
                         const struct ct_dataset *dataset, const struct ct_plan *plan,
                         const uint64_t *heads, uint64_t size_bytes)
{
    uint64_t sum_bytes = heads_bytes(dataset);

    if (size_bytes < sum_bytes)
        return false;
    for (size_t i = 0; i < dataset->count; i++) {
        const uint64_t *head = heads + HEAD_WORDS * i;

        if ((head[INITIAL_BYTES] &&
             head[INITIAL_BYTES] != dataset->buffers[i].size_bytes) ||
            head[INITIAL_BYTES] > size_bytes || head[EXPECTED_BYTES] > size_bytes ||
            head[MARK_BYTES] > size_bytes || sum_bytes > size_bytes)
            return false;
        if (head[KIND] == ELSEWHERE && !find_fill(session, dataset, &plan->buffers[i],
                                                  dataset->buffers[i].size_bytes))
            return false;
        sum_bytes += parts_bytes(head);
    }
    return sum_bytes == size_bytes;
}

enum ct_status ct_dataset_take(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, bool expected, bool *taken,
                               struct ct_err *err)
{
    char name[CT_SHARED_CACHE_NAME_SIZE];
    const struct ct_shared_cache_item *item;
    uint64_t *heads;
    unsigned char *at;
    enum ct_status status = CT_OK;

    *taken = false;
    name_of(dataset, name, sizeof(name));
    item = ct_shared_cache_find(&session->shared_cache, name);
    if (!item)
        return CT_OK;
    heads = mmap(NULL, (size_t)item->size_bytes, PROT_READ, MAP_SHARED, item->fd, 0);
    if (heads == MAP_FAILED)
        return CT_OK;
    if (!dataset_fits(session, dataset, plan, heads, item->size_bytes)) {
        munmap(heads, (size_t)item->size_bytes);
        return CT_OK;
    }
    *taken = true;
    dataset->shared_cache = heads;
    dataset->shared_cache_bytes = (size_t)item->size_bytes;
    at = (unsigned char *)heads + heads_bytes(dataset);
    for (size_t i = 0; !status && i < dataset->count; i++) {
        const uint64_t *head = heads + HEAD_WORDS * i;

        status = take_buffer(session, dataset, &plan->buffers[i], &dataset->buffers[i],
                             head, at, expected, err);
        at += parts_bytes(head);
    }
    return status;
}

/* --- on the device --- */

/* Everything that the device's copy depends on; empty if it is too small to matter. */
static struct ct_hash device_key_of(const struct ct_dataset *dataset,
                                    const struct ct_plan_buffer *planned,
                                    size_t size_bytes)
{
    const struct ct_plan_image *image = &planned->image;
    char name[CT_SHARED_CACHE_NAME_SIZE];
    struct ct_hash key = {""};
    struct ct_str form;

    if (!name_fill(dataset, planned, size_bytes, name, sizeof(name)))
        return key;
    ct_str_init(&form);
    ct_wire_put_text(&form, name);
    ct_wire_put_u32(&form, planned->planes);
    ct_wire_put_u32(&form, (uint32_t)planned->transfer);
    ct_wire_put_u32(&form, image->dims);
    for (size_t i = 0; image->dims && i < 3; i++)
        ct_wire_put_u64(&form, image->size[i]);
    ct_wire_put_u32(&form, image->dims ? (uint32_t)image->order : 0);
    ct_wire_put_u32(&form, image->dims ? (uint32_t)image->channel : 0);
    if (!form.failed)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}

bool ct_dataset_share_device(const struct ct_session *session,
                             const struct ct_dataset *dataset,
                             const struct ct_plan_buffer *planned,
                             struct ct_dataset_buffer *buffer)
{
    buffer->device_key = device_key_of(dataset, planned, buffer->size_bytes);
    for (size_t k = 0; *buffer->device_key.text && k < CT_SESSION_DATASETS; k++) {
        const struct ct_dataset *other = session->datasets[k];

        for (size_t i = 0; other && i < other->count; i++) {
            if (!other->buffers[i].device ||
                strcmp(other->buffers[i].device_key.text, buffer->device_key.text) != 0)
                continue;
            buffer->device = ct_buffer_share(other->buffers[i].device);
            return true;
        }
    }
    return false;
}

void ct_dataset_unshare(struct ct_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->buffers[i].mapped)
            munmap(dataset->buffers[i].initial, dataset->buffers[i].size_bytes);
    if (dataset->shared_cache)
        munmap(dataset->shared_cache, dataset->shared_cache_bytes);
    dataset->shared_cache = NULL;
}
