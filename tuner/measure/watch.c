// SPDX-License-Identifier: Apache-2.0
// A stand-in that observes nothing.
#include "measure/watch.h"

#include <math.h>
#include <stddef.h>

struct ct_watch *ct_watch_new(struct ct_device *device)
{
    (void)device;
    return NULL;
}

void ct_watch_free(struct ct_watch *watch)
{
    (void)watch;
}

void ct_watch_begin(struct ct_watch *watch)
{
    (void)watch;
}

void ct_watch_end(struct ct_watch *watch, uint64_t pipelines, struct ct_quantities *out)
{
    (void)watch;
    (void)pipelines;
    (void)out;
}

void ct_watch_reset(struct ct_watch *watch)
{
    (void)watch;
}

double ct_watch_others(const struct ct_watch *watch)
{
    (void)watch;
    return NAN;
}

void ct_watch_event(struct ct_watch *watch, struct ct_event event,
                    struct ct_quantities *out)
{
    (void)watch;
    (void)event;
    (void)out;
}
