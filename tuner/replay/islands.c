// SPDX-License-Identifier: Apache-2.0
// A simulation by events: each island evaluates one configuration at a time, and whoever ends first
// is next.
#include "replay/islands.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As searches do (tune/islands.c). */
static const double read_every_ns = 1e9;

struct island {
    struct ct_strategy *strategy;
    uint64_t index;  /* of the configuration in work */
    double ends_ns;  /* INFINITY: it has no more */
    double reads_ns; /* when it reads next */
    size_t read;     /* results of all that it has seen */
};

struct islands {
    const struct ct_recorded *recorded;
    const struct ct_replay_options *options;
    struct ct_replay *out;
    size_t base; /* of the repeat in the arrays of `out` */
    size_t count;
    size_t begun;
    double best_ns;
    struct island *items;
};

static uint64_t own_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct ct_strategy_result result_of(const struct islands *all, uint64_t index)
{
    return ct_record_result(&all->recorded->records[index]);
}

static void begin_next(struct islands *all, struct island *island, double now_ns)
{
    island->ends_ns = INFINITY;
    if (all->begun == all->out->evaluations ||
        !ct_strategy_ask(island->strategy, 1, &island->index))
        return;
    all->begun++;
    island->ends_ns = now_ns + result_of(all, island->index).spent_ns;
}

/* What the others have found since it last read; its own results come again, and count once. */
static void read_others(struct islands *all, struct island *island, double now_ns)
{
    if (now_ns < island->reads_ns)
        return;
    island->reads_ns = now_ns + read_every_ns;
    for (; island->read < all->count; island->read++) {
        uint64_t index = all->out->indices[all->base + island->read];
        struct ct_strategy_result result = result_of(all, index);

        ct_strategy_tell(island->strategy, index, &result);
    }
}

static void end_evaluation(struct islands *all, struct island *island)
{
    struct ct_strategy_result result = result_of(all, island->index);
    size_t at = all->base + all->count++;

    if (result.ok && result.objective < all->best_ns)
        all->best_ns = result.objective;
    all->out->indices[at] = island->index;
    all->out->best_ns[at] = all->best_ns;
    all->out->spent_ns[at] = island->ends_ns;
    ct_strategy_tell(island->strategy, island->index, &result);
}

static struct island *first_to_end(const struct islands *all)
{
    struct island *first = &all->items[0];

    for (size_t i = 1; i < all->options->islands; i++)
        if (all->items[i].ends_ns < first->ends_ns)
            first = &all->items[i];
    return first->ends_ns < INFINITY ? first : NULL;
}

static void run_all(struct islands *all)
{
    struct island *island;

    for (size_t i = 0; i < all->options->islands; i++)
        begin_next(all, &all->items[i], 0);
    while ((island = first_to_end(all))) {
        double now_ns = island->ends_ns;

        end_evaluation(all, island);
        read_others(all, island, now_ns);
        begin_next(all, island, now_ns);
    }
}

static enum ct_status begin_island(const struct islands *all, const char *strategy,
                                   uint64_t seed, struct island *island,
                                   struct ct_err *err)
{
    const struct ct_replay_options *options = all->options;
    const struct ct_limits limits = {options->evaluations, true};
    enum ct_status status =
        ct_strategy_new(strategy, all->recorded->space, seed, &island->strategy, err);

    if (status)
        return status;
    ct_strategy_limit(island->strategy, &limits);
    for (size_t i = 0; i < options->transfer_count; i++)
        ct_strategy_transfer(island->strategy, options->transfers[i].index,
                             &options->transfers[i].result, options->transfers[i].source);
    return CT_OK;
}

enum ct_status ct_replay_islands(const struct ct_recorded *recorded, const char *strategy,
                                 const struct ct_replay_options *options, uint64_t seed,
                                 size_t number, struct ct_replay *out, struct ct_err *err)
{
    struct islands all = {.recorded = recorded,
                          .options = options,
                          .out = out,
                          .base = number * out->evaluations,
                          .best_ns = INFINITY};
    uint64_t start_ns = own_clock_ns();
    enum ct_status status = CT_OK;
    size_t made = 0;

    all.items = ct_mem_array(options->islands, sizeof(*all.items));
    if (!all.items)
        return ct_err_nomem(err);
    memset(all.items, 0, options->islands * sizeof(*all.items));
    for (; made < options->islands && !status; made += !status)
        status = begin_island(&all, strategy, seed + made, &all.items[made], err);
    if (!status)
        run_all(&all);
    for (size_t i = 0; i < made; i++)
        ct_strategy_free(all.items[i].strategy);
    free(all.items);
    out->own_ns += (double)(own_clock_ns() - start_ns);
    out->counts[number] = all.count;
    out->asked += all.count;
    return status;
}
