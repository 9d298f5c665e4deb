// SPDX-License-Identifier: Apache-2.0
// Asks events for their times.
#include "layer/times.h"

#include <string.h>
#include <time.h>

enum {
    PENDING_MOST = 1 << 16,
    WAITING_MOST = 64,
    HARVEST_EVERY = 256,
    PATIENCE_MS = 1000
};

struct pending {
    cl_event event;
    void *of;
    bool replaced;
};

static struct pending pending[PENDING_MOST];
static size_t pending_count;
static bool busy; /* a thread takes some out: all others only append */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ct_times_taker *take;

void ct_times_begin(ct_times_taker *taker)
{
    take = taker;
}

/* Whether the launch is done with; what it took is passed on. */
static bool settle(const struct pending *one)
{
    cl_int status = CL_QUEUED;
    uint64_t time_ns;

    if (!ct_real.clGetEventInfo(one->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                sizeof(status), &status, NULL) &&
        status > CL_COMPLETE)
        return false;
    time_ns = status == CL_COMPLETE ? ct_layer_event_ns(one->event) : 0;
    if (time_ns)
        take(one->of, one->replaced, time_ns);
    ct_real.clReleaseEvent(one->event);
    return true;
}

/* Takes those out that are done; whether another thread was busy instead.  The lock is not held while the driver is asked, as it may call the
 * program back. */
static bool take_out(void)
{
    size_t kept = 0;
    size_t count;
    size_t i;
    bool other;

    pthread_mutex_lock(&lock);
    other = busy;
    busy = true;
    count = other ? 0 : pending_count;
    pthread_mutex_unlock(&lock);
    if (other)
        return true;
    /* Launches end in about the order of their start. */
    for (i = 0; i < count && kept < WAITING_MOST; i++)
        if (!settle(&pending[i]))
            pending[kept++] = pending[i];
    pthread_mutex_lock(&lock);
    memmove(&pending[kept], &pending[i], (pending_count - i) * sizeof(*pending));
    pending_count = kept + pending_count - i;
    busy = false;
    pthread_mutex_unlock(&lock);
    return false;
}

void ct_times_harvest(void)
{
    take_out();
}

void ct_times_harvest_last(void)
{
    const struct timespec pause = {0, 1000000};

    for (int i = 0; i < PATIENCE_MS && take_out(); i++)
        nanosleep(&pause, NULL);
}

void ct_times_await(cl_event event, void *of, bool replaced)
{
    bool many;

    pthread_mutex_lock(&lock);
    many = pending_count && pending_count % HARVEST_EVERY == 0;
    pthread_mutex_unlock(&lock);
    if (many)
        take_out();
    pthread_mutex_lock(&lock);
    if (pending_count < PENDING_MOST) {
        pending[pending_count++] = (struct pending){event, of, replaced};
        event = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (event)
        ct_real.clReleaseEvent(event);
}
