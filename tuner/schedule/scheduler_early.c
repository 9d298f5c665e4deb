// SPDX-License-Identifier: Apache-2.0
// Programs that are probably wanted are compiled while builders have nothing else to do.
//
// The first jobs of a search are few: the default, whose data may take seconds, and the A/A test.
// Plans that the caller expects to submit afterwards are built meanwhile.  A job for one of them
// takes over the build, or its result, as if its own builder had returned it; what nobody asks for
// is forgotten.  A build that kills its worker or takes too long is forgotten, too: the job's own
// build will be blamed.
#include "schedule/scheduler_impl.h"

#include <stdlib.h>
#include <string.h>

/* Results that nobody has asked for yet. */
static const size_t room_bytes = (size_t)32 << 20;

bool ct_scheduler_builds_early(const struct ct_scheduler *scheduler)
{
    return !scheduler->cpu_device && scheduler->builder_count > 1;
}

/* Which share of the configurations are the first ones of their programs, so that they are compiled: by how
 * many pairs of these have the same ones. */
static double share_of_programs(const struct ct_scheduler *scheduler)
{
    const struct ct_early *items = scheduler->early.items;
    double others = (double)scheduler->options.expected - 1;
    double pairs = 0;
    double alike = 0;

    for (size_t i = 0; i < scheduler->early.count; i++)
        for (size_t k = 0; k < i; k++) {
            pairs++;
            alike +=
                *items[i].twins.text && !strcmp(items[i].twins.text, items[k].twins.text);
        }
    return pairs > 0 && others > 0 ? 1 / (1 + others * alike / pairs) : 1;
}

enum ct_status ct_scheduler_build_early(struct ct_scheduler *scheduler,
                                        const struct ct_plan *plans, size_t count,
                                        struct ct_err *err)
{
    struct ct_early *items = scheduler->early.items;
    size_t capacity = scheduler->early.count;

    if (!ct_scheduler_builds_early(scheduler) || scheduler->early.count)
        return CT_OK;
    if (!ct_mem_grow(&items, &capacity, count, sizeof(*items)))
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++) {
        items[i] =
            (struct ct_early){.plan = &plans[i],
                              .hash = ct_plan_hash(&plans[i]),
                              .twins = ct_scheduler_twin_key(scheduler, &plans[i])};
        ct_str_init(&items[i].built);
    }
    scheduler->early.items = items;
    scheduler->early.count = count;
    scheduler->early.programs = share_of_programs(scheduler);
    return CT_OK;
}

static void forget(struct ct_scheduler *scheduler, struct ct_early *early)
{
    if (early->state == CT_EARLY_BUILT) {
        scheduler->early.bytes -= early->built.length;
        ct_outcome_release(&early->outcome);
        ct_str_release(&early->built);
    }
    early->state = CT_EARLY_GONE;
}

void ct_scheduler_release_early(struct ct_scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->early.count; i++)
        forget(scheduler, &scheduler->early.items[i]);
    free(scheduler->early.items);
    scheduler->early.items = NULL;
    scheduler->early.count = 0;
}

bool ct_scheduler_next_early(struct ct_scheduler *scheduler, size_t *index)
{
    for (size_t i = 0; i < scheduler->early.count && !scheduler->early.closed &&
                       scheduler->early.bytes < room_bytes;
         i++)
        if (scheduler->early.items[i].state == CT_EARLY_WAITING &&
            !ct_scheduler_waits_for_twin(scheduler, &scheduler->early.items[i].twins)) {
            scheduler->early.items[i].state = CT_EARLY_BUILDING;
            *index = i;
            return true;
        }
    return false;
}

/* Whether a job would get the same from a build of its own. */
static bool is_conclusive(enum ct_result_status status)
{
    return status == CT_RESULT_OK || status == CT_RESULT_BUILD_FAILED ||
           status == CT_RESULT_INVALID || status == CT_RESULT_SKIPPED;
}

enum ct_status ct_scheduler_took_early(struct ct_scheduler *scheduler,
                                       struct ct_worker_slot *slot, enum ct_status status,
                                       const struct ct_err *why,
                                       struct ct_outcome *outcome, struct ct_err *err)
{
    struct ct_early *early = &scheduler->early.items[slot->at];
    const struct ct_str *extra = &slot->runner->extra;

    slot->early = false;
    early->state = CT_EARLY_GONE;
    if (status == CT_E_INTERRUPTED) {
        *err = *why;
        return status;
    }
    /* An error that a job will report. */
    if (status) {
        scheduler->early.closed = true;
        return CT_OK;
    }
    if (extra->length)
        ct_str_add(&early->built, extra->data, extra->length);
    if (!is_conclusive(outcome->status) || early->built.failed) {
        ct_str_reset(&early->built);
        ct_outcome_release(outcome);
        return CT_OK;
    }
    early->outcome = *outcome;
    early->state = CT_EARLY_BUILT;
    scheduler->early.bytes += early->built.length;
    scheduler->built.ns += outcome->spent_ns[CT_PHASE_BUILD];
    scheduler->built.count++;
    return CT_OK;
}

/* The builder that works on it. */
static struct ct_worker_slot *builder_of(struct ct_scheduler *scheduler, size_t at)
{
    for (unsigned i = 0; i < scheduler->builder_count; i++)
        if (scheduler->builders[i].early && scheduler->builders[i].at == at)
            return &scheduler->builders[i];
    return NULL;
}

enum ct_status ct_scheduler_use_early(struct ct_scheduler *scheduler, size_t index,
                                      struct ct_err *err)
{
    const struct ct_job *job = &scheduler->jobs.items[index]->job;
    struct ct_early *early = NULL;
    struct ct_worker_slot *slot;
    struct ct_hash plan;
    size_t at = 0;

    if (!scheduler->early.count || job->again || job->alone || job->fresh)
        return CT_E_NOT_FOUND;
    plan = ct_plan_hash(job->plan);
    for (; at < scheduler->early.count && !early; at++)
        if (scheduler->early.items[at].state != CT_EARLY_GONE && *plan.text &&
            !strcmp(scheduler->early.items[at].hash.text, plan.text))
            early = &scheduler->early.items[at];
    if (!early)
        return CT_E_NOT_FOUND;
    if (early->state == CT_EARLY_BUILT) {
        struct ct_str built = early->built;
        struct ct_outcome outcome = early->outcome;
        enum ct_status status;

        scheduler->stats.early++;
        scheduler->early.bytes -= built.length;
        ct_str_init(&early->built);
        early->state = CT_EARLY_GONE;
        status = ct_scheduler_built(scheduler, index, false, &outcome, &built, err);
        ct_str_release(&built);
        return status;
    }
    slot = early->state == CT_EARLY_BUILDING ? builder_of(scheduler, at - 1) : NULL;
    early->state = CT_EARLY_GONE;
    if (!slot)
        return CT_E_NOT_FOUND;
    scheduler->stats.early++;
    slot->early = false;
    slot->at = index;
    scheduler->jobs.items[index]->stage = CT_STAGE_BUILDING;
    return CT_OK;
}
