// SPDX-License-Identifier: Apache-2.0
// Computes the options of an answer for another problem.
#include "report/asked_flags.h"

#include "base/mem.h"
#include "plan/problem_macros.h"

#include <stdlib.h>

/* Appends values; those that are there already come first and count. */
static size_t add_names(struct ct_problem_macros_name *names, size_t at,
                        const cltunedb_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++, at++) {
        names[at].name = values[i].name;
        names[at].value = values[i].kind == CLTUNEDB_INT    ? ct_value_int(values[i].i)
                          : values[i].kind == CLTUNEDB_REAL ? ct_value_real(values[i].r)
                                                            : ct_value_text(values[i].s);
    }
    return at;
}

bool ct_asked_flags_put(const cltunedb_answer *answer, const cltunedb_query *query,
                        struct ct_str *out, struct ct_str *unknown)
{
    size_t most =
        answer->configuration_count + query->problem_count + answer->problem_count;
    struct ct_problem_macros_name *names;
    size_t count;
    bool known;

    if (!(answer->problem_distance > 0)) {
        ct_str_puts(out, answer->flags);
        return true;
    }
    names = ct_mem_array(most, sizeof(*names));
    if (!names) {
        out->failed = true;
        return true;
    }
    count = add_names(names, 0, answer->configuration, answer->configuration_count);
    count = add_names(names, count, query->problem, query->problem_count);
    count = add_names(names, count, answer->problem, answer->problem_count);
    known = ct_problem_macros_apply(answer->flags, answer->problem_macros_json, names,
                                    count, answer->configuration_count, out, unknown);
    free(names);
    return known;
}
