// SPDX-License-Identifier: Apache-2.0
// Quantities to JSON and back, through the database's own form of named values.
#include "tune/observed.h"

#include "db/store.h"

#include <string.h>

enum ct_status ct_observed_put(const struct ct_quantities *observed, struct ct_str *out,
                               struct ct_err *err)
{
    struct ct_db_value values[CT_QUANTITY_COUNT];
    size_t count = 0;

    for (int i = 0; i < CT_QUANTITY_COUNT; i++) {
        if (!(observed->known >> i & 1))
            continue;
        values[count].name = ct_quantity_info_of((enum ct_quantity)i)->name;
        values[count++].value = ct_value_real(observed->value[i]);
    }
    return ct_db_canonical(out, values, count, err);
}

enum ct_status ct_observed_get(const char *text, struct ct_quantities *out,
                               struct ct_err *err)
{
    struct ct_arena arena = {0};
    struct ct_db_value *values;
    size_t count;
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    if (!*text)
        return CT_OK;
    status = ct_db_parse(&arena, text, &values, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        const struct ct_value *value = &values[i].value;
        enum ct_quantity quantity;

        if (ct_quantity_find(values[i].name, &quantity) && value->kind != CT_TEXT)
            ct_quantities_set(out, quantity, ct_value_number(*value));
    }
    ct_arena_release(&arena);
    return status;
}
