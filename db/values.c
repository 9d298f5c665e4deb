// SPDX-License-Identifier: Apache-2.0
// Named values as canonical JSON, and back.
#include "db/internal.h"

#include "base/show.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct ct_db_value *const *left = a;
    const struct ct_db_value *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

static void put_text(struct ct_str *out, const char *text)
{
    ct_str_putc(out, '"');
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '"' || *s == '\\') {
            ct_str_putc(out, '\\');
            ct_str_putc(out, (char)*s);
        } else if (*s < 0x20) {
            ct_str_addf(out, "\\u%04x", *s);
        } else {
            ct_str_putc(out, (char)*s);
        }
    }
    ct_str_putc(out, '"');
}

enum ct_status ct_db_canonical(struct ct_str *out, const struct ct_db_value *values,
                               size_t count, struct ct_err *err)
{
    const struct ct_db_value **sorted = ct_mem_array(count, sizeof(const void *));
    enum ct_status status = CT_OK;

    if (!sorted)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &values[i];
    qsort(sorted, count, sizeof(const void *), by_name);
    ct_str_putc(out, '{');
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        struct ct_value value = sorted[i]->value;

        if (i > 0 && strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            status = ct_err_set(err, CT_E_INTERNAL, "the name %s is given twice",
                                sorted[i]->name);
        if (value.kind == CT_NONE || (value.kind == CT_REAL && !isfinite(value.u.r)))
            status = ct_err_set(err, CT_E_INTERNAL,
                                "%s has a value that cannot be stored", sorted[i]->name);
        if (i > 0)
            ct_str_putc(out, ',');
        put_text(out, sorted[i]->name);
        ct_str_putc(out, ':');
        if (value.kind == CT_TEXT)
            put_text(out, value.u.s);
        else
            ct_value_print(out, value);
    }
    ct_str_putc(out, '}');
    free(sorted);
    if (status == CT_OK && out->failed)
        status = ct_err_nomem(err);
    return status;
}

static bool value_from_json(struct ct_arena *arena, const char *name, const json_t *json,
                            struct ct_db_value *out)
{
    out->name = ct_arena_copy(arena, name, strlen(name));
    if (json_is_integer(json)) {
        out->value = ct_value_int(json_integer_value(json));
    } else if (json_is_real(json)) {
        out->value = ct_value_real(json_real_value(json));
    } else if (json_is_string(json)) {
        const char *text = json_string_value(json);

        out->value = ct_value_text(ct_arena_copy(arena, text, strlen(text)));
        return out->name && out->value.u.s;
    } else {
        out->value.kind = CT_NONE;
    }
    return out->name != NULL;
}

enum ct_status ct_db_parse(struct ct_arena *arena, const char *json,
                           struct ct_db_value **out, size_t *count, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    struct ct_str valid;
    const char *name;
    json_t *member;
    json_t *root;

    *count = 0;
    /* Names and texts that are not UTF-8 are kept, escaped: one does not invalidate the rest. */
    ct_str_init(&valid);
    ct_show_utf8(&valid, json, "\\\\x");
    root = valid.failed ? NULL : json_loads(valid.data, JSON_REJECT_DUPLICATES, NULL);
    ct_str_release(&valid);
    if (!json_is_object(root)) {
        json_decref(root);
        return ct_err_set(err, CT_E_DB, "not a JSON object of named values: %.200s",
                          json);
    }
    *out = ct_arena_array(arena, json_object_size(root), sizeof(**out));
    if (!*out) {
        json_decref(root);
        return ct_err_nomem(err);
    }
    json_object_foreach(root, name, member)
    {
        if (status != CT_OK)
            break;
        if (!value_from_json(arena, name, member, &(*out)[*count]))
            status = ct_err_nomem(err);
        else if ((*out)[(*count)++].value.kind == CT_NONE)
            status = ct_err_set(err, CT_E_DB, "%s is neither a number nor a text: %.200s",
                                name, json);
    }
    json_decref(root);
    return status;
}

int64_t ct_db_hash_configuration(const char *configuration)
{
    uint64_t bits = ct_hash_head(configuration, strlen(configuration));
    int64_t number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}
