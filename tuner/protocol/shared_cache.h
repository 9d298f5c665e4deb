// SPDX-License-Identifier: Apache-2.0
// Data that one worker has made and others can reuse: named, sealed memory.
//
// A worker that has run a reference offers the data set (CT_MSG_KEEP); the main process only
// keeps the descriptor and passes it to workers that are started later or build in parallel
// (CT_MSG_GIVE). There are no files: the memory is freed with the last process.
#ifndef CT_PROTOCOL_SHARED_CACHE_H
#define CT_PROTOCOL_SHARED_CACHE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { CT_SHARED_CACHE_ITEMS = 16, CT_SHARED_CACHE_NAME_SIZE = 96 };

struct ct_shared_cache_item {
    /* "data HASH SEED", "fill HASH SEED", "compare DEVICE KIND", "signatures" */
    char name[CT_SHARED_CACHE_NAME_SIZE];
    int fd;
    uint64_t size_bytes;
    uint64_t serial; /* numbers all items ever put; the first is 1 */
};

/* The newest items, oldest first; {0} is an empty cache. */
struct ct_shared_cache {
    struct ct_shared_cache_item items[CT_SHARED_CACHE_ITEMS];
    size_t count;
    uint64_t serial;
    uint64_t total_bytes;
};

void ct_shared_cache_release(struct ct_shared_cache *shared_cache);

/* The most one item, and all together, may take: an eighth of the machine's memory.  Data for a
 * large GPU, an input and its expected output, take GiBs; without the shared cache each of a
 * search's processes would compute them. */
uint64_t ct_shared_cache_limit(void);

/* Puts an item into the shared cache, in place of one of the same name and, if there is no room
 * for it, of the oldest.  Takes over `fd`, also if it is not kept because it is too large, or no
 * sealed memory of that size. */
void ct_shared_cache_put(struct ct_shared_cache *shared_cache, const char *name, int fd,
                         uint64_t size_bytes);

/* NULL if there is none of that name. */
const struct ct_shared_cache_item *
ct_shared_cache_find(const struct ct_shared_cache *shared_cache, const char *name);

/* Reads what was offered or given: the payload of CT_MSG_KEEP and CT_MSG_GIVE, and the descriptor
 * that came with it, which is taken over.  False if it is damaged. */
bool ct_shared_cache_receive(struct ct_shared_cache *shared_cache,
                             const struct ct_str *payload, int fd);
void ct_shared_cache_payload(struct ct_str *out, const char *name, uint64_t size_bytes);

/* Makes sealed memory of `size_bytes`, filled by `fill`.  CT_E_NOMEM, CT_E_IO. */
enum ct_status ct_shared_cache_make(uint64_t size_bytes,
                                    void (*fill)(void *data, void *bytes), void *data,
                                    int *fd, struct ct_err *err);

#endif
