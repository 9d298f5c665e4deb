// SPDX-License-Identifier: Apache-2.0
// Ranges and lists of candidates.
#include "space/space_candidates.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORTHWHILE = 12,       /* with fewer values, trying all is as good */
    FACTORS_MAX = 1 << 20, /* numbers that get a table of prime factors */
    TRIAL_MAX = 1 << 24,   /* numbers whose divisors are found by trial */
    RANGE_MAX = 1 << 21,   /* of g's values, for finding positions by value */
};

/* --- monotone roots --- */

enum direction { CONSTANT, RISING, FALLING, NEITHER };

static enum direction turn(enum direction d)
{
    return d == RISING ? FALLING : d == FALLING ? RISING : d;
}

static enum direction combined_direction(enum direction a, enum direction b)
{
    if (a == CONSTANT || a == b)
        return b;
    return b == CONSTANT ? a : NEITHER;
}

/* How a table's values change with the position. */
static enum direction table_direction(const struct ct_dag_node *node)
{
    enum direction d = CONSTANT;

    if (!node->table || node->tag > CT_TAG_REAL || node->may_fail)
        return NEITHER;
    for (size_t i = 1; i < node->table_size && d != NEITHER; i++) {
        struct ct_value a = ct_dag_value(node->table[i - 1], node->tag);
        struct ct_value b = ct_dag_value(node->table[i], node->tag);
        bool more = node->tag == CT_TAG_INT ? b.u.i > a.u.i : b.u.r > a.u.r;
        bool less = node->tag == CT_TAG_INT ? b.u.i < a.u.i : b.u.r < a.u.r;

        d = combined_direction(d, more ? RISING : less ? FALLING : CONSTANT);
    }
    return d;
}

static enum direction direction_of(const struct ct_candidates *c, uint32_t id);

/* Factors of known sign. */
static enum direction product_direction(const struct ct_candidates *c,
                                        const struct ct_dag_node *node)
{
    enum direction result = CONSTANT;
    bool negative = false;
    bool moving = false;

    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *arg = ct_dag_at(&c->build->dag, node->args[i]);
        enum direction d = direction_of(c, node->args[i]);

        if (arg->low >= 0) {
            result = combined_direction(result, d);
        } else if (arg->high <= 0 && !moving && d == CONSTANT) {
            negative = !negative;
        } else {
            return NEITHER;
        }
        moving = moving || d != CONSTANT;
    }
    return negative ? turn(result) : result;
}

static enum direction direction_of(const struct ct_candidates *c, uint32_t id)
{
    const struct ct_dag *dag = &c->build->dag;
    const struct ct_dag_node *node = ct_dag_at(dag, id);
    const uint32_t *args = node->args;
    enum direction result = CONSTANT;

    if (!(node->support[c->param / 64] >> c->param % 64 & 1))
        return CONSTANT;
    if (node->may_fail || node->tag > CT_TAG_REAL)
        return NEITHER;
    if (node->param >= 0)
        return table_direction(node);
    switch (node->op) {
    case CT_OP_ADD:
    case CT_OP_AND:
    case CT_OP_OR:
        for (size_t i = 0; i < node->arg_count; i++)
            result = combined_direction(result, direction_of(c, args[i]));
        return result;
    case CT_OP_SUB:
    case CT_OP_GT:
    case CT_OP_GE:
        return combined_direction(direction_of(c, args[0]),
                                  turn(direction_of(c, args[1])));
    case CT_OP_LT:
    case CT_OP_LE:
        return combined_direction(turn(direction_of(c, args[0])),
                                  direction_of(c, args[1]));
    case CT_OP_NEG:
    case CT_OP_NOT:
        return turn(direction_of(c, args[0]));
    case CT_OP_MUL:
        return product_direction(c, node);
    case CT_OP_DIV:
        if (ct_dag_at(dag, args[0])->low < 0 || ct_dag_at(dag, args[1])->low <= 0)
            return NEITHER;
        return combined_direction(direction_of(c, args[0]),
                                  turn(direction_of(c, args[1])));
    case CT_OP_CALL:
        if (strcmp(ct_expr_functions[node->function].name, "min") != 0 &&
            strcmp(ct_expr_functions[node->function].name, "max") != 0)
            return NEITHER;
        for (size_t i = 0; i < node->arg_count; i++)
            result = combined_direction(result, direction_of(c, args[i]));
        return result;
    default:
        return NEITHER;
    }
}

/* Tables of all nodes of the parameter alone below `id`. */
static bool make_tables(struct ct_candidates *c, uint32_t id)
{
    struct ct_dag *dag = &c->build->dag;
    const struct ct_dag_node *node = ct_dag_at(dag, id);

    if (node->param == (int)c->param)
        return node->table || ct_build_tables(c->build, c->param, &id, 1);
    if (!(node->support[c->param / 64] >> c->param % 64 & 1))
        return true;
    for (size_t i = 0; i < ct_dag_at(dag, id)->arg_count; i++)
        if (!make_tables(c, ct_dag_at(dag, id)->args[i]))
            return false;
    return true;
}

static bool find_ranges(struct ct_candidates *c, const uint64_t *assigned,
                        struct ct_decision *decisions, size_t *count)
{
    size_t kept = 0;
    bool ok = true;

    c->ranges = ct_mem_array(*count, sizeof(*c->ranges));
    if (!c->ranges)
        return false;
    for (size_t i = 0; i < *count; i++) {
        enum direction d = NEITHER;

        ok = ok && make_tables(c, decisions[i].node);
        if (ok)
            d = direction_of(c, decisions[i].node);
        if (d == RISING || d == FALLING)
            c->ranges[c->range_count++] =
                (struct ct_candidate_range){decisions[i], d == RISING};
        else
            decisions[kept++] = decisions[i];
    }
    *count = kept;
    ct_program_init(&c->program, &c->build->dag);
    if (!ok || !c->range_count)
        return ok;
    c->program.leaf_param = (int)c->param;
    c->program.assigned = assigned;
    for (size_t i = 0; i < c->keys->count; i++)
        ct_program_leaf(&c->program, c->keys->nodes[i]);
    for (size_t i = 0; i < c->range_count; i++)
        c->ranges[i].decision.reg =
            ct_program_compile(&c->program, c->ranges[i].decision.node);
    for (size_t i = c->keys->count; i < c->program.leaf_count; i++)
        ok = ok && ct_build_tables(c->build, c->param, &c->program.leaves[i].node, 1);
    return ok && !c->program.failed;
}

static void fill_keys(struct ct_candidates *c, size_t first, size_t count)
{
    for (size_t k = 0; k < c->keys->count; k++) {
        const struct ct_column *column = &c->program.columns[c->program.leaves[k].reg];
        const struct ct_state_key *key = &c->states->keys[k];

        memcpy(column->bits, key->bits + first, count * sizeof(*column->bits));
        if (key->tagged)
            memcpy(column->tags, key->tags + first, count);
    }
}

/* The position at which a root changes, for all states of the block: by bisection, in step.
 * States that are done keep their bounds. */
static void bisect(struct ct_candidates *c, const struct ct_candidate_range *range,
                   size_t count, uint32_t *change)
{
    uint32_t low[CT_VECTOR_ROWS];
    uint32_t high[CT_VECTOR_ROWS];
    uint32_t middle[CT_VECTOR_ROWS];
    const int64_t *holds = c->program.columns[range->decision.reg].bits;
    bool open = true;

    for (size_t i = 0; i < count; i++) {
        low[i] = c->low[i];
        high[i] = c->high[i] < c->low[i] ? c->low[i] : c->high[i];
    }
    while (open) {
        open = false;
        for (size_t i = 0; i < count; i++) {
            middle[i] = low[i] + (high[i] - low[i]) / 2;
            if (low[i] < high[i])
                open = true;
            else if (middle[i] >= c->value_count)
                middle[i] = 0;
        }
        if (!open)
            break;
        c->build->tried += count;
        for (size_t l = c->keys->count; l < c->program.leaf_count; l++)
            ct_build_fill(c->build, &c->program, &c->program.leaves[l], middle, count);
        ct_program_run(&c->program, 0, c->program.step_count, count);
        for (size_t i = 0; i < count; i++) {
            if (low[i] >= high[i])
                continue;
            if ((holds[i] != 0) == range->rising)
                high[i] = middle[i];
            else
                low[i] = middle[i] + 1;
        }
    }
    memcpy(change, low, count * sizeof(*change));
}

void ct_candidates_ranges(struct ct_candidates *c, size_t first, size_t count,
                          double rest)
{
    uint32_t change[CT_VECTOR_ROWS];

    for (size_t i = 0; i < count; i++) {
        c->low[i] = 0;
        c->high[i] = (uint32_t)c->value_count;
    }
    if (c->range_count)
        fill_keys(c, first, count);
    for (size_t r = 0; r < c->range_count; r++) {
        const struct ct_decision *decision = &c->ranges[r].decision;
        struct ct_root *root = &c->build->roots[decision->root];

        bisect(c, &c->ranges[r], count, change);
        for (size_t i = 0; i < count; i++) {
            double each = c->states->weight[first + i] * rest;
            uint32_t before = c->high[i] > c->low[i] ? c->high[i] - c->low[i] : 0;
            uint32_t after;

            if (c->ranges[r].rising)
                c->low[i] = change[i];
            else
                c->high[i] = change[i];
            after = c->high[i] > c->low[i] ? c->high[i] - c->low[i] : 0;
            root->tried +=
                ct_space_scale(each, decision->relaxed ? before - after : before);
            root->removed += ct_space_scale(each, before - after);
        }
    }
}

/* --- roots that determine values --- */

static bool is_key(const struct ct_candidates *c, uint32_t id, size_t *key)
{
    for (size_t k = 0; k < c->keys->count; k++)
        if (c->keys->nodes[k] == id) {
            *key = k;
            return ct_dag_at(&c->build->dag, id)->tag == CT_TAG_INT;
        }
    return false;
}

/* g: integers that depend on the value alone, within a range that can be indexed. */
static bool is_value(struct ct_candidates *c, uint32_t id)
{
    const struct ct_dag_node *node = ct_dag_at(&c->build->dag, id);

    return node->param == (int)c->param && node->tag == CT_TAG_INT && !node->may_fail &&
           node->table && node->high - node->low < RANGE_MAX;
}

/* Whether root `id` determines values; then `*g` is the expression to look them up by. */
static bool names_values(struct ct_candidates *c, uint32_t id, uint32_t *g)
{
    const struct ct_dag *dag = &c->build->dag;
    const struct ct_dag_node *root = ct_dag_at(dag, id);
    const struct ct_dag_node *left;

    if (root->op != CT_OP_EQ)
        return false;
    for (size_t side = 0; side < 2; side++) {
        *g = root->args[side];
        if (is_value(c, *g) && is_key(c, root->args[1 - side], &c->list_key)) {
            c->list = CT_LIST_EQUAL;
            return true;
        }
        left = ct_dag_at(dag, root->args[side]);
        if (left->op != CT_OP_MOD || root->args[1 - side] != CT_DAG_FALSE)
            continue;
        *g = left->args[1];
        if (is_value(c, *g) && is_key(c, left->args[0], &c->list_key)) {
            c->list = CT_LIST_DIVISORS;
            return true;
        }
        *g = left->args[0];
        if (is_value(c, *g) && is_key(c, left->args[1], &c->list_key)) {
            c->list = CT_LIST_MULTIPLES;
            return true;
        }
    }
    return false;
}

/* Positions by value of g: a counting sort, so that those of one value ascend. */
static bool index_values(struct ct_candidates *c, uint32_t g)
{
    const struct ct_dag_node *node = ct_dag_at(&c->build->dag, g);
    struct ct_space_memory *memory = &c->build->memory;

    c->list_low = c->list_high = node->table[0];
    for (size_t i = 0; i < node->table_size; i++) {
        c->list_low = node->table[i] < c->list_low ? node->table[i] : c->list_low;
        c->list_high = node->table[i] > c->list_high ? node->table[i] : c->list_high;
    }
    c->first_count = (size_t)(c->list_high - c->list_low) + 2;
    c->first = ct_space_memory_new(memory, c->first_count, sizeof(*c->first));
    c->positions = ct_space_memory_new(memory, c->value_count, sizeof(*c->positions));
    if (!c->first || !c->positions)
        return false;
    memset(c->first, 0, c->first_count * sizeof(*c->first));
    for (size_t i = 0; i < node->table_size; i++)
        c->first[node->table[i] - c->list_low + 1]++;
    for (size_t i = 1; i < c->first_count; i++)
        c->first[i] += c->first[i - 1];
    for (size_t i = 0; i < node->table_size; i++)
        c->positions[c->first[node->table[i] - c->list_low]++] = (uint32_t)i;
    memmove(c->first + 1, c->first, (c->first_count - 1) * sizeof(*c->first));
    c->first[0] = 0;
    return true;
}

/* Smallest prime factors (the sieve of Eratosthenes), if the states' k are small. */
static bool make_factors(struct ct_candidates *c)
{
    const struct ct_state_key *key = &c->states->keys[c->list_key];
    int64_t most = 0;

    for (size_t s = 0; s < c->states->count; s++)
        if (key->bits[s] > most)
            most = key->bits[s];
    if (most >= FACTORS_MAX)
        return true;
    c->factor_count = (size_t)most + 1;
    c->factor =
        ct_space_memory_new(&c->build->memory, c->factor_count, sizeof(*c->factor));
    if (!c->factor)
        return false;
    memset(c->factor, 0, c->factor_count * sizeof(*c->factor));
    for (size_t n = 2; n < c->factor_count; n++)
        for (size_t m = n; m < c->factor_count && !c->factor[n]; m += n)
            if (m > n && !c->factor[m])
                c->factor[m] = (uint32_t)n;
    return true;
}

static bool find_list(struct ct_candidates *c, struct ct_decision *decisions,
                      size_t count)
{
    uint32_t g = 0;

    for (size_t i = 0; i < count; i++) {
        struct ct_decision decision = decisions[i];

        if (decision.relaxed || !names_values(c, decision.node, &g))
            continue;
        memmove(decisions + 1, decisions, i * sizeof(*decisions));
        decisions[0] = decision;
        c->list_root = decision.root;
        return index_values(c, g) && (c->list != CT_LIST_DIVISORS || make_factors(c));
    }
    return true;
}

bool ct_candidates_init(struct ct_candidates *c, struct ct_build *build, size_t param,
                        const struct ct_states *states, const struct ct_frontier *keys,
                        const uint64_t *assigned, struct ct_decision *decisions,
                        size_t *count)
{
    c->build = build;
    c->param = param;
    c->value_count = build->values[param].count;
    c->states = states;
    c->keys = keys;
    c->range_count = 0;
    c->ranges = NULL;
    c->list = CT_LIST_NONE;
    c->first = c->positions = c->factor = c->found = NULL;
    c->first_count = c->factor_count = c->found_room = 0;
    memset(&c->program, 0, sizeof(c->program));
    return c->value_count < WORTHWHILE || (find_ranges(c, assigned, decisions, count) &&
                                           find_list(c, decisions, *count));
}

void ct_candidates_release(struct ct_candidates *c)
{
    struct ct_space_memory *memory;

    if (!c->build)
        return;
    memory = &c->build->memory;
    ct_program_release(&c->program);
    ct_space_memory_free(memory, c->first, c->first_count, sizeof(*c->first));
    ct_space_memory_free(memory, c->positions, c->positions ? c->value_count : 0,
                         sizeof(*c->positions));
    ct_space_memory_free(memory, c->factor, c->factor_count, sizeof(*c->factor));
    ct_space_memory_free(memory, c->found, c->found_room, sizeof(*c->found));
    free(c->ranges);
    c->build = NULL;
}

/* Adds the positions of a value of g that lie in [low, high). */
static bool add_value(struct ct_candidates *c, int64_t value, uint32_t low, uint32_t high,
                      size_t *count)
{
    size_t at;

    if (value < c->list_low || value > c->list_high)
        return true;
    at = (size_t)(value - c->list_low);
    for (uint32_t i = c->first[at]; i < c->first[at + 1]; i++) {
        uint32_t position = c->positions[i];
        size_t to = *count;

        if (position < low || position >= high)
            continue;
        if (!ct_space_memory_grow(&c->build->memory, &c->found, &c->found_room, to + 1,
                                  sizeof(*c->found)))
            return false;
        /* In order: mostly few, and mostly almost sorted. */
        while (to > 0 && c->found[to - 1] > position) {
            c->found[to] = c->found[to - 1];
            to--;
        }
        c->found[to] = position;
        ++*count;
    }
    return true;
}

/* A divisor, positive and negative. */
static bool add_divisor(struct ct_candidates *c, int64_t d, uint32_t low, uint32_t high,
                        size_t *count)
{
    return add_value(c, d, low, high, count) &&
           (c->list_low >= 0 || add_value(c, -d, low, high, count));
}

static bool add_divisors(struct ct_candidates *c, int64_t k, uint32_t low, uint32_t high,
                         size_t *count)
{
    int64_t divisors[256]; /* no number below 2^20 has more than 240 */
    size_t number = 1;

    /* Division by zero makes the root fail, which is counted. */
    if (!add_value(c, 0, low, high, count))
        return false;
    if ((size_t)k >= c->factor_count) {
        for (int64_t d = 1; d <= k / d; d++)
            if (k % d == 0 && (!add_divisor(c, d, low, high, count) ||
                               (d != k / d && !add_divisor(c, k / d, low, high, count))))
                return false;
        return true;
    }
    divisors[0] = 1;
    while (k > 1) {
        int64_t prime = c->factor[k] ? c->factor[k] : k;
        size_t before = number;

        for (int64_t power = prime; k % prime == 0; power *= prime, k /= prime)
            for (size_t i = 0; i < before; i++)
                divisors[number++] = divisors[i] * power;
    }
    for (size_t i = 0; i < number; i++)
        if (!add_divisor(c, divisors[i], low, high, count))
            return false;
    return true;
}

size_t ct_candidates_list(struct ct_candidates *c, size_t state, uint32_t low,
                          uint32_t high, double rest)
{
    const struct ct_state_key *key;
    struct ct_root *root;
    double each;
    int64_t k;
    size_t count = 0;
    bool ok = true;

    if (c->list == CT_LIST_NONE)
        return SIZE_MAX;
    key = &c->states->keys[c->list_key];
    k = key->bits[state];
    if (key->tagged && key->tags[state] >= CT_TAG_FAIL)
        return SIZE_MAX;
    if (c->list == CT_LIST_EQUAL) {
        ok = add_value(c, k, low, high, &count);
    } else if (c->list == CT_LIST_DIVISORS) {
        if (k < 0)
            k = k == INT64_MIN ? 0 : -k;
        /* Every number divides zero; large numbers are not worth it. */
        if (k == 0 || ((size_t)k >= c->factor_count &&
                       (k > TRIAL_MAX || c->value_count * c->value_count < (size_t)k)))
            return SIZE_MAX;
        ok = add_divisors(c, k, low, high, &count);
    } else {
        if (k == 0 || k == INT64_MIN)
            return SIZE_MAX;
        if (k < 0)
            k = -k;
        if ((size_t)(c->list_high - c->list_low) / (size_t)k > c->value_count)
            return SIZE_MAX;
        for (int64_t m = c->list_low / k * k - (c->list_low < 0 ? k : 0);
             m <= c->list_high && ok; m += k)
            ok = add_value(c, m, low, high, &count);
    }
    if (!ok)
        return SIZE_MAX; /* out of memory: try all */
    root = &c->build->roots[c->list_root];
    each = ct_space_scale(c->states->weight[state] * rest, (double)(high - low - count));
    root->tried += each;
    root->removed += each;
    return count;
}
