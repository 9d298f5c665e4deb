// SPDX-License-Identifier: Apache-2.0
// Enumerates a component whose diagram would be too large: depth first over its parameters, every
// root decided as soon as all that it depends on is known.
#include "space/space_build.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    struct ct_build *build;
    const struct ct_component_build *component;
    struct ct_program *programs; /* by level: the roots that it decides */
    struct listing_root {
        size_t root;
        uint32_t reg;
    } * *roots;
    size_t *root_counts;
    double *rest;        /* by level: combinations of the parameters after it */
    uint32_t *positions; /* of the values chosen so far, by parameter */
    uint32_t *chosen;    /* indices, by level */
    uint32_t *listed;
    size_t room;
    uint64_t count;
};

static bool plan_level(struct listing *in, size_t l, const uint64_t *before,
                       const uint64_t *after)
{
    struct ct_build *build = in->build;
    struct ct_program *program = &in->programs[l];

    ct_program_init(program, &build->dag);
    program->any_param = true;
    in->roots[l] = ct_mem_array(in->component->root_count, sizeof(**in->roots));
    if (!in->roots[l])
        return false;
    for (size_t i = 0; i < in->component->root_count; i++) {
        size_t r = in->component->roots[i];
        const uint64_t *support = ct_dag_at(&build->dag, build->roots[r].node)->support;

        if (ct_dag_within(&build->dag, support, after) &&
            !ct_dag_within(&build->dag, support, before))
            in->roots[l][in->root_counts[l]++] = (struct listing_root){
                r, ct_program_compile(program, build->roots[r].node)};
    }
    for (size_t i = 0; i < program->leaf_count && !program->failed; i++) {
        uint32_t node = program->leaves[i].node;

        if (!ct_build_tables(build, (size_t)ct_dag_at(&build->dag, node)->param, &node,
                             1))
            return false;
    }
    return !program->failed;
}

static bool plan_levels(struct listing *in)
{
    size_t count = in->component->param_count;
    size_t params = in->build->spec->param_count;
    uint64_t *before = ct_mem_array(in->build->dag.words, sizeof(*before));
    uint64_t *after = ct_mem_array(in->build->dag.words, sizeof(*after));
    bool ok;

    in->programs = ct_mem_array(count, sizeof(*in->programs));
    in->roots = ct_mem_array(count, sizeof(*in->roots));
    in->root_counts = ct_mem_array(count, sizeof(*in->root_counts));
    in->rest = ct_mem_array(count, sizeof(*in->rest));
    in->positions = ct_mem_array(params, sizeof(*in->positions));
    in->chosen = ct_mem_array(count, sizeof(*in->chosen));
    ok = before && after && in->programs && in->roots && in->root_counts && in->rest &&
         in->positions && in->chosen;
    for (size_t l = 0; ok && l < count; l++) {
        size_t p = in->component->params[l];

        after[p / 64] |= (uint64_t)1 << p % 64;
        in->rest[l] = 1;
        for (size_t k = l + 1; k < count; k++)
            in->rest[l] *= (double)in->build->values[in->component->params[k]].count;
        ok = plan_level(in, l, before, after);
        memcpy(before, after, in->build->dag.words * sizeof(*before));
    }
    free(before);
    free(after);
    return ok;
}

static bool add_rows(struct listing *in)
{
    size_t width = in->component->param_count;

    if (!ct_space_memory_grow(&in->build->memory, &in->listed, &in->room,
                              (size_t)(in->count + 1) * width, sizeof(*in->listed)))
        return false;
    memcpy(in->listed + in->count * width, in->chosen, width * sizeof(*in->chosen));
    in->count++;
    return true;
}

/* Decides the level's roots for values [first, first + rows) of its parameter. */
static void decide_values(struct listing *in, size_t l, size_t first, size_t rows,
                          uint8_t *alive)
{
    struct ct_program *program = &in->programs[l];
    size_t own = in->component->params[l];
    uint32_t positions[CT_VECTOR_ROWS];

    for (size_t i = 0; i < program->leaf_count; i++) {
        size_t p = (size_t)ct_dag_at(program->dag, program->leaves[i].node)->param;

        for (size_t k = 0; k < rows; k++)
            positions[k] = p == own ? (uint32_t)(first + k) : in->positions[p];
        ct_build_fill(in->build, program, &program->leaves[i], positions, rows);
    }
    ct_program_run(program, 0, program->step_count, rows);
    memset(alive, 1, rows);
    for (size_t i = 0; i < in->root_counts[l]; i++) {
        struct ct_root *root = &in->build->roots[in->roots[l][i].root];
        const struct ct_column *column = &program->columns[in->roots[l][i].reg];

        for (size_t k = 0; k < rows; k++) {
            bool fails = column->tags && column->tags[k] >= CT_TAG_FAIL;

            if (!alive[k])
                continue;
            root->tried += in->rest[l];
            if (!fails && column->bits[k]) {
                root->undecided = root->undecided || column->bits[k] == 2;
                continue;
            }
            alive[k] = 0;
            root->removed += in->rest[l];
            root->failed += fails ? in->rest[l] : 0;
        }
    }
}

static bool descend(struct listing *in, size_t l)
{
    size_t p = in->component->params[l];
    const struct ct_space_values *values = &in->build->values[p];
    uint8_t alive[CT_VECTOR_ROWS];

    for (size_t first = 0; first < values->count; first += CT_VECTOR_ROWS) {
        size_t rows = values->count - first;

        if (rows > CT_VECTOR_ROWS)
            rows = CT_VECTOR_ROWS;
        in->build->tried += rows;
        if (in->build->tried > CT_SPACE_TRIED_MAX)
            return false;
        decide_values(in, l, first, rows, alive);
        for (size_t k = 0; k < rows; k++) {
            if (!alive[k])
                continue;
            in->positions[p] = (uint32_t)(first + k);
            in->chosen[l] = values->indices[first + k];
            if (l + 1 < in->component->param_count ? !descend(in, l + 1) : !add_rows(in))
                return false;
        }
    }
    return true;
}

bool ct_build_list(struct ct_build *build, const struct ct_component_build *component,
                   struct ct_diagram *diagram)
{
    struct listing in = {.build = build, .component = component};
    bool ok = plan_levels(&in) && descend(&in, 0);

    ct_space_memory_trim(&build->memory, &in.listed, &in.room,
                         (size_t)in.count * component->param_count, sizeof(*in.listed));
    diagram->listed = in.listed;
    diagram->valid = in.count;
    for (size_t l = 0; in.programs && l < component->param_count; l++)
        ct_program_release(&in.programs[l]);
    for (size_t l = 0; in.roots && l < component->param_count; l++)
        free(in.roots[l]);
    free(in.programs);
    free(in.roots);
    free(in.root_counts);
    free(in.rest);
    free(in.positions);
    free(in.chosen);
    return ok;
}
