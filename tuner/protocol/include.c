// SPDX-License-Identifier: Apache-2.0
// Links in place of include folders with blanks in their names.
#include "protocol/include.h"

#include "protocol/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool plain_path(const char *path)
{
    return !path[strcspn(path, " \t\"'\\")];
}

static bool leads_to(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    char *target = malloc(length + 1);
    bool same = target && readlink(path, target, length + 1) == (ssize_t)length &&
                !memcmp(target, folder, length);

    free(target);
    return same;
}

/* The path of a link to `folder`, created if missing; its name is the folder's hash, so that
 * several processes create the same one. */
static enum ct_status link_to(const char *folder, struct ct_str *path, struct ct_err *err)
{
    enum ct_status status = ct_cache_folder("include", path, err);

    if (status || !plain_path(path->data)) {
        ct_str_reset(path);
        status = ct_cache_fallback("include", path, err);
    }
    if (status)
        return status;
    ct_str_addf(path, "/%s", ct_hash_bytes(folder, strlen(folder)).text);
    if (path->failed)
        return ct_err_nomem(err);
    if (leads_to(path->data, folder))
        return CT_OK;
    unlink(path->data);
    if (symlink(folder, path->data) && errno != EEXIST)
        return ct_err_set(err, CT_E_IO, "cannot link %s to the include folder %s: %s",
                          path->data, folder, strerror(errno));
    return CT_OK;
}

enum ct_status ct_include_options(const struct ct_plan_program *program,
                                  struct ct_str *out, struct ct_err *err)
{
    struct ct_plan_program linked = *program;
    const char **dirs = ct_mem_array(program->include_count, sizeof(const char *));
    struct ct_str *paths = ct_mem_array(program->include_count, sizeof(*paths));
    enum ct_status status = CT_OK;
    size_t count = 0;

    if (!dirs || !paths) {
        free(dirs);
        free(paths);
        return ct_err_nomem(err);
    }
    for (; !status && count < program->include_count; count++) {
        ct_str_init(&paths[count]);
        dirs[count] = program->include_dirs[count];
        if (!plain_path(dirs[count])) {
            status = link_to(dirs[count], &paths[count], err);
            dirs[count] = paths[count].data;
        }
    }
    linked.include_dirs = dirs;
    if (!status && !ct_plan_options(&linked, out))
        status = ct_err_nomem(err);
    for (size_t i = 0; i < count; i++)
        ct_str_release(&paths[i]);
    free(paths);
    free(dirs);
    return status;
}
