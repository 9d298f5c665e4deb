// SPDX-License-Identifier: Apache-2.0
// Creates sealed memory, and keeps some of it.
#define _GNU_SOURCE // memfd_create, F_ADD_SEALS
#include "protocol/shared_cache.h"

#include "base/wire.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

static void remove_item(struct ct_shared_cache *shared_cache, size_t index)
{
    close(shared_cache->items[index].fd);
    shared_cache->total_bytes -= shared_cache->items[index].size_bytes;
    shared_cache->count--;
    memmove(&shared_cache->items[index], &shared_cache->items[index + 1],
            (shared_cache->count - index) * sizeof(*shared_cache->items));
}

void ct_shared_cache_release(struct ct_shared_cache *shared_cache)
{
    while (shared_cache->count)
        remove_item(shared_cache, shared_cache->count - 1);
}

uint64_t ct_shared_cache_limit(void)
{
    return ct_memory_total() / 8;
}

/* Readers map it: it must neither change nor shrink meanwhile. */
static bool is_sealed(int fd, uint64_t size_bytes)
{
    struct stat info;
    int has = fcntl(fd, F_GET_SEALS);

    return has >= 0 && (has & seals) == seals && !fstat(fd, &info) &&
           (uint64_t)info.st_size == size_bytes;
}

void ct_shared_cache_put(struct ct_shared_cache *shared_cache, const char *name, int fd,
                         uint64_t size_bytes)
{
    uint64_t limit_bytes = ct_shared_cache_limit();
    struct ct_shared_cache_item *item;

    for (size_t i = 0; i < shared_cache->count; i++)
        if (!strcmp(shared_cache->items[i].name, name))
            remove_item(shared_cache, i--);
    if (size_bytes > limit_bytes || strlen(name) >= CT_SHARED_CACHE_NAME_SIZE ||
        !is_sealed(fd, size_bytes)) {
        close(fd);
        return;
    }
    while (shared_cache->count == CT_SHARED_CACHE_ITEMS ||
           shared_cache->total_bytes + size_bytes > limit_bytes)
        remove_item(shared_cache, 0);
    item = &shared_cache->items[shared_cache->count++];
    *item = (struct ct_shared_cache_item){
        .fd = fd, .size_bytes = size_bytes, .serial = ++shared_cache->serial};
    memcpy(item->name, name, strlen(name) + 1);
    shared_cache->total_bytes += size_bytes;
}

const struct ct_shared_cache_item *
ct_shared_cache_find(const struct ct_shared_cache *shared_cache, const char *name)
{
    for (size_t i = 0; i < shared_cache->count; i++)
        if (!strcmp(shared_cache->items[i].name, name))
            return &shared_cache->items[i];
    return NULL;
}

void ct_shared_cache_payload(struct ct_str *out, const char *name, uint64_t size_bytes)
{
    ct_wire_put_text(out, name);
    ct_wire_put_u64(out, size_bytes);
}

bool ct_shared_cache_receive(struct ct_shared_cache *shared_cache,
                             const struct ct_str *payload, int fd)
{
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    const char *name;
    uint64_t size_bytes;
    bool good;

    ct_wire_reader_init(&in, payload->data, payload->length);
    name = ct_wire_get_text(&in, &arena);
    size_bytes = ct_wire_get_u64(&in);
    good = !in.failed && name && fd >= 0;
    if (good)
        ct_shared_cache_put(shared_cache, name, fd, size_bytes);
    else if (fd >= 0)
        close(fd);
    ct_arena_release(&arena);
    return good;
}

enum ct_status ct_shared_cache_make(uint64_t size_bytes,
                                    void (*fill)(void *data, void *bytes), void *data,
                                    int *fd, struct ct_err *err)
{
    int made = memfd_create("cltune", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *bytes;

    if (made < 0)
        return ct_err_set(err, CT_E_IO, "memfd_create: %s", strerror(errno));
    /* Allocated now: a machine that is short of memory reports it here, and does not kill whoever
     * writes there later. */
    if (!size_bytes || posix_fallocate(made, 0, (off_t)size_bytes)) {
        close(made);
        return ct_err_nomem(err);
    }
    bytes = mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (bytes == MAP_FAILED) {
        close(made);
        return ct_err_nomem(err);
    }
    fill(data, bytes);
    munmap(bytes, (size_t)size_bytes);
    if (fcntl(made, F_ADD_SEALS, seals | F_SEAL_SEAL)) {
        close(made);
        return ct_err_set(err, CT_E_IO, "sealing memory: %s", strerror(errno));
    }
    *fd = made;
    return CT_OK;
}
