// SPDX-License-Identifier: Apache-2.0
// Data sets that other workers have made, and making this one's known to them.
#include "measure/data.h"
#include "measure/dataset.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* In memory: a head of four words for each buffer, then the bytes of all, in the same
 * order: contents, truth, marks of what the truth leaves unwritten. */
enum { HEAD_WORDS = 4 };
enum head { INITIAL_BYTES, APART, TRUTH_BYTES, MARK_BYTES };

static void name_of(const struct ct_dataset *dataset, char *name, size_t size)
{
    snprintf(name, size, "data %s %llu", dataset->hash.text,
             (unsigned long long)dataset->seed);
}

/* --- offering --- */

static void fill(void *data, void *bytes)
{
    const struct ct_dataset *dataset = data;
    uint64_t *heads = bytes;
    unsigned char *at = (unsigned char *)(heads + HEAD_WORDS * dataset->count);

    for (size_t i = 0; i < dataset->count; i++) {
        const struct ct_dataset_buffer *buffer = &dataset->buffers[i];
        uint64_t *head = heads + HEAD_WORDS * i;

        head[INITIAL_BYTES] = buffer->initial ? buffer->size_bytes : 0;
        head[APART] = buffer->apart;
        head[TRUTH_BYTES] = buffer->truth.bytes ? buffer->truth.size_bytes : 0;
        if (buffer->initial)
            memcpy(at, buffer->initial, buffer->size_bytes);
        at += head[INITIAL_BYTES];
        if (buffer->truth.bytes)
            memcpy(at, buffer->truth.bytes, buffer->truth.size_bytes);
        at += head[TRUTH_BYTES];
        head[MARK_BYTES] = buffer->truth.unwritten ? buffer->truth.unwritten_count : 0;
        if (head[MARK_BYTES])
            memcpy(at, buffer->truth.unwritten, buffer->truth.unwritten_count);
        at += head[MARK_BYTES];
    }
}

void ct_dataset_offer(struct ct_session *session, struct ct_dataset *dataset)
{
    char name[CT_SHELF_NAME_SIZE];
    uint64_t size_bytes = HEAD_WORDS * sizeof(uint64_t) * dataset->count;
    struct ct_str payload;
    int fd;

    for (size_t i = 0; i < dataset->count; i++) {
        const struct ct_dataset_buffer *buffer = &dataset->buffers[i];

        size_bytes += buffer->initial ? buffer->size_bytes : 0;
        size_bytes += buffer->truth.bytes ? buffer->truth.size_bytes : 0;
        size_bytes += buffer->truth.unwritten ? buffer->truth.unwritten_count : 0;
    }
    if (session->socket < 0 || !*dataset->hash.text || !size_bytes ||
        size_bytes > ct_shelf_limit() ||
        ct_shelf_make(size_bytes, fill, dataset, &fd, NULL))
        return;
    name_of(dataset, name, sizeof(name));
    ct_str_init(&payload);
    ct_shelf_payload(&payload, name, size_bytes);
    ct_protocol_send_fd(session->socket, CT_MSG_KEEP, &payload, fd, NULL);
    ct_str_release(&payload);
    /* Ours from here on too: a data set that is dropped for another comes back. */
    ct_shelf_put(&session->shelf, name, fd, size_bytes);
}

/* --- taking --- */

static enum ct_status copy(const unsigned char *from, size_t size_bytes, void **to,
                           struct ct_err *err)
{
    *to = ct_data_alloc(size_bytes);
    if (!*to)
        return ct_err_nomem(err);
    memcpy(*to, from, size_bytes);
    return CT_OK;
}

static enum ct_status take_buffer(struct ct_dataset_buffer *buffer,
                                  const struct ct_plan_buffer *planned,
                                  const uint64_t *head, const unsigned char *at,
                                  bool truth, struct ct_err *err)
{
    struct ct_layout host = ct_data_host_layout(planned);
    struct ct_layout device = ct_data_device_layout(planned);
    enum ct_status status = CT_OK;

    if (head[INITIAL_BYTES])
        status = copy(at, buffer->size_bytes, &buffer->initial, err);
    buffer->packed = buffer->initial;
    buffer->apart = head[APART] != 0;
    if (!status && head[INITIAL_BYTES] && ct_data_has_planes(planned)) {
        buffer->packed = ct_data_alloc(buffer->device_bytes);
        if (!buffer->packed)
            return ct_err_nomem(err);
        ct_data_convert(&host, buffer->initial, &device, buffer->packed);
    }
    at += head[INITIAL_BYTES];
    buffer->truth.size_bytes = (size_t)head[TRUTH_BYTES];
    if (!status && truth && head[TRUTH_BYTES])
        status = copy(at, (size_t)head[TRUTH_BYTES], &buffer->truth.bytes, err);
    at += head[TRUTH_BYTES];
    if (!status && truth && head[MARK_BYTES]) {
        buffer->truth.unwritten = ct_mem_array((size_t)head[MARK_BYTES], 1);
        if (!buffer->truth.unwritten)
            return ct_err_nomem(err);
        memcpy(buffer->truth.unwritten, at, (size_t)head[MARK_BYTES]);
        buffer->truth.unwritten_count = (size_t)head[MARK_BYTES];
    }
    return status;
}

/* Whether the heads are those of such a data set, and their sum. */
static bool fits(const struct ct_dataset *dataset, const uint64_t *heads,
                 uint64_t size_bytes)
{
    uint64_t sum_bytes = HEAD_WORDS * sizeof(uint64_t) * dataset->count;

    if (size_bytes < sum_bytes)
        return false;
    for (size_t i = 0; i < dataset->count; i++) {
        const uint64_t *head = heads + HEAD_WORDS * i;

        if ((head[INITIAL_BYTES] &&
             head[INITIAL_BYTES] != dataset->buffers[i].size_bytes) ||
            head[INITIAL_BYTES] > size_bytes || head[TRUTH_BYTES] > size_bytes ||
            head[MARK_BYTES] > size_bytes || sum_bytes > size_bytes)
            return false;
        sum_bytes += head[INITIAL_BYTES] + head[TRUTH_BYTES] + head[MARK_BYTES];
    }
    return sum_bytes == size_bytes;
}

enum ct_status ct_dataset_take(struct ct_session *session, struct ct_dataset *dataset,
                               const struct ct_plan *plan, bool truth, bool *taken,
                               struct ct_err *err)
{
    char name[CT_SHELF_NAME_SIZE];
    const struct ct_shelf_item *item;
    const uint64_t *heads;
    const unsigned char *at;
    enum ct_status status = CT_OK;

    *taken = false;
    name_of(dataset, name, sizeof(name));
    item = ct_shelf_find(&session->shelf, name);
    if (!item)
        return CT_OK;
    heads = mmap(NULL, (size_t)item->size_bytes, PROT_READ, MAP_SHARED, item->fd, 0);
    if (heads == MAP_FAILED)
        return CT_OK;
    if (fits(dataset, heads, item->size_bytes)) {
        *taken = true;
        at = (const unsigned char *)(heads + HEAD_WORDS * dataset->count);
        for (size_t i = 0; !status && i < dataset->count; i++) {
            const uint64_t *head = heads + HEAD_WORDS * i;

            status = take_buffer(&dataset->buffers[i], &plan->buffers[i], head, at, truth,
                                 err);
            at += head[INITIAL_BYTES] + head[TRUTH_BYTES] + head[MARK_BYTES];
        }
    }
    munmap((void *)(uintptr_t)heads, (size_t)item->size_bytes);
    return status;
}
