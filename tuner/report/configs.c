// SPDX-License-Identifier: Apache-2.0
// Configurations of a space, one after the other.
#include "report/configs.h"

#include "base/mem.h"
#include "plan/json.h"
#include "report/print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum ct_status ct_config_printer_init(struct ct_config_printer *printer,
                                      const struct ct_space *space, bool json,
                                      struct ct_err *err)
{
    const struct ct_binding *binding = ct_space_binding(space);

    *printer =
        (struct ct_config_printer){.space = space, .binding = binding, .json = json};
    printer->values = ct_mem_array(binding->spec->param_count, sizeof(*printer->values));
    printer->env = ct_mem_array(binding->spec->slots.count, sizeof(*printer->env));
    return printer->values && printer->env ? CT_OK : ct_err_nomem(err);
}

void ct_config_printer_release(struct ct_config_printer *printer)
{
    free(printer->values);
    free(printer->env);
}

/* Inactive parameters are left out, as in the text. */
static void print_json(const struct ct_config_printer *printer, const uint32_t *config)
{
    const struct ct_spec *spec = printer->binding->spec;
    json_t *names = json_object();
    json_t *object = json_object();
    char text[32];
    char *line;
    uint64_t index;

    for (size_t p = 0; p < spec->param_count; p++)
        if (ct_binding_active(printer->binding, p, printer->env))
            json_object_set_new(names, spec->slots.symbols[spec->params[p].slot].name,
                                ct_json_value(&printer->values[p]));
    if (ct_space_index(printer->space, config, &index)) {
        snprintf(text, sizeof(text), "%" PRIu64, index);
        json_object_set_new(object, "index",
                            index <= UINT64_C(1) << 53 ? json_integer((json_int_t)index)
                                                       : ct_json_text(text));
    }
    json_object_set_new(object, "configuration", names);
    ct_print_text(printer->printed ? ",\n  " : "[\n  ");
    line = ct_json_dump(object, JSON_COMPACT);
    if (line)
        ct_print_text(line);
    free(line);
    json_decref(object);
}

void ct_report_config(struct ct_config_printer *printer, const uint32_t *config)
{
    ct_binding_values(printer->binding, config, printer->values);
    ct_binding_evaluate(printer->binding, config, printer->env);
    if (printer->json) {
        print_json(printer, config);
    } else {
        struct ct_str line;

        ct_str_init(&line);
        ct_binding_print(printer->binding, printer->values, printer->env, &line);
        ct_print_line(line.data);
        ct_str_release(&line);
    }
    printer->printed++;
}

void ct_report_configs_end(const struct ct_config_printer *printer)
{
    if (printer->json)
        ct_print_line(printer->printed ? "\n]" : "[]");
}
