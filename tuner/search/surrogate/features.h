// SPDX-License-Identifier: Apache-2.0
// Configurations as features of a regression: parameters that vary, with the positions of their
// values if these are ordered, and the odd parts of their values.
#ifndef CT_SEARCH_SURROGATE_FEATURES_H
#define CT_SEARCH_SURROGATE_FEATURES_H

#include "search/surrogate/gp.h"
#include "space/space.h"

/* The values of a parameter with more than this are grouped into as many codes. */
enum { CT_FEATURE_CODES = 512 };

/* How a parameter is switched off: it then has its first value. */
struct ct_feature_switch {
    size_t by;    /* by which parameter */
    uint32_t off; /* bits: with which of its values; 0: never */
};

struct ct_features {
    const struct ct_space *space;
    size_t count;               /* parameters with more than one value, and odd parts */
    size_t *source;             /* their indices in the specification */
    struct ct_gp_param *params; /* values and positions */
    double **positions;
    uint16_t **codes;                   /* by value: its group; NULL: its own number */
    struct ct_feature_switch *switches; /* by parameter of the specification */
    size_t arms; /* the parameter that switches most others: algorithms; SIZE_MAX: none */
    size_t options;   /* how many it switches */
    uint32_t *config; /* scratch: all parameters of the specification */
};

/* Numbers that span a factor of 4 and are all positive are placed by their logarithm, other
 * numbers by their value; texts, and parameters with two values, have no order.
 *
 * Whether an integer has the smallest odd part among the values of its parameter (1 for 64, 3 for
 * 48) is a feature of its own if some values share it and others do not: on many devices, 16, 32
 * and 64 resemble each other more than any of them resembles 48.
 *
 * A parameter that another one switches off has one more value, the last one, for being off: it has
 * no position (NaN).  False if out of memory; then nothing has to be released. */
bool ct_features_init(struct ct_features *features, const struct ct_space *space);
void ct_features_release(struct ct_features *features);

/* Finds which parameters have all of their values with some values of another one and only their
 * first one with others (in a sample of the space): `out` has one element, initially zero, for each parameter
 * of the specification.  False if out of memory. */
bool ct_feature_switches(const struct ct_space *space, struct ct_feature_switch *out);

/* Value numbers, or groups, of configuration `index` (codes[count]). */
void ct_features_codes(const struct ct_features *features, uint64_t index,
                       uint16_t *codes);

/* The same from the value indices of a configuration. */
void ct_features_of(const struct ct_features *features, const uint32_t *config,
                    uint16_t *codes);

/* How many parameters have a value with another odd part than the smallest: 2 for a tile of 3 x 5,
 * 1 for one of 3 x 4. */
unsigned ct_features_odd(const struct ct_features *features, const uint16_t *codes);

/* How different two configurations are: a sum over the parameters (without odd parts) of 0 to 1,
 * half of it for differing at all. */
double ct_features_distance(const struct ct_features *features, const uint16_t *a,
                            const uint16_t *b);

#endif
