// SPDX-License-Identifier: Apache-2.0
// The environment of a runner's process.
#include "schedule/runner_impl.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char tunables[] = "GLIBC_TUNABLES";

static bool is_ours_to_set(const struct ct_runner *runner)
{
    const struct ct_plan *plan = runner->plan;

    if (!runner->only_builds || plan->command || getenv(tunables))
        return false;
    for (size_t i = 0; i < plan->env_count; i++)
        if (!strcmp(plan->env[i].name, tunables))
            return false;
    return true;
}

/* Compilers take memory in millions of small pieces: in large pages PoCL's needs a sixth less processor
 * time, where the system gives such pages to those that ask (glibc 2.35 or later; others know nothing
 * of it).  Not where kernels are timed, whose buffers would lie in such pages, too. */
enum ct_status ct_runner_start_process(struct ct_runner *runner, struct ct_err *err)
{
    const struct ct_plan *plan = runner->plan;
    struct ct_plan_env *env;
    enum ct_status status;

    if (!is_ours_to_set(runner))
        return ct_worker_start(&runner->worker, plan->env, plan->env_count, err);
    env = ct_mem_array((uint64_t)plan->env_count + 1, sizeof(*env));
    if (!env)
        return ct_err_nomem(err);
    if (plan->env_count)
        memcpy(env, plan->env, plan->env_count * sizeof(*env));
    env[plan->env_count] = (struct ct_plan_env){
        .name = tunables,
        .value = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216"};
    status = ct_worker_start(&runner->worker, env, plan->env_count + 1, err);
    free(env);
    return status;
}
