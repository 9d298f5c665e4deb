// SPDX-License-Identifier: Apache-2.0
// Configurations of a space, one after the other, on standard output.
#ifndef CT_REPORT_CONFIGS_H
#define CT_REPORT_CONFIGS_H

#include "space/space.h"

#include <stdbool.h>

struct ct_config_printer {
    const struct ct_space *space;
    const struct ct_binding *binding;
    bool json;               /* as elements of an array, else one per line */
    struct ct_value *values; /* space for one configuration */
    struct ct_value *env;
    uint64_t printed;
};

/* The space is borrowed.  Must always be released.  CT_E_NOMEM. */
enum ct_status ct_config_printer_init(struct ct_config_printer *printer,
                                      const struct ct_space *space, bool json,
                                      struct ct_err *err);
void ct_config_printer_release(struct ct_config_printer *printer);

/* Prints one, without inactive parameters; `config`: indices of the parameters' values. */
void ct_report_config(struct ct_config_printer *printer, const uint32_t *config);

/* After the last one. */
void ct_report_configs_end(const struct ct_config_printer *printer);

#endif
