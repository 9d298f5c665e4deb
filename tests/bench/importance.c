// SPDX-License-Identifier: Apache-2.0
// What the analysis of importance finds in a part of a recorded space, beside all of it: see
// scripts/bench-importance.
#include "base/clock.h"
#include "base/mem.h"
#include "replay/recorded.h"
#include "spacefile/spec.h"
#include "tune/importance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };

struct sample {
    struct ct_value *values;
    double *cost;
    const char **names;
    struct ct_importance_input input;
};

static void add(struct sample *sample, const struct ct_recorded *recorded, uint64_t index)
{
    uint32_t config[64];
    size_t width = sample->input.width;

    if (recorded->records[index].failure != CT_FAILURE_NONE) {
        sample->input.failed++;
        return;
    }
    ct_space_config(recorded->space, index, config);
    ct_binding_values(recorded->binding, config,
                      sample->values + sample->input.count * width);
    sample->cost[sample->input.count++] = recorded->records[index].time_ns;
}

static void clear(struct sample *sample)
{
    sample->input.count = 0;
    sample->input.failed = 0;
}

/* What a strategy would have measured. */
static void fill(struct sample *sample, const struct ct_recorded *recorded,
                 const char *name, size_t count, uint64_t seed)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_strategy *strategy;
    uint64_t index;

    clear(sample);
    if (ct_strategy_new(name, recorded->space, seed, &strategy, &err))
        abort();
    for (size_t i = 0; i < count && ct_strategy_ask(strategy, 1, &index); i++) {
        const struct ct_record *record = &recorded->records[index];
        struct ct_strategy_result result = {.ok = record->failure == CT_FAILURE_NONE,
                                            .objective = record->time_ns,
                                            .failure = record->failure};

        ct_strategy_tell(strategy, index, &result);
        add(sample, recorded, index);
    }
    ct_strategy_free(strategy);
}

static double weight_of(const struct ct_importance *found, const char *name)
{
    for (size_t p = 0; p < found->param_count; p++)
        if (strcmp(found->params[p].name, name) == 0)
            return isnan(found->params[p].total) ? found->params[p].main
                                                 : found->params[p].total;
    return 0;
}

/* Prints the parameters that matter most, and pairs. */
static void print_found(const struct ct_importance *found)
{
    for (size_t p = 0; p < found->param_count; p++) {
        const struct ct_importance_param *param = &found->params[p];

        printf("    %-28s main %4.2f total %4.2f worth %5.2f (%.2f-%.2f)%s%s\n",
               param->name, param->main, param->total, param->worth, param->low,
               param->high, param->matters ? " matters" : "",
               param->no_difference ? " no difference" : "");
    }
    for (size_t i = 0; i < found->pair_count; i++)
        printf("    %s x %s: %.2f\n", found->pairs[i].names[0], found->pairs[i].names[1],
               found->pairs[i].share);
}

static void compare(struct sample *sample, const struct ct_recorded *recorded,
                    const struct ct_importance *truth, const char *strategy, size_t count)
{
    double difference = 0;
    double seconds = 0;
    double explained = 0;
    size_t known = 0;
    size_t same = 0;
    size_t false_nothing = 0;

    for (uint64_t seed = 1; seed <= REPEATS; seed++) {
        struct ct_err err = CT_ERR_INIT;
        struct ct_importance found;
        uint64_t start;

        fill(sample, recorded, strategy, count, seed);
        start = ct_clock_now_ns();
        if (ct_importance_find(&sample->input, &found, &err))
            abort();
        seconds += (double)(ct_clock_now_ns() - start) / 1e9;
        explained += found.explained;
        if (getenv("SHOW"))
            print_found(&found);
        if (found.state == CT_IMPORTANCE_KNOWN) {
            known++;
            same += weight_of(truth, found.params[0].name) >
                    weight_of(truth, truth->params[0].name) - 0.1;
            for (size_t p = 0; p < truth->param_count; p++)
                difference += fabs(weight_of(&found, truth->params[p].name) -
                                   weight_of(truth, truth->params[p].name)) /
                              (double)truth->param_count;
        }
        for (size_t p = 0; p < found.param_count; p++)
            false_nothing += found.params[p].no_difference &&
                             weight_of(truth, found.params[p].name) > 0.01;
        ct_importance_release(&found);
    }
    printf(
        "  %-9s %4zu: explains %4.2f, says so %zu of %d, a true leader first %zu, share off by %.3f, "
        "wrong 'no difference' %zu, %.2f s\n",
        strategy, count, explained / REPEATS, known, REPEATS, same,
        known ? difference / (double)known : 0, false_nothing, seconds / REPEATS);
}

static int measure(const char *path)
{
    struct ct_err err = CT_ERR_INIT;
    struct ct_recorded *recorded;
    struct ct_importance truth;
    struct sample sample = {0};
    uint64_t valid;

    if (ct_recorded_read(path, &recorded, &err)) {
        fprintf(stderr, "importance: %s\n", err.message);
        return 1;
    }
    valid = ct_space_count(recorded->space);
    sample.input.width = recorded->spec->param_count;
    sample.names = ct_mem_array(sample.input.width, sizeof(*sample.names));
    sample.values = ct_mem_array(valid * sample.input.width, sizeof(*sample.values));
    sample.cost = ct_mem_array(valid, sizeof(*sample.cost));
    if (!sample.names || !sample.values || !sample.cost)
        abort();
    for (size_t p = 0; p < sample.input.width; p++)
        sample.names[p] =
            recorded->spec->slots.symbols[recorded->spec->params[p].slot].name;
    sample.input.names = sample.names;
    sample.input.values = sample.values;
    sample.input.cost = sample.cost;
    sample.input.valid = valid;
    for (uint64_t i = 0; i < valid; i++)
        add(&sample, recorded, i);
    {
        uint64_t start = ct_clock_now_ns();

        if (ct_importance_find(&sample.input, &truth, &err))
            abort();
        printf("%s: %" PRIu64 " configurations, %zu of %zu decide, %.2f s\n",
               recorded->name, valid, truth.deciding, truth.param_count,
               (double)(ct_clock_now_ns() - start) / 1e9);
    }
    print_found(&truth);
    for (size_t count = 50; count <= 400; count *= 2) {
        compare(&sample, recorded, &truth, "random", count);
        compare(&sample, recorded, &truth, "surrogate", count);
    }
    ct_importance_release(&truth);
    ct_recorded_free(recorded);
    free(sample.names);
    free(sample.values);
    free(sample.cost);
    return 0;
}

int main(int argc, char **argv)
{
    int worst = 0;

    for (int i = 1; i < argc; i++) {
        int status = measure(argv[i]);

        worst = status ? status : worst;
    }
    return fflush(stdout) ? 1 : worst;
}
