// SPDX-License-Identifier: Apache-2.0
// Measures the steps of clocks.
#include "worker/timing/timer.h"

#include "base/clock.h"

enum {
    EVENTS = 32,   /* commands in a row */
    READINGS = 64, /* of the wall clock */
    ENOUGH = 4,    /* distinct times determine a step */
    LEAST_BYTES = 16,
    MOST_BYTES = 65536,
    PATIENCE_NS = 100000000,
};

/* Enqueues some commands and records when they began and ended; `*count`: number of times. */
static enum ct_status series(struct ct_device *device, struct ct_buffer *buffer,
                             uint64_t *times_ns, size_t *count, struct ct_err *err)
{
    struct ct_event events[EVENTS] = {{NULL}};
    enum ct_status status = CT_OK;
    enum ct_status finished;

    *count = 0;
    for (size_t i = 0; !status && i < EVENTS; i++)
        status = ct_buffer_zero(buffer, &events[i], err);
    finished = ct_device_finish(device, status ? NULL : err);
    for (size_t i = 0; i < EVENTS; i++) {
        if (ct_event_times(device, events[i], &times_ns[*count], &times_ns[*count + 1]))
            *count += 2;
        ct_event_free(device, &events[i]);
    }
    return status ? status : finished;
}

static enum ct_status events(struct ct_device *device, size_t size_bytes, bool *done,
                             struct ct_timer *timer, struct ct_err *err)
{
    uint64_t times_ns[2 * EVENTS];
    struct ct_buffer *buffer = NULL;
    size_t distinct = 0;
    size_t count = 0;
    uint64_t step_ns;
    enum ct_status status =
        ct_buffer_new(device, size_bytes, CT_HOME_DEVICE, &buffer, err);

    if (!status)
        status = series(device, buffer, times_ns, &count, err);
    ct_buffer_free(buffer);
    if (status)
        return status;
    step_ns = ct_clock_step_ns(times_ns, count, &distinct);
    if (step_ns && (!(timer->event_ns > 0) || (double)step_ns < timer->event_ns))
        timer->event_ns = (double)step_ns;
    *done = !count || distinct >= ENOUGH;
    return CT_OK;
}

static void wall(struct ct_timer *timer)
{
    uint64_t times_ns[READINGS];
    size_t distinct;

    for (size_t i = 0; i < READINGS; i++) {
        uint64_t before_ns = ct_clock_now_ns();

        do
            times_ns[i] = ct_clock_now_ns();
        while (times_ns[i] == before_ns);
    }
    timer->wall_ns = (double)ct_clock_step_ns(times_ns, READINGS, &distinct);
}

enum ct_status ct_timer_measure(struct ct_device *device, struct ct_timer *timer,
                                struct ct_err *err)
{
    uint64_t begin_ns = ct_clock_now_ns();
    size_t size_bytes = LEAST_BYTES;
    uint64_t passed_ns = 0;
    bool done = false;
    struct ct_err own = CT_ERR_INIT;
    enum ct_status status = CT_OK;

    *timer = (struct ct_timer){.known = true};
    wall(timer);
    while (!status && !done && (size_bytes < MOST_BYTES || passed_ns < PATIENCE_NS)) {
        status = events(device, size_bytes, &done, timer, &own);
        passed_ns = ct_clock_now_ns() - begin_ns;
        size_bytes = size_bytes < MOST_BYTES ? 4 * size_bytes : size_bytes;
    }
    if (!status && !done && !(timer->event_ns > 0))
        timer->event_ns = (double)passed_ns;
    if (status == CT_E_DEVICE && ct_device_failure_of(device) != CT_DEVICE_BROKEN)
        return CT_OK;
    if (status && err)
        *err = own;
    return status;
}
