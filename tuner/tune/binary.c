// SPDX-License-Identifier: Apache-2.0
// Builds the programs of a stored best.
#include "tune/binary.h"

#include "tune/objective.h"
#include "tune/place.h"
#include "tune/recheck.h"

#include <string.h>

/* The stored values; what is not stored is inactive, or newer than the result. */
static enum ct_status read_values(struct ct_binary *binary, struct ct_err *err)
{
    struct ct_workload *work = &binary->work;
    struct ct_setting *settings;
    size_t count;
    enum ct_status status = ct_recheck_settings(binary->answer->configuration_json,
                                                &binary->arena, &settings, &count, err);

    if (!status)
        status = ct_binding_start(work->binding, work->values, err);
    if (!status)
        status = ct_binding_parse(work->binding, settings, count, work->values, err);
    return status;
}

/* Plans it as it was measured: with the space file's caches, or those of --cache then. */
static enum ct_status make_plan(struct ct_binary *binary, struct ct_err *err)
{
    static const enum ct_cache_state states[] = {CT_CACHE_UNSPECIFIED, CT_CACHE_WARM,
                                                 CT_CACHE_COLD};
    struct ct_workload *work = &binary->work;
    struct ct_objective objective;
    enum ct_status status =
        ct_objective_choose(work->spec, binary->answer->objective, &objective, err);

    for (size_t i = 0; !status && i < sizeof(states) / sizeof(states[0]); i++) {
        work->cache = states[i];
        status =
            ct_workload_plan(work, objective.needs, &binary->arena, &binary->plan, err);
        if (!status && strcmp(ct_workload_experiment(work, &binary->plan).text,
                              binary->answer->experiment) == 0)
            return CT_OK;
    }
    return status
               ? status
               : ct_err_set(err, CT_E_NOT_FOUND,
                            "%s no longer describes what was measured: it, a source or "
                            "the platform has changed since; use 'cltune search %s' to "
                            "measure it again",
                            work->spec->path, work->spec->path);
}

static enum ct_status check_built(struct ct_binary *binary, struct ct_err *err)
{
    const struct ct_outcome *outcome = &binary->outcome;

    if (outcome->status != CT_RESULT_OK)
        return ct_err_set(err, CT_E_DEVICE, "the best of %s cannot be built any more: %s",
                          binary->answer->kernel, outcome->message);
    if (ct_source_cache_changed(binary->work.sources))
        return ct_err_set(err, CT_E_IO, "%s was changed while it was built; try again",
                          ct_source_cache_changed(binary->work.sources));
    for (size_t i = 0; i < binary->built.program_count; i++)
        if (!binary->built.programs[i].size_bytes)
            return ct_err_set(
                err, CT_E_DEVICE,
                "the driver of %s gives no program binary; use another format",
                binary->answer->device_name);
    return CT_OK;
}

enum ct_status ct_binary_build(struct ct_binary *binary,
                               const struct ct_tune_options *options,
                               const struct ct_binary_choice *choice,
                               const struct ct_spec *spec, struct ct_binding *binding,
                               struct ct_err *err)
{
    struct ct_workload *work = &binary->work;
    enum ct_status status;

    memset(binary, 0, sizeof(*binary));
    binary->answer = choice->answer;
    status = ct_workload_init(work, choice->device, spec, binding, NULL,
                              CT_CACHE_UNSPECIFIED, err);
    if (!status)
        status = read_values(binary, err);
    if (!status)
        status = make_plan(binary, err);
    if (!status)
        status = ct_runner_new(work->device, &binary->runner, err);
    if (!status) {
        status = ct_runner_build(binary->runner, &binary->plan, &options->deadlines,
                                 &binary->arena, &binary->outcome, &binary->built, err);
        binary->measured = !status;
    }
    if (!status)
        status = check_built(binary, err);
    if (status)
        ct_place_error(spec, err);
    return status;
}

void ct_binary_release(struct ct_binary *binary)
{
    if (binary->measured)
        ct_outcome_release(&binary->outcome);
    if (binary->runner)
        ct_runner_free(binary->runner);
    ct_workload_release(&binary->work);
    ct_arena_release(&binary->arena);
}
