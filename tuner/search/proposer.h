// SPDX-License-Identifier: Apache-2.0
// What the classical strategies share: they have ideas, one at a time; the proposer proposes the
// new ones, answers known ones without an evaluation, and draws a random configuration when ideas
// run out, so that the rules of strategy.h hold.
#ifndef CT_SEARCH_PROPOSER_H
#define CT_SEARCH_PROPOSER_H

#include "search/history.h"
#include "search/strategy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ct_proposer;

/* Tag of a result that belongs to no idea: drawn at random, or reported without a proposal. */
#define CT_PROPOSER_STRAY UINT64_MAX

struct ct_proposer_hooks {
    /* The next idea: value indices, within the domains but not necessarily valid, into `config`
     * (the nearest valid configuration is used), and a tag that identifies the result.  False if
     * there is none before more results come. */
    bool (*propose)(struct ct_proposer *proposer, uint32_t *config, uint64_t *tag);
    /* What a (valid) configuration cost, INFINITY for a failure. */
    void (*result)(struct ct_proposer *proposer, const uint32_t *config, double cost,
                   uint64_t tag);
};

/* Every classical strategy starts with this. */
struct ct_proposer {
    struct ct_strategy base;
    const struct ct_proposer_hooks *hooks;
    struct ct_history history;
    struct ct_map tags; /* of proposed configurations */
    const struct ct_domain *domains;
    size_t param_count;
    struct ct_limits limits;
    uint32_t *config; /* scratch */
    uint32_t *idea;
};

/* False if out of memory; ct_proposer_release then still works. */
bool ct_proposer_init(struct ct_proposer *proposer, const struct ct_proposer_hooks *hooks,
                      const struct ct_space *space, uint64_t seed);
void ct_proposer_release(struct ct_proposer *proposer);

/* For the classes. */
size_t ct_proposer_ask(struct ct_strategy *strategy, size_t max, uint64_t *indices);
void ct_proposer_tell(struct ct_strategy *strategy, uint64_t index,
                      const struct ct_strategy_result *result);
void ct_proposer_limit(struct ct_strategy *strategy, const struct ct_limits *limits);

/* A random valid configuration, in the history or not; false in an empty space. */
bool ct_proposer_random(struct ct_proposer *proposer, uint32_t *config);

/* The valid configurations that differ from `config` in one parameter, into `list`, in random
 * order; with `turns` parameters alternate, so that those with few values are not lost among the
 * others.  False if out of memory. */
bool ct_proposer_around(struct ct_proposer *proposer, const uint32_t *config, bool turns,
                        struct ct_config_list *list);

/* Evaluations to plan for without a limit. */
enum { CT_PROPOSER_EVALUATIONS = 400 };

/* Progress of the search, 0 to 1 (and beyond 1 past the horizon). */
double ct_proposer_progress(const struct ct_proposer *proposer);

/* How much worse `cost` is than `than`, as a difference of logarithms if both are positive, of
 * values otherwise; INFINITY for a failure. */
double ct_proposer_excess(double cost, double than);

#endif
