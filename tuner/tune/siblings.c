// SPDX-License-Identifier: Apache-2.0
// Compares the devices that share a search, before and after they measure.
#include "tune/siblings.h"

#include "base/stats.h"
#include "judge/policy.h"
#include "tune/search_impl.h"

#include <math.h>
#include <string.h>

bool ct_siblings_are_alike(const struct ct_devinfo *a, const struct ct_devinfo *b)
{
    return strcmp(a->platform_name, b->platform_name) == 0 &&
           strcmp(a->driver_version, b->driver_version) == 0 &&
           strcmp(a->type, b->type) == 0 &&
           strcmp(ct_devinfo_text(a, CT_DEVICE_NAME),
                  ct_devinfo_text(b, CT_DEVICE_NAME)) == 0 &&
           strcmp(ct_devinfo_text(a, CT_DEVICE_VERSION),
                  ct_devinfo_text(b, CT_DEVICE_VERSION)) == 0;
}

const char *ct_sibling_state_name(const struct ct_sibling *sibling)
{
    switch (sibling->state) {
    case CT_SIBLING_MEASURES:
        return NULL;
    case CT_SIBLING_SAME_PROCESSORS:
        return "same processors";
    case CT_SIBLING_UNLIKE:
        return sibling->before > 1 ? "slower" : "faster";
    case CT_SIBLING_LOST:
        return "lost";
    case CT_SIBLING_UNKNOWN:
        return "not compared";
    }
    return NULL;
}

void ct_search_note_siblings(struct ct_search *search)
{
    struct ct_siblings *all = &search->siblings;
    struct ct_scheduler_stats stats;

    ct_scheduler_stats_get(search->jobs.scheduler, &stats);
    all->first_measured = stats.measured + all->first_earlier;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t measured = ct_scheduler_measured(search->jobs.scheduler, i + 1);

        all->items[i].measured = measured + all->items[i].earlier;
        all->first_measured -= measured;
    }
}

void ct_search_tell_lost(struct ct_search *search, const struct ct_devinfo *device,
                         const char *why)
{
    ct_observer_warn(search->observer,
                     "device %u:%u is lost, and the search continues without it: %s",
                     device->platform_index, device->device_index, why);
}

void ct_search_lost_sibling(void *user, size_t number, const struct ct_err *why)
{
    struct ct_search *search = user;
    struct ct_sibling *sibling = &search->siblings.items[number - 1];

    sibling->state = CT_SIBLING_LOST;
    ct_search_tell_lost(search, sibling->device, why->message);
}

/* The middle of each device's times over some rounds; 0: it failed in one of them. */
static enum ct_status time_rounds(struct ct_search *search, double *middle_ns,
                                  struct ct_err *err)
{
    double rounds[CT_POLICY_SIBLING_ROUNDS][1 + CT_SIBLINGS_MAX];
    size_t count = 1 + search->siblings.count;
    enum ct_status status = CT_OK;

    for (size_t r = 0; r < CT_POLICY_SIBLING_ROUNDS && !status; r++)
        status = ct_scheduler_time_all(search->jobs.scheduler, &search->defaults.plan,
                                       rounds[r], err);
    for (size_t i = 0; i < count && !status; i++) {
        double times_ns[CT_POLICY_SIBLING_ROUNDS];
        bool failed = false;

        for (size_t r = 0; r < CT_POLICY_SIBLING_ROUNDS; r++) {
            times_ns[r] = rounds[r][i];
            failed = failed || !(times_ns[r] > 0);
        }
        middle_ns[i] = failed ? 0 : ct_stats_median(times_ns, CT_POLICY_SIBLING_ROUNDS);
    }
    return status;
}

double ct_search_sibling_tolerance(const struct ct_search *search)
{
    return fmax(CT_POLICY_SIBLING, search->noise.known ? search->noise.result.resolution
                                                       : CT_POLICY_RESOLUTION);
}

static void leave_out(struct ct_search *search, size_t i, enum ct_sibling_state state)
{
    search->siblings.items[i].state = state;
    ct_scheduler_leave_out(search->jobs.scheduler, i + 1);
}

static void judge_before(struct ct_search *search, size_t i)
{
    const struct ct_devinfo *first = search->work.device;
    struct ct_sibling *sibling = &search->siblings.items[i];
    double change = sibling->before - 1;

    if (fabs(change) <= ct_search_sibling_tolerance(search))
        return;
    ct_observer_warn(search->observer,
                     "device %u:%u runs the default configuration %.0f%% %s than device "
                     "%u:%u: it takes no part; search it alone with -d %u:%u",
                     sibling->device->platform_index, sibling->device->device_index,
                     100 * fabs(change), change > 0 ? "slower" : "faster",
                     first->platform_index, first->device_index,
                     sibling->device->platform_index, sibling->device->device_index);
    leave_out(search, i, CT_SIBLING_UNLIKE);
}

void ct_search_leave_out_siblings(struct ct_search *search)
{
    for (size_t i = 0; i < search->siblings.count; i++)
        if (search->siblings.items[i].state != CT_SIBLING_MEASURES)
            ct_scheduler_leave_out(search->jobs.scheduler, i + 1);
}

static void judge_after(struct ct_search *search, size_t i)
{
    const struct ct_devinfo *first = search->work.device;
    const struct ct_sibling *sibling = &search->siblings.items[i];
    double change = sibling->after - 1;

    if (!sibling->measured || fabs(change) <= ct_search_sibling_tolerance(search))
        return;
    ct_observer_warn(
        search->observer,
        "device %u:%u now runs the default configuration %.0f%% %s than device "
        "%u:%u: the times of the %llu configurations that it measured can be "
        "as far off; use --fresh without it to measure them again",
        sibling->device->platform_index, sibling->device->device_index,
        100 * fabs(change), change > 0 ? "slower" : "faster", first->platform_index,
        first->device_index, (unsigned long long)sibling->measured);
}

enum ct_status ct_search_time_siblings(struct ct_search *search, struct ct_err *err)
{
    struct ct_siblings *all = &search->siblings;
    enum ct_status status = all->timed ? CT_OK : time_rounds(search, all->middle_ns, err);

    all->timed = !status;
    return status;
}

static enum ct_status compare(struct ct_search *search, bool after, struct ct_err *err)
{
    double now_ns[1 + CT_SIBLINGS_MAX];
    const double *middle_ns = after ? now_ns : search->siblings.middle_ns;
    enum ct_status status =
        after ? time_rounds(search, now_ns, err) : ct_search_time_siblings(search, err);

    for (size_t i = 0; i < search->siblings.count && !status; i++) {
        struct ct_sibling *sibling = &search->siblings.items[i];
        bool known = middle_ns[0] > 0 && middle_ns[1 + i] > 0;
        double ratio = known ? middle_ns[1 + i] / middle_ns[0] : 0;

        if (sibling->state != CT_SIBLING_MEASURES)
            continue; /* or lost just now */
        *(after ? &sibling->after : &sibling->before) = ratio;
        if (!known && !after)
            leave_out(search, i, CT_SIBLING_UNKNOWN);
        else if (known && after)
            judge_after(search, i);
        else if (known)
            judge_before(search, i);
    }
    return status;
}

void ct_search_begin_siblings(struct ct_search *search)
{
    const struct ct_tune_options *options = search->options;
    struct ct_siblings *all = &search->siblings;

    for (size_t i = 0; i < options->sibling_count && i < CT_SIBLINGS_MAX; i++)
        all->items[all->count++] = (struct ct_sibling){.device = options->siblings[i]};
}

enum ct_status ct_search_compare_before(struct ct_search *search, struct ct_err *err)
{
    bool works = search->defaults.known && search->defaults.result.status == CT_RESULT_OK;
    enum ct_status status = CT_OK;

    if (!search->siblings.count)
        return CT_OK;
    if (works)
        status = compare(search, false, err);
    for (size_t i = 0; i < search->siblings.count && !status; i++)
        if (search->siblings.items[i].state == CT_SIBLING_MEASURES &&
            (!works || strcmp(search->work.device->type, "CPU") == 0))
            leave_out(search, i, works ? CT_SIBLING_SAME_PROCESSORS : CT_SIBLING_UNKNOWN);
    search->siblings.compared = !status;
    return status;
}

enum ct_status ct_search_compare_after(struct ct_search *search, struct ct_err *err)
{
    bool measured = false;
    /* No time is reserved for anything behind the loop. */
    bool too_late = search->budget.end == CT_SEARCH_TIME && search->options->rough;

    if (!search->siblings.count || too_late)
        return CT_OK;
    ct_search_note_siblings(search);
    for (size_t i = 0; i < search->siblings.count; i++)
        measured = measured || (search->siblings.items[i].measured &&
                                search->siblings.items[i].after == 0 &&
                                search->siblings.items[i].state == CT_SIBLING_MEASURES);
    return measured ? compare(search, true, err) : CT_OK;
}
