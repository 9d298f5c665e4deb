// SPDX-License-Identifier: Apache-2.0
// One recheck: stored configurations planned again, timed against each other, stored.
#include "tune/recheck.h"

#include "judge/policy.h"
#include "schedule/interleaved.h"
#include "tune/place.h"

#include <math.h>
#include <string.h>

/* --- planning --- */

/* The values of a stored configuration; parameters added to the space since have their first
 * value. */
static enum ct_status read_values(struct ct_recheck *recheck, struct ct_rechecked *one,
                                  struct ct_err *err)
{
    const struct ct_spec *spec = recheck->work.spec;
    struct ct_db_value *values;
    size_t count;
    enum ct_status status =
        ct_db_parse(&recheck->arena, one->then->configuration, &values, &count, err);

    if (status)
        return status;
    one->values =
        ct_arena_array(&recheck->arena, spec->param_count, sizeof(*one->values));
    if (!one->values)
        return ct_err_nomem(err);
    status = ct_binding_start(recheck->work.binding, one->values, err);
    for (size_t i = 0; i < count && !status; i++) {
        int p = ct_spec_find_param(spec, values[i].name);

        if (p < 0)
            return ct_err_set(err, CT_E_SPEC, "%s no longer has a parameter %s",
                              spec->path, values[i].name);
        one->values[p] = values[i].value;
    }
    return status;
}

/* Copies a configuration to where storing and planning expect it. */
static void set_values(struct ct_recheck *recheck, const struct ct_rechecked *one)
{
    memcpy(recheck->work.values, one->values,
           recheck->work.spec->param_count * sizeof(*one->values));
}

static enum ct_status make_plan(struct ct_recheck *recheck, struct ct_rechecked *one,
                                struct ct_err *err)
{
    enum ct_status status = read_values(recheck, one, err);

    if (status)
        return status;
    set_values(recheck, one);
    status = ct_workload_plan(&recheck->work, recheck->objective.needs, &recheck->arena,
                              &one->plan, err);
    if (!status)
        one->experiment = ct_workload_experiment(&recheck->work, &one->plan);
    return status;
}

/* Whether two stored results are of one program: measuring both gains nothing. */
static bool same_program(const struct ct_db_result *a, const struct ct_db_result *b)
{
    return strcmp(a->twin_of, b->experiment.text) == 0 ||
           strcmp(b->twin_of, a->experiment.text) == 0 ||
           (*a->twin_of && strcmp(a->twin_of, b->twin_of) == 0);
}

static bool is_new(const struct ct_recheck *recheck, const struct ct_db_result *result)
{
    for (size_t i = 0; i < recheck->count; i++)
        if (same_program(recheck->ones[i].then, result))
            return false;
    return true;
}

/* Whether its stored value can be compared by ratios; an unknown one may be. */
static bool has_ratio(const struct ct_recheck *recheck, const struct ct_db_result *result)
{
    return isnan(result->objective_value) ||
           ct_objective_positive(&recheck->objective, result->objective_value) > 0;
}

/* Plans the pick and as many runners-up as wanted, if they can be compared. CT_E_SPEC if the pick
 * cannot. */
static enum ct_status gather_entrants(struct ct_recheck *recheck, size_t runners_up,
                                      struct ct_err *err)
{
    const struct ct_db_subject_best *subject = recheck->subject;
    size_t most = 1 + (runners_up ? runners_up : CT_POLICY_RUNNERS_UP);

    recheck->ones =
        ct_arena_array(&recheck->arena, subject->top_count, sizeof(*recheck->ones));
    recheck->entrants =
        ct_arena_array(&recheck->arena, subject->top_count, sizeof(*recheck->entrants));
    if (!recheck->ones || !recheck->entrants)
        return ct_err_nomem(err);
    if (!has_ratio(recheck, &subject->top[0]))
        return ct_err_set(
            err, CT_E_SPEC,
            "the %s of the stored best of %s is %g, but configurations are "
            "compared by ratios: give the metric a positive range, or use 'cltune "
            "search --fresh' to measure everything again",
            subject->objective, subject->of.kernel, subject->top[0].objective_value);
    for (size_t i = 0; i < subject->top_count && recheck->count < most; i++) {
        struct ct_rechecked *one = &recheck->ones[recheck->count];
        struct ct_err why = CT_ERR_INIT;
        enum ct_status status;

        if (!is_new(recheck, &subject->top[i]) || !has_ratio(recheck, &subject->top[i]))
            continue;
        memset(one, 0, sizeof(*one));
        one->then = &subject->top[i];
        status = make_plan(recheck, one, &why);
        if (status && status != CT_E_SPEC) {
            *err = why;
            return status;
        }
        if (status && !i)
            recheck->refused =
                ct_arena_copy(&recheck->arena, why.message, strlen(why.message));
        if (status && i)
            continue;
        recheck->entrants[recheck->count].plan = &one->plan;
        recheck->count++;
        if (recheck->refused)
            break;
    }
    return CT_OK;
}

static double cost(void *user, size_t entrant, const struct ct_outcome *outcome)
{
    struct ct_recheck *recheck = user;
    struct ct_rechecked *one = &recheck->ones[entrant];
    struct ct_quantities known = ct_outcome_quantities(outcome);

    one->verified = outcome->verified;
    one->wall_clock = one->wall_clock || outcome->wall_clock;
    one->binary_bytes = outcome->binary_bytes;
    return ct_objective_positive(&recheck->objective,
                                 ct_objective_value(&recheck->objective,
                                                    recheck->work.binding, one->values,
                                                    &known));
}

static enum ct_status play_recheck(struct ct_recheck *recheck, struct ct_err *err)
{
    const struct ct_scheduler_options options =
        ct_tune_scheduler_options(recheck->options, recheck->observer, 0, recheck->count);
    /* The stored pick is timed beside the winner, so that then and now compare.  It comes first:
     * among ties it remains the pick. */
    bool interleaved = ct_objective_is_time(&recheck->objective);
    const struct ct_playoff_options how = {
        .limit_ns = CT_POLICY_RECHECK_LIMIT_NS,
        .interleaved = interleaved,
        .samples = interleaved ? CT_INTERLEAVED_LEAST : 0,
        .most_samples = CT_INTERLEAVED_MOST,
        .round_samples = CT_POLICY_RECHECK_SAMPLES,
        .seed = 1,
        .beside = 0,
        .cost = cost,
        .user = recheck,
    };
    struct ct_scheduler *scheduler = NULL;
    enum ct_status status =
        ct_scheduler_new(recheck->work.device, &options, &scheduler, err);

    if (!status)
        status = ct_playoff_run(scheduler, recheck->entrants, recheck->count, NULL, &how,
                                &recheck->playoff, err);
    recheck->played = true;
    if (scheduler)
        ct_scheduler_free(scheduler);
    return status;
}

static enum ct_recheck_verdict recheck_verdict(const struct ct_recheck *recheck)
{
    if (recheck->refused || recheck->entrants[0].status != CT_RESULT_OK ||
        recheck->playoff.winner == SIZE_MAX)
        return CT_RECHECK_FAILED;
    return recheck->entrants[0].ranking.rank == CT_RANK_LOST ? CT_RECHECK_BEATEN
                                                             : CT_RECHECK_HOLDS;
}

enum ct_status ct_recheck_run(struct ct_recheck *recheck,
                              const struct ct_tune_options *options,
                              const struct ct_observer *observer,
                              const struct ct_db_subject_best *subject,
                              const struct ct_devinfo *device, const struct ct_spec *spec,
                              struct ct_binding *binding, size_t runners_up,
                              struct ct_err *err)
{
    enum ct_status status;

    memset(recheck, 0, sizeof(*recheck));
    recheck->options = options;
    recheck->observer = observer;
    recheck->subject = subject;
    recheck->store = (struct ct_store){
        .options = options, .work = &recheck->work, .objective = &recheck->objective};
    status = ct_workload_init(&recheck->work, device, spec, binding, NULL, options->cache,
                              err);
    if (!status)
        status = ct_objective_choose(spec, subject->objective, &recheck->objective, err);
    if (!status)
        status = gather_entrants(recheck, runners_up, err);
    if (!status && !recheck->refused)
        status = play_recheck(recheck, err);
    if (!status) {
        recheck->verdict = recheck_verdict(recheck);
        status = recheck->refused ? CT_OK : ct_recheck_store(recheck, err);
    }
    if (status)
        ct_place_error(spec, err);
    return status;
}

void ct_recheck_release(struct ct_recheck *recheck)
{
    if (recheck->played)
        ct_playoff_release(&recheck->playoff);
    ct_store_release(&recheck->store);
    ct_workload_release(&recheck->work);
    ct_arena_release(&recheck->arena);
}
