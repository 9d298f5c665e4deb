// SPDX-License-Identifier: Apache-2.0
// Options common to all sessions.
#include "tune/options.h"

#include "plan/identity.h"
#include "tune/observer.h"

#include <string.h>

enum { LAUNCH_S = 10 }; /* default limit of a launch */
static const uint64_t slow_after_ns =
    2000000000; /* the user's own code is reported as running after this */

struct ct_deadlines ct_tune_deadlines(double launch_s, double build_s)
{
    struct ct_deadlines deadlines =
        ct_deadlines_default(launch_s > 0 ? launch_s : LAUNCH_S);

    if (build_s > 0)
        /* The same limits and rounding as for launches. */
        deadlines.ns[CT_PHASE_BUILD] = ct_deadlines_default(build_s).ns[CT_PHASE_FIRST];
    return deadlines;
}

static void observe_slow(void *user, const char *who, double limit_s)
{
    const struct ct_observer *observer = user;

    ct_observer_event(
        observer,
        &(struct ct_event){.kind = CT_EVENT_SLOW, .text = who, .seconds = limit_s});
}

struct ct_scheduler_options
ct_tune_scheduler_options(const struct ct_tune_options *options,
                          const struct ct_observer *observer, uint32_t samples,
                          uint64_t expected)
{
    struct ct_scheduler_options scheduler = {
        .jobs = options->jobs,
        .pool = options->pool,
        .deadlines = options->deadlines,
        .seed = CT_INPUT_SEED,
        .no_cache = options->no_cache,
        .no_duplicates = options->no_duplicates,
        .no_race = options->no_race,
        .samples = samples,
        .expected = expected,
        .slow = observe_slow,
        .slow_after_ns = slow_after_ns,
    };

    /* The scheduler passes the pointer back and does not write through it. */
    memcpy(&scheduler.slow_user, &observer, sizeof(observer));
    return scheduler;
}
