// SPDX-License-Identifier: Apache-2.0
// Jobs that are certain to be refused: by the device's limits, or by what its driver has reported of
// the same program, built for another configuration.  They are not built.
#include "schedule/scheduler_impl.h"

#include "plan/launch_limits.h"

#include <stdlib.h>
#include <string.h>

/* The identity of a launch's kernel, as built; `program` is that of its program. */
static struct ct_hash kernel_key(const struct ct_hash *program, const char *kernel)
{
    struct ct_hash key = {""};
    struct ct_str form;

    ct_str_init(&form);
    ct_wire_put_text(&form, program->text);
    ct_wire_put_text(&form, kernel);
    if (!form.failed)
        key = ct_hash_bytes(form.data, form.length);
    ct_str_release(&form);
    return key;
}

/* The identities of a plan's programs, as built; the caller frees.  NULL: out of memory. */
static struct ct_hash *program_keys(struct ct_scheduler *scheduler,
                                    const struct ct_plan *plan)
{
    struct ct_hash *keys = ct_mem_array(plan->program_count, sizeof(*keys));

    for (size_t i = 0; keys && i < plan->program_count; i++)
        keys[i] = ct_program_text_build_key(scheduler->texts, plan, i);
    return keys;
}

/* What is known of a launch's kernel; NULL: nothing, or its builds contradict each other.  `programs`
 * may be NULL. */
static const struct ct_scheduler_limit *find_limit(const struct ct_scheduler *scheduler,
                                                   const struct ct_plan_launch *launch,
                                                   const struct ct_hash *programs)
{
    struct ct_hash key;
    uint64_t at;

    if (!programs || !*programs[launch->program].text)
        return NULL;
    key = kernel_key(&programs[launch->program], launch->kernel);
    if (!*key.text || !ct_map_find_hash(&scheduler->limits.keys, &key, &at) ||
        scheduler->limits.items[at].contradicted)
        return NULL;
    return &scheduler->limits.items[at];
}

static void note_launch(struct ct_scheduler *scheduler,
                        const struct ct_plan_launch *launch,
                        const struct ct_hash *program,
                        const struct ct_kernel_facts *facts)
{
    uint64_t args_bytes = ct_launch_local_bytes(launch);
    struct ct_scheduler_limit limit = {.facts = *facts};
    struct ct_hash key;
    uint64_t at;

    if (!*program->text || facts->local_mem_bytes < args_bytes)
        return;
    limit.facts.local_mem_bytes -= args_bytes;
    key = kernel_key(program, launch->kernel);
    if (!*key.text)
        return;
    if (ct_map_find_hash(&scheduler->limits.keys, &key, &at)) {
        struct ct_scheduler_limit *known = &scheduler->limits.items[at];

        known->contradicted |=
            known->facts.work_group_size != limit.facts.work_group_size ||
            known->facts.local_mem_bytes != limit.facts.local_mem_bytes;
        return;
    }
    /* Without memory nothing is known of it. */
    if (ct_mem_grow(&scheduler->limits.items, &scheduler->limits.capacity,
                    scheduler->limits.count + 1, sizeof(limit)) &&
        ct_map_put_hash(&scheduler->limits.keys, &key, scheduler->limits.count))
        scheduler->limits.items[scheduler->limits.count++] = limit;
}

void ct_scheduler_note_limits(struct ct_scheduler *scheduler, const struct ct_plan *plan,
                              const struct ct_outcome *outcome)
{
    struct ct_hash *programs = outcome->fact_count ? program_keys(scheduler, plan) : NULL;

    for (size_t i = 0; programs && i < outcome->fact_count && i < plan->launch_count; i++)
        /* A launch behind the one that was refused has none. */
        if (plan->launches[i].kind == CT_LAUNCH_KERNEL &&
            outcome->facts[i].work_group_size)
            note_launch(scheduler, &plan->launches[i],
                        &programs[plan->launches[i].program], &outcome->facts[i]);
    free(programs);
}

/* What the worker would report, with the facts of all launches of which something is known. */
static bool make_outcome(const struct ct_scheduler *scheduler, const struct ct_plan *plan,
                         const struct ct_hash *programs, const char *why,
                         struct ct_outcome *outcome)
{
    bool known = false;

    memset(outcome, 0, sizeof(*outcome));
    outcome->status = CT_RESULT_INVALID;
    outcome->phase = CT_PHASE_BUILD;
    outcome->build_log = "";
    outcome->message = ct_arena_copy(&outcome->arena, why, strlen(why));
    outcome->facts =
        ct_arena_array(&outcome->arena, plan->launch_count, sizeof(*outcome->facts));
    if (!outcome->message || !outcome->facts) {
        ct_outcome_release(outcome);
        return false;
    }
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        const struct ct_scheduler_limit *limit =
            launch->kind == CT_LAUNCH_KERNEL ? find_limit(scheduler, launch, programs)
                                             : NULL;
        uint64_t args_bytes = ct_launch_local_bytes(launch);

        if (!limit || limit->facts.local_mem_bytes > UINT64_MAX - args_bytes)
            continue;
        outcome->facts[i] = limit->facts;
        outcome->facts[i].local_mem_bytes += args_bytes;
        known = true;
    }
    outcome->fact_count = known ? plan->launch_count : 0;
    return true;
}

bool ct_scheduler_refuses(struct ct_scheduler *scheduler, size_t index,
                          struct ct_outcome *outcome)
{
    const struct ct_scheduler_job *job = scheduler->jobs.items[index];
    const struct ct_plan *plan = job->job.plan;
    struct ct_hash *programs;
    struct ct_str why;
    bool refused = false;

    if (job->own || job->job.full || scheduler->options.no_duplicates ||
        scheduler->options.build_only || plan->command)
        return false;
    programs = scheduler->limits.count ? program_keys(scheduler, plan) : NULL;
    ct_str_init(&why);
    for (size_t i = 0; !refused && i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];
        const struct ct_scheduler_limit *limit;
        struct ct_launch_limits limits = {0};

        if (launch->kind != CT_LAUNCH_KERNEL)
            continue;
        limit = find_limit(scheduler, launch, programs);
        if (limit)
            limits = (struct ct_launch_limits){limit->facts.work_group_size,
                                               limit->facts.local_mem_bytes};
        refused = ct_launch_refused(launch, &scheduler->limits.device, &limits, &why);
    }
    refused = refused && !why.failed &&
              make_outcome(scheduler, plan, programs, why.data, outcome);
    ct_str_release(&why);
    free(programs);
    scheduler->stats.refused += refused;
    return refused;
}

void ct_scheduler_release_limits(struct ct_scheduler *scheduler)
{
    ct_map_release(&scheduler->limits.keys);
    ct_arena_release(&scheduler->limits.arena);
    free(scheduler->limits.items);
}
