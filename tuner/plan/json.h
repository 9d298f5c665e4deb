// SPDX-License-Identifier: Apache-2.0
// JSON values used by several commands.
#ifndef CT_PLAN_JSON_H
#define CT_PLAN_JSON_H

#include "plan/binding.h"

#include <jansson.h>

/* The text of a JSON value, for free(); NULL: out of memory, or `json` is NULL.  Like json_dumps(), but
 * reals have the fewest digits (15 to 17) that read back the same: 0.1, not 0.10000000000000001. */
char *ct_json_dump(const json_t *json, size_t flags);

/* Text from users, compilers, drivers and databases.  Bytes that are not UTF-8 become \x9b and
 * the like, since jansson rejects them. */
json_t *ct_json_text(const char *text);

/* JSON text from a database, unchanged except for bytes that are not UTF-8, in keys and values:
 * they are escaped as above.  Null if there is none. */
json_t *ct_json_stored(const char *text);

/* A time, or a ratio of two; null if it is none: 0, negative, NAN, infinities. */
json_t *ct_json_time(double ns);

/* A parameter's value; null for that of an inactive one. */
json_t *ct_json_value(const struct ct_value *value);

/* The value of a parameter that JSON represents; a text is borrowed from it.  False for null, lists
 * and objects. */
bool ct_json_read_value(const json_t *json, struct ct_value *out);

/* An object of a configuration's parameters; `values` has one per parameter. */
json_t *ct_json_values(const struct ct_spec *spec, const struct ct_value *values);

/* An object of the sizes and names that were fixed for the problem. */
json_t *ct_json_problem(const struct ct_binding *binding);

#endif
