// SPDX-License-Identifier: Apache-2.0
// How the time of a device grows with the size of its work, and work divided by that.
#include "tune/curve.h"

#include <math.h>
#include <string.h>

/* --- one device --- */

/* Neighbours in the wrong order get their mean, again and again. */
static void fit(struct ct_curve *curve)
{
    double sums[CT_CURVE_POINTS];
    size_t lengths[CT_CURVE_POINTS];
    size_t blocks = 0;
    size_t at = 0;

    for (size_t i = 0; i < curve->count; i++) {
        sums[blocks] = curve->points[i].time_ns;
        lengths[blocks++] = 1;
        while (blocks > 1 && sums[blocks - 2] / (double)lengths[blocks - 2] >
                                 sums[blocks - 1] / (double)lengths[blocks - 1]) {
            sums[blocks - 2] += sums[blocks - 1];
            lengths[blocks - 2] += lengths[blocks - 1];
            blocks--;
        }
    }
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < lengths[b]; i++)
            curve->points[at++].fitted_ns = sums[b] / (double)lengths[b];
}

bool ct_curve_add(struct ct_curve *curve, double size, double time_ns)
{
    size_t at = 0;

    if (!(size > 0) || !(time_ns > 0) || !isfinite(size) || !isfinite(time_ns))
        return false;
    while (at < curve->count && curve->points[at].size < size)
        at++;
    if (at == curve->count || curve->points[at].size > size) {
        if (curve->count == CT_CURVE_POINTS)
            return false;
        memmove(&curve->points[at + 1], &curve->points[at],
                (curve->count - at) * sizeof(curve->points[0]));
        curve->count++;
    }
    curve->points[at].size = size;
    curve->points[at].time_ns = time_ns;
    fit(curve);
    return true;
}

bool ct_curve_knows(const struct ct_curve *curve, double size, double share)
{
    for (size_t i = 0; i < curve->count; i++)
        if (fabs(curve->points[i].size - size) <= share * size)
            return true;
    return false;
}

/* What work of no size would take; of a single point 0. */
static double overhead_ns(const struct ct_curve *curve)
{
    const struct ct_curve_point *first = curve->points;
    const struct ct_curve_point *other;
    size_t i = 1;
    double overhead;

    if (curve->count < 2)
        return 0;
    /* The noise of two sizes that are close together would decide. */
    while (i + 1 < curve->count && curve->points[i].size < 2 * first->size)
        i++;
    other = &curve->points[i];
    overhead = first->fitted_ns - first->size * (other->fitted_ns - first->fitted_ns) /
                                      (other->size - first->size);
    return overhead > 0 ? overhead : 0;
}

double ct_curve_time_ns(const struct ct_curve *curve, double size)
{
    double from_size = 0;
    double from_ns = overhead_ns(curve);

    if (!(size > 0))
        return 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct ct_curve_point *point = &curve->points[i];

        if (size <= point->size)
            return from_ns + (point->fitted_ns - from_ns) * (size - from_size) /
                                 (point->size - from_size);
        from_size = point->size;
        from_ns = point->fitted_ns;
    }
    return INFINITY;
}

/* The largest size that takes no longer than a time; 0 if the overhead alone does. */
static double size_within(const struct ct_curve *curve, double time_ns)
{
    double from_size = 0;
    double from_ns = overhead_ns(curve);

    if (time_ns < from_ns)
        return 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct ct_curve_point *point = &curve->points[i];

        if (time_ns < point->fitted_ns)
            return from_size + (point->size - from_size) * (time_ns - from_ns) /
                                   (point->fitted_ns - from_ns);
        from_size = point->size;
        from_ns = point->fitted_ns;
    }
    return from_size;
}

/* --- all of them --- */

struct task {
    const struct ct_curve *curves;
    size_t count;
    double total;
};

static double size_at(const struct task *task, size_t device, double time_ns)
{
    double size = size_within(&task->curves[device], time_ns);

    return size < task->total ? size : task->total;
}

static double done_at(const struct task *task, double time_ns)
{
    double sum = 0;

    for (size_t i = 0; i < task->count; i++)
        sum += size_at(task, i, time_ns);
    return sum;
}

/* The times around that at which the total is done: less is done at `*low`. */
static bool bracket(const struct task *task, double *low, double *high)
{
    *low = 0;
    *high = 0;
    for (size_t i = 0; i < task->count; i++) {
        const struct ct_curve *curve = &task->curves[i];

        if (curve->count && curve->points[curve->count - 1].fitted_ns > *high)
            *high = curve->points[curve->count - 1].fitted_ns;
    }
    if (done_at(task, *high) < task->total)
        return false;
    for (int i = 0; i < 200; i++) {
        double middle = *low + (*high - *low) / 2;

        if (middle <= *low || middle >= *high)
            break;
        *(done_at(task, middle) < task->total ? low : high) = middle;
    }
    return true;
}

/* Gives the rest, grain by grain, to whoever ends first with it. */
static void give_rest(const struct task *task, int64_t rest, int64_t grain,
                      int64_t *sizes)
{
    while (rest > 0) {
        size_t best = 0;
        double best_ns = INFINITY;

        for (size_t i = 0; i < task->count; i++) {
            double ns =
                ct_curve_time_ns(&task->curves[i], (double)sizes[i] + (double)grain);

            if (ns < best_ns) {
                best = i;
                best_ns = ns;
            }
        }
        sizes[best] += grain;
        rest -= grain;
    }
}

static void take_fastest(const struct task *task, struct ct_curve_division *out)
{
    out->fastest = SIZE_MAX;
    out->fastest_ns = INFINITY;
    for (size_t i = 0; i < task->count; i++) {
        double ns = ct_curve_time_ns(&task->curves[i], task->total);

        if (ns < out->fastest_ns) {
            out->fastest = i;
            out->fastest_ns = ns;
        }
    }
}

bool ct_curves_divide(const struct ct_curve *curves, size_t count, int64_t total,
                      int64_t grain, int64_t *sizes, struct ct_curve_division *out)
{
    const struct task task = {curves, count, (double)total};
    int64_t rest = total;
    double low;
    double high;
    double part;

    if (!bracket(&task, &low, &high))
        return false;
    take_fastest(&task, out);
    /* Between the two times a curve may jump: from the end of its overhead, or along a level part. */
    part = done_at(&task, high) - done_at(&task, low);
    part = part > 0 ? (task.total - done_at(&task, low)) / part : 0;
    for (size_t i = 0; i < count; i++) {
        double from = size_at(&task, i, low);
        double size = from + part * (size_at(&task, i, high) - from);

        sizes[i] = (int64_t)(size / (double)grain) * grain;
        rest -= sizes[i];
    }
    give_rest(&task, rest, grain, sizes);
    out->time_ns = 0;
    for (size_t i = 0; i < count; i++) {
        double ns = ct_curve_time_ns(&curves[i], (double)sizes[i]);

        out->time_ns = ns > out->time_ns ? ns : out->time_ns;
    }
    /* A division that gains nothing is none. */
    if (out->fastest != SIZE_MAX && out->fastest_ns <= out->time_ns) {
        for (size_t i = 0; i < count; i++)
            sizes[i] = i == out->fastest ? total : 0;
        out->time_ns = out->fastest_ns;
    }
    return true;
}
