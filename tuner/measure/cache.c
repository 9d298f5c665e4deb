// SPDX-License-Identifier: Apache-2.0
// Finding and making the cache folder.
#include "measure/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkdir -p, one component after the other; an existing folder is fine. */
static enum ct_status make_path(char *path, struct ct_err *err)
{
    for (char *p = path + 1;; p++) {
        char old = *p;

        if (old && old != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0700) && errno != EEXIST) {
            ct_err_set(err, CT_E_IO, "%s: %s", path, strerror(errno));
            *p = old;
            return CT_E_IO;
        }
        *p = old;
        if (!old)
            return CT_OK;
    }
}

enum ct_status ct_cache_folder(const char *name, struct ct_str *out, struct ct_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    size_t start = out->length;
    enum ct_status status;

    /* The XDG rules: a relative path is to be ignored. */
    if (cache && *cache == '/')
        ct_str_addf(out, "%s/cltune/%s", cache, name);
    else if (home && *home == '/')
        ct_str_addf(out, "%s/.cache/cltune/%s", home, name);
    else
        return ct_err_set(err, CT_E_IO,
                          "no cache folder: neither XDG_CACHE_HOME nor HOME");
    if (out->failed)
        return ct_err_nomem(err);
    status = make_path(out->data + start, err);
    if (!status && access(out->data + start, W_OK | X_OK))
        status = ct_err_set(err, CT_E_IO, "%s: %s", out->data + start, strerror(errno));
    return status;
}

enum ct_status ct_cache_fallback(const char *name, struct ct_str *out, struct ct_err *err)
{
    const char *tmp = getenv("TMPDIR");
    size_t start = out->length;
    struct stat info;

    ct_str_addf(out, "%s/cltune-%lu", tmp && *tmp == '/' ? tmp : "/tmp",
                (unsigned long)getuid());
    if (out->failed)
        return ct_err_nomem(err);
    /* Anybody may have made it before us: what is loaded from there must be ours. */
    if (mkdir(out->data + start, 0700) && errno != EEXIST)
        return ct_err_set(err, CT_E_IO, "%s: %s", out->data + start, strerror(errno));
    if (lstat(out->data + start, &info) || !S_ISDIR(info.st_mode) ||
        info.st_uid != getuid() || (info.st_mode & 0077))
        return ct_err_set(err, CT_E_IO, "%s is not a private folder of this user",
                          out->data + start);
    ct_str_addf(out, "/%s", name);
    if (out->failed)
        return ct_err_nomem(err);
    return make_path(out->data + start, err);
}
