// SPDX-License-Identifier: Apache-2.0
// Reads and writes stored binaries.
#include "worker/build/binaries.h"

#include "base/wire.h"
#include "protocol/cache.h"
#include "base/private.h"
#include "protocol/trim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Version of keys and entries: entries of an older cltune are not found. */
#define FORM "cltune binary 1 " CT_VERSION

struct ct_hash ct_binaries_key(const struct ct_hash *text, const char *options,
                               const struct ct_devinfo *device,
                               const struct ct_plan_env *env, size_t env_count)
{
    struct ct_hash key = {""};
    struct ct_str form;

    ct_str_init(&form);
    ct_wire_put_text(&form, FORM);
    ct_wire_put_text(&form, text->text);
    ct_wire_put_text(&form, options);
    ct_wire_put_text(&form, device->platform_name);
    ct_wire_put_text(&form, device->platform_version);
    ct_wire_put_text(&form, device->driver_version);
    ct_wire_put_text(&form, device->type);
    /* What the device reports: part of it may have been disabled, or another one of the same name
     * installed. */
    for (int i = 0; i < CT_DEVPROP_KEY_COUNT; i++) {
        const struct ct_value *value = &device->props[i];

        ct_wire_put_u32(&form, (uint32_t)value->kind);
        if (value->kind == CT_TEXT)
            ct_wire_put_text(&form, ct_devinfo_text(device, (enum ct_devprop)i));
        else
            ct_wire_put_i64(&form, ct_devinfo_int(device, (enum ct_devprop)i, 0));
    }
    for (size_t i = 0; i < env_count; i++) {
        ct_wire_put_text(&form, env[i].name);
        ct_wire_put_text(&form, env[i].value);
    }
    if (!form.failed && *text->text)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}

/* --- file format --- */

enum { SUM_BYTES = CT_HASH_TEXT_SIZE - 1 };

static void pack_entry(const struct ct_hash *key, const struct ct_str *binary,
                       const char *log, struct ct_str *out)
{
    size_t start = out->length;

    ct_wire_put_text(out, FORM);
    ct_wire_put_text(out, key->text);
    ct_wire_put_bytes(out, binary->data, binary->length);
    ct_wire_put_text(out, log);
    if (!out->failed)
        ct_str_add(out, ct_hash_bytes(out->data + start, out->length - start).text,
                   SUM_BYTES);
}

/* Appends what an entry holds; false if it is damaged or another key's. */
static bool unpack_entry(const struct ct_hash *key, const struct ct_str *entry,
                         struct ct_str *binary, struct ct_str *log)
{
    struct ct_arena arena = {0};
    struct ct_wire_reader in;
    const char *form;
    const char *name;
    const char *text;
    const void *bytes;
    size_t length = 0;
    size_t end;
    bool good;

    if (entry->length < SUM_BYTES)
        return false;
    end = entry->length - SUM_BYTES;
    ct_wire_reader_init(&in, entry->data, end);
    form = ct_wire_get_text(&in, &arena);
    name = ct_wire_get_text(&in, &arena);
    bytes = ct_wire_get_bytes(&in, &length);
    text = ct_wire_get_text(&in, &arena);
    good = !in.failed && in.at == in.length && form && !strcmp(form, FORM) && name &&
           !strcmp(name, key->text) && text && length &&
           !memcmp(entry->data + end, ct_hash_bytes(entry->data, end).text, SUM_BYTES);
    if (good) {
        ct_str_add(binary, bytes, length);
        ct_str_puts(log, text);
    }
    ct_arena_release(&arena);
    return good && !binary->failed && !log->failed;
}

/* --- on disk --- */

static bool path_of(const struct ct_hash *key, struct ct_str *path)
{
    if (!*key->text || ct_cache_folder("binaries", path, NULL))
        return false;
    ct_str_addf(path, "/%s.bin", key->text);
    return !path->failed;
}

bool ct_binaries_get(const struct ct_hash *key, struct ct_str *binary, struct ct_str *log)
{
    struct ct_str path;
    struct ct_str entry;
    bool good = false;
    int fd = -1;

    ct_str_init(&path);
    ct_str_init(&entry);
    if (path_of(key, &path))
        fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        good = ct_private_read(fd, &entry) && unpack_entry(key, &entry, binary, log);
        if (good)
            futimens(fd, NULL);
        else
            unlink(path.data);
        close(fd);
    }
    ct_str_release(&entry);
    ct_str_release(&path);
    return good;
}

/* Measuring the folder means examining every entry: that is done about once for every sixteenth
 * of the limit that is written, by whichever process, so at random: an entry's probability is its
 * share of that sixteenth.  Keys are as good as random. */
static bool time_to_trim(const struct ct_hash *key, size_t size_bytes,
                         uint64_t limit_bytes)
{
    char digits[9] = "";
    uint64_t drawn;

    memcpy(digits, key->text, 8);
    drawn = strtoull(digits, NULL, 16) % (limit_bytes / 16 + 1);
    return drawn < size_bytes;
}

static void trim(void)
{
    struct ct_str path;

    ct_str_init(&path);
    if (!ct_cache_folder("binaries", &path, NULL))
        ct_trim_files(path.data, ".bin", ct_trim_limit());
    ct_str_release(&path);
}

enum ct_status ct_binaries_put(const struct ct_hash *key, const struct ct_str *binary,
                               const char *log, struct ct_err *err)
{
    uint64_t limit_bytes = ct_trim_limit();
    enum ct_status status;
    struct ct_str path;
    struct ct_str entry;

    ct_str_init(&path);
    ct_str_init(&entry);
    pack_entry(key, binary, log, &entry);
    status = ct_cache_folder("binaries", &path, err);
    ct_str_addf(&path, "/%s.bin", key->text);
    if (!status && (entry.failed || path.failed || !*key->text))
        status = ct_err_nomem(err);
    if (!status && entry.length > limit_bytes / 4)
        status = ct_err_set(err, CT_E_USAGE,
                            "a binary of %zu bytes is not cached: use CLTUNE_CACHE_SIZE "
                            "to allow the cache more than four times that",
                            entry.length);
    if (!status)
        status = ct_cache_write(path.data, entry.data, entry.length, err);
    if (!status && time_to_trim(key, entry.length, limit_bytes))
        trim();
    ct_str_release(&entry);
    ct_str_release(&path);
    return status;
}
