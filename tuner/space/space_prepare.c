// SPDX-License-Identifier: Apache-2.0
// Analysis before any search: impossible values, roots that always hold, independent parameters.
#include "space/space_build.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXHAUSTIVE_MAX = 4096, /* combinations that are tested for whether a root holds */
    SAMPLE_ROWS = CT_VECTOR_ROWS / 2,
};

/* --- tables --- */

static void fill_parameter(const struct ct_build *build, const struct ct_program *program,
                           size_t param, size_t first, size_t rows)
{
    const struct ct_domain *domain = &build->binding->domains[param];
    const uint32_t *indices = build->values[param].indices + first;

    for (size_t l = 0; l < program->leaf_count; l++) {
        const struct ct_dag_node *node = ct_dag_at(program->dag, program->leaves[l].node);
        struct ct_column *column = &program->columns[program->leaves[l].reg];

        for (size_t i = 0; i < rows; i++) {
            struct ct_value value = domain->values[indices[i]];

            if (node->op == CT_DAG_IS_INDEX)
                column->bits[i] = indices[i] == (uint64_t)node->bits;
            else if (value.kind == CT_TEXT)
                column->bits[i] = ct_dag_bits(program->dag, value);
            else
                memcpy(&column->bits[i], &value.u, sizeof(column->bits[i]));
            if (column->tags)
                column->tags[i] =
                    node->op == CT_DAG_IS_INDEX ? CT_TAG_INT : (uint8_t)value.kind;
        }
    }
}

static bool new_table(struct ct_build *build, struct ct_dag_node *node, size_t size)
{
    node->table = ct_space_memory_new(&build->memory, size, sizeof(*node->table));
    node->table_size = size;
    if (node->table && ct_dag_tagged(node)) {
        node->tags = ct_space_memory_new(&build->memory, size, sizeof(*node->tags));
        if (!node->tags) {
            ct_space_memory_free(&build->memory, node->table, size, sizeof(*node->table));
            node->table = NULL;
        }
    }
    return node->table != NULL;
}

static void drop_table(struct ct_build *build, struct ct_dag_node *node)
{
    ct_space_memory_free(&build->memory, node->table, node->table_size,
                         sizeof(*node->table));
    ct_space_memory_free(&build->memory, node->tags, node->table_size,
                         sizeof(*node->tags));
    node->table = NULL;
    node->tags = NULL;
    node->table_size = 0;
}

bool ct_build_tables(struct ct_build *build, size_t param, const uint32_t *nodes,
                     size_t count)
{
    size_t size = build->values[param].count;
    struct ct_program program;
    bool ok = true;

    if (count == 1 && ct_dag_at(&build->dag, *nodes)->table)
        return true;
    ct_program_init(&program, &build->dag);
    for (size_t n = 0; ok && n < count; n++) {
        struct ct_dag_node *node = ct_dag_at(&build->dag, nodes[n]);

        if (!node->table)
            ct_program_compile(&program, nodes[n]);
    }
    ok = !program.failed;
    for (size_t n = 0; ok && n < count; n++) {
        struct ct_dag_node *node = ct_dag_at(&build->dag, nodes[n]);

        if (node->stamp == program.stamp && !node->table)
            ok = new_table(build, node, size);
    }
    for (size_t first = 0; ok && first < size; first += CT_VECTOR_ROWS) {
        size_t rows = size - first < CT_VECTOR_ROWS ? size - first : CT_VECTOR_ROWS;

        fill_parameter(build, &program, param, first, rows);
        ct_program_run(&program, 0, program.step_count, rows);
        for (size_t n = 0; n < count; n++) {
            struct ct_dag_node *node = ct_dag_at(&build->dag, nodes[n]);
            const struct ct_column *column = &program.columns[node->reg];

            if (node->stamp != program.stamp)
                continue; /* had a table */
            memcpy(node->table + first, column->bits, rows * sizeof(*node->table));
            if (node->tags)
                memcpy(node->tags + first, column->tags, rows * sizeof(*node->tags));
        }
    }
    ct_program_release(&program);
    return ok && !build->dag.failed;
}

void ct_build_fill(const struct ct_build *build, const struct ct_program *program,
                   const struct ct_vector_leaf *leaf, const uint32_t *positions,
                   size_t rows)
{
    const struct ct_dag_node *node = ct_dag_at(&build->dag, leaf->node);
    const struct ct_column *column = &program->columns[leaf->reg];

    for (size_t i = 0; i < rows; i++)
        column->bits[i] = node->table[positions[i]];
    if (!column->tags)
        return;
    if (node->tags)
        for (size_t i = 0; i < rows; i++)
            column->tags[i] = node->tags[positions[i]];
    else
        memset(column->tags, (int)node->tag, rows);
}

/* --- roots of no parameter, and of one --- */

/* Counts a decided root's effect on one row; returns whether the row remains. */
static bool row_remains(struct ct_root *root, uint8_t tag, int64_t bits)
{
    root->tried++;
    if (tag >= CT_TAG_FAIL)
        root->failed++;
    else if (bits == 2)
        root->undecided = true;
    if (tag < CT_TAG_FAIL && bits)
        return true;
    root->removed++;
    return false;
}

static bool decide_constant(struct ct_build *build, struct ct_root *root)
{
    struct ct_program program;
    uint32_t reg;
    bool ok;

    ct_program_init(&program, &build->dag);
    reg = ct_program_compile(&program, root->node);
    ok = !program.failed;
    if (ok) {
        const struct ct_column *column = &program.columns[reg];

        ct_program_run(&program, 0, program.step_count, 1);
        if (!row_remains(root, column->tags ? *column->tags : (uint8_t)column->tag,
                         *column->bits))
            build->empty = true;
        root->vacuous = root->removed == 0 && !root->undecided;
        root->done = true;
    }
    ct_program_release(&program);
    return ok;
}

static void filter(struct ct_build *build, struct ct_root *root)
{
    struct ct_dag_node *node = ct_dag_at(&build->dag, root->node);
    struct ct_space_values *values = &build->values[node->param];
    size_t kept = 0;

    /* Tables are by index until something is removed: all roots of a parameter have theirs before
     * the first is applied. */
    for (size_t i = 0; i < values->count; i++) {
        uint32_t index = values->indices[i];

        if (row_remains(root, node->tags ? node->tags[index] : (uint8_t)node->tag,
                        node->table[index]))
            values->indices[kept++] = index;
    }
    root->vacuous = kept == values->count && !root->undecided;
    values->count = kept;
    root->done = true;
    if (!kept)
        build->empty = true;
}

static bool filter_values(struct ct_build *build)
{
    size_t count = build->root_count;
    uint32_t *nodes = ct_mem_array(count, sizeof(*nodes));
    bool ok = nodes != NULL;

    for (size_t p = 0; ok && p < build->spec->param_count; p++) {
        size_t found = 0;

        for (size_t r = 0; r < count; r++)
            if (ct_dag_at(&build->dag, build->roots[r].node)->param == (int)p)
                nodes[found++] = build->roots[r].node;
        if (!found)
            continue;
        ok = ct_build_tables(build, p, nodes, found);
        for (size_t r = 0; ok && r < count; r++)
            if (ct_dag_at(&build->dag, build->roots[r].node)->param == (int)p)
                filter(build, &build->roots[r]);
        for (size_t n = 0; n < found; n++)
            drop_table(build, ct_dag_at(&build->dag, nodes[n]));
    }
    free(nodes);
    return ok;
}

/* --- properties of the remaining values --- */

/* Marks the nodes below a root that depend on several parameters, and the first of one
 * parameter. */
static void mark_nodes(struct ct_dag *dag, uint32_t id, uint32_t mark)
{
    struct ct_dag_node *node = ct_dag_at(dag, id);

    if (node->mark == mark)
        return;
    node->mark = mark;
    if (node->param == CT_DAG_PARAMS)
        for (size_t i = 0; i < node->arg_count; i++)
            mark_nodes(dag, node->args[i], mark);
}

/* Bounds, kind and failures from its table. */
static void learn_from_table(struct ct_dag_node *node)
{
    enum ct_tag tag = CT_TAG_FAIL; /* until there is a value */
    bool fails = false;
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < node->table_size; i++) {
        enum ct_tag one = node->tags ? (enum ct_tag)node->tags[i] : node->tag;
        struct ct_value value;
        double number;

        if (one >= CT_TAG_FAIL) {
            fails = true;
            continue;
        }
        if (tag == CT_TAG_FAIL)
            tag = one;
        else if (tag != one)
            tag = CT_TAG_MIXED;
        value = ct_dag_value(node->table[i], one);
        number = ct_value_number(value);
        if (value.kind == CT_TEXT || !(fabs(number) <= CT_DAG_EXACT)) {
            low = -INFINITY;
            high = INFINITY;
        } else {
            low = fmin(low, number);
            high = fmax(high, number);
        }
    }
    node->may_fail = fails;
    node->low = low <= high ? low : -INFINITY;
    node->high = low <= high ? high : INFINITY;
    if (tag != CT_TAG_FAIL)
        node->tag = tag;
    node->boolean = node->boolean || (node->tag == CT_TAG_INT && !fails &&
                                      node->low >= 0 && node->high <= 1);
}

/* Bounds and kinds for the remaining values. */
static bool analyse_again(struct ct_build *build)
{
    struct ct_dag *dag = &build->dag;
    size_t count = dag->count;
    uint32_t *nodes = ct_mem_array(count, sizeof(*nodes));
    uint32_t mark = ++dag->last_mark;
    bool ok = nodes != NULL;

    for (size_t r = 0; r < build->root_count; r++)
        if (!build->roots[r].done)
            mark_nodes(dag, build->roots[r].node, mark);
    for (size_t p = 0; ok && p < build->spec->param_count; p++) {
        size_t found = 0;

        for (size_t n = 0; n < count; n++)
            if (dag->nodes[n].mark == mark && dag->nodes[n].param == (int)p)
                nodes[found++] = (uint32_t)n;
        if (found)
            ok = ct_build_tables(build, p, nodes, found);
        for (size_t n = 0; ok && n < found; n++)
            learn_from_table(ct_dag_at(dag, nodes[n]));
    }
    free(nodes);
    for (size_t n = 0; ok && n < count; n++)
        if (dag->nodes[n].mark == mark && dag->nodes[n].param == CT_DAG_PARAMS)
            ct_dag_analyse(dag, (uint32_t)n);
    return ok;
}

/* --- roots that always hold --- */

struct trial {
    struct ct_build *build;
    struct ct_program program;
    size_t *params; /* of the root */
    size_t param_count;
    uint32_t *positions; /* CT_VECTOR_ROWS for each */
    double combinations;
};

static bool trial_begin(struct trial *trial, struct ct_build *build, uint32_t root,
                        uint32_t *reg)
{
    const struct ct_dag_node *node = ct_dag_at(&build->dag, root);
    size_t count = build->spec->param_count;

    trial->build = build;
    trial->param_count = 0;
    trial->combinations = 1;
    ct_program_init(&trial->program, &build->dag);
    trial->program.any_param = true;
    trial->params = ct_mem_array(count, sizeof(*trial->params));
    trial->positions = NULL;
    if (!trial->params)
        return false;
    for (size_t p = 0; p < count; p++)
        if (node->support[p / 64] >> p % 64 & 1) {
            trial->params[trial->param_count++] = p;
            trial->combinations *= (double)build->values[p].count;
        }
    trial->positions =
        ct_mem_array(trial->param_count * CT_VECTOR_ROWS, sizeof(uint32_t));
    *reg = ct_program_compile(&trial->program, root);
    for (size_t l = 0; l < trial->program.leaf_count && !trial->program.failed; l++) {
        uint32_t leaf = trial->program.leaves[l].node;

        if (!ct_build_tables(build, (size_t)ct_dag_at(&build->dag, leaf)->param, &leaf,
                             1))
            return false;
    }
    return trial->positions && !trial->program.failed;
}

static void trial_end(struct trial *trial)
{
    ct_program_release(&trial->program);
    free(trial->params);
    free(trial->positions);
}

/* Number of rows that satisfy the root; *certain only without undecided ones. */
static size_t trial_run(struct trial *trial, uint32_t reg, size_t rows, bool *certain)
{
    const struct ct_column *column = &trial->program.columns[reg];
    size_t pass = 0;

    for (size_t l = 0; l < trial->program.leaf_count; l++) {
        const struct ct_vector_leaf *leaf = &trial->program.leaves[l];
        size_t at = 0;

        while ((int)trial->params[at] != ct_dag_at(&trial->build->dag, leaf->node)->param)
            at++;
        ct_build_fill(trial->build, &trial->program, leaf,
                      trial->positions + at * CT_VECTOR_ROWS, rows);
    }
    ct_program_run(&trial->program, 0, trial->program.step_count, rows);
    for (size_t i = 0; i < rows; i++) {
        bool meets = (!column->tags || column->tags[i] < CT_TAG_FAIL) && column->bits[i];

        pass += meets;
        *certain = *certain && (!meets || column->bits[i] == 1);
    }
    return pass;
}

static void fill_random(struct trial *trial, struct ct_rng *rng)
{
    for (size_t k = 0; k < trial->param_count; k++) {
        uint64_t count = trial->build->values[trial->params[k]].count;

        for (size_t i = 0; i < SAMPLE_ROWS; i++)
            trial->positions[k * CT_VECTOR_ROWS + i] =
                (uint32_t)((ct_rng_next(rng) >> 32) * count >> 32);
    }
}

/* Rows [first, first + rows) of all combinations. */
static void fill_ordered(struct trial *trial, size_t first, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        size_t rest = first + i;

        for (size_t k = trial->param_count; k-- > 0;) {
            size_t count = trial->build->values[trial->params[k]].count;

            trial->positions[k * CT_VECTOR_ROWS + i] = (uint32_t)(rest % count);
            rest /= count;
        }
    }
}

bool ct_build_estimate(struct ct_build *build, uint32_t node, double *pass)
{
    struct trial trial;
    struct ct_rng rng;
    bool certain = true;
    uint32_t reg;
    bool ok = trial_begin(&trial, build, node, &reg);

    ct_rng_seed(&rng, node);
    if (ok) {
        fill_random(&trial, &rng);
        *pass = (double)trial_run(&trial, reg, SAMPLE_ROWS, &certain) / SAMPLE_ROWS;
    }
    trial_end(&trial);
    return ok;
}

/* Estimates how often a root holds, and drops it if it always does. */
static bool try_root(struct ct_build *build, struct ct_root *root, struct ct_rng *rng)
{
    const struct ct_dag_node *node = ct_dag_at(&build->dag, root->node);
    struct trial trial;
    bool certain = true;
    uint32_t reg;
    size_t pass;
    bool ok;

    if (!node->may_fail && node->boolean && node->low == 1) {
        root->vacuous = root->done = true;
        return true;
    }
    ok = trial_begin(&trial, build, root->node, &reg);
    if (ok) {
        fill_random(&trial, rng);
        pass = trial_run(&trial, reg, SAMPLE_ROWS, &certain);
        root->pass = ((double)pass + 0.5) / (SAMPLE_ROWS + 1);
        if (pass == SAMPLE_ROWS && certain && trial.combinations <= EXHAUSTIVE_MAX) {
            size_t all = (size_t)trial.combinations;
            bool holds = true;

            for (size_t first = 0; holds && first < all; first += CT_VECTOR_ROWS) {
                size_t rows = all - first < CT_VECTOR_ROWS ? all - first : CT_VECTOR_ROWS;

                fill_ordered(&trial, first, rows);
                holds = trial_run(&trial, reg, rows, &certain) == rows && certain;
            }
            root->vacuous = root->done = holds;
        }
    }
    trial_end(&trial);
    return ok;
}

/* --- components --- */

static size_t leader_of(struct ct_build *build, size_t p)
{
    while (build->leader[p] != p)
        p = build->leader[p] = build->leader[build->leader[p]];
    return p;
}

static void connect(struct ct_build *build, const struct ct_root *root)
{
    const uint64_t *support = ct_dag_at(&build->dag, root->node)->support;
    size_t first = SIZE_MAX;

    for (size_t p = 0; p < build->spec->param_count; p++) {
        size_t a;
        size_t b;

        if (!(support[p / 64] >> p % 64 & 1))
            continue;
        if (first == SIZE_MAX)
            first = p;
        a = leader_of(build, first);
        b = leader_of(build, p);
        build->leader[a > b ? a : b] = a < b ? a : b;
    }
}

/* Counts of roots of one parameter are of its values so far: makes them numbers of combinations
 * of its component.  Roots that always hold see all remaining ones. */
static void scale_counts(struct ct_build *build)
{
    size_t params = build->spec->param_count;

    for (size_t r = 0; r < build->root_count; r++) {
        struct ct_root *root = &build->roots[r];
        const struct ct_dag_node *node = ct_dag_at(&build->dag, root->node);
        double others = 1;

        if (!root->done || node->param == CT_DAG_NO_PARAM)
            continue;
        for (size_t p = 0; p < params; p++) {
            bool own = node->support[p / 64] >> p % 64 & 1;
            bool near = false;

            if (node->param >= 0)
                near = build->leader[p] == build->leader[node->param];
            else
                near = own;
            /* Roots of earlier parameters have been applied. */
            if (near && !(own && node->param >= 0))
                others *= (double)(node->param < 0 || p < (size_t)node->param
                                       ? build->values[p].count
                                       : build->values[p].domain_count);
        }
        if (node->param < 0)
            root->tried = 1;
        root->tried = ct_space_scale(root->tried, others);
        root->removed = ct_space_scale(root->removed, others);
        root->failed = ct_space_scale(root->failed, others);
    }
}

bool ct_build_prepare(struct ct_build *build)
{
    struct ct_rng rng;
    bool ok = true;

    ct_rng_seed(&rng, 1);
    for (size_t r = 0; ok && r < build->root_count; r++)
        if (ct_dag_at(&build->dag, build->roots[r].node)->param == CT_DAG_NO_PARAM)
            ok = decide_constant(build, &build->roots[r]);
    for (size_t p = 0; p < build->spec->param_count; p++) {
        build->leader[p] = p;
        if (!build->values[p].count)
            build->empty = true;
    }
    if (ok && !build->empty)
        ok = filter_values(build);
    if (!ok || build->empty) {
        if (ok)
            scale_counts(build);
        return ok;
    }
    ok = analyse_again(build);
    for (size_t r = 0; ok && r < build->root_count; r++)
        if (!build->roots[r].done)
            ok = try_root(build, &build->roots[r], &rng);
    for (size_t r = 0; ok && r < build->root_count; r++)
        if (!build->roots[r].done)
            connect(build, &build->roots[r]);
    for (size_t p = 0; p < build->spec->param_count; p++)
        build->leader[p] = leader_of(build, p);
    if (ok)
        scale_counts(build);
    return ok;
}
