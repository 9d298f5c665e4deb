// SPDX-License-Identifier: Apache-2.0
// Shows what each of several devices of one kind has measured.
#include "report/siblings.h"

#include <inttypes.h>

void ct_report_siblings_intent(const struct ct_search *search, FILE *out)
{
    const struct ct_devinfo *device = search->work.device;

    if (!search->siblings.count)
        return;
    fprintf(out, "  devices    %u:%u", device->platform_index, device->device_index);
    for (size_t i = 0; i < search->siblings.count; i++) {
        device = search->siblings.items[i].device;
        fprintf(out, ", %u:%u", device->platform_index, device->device_index);
    }
    fputs(" share this search\n", out);
}

void ct_report_siblings(const struct ct_search *search, FILE *out)
{
    const struct ct_devinfo *device = search->work.device;

    if (!search->siblings.count)
        return;
    fprintf(out, "devices   %u:%u measured %" PRIu64, device->platform_index,
            device->device_index, search->siblings.first_measured);
    for (size_t i = 0; i < search->siblings.count; i++) {
        const struct ct_sibling *sibling = &search->siblings.items[i];
        const char *why = ct_sibling_state_name(sibling);

        fprintf(out, ", %u:%u measured %" PRIu64, sibling->device->platform_index,
                sibling->device->device_index, sibling->measured);
        if (why)
            fprintf(out, " (left out: %s)", why);
    }
    fputc('\n', out);
}

static json_t *device_json(const struct ct_devinfo *device, uint64_t measured,
                           double before, double after, const char *why)
{
    return json_pack("{s:o, s:I, s:o, s:o, s:o}", "index",
                     json_sprintf("%u:%u", device->platform_index, device->device_index),
                     "measured", (json_int_t)measured, "before",
                     before > 0 ? json_real(before) : json_null(), "after",
                     after > 0 ? json_real(after) : json_null(), "left_out",
                     why ? json_string(why) : json_null());
}

json_t *ct_report_siblings_json(const struct ct_search *search)
{
    json_t *all = json_array();
    uint64_t first = search->siblings.count ? search->siblings.first_measured
                                            : search->jobs.stats.measured;

    json_array_append_new(all, device_json(search->work.device, first, 1, 1, NULL));
    for (size_t i = 0; i < search->siblings.count; i++) {
        const struct ct_sibling *sibling = &search->siblings.items[i];

        json_array_append_new(all, device_json(sibling->device, sibling->measured,
                                               sibling->before, sibling->after,
                                               ct_sibling_state_name(sibling)));
    }
    return all;
}
