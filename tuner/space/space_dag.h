// SPDX-License-Identifier: Apache-2.0
// The expressions of all constraints as one graph: equal subexpressions are one node, constants
// are folded, computed names are replaced by their expressions.
//
// Chains of `&&` and `||`, and chains of `*` and `+` on integers that cannot overflow in any
// order, are single nodes with many operands, so that any part of their operands can be combined
// as soon as it is known (ct_dag_partial).
#ifndef CT_SPACE_SPACE_DAG_H
#define CT_SPACE_SPACE_DAG_H

#include "base/mem.h"
#include "space/space_memory.h"
#include "spacefile/expr/expr.h"

/* The kind of a value, or why there is none.  The first three are those of enum ct_kind. */
enum ct_tag {
    CT_TAG_INT = CT_INT,
    CT_TAG_REAL = CT_REAL,
    CT_TAG_TEXT = CT_TEXT,
    CT_TAG_FAIL,    /* it cannot be evaluated */
    CT_TAG_UNKNOWN, /* a name in it has no value */
    CT_TAG_MIXED,   /* of nodes: the kind depends on the parameters */
};

/* Operations in addition to those of enum ct_op. */
enum ct_dag_op {
    CT_DAG_PARAM = CT_OP_CALL + 1, /* value of a parameter */
    CT_DAG_IS_INDEX, /* 1 if the parameter has the value with index `bits` */
    CT_DAG_LET,      /* a computed name: what fails inside has no value outside */
    CT_DAG_IS_UNKNOWN,
    CT_DAG_ACTIVE, /* (x, lacks): ct_binding_active */
    CT_DAG_DECIDE, /* (x, lacks): ct_binding_decide; 2 if it needs a device */
};

enum { CT_DAG_NO_PARAM = -1, CT_DAG_PARAMS = -2 };

/* Largest number that intervals hold exactly; beyond it they are unbounded. */
#define CT_DAG_EXACT 9007199254740992.0

struct ct_dag_node {
    int op;          /* enum ct_op or enum ct_dag_op */
    enum ct_tag tag; /* of a constant's value; of others the kind if it evaluates */
    bool may_fail;
    bool boolean; /* 0 or 1 */
    int function; /* CT_OP_CALL */
    int param;    /* the only one it depends on, CT_DAG_NO_PARAM, CT_DAG_PARAMS */
    int64_t bits; /* constant's value: integer, bits of a real, interned text */
    size_t arg_count;
    const uint32_t *args;
    const uint64_t *support; /* set of the parameters it depends on */
    double distinct; /* estimated number of distinct values; 0: not estimated yet */
    double low;      /* bounds of a number's value */
    double high;
    uint32_t hash;
    uint32_t next;  /* in the hash chain */
    uint32_t stamp; /* of the program that `reg` belongs to */
    uint32_t reg;
    uint32_t mark;  /* of the last traversal that visited it */
    int64_t *table; /* for a node of one parameter: its value for each remaining value */
    uint8_t *tags;  /* its tags; NULL if it is `tag` for all */
    size_t table_size; /* elements */
};

struct ct_dag {
    struct ct_space_memory *memory;
    struct ct_arena arena;
    struct ct_dag_node *nodes;
    size_t count;
    size_t room;
    uint32_t *buckets; /* node + 1 */
    size_t bucket_count;
    size_t words; /* of a support */
    const char **texts;
    size_t text_count;
    size_t text_room;
    uint32_t *text_slots; /* text + 1, open addressing */
    size_t text_slot_count;
    uint32_t last_mark;
    bool failed; /* out of memory; nodes returned since are invalid */
};

/* Nodes in every graph. */
enum { CT_DAG_FALSE = 0, CT_DAG_TRUE = 1, CT_DAG_UNKNOWN = 2 };

bool ct_dag_init(struct ct_dag *dag, size_t param_count, struct ct_space_memory *memory);
void ct_dag_release(struct ct_dag *dag);

static inline struct ct_dag_node *ct_dag_at(const struct ct_dag *dag, uint32_t node)
{
    return &dag->nodes[node];
}

/* The node that equals `wanted` (op, function, bits, operands; of a constant the tag, of
 * a parameter its number and bounds), new or not. */
uint32_t ct_dag_intern(struct ct_dag *dag, struct ct_dag_node *wanted);
/* A constant; a tag that is no kind: one without a value. */
uint32_t ct_dag_make_const(struct ct_dag *dag, int64_t bits, enum ct_tag tag);

/* The node of an operation, simplified.  Functions that return nodes do not fail; see
 * `failed`. */
uint32_t ct_dag_make(struct ct_dag *dag, int op, int function, const uint32_t *args,
                     size_t count);
uint32_t ct_dag_const(struct ct_dag *dag, struct ct_value value);
/* `low`, `high`, `tag`: of all its values. */
uint32_t ct_dag_param(struct ct_dag *dag, size_t param, enum ct_tag tag, double low,
                      double high);
uint32_t ct_dag_is_index(struct ct_dag *dag, size_t param, uint32_t index);

/* Computes kind, bounds and whether it may fail again, from those of the operands. */
void ct_dag_analyse(struct ct_dag *dag, uint32_t node);

/* Whether operands can be combined in any order and any part. */
bool ct_dag_is_chain(const struct ct_dag *dag, uint32_t node);

/* The combination of those operands of a chain that depend only on parameters of `set` (without
 * constants): a node, the only such operand itself, or UINT32_MAX if there is none. */
uint32_t ct_dag_partial(struct ct_dag *dag, uint32_t node, const uint64_t *set);

/* Converts a value to bits and back; equal texts have the same pointer. */
int64_t ct_dag_bits(struct ct_dag *dag, struct ct_value value);
struct ct_value ct_dag_value(int64_t bits, enum ct_tag tag);

bool ct_dag_within(const struct ct_dag *dag, const uint64_t *part, const uint64_t *whole);
bool ct_dag_touches(const struct ct_dag *dag, const uint64_t *a, const uint64_t *b);

#endif
