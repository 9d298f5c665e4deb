// SPDX-License-Identifier: Apache-2.0
// What the failures of a search have in common.
#include "tune/search.h"

#include "base/mem.h"
#include "tune/conjunction.h"

#include <stdlib.h>
#include <string.h>

/* Copies the values of the configurations with a status, row by row; NULL: out of memory. */
static struct ct_value *values_with(const struct ct_search *search,
                                    enum ct_result_status status, size_t *count)
{
    size_t width = search->work.spec->param_count;
    const struct ct_results *results = &search->results;
    struct ct_value *rows = ct_mem_array(results->done_count * width, sizeof(*rows));

    *count = 0;
    for (size_t i = 0; i < results->done_count && rows; i++) {
        if (results->done[i].status != status)
            continue;
        ct_workload_values(&search->work, results->done[i].index);
        memcpy(rows + *count * width, search->work.values, width * sizeof(*rows));
        ++*count;
    }
    return rows;
}

bool ct_search_explain_failures(const struct ct_search *search,
                                enum ct_result_status status, size_t *count,
                                struct ct_str *out)
{
    const struct ct_spec *spec = search->work.spec;
    struct ct_conjunction_input input = {.width = spec->param_count};
    struct ct_value *failed = values_with(search, status, &input.failed_count);
    struct ct_value *worked = values_with(search, CT_RESULT_OK, &input.worked_count);
    const char **names = ct_mem_array(spec->param_count, sizeof(*names));
    bool explained = false;

    *count = input.failed_count;
    /* Whether a search was interrupted or skipped something says nothing of configurations. */
    if (failed && worked && names && status != CT_RESULT_OK &&
        status != CT_RESULT_INTERRUPTED && status != CT_RESULT_SKIPPED) {
        for (size_t p = 0; p < spec->param_count; p++)
            names[p] = spec->slots.symbols[spec->params[p].slot].name;
        input.names = names;
        input.failed = failed;
        input.worked = worked;
        explained = ct_conjunction_put(&input, out);
    }
    free(failed);
    free(worked);
    free(names);
    return explained;
}
