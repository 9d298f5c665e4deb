// SPDX-License-Identifier: Apache-2.0
// Evaluates nodes of the graph for many combinations at once: one pass over a column per
// operation, so that interpreting costs little per combination.
#ifndef CT_SPACE_SPACE_VECTOR_H
#define CT_SPACE_SPACE_VECTOR_H

#include "space/space_dag.h"

/* Combinations that are evaluated together: columns of this size fit the cache. */
enum { CT_VECTOR_ROWS = 512 };

/* Values of a node, one row each; a missing value has a tag with the reason. */
struct ct_column {
    int64_t *bits;
    uint8_t *tags; /* enum ct_tag; NULL if all have the kind `tag` */
    enum ct_tag tag;
};

/* How a step is computed. */
enum ct_vector_form {
    CT_FORM_INT,    /* integers, or texts compared by their pointers */
    CT_FORM_SMALL,  /* integers of 0 to 2^32 - 1: their division is faster */
    CT_FORM_REAL,   /* at least one operand is real */
    CT_FORM_LOGIC,  /* operands evaluated up to the one that decides */
    CT_FORM_VALUES, /* row by row, through ct_expr_apply */
};

struct ct_vector_step {
    int op;
    int function;
    enum ct_vector_form form;
    uint32_t to;
    uint32_t args[3]; /* registers; further arguments of a function follow in extra */
    uint32_t extra;   /* first in program->extra, where there are more than 3 */
    size_t arg_count;
};

/* Steps that compute nodes from leaves whose columns the caller fills. */
struct ct_program {
    struct ct_dag *dag;
    uint32_t stamp;
    /* Nodes of this parameter alone are leaves (-1: none); with `any_param` those of any
     * one parameter. */
    int leaf_param;
    bool any_param;
    /* Chains whose operands of these parameters are already combined, or NULL. */
    const uint64_t *assigned;
    struct ct_vector_step *steps;
    size_t step_count;
    size_t step_room;
    uint32_t *extra;
    size_t extra_count;
    size_t extra_room;
    struct ct_column *columns; /* by register */
    size_t column_count;
    size_t column_room;
    struct ct_vector_leaf {
        uint32_t node;
        uint32_t reg;
    } * leaves; /* in order of appearance */
    size_t leaf_count;
    size_t leaf_room;
    bool failed;
};

void ct_program_init(struct ct_program *program, struct ct_dag *dag);
void ct_program_release(struct ct_program *program);

/* Makes `node` a leaf, before anything is compiled; returns its register. */
uint32_t ct_program_leaf(struct ct_program *program, uint32_t node);

/* Compiles `node`; returns its register.  Steps are in the order of the calls. */
uint32_t ct_program_compile(struct ct_program *program, uint32_t node);

/* Runs the steps [first, last) on `rows` rows, at most CT_VECTOR_ROWS. */
void ct_program_run(const struct ct_program *program, size_t first, size_t last,
                    size_t rows);

/* Whether a node's column needs tags. */
static inline bool ct_dag_tagged(const struct ct_dag_node *node)
{
    return node->may_fail || node->tag == CT_TAG_MIXED;
}

#endif
