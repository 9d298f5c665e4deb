// SPDX-License-Identifier: Apache-2.0
// The levels of a component: from the states before a parameter and its values to the states
// after it.
//
// A state's keys are what pending roots need of the parameters assigned so far: values of their
// largest subexpressions that these decide.  Partial combinations with equal keys have the same
// continuations and are one state.  Pairs of state and value are evaluated in batches of
// CT_VECTOR_ROWS.
#include "space/space_candidates.h"
#include "space/space_settle.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of state and value from which it pays to check what roots exclude early or no longer
 * depend on, and the largest share of them that may remain for exclusion to pay. */
enum { RELAX_ROWS = 4096 };
#define RELAX_PASS 0.95

struct work {
    struct ct_build *build;
    const struct ct_component_build *component;
    struct ct_level *level;
    size_t param;
    uint64_t *before; /* parameters assigned before this level, and with it */
    uint64_t *after;
    struct ct_frontier keys; /* of the states before */
    struct ct_frontier next; /* of the states after */
    struct ct_states from;
    struct ct_states to;
    struct ct_program program;
    struct {
        struct ct_decision *items;
        size_t count;
        size_t room;
        size_t steps; /* those up to here decide; the rest computes the new keys */
        size_t leaves;
    } decided;
    uint32_t *carried; /* registers that the second half takes from the first */
    size_t carried_count;
    const struct ct_column **next_columns;
    struct ct_candidates candidates;
    struct ct_settle settle;
    /* Neither the roots nor the new keys depend on the value: rows are runs of values. */
    bool spans;
    double rest; /* combinations of the parameters after this level */
    struct {
        size_t rows;
        uint32_t state[CT_VECTOR_ROWS];
        uint32_t position[CT_VECTOR_ROWS];
        uint32_t last[CT_VECTOR_ROWS]; /* the last position of a run */
        double weight[CT_VECTOR_ROWS];
        uint32_t child[CT_VECTOR_ROWS];
        uint8_t alive[CT_VECTOR_ROWS];
        uint32_t last_state; /* of the last run */
    } batch;
};

/* --- planning a level --- */

static bool find_frontier(struct work *w, const uint64_t *assigned,
                          struct ct_frontier *frontier)
{
    struct ct_dag *dag = &w->build->dag;

    frontier->count = 0;
    frontier->mark = ++dag->last_mark;
    for (size_t i = 0; i < w->component->root_count; i++) {
        uint32_t node = w->build->roots[w->component->roots[i]].node;

        if (!ct_dag_within(dag, ct_dag_at(dag, node)->support, assigned) &&
            !ct_build_frontier(w->build, node, assigned, frontier))
            return false;
    }
    return !dag->failed;
}

static bool decide_root(struct work *w, size_t root, uint32_t node, bool relaxed)
{
    if (!ct_space_memory_grow(&w->build->memory, &w->decided.items, &w->decided.room,
                              w->decided.count + 1, sizeof(*w->decided.items)))
        return false;
    w->decided.items[w->decided.count++] = (struct ct_decision){root, node, relaxed, 0};
    return true;
}

/* What an undecided root already excludes, if that is enough to pay: `A <= x <= B` is two
 * conditions. */
static bool decide_relaxed(struct work *w, size_t root)
{
    struct ct_dag *dag = &w->build->dag;
    uint32_t node = ct_build_relax(w->build, w->build->roots[root].node, w->after, true);
    size_t count =
        ct_dag_at(dag, node)->op == CT_OP_AND ? ct_dag_at(dag, node)->arg_count : 1;

    for (size_t i = 0; i < count; i++) {
        uint32_t part =
            ct_dag_at(dag, node)->op == CT_OP_AND ? ct_dag_at(dag, node)->args[i] : node;
        const struct ct_dag_node *at = ct_dag_at(dag, part);
        double pass = 1;

        if (at->low == 1 || !(at->support[w->param / 64] >> w->param % 64 & 1))
            continue;
        if (!ct_build_estimate(w->build, part, &pass) ||
            (pass < RELAX_PASS && !decide_root(w, root, part, true)))
            return false;
    }
    return !dag->failed;
}

/* Whether the level is large enough to look ahead. */
static bool is_large(const struct work *w)
{
    return w->from.count * w->build->values[w->param].count >= RELAX_ROWS;
}

static bool find_decided(struct work *w)
{
    struct ct_dag *dag = &w->build->dag;
    bool relax = is_large(w);

    w->decided.count = 0;
    for (size_t i = 0; i < w->component->root_count; i++) {
        size_t r = w->component->roots[i];
        const uint64_t *support = ct_dag_at(dag, w->build->roots[r].node)->support;

        if (!ct_dag_within(dag, support, w->after) ||
            ct_dag_within(dag, support, w->before))
            continue;
        if (!decide_root(w, r, w->build->roots[r].node, false))
            return false;
    }
    for (size_t i = 0; relax && i < w->component->root_count; i++) {
        size_t r = w->component->roots[i];
        const uint64_t *support = ct_dag_at(dag, w->build->roots[r].node)->support;

        if (!ct_dag_within(dag, support, w->after) &&
            (support[w->param / 64] >> w->param % 64 & 1) && !decide_relaxed(w, r))
            return false;
    }
    return true;
}

/* Notes a register that the second half uses, unless that computes it itself. */
static bool carry(struct work *w, uint32_t reg)
{
    const struct ct_program *program = &w->program;

    for (size_t i = w->decided.steps; i < program->step_count; i++)
        if (program->steps[i].to == reg)
            return true;
    for (size_t i = w->decided.leaves; i < program->leaf_count; i++)
        if (program->leaves[i].reg == reg)
            return true;
    for (size_t i = 0; i < w->carried_count; i++)
        if (w->carried[i] == reg)
            return true;
    w->carried[w->carried_count++] = reg;
    return true;
}

static bool find_carried(struct work *w, const uint32_t *next_regs)
{
    const struct ct_program *program = &w->program;
    size_t room = program->column_count;

    free(w->carried);
    w->carried = ct_mem_array(room, sizeof(*w->carried));
    w->carried_count = 0;
    if (!w->carried)
        return false;
    for (size_t i = w->decided.steps; i < program->step_count; i++) {
        const struct ct_vector_step *step = &program->steps[i];
        const uint32_t *args =
            step->arg_count > 3 ? program->extra + step->extra : step->args;

        for (size_t k = 0; k < step->arg_count; k++)
            carry(w, args[k]);
    }
    for (size_t i = 0; i < w->next.count; i++)
        carry(w, next_regs[i]);
    for (size_t i = 0; i < w->settle.root_count; i++)
        carry(w, w->settle.roots[i].reg);
    return true;
}

static bool compile_roots(struct work *w)
{
    struct ct_program *program = &w->program;
    uint32_t *next_regs = ct_mem_array(w->next.count, sizeof(*next_regs));
    bool ok = next_regs != NULL;

    ct_program_init(program, &w->build->dag);
    program->assigned = w->before;
    program->leaf_param = (int)w->param;
    for (size_t i = 0; i < w->keys.count; i++)
        ct_program_leaf(program, w->keys.nodes[i]);
    for (size_t i = 0; i < w->decided.count; i++)
        w->decided.items[i].reg = ct_program_compile(program, w->decided.items[i].node);
    w->decided.steps = program->step_count;
    w->decided.leaves = program->leaf_count;
    for (size_t i = 0; ok && i < w->next.count; i++)
        next_regs[i] = ct_program_compile(program, w->next.nodes[i]);
    for (size_t i = 0; i < w->settle.root_count; i++)
        w->settle.roots[i].reg = ct_program_compile(program, w->settle.roots[i].node);
    ok = ok && !program->failed && find_carried(w, next_regs);
    free(w->next_columns);
    w->next_columns = ct_mem_array(w->next.count, sizeof(*w->next_columns));
    ok = ok && w->next_columns;
    for (size_t i = 0; ok && i < w->next.count; i++)
        w->next_columns[i] = &program->columns[next_regs[i]];
    if (ok)
        ct_settle_join(&w->settle, w->next_columns);
    for (size_t i = w->keys.count; ok && i < program->leaf_count; i++)
        ok = ct_build_tables(w->build, w->param, &program->leaves[i].node, 1);
    free(next_regs);
    return ok;
}

static bool plan_states(struct work *w, size_t l)
{
    w->param = w->component->params[l];
    memcpy(w->after, w->before, w->build->dag.words * sizeof(*w->after));
    w->after[w->param / 64] |= (uint64_t)1 << w->param % 64;
    w->rest = 1;
    for (size_t i = l + 1; i < w->component->param_count; i++)
        w->rest *= (double)w->build->values[w->component->params[i]].count;
    if (!find_decided(w) ||
        !ct_candidates_init(&w->candidates, w->build, w->param, &w->from, &w->keys,
                            w->before, w->decided.items, &w->decided.count) ||
        !find_frontier(w, w->after, &w->next) ||
        (is_large(w) && !ct_settle_init(&w->settle, w->build, w->component, w->param,
                                        w->before, w->after, &w->keys, &w->next)) ||
        !compile_roots(w) || !ct_states_init(&w->to, &w->build->memory, w->next.count))
        return false;
    w->spans = !w->decided.count;
    for (size_t i = 0; i < w->next.count; i++) {
        const uint64_t *support = ct_dag_at(&w->build->dag, w->next.nodes[i])->support;

        w->to.keys[i].tagged = w->next_columns[i]->tags != NULL;
        if (support[w->param / 64] >> w->param % 64 & 1)
            w->spans = false;
    }
    return true;
}

/* --- a batch --- */

static void fill_keys(struct work *w)
{
    for (size_t k = 0; k < w->keys.count; k++) {
        const struct ct_column *column = &w->program.columns[w->program.leaves[k].reg];
        const struct ct_state_key *key = &w->from.keys[k];

        for (size_t i = 0; i < w->batch.rows; i++)
            column->bits[i] = key->bits[w->batch.state[i]];
        if (key->tagged)
            for (size_t i = 0; i < w->batch.rows; i++)
                column->tags[i] = key->tags[w->batch.state[i]];
    }
    for (size_t i = 0; i < w->batch.rows; i++)
        w->batch.weight[i] = w->from.weight[w->batch.state[i]];
    if (w->spans)
        for (size_t i = 0; i < w->batch.rows; i++)
            w->batch.weight[i] *= w->batch.last[i] - w->batch.position[i] + 1;
}

/* Applies a decided root to the remaining rows. */
static void apply_decision(struct work *w, const struct ct_decision *decision)
{
    struct ct_root *root = &w->build->roots[decision->root];
    const struct ct_column *column = &w->program.columns[decision->reg];
    double tried = 0;
    double removed = 0;
    double failed = 0;

    for (size_t i = 0; i < w->batch.rows; i++) {
        bool fails = column->tags && column->tags[i] >= CT_TAG_FAIL;
        bool meets = !fails && column->bits[i];

        if (!w->batch.alive[i])
            continue;
        tried += w->batch.weight[i];
        if (meets) {
            root->undecided = root->undecided || column->bits[i] == 2;
            continue;
        }
        w->batch.alive[i] = 0;
        removed += w->batch.weight[i];
        failed += fails ? w->batch.weight[i] : 0;
    }
    root->tried += ct_space_scale(decision->relaxed ? removed : tried, w->rest);
    root->removed += ct_space_scale(removed, w->rest);
    root->failed += ct_space_scale(failed, w->rest);
}

/* Compacts the remaining rows. */
static void compress(struct work *w)
{
    uint32_t keep[CT_VECTOR_ROWS] = {0};
    size_t count = 0;

    for (size_t i = 0; i < w->batch.rows; i++) {
        keep[count] = (uint32_t)i;
        count += w->batch.alive[i];
    }
    if (count == w->batch.rows)
        return;
    for (size_t c = 0; c < w->carried_count; c++) {
        struct ct_column *column = &w->program.columns[w->carried[c]];

        for (size_t i = 0; i < count; i++)
            column->bits[i] = column->bits[keep[i]];
        if (column->tags)
            for (size_t i = 0; i < count; i++)
                column->tags[i] = column->tags[keep[i]];
    }
    for (size_t i = 0; i < count; i++) {
        w->batch.state[i] = w->batch.state[keep[i]];
        w->batch.position[i] = w->batch.position[keep[i]];
        w->batch.weight[i] = w->batch.weight[keep[i]];
    }
    w->batch.rows = count;
}

/* Adds values [first, last] of a state, or extends its last run. */
static void add_run(struct ct_level *level, size_t state, uint32_t first, uint32_t last,
                    uint32_t child)
{
    if (level->run_count > level->state_run[state]) {
        struct ct_level_run *before = &level->runs[level->run_count - 1];

        if (before->child == child && before->last + 1 == first) {
            before->last = last;
            return;
        }
    }
    level->runs[level->run_count++] = (struct ct_level_run){first, last, child};
}

/* Whether no value between two positions has been removed. */
static bool in_a_row(const uint32_t *indices, uint32_t first, uint32_t last)
{
    return indices[last] - indices[first] == last - first;
}

/* Adds the rows to the level's runs; rows come in order of states and values. */
static bool add_runs(struct work *w)
{
    struct ct_level *level = w->level;
    const uint32_t *indices = w->build->values[w->param].indices;
    size_t room = w->batch.rows;

    if (w->spans)
        for (size_t i = 0; i < w->batch.rows; i++)
            if (!in_a_row(indices, w->batch.position[i], w->batch.last[i]))
                room += w->batch.last[i] - w->batch.position[i];
    if (level->run_count + room >= UINT32_MAX ||
        !ct_space_memory_grow(&w->build->memory, &level->runs, &level->run_room,
                              level->run_count + room, sizeof(*level->runs)))
        return false;
    for (size_t i = 0; i < w->batch.rows; i++) {
        uint32_t first = w->batch.position[i];
        uint32_t last = w->spans ? w->batch.last[i] : first;

        while (w->batch.last_state < w->batch.state[i])
            level->state_run[++w->batch.last_state] = (uint32_t)level->run_count;
        if (in_a_row(indices, first, last))
            add_run(level, w->batch.state[i], indices[first], indices[last],
                    w->batch.child[i]);
        else
            for (uint32_t k = first; k <= last; k++)
                add_run(level, w->batch.state[i], indices[k], indices[k],
                        w->batch.child[i]);
    }
    return true;
}

static bool run_batch(struct work *w)
{
    struct ct_program *program = &w->program;
    bool ok;

    if (!w->batch.rows)
        return true;
    w->build->tried += w->batch.rows;
    fill_keys(w);
    for (size_t i = w->keys.count; i < w->decided.leaves; i++)
        ct_build_fill(w->build, program, &program->leaves[i], w->batch.position,
                      w->batch.rows);
    ct_program_run(program, 0, w->decided.steps, w->batch.rows);
    memset(w->batch.alive, 1, w->batch.rows);
    for (size_t i = 0; i < w->decided.count; i++)
        apply_decision(w, &w->decided.items[i]);
    compress(w);
    for (size_t i = w->decided.leaves; i < program->leaf_count; i++)
        ct_build_fill(w->build, program, &program->leaves[i], w->batch.position,
                      w->batch.rows);
    ct_program_run(program, w->decided.steps, program->step_count, w->batch.rows);
    ct_settle_apply(&w->settle, program, w->next_columns, w->batch.rows);
    ok = ct_states_merge(&w->to, w->next_columns, w->batch.weight, w->batch.rows,
                         w->batch.child) &&
         add_runs(w) && w->build->tried <= CT_SPACE_TRIED_MAX;
    w->batch.rows = 0;
    return ok;
}

/* Adds a row to the batch; runs it when it is full. */
static bool put_row(struct work *w, size_t state, uint32_t first, uint32_t last)
{
    w->batch.state[w->batch.rows] = (uint32_t)state;
    w->batch.position[w->batch.rows] = first;
    w->batch.last[w->batch.rows] = last;
    w->batch.rows++;
    return w->batch.rows < CT_VECTOR_ROWS || run_batch(w);
}

/* Tries positions [low, high) of a state, or those of them that are listed. */
static bool try_state(struct work *w, size_t state, uint32_t low, uint32_t high)
{
    size_t listed;

    if (low >= high)
        return true;
    if (w->spans)
        return put_row(w, state, low, high - 1);
    listed = ct_candidates_list(&w->candidates, state, low, high, w->rest);
    if (listed != SIZE_MAX) {
        for (size_t i = 0; i < listed; i++)
            if (!put_row(w, state, w->candidates.found[i], 0))
                return false;
        return true;
    }
    while (low < high) {
        uint32_t n = high - low;

        if (n > CT_VECTOR_ROWS - w->batch.rows)
            n = (uint32_t)(CT_VECTOR_ROWS - w->batch.rows);
        for (uint32_t i = 0; i < n; i++) {
            w->batch.state[w->batch.rows + i] = (uint32_t)state;
            w->batch.position[w->batch.rows + i] = low + i;
        }
        w->batch.rows += n;
        low += n;
        if (w->batch.rows == CT_VECTOR_ROWS && !run_batch(w))
            return false;
    }
    return true;
}

static bool run_level(struct work *w)
{
    struct ct_level *level = w->level;

    level->state_count = w->from.count;
    level->state_run = ct_space_memory_new(&w->build->memory, level->state_count + 1,
                                           sizeof(*level->state_run));
    if (!level->state_run)
        return false;
    level->state_run[0] = 0;
    w->batch.last_state = 0;
    w->batch.rows = 0;
    for (size_t first = 0; first < w->from.count; first += CT_VECTOR_ROWS) {
        size_t count = w->from.count - first;

        if (count > CT_VECTOR_ROWS)
            count = CT_VECTOR_ROWS;
        ct_candidates_ranges(&w->candidates, first, count, w->rest);
        for (size_t i = 0; i < count; i++)
            if (!try_state(w, first + i, w->candidates.low[i], w->candidates.high[i]))
                return false;
    }
    if (!run_batch(w))
        return false;
    while (w->batch.last_state < level->state_count)
        level->state_run[++w->batch.last_state] = (uint32_t)level->run_count;
    ct_space_memory_trim(&w->build->memory, &level->runs, &level->run_room,
                         level->run_count, sizeof(*level->runs));
    return true;
}

/* --- all levels --- */

/* The root that causes most states: the pending one with most keys. */
static size_t find_culprit(struct work *w)
{
    struct ct_dag *dag = &w->build->dag;
    size_t culprit = w->component->roots[0];
    size_t most = 0;

    for (size_t i = 0; i < w->component->root_count; i++) {
        size_t r = w->component->roots[i];

        w->keys.count = 0;
        w->keys.mark = ++dag->last_mark;
        if (ct_dag_within(dag, ct_dag_at(dag, w->build->roots[r].node)->support,
                          w->after))
            continue;
        if (ct_build_frontier(w->build, w->build->roots[r].node, w->after, &w->keys) &&
            w->keys.count > most) {
            most = w->keys.count;
            culprit = r;
        }
    }
    return culprit;
}

static bool begin_levels(struct work *w)
{
    size_t words = w->build->dag.words;

    w->before = ct_mem_array(words, sizeof(*w->before));
    w->after = ct_mem_array(words, sizeof(*w->after));
    if (!w->before || !w->after || !ct_states_init(&w->from, &w->build->memory, 0))
        return false;
    /* Before the first level there is one state: the empty combination. */
    w->batch.weight[0] = 1;
    return ct_states_merge(&w->from, NULL, w->batch.weight, 1, w->batch.child);
}

static void end_levels(struct work *w)
{
    struct ct_space_memory *memory = &w->build->memory;

    ct_states_release(&w->from);
    ct_states_release(&w->to);
    ct_space_memory_free(memory, w->keys.nodes, w->keys.room, sizeof(*w->keys.nodes));
    ct_space_memory_free(memory, w->next.nodes, w->next.room, sizeof(*w->next.nodes));
    free(w->before);
    free(w->after);
    ct_space_memory_free(memory, w->decided.items, w->decided.room,
                         sizeof(*w->decided.items));
    free(w->carried);
    free(w->next_columns);
    free(w);
}

/* Makes the states after a level those before the next. */
static void advance_states(struct work *w)
{
    struct ct_frontier keys = w->keys;

    ct_states_release(&w->from);
    ct_states_close(&w->to);
    w->from = w->to;
    memset(&w->to, 0, sizeof(w->to));
    w->keys = w->next;
    w->next = keys;
    memcpy(w->before, w->after, w->build->dag.words * sizeof(*w->before));
}

bool ct_build_levels(struct ct_build *build, const struct ct_component_build *component,
                     struct ct_level *levels, size_t *culprit)
{
    struct work *w = ct_mem_array(1, sizeof(*w));
    bool ok = w != NULL;

    if (!w)
        return false;
    w->build = build;
    w->component = component;
    ok = begin_levels(w);
    for (size_t l = 0; ok && l < component->param_count; l++) {
        w->level = &levels[l];
        ok = plan_states(w, l) && run_level(w);
        if (!ok && component->root_count)
            *culprit = find_culprit(w);
        ct_candidates_release(&w->candidates);
        ct_settle_release(&w->settle);
        ct_program_release(&w->program);
        if (ok)
            advance_states(w);
    }
    end_levels(w);
    return ok;
}

void ct_build_levels_free(struct ct_build *build, struct ct_level *levels, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        ct_space_memory_free(&build->memory, levels[l].state_run,
                             levels[l].state_count + 1, sizeof(*levels[l].state_run));
        ct_space_memory_free(&build->memory, levels[l].runs, levels[l].run_room,
                             sizeof(*levels[l].runs));
        levels[l].state_run = NULL;
        levels[l].runs = NULL;
        levels[l].run_room = 0;
    }
}
