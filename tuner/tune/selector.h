// SPDX-License-Identifier: Apache-2.0
// A decision tree that tells which variant serves a device and a problem.
#ifndef CT_TUNE_SELECTOR_H
#define CT_TUNE_SELECTOR_H

#include "tune/variants.h"

/* Facts about a device, besides the sizes of the problem.  Numbers come before texts, and what many
 * devices have in common before the name: of equally good questions the first is asked. */
enum ct_selector_fact {
    CT_FACT_COMPUTE_UNITS,
    CT_FACT_MAX_WORK_GROUP_SIZE,
    CT_FACT_LOCAL_MEM_BYTES,
    CT_FACT_GLOBAL_MEM_BYTES,
    CT_FACT_TYPE,
    CT_FACT_VENDOR,
    CT_FACT_NAME,
    CT_FACT_COUNT
};

struct ct_selector_feature {
    enum ct_selector_fact fact; /* CT_FACT_COUNT: a size of the problem */
    const char *name;           /* of the size, or "compute_units", "name", ... */
    enum ct_kind kind;          /* CT_INT, CT_REAL or CT_TEXT */
};

struct ct_selector_node {
    bool leaf;
    size_t variant; /* of a leaf */
    double loss;    /* of a leaf: the largest at its points */
    size_t points;  /* that come here */
    /* Of others: texts are compared for equality, numbers with "at most". */
    size_t feature;
    struct ct_value threshold;
    size_t yes; /* numbers of nodes */
    size_t no;
};

struct ct_selector {
    struct ct_arena arena;
    struct ct_selector_feature *features; /* sizes by name, then facts */
    size_t feature_count;
    struct ct_selector_node *nodes; /* 0 is the root */
    size_t node_count;
    size_t node_capacity;
    double worst_loss; /* over all points, with the variants that the tree gives */
    size_t leaf_count;
};

/* Learns a tree greedily: each question leaves the fewest points outside of the variants' tolerance
 * if both sides got a single variant, then the least loss.  A point gets a variant within the
 * tolerance unless another point has the same sizes and facts; a variant is never given to a point at
 * which it failed.  CT_E_NOT_FOUND: two points differ in nothing that the tree can ask about, and no
 * variant works at both.  Release `out` in any case. */
enum ct_status ct_selector_learn(const struct ct_db_points *points,
                                 const struct ct_variants *variants,
                                 struct ct_selector *out, struct ct_err *err);
void ct_selector_release(struct ct_selector *selector);

#endif
