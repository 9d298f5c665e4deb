// SPDX-License-Identifier: Apache-2.0
// Hashes the meaning of a specification.
#include "plan/identity.h"

#include "base/wire.h"

#include <string.h>

/* Whether a section affects what a configuration means or when it is right. */
static bool matters(const char *section)
{
    static const char *const others[] = {"[problem", "[constraint", "[default",
                                         "[metric",  "[measure",    "[baseline"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (ct_str_starts(section, others[i]))
            return false;
    return true;
}

/* The relevant lines of a printed specification: of parameters only the names, of the kernel all
 * but its name. */
static void put_meaning(struct ct_str *form, const char *text)
{
    bool wanted = false;
    bool names = false;
    bool kernel = false;

    while (*text) {
        size_t length = strcspn(text, "\n");

        if (*text == '[') {
            wanted = matters(text);
            names = ct_str_starts(text, "[param]");
            kernel = ct_str_starts(text, "[kernel]") || ct_str_starts(text, "[program]");
        }
        if (wanted && length && !(kernel && ct_str_starts(text, "name"))) {
            ct_str_add(form, text, names ? strcspn(text, "=\n") : length);
            ct_str_putc(form, '\n');
        }
        text += length + (text[length] == '\n');
    }
}

static void put_files(struct ct_str *form, const struct ct_plan *plan)
{
    for (size_t i = 0; plan->command && i < plan->command->file_count; i++)
        if (plan->command->files[i].path)
            ct_wire_put_text(form, plan->command->files[i].hash.text);
    for (size_t i = 0; i < plan->program_count; i++)
        ct_wire_put_text(form, plan->programs[i].source_hash.text);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        ct_wire_put_text(form, plan->buffers[i].fill.path_hash.text);
        ct_wire_put_text(form, plan->buffers[i].expect.path_hash.text);
    }
    if (plan->reference.function)
        ct_wire_put_text(form, plan->reference.c_hash.text);
    if (plan->reference_plan)
        put_files(form, plan->reference_plan);
}

struct ct_hash ct_spec_version(const struct ct_spec *spec, const struct ct_plan *plan)
{
    struct ct_hash hash = {{0}};
    struct ct_str printed;
    struct ct_str form;

    ct_str_init(&printed);
    ct_str_init(&form);
    ct_str_puts(&form, "cltune kernel version 2\n");
    ct_spec_print(spec, &printed);
    put_meaning(&form, printed.data);
    put_files(&form, plan);
    /* From the plan, not the file: the command line may override it. */
    if (plan->cold)
        ct_str_puts(&form, "cold caches\n");
    if (!form.failed && !printed.failed)
        hash = ct_hash_bytes(form.data, form.length);
    ct_str_release(&printed);
    ct_str_release(&form);
    return hash;
}

struct ct_hash ct_experiment_hash(const struct ct_plan *plan,
                                  const struct ct_devinfo *device)
{
    struct ct_hash hash = ct_plan_hash(plan);
    struct ct_hash result;
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "%s\n%s\n%s\n%s\n%s\n%llu\n", hash.text, device->platform_name,
                device->driver_version, ct_devinfo_text(device, CT_DEVICE_NAME),
                ct_devinfo_text(device, CT_DEVICE_VERSION),
                (unsigned long long)CT_INPUT_SEED);
    result = ct_hash_bytes(text.data, text.length);
    ct_str_release(&text);
    return result;
}
