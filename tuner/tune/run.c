// SPDX-License-Identifier: Apache-2.0
// One configuration, built, checked and timed.
#define _XOPEN_SOURCE 700 // realpath
#include "tune/run.h"

#include "protocol/dump.h"
#include "tune/objective.h"
#include "tune/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum ct_status ct_run_init(struct ct_run *run, const struct ct_tune_options *options,
                           const struct ct_observer *observer,
                           const struct ct_devinfo *device, const struct ct_spec *spec,
                           struct ct_binding *binding, struct ct_err *err)
{
    memset(run, 0, sizeof(*run));
    run->options = options;
    run->observer = observer;
    return ct_workload_init(&run->work, device, spec, binding, NULL, options->cache, err);
}

void ct_run_release(struct ct_run *run)
{
    if (run->measured)
        ct_outcome_release(&run->outcome);
    if (run->runner)
        ct_runner_free(run->runner);
    ct_workload_release(&run->work);
    ct_arena_release(&run->arena);
}

enum ct_status ct_run_choose(struct ct_run *run, const struct ct_setting *settings,
                             size_t count, struct ct_err *err)
{
    const struct ct_workload *work = &run->work;
    enum ct_status status = ct_binding_start(work->binding, work->values, err);

    return status ? status
                  : ct_binding_parse(work->binding, settings, count, work->values, err);
}

enum ct_status ct_run_dump(struct ct_run *run, const char *folder, struct ct_err *err)
{
    struct stat facts;
    char *path = NULL;

    if (mkdir(folder, 0777) && errno != EEXIST)
        return ct_err_set(err, CT_E_IO, "cannot create folder %s: %s", folder,
                          strerror(errno));
    if (!stat(folder, &facts) && !S_ISDIR(facts.st_mode))
        errno = ENOTDIR;
    /* The worker's current folder is whatever the user's C code has made it. */
    else if (!access(folder, W_OK | X_OK))
        path = realpath(folder, NULL);
    if (!path)
        return ct_err_set(err, CT_E_IO, "cannot write to folder %s: %s", folder,
                          strerror(errno));
    run->dump = ct_arena_copy(&run->arena, path, strlen(path));
    free(path);
    return run->dump ? CT_OK : ct_err_nomem(err);
}

enum ct_status ct_run_measure(struct ct_run *run, struct ct_err *err)
{
    const struct ct_workload *work = &run->work;
    const struct ct_scheduler_options common =
        ct_tune_scheduler_options(run->options, run->observer, 0, 1);
    const struct ct_measure_options options = {
        .deadlines = common.deadlines,
        .race = {.samples = run->options->samples
                                ? run->options->samples
                                : (uint32_t)work->spec->measure.samples},
        .seed = common.seed,
        .differences = run->dump ? CT_DIFFERENCES_DUMP : CT_DIFFERENCES_PLAIN,
        .dump = run->dump,
        .slow = common.slow,
        .slow_user = common.slow_user,
        .slow_after_ns = common.slow_after_ns,
    };
    struct ct_objective objective;
    enum ct_status status =
        ct_objective_choose(work->spec, run->options->objective, &objective, err);

    if (!status)
        status = ct_workload_plan(work, objective.needs, &run->arena, &run->plan, err);
    if (!status)
        status = ct_runner_new(work->device, &run->runner, err);
    if (!status)
        status =
            ct_runner_evaluate(run->runner, &run->plan, &options, &run->outcome, err);
    run->measured = !status;
    if (status)
        ct_place_error(work->spec, err);
    return status;
}
