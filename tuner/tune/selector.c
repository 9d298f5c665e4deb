// SPDX-License-Identifier: Apache-2.0
// A decision tree that tells which variant serves a device and a problem.
#include "tune/selector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *limit; /* NULL: a column of the device */
    enum ct_kind kind;
} facts[CT_FACT_COUNT] = {
    [CT_FACT_COMPUTE_UNITS] = {"compute_units", NULL, CT_INT},
    [CT_FACT_MAX_WORK_GROUP_SIZE] = {"max_work_group_size", "DEVICE_MAX_WORK_GROUP_SIZE",
                                     CT_INT},
    [CT_FACT_LOCAL_MEM_BYTES] = {"local_mem_bytes", "DEVICE_LOCAL_MEM_SIZE", CT_INT},
    [CT_FACT_GLOBAL_MEM_BYTES] = {"global_mem_bytes", "DEVICE_GLOBAL_MEM_SIZE", CT_INT},
    [CT_FACT_TYPE] = {"type", NULL, CT_TEXT},
    [CT_FACT_VENDOR] = {"vendor", NULL, CT_TEXT},
    [CT_FACT_NAME] = {"name", NULL, CT_TEXT},
};

/* What a point loses that its variant cannot be used at: more than any other loss. */
static const double unusable = 10;
static const double equal_losses = 1e-9;

struct learning {
    const struct ct_db_points *points;
    const struct ct_variants *variants;
    struct ct_selector *out;
    double *losses;   /* of each point with each variant: [point * variants + variant] */
    size_t *order;    /* points; each node has a part of it */
    size_t *scratch;  /* the same, while a part is split */
    size_t *outside;  /* of each variant, points of one side outside of the tolerance */
    double *sums;     /* of each variant, losses of one side */
    size_t *outside2; /* of the other side */
    double *sums2;
};

void ct_selector_release(struct ct_selector *selector)
{
    free(selector->nodes);
    ct_arena_release(&selector->arena);
    memset(selector, 0, sizeof(*selector));
}

/* --- features --- */

static struct ct_value value_of(const struct ct_db_value *values, size_t count,
                                const char *name)
{
    struct ct_value none = {.kind = CT_NONE};

    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    return none;
}

/* The value of a feature at a point; CT_NONE: not known. */
static struct ct_value feature_value(const struct ct_selector_feature *feature,
                                     const struct ct_db_point *point)
{
    switch (feature->fact) {
    case CT_FACT_COUNT:
        return value_of(point->sizes, point->size_count, feature->name);
    case CT_FACT_COMPUTE_UNITS:
        return point->compute_units ? ct_value_int(point->compute_units)
                                    : (struct ct_value){.kind = CT_NONE};
    case CT_FACT_TYPE:
        return ct_value_text(point->device_type);
    case CT_FACT_VENDOR:
        return ct_value_text(point->device_vendor);
    case CT_FACT_NAME:
        return ct_value_text(point->device_name);
    default:
        return value_of(point->limits, point->limit_count, facts[feature->fact].limit);
    }
}

static bool is_yes(const struct ct_selector_node *node, struct ct_value value)
{
    return node->threshold.kind == CT_TEXT
               ? strcmp(value.u.s, node->threshold.u.s) == 0
               : ct_value_number(value) <= ct_value_number(node->threshold);
}

/* Whether a feature has a value at each point, and numbers and texts do not mix; its kind is set. */
static bool is_known(const struct ct_db_points *points,
                     struct ct_selector_feature *feature)
{
    enum ct_kind kind = CT_NONE;

    for (size_t i = 0; i < points->point_count; i++) {
        struct ct_value value = feature_value(feature, &points->points[i]);

        if (value.kind == CT_NONE ||
            (kind != CT_NONE && (value.kind == CT_TEXT) != (kind == CT_TEXT)))
            return false;
        kind = kind == CT_REAL ? CT_REAL : value.kind;
    }
    feature->kind = kind;
    return true;
}

static enum ct_status list_features(struct learning *l, struct ct_err *err)
{
    const struct ct_db_point *first = &l->points->points[0];
    struct ct_selector *out = l->out;
    struct ct_selector_feature *feature;

    out->features = ct_arena_array(&out->arena, first->size_count + CT_FACT_COUNT,
                                   sizeof(*out->features));
    if (!out->features)
        return ct_err_nomem(err);
    for (size_t i = 0; i < first->size_count; i++) {
        feature = &out->features[out->feature_count];
        *feature =
            (struct ct_selector_feature){CT_FACT_COUNT,
                                         ct_arena_copy(&out->arena, first->sizes[i].name,
                                                       strlen(first->sizes[i].name)),
                                         CT_INT};
        if (!feature->name)
            return ct_err_nomem(err);
        out->feature_count += is_known(l->points, feature);
    }
    for (int i = 0; i < CT_FACT_COUNT; i++) {
        feature = &out->features[out->feature_count];
        *feature = (struct ct_selector_feature){(enum ct_selector_fact)i, facts[i].name,
                                                facts[i].kind};
        out->feature_count += is_known(l->points, feature);
    }
    return CT_OK;
}

/* --- judging one side --- */

static double loss_of(const struct learning *l, size_t point, size_t variant)
{
    return l->losses[point * l->variants->count + variant];
}

static void count_point(const struct learning *l, size_t point, bool add, size_t *outside,
                        double *sums)
{
    for (size_t v = 0; v < l->variants->count; v++) {
        double loss = loss_of(l, point, v);
        bool out = loss > l->variants->tolerance + equal_losses;

        outside[v] += add ? out : (size_t)0 - out;
        sums[v] += add ? loss : -loss;
    }
}

/* How good a side is if it gets its best variant. */
struct grade {
    size_t outside;
    double sum;
    size_t variant;
};

static bool is_better(struct grade a, struct grade b)
{
    if (a.outside != b.outside)
        return a.outside < b.outside;
    return a.sum < b.sum - equal_losses;
}

static struct grade grade_of(const struct learning *l, const size_t *outside,
                             const double *sums)
{
    struct grade best = {SIZE_MAX, 0, 0};

    for (size_t v = 0; v < l->variants->count; v++) {
        struct grade one = {outside[v], sums[v], v};

        if (is_better(one, best))
            best = one;
    }
    return best;
}

static void clear_sides(const struct learning *l)
{
    memset(l->outside, 0, l->variants->count * sizeof(*l->outside));
    memset(l->outside2, 0, l->variants->count * sizeof(*l->outside2));
    memset(l->sums, 0, l->variants->count * sizeof(*l->sums));
    memset(l->sums2, 0, l->variants->count * sizeof(*l->sums2));
}

/* --- splitting --- */

struct question {
    bool found;
    size_t feature;
    struct ct_value threshold;
    struct grade grade; /* of both sides together */
};

/* A point with its value, for sorting. */
struct valued {
    struct ct_value value;
    size_t point;
};

static int by_value(const void *left, const void *right)
{
    const struct valued *a = left;
    const struct valued *b = right;
    int order;

    if (a->value.kind == CT_TEXT) {
        order = strcmp(a->value.u.s, b->value.u.s);
    } else {
        double x = ct_value_number(a->value);
        double y = ct_value_number(b->value);

        order = (x > y) - (x < y);
    }
    return order ? order : (a->point > b->point) - (a->point < b->point);
}

static bool differ(struct ct_value a, struct ct_value b)
{
    return a.kind == CT_TEXT ? strcmp(a.u.s, b.u.s) != 0
                             : ct_value_number(a) < ct_value_number(b);
}

/* Between two values, nearer the middle of their logarithms: sizes double rather than grow by
 * one. */
static struct ct_value between(struct ct_value a, struct ct_value b)
{
    double x = ct_value_number(a);
    double y = ct_value_number(b);
    double middle = x > 0 ? sqrt(x) * sqrt(y) : x + (y - x) / 2;

    if (a.kind != CT_INT || b.kind != CT_INT)
        return ct_value_real(middle >= x && middle < y ? middle : x);
    middle = floor(middle);
    /* Large integers have no exact double. */
    if (!(middle >= x && middle < y) || fabs(middle) > 0x1p53)
        return a;
    return ct_value_int((int64_t)middle);
}

static void consider(const struct learning *l, size_t feature, struct ct_value threshold,
                     struct question *best)
{
    struct grade yes = grade_of(l, l->outside, l->sums);
    struct grade no = grade_of(l, l->outside2, l->sums2);
    struct grade both = {yes.outside + no.outside, yes.sum + no.sum, 0};

    if (!best->found || is_better(both, best->grade))
        *best = (struct question){true, feature, threshold, both};
}

/* Tries each threshold of a number: points move from one side to the other. */
static void try_number(const struct learning *l, size_t feature,
                       const struct valued *values, size_t count, struct question *best)
{
    clear_sides(l);
    for (size_t i = 0; i < count; i++)
        count_point(l, values[i].point, true, l->outside2, l->sums2);
    for (size_t i = 0; i + 1 < count; i++) {
        count_point(l, values[i].point, true, l->outside, l->sums);
        count_point(l, values[i].point, false, l->outside2, l->sums2);
        if (differ(values[i].value, values[i + 1].value))
            consider(l, feature, between(values[i].value, values[i + 1].value), best);
    }
}

/* Tries each text against all others. */
static void try_text(const struct learning *l, size_t feature,
                     const struct valued *values, size_t count, struct question *best)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (differ(values[first].value, values[end].value))
                break;
        if (end - first == count)
            return;
        clear_sides(l);
        for (size_t i = 0; i < count; i++) {
            bool yes = i >= first && i < end;

            count_point(l, values[i].point, true, yes ? l->outside : l->outside2,
                        yes ? l->sums : l->sums2);
        }
        consider(l, feature, values[first].value, best);
    }
}

static enum ct_status find_question(const struct learning *l, const size_t *part,
                                    size_t count, struct question *best,
                                    struct ct_err *err)
{
    struct valued *values = ct_mem_array(count, sizeof(*values));

    *best = (struct question){0};
    if (!values)
        return ct_err_nomem(err);
    for (size_t f = 0; f < l->out->feature_count; f++) {
        for (size_t i = 0; i < count; i++) {
            values[i].point = part[i];
            values[i].value =
                feature_value(&l->out->features[f], &l->points->points[part[i]]);
        }
        qsort(values, count, sizeof(*values), by_value);
        if (l->out->features[f].kind == CT_TEXT)
            try_text(l, f, values, count, best);
        else
            try_number(l, f, values, count, best);
    }
    free(values);
    return CT_OK;
}

/* --- the tree --- */

/* A part that waits to become a node. */
struct task {
    size_t node;
    size_t first;
    size_t count;
};

static enum ct_status refuse(const struct learning *l, const size_t *part, size_t count,
                             struct ct_err *err)
{
    const struct ct_db_point *a = &l->points->points[part[0]];
    const struct ct_db_point *b = &l->points->points[part[count - 1]];

    return ct_err_set(err, CT_E_NOT_FOUND,
                      "a selector cannot distinguish %s for %s from %s for %s, and no "
                      "variant works in both cases: select fewer with -d or -p",
                      a->device_name, a->problem_json, b->device_name, b->problem_json);
}

/* The variant with the smallest largest loss at the points of a part that cannot be divided. */
static void choose_least(const struct learning *l, struct task task,
                         struct ct_selector_node *node)
{
    for (size_t v = 0; v < l->variants->count; v++) {
        double largest = 0;

        for (size_t i = 0; i < task.count; i++)
            largest = fmax(largest, loss_of(l, l->order[task.first + i], v));
        if (!v || largest < node->loss - equal_losses) {
            node->loss = largest;
            node->variant = v;
        }
    }
}

/* Moves the points of the side `yes` to the front; returns how many. */
static size_t divide(const struct learning *l, const struct ct_selector_node *node,
                     size_t first, size_t count)
{
    const struct ct_selector_feature *feature = &l->out->features[node->feature];
    size_t yes = 0;
    size_t no = 0;

    for (size_t i = 0; i < count; i++) {
        size_t point = l->order[first + i];
        struct ct_value value = feature_value(feature, &l->points->points[point]);

        if (is_yes(node, value))
            l->order[first + yes++] = point;
        else
            l->scratch[no++] = point;
    }
    memcpy(&l->order[first + yes], l->scratch, no * sizeof(*l->scratch));
    return yes;
}

static void keep_grade(const struct learning *l, struct task task, size_t variant,
                       struct ct_selector_node *node)
{
    node->variant = variant;
    for (size_t i = 0; i < task.count; i++)
        node->loss = fmax(node->loss, loss_of(l, l->order[task.first + i], variant));
}

/* Makes a part a leaf, or a question with two tasks. */
static enum ct_status make_node(struct learning *l, struct task task, struct task *tasks,
                                size_t *task_count, struct ct_err *err)
{
    struct ct_selector *out = l->out;
    struct ct_selector_node node = {.leaf = true, .points = task.count};
    struct question question = {0};
    struct grade alone;
    size_t yes;

    clear_sides(l);
    for (size_t i = 0; i < task.count; i++)
        count_point(l, l->order[task.first + i], true, l->outside, l->sums);
    alone = grade_of(l, l->outside, l->sums);
    if (alone.outside &&
        find_question(l, &l->order[task.first], task.count, &question, err))
        return CT_E_NOMEM;
    if (!question.found) {
        if (alone.outside)
            choose_least(l, task, &node);
        else
            keep_grade(l, task, alone.variant, &node);
        if (node.loss >= unusable)
            return refuse(l, &l->order[task.first], task.count, err);
        out->worst_loss = fmax(out->worst_loss, node.loss);
        out->leaf_count++;
        out->nodes[task.node] = node;
        return CT_OK;
    }
    node.leaf = false;
    node.feature = question.feature;
    node.threshold = question.threshold;
    node.yes = out->node_count++;
    node.no = out->node_count++;
    out->nodes[task.node] = node;
    yes = divide(l, &node, task.first, task.count);
    tasks[(*task_count)++] = (struct task){node.no, task.first + yes, task.count - yes};
    tasks[(*task_count)++] = (struct task){node.yes, task.first, yes};
    return CT_OK;
}

static enum ct_status grow_tree(struct learning *l, struct ct_err *err)
{
    size_t most = 2 * l->points->point_count;
    struct task *tasks = ct_mem_array(most, sizeof(*tasks));
    size_t count = 1;
    enum ct_status status = CT_OK;

    /* A tree whose leaves have a point or more has fewer nodes than that. */
    if (!tasks || !ct_mem_grow(&l->out->nodes, &l->out->node_capacity, most,
                               sizeof(*l->out->nodes))) {
        free(tasks);
        return ct_err_nomem(err);
    }
    l->out->node_count = 1;
    tasks[0] = (struct task){0, 0, l->points->point_count};
    while (count && status == CT_OK) {
        struct task task = tasks[--count];

        status = make_node(l, task, tasks, &count, err);
    }
    free(tasks);
    return status;
}

static bool set_losses(struct learning *l)
{
    size_t variants = l->variants->count;
    size_t count = l->points->point_count;

    l->losses = ct_mem_array(variants * count, sizeof(*l->losses));
    l->order = ct_mem_array(count, sizeof(*l->order));
    l->scratch = ct_mem_array(count, sizeof(*l->scratch));
    l->outside = ct_mem_array(variants, sizeof(*l->outside));
    l->outside2 = ct_mem_array(variants, sizeof(*l->outside2));
    l->sums = ct_mem_array(variants, sizeof(*l->sums));
    l->sums2 = ct_mem_array(variants, sizeof(*l->sums2));
    if (!l->losses || !l->order || !l->scratch || !l->outside || !l->outside2 ||
        !l->sums || !l->sums2)
        return false;
    for (size_t p = 0; p < count; p++) {
        l->order[p] = p;
        for (size_t v = 0; v < variants; v++) {
            const struct ct_db_cell *cell =
                ct_db_points_cell(l->points, l->variants->configurations[v], p);

            l->losses[p * variants + v] = cell ? 1 - cell->performance : unusable;
        }
    }
    return true;
}

enum ct_status ct_selector_learn(const struct ct_db_points *points,
                                 const struct ct_variants *variants,
                                 struct ct_selector *out, struct ct_err *err)
{
    struct learning l = {.points = points, .variants = variants, .out = out};
    enum ct_status status;

    *out = (struct ct_selector){.nodes = NULL};
    status = set_losses(&l) ? list_features(&l, err) : ct_err_nomem(err);
    if (status == CT_OK)
        status = grow_tree(&l, err);
    free(l.losses);
    free(l.order);
    free(l.scratch);
    free(l.outside);
    free(l.outside2);
    free(l.sums);
    free(l.sums2);
    return status;
}
