// SPDX-License-Identifier: Apache-2.0
// What of a result's texts is given away: nothing that may name a file or folder.
#include "db/merge.h"

#include "db/adhoc.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Whether an object of canonical JSON has a member of that name. */
static bool has_name(const char *json, const char *name, size_t length)
{
    for (const char *at = json; (at = strchr(at, '"')); at++)
        if (strncmp(at + 1, name, length) == 0 && strncmp(at + 1 + length, "\":", 2) == 0)
            return true;
    return false;
}

/* One option, with its quotes; `-D NAME` is one. */
static const char *end_of_option(const char *at)
{
    bool quoted = false;
    const char *end = at;

    if (strncmp(at, "-D", 2) == 0 && (at[2] == ' ' || at[2] == '\t'))
        end += 2 + strspn(at + 2, " \t");
    for (; *end && (quoted || (*end != ' ' && *end != '\t')); end++) {
        if (*end == '\\' && end[1])
            end++;
        else if (*end == '"')
            quoted = !quoted;
    }
    return end;
}

/* Appends what others need of the options: the configuration, macros of the problem, and what OpenCL
 * defines.  Anything else may name a file or folder. */
static void put_known_options(struct ct_str *out, const struct ct_merge_gift *gift)
{
    const char *flags = gift->flags;

    for (const char *at = flags + strspn(flags, " \t"); *at; at += strspn(at, " \t")) {
        const char *end = end_of_option(at);
        const char *name = at + strspn(at, "\"");
        bool known = strncmp(name, "-cl-", 4) == 0;

        if (strncmp(name, "-D", 2) == 0) {
            size_t length;

            name += 2;
            name += strspn(name, " \t\"");
            length = strcspn(name, "= \t\"");
            known = length && (has_name(gift->configuration, name, length) ||
                               has_name(gift->macros, name, length));
        }
        if (known) {
            ct_str_puts(out, out->length ? " " : "");
            ct_str_add(out, at, (size_t)(end - at));
        }
        at = end;
    }
}

/* Metrics whose names are plain: any other may be a path. */
static void put_known_metrics(struct ct_str *out, const char *text)
{
    json_t *metrics = json_loads(text, 0, NULL);
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(metrics, next, name, value)
    {
        if (strspn(name,
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") !=
                strlen(name) ||
            !json_is_number(value))
            json_object_del(metrics, name);
    }
    if (json_object_size(metrics)) {
        char *kept =
            json_dumps(metrics, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));

        out->failed |= !kept;
        if (kept)
            ct_str_puts(out, kept);
        free(kept);
    } else if (*text) {
        ct_str_puts(out, "{}");
    }
    json_decref(metrics);
}

/* Refuses to give a path away: the word of options or values that has a slash. */
static enum ct_status check_paths(const char *path, const char *flags,
                                  const char *configuration, struct ct_err *err)
{
    const char *const texts[] = {flags, configuration};

    for (size_t i = 0; i < 2; i++) {
        const char *slash = strchr(texts[i], '/');
        const char *begin = slash;

        if (!slash)
            continue;
        while (begin > texts[i] && !strchr(" \t,{", begin[-1]))
            begin--;
        return ct_err_set(
            err, CT_E_DB,
            "a result of %s may give away a path ('%.*s') and is not exported; "
            "choose other kernels, or export without --contribute",
            path, (int)strcspn(begin, " \t,}"), begin);
    }
    return CT_OK;
}

enum ct_status ct_merge_give(const struct ct_merge_gift *gift, const char *path,
                             struct ct_str *flags, struct ct_str *metrics,
                             struct ct_err *err)
{
    ct_str_reset(flags);
    ct_str_reset(metrics);
    put_known_options(flags, gift);
    put_known_metrics(metrics, gift->metrics);
    if (flags->failed || metrics->failed)
        return ct_err_nomem(err);
    return check_paths(path, flags->data ? flags->data : "", gift->configuration, err);
}

enum ct_status ct_merge_find_leaders(struct ct_merge *m, struct ct_err *err)
{
    struct ct_db_use use;
    enum ct_status status = CT_OK;

    if (!m->selection->contribute)
        return CT_OK;
    use = ct_adhoc_begin(
        m->from,
        "SELECT DISTINCT result_id FROM (SELECT result_id, row_number() OVER"
        " (PARTITION BY device_id, kernel_id, problem_id, objective, direction"
        " ORDER BY standing IS NULL, standing, rank, result_id) AS place FROM score)"
        " WHERE place <= ?1 ORDER BY result_id");
    ct_db_bind_int(&use, 1, (int64_t)m->selection->runners_up + 1);
    while (status == CT_OK && ct_db_row(&use))
        status = ct_merge_ids_add(&m->leaders, ct_db_int(&use, 0), 1, err);
    if (status == CT_OK)
        return ct_adhoc_end(&use, err);
    ct_adhoc_end(&use, NULL);
    return status;
}
