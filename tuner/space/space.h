// SPDX-License-Identifier: Apache-2.0
// The valid configurations of a bound specification, without listing them: counts, indices,
// samples, neighbours.
//
// A configuration is an array of param_count value indices (into the binding's domains). Valid
// configurations have indices 0 to count - 1, in an order that depends only on the specification
// and its binding.
#ifndef CT_SPACE_SPACE_H
#define CT_SPACE_SPACE_H

#include "base/rng.h"
#include "plan/binding.h"

#include <stdbool.h>
#include <stdint.h>

struct ct_space;

/* What one constraint does.  A constraint is decided once for all partial configurations that are
 * equivalent for it; the numbers are of the combinations behind them, in order of deciding: of
 * `tried` combinations (of values of all parameters of its component, without those that earlier
 * constraints removed) it `removed` some, and `failed` of those could not be evaluated.  Doubles,
 * because they are often beyond 2^64; exact below 2^53.
 *
 * The operands of a constraint `a && b` are decided one by one, each as soon as possible:
 * `removed` is what all of them removed, `tried` the largest number that one of them tried, and
 * an operand that fails counts even if one before it is false.  A combination counts as removed
 * as soon as that is certain, even before the constraint is decided (by the least value that a
 * product can still get): the sum of `removed` over a component's constraints and of its valid
 * combinations is the total, except for duplicates by inactive parameters.  If a space is found
 * empty before any component is built, constraints of several parameters have not been tried.
 *
 * Operands of one `&&` may belong to different components.  Each then counts combinations of its
 * own component, and `removed` and `failed` add these up although they are of different kinds:
 * they are comparable within a component only. */
struct ct_constraint_stats {
    double tried;
    double removed;
    double failed;
    /* That of its first operand that is not vacuous; SIZE_MAX: depends on no parameter, or holds
     * for every value. */
    size_t component;
    bool undecided; /* needs a device; taken as satisfied */
    bool vacuous;   /* holds for every combination of the names it depends on */
};

/* Parameters connected by constraints, directly or through others. */
struct ct_component_stats {
    size_t param_count;
    const size_t *params; /* in the order of the diagram's levels */
    double cartesian;
    uint64_t valid; /* UINT64_MAX: there are more */
    bool valid_exact;
    uint64_t nodes; /* of its diagram, without the terminal; 0 if enumerated */
    uint64_t edges; /* one for each value of each node that leads somewhere */
    bool enumerated;
};

struct ct_space_stats {
    double cartesian; /* product of the numbers of values */
    /* Without duplicates by inactive parameters; UINT64_MAX if there are more, or if counting
     * them would exceed the limits: then it is not exact. */
    uint64_t canonical;
    bool canonical_exact;
    bool valid_exact;    /* false: there are more than `valid` */
    uint64_t valid;      /* UINT64_MAX: there are more */
    double valid_approx; /* if `valid` is not exact, the number as a real */
    uint64_t nodes;      /* sums over the components */
    uint64_t edges;
    uint64_t tried;        /* pairs of state and value that were examined */
    uint64_t bytes;        /* memory held */
    uint64_t peak_bytes;   /* most memory held while constructing */
    uint64_t construct_ns; /* construction time */
    size_t component_count;
    const struct ct_component_stats *components;
    size_t constraint_count;
    const struct ct_constraint_stats *constraints; /* in file order */
};

struct ct_space_options {
    /* Construction stops with CT_E_SPEC if it would hold more, naming the component and the
     * constraint that connects it; 0: CT_SPACE_MEMORY_BYTES.  It also stops after 10^10 pairs of
     * state and value, which take a minute or two. */
    uint64_t memory_max_bytes;
    /* Part of that which the caller holds already: the file's text, the parameters' values. */
    uint64_t memory_used_bytes;
    /* Enumerate the components whose diagram would exceed that, instead of failing (up to the
     * same limit). */
    bool enumerate;
};

#define CT_SPACE_MEMORY_BYTES ((uint64_t)1 << 30)

/* Builds the space.  `binding` must outlive it; `options` may be NULL.  A configuration is valid
 * if it is canonical (every inactive parameter has its inactive value, and no active one has a
 * value that a restriction removed) and every constraint holds or is undecided.  CT_E_NOMEM; CT_E_SPEC at the memory limit (with a remedy in `err`).  A space without valid
 * configurations is CT_OK with count 0. */
enum ct_status ct_space_new(const struct ct_binding *binding,
                            const struct ct_space_options *options, struct ct_space **out,
                            struct ct_err *err);
void ct_space_free(struct ct_space *space);

const struct ct_binding *ct_space_binding(const struct ct_space *space);

/* Number of valid configurations; UINT64_MAX stands for that many or more (see valid_exact). Then
 * indices reach the first 2^64 - 1 of them; sampling, walking, membership and neighbours reach
 * all. */
uint64_t ct_space_count(const struct ct_space *space);
void ct_space_stats_get(const struct ct_space *space, struct ct_space_stats *stats);

/* Configuration number `index` (below the count) into config[param_count]. */
void ct_space_config(const struct ct_space *space, uint64_t index, uint32_t *config);

/* Whether `config` is valid (value indices beyond a domain are not). */
bool ct_space_contains(const struct ct_space *space, const uint32_t *config);

/* Whether `config` is valid and has an index; if so, its index. */
bool ct_space_index(const struct ct_space *space, const uint32_t *config,
                    uint64_t *index);

/* Index of the configuration with these values; false if it is not in the space. */
bool ct_space_find(const struct ct_space *space, const struct ct_value *values,
                   uint64_t *index);

/* The ordered walk: the first valid configuration, and the one after `config` (valid), in place.
 * False if there is none (then `config` is unchanged). */
bool ct_space_first(const struct ct_space *space, uint32_t *config);
bool ct_space_next(const struct ct_space *space, uint32_t *config);

/* Number of configurations in shard `shard` (from 0) of `shards`, and the index of its
 * number `i`, which ascends with `i`: of every `shards` neighbours in the order of the space each
 * shard has one, not always the same, so that shards are alike.  Together they are the space, each
 * configuration once.  For spaces whose count is exact. */
uint64_t ct_space_shard_count(const struct ct_space *space, uint64_t shard,
                              uint64_t shards);
uint64_t ct_space_shard_index(uint64_t shard, uint64_t shards, uint64_t i);

/* The shard that an index belongs to. */
uint64_t ct_space_shard_of(uint64_t index, uint64_t shards);

/* Divides `count` things with these costs (finite, not negative) into `shards` parts whose sizes
 * differ by at most one, and whose costs hardly: they are dealt from the most to the least
 * expensive, in rounds of one for each part, the most expensive of a round to the part that has
 * least so far (Graham's longest-processing-time rule, 1969, with even sizes).  Only additions and
 * comparisons of numbers: the same everywhere.  The numbers of part `shard` (from 0) go to `out`,
 * ascending, which has room for count / shards + 1 of them; `share`: its share of the whole cost.
 * CT_E_NOMEM. */
enum ct_status ct_space_deal(const double *costs, uint64_t count, uint64_t shards,
                             uint64_t shard, uint64_t *out, uint64_t *out_count,
                             double *share, struct ct_err *err);

/* A growing list of configurations; starts as {0}. */
struct ct_config_list {
    size_t param_count;
    size_t count;
    size_t room;
    uint32_t *configs; /* count * param_count */
};
void ct_config_list_release(struct ct_config_list *list);
const uint32_t *ct_config_list_at(const struct ct_config_list *list, size_t i);

/* Appends a uniform sample of min(count, valid) different configurations, in random
 * order, drawn from `seed` (the same everywhere).  CT_E_NOMEM. */
enum ct_status ct_space_sample(const struct ct_space *space, size_t count, uint64_t seed,
                               struct ct_config_list *list, struct ct_err *err);

/* The valid configurations that have value number `value` of parameter `param`. */
struct ct_space_part;

/* `space` must outlive it.  NULL: out of memory. */
struct ct_space_part *ct_space_part_new(const struct ct_space *space, size_t param,
                                        uint32_t value);
void ct_space_part_free(struct ct_space_part *part);

/* How many they are, approximately if there are very many. */
double ct_space_part_count(const struct ct_space_part *part);

/* A random one, each as likely as any other, into config[param_count]; false if there is none. */
bool ct_space_part_draw(const struct ct_space_part *part, struct ct_rng *rng,
                        uint32_t *config);

enum ct_neighbourhood {
    CT_NEIGHBOURS_ONE, /* one parameter has any other value (Hamming distance 1) */
    /* one parameter has the nearest value before or after its own in its list that gives a valid
     * configuration */
    CT_NEIGHBOURS_ADJACENT,
    CT_NEIGHBOURS_TWO, /* one or two parameters have other values */
};

/* Appends the valid neighbours of `config`, each once, without `config` itself.  `config` may be
 * invalid.  Parameters that become inactive by a change take their inactive value; that is not
 * counted as a change.  CT_E_NOMEM. */
enum ct_status ct_space_neighbours(const struct ct_space *space, const uint32_t *config,
                                   enum ct_neighbourhood kind,
                                   struct ct_config_list *list, struct ct_err *err);

/* The valid configuration nearest to `config` (inactive parameters given their inactive value
 * first; then fewest parameters with other values; among those the smallest sum of distances in
 * the lists of values; among those the first): into `nearest`, which may be `config`.  False if
 * the space is empty.  CT_E_NOMEM in `err`. */
bool ct_space_nearest(const struct ct_space *space, const uint32_t *config,
                      uint32_t *nearest, struct ct_err *err);

#endif
