// SPDX-License-Identifier: Apache-2.0
// What a search needs to know of a configuration, and what this device does not tell.
#include "tune/search_impl.h"

#include <string.h>

/* Why a quantity may be unknown. */
static const char *why_unknown(enum ct_quantity quantity)
{
    switch (quantity) {
    case CT_QUANTITY_HOST_LOAD:
    case CT_QUANTITY_OTHERS_LOAD:
        return "the system does not report processor load, or launches are too short "
               "to measure it";
    case CT_QUANTITY_POWER_W:
    case CT_QUANTITY_ENERGY_J:
    case CT_QUANTITY_CORE_CLOCK_MHZ:
    case CT_QUANTITY_MEMORY_CLOCK_MHZ:
    case CT_QUANTITY_TEMPERATURE_C:
    case CT_QUANTITY_THROTTLED:
        return "it requires NVIDIA's management library (libnvidia-ml.so.1), which is "
               "not installed or does not support the device";
    case CT_QUANTITY_EXECUTION_CYCLES:
    case CT_QUANTITY_IDLE_CYCLES:
    case CT_QUANTITY_INSTRUCTIONS:
    case CT_QUANTITY_INSTRUCTION_MISSES:
    case CT_QUANTITY_L2_MISSES:
        return "the driver has no such counter (cl_vc4cl_performance_counters), or "
               "reading it requires more privileges";
    default:
        return "it was not measured";
    }
}

/* The first quantity of a set; CT_QUANTITY_COUNT: it is empty. */
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
            itself ? "" : ", which", device, why_unknown(missing));
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
                             why_unknown(missing));
    }
    return CT_OK;
}
