// SPDX-License-Identifier: Apache-2.0
// Items for the shared cache.
#include "worker/offer.h"

#include <string.h>
#include <sys/mman.h>

void ct_offer(struct ct_session *session, const char *name, uint64_t size_bytes,
              void (*fill)(void *data, void *bytes), void *data)
{
    struct ct_str payload;
    int fd;

    if (session->socket < 0 || size_bytes > ct_shared_cache_limit() ||
        ct_shared_cache_make(size_bytes, fill, data, &fd, NULL))
        return;
    ct_str_init(&payload);
    ct_shared_cache_payload(&payload, name, size_bytes);
    ct_protocol_send_fd(session->socket, CT_MSG_KEEP, &payload, fd, NULL);
    ct_str_release(&payload);
    ct_shared_cache_put(&session->shared_cache, name, fd, size_bytes);
}

static void fill_bytes(void *data, void *bytes)
{
    const struct ct_str *text = data;

    memcpy(bytes, text->data, text->length);
}

void ct_offer_bytes(struct ct_session *session, const char *name,
                    const struct ct_str *bytes)
{
    struct ct_str text = *bytes;

    if (!text.failed && text.length)
        ct_offer(session, name, text.length, fill_bytes, &text);
}

bool ct_offer_find(const struct ct_session *session, const char *name,
                   struct ct_str *bytes)
{
    const struct ct_shared_cache_item *item =
        ct_shared_cache_find(&session->shared_cache, name);
    void *mapped;

    if (!item)
        return false;
    mapped = mmap(NULL, (size_t)item->size_bytes, PROT_READ, MAP_SHARED, item->fd, 0);
    if (mapped == MAP_FAILED)
        return false;
    ct_str_add(bytes, mapped, (size_t)item->size_bytes);
    munmap(mapped, (size_t)item->size_bytes);
    return !bytes->failed;
}
