// SPDX-License-Identifier: Apache-2.0
// The table of what can be observed.
#include "base/quantity.h"

#include <math.h>
#include <string.h>

static const struct ct_quantity_info infos[CT_QUANTITY_COUNT] = {
    [CT_QUANTITY_TIME_NS] = {"time_ns", "ns", "device time of the pipeline"},
    [CT_QUANTITY_END_TO_END_NS] = {"end_to_end_ns", "ns", "time with transfers"},
    [CT_QUANTITY_HOST_LOAD] = {"host_load", "",
                               "host processors that a launch keeps busy"},
    [CT_QUANTITY_OTHERS_LOAD] =
        {"others_load", "", "processors that other programs kept busy during timing"},
    [CT_QUANTITY_POWER_W] = {"power_w", "W", "mean power"},
    [CT_QUANTITY_ENERGY_J] = {"energy_j", "J", "energy of one pipeline"},
    [CT_QUANTITY_CORE_CLOCK_MHZ] = {"core_clock_mhz", "MHz", "clock of the cores"},
    [CT_QUANTITY_MEMORY_CLOCK_MHZ] = {"memory_clock_mhz", "MHz", "clock of the memory"},
    [CT_QUANTITY_TEMPERATURE_C] = {"temperature_c", "C", "temperature of the device"},
    [CT_QUANTITY_THROTTLED] = {"throttled", "",
                               "whether the device slowed itself down: 0 or 1"},
    [CT_QUANTITY_EXECUTION_CYCLES] = {"execution_cycles", "", "busy cycles of a launch"},
    [CT_QUANTITY_IDLE_CYCLES] = {"idle_cycles", "", "idle cycles of a launch"},
    [CT_QUANTITY_INSTRUCTIONS] = {"instructions", "", "instructions of a launch"},
    [CT_QUANTITY_INSTRUCTION_MISSES] = {"instruction_misses", "",
                                        "instruction cache misses of a launch"},
    [CT_QUANTITY_L2_MISSES] = {"l2_misses", "", "L2 cache misses of a launch"},
};

const struct ct_quantity_info *ct_quantity_info_of(enum ct_quantity quantity)
{
    return &infos[quantity];
}

bool ct_quantity_find(const char *name, enum ct_quantity *out)
{
    for (int i = 0; i < CT_QUANTITY_COUNT; i++)
        if (!strcmp(infos[i].name, name)) {
            *out = (enum ct_quantity)i;
            return true;
        }
    return false;
}

void ct_quantities_set(struct ct_quantities *quantities, enum ct_quantity quantity,
                       double value)
{
    quantities->value[quantity] = isfinite(value) ? value : 0;
    if (isfinite(value))
        quantities->known |= 1u << quantity;
    else
        quantities->known &= ~(1u << quantity);
}

double ct_quantities_get(const struct ct_quantities *quantities,
                         enum ct_quantity quantity)
{
    return quantities->known >> quantity & 1 ? quantities->value[quantity] : NAN;
}
