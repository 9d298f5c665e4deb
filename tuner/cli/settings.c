// SPDX-License-Identifier: Apache-2.0
// Values of options that can be given more than once.
#include "cli/options.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum ct_status ct_texts_add(struct ct_texts *texts, const char *text, struct ct_err *err)
{
    if (!ct_mem_grow(&texts->items, &texts->capacity, texts->count + 1,
                     sizeof(*texts->items)))
        return ct_err_nomem(err);
    texts->items[texts->count++] = text;
    return CT_OK;
}

enum ct_status ct_settings_add(struct ct_settings *settings, const char *text,
                               const char *what, struct ct_err *err)
{
    const char *equals = strchr(text, '=');
    struct ct_setting *item;

    if (!equals || equals == text)
        return ct_err_set(err, CT_E_USAGE, "%s '%s' is not NAME=VALUE", what, text);
    if (!ct_mem_grow(&settings->items, &settings->capacity, settings->count + 1,
                     sizeof(*item)))
        return ct_err_nomem(err);
    item = &settings->items[settings->count];
    item->name = ct_mem_copy(text, (size_t)(equals - text));
    if (!item->name)
        return ct_err_nomem(err);
    item->text = equals + 1;
    settings->count++;
    return CT_OK;
}

enum ct_status ct_settings_split(char *copy, struct ct_settings *settings,
                                 const char *what, struct ct_err *err)
{
    enum ct_status status = CT_OK;
    char *at = copy;

    while (!status && *(at += strspn(at, " \t\n"))) {
        char *item = at;
        bool quoted = false;
        bool more;

        while (*at && (quoted || !strchr(" \t\n", *at)))
            quoted ^= *at++ == '\'';
        more = *at != '\0';
        *at = '\0';
        status = ct_settings_add(settings, item, what, err);
        at += more;
    }
    return status;
}

void ct_settings_release(struct ct_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        void *name;

        /* The names are owned; the type is const for all other users. */
        memcpy(&name, &settings->items[i].name, sizeof(name));
        free(name);
    }
    free(settings->items);
    memset(settings, 0, sizeof(*settings));
}
