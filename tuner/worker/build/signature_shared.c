// SPDX-License-Identifier: Apache-2.0
// Shares checked kernel declarations with later workers, so that they are not compiled again: one
// item in the shared cache holds all.
#include "base/wire.h"
#include "worker/build/signature.h"
#include "worker/offer.h"

#include <stdlib.h>
#include <string.h>

static const char shared_cache_name[] = "signatures";

void ct_signature_offer(struct ct_session *session)
{
    struct ct_str text;

    if (session->socket < 0)
        return;
    ct_str_init(&text);
    ct_wire_put_u64(&text, session->signature_count);
    for (size_t i = 0; i < session->signature_count; i++) {
        const struct ct_signature *signature = &session->signatures[i];

        ct_wire_put_bytes(&text, signature->key.text, sizeof(signature->key.text));
        ct_wire_put_u64(&text, signature->arg_count);
        for (size_t a = 0; a < signature->arg_count; a++)
            ct_wire_put_u32(&text, signature->is_const[a]);
    }
    ct_offer_bytes(session, shared_cache_name, &text);
    ct_str_release(&text);
}

const struct ct_signature *ct_signature_find(const struct ct_session *session,
                                             const struct ct_hash *key)
{
    for (size_t i = 0; i < session->signature_count; i++)
        if (!strcmp(session->signatures[i].key.text, key->text))
            return &session->signatures[i];
    return NULL;
}

/* Reads one; false if the rest is invalid. */
static bool take_one(struct ct_session *session, struct ct_wire_reader *in)
{
    struct ct_signature signature = {.key = {""}};
    size_t length;
    const char *key = ct_wire_get_bytes(in, &length);
    size_t count = ct_wire_get_count(in, sizeof(uint32_t));

    if (in->failed || length != sizeof(signature.key.text) || key[length - 1])
        return false;
    memcpy(signature.key.text, key, length);
    signature.arg_count = count;
    signature.is_const = ct_mem_array(count + 1, sizeof(bool));
    for (size_t a = 0; signature.is_const && a < count; a++)
        signature.is_const[a] = ct_wire_get_u32(in) != 0;
    if (!signature.is_const || in->failed || ct_signature_find(session, &signature.key) ||
        !ct_mem_grow(&session->signatures, &session->signature_capacity,
                     session->signature_count + 1, sizeof(*session->signatures))) {
        free(signature.is_const);
        return !in->failed;
    }
    session->signatures[session->signature_count++] = signature;
    return true;
}

void ct_signature_take(struct ct_session *session)
{
    const struct ct_shared_cache_item *item =
        ct_shared_cache_find(&session->shared_cache, shared_cache_name);
    struct ct_wire_reader in;
    struct ct_str bytes;
    size_t count;

    if (!item || item->serial == session->signatures_taken)
        return;
    session->signatures_taken = item->serial;
    ct_str_init(&bytes);
    if (ct_offer_find(session, shared_cache_name, &bytes)) {
        ct_wire_reader_init(&in, bytes.data, bytes.length);
        count = ct_wire_get_count(&in, sizeof(struct ct_hash));
        while (count-- && take_one(session, &in))
            ;
    }
    ct_str_release(&bytes);
}
