// SPDX-License-Identifier: Apache-2.0
// Sums up times.
#include "layer/saved.h"

#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct ct_saved *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct ct_saved *ct_saved_new(const struct ct_layer_launch *launch,
                              const char *configuration)
{
    struct ct_saved *saved = ct_mem_array(1, sizeof(*saved));
    struct ct_saved *same;
    struct ct_str text;

    if (!saved)
        return NULL;
    ct_str_init(&text);
    ct_str_addf(&text, "%s", launch->record->name);
    for (cl_uint i = 0; i < launch->dimensions; i++)
        ct_str_addf(&text, "%c%zu", i ? 'x' : ' ', launch->global[i]);
    ct_str_addf(&text, " with %s", configuration);
    saved->text = ct_str_detach(&text);
    if (!saved->text) {
        free(saved);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    for (same = all; same && strcmp(same->text, saved->text) != 0; same = same->next)
        ;
    if (!same) {
        saved->next = all;
        all = saved;
    }
    pthread_mutex_unlock(&lock);
    if (!same)
        return saved;
    /* The program has built it again. */
    free(saved->text);
    free(saved);
    return same;
}

void ct_saved_add_time(void *of, bool replaced, uint64_t time_ns)
{
    struct ct_saved *saved = of;

    saved->timed[replaced]++;
    saved->time_ns[replaced] += time_ns;
}

static double mean_ms(const struct ct_saved *saved, int which)
{
    return saved->timed[which]
               ? (double)saved->time_ns[which] / (double)saved->timed[which] / 1e6
               : 0;
}

void ct_saved_report(void)
{
    double total_ms = 0;

    for (const struct ct_saved *saved = all; saved; saved = saved->next) {
        double own_ms = mean_ms(saved, 0);
        double new_ms = mean_ms(saved, 1);
        double saved_ms = saved->timed[0] && saved->timed[1]
                              ? (own_ms - new_ms) * (double)saved->launches[1]
                              : 0;

        /* All were verified, or it was given up at once. */
        if (!saved->launches[0] && !saved->launches[1])
            continue;
        total_ms += saved_ms;
        ct_layer_say("%s: %" PRIu64 " of %" PRIu64
                     " launches replaced, %.4f ms instead of %.4f ms each, saved %.2f ms",
                     saved->text, saved->launches[1],
                     saved->launches[0] + saved->launches[1], new_ms, own_ms, saved_ms);
    }
    if (all)
        ct_layer_say("time saved: %.2f ms of device time", total_ms);
    else
        ct_layer_say("no launch was replaced: nothing is stored for this program here");
}
