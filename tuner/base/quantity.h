// SPDX-License-Identifier: Apache-2.0
// Quantities observed of a configuration while it runs: names, units, values.  A metric of the
// space file may use each by its name, and a search may optimize it.
#ifndef CT_BASE_QUANTITY_H
#define CT_BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ct_quantity {
#define CT_QUANTITY(id, name, unit, about, missing) CT_QUANTITY_##id,
#include "base/quantities.def"
    CT_QUANTITY_COUNT
};

_Static_assert(CT_QUANTITY_COUNT <= 32, "a set of quantities has 32 bits");

struct ct_quantity_info {
    const char *name;    /* in expressions, options and JSON: "energy_j" */
    const char *unit;    /* "J"; "" for a pure number */
    const char *about;   /* one phrase for users */
    const char *missing; /* why a device may lack it, as the end of a sentence */
};

const struct ct_quantity_info *ct_quantity_info_of(enum ct_quantity quantity);

/* Whether it is a number of [read], which the space file names. */
bool ct_quantity_is_read(enum ct_quantity quantity);

/* By name; false if there is none. */
bool ct_quantity_find(const char *name, enum ct_quantity *out);

/* The known quantities of one configuration; all zeros: none. */
struct ct_quantities {
    uint32_t known; /* bit of each enum ct_quantity */
    double value[CT_QUANTITY_COUNT];
};

/* Values that are not finite are unknown. */
void ct_quantities_set(struct ct_quantities *quantities, enum ct_quantity quantity,
                       double value);

/* NAN if unknown. */
double ct_quantities_get(const struct ct_quantities *quantities,
                         enum ct_quantity quantity);

#endif
