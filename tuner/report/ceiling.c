// SPDX-License-Identifier: Apache-2.0
// Shows a search's best relative to the device's ceilings.
#include "report/search_impl.h"

#include "report/format.h"
#include "report/print.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static void put_share(struct ct_str *out, const struct ct_share *share, const char *of,
                      const char *unit)
{
    char reached[CT_FORMAT_SIZE];
    char most[CT_FORMAT_SIZE];

    if (ct_share_is_known(share))
        ct_str_addf(out, "%s%.3g%% of %s (%s of %s %s)", out->length ? ", " : "",
                    100 * share->reached / share->most, of,
                    ct_format_real(reached, share->reached),
                    ct_format_real(most, share->most), unit);
}

void ct_report_ceiling(const struct ct_search *search, const struct ct_evaluated *best,
                       FILE *out)
{
    struct ct_ceilings ceilings = ct_search_ceilings(search, best);
    struct ct_str text;

    if (!(ceilings.memory.reached > 0) && !(ceilings.arithmetic.reached > 0))
        return;
    ct_str_init(&text);
    put_share(&text, &ceilings.memory, "the copy bandwidth", "GB/s");
    put_share(&text, &ceilings.arithmetic, "the multiply-add rate", "GFLOP/s");
    if (text.length)
        fprintf(out, "ceiling   %s\n", text.data);
    else
        ct_print_line(
            "ceiling   unknown; run 'cltune peak' to measure this device's peak rates");
    ct_str_release(&text);
}

/* {"reached":, "most":, "share":}, or null. */
static json_t *share_json(const struct ct_share *share)
{
    return ct_share_is_known(share)
               ? json_pack("{s:f, s:f, s:f}", "reached", share->reached, "most",
                           share->most, "share", share->reached / share->most)
               : json_null();
}

json_t *ct_report_ceiling_json(const struct ct_search *search,
                               const struct ct_evaluated *best)
{
    struct ct_ceilings ceilings = ct_search_ceilings(search, best);

    if (!ct_share_is_known(&ceilings.memory) && !ct_share_is_known(&ceilings.arithmetic))
        return json_null();
    return json_pack("{s:o, s:o}", "gbytes", share_json(&ceilings.memory), "gflops",
                     share_json(&ceilings.arithmetic));
}

double ct_report_share_of_copy(const struct ct_search *search,
                               const struct ct_evaluated *entry)
{
    struct ct_ceilings ceilings = ct_search_ceilings(search, entry);

    return ct_share_is_known(&ceilings.memory)
               ? ceilings.memory.reached / ceilings.memory.most
               : NAN;
}
