// SPDX-License-Identifier: Apache-2.0
// Values of options: numbers with their units.
#include "cli/option_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ct_option_number(const char *text, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !errno && !*end;
}

bool ct_option_duration(const char *text, double *out)
{
    char *end;
    double value;

    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    value = strtod(text, &end);
    if (strcmp(end, "ms") == 0)
        value /= 1000;
    else if (strcmp(end, "m") == 0)
        value *= 60;
    else if (strcmp(end, "h") == 0)
        value *= 3600;
    else if (strcmp(end, "d") == 0)
        value *= 86400;
    else if (*end && strcmp(end, "s") != 0)
        return false;
    *out = value;
    return isfinite(value) && value > 0;
}

bool ct_option_size(const char *text, uint64_t *out)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = {{"", 0},     {"B", 0},  {"K", 10},   {"KiB", 10}, {"M", 20},
                 {"MiB", 20}, {"G", 30}, {"GiB", 30}, {"T", 40},   {"TiB", 40}};
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno || !*out)
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].unit) == 0 && *out <= UINT64_MAX >> units[i].shift) {
            *out <<= units[i].shift;
            return true;
        }
    return false;
}

bool ct_option_shard(const char *text, struct ct_shard *out)
{
    const char *slash = strchr(text, '/');
    char first[24];

    if (!slash || (size_t)(slash - text) >= sizeof(first))
        return false;
    memcpy(first, text, (size_t)(slash - text));
    first[slash - text] = '\0';
    return ct_option_number(first, &out->number) &&
           ct_option_number(slash + 1, &out->of) && out->number >= 1 &&
           out->number <= out->of;
}

/* A variable's number; false: there is none. */
static bool get_number(const char *name, uint64_t *out)
{
    const char *text = getenv(name);

    return text && ct_option_number(text, out);
}

enum ct_status ct_option_task(const char *option, struct ct_shard *out,
                              struct ct_err *err)
{
    uint64_t id;
    uint64_t first = 1;
    uint64_t step = 1;

    if (!get_number("SLURM_ARRAY_TASK_ID", &id) ||
        !get_number("SLURM_ARRAY_TASK_COUNT", &out->of))
        return ct_err_set(err, CT_E_USAGE,
                          "--%s auto requires SLURM_ARRAY_TASK_ID and "
                          "SLURM_ARRAY_TASK_COUNT, which Slurm sets in job arrays: use "
                          "--%s I/N",
                          option, option);
    get_number("SLURM_ARRAY_TASK_MIN", &first);
    get_number("SLURM_ARRAY_TASK_STEP", &step);
    if (id < first || !step || (id - first) % step || (id - first) / step >= out->of)
        return ct_err_set(err, CT_E_USAGE,
                          "--%s auto requires task numbers at even distances, such as "
                          "--array=1-4: use --%s I/N",
                          option, option);
    out->number = (id - first) / step + 1;
    return CT_OK;
}
