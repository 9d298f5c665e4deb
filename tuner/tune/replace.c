// SPDX-License-Identifier: Apache-2.0
// The first of several devices of one kind is lost, or slower than others: another one takes its place.
#include "tune/search_impl.h"

#include <string.h>

/* The first device becomes the sibling that is lost, and the sibling the first device. */
static void swap_first(struct ct_search *search, struct ct_sibling *sibling)
{
    struct ct_siblings *all = &search->siblings;
    struct ct_sibling lost = {.device = search->work.device,
                              .state = CT_SIBLING_LOST,
                              .measured = all->first_measured,
                              .earlier = all->first_measured};

    for (size_t i = 0; i < all->count; i++)
        all->items[i].earlier = all->items[i].measured;
    search->work.device = sibling->device;
    all->first_measured = all->first_earlier = sibling->measured;
    *sibling = lost;
}

enum ct_status ct_search_replace_first(struct ct_search *search, enum ct_status why,
                                       struct ct_err *err)
{
    const struct ct_devinfo *device = search->work.device;
    struct ct_siblings *all = &search->siblings;
    struct ct_sibling *next = NULL;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < all->count && !next; i++)
        if (all->items[i].state == CT_SIBLING_MEASURES &&
            (all->items[i].before > 0 || !all->compared))
            next = &all->items[i];
    if (!next || (why != CT_E_DEVICE && why != CT_E_NO_DEVICE && why != CT_E_WORKER))
        return why;
    ct_search_tell_lost(search, device, err->message);
    /* What it had, and failures that may be its own, come first. */
    for (size_t i = 0; i < search->canary.held_count && !status; i++)
        status = ct_index_list_add(&search->jobs.postponed,
                                   search->canary.held[i].pending->entry.index, err);
    if (!status)
        status = ct_jobs_postpone(search, err);
    ct_jobs_end(search);
    swap_first(search, next);
    search->drift.run_ns = 0; /* which the new scheduler counts anew */
    if (!status)
        status = ct_jobs_begin(search, err);
    if (!status)
        *err = (struct ct_err)CT_ERR_INIT;
    return status;
}

/* The first device and a sibling exchange their places, before any result is recorded. */
static enum ct_status exchange_first(struct ct_search *search, size_t sibling,
                                     struct ct_err *err)
{
    struct ct_siblings *all = &search->siblings;
    const struct ct_devinfo *first = search->work.device;

    ct_jobs_end(search);
    search->work.device = all->items[sibling].device;
    /* What it has measured, the default, is measured again. */
    all->items[sibling] = (struct ct_sibling){.device = first};
    all->first_measured = all->first_earlier = 0;
    return ct_jobs_begin(search, err);
}

enum ct_status ct_search_choose_first(struct ct_search *search, struct ct_err *err)
{
    struct ct_siblings *all = &search->siblings;
    size_t fastest = 0;
    double first_ns;
    enum ct_status status;

    if (!all->count || all->timed || strcmp(search->work.device->type, "CPU") == 0)
        return CT_OK;
    status = ct_search_time_siblings(search, err);
    first_ns = all->middle_ns[0];
    for (size_t i = 1; i <= all->count && !status; i++)
        if (all->items[i - 1].state == CT_SIBLING_MEASURES && all->middle_ns[i] > 0 &&
            all->middle_ns[i] < all->middle_ns[fastest])
            fastest = i;
    if (!fastest ||
        first_ns / all->middle_ns[fastest] - 1 <= ct_search_sibling_tolerance(search))
        return status;
    all->middle_ns[0] = all->middle_ns[fastest];
    all->middle_ns[fastest] = first_ns;
    return exchange_first(search, fastest - 1, err);
}
