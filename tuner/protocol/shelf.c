// SPDX-License-Identifier: Apache-2.0
// Sealed memory, and keeping some of it.
#define _GNU_SOURCE // memfd_create, F_ADD_SEALS
#include "protocol/shelf.h"

#include "base/wire.h"
#include "protocol/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

static void remove_item(struct ct_shelf *shelf, size_t index)
{
    close(shelf->items[index].fd);
    shelf->total_bytes -= shelf->items[index].size_bytes;
    shelf->count--;
    memmove(&shelf->items[index], &shelf->items[index + 1],
            (shelf->count - index) * sizeof(*shelf->items));
}

void ct_shelf_release(struct ct_shelf *shelf)
{
    while (shelf->count)
        remove_item(shelf, shelf->count - 1);
}

uint64_t ct_shelf_limit(void)
{
    return ct_memory_total() / 8;
}

/* Readers map it: nothing may change or cut it under their hands. */
static bool sealed(int fd, uint64_t size_bytes)
{
    struct stat info;
    int has = fcntl(fd, F_GET_SEALS);

    return has >= 0 && (has & seals) == seals && !fstat(fd, &info) &&
           (uint64_t)info.st_size == size_bytes;
}

void ct_shelf_put(struct ct_shelf *shelf, const char *name, int fd, uint64_t size_bytes)
{
    uint64_t limit_bytes = ct_shelf_limit();
    struct ct_shelf_item *item;

    for (size_t i = 0; i < shelf->count; i++)
        if (!strcmp(shelf->items[i].name, name))
            remove_item(shelf, i--);
    if (size_bytes > limit_bytes || strlen(name) >= CT_SHELF_NAME_SIZE ||
        !sealed(fd, size_bytes)) {
        close(fd);
        return;
    }
    while (shelf->count == CT_SHELF_ITEMS ||
           shelf->total_bytes + size_bytes > limit_bytes)
        remove_item(shelf, 0);
    item = &shelf->items[shelf->count++];
    *item = (struct ct_shelf_item){
        .fd = fd, .size_bytes = size_bytes, .serial = ++shelf->serial};
    memcpy(item->name, name, strlen(name) + 1);
    shelf->total_bytes += size_bytes;
}

const struct ct_shelf_item *ct_shelf_find(const struct ct_shelf *shelf, const char *name)
{
    for (size_t i = 0; i < shelf->count; i++)
        if (!strcmp(shelf->items[i].name, name))
            return &shelf->items[i];
    return NULL;
}

void ct_shelf_payload(struct ct_str *out, const char *name, uint64_t size_bytes)
{
    ct_wire_put_text(out, name);
    ct_wire_put_u64(out, size_bytes);
}

bool ct_shelf_receive(struct ct_shelf *shelf, const struct ct_str *payload, int fd)
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
        ct_shelf_put(shelf, name, fd, size_bytes);
    else if (fd >= 0)
        close(fd);
    ct_arena_release(&arena);
    return good;
}

enum ct_status ct_shelf_make(uint64_t size_bytes, void (*fill)(void *data, void *bytes),
                             void *data, int *fd, struct ct_err *err)
{
    int made = memfd_create("cltune", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *bytes;

    if (made < 0)
        return ct_err_set(err, CT_E_IO, "memfd_create: %s", strerror(errno));
    /* Allocated now: a machine that is short of memory says so here, and does not kill
     * whoever writes there later. */
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
