// SPDX-License-Identifier: Apache-2.0
// What did not work in a search, one example of each kind.
#include "cli/search.h"

#include "report/format.h"

#include <string.h>

/* ": LINE" with the compiler's first line that tells of an error. */
static void put_first_error(struct ct_str *text, const char *log)
{
    for (const char *line = log; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        const char *error = strstr(line, "error");

        if (error && error < line + length) {
            ct_str_puts(text, ": ");
            ct_str_add(text, line, length);
            return;
        }
        line += length;
    }
}

void ct_search_note_failure(struct ct_search *search, enum ct_result_status status,
                            const char *message, const char *build_log)
{
    struct ct_str text;

    if (status == CT_RESULT_OK || search->failures[status])
        return;
    if (search->first_failure == CT_RESULT_OK)
        search->first_failure = status;
    ct_str_init(&text);
    ct_binding_evaluate_values(search->binding, search->values, search->env);
    ct_binding_print(search->binding, search->values, search->env, &text);
    if (*message)
        ct_str_addf(&text, ": %s", message);
    if (status == CT_RESULT_BUILD_FAILED)
        put_first_error(&text, build_log);
    search->failures[status] = ct_str_detach(&text);
}

void ct_search_first_failure(const struct ct_search *search, struct ct_str *out)
{
    const char *text = search->failures[search->first_failure];

    if (text)
        ct_str_addf(out, "%s: %s", ct_result_status_name(search->first_failure), text);
}

void ct_search_print_failures(const struct ct_search *search)
{
    for (int i = 0; i < CT_RESULT_STATUS_COUNT; i++)
        if (i != CT_RESULT_SKIPPED && search->failures[i])
            printf("  %-12s  %s\n", ct_result_status_name((enum ct_result_status)i),
                   search->failures[i]);
}
