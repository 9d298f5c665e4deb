// SPDX-License-Identifier: Apache-2.0
// A list of shims and the names of their code: a search has a handful.
#include "worker/host/codes.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct one {
    struct ct_hash shim;
    struct ct_hash name; /* empty: claimed */
};

struct ct_host_codes {
    pthread_mutex_t lock;
    struct one *items;
    size_t count;
    size_t capacity;
};

struct ct_host_codes *ct_host_codes_new(void)
{
    struct ct_host_codes *codes = calloc(1, sizeof(*codes));

    if (codes && pthread_mutex_init(&codes->lock, NULL)) {
        free(codes);
        return NULL;
    }
    return codes;
}

void ct_host_codes_free(struct ct_host_codes *codes)
{
    if (!codes)
        return;
    pthread_mutex_destroy(&codes->lock);
    free(codes->items);
    free(codes);
}

/* The caller holds the lock. */
static struct one *find(const struct ct_host_codes *codes, const struct ct_hash *shim)
{
    for (size_t i = 0; i < codes->count; i++)
        if (!strcmp(codes->items[i].shim.text, shim->text))
            return &codes->items[i];
    return NULL;
}

bool ct_host_codes_claim(struct ct_host_codes *codes, const struct ct_hash *shim)
{
    bool claimed;

    pthread_mutex_lock(&codes->lock);
    claimed = !find(codes, shim) && ct_mem_grow(&codes->items, &codes->capacity,
                                                codes->count + 1, sizeof(*codes->items));
    if (claimed)
        codes->items[codes->count++] = (struct one){.shim = *shim};
    pthread_mutex_unlock(&codes->lock);
    return claimed;
}

void ct_host_codes_tell(struct ct_host_codes *codes, const struct ct_hash *shim,
                        const struct ct_hash *name)
{
    struct one *one;

    pthread_mutex_lock(&codes->lock);
    one = find(codes, shim);
    if (one && name)
        one->name = *name;
    else if (one)
        *one = codes->items[--codes->count];
    pthread_mutex_unlock(&codes->lock);
}

bool ct_host_codes_find(struct ct_host_codes *codes, const struct ct_hash *shim,
                        struct ct_hash *name)
{
    const struct one *one;
    bool found;

    if (!codes)
        return false;
    pthread_mutex_lock(&codes->lock);
    one = find(codes, shim);
    found = one && *one->name.text;
    if (found)
        *name = one->name;
    pthread_mutex_unlock(&codes->lock);
    return found;
}
