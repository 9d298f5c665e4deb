// SPDX-License-Identifier: Apache-2.0
// Quantities a search needs, and which of them this device does not report.
#include "tune/search_impl.h"

#include <string.h>

/* The first quantity of a set; CT_QUANTITY_COUNT if it is empty. */
static enum ct_quantity first_of(uint32_t set)
{
    int i = 0;

    while (i < CT_QUANTITY_COUNT && !(set >> i & 1))
        i++;
    return (enum ct_quantity)i;
}

enum ct_status ct_search_check_observed(struct ct_search *search, struct ct_err *err)
{
    const struct ct_evaluated *known = &search->defaults.result;
    const char *device = ct_devinfo_text(search->work.device, CT_DEVICE_NAME);
    enum ct_quantity missing;

    if (!search->defaults.known || known->status != CT_RESULT_OK)
        return CT_OK;
    missing = first_of(search->objective.needs & ~known->observed.known);
    if (missing < CT_QUANTITY_COUNT) {
        const char *name = ct_quantity_info_of(missing)->name;
        bool itself = strcmp(name, search->objective.name) == 0;

        return ct_err_set(
            err, CT_E_DEVICE,
            "the objective %s%s%s%s is not available on %s: %s; use --objective to "
            "choose another",
            search->objective.name, itself ? "" : " requires ", itself ? "" : name,
            itself ? "" : ", which", device, ct_quantity_info_of(missing)->missing);
    }
    if (known->stored)
        return CT_OK;
    for (size_t i = 0; i < search->work.spec->metric_count; i++) {
        missing =
            first_of(ct_spec_metric_uses(search->work.spec, i) & ~known->observed.known);
        if (missing < CT_QUANTITY_COUNT)
            ct_observer_warn(search->observer,
                             "the metric %s has no value: %s is not available on %s: %s",
                             search->work.spec->metrics[i].name,
                             ct_quantity_info_of(missing)->name, device,
                             ct_quantity_info_of(missing)->missing);
    }
    return CT_OK;
}
