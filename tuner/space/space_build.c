// SPDX-License-Identifier: Apache-2.0
// Finding the valid configurations: depth first over the parameters, every constraint
// decided as soon as all that it depends on is known.
#include "space/space_impl.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What one process should hold and wait for. */
#define VALID_MAX ((uint64_t)64 << 20)
#define TRIED_MAX ((uint64_t)10000000000)

/* What becomes decidable once the parameters up to a depth have values.  Depth 0 is
 * before the first parameter, depth d + 1 after parameter d. */
struct level {
    int *slots; /* let and derived names to compute, in order of use */
    size_t slot_count;
    size_t
        *checked; /* parameters whose activity is known now but not before their turn */
    size_t checked_count;
    size_t *constraints;
    size_t constraint_count;
};

struct build {
    struct ct_space *space;
    const struct ct_binding *binding;
    const struct ct_spec *spec;
    struct ct_value *env; /* by slot */
    size_t *depth;        /* by slot: the level where it is known */
    bool *needed;         /* by slot: a constraint or a condition uses it */
    struct level *levels; /* param_count + 1 */
    bool *early;          /* by parameter: its condition is known before its turn */
    size_t plain_from;    /* from this parameter on nothing is left to be decided */
    uint32_t *config;
    uint64_t *rank; /* of the values chosen so far */
    size_t room;    /* of space->ranks, in words */
    uint64_t tried;
    struct ct_err *err;
};

/* --- preparing --- */

static size_t depth_of(const struct build *b, const struct ct_expr *expr)
{
    size_t depth = 0;

    for (size_t i = 0; expr && i < expr->slot_count; i++)
        if (b->depth[expr->slots[i]] > depth)
            depth = b->depth[expr->slots[i]];
    return depth;
}

static void need(struct build *b, const struct ct_expr *expr)
{
    for (size_t i = 0; expr && i < expr->slot_count; i++)
        b->needed[expr->slots[i]] = true;
}

static bool computed(const struct ct_symbol *symbol)
{
    return symbol->per_config &&
           (symbol->class == CT_SYM_LET || symbol->class == CT_SYM_DERIVED);
}

/* When each name is known, and which are used at all. */
static void find_depths(struct build *b)
{
    const struct ct_spec *spec = b->spec;

    for (size_t p = 0; p < spec->param_count; p++)
        b->depth[spec->params[p].slot] = p + 1;
    for (size_t i = 0; i < spec->order_count; i++) {
        const struct ct_symbol *symbol = &spec->symbols[spec->order[i]];

        if (computed(symbol))
            b->depth[spec->order[i]] = depth_of(b, symbol->expr);
    }
    for (size_t c = 0; c < spec->constraint_count; c++)
        need(b, spec->constraints[c].expr);
    for (size_t p = 0; p < spec->param_count; p++)
        need(b, spec->params[p].condition);
    /* Users come after what they use: backwards, need reaches everything. */
    for (size_t i = spec->order_count; i-- > 0;)
        if (b->needed[spec->order[i]])
            need(b, spec->symbols[spec->order[i]].expr);
}

static bool alloc_level(struct build *b, struct level *level)
{
    level->slots = ct_mem_array(b->spec->order_count, sizeof(*level->slots));
    level->checked = ct_mem_array(b->spec->param_count, sizeof(*level->checked));
    level->constraints =
        ct_mem_array(b->spec->constraint_count, sizeof(*level->constraints));
    return level->slots && level->checked && level->constraints;
}

static bool busy(const struct level *level)
{
    return level->slot_count || level->checked_count || level->constraint_count;
}

static bool fill_levels(struct build *b)
{
    const struct ct_spec *spec = b->spec;

    for (size_t d = 0; d <= spec->param_count; d++)
        if (!alloc_level(b, &b->levels[d]))
            return false;
    for (size_t i = 0; i < spec->order_count; i++) {
        int slot = spec->order[i];
        struct level *level = &b->levels[b->depth[slot]];

        if (b->needed[slot] && computed(&spec->symbols[slot]))
            level->slots[level->slot_count++] = slot;
    }
    for (size_t p = 0; p < spec->param_count; p++) {
        size_t depth = depth_of(b, spec->params[p].condition);

        b->early[p] = spec->params[p].condition && depth <= p;
        if (depth > p && spec->params[p].condition) {
            struct level *level = &b->levels[depth];

            level->checked[level->checked_count++] = p;
        }
    }
    for (size_t c = 0; c < spec->constraint_count; c++) {
        struct level *level = &b->levels[depth_of(b, spec->constraints[c].expr)];

        level->constraints[level->constraint_count++] = c;
    }
    return true;
}

/* The parameters that only multiply what is found before them.  They stay within the last
 * word, so that their ranks are consecutive. */
static void find_plain(struct build *b)
{
    size_t p = b->spec->param_count;

    while (p > 0 && !busy(&b->levels[p]) && !b->early[p - 1] &&
           b->space->word_of[p - 1] == b->space->words - 1)
        p--;
    b->plain_from = p;
}

static enum ct_status prepare(struct build *b)
{
    const struct ct_spec *spec = b->spec;
    size_t params = spec->param_count;

    b->env = ct_mem_array(spec->symbol_count, sizeof(*b->env));
    b->depth = ct_mem_array(spec->symbol_count, sizeof(*b->depth));
    b->needed = ct_mem_array(spec->symbol_count, sizeof(*b->needed));
    b->levels = ct_mem_array(params + 1, sizeof(*b->levels));
    b->early = ct_mem_array(params, sizeof(*b->early));
    b->config = ct_mem_array(params, sizeof(*b->config));
    b->rank = ct_mem_array(b->space->words, sizeof(*b->rank));
    if (!b->env || !b->depth || !b->needed || !b->levels || !b->early || !b->config ||
        !b->rank)
        return ct_err_nomem(b->err);
    for (size_t i = 0; i < spec->symbol_count; i++)
        b->env[i] = b->binding->fixed[i];
    find_depths(b);
    if (!fill_levels(b))
        return ct_err_nomem(b->err);
    find_plain(b);
    return CT_OK;
}

static void release(struct build *b)
{
    for (size_t d = 0; b->levels && d <= b->spec->param_count; d++) {
        free(b->levels[d].slots);
        free(b->levels[d].checked);
        free(b->levels[d].constraints);
    }
    free(b->env);
    free(b->depth);
    free(b->needed);
    free(b->levels);
    free(b->early);
    free(b->config);
    free(b->rank);
}

/* --- deciding --- */

static void compute(struct build *b, const struct level *level)
{
    for (size_t i = 0; i < level->slot_count; i++) {
        int slot = level->slots[i];

        if (ct_expr_eval(b->spec->symbols[slot].expr, b->env, &b->env[slot]))
            b->env[slot].kind = CT_NONE;
    }
}

/* Whether the value of parameter `p` goes with its activity: ct_binding_canonical for
 * one. */
static bool fitting(const struct build *b, size_t p, uint32_t value, bool active)
{
    const struct ct_binding *binding = b->binding;

    if (value != binding->inactive[p])
        return active;
    return !active || !binding->only_inactive[p];
}

static bool canonical(const struct build *b, const struct level *level)
{
    for (size_t i = 0; i < level->checked_count; i++) {
        size_t p = level->checked[i];

        if (!fitting(b, p, b->config[p], ct_binding_active(b->binding, p, b->env)))
            return false;
    }
    return true;
}

/* The usual case here, where it is fast; the rest by the binding's own rules. */
static enum ct_verdict decide(const struct build *b, size_t c)
{
    struct ct_value value;

    if (ct_expr_eval(b->spec->constraints[c].expr, b->env, &value) != CT_EVAL_OK)
        return ct_binding_decide(b->binding, c, b->env);
    return ct_value_true(value) ? CT_HOLDS : CT_VIOLATED;
}

static bool satisfied(struct build *b, const struct level *level)
{
    for (size_t i = 0; i < level->constraint_count; i++) {
        struct ct_constraint_stats *stats = &b->space->constraints[level->constraints[i]];
        enum ct_verdict verdict = decide(b, level->constraints[i]);

        stats->tried++;
        switch (verdict) {
        case CT_HOLDS:
            break;
        case CT_UNDECIDED:
            stats->undecided = true;
            break;
        case CT_FAILED:
            stats->failed++;
            stats->removed++;
            return false;
        case CT_VIOLATED:
            stats->removed++;
            return false;
        }
    }
    return true;
}

/* Whether the values chosen so far may lead to a valid configuration. */
static bool possible(struct build *b, size_t depth)
{
    const struct level *level = &b->levels[depth];

    compute(b, level);
    return canonical(b, level) && satisfied(b, level);
}

/* --- walking --- */

/* Adds the ranks of everything below the values chosen so far: `block` in a row. */
static enum ct_status add(struct build *b, uint64_t block)
{
    struct ct_space *space = b->space;
    size_t words = space->words;
    uint64_t *at;

    if (block > VALID_MAX || space->count > VALID_MAX - block)
        return ct_err_set(
            b->err, CT_E_SPEC,
            "the space has more than %llu valid configurations, which is more "
            "than can be held: add constraints, or keep fewer values with "
            "--param",
            (unsigned long long)VALID_MAX);
    if (!ct_mem_grow(&space->ranks, &b->room, (size_t)(space->count + block) * words,
                     sizeof(*space->ranks)))
        return ct_err_nomem(b->err);
    at = space->ranks + space->count * words;
    for (uint64_t i = 0; i < block; i++, at += words) {
        memcpy(at, b->rank, words * sizeof(*at));
        at[words - 1] += i;
    }
    space->count += block;
    return CT_OK;
}

static enum ct_status too_many(const struct build *b)
{
    return ct_err_set(
        b->err, CT_E_SPEC,
        "the space is too large: %llu combinations were tried and there are "
        "more; put the parameters that exclude most first, or keep fewer values "
        "with --param",
        (unsigned long long)TRIED_MAX);
}

static enum ct_status descend(struct build *b, size_t p);

/* Everything from parameter `p` on, those before it being chosen and found possible. */
static enum ct_status below(struct build *b, size_t p)
{
    if (p < b->plain_from)
        return descend(b, p);
    if (p == b->spec->param_count)
        return add(b, 1);
    return add(b, b->space->stride[p] * b->binding->domains[p].count);
}

/* Values of a parameter to be tried, those before it being chosen. */
struct choice {
    uint32_t value;
    size_t end;
    bool active; /* meaningful where that is known before its turn */
};

static struct choice choices(const struct build *b, size_t p)
{
    struct choice choice = {0, b->binding->domains[p].count, true};

    if (b->early[p] && !ct_binding_active(b->binding, p, b->env)) {
        choice.value = b->binding->inactive[p];
        choice.end = choice.value + 1;
        choice.active = false;
    }
    return choice;
}

/* Takes the next value of a choice; false after the last. */
static bool choose(struct build *b, size_t p, struct choice *choice)
{
    uint32_t value = choice->value;

    if (b->early[p] && value < choice->end && !fitting(b, p, value, choice->active))
        value++;
    if (value >= choice->end)
        return false;
    choice->value = value + 1;
    b->config[p] = value;
    b->env[b->spec->params[p].slot] = b->binding->domains[p].values[value];
    return true;
}

/* Tries the values of parameter `p`, those before it being chosen. */
static enum ct_status descend(struct build *b, size_t p)
{
    struct choice choice = choices(b, p);
    uint64_t *rank = &b->rank[b->space->word_of[p]];
    uint64_t before = *rank;
    enum ct_status status = CT_OK;

    while (!status && choose(b, p, &choice)) {
        if (++b->tried > TRIED_MAX)
            return too_many(b);
        *rank = before + b->config[p] * b->space->stride[p];
        if (possible(b, p + 1))
            status = below(b, p + 1);
    }
    *rank = before;
    return status;
}

/* --- counting canonical configurations --- */

/* Parameters that conditions tie together are counted together; groups multiply. */
struct groups {
    size_t *leader; /* by parameter: a parameter of its group, in the end the first one */
    size_t *members;
    bool *seen; /* by slot, while one condition is followed */
};

static size_t leader_of(struct groups *g, size_t p)
{
    while (g->leader[p] != p)
        p = g->leader[p];
    return p;
}

static void tie(struct groups *g, size_t p, size_t q)
{
    size_t a = leader_of(g, p);
    size_t b = leader_of(g, q);

    if (a < b)
        g->leader[b] = a;
    else
        g->leader[a] = b;
}

static void see(struct groups *g, const struct ct_expr *expr)
{
    for (size_t i = 0; expr && i < expr->slot_count; i++)
        g->seen[expr->slots[i]] = true;
}

/* Ties parameter `p` to all that its condition depends on. */
static void tie_condition(const struct ct_spec *spec, struct groups *g, size_t p)
{
    memset(g->seen, 0, spec->symbol_count * sizeof(*g->seen));
    see(g, spec->params[p].condition);
    for (size_t i = spec->order_count; i-- > 0;) /* users come after what they use */
        if (g->seen[spec->order[i]])
            see(g, spec->symbols[spec->order[i]].expr);
    for (size_t q = 0; q < spec->param_count; q++)
        if (g->seen[spec->params[q].slot])
            tie(g, p, q);
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Counts the canonical combinations of a group's members, given those chosen before. */
static enum ct_status count_group(struct build *b, const size_t *members, size_t count,
                                  uint64_t *found)
{
    size_t p = *members;
    struct choice choice = choices(b, p);

    while (choose(b, p, &choice)) {
        enum ct_status status = CT_OK;

        if (++b->tried > TRIED_MAX)
            return too_many(b);
        compute(b, &b->levels[p + 1]);
        if (!canonical(b, &b->levels[p + 1]))
            continue;
        if (count > 1)
            status = count_group(b, members + 1, count - 1, found);
        else
            ++*found;
        if (status)
            return status;
    }
    return CT_OK;
}

static enum ct_status count_canonical(struct build *b, struct groups *g)
{
    size_t params = b->spec->param_count;
    uint64_t total = 1;

    for (size_t p = 0; p < params; p++)
        g->leader[p] = p;
    for (size_t p = 0; p < params; p++)
        if (b->spec->params[p].condition)
            tie_condition(b->spec, g, p);
    for (size_t p = 0; p < params; p++) {
        size_t count = 0;
        uint64_t found = 0;
        enum ct_status status;

        if (g->leader[p] != p)
            continue;
        for (size_t q = p; q < params; q++)
            if (leader_of(g, q) == p)
                g->members[count++] = q;
        status = count_group(b, g->members, count, &found);
        if (status)
            return status;
        total = times(total, found);
    }
    b->space->stats.canonical = total;
    return CT_OK;
}

static enum ct_status canonical_total(struct build *b)
{
    struct groups g;
    enum ct_status status;

    g.leader = ct_mem_array(b->spec->param_count, sizeof(*g.leader));
    g.members = ct_mem_array(b->spec->param_count, sizeof(*g.members));
    g.seen = ct_mem_array(b->spec->symbol_count, sizeof(*g.seen));
    if (g.leader && g.members && g.seen)
        status = count_canonical(b, &g);
    else
        status = ct_err_nomem(b->err);
    free(g.leader);
    free(g.members);
    free(g.seen);
    b->tried = 0;
    return status;
}

/* --- all of it --- */

static bool has_empty_domain(const struct build *b)
{
    for (size_t p = 0; p < b->spec->param_count; p++)
        if (!b->binding->domains[p].count)
            return true;
    return false;
}

static void trim(struct ct_space *space)
{
    size_t size = (size_t)space->count * space->words * sizeof(*space->ranks);
    uint64_t *smaller = size ? realloc(space->ranks, size) : NULL;

    if (smaller)
        space->ranks = smaller;
}

enum ct_status ct_space_build(struct ct_space *space, struct ct_err *err)
{
    struct build b = {.space = space,
                      .binding = space->binding,
                      .spec = space->binding->spec,
                      .err = err};
    enum ct_status status = prepare(&b);

    if (!status && !has_empty_domain(&b)) {
        status = canonical_total(&b);
        /* Constraints without parameters first: they may leave nothing. */
        if (!status && possible(&b, 0))
            status = below(&b, 0);
    }
    if (!status)
        trim(space);
    release(&b);
    return status;
}
