// SPDX-License-Identifier: Apache-2.0
// Work divided between devices: what each runs, how long that takes at which size, the shares.
#include "tune/split_impl.h"

#include "base/str.h"
#include "tune/place.h"
#include "tune/workload.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROUNDS_MOST = 6 };

/* A share that is nearer than this to a measured size need not be measured. */
static const double near_enough = 0.03;

enum ct_status ct_split_init(struct ct_split *split,
                             const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_split_task *task,
                             const struct ct_devinfo *const *devices, struct ct_err *err)
{
    while (devices[split->count])
        split->count++;
    split->options = options;
    split->observer = observer;
    split->task = *task;
    split->devices = ct_arena_array(&split->arena, split->count, sizeof(*split->devices));
    split->alone.sizes = ct_arena_array(&split->arena, split->count, sizeof(int64_t));
    split->transfers.sizes = ct_arena_array(&split->arena, split->count, sizeof(int64_t));
    if (!split->devices || !split->alone.sizes || !split->transfers.sizes) {
        split->count = 0;
        return ct_err_nomem(err);
    }
    memset(split->devices, 0, split->count * sizeof(*split->devices));
    for (size_t i = 0; i < split->count; i++)
        split->devices[i].device = devices[i];
    return ct_split_choose_size(&split->task, devices[0], err);
}

void ct_split_release(struct ct_split *split)
{
    for (size_t i = 0; i < split->count; i++)
        if (split->devices[i].runner)
            ct_runner_free(split->devices[i].runner);
    ct_arena_release(&split->arena);
}

/* --- measuring --- */

/* Measures a device's best at a size, on both curves.  A failure of the configuration is warned of, and
 * the size then has no point: it may be more than the device's memory holds. */
static enum ct_status evaluate(struct ct_split *split, struct ct_split_device *one,
                               const struct ct_plan *plan, int64_t size,
                               struct ct_err *err)
{
    const struct ct_scheduler_options common =
        ct_tune_scheduler_options(split->options, split->observer, 0, 1);
    const struct ct_measure_options options = {
        .deadlines = common.deadlines,
        .race = {.samples = split->options->samples
                                ? split->options->samples
                                : (uint32_t)split->task.spec->measure.samples},
        .seed = common.seed,
        .slow = common.slow,
        .slow_user = common.slow_user,
        .slow_after_ns = common.slow_after_ns,
    };
    struct ct_outcome outcome;
    enum ct_status status = CT_OK;

    if (!one->runner)
        status = ct_runner_new(one->device, &one->runner, err);
    if (!status)
        status = ct_runner_evaluate(one->runner, plan, &options, &outcome, err);
    if (status)
        return status;
    if (outcome.status == CT_RESULT_OK) {
        ct_curve_add(&one->curve, (double)size, outcome.time_ns);
        if (split->with_transfers)
            ct_curve_add(&one->transfers, (double)size, outcome.end_to_end.time_ns);
    } else {
        ct_observer_warn(split->observer,
                         "device %u:%u: %s does not work with %s=%" PRId64 ": %s",
                         one->device->platform_index, one->device->device_index,
                         one->words, split->task.by, size, outcome.message);
    }
    ct_outcome_release(&outcome);
    return CT_OK;
}

static enum ct_status measure_size(struct ct_split *split, struct ct_split_device *one,
                                   int64_t size, struct ct_err *err)
{
    const struct ct_spec *spec = split->task.spec;
    uint32_t needs = split->with_transfers ? 1U << CT_QUANTITY_END_TO_END_NS : 0;
    struct ct_binding *binding = NULL;
    struct ct_workload work;
    struct ct_plan plan;
    enum ct_status status = ct_split_bind(&split->task, one->device, size, &binding, err);

    if (status)
        return status;
    status = ct_workload_init(&work, one->device, spec, binding, NULL,
                              split->options->cache, err);
    if (!status)
        status = ct_binding_start(binding, work.values, err);
    if (!status)
        status =
            ct_binding_parse(binding, one->config, one->config_count, work.values, err);
    if (!status)
        status = ct_workload_plan(&work, needs, &work.arena, &plan, err);
    if (!status)
        status = evaluate(split, one, &plan, size, err);
    if (status)
        ct_place_error(spec, err);
    ct_workload_release(&work);
    return status;
}

/* All of the work, half of it (rounded up: two devices can do all), and an eighth; three quarters if all of
 * it is too much. */
static enum ct_status measure_first(struct ct_split *split, struct ct_split_device *one,
                                    struct ct_err *err)
{
    const struct ct_split_task *task = &split->task;
    int64_t steps = task->total / task->grain;
    const int64_t sizes[] = {task->total, (steps + 1) / 2 * task->grain,
                             (steps < 8 ? 1 : steps / 8) * task->grain};
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (!ct_curve_knows(&one->curve, (double)sizes[i], 0))
            status = measure_size(split, one, sizes[i], err);
    if (!status && !ct_curve_knows(&one->curve, (double)task->total, 0))
        status = measure_size(split, one, steps * 3 / 4 * task->grain, err);
    if (!status && !one->curve.count)
        return ct_err_set(
            err, CT_E_NOT_FOUND, "device %u:%u: its best, %s, works at no size of %s",
            one->device->platform_index, one->device->device_index, one->words, task->by);
    return status;
}

/* --- dividing --- */

/* Divides by the curves as they are; CT_E_NOT_FOUND if all devices together are too small. */
static enum ct_status divide(struct ct_split *split, bool transfers, struct ct_err *err)
{
    struct ct_split_answer *answer = transfers ? &split->transfers : &split->alone;
    struct ct_curve *curves =
        ct_arena_array(&split->arena, split->count, sizeof(*curves));

    if (!curves)
        return ct_err_nomem(err);
    for (size_t i = 0; i < split->count; i++)
        curves[i] = transfers ? split->devices[i].transfers : split->devices[i].curve;
    if (!ct_curves_divide(curves, split->count, split->task.total, split->task.grain,
                          answer->sizes, &answer->division))
        return ct_err_set(err, CT_E_NOT_FOUND,
                          "%s=%" PRId64 " is more than all devices together can do",
                          split->task.by, split->task.total);
    answer->known = true;
    return CT_OK;
}

/* Measures the shares of an answer that are not yet known; `*more`: there was one. */
static enum ct_status measure_shares(struct ct_split *split,
                                     const struct ct_split_answer *answer, bool *more,
                                     struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && answer->known && i < split->count; i++) {
        struct ct_split_device *one = &split->devices[i];

        if (!answer->sizes[i] ||
            ct_curve_knows(&one->curve, (double)answer->sizes[i], near_enough))
            continue;
        *more = true;
        status = measure_size(split, one, answer->sizes[i], err);
    }
    return status;
}

enum ct_status ct_split_measure(struct ct_split *split, struct ct_err *err)
{
    enum ct_status status = ct_split_choose_grain(split, err);
    bool more = true;

    for (size_t i = 0; !status && i < split->count; i++)
        status = measure_first(split, &split->devices[i], err);
    for (int round = 0; !status && more && round < ROUNDS_MOST; round++) {
        more = false;
        if (split->without_transfers)
            status = divide(split, false, err);
        if (!status && split->with_transfers)
            status = divide(split, true, err);
        if (!status)
            status = measure_shares(split, &split->alone, &more, err);
        if (!status)
            status = measure_shares(split, &split->transfers, &more, err);
    }
    /* The last measurements count, too. */
    if (!status && split->without_transfers)
        status = divide(split, false, err);
    if (!status && split->with_transfers)
        status = divide(split, true, err);
    return status;
}
