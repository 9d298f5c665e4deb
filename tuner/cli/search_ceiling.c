// SPDX-License-Identifier: Apache-2.0
// The best of a search under the device's ceilings, which `cltune peak` has stored.
#include "cli/search.h"

#include "report/format.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* One ceiling, and what the best reaches of it; NaN: not known. */
struct under {
    double reached; /* in 10^9 a second */
    double most;
};

struct ceilings {
    struct under memory;     /* bytes */
    struct under arithmetic; /* floating-point operations */
};

double ct_search_metric(struct ct_search *search, const struct ct_evaluated *entry,
                        const char *name)
{
    const struct ct_spec *spec = search->spec;
    double value;

    ct_search_values(search, entry->index);
    for (size_t m = 0; m < spec->metric_count; m++)
        if (strcmp(spec->metrics[m].name, name) == 0 &&
            ct_binding_metric(search->binding, m, search->values, &entry->observed,
                              &value))
            return value;
    return NAN;
}

static void look_up(struct ct_search *search, struct ceilings *ceilings)
{
    struct ct_arena arena = {0};
    struct ct_db_ceiling *list;
    size_t count;

    /* A search that could not even begin its run has no device there. */
    if (search->run_begun &&
        !ct_db_ceilings(search->db, search->run.device_id, &arena, &list, &count, NULL))
        for (size_t i = 0; i < count; i++) {
            if (strcmp(list[i].name, "copy") == 0)
                ceilings->memory.most = list[i].value;
            else if (strcmp(list[i].name, "mad") == 0)
                ceilings->arithmetic.most = list[i].value;
        }
    ct_arena_release(&arena);
}

static struct ceilings find(struct ct_search *search, const struct ct_evaluated *best)
{
    struct ceilings ceilings = {{NAN, NAN}, {NAN, NAN}};

    if (!best || !(best->time_ns > 0))
        return ceilings;
    ceilings.memory.reached = ct_search_metric(search, best, "bytes") / best->time_ns;
    ceilings.arithmetic.reached =
        ct_search_metric(search, best, "operations") / best->time_ns;
    look_up(search, &ceilings);
    return ceilings;
}

static bool is_known(const struct under *under)
{
    return under->reached > 0 && under->most > 0;
}

static void put(struct ct_str *out, const struct under *under, const char *of,
                const char *unit)
{
    char reached[CT_FORMAT_SIZE];
    char most[CT_FORMAT_SIZE];

    if (is_known(under))
        ct_str_addf(out, "%s%.3g%% of %s (%s of %s %s)", out->length ? ", " : "",
                    100 * under->reached / under->most, of,
                    ct_format_real(reached, under->reached),
                    ct_format_real(most, under->most), unit);
}

void ct_search_print_ceiling(struct ct_search *search, const struct ct_evaluated *best)
{
    struct ceilings ceilings = find(search, best);
    struct ct_str text;

    if (!(ceilings.memory.reached > 0) && !(ceilings.arithmetic.reached > 0))
        return;
    ct_str_init(&text);
    put(&text, &ceilings.memory, "what copying moves", "GB/s");
    put(&text, &ceilings.arithmetic, "what multiply-adds do", "GFLOP/s");
    if (text.length)
        printf("ceiling   %s\n", text.data);
    else
        puts("ceiling   not known: 'cltune peak' measures what this device can do");
    ct_str_release(&text);
}

/* {"reached":, "most":, "share":}, or null. */
static json_t *under_json(const struct under *under)
{
    return is_known(under)
               ? json_pack("{s:f, s:f, s:f}", "reached", under->reached, "most",
                           under->most, "share", under->reached / under->most)
               : json_null();
}

json_t *ct_search_ceiling_json(struct ct_search *search, const struct ct_evaluated *best)
{
    struct ceilings ceilings = find(search, best);

    if (!is_known(&ceilings.memory) && !is_known(&ceilings.arithmetic))
        return json_null();
    return json_pack("{s:o, s:o}", "gbytes", under_json(&ceilings.memory), "gflops",
                     under_json(&ceilings.arithmetic));
}

double ct_search_share_of_copy(struct ct_search *search, const struct ct_evaluated *entry)
{
    struct ceilings ceilings = find(search, entry);

    return is_known(&ceilings.memory) ? ceilings.memory.reached / ceilings.memory.most
                                      : NAN;
}
