// SPDX-License-Identifier: Apache-2.0
// The part of a space that a search measures.
#include "report/search_impl.h"

#include "report/format.h"

#include <jansson.h>

void ct_report_part(const struct ct_search *search, FILE *out)
{
    const struct ct_search_part *own = &search->part;
    char number[CT_FORMAT_SIZE];

    if (!own->part.of)
        return;
    fprintf(out, "  part       %llu of %llu: %s configuration%s",
            (unsigned long long)own->part.number + 1, (unsigned long long)own->part.of,
            ct_format_count(number, own->part.count), own->part.count == 1 ? "" : "s");
    if (own->known)
        fprintf(out, ", %.1f%% of the expected time, by %s results of --with",
                100 * own->share, ct_format_count(number, own->known));
    fputc('\n', out);
}

json_t *ct_report_part_json(const struct ct_search *search)
{
    const struct ct_search_part *own = &search->part;

    return own->part.of ? json_pack("{s:I, s:I, s:I, s:f, s:I}", "number",
                                    (json_int_t)own->part.number + 1, "of",
                                    (json_int_t)own->part.of, "configurations",
                                    (json_int_t)own->part.count, "share", own->share,
                                    "known_costs", (json_int_t)own->known)
                        : json_null();
}
