// SPDX-License-Identifier: Apache-2.0
// Warns of doubtful times.
#include "plan/json.h"
#include "report/doubts.h"

#include "report/warn.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

struct ct_timed ct_timing_timed(const struct ct_timing *timing,
                                const struct ct_quantities *observed,
                                const struct ct_devinfo *device, const char *what,
                                bool again)
{
    bool shares = timing->wall_clock || strcmp(device->type, "CPU") == 0;

    return (struct ct_timed){
        .what = what,
        .oddities = again || !timing->oddities.count ? NULL : &timing->oddities,
        .sample_ns = timing->sample_ns,
        .timer_ns = timing->timer_ns,
        .wall_clock = timing->wall_clock,
        .others_load =
            shares ? ct_quantities_get(observed, CT_QUANTITY_OTHERS_LOAD) : NAN,
    };
}

/* Calls `tell` with each line. */
static void each(const struct ct_timed *timed, void (*tell)(const char *line, void *user),
                 void *user)
{
    uint32_t found = ct_warnings_find(timed);
    size_t count = 0;

    for (int w = 0; w < CT_WARNING_COUNT && count < CT_DOUBTS_SHOWN; w++) {
        struct ct_str line;

        if (!(found >> w & 1))
            continue;
        ct_str_init(&line);
        ct_warnings_put(&line, (enum ct_warning)w, timed);
        tell(line.data, user);
        ct_str_release(&line);
        count++;
    }
}

static void warn(const char *line, void *user)
{
    (void)user;
    ct_report_warn("%s", line);
}

void ct_doubts_warn(const struct ct_timed *timed)
{
    each(timed, warn, NULL);
}

static void append(const char *line, void *user)
{
    json_array_append_new(user, ct_json_text(line));
}

void ct_doubts_json(const struct ct_timed *timed, struct json_t *array)
{
    each(timed, append, array);
}
