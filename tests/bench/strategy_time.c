// SPDX-License-Identifier: Apache-2.0
// What the surrogate itself takes: strategy_time SPACE.ini [EVALUATIONS] prints the processor time
// per evaluation, of an artificial cost of which some work-groups are refused.
#include "search/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARAMS_MOST = 64 };

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The first two parameters make the work-group. */
static struct ct_strategy_result result_of(const uint32_t *config, size_t params)
{
    struct ct_strategy_result result = {.spent_ns = 1e9};
    double sum = 0;

    for (size_t p = 0; p < params; p++)
        sum += fabs((double)config[p] - 3 - (double)(p % 3)) * (0.1 + 0.05 * (double)p);
    result.headroom = exp2(13 - (double)config[0] - (double)config[1]);
    result.ok = result.headroom >= 1;
    result.failure = result.ok ? CT_FAILURE_NONE : CT_FAILURE_INVALID;
    result.objective = exp(sum / 4);
    return result;
}

static void measure(const struct ct_space *space, size_t params, int evaluations)
{
    struct ct_strategy *strategy;
    struct ct_err err = CT_ERR_INIT;
    double own_ms = 0;
    double most_ms = 0;

    if (ct_strategy_new("surrogate", space, 1, &strategy, &err))
        return;
    for (int i = 0; i < evaluations; i++) {
        uint32_t config[PARAMS_MOST];
        struct ct_strategy_result result;
        uint64_t index;
        double start_ms = now_ms();
        double took_ms;

        if (!ct_strategy_ask(strategy, 1, &index))
            break;
        took_ms = now_ms() - start_ms;
        ct_space_config(space, index, config);
        result = result_of(config, params);
        start_ms = now_ms();
        ct_strategy_tell(strategy, index, &result);
        took_ms += now_ms() - start_ms;
        own_ms += took_ms;
        most_ms = took_ms > most_ms ? took_ms : most_ms;
    }
    ct_strategy_free(strategy);
    printf("%12llu configurations: %.2f ms per evaluation, at most %.1f ms\n",
           (unsigned long long)ct_space_count(space), own_ms / evaluations, most_ms);
}

int main(int argc, char **argv)
{
    static const struct ct_binding_options none;
    struct ct_spec *spec = NULL;
    struct ct_binding *binding = NULL;
    struct ct_space *space = NULL;
    struct ct_diags diags = {0};
    struct ct_err err = CT_ERR_INIT;
    int evaluations = argc > 2 ? atoi(argv[2]) : 400;
    int failed = argc < 2 || evaluations < 1 ||
                 ct_spec_load(argv[1], &spec, &diags, &err) ||
                 spec->param_count > PARAMS_MOST || spec->param_count < 2 ||
                 ct_binding_new(spec, &none, &binding, &diags, &err) ||
                 ct_space_new(binding, NULL, &space, &err);

    if (failed)
        fprintf(stderr, "strategy_time: %s\n", err.code ? err.message : "SPACE.ini?");
    else
        measure(space, spec->param_count, evaluations);
    ct_space_free(space);
    ct_binding_free(binding);
    ct_spec_free(spec);
    ct_diags_release(&diags);
    return failed;
}
