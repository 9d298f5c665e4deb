// SPDX-License-Identifier: Apache-2.0
// Stored problems and configurations in words.
#include "report/stored.h"

#include "base/mem.h"
#include "base/show.h"
#include "db/store.h"

enum ct_status ct_report_put_stored(struct ct_str *out, const char *json,
                                    struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    enum ct_status status = ct_db_parse(&arena, json, &values, &count, err);

    for (size_t i = 0; !status && i < count; i++) {
        struct ct_str text;

        ct_str_init(&text);
        ct_str_addf(&text, "%s%s=", i ? " " : "", values[i].name);
        ct_value_print(&text, values[i].value);
        ct_show_add(out, text.data, text.length, CT_SHOW_LINE);
        ct_str_release(&text);
    }
    ct_arena_release(&arena);
    return status;
}
