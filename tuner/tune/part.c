// SPDX-License-Identifier: Apache-2.0
// Which part of the space a search measures, and the strategy for it.
//
// With results of other searches (--with) parts are even in expected time, too.  A configuration with
// a result is expected to take what it took there: build, check, samples.  Any other one takes the
// mean of all, times a factor for each of its values: the mean of those that have the value, relative
// to the mean of all, drawn towards 1 as if one more of average cost were known.  These are sums and
// quotients only: all machines of a cluster compute the same parts.
#include "tune/search_impl.h"

#include "db/store.h"

#include <stdlib.h>
#include <string.h>

/* Larger spaces are divided by number alone: costs take 40 bytes for each configuration. */
enum { BALANCED_MOST = 1 << 24 };

/* A kernel, device and problem in one of the databases. */
struct origin {
    size_t file;
    int64_t device_id;
    int64_t kernel_id;
    int64_t problem_id;
    bool same_device; /* by its name */
    uint64_t result_count;
};

struct costs {
    struct ct_search *search;
    double *of; /* by index; 0: unknown */
    size_t known;
};

static enum ct_status note_cost(void *user, const struct ct_db_known *known,
                                struct ct_err *err)
{
    struct costs *costs = user;
    double spent_ns = (double)known->build_ns + (double)known->first_ns +
                      (double)known->check_ns + (double)known->measure_ns;
    int64_t index;
    enum ct_status status;

    if (!(spent_ns > 0))
        return CT_OK;
    status = ct_search_stored_index(costs->search, known, &index, err);
    if (status || index == CT_OUTSIDE)
        return status;
    costs->known += !(costs->of[index] > 0);
    costs->of[index] = spent_ns;
    return CT_OK;
}

/* The results of this device count before others, then those that are most. */
static bool origin_precedes(const struct origin *a, const struct origin *b)
{
    return a->same_device != b->same_device ? a->same_device
                                            : a->result_count > b->result_count;
}

static enum ct_status find_in(const struct ct_search *search, struct ct_db *db,
                              size_t file, struct origin *best, struct ct_err *err)
{
    const char *name = ct_devinfo_text(search->work.device, CT_DEVICE_NAME);
    struct ct_arena arena = {0};
    struct ct_db_record *listed = NULL;
    size_t count = 0;
    enum ct_status status =
        ct_search_list_records(search, db, &arena, &listed, &count, err);

    for (size_t i = 0; i < count && !status; i++) {
        struct origin origin = {file,
                                listed[i].of.device_id,
                                listed[i].of.kernel_id,
                                listed[i].of.problem_id,
                                strcmp(listed[i].of.device_name, name) == 0,
                                listed[i].result_count};

        if (!best->result_count || origin_precedes(&origin, best))
            *best = origin;
    }
    ct_arena_release(&arena);
    return status;
}

/* Reads what configurations have taken in the databases of --with. */
static enum ct_status read_costs(struct ct_search *search, struct costs *costs,
                                 struct ct_err *err)
{
    const struct ct_db_options reading = {.mode = CT_DB_READ};
    struct origin best = {0};
    struct ct_db *db = NULL;
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < search->options->with_count && !status; i++) {
        status = ct_db_open(search->options->with[i], &reading, &db, err);
        if (!status)
            status = find_in(search, db, i, &best, err);
        ct_db_close(db);
        db = NULL;
    }
    if (status || !best.result_count)
        return status;
    status = ct_db_open(search->options->with[best.file], &reading, &db, err);
    if (!status)
        status = ct_db_results_each(db, best.device_id, best.kernel_id, best.problem_id,
                                    note_cost, costs, err);
    ct_db_close(db);
    return status;
}

/* Expected costs by value: sums and counts of known ones. */
struct effects {
    size_t params;
    size_t *first; /* of a parameter's values in the arrays below */
    double *sums;
    double *counts;
    uint32_t *config;
    double mean;
};

static void release_effects(struct effects *effects)
{
    free(effects->first);
    free(effects->sums);
    free(effects->counts);
    free(effects->config);
}

static enum ct_status find_effects(const struct ct_space *space,
                                   const struct costs *costs, uint64_t count,
                                   struct effects *out, struct ct_err *err)
{
    const struct ct_binding *binding = ct_space_binding(space);
    size_t values = 0;
    double sum = 0;

    out->params = binding->spec->param_count;
    out->first = ct_mem_array(out->params + 1, sizeof(*out->first));
    out->config = ct_mem_array(out->params + 1, sizeof(*out->config));
    if (!out->first || !out->config)
        return ct_err_nomem(err);
    for (size_t p = 0; p < out->params; p++) {
        out->first[p] = values;
        values += binding->domains[p].count;
    }
    out->sums = ct_mem_array(values + 1, sizeof(*out->sums));
    out->counts = ct_mem_array(values + 1, sizeof(*out->counts));
    if (!out->sums || !out->counts)
        return ct_err_nomem(err);
    for (uint64_t i = 0; i < count; i++) {
        if (!(costs->of[i] > 0))
            continue;
        sum += costs->of[i];
        ct_space_config(space, i, out->config);
        for (size_t p = 0; p < out->params; p++) {
            out->sums[out->first[p] + out->config[p]] += costs->of[i];
            out->counts[out->first[p] + out->config[p]]++;
        }
    }
    out->mean = sum / (double)costs->known;
    return CT_OK;
}

static double expected_cost(const struct ct_space *space, struct effects *effects,
                            uint64_t index)
{
    const double most = 1e9;
    double factor = 1;

    ct_space_config(space, index, effects->config);
    for (size_t p = 0; p < effects->params; p++) {
        size_t at = effects->first[p] + effects->config[p];

        factor *= (effects->sums[at] / effects->mean + 1) / (effects->counts[at] + 1);
        factor = factor > most ? most : factor;
    }
    return effects->mean * factor;
}

/* Divides by cost, if anything is known. */
static enum ct_status balance(struct ct_search *search, uint64_t count,
                              struct ct_err *err)
{
    const struct ct_space *space = search->work.space;
    struct ct_part *part = &search->part.part;
    struct costs costs = {search, ct_mem_array((size_t)count, sizeof(double)), 0};
    struct effects effects = {0};
    enum ct_status status =
        costs.of ? read_costs(search, &costs, err) : ct_err_nomem(err);

    if (!status && costs.known)
        status = find_effects(space, &costs, count, &effects, err);
    if (!status && costs.known) {
        for (uint64_t i = 0; i < count; i++)
            if (!(costs.of[i] > 0))
                costs.of[i] = expected_cost(space, &effects, i);
        part->indices =
            ct_mem_array((size_t)(count / part->of + 1), sizeof(*part->indices));
        status = part->indices ? ct_space_deal(costs.of, count, part->of, part->number,
                                               part->indices, &part->count,
                                               &search->part.share, err)
                               : ct_err_nomem(err);
        search->part.known = costs.known;
    }
    release_effects(&effects);
    free(costs.of);
    return status;
}

enum ct_status ct_search_choose_part(struct ct_search *search, struct ct_err *err)
{
    const struct ct_tune_options *options = search->options;
    const char *strategy = options->strategy;
    uint64_t count = ct_space_count(search->work.space);
    struct ct_space_stats stats;

    if (!options->shard.of)
        return CT_OK;
    if (strategy && strcmp(strategy, "exhaustive") != 0)
        return ct_err_set(err, CT_E_USAGE,
                          "--shard divides an exhaustive search, but the strategy is "
                          "'%s': use --island %llu/%llu, which gives each search random "
                          "choices of its own",
                          strategy, (unsigned long long)options->shard.number,
                          (unsigned long long)options->shard.of);
    ct_space_stats_get(search->work.space, &stats);
    if (!stats.valid_exact)
        return ct_err_set(
            err, CT_E_USAGE,
            "--shard requires a space that can be counted: use --island %llu/%llu",
            (unsigned long long)options->shard.number,
            (unsigned long long)options->shard.of);
    search->part.part = (struct ct_part){
        .number = options->shard.number - 1,
        .of = options->shard.of,
        .count = ct_space_shard_count(search->work.space, options->shard.number - 1,
                                      options->shard.of),
    };
    search->part.share = (double)search->part.part.count / (double)count;
    return options->with_count && count <= BALANCED_MOST && options->shard.of <= count
               ? balance(search, count, err)
               : CT_OK;
}

const char *ct_search_strategy_for(const struct ct_search *search, bool limited,
                                   struct ct_err *err)
{
    const struct ct_tune_options *options = search->options;
    const char *declared = search->work.spec->measure.strategy.text;
    const char *name = options->strategy ? options->strategy
                       : declared        ? declared
                       : limited         ? "auto"
                                         : "exhaustive";

    if (search->part.part.of)
        return "exhaustive";
    if (!options->island.of)
        return name;
    if (!options->strategy && !declared)
        return "surrogate";
    if (strcmp(name, "exhaustive") == 0) {
        ct_err_set(err, CT_E_USAGE,
                   "--island requires a strategy with random choices, not '%s': use "
                   "--shard %llu/%llu, which divides the space",
                   name, (unsigned long long)options->island.number,
                   (unsigned long long)options->island.of);
        return NULL;
    }
    return strcmp(name, "auto") == 0 ? "surrogate" : name;
}

enum ct_status ct_search_new_strategy(const struct ct_search *search, const char *name,
                                      struct ct_strategy **out, struct ct_err *err)
{
    return search->part.part.of
               ? ct_strategy_new_part(search->work.space, &search->part.part, out, err)
               : ct_strategy_new(name, search->work.space, search->options->seed, out,
                                 err);
}

uint64_t ct_search_count(const struct ct_search *search)
{
    return search->part.part.of ? search->part.part.count
                                : ct_space_count(search->work.space);
}

uint64_t ct_search_left(const struct ct_search *search)
{
    uint64_t left = ct_search_count(search);

    for (size_t i = 0; i < search->results.done_count; i++) {
        const struct ct_evaluated *entry = &search->results.done[i];
        bool inside = ct_part_has(&search->part.part, (uint64_t)entry->index);

        if (inside && entry->stored)
            left--;
        else if (!inside && !entry->stored)
            left++;
    }
    return left;
}
