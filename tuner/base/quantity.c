// SPDX-License-Identifier: Apache-2.0
// The table of observable quantities.
#include "base/quantity.h"

#include <math.h>
#include <string.h>

static const struct ct_quantity_info infos[CT_QUANTITY_COUNT] = {
#define CT_QUANTITY(id, name, unit, about, missing) {#name, unit, about, missing},
#include "base/quantities.def"
};

const struct ct_quantity_info *ct_quantity_info_of(enum ct_quantity quantity)
{
    return &infos[quantity];
}

bool ct_quantity_is_read(enum ct_quantity quantity)
{
    return quantity >= CT_QUANTITY_READ_1 && quantity <= CT_QUANTITY_READ_8;
}

bool ct_quantity_find(const char *name, enum ct_quantity *out)
{
    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        if (!strcmp(infos[i].name, name)) {
            *out = (enum ct_quantity)i;
            return true;
        }
    return false;
}

void ct_quantities_set(struct ct_quantities *quantities, enum ct_quantity quantity,
                       double value)
{
    quantities->value[quantity] = isfinite(value) ? value : 0;
    if (isfinite(value))
        quantities->known |= 1u << quantity;
    else
        quantities->known &= ~(1u << quantity);
}

double ct_quantities_get(const struct ct_quantities *quantities,
                         enum ct_quantity quantity)
{
    return quantities->known >> quantity & 1 ? quantities->value[quantity] : NAN;
}
