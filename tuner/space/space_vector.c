// SPDX-License-Identifier: Apache-2.0
// Runs programs: each step is a loop over the rows.
#include "space/space_vector.h"

#include <math.h>
#include <string.h>

/* Division by zero has a tag of its own; its bits may be anything. */
static int64_t safe_div(int64_t a, int64_t b)
{
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    return a / (b + !b);
}

static int64_t safe_mod(int64_t a, int64_t b)
{
    return b == -1 ? 0 : a % (b + !b);
}

#define EACH(expression)                                                                 \
    for (size_t i = 0; i < rows; i++)                                                    \
        to[i] = (expression);                                                            \
    break

static void run_int(const struct ct_vector_step *step, int64_t *to, const int64_t *a,
                    const int64_t *b, size_t rows)
{
    switch (step->op) {
    case CT_OP_ADD:
        EACH((int64_t)((uint64_t)a[i] + (uint64_t)b[i]));
    case CT_OP_SUB:
        EACH((int64_t)((uint64_t)a[i] - (uint64_t)b[i]));
    case CT_OP_MUL:
        EACH((int64_t)((uint64_t)a[i] * (uint64_t)b[i]));
    case CT_OP_DIV:
        EACH(safe_div(a[i], b[i]));
    case CT_OP_MOD:
        EACH(safe_mod(a[i], b[i]));
    case CT_OP_NEG:
        EACH((int64_t)(0 - (uint64_t)a[i]));
    case CT_OP_NOT:
        EACH(!a[i]);
    case CT_OP_LT:
        EACH(a[i] < b[i]);
    case CT_OP_LE:
        EACH(a[i] <= b[i]);
    case CT_OP_GT:
        EACH(a[i] > b[i]);
    case CT_OP_GE:
        EACH(a[i] >= b[i]);
    case CT_OP_EQ:
        EACH(a[i] == b[i]);
    case CT_OP_NE:
        EACH(a[i] != b[i]);
    case CT_OP_BITAND:
        EACH(a[i] & b[i]);
    case CT_OP_BITXOR:
        EACH(a[i] ^ b[i]);
    case CT_OP_BITOR:
        EACH(a[i] | b[i]);
    default:
        break;
    }
}

static void run_call(const struct ct_vector_step *step, int64_t *to, const int64_t *a,
                     const int64_t *b, size_t rows)
{
    const char *name = ct_expr_functions[step->function].name;

    switch (name[2]) {
    case 'n': /* min */
        for (size_t i = 0; i < rows; i++)
            to[i] = a[i] < b[i] ? a[i] : b[i];
        break;
    case 'x': /* max */
        for (size_t i = 0; i < rows; i++)
            to[i] = a[i] > b[i] ? a[i] : b[i];
        break;
    default: /* divides */
        for (size_t i = 0; i < rows; i++)
            to[i] = safe_mod(b[i], a[i]) == 0;
        break;
    }
}

static void run_small(const struct ct_vector_step *step, int64_t *to, const int64_t *a,
                      const int64_t *b, size_t rows)
{
    if (step->op == CT_OP_DIV)
        for (size_t i = 0; i < rows; i++)
            to[i] = (uint32_t)a[i] / ((uint32_t)b[i] + !(uint32_t)b[i]);
    else
        for (size_t i = 0; i < rows; i++)
            to[i] = (uint32_t)a[i] % ((uint32_t)b[i] + !(uint32_t)b[i]);
}

/* Tags of failures of an integer operation itself. */
static void fail_int(const struct ct_vector_step *step, uint8_t *tags, const int64_t *a,
                     const int64_t *b, size_t rows)
{
    int64_t r;

    memset(tags, CT_TAG_INT, rows);
    for (size_t i = 0; i < rows; i++) {
        bool fails = false;

        switch (step->op) {
        case CT_OP_ADD:
            fails = __builtin_add_overflow(a[i], b[i], &r);
            break;
        case CT_OP_SUB:
            fails = __builtin_sub_overflow(a[i], b[i], &r);
            break;
        case CT_OP_MUL:
            fails = __builtin_mul_overflow(a[i], b[i], &r);
            break;
        case CT_OP_DIV:
            fails = !b[i] || (a[i] == INT64_MIN && b[i] == -1);
            break;
        case CT_OP_MOD:
            fails = !b[i];
            break;
        case CT_OP_NEG:
            fails = a[i] == INT64_MIN;
            break;
        case CT_OP_CALL: /* divides, min or max */
            fails = ct_expr_functions[step->function].name[0] == 'd' && !a[i];
            break;
        default:
            return;
        }
        if (fails)
            tags[i] = CT_TAG_FAIL;
    }
}

static double real_at(const struct ct_column *column, size_t i)
{
    double r;

    if (column->tag == CT_TAG_INT)
        return (double)column->bits[i];
    memcpy(&r, &column->bits[i], sizeof(r));
    return r;
}

static bool real_compares(int op, double a, double b)
{
    switch (op) {
    case CT_OP_LT:
        return a < b;
    case CT_OP_LE:
        return a <= b;
    case CT_OP_GT:
        return a > b;
    case CT_OP_GE:
        return a >= b;
    case CT_OP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

static double real_result(int op, double a, double b)
{
    switch (op) {
    case CT_OP_ADD:
        return a + b;
    case CT_OP_SUB:
        return a - b;
    case CT_OP_MUL:
        return a * b;
    default:
        return b == 0 ? NAN : a / b; /* division by zero fails, also that of infinity */
    }
}

static void run_real(const struct ct_vector_step *step, struct ct_column *to,
                     const struct ct_column *a, const struct ct_column *b, size_t rows)
{
    bool arithmetic = step->op == CT_OP_ADD || step->op == CT_OP_SUB ||
                      step->op == CT_OP_MUL || step->op == CT_OP_DIV;

    if (to->tags)
        memset(to->tags, arithmetic ? CT_TAG_REAL : CT_TAG_INT, rows);
    for (size_t i = 0; i < rows; i++) {
        double x = real_at(a, i);
        double y = real_at(b, i);

        if (!arithmetic) {
            to->bits[i] = real_compares(step->op, x, y);
            continue;
        }
        x = real_result(step->op, x, y);
        memcpy(&to->bits[i], &x, sizeof(x));
        if (to->tags && !isfinite(x))
            to->tags[i] = CT_TAG_FAIL;
    }
}

/* If an operand has no value, the result has none either, for the first one's reason. */
static void inherit(struct ct_column *to, const struct ct_column *a,
                    const struct ct_column *b, size_t rows)
{
    if (b && b->tags)
        for (size_t i = 0; i < rows; i++)
            if (b->tags[i] >= CT_TAG_FAIL)
                to->tags[i] = b->tags[i];
    if (a->tags)
        for (size_t i = 0; i < rows; i++)
            if (a->tags[i] >= CT_TAG_FAIL)
                to->tags[i] = a->tags[i];
}

static uint8_t tag_at(const struct ct_column *column, size_t i)
{
    return column->tags ? column->tags[i] : (uint8_t)column->tag;
}

static void run_logic(const struct ct_vector_step *step, struct ct_column *to,
                      const struct ct_column *a, const struct ct_column *b, size_t rows)
{
    bool either = step->op == CT_OP_OR;

    if (!to->tags) {
        if (either)
            for (size_t i = 0; i < rows; i++)
                to->bits[i] = a->bits[i] | b->bits[i];
        else
            for (size_t i = 0; i < rows; i++)
                to->bits[i] = a->bits[i] & b->bits[i];
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        uint8_t tag = tag_at(a, i);
        bool decided = tag >= CT_TAG_FAIL || (a->bits[i] != 0) == either;

        to->bits[i] = decided ? a->bits[i] : b->bits[i];
        to->tags[i] = decided ? tag : tag_at(b, i);
    }
}

static void run_cond(struct ct_column *to, const struct ct_column *test,
                     const struct ct_column *a, const struct ct_column *b, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        uint8_t tag = tag_at(test, i);
        const struct ct_column *from = test->bits[i] ? a : b;

        to->bits[i] = from->bits[i];
        if (to->tags)
            to->tags[i] = tag >= CT_TAG_FAIL ? tag : tag_at(from, i);
    }
}

/* Operations on failures: x is a value or a reason why there is none. */
static void run_special(int op, uint8_t tag, int64_t bits, bool lacks, int64_t *result,
                        uint8_t *result_tag)
{
    bool fails = tag >= CT_TAG_FAIL;

    *result_tag = CT_TAG_INT;
    switch (op) {
    case CT_DAG_LET:
        *result = bits;
        *result_tag = fails ? CT_TAG_UNKNOWN : tag;
        return;
    case CT_DAG_IS_UNKNOWN:
        *result = tag == CT_TAG_UNKNOWN;
        return;
    default:
        *result = !fails && ct_value_true(ct_dag_value(bits, (enum ct_tag)tag));
        if (op == CT_DAG_ACTIVE)
            *result = fails ? tag == CT_TAG_UNKNOWN && lacks : *result;
        else if (tag == CT_TAG_UNKNOWN && lacks)
            *result = 2;
        else if (fails)
            *result_tag = CT_TAG_FAIL;
        return;
    }
}

/* Row by row, through values. */
static void run_values(const struct ct_program *program,
                       const struct ct_vector_step *step, size_t rows)
{
    struct ct_column *to = &program->columns[step->to];
    const uint32_t *args =
        step->arg_count > 3 ? program->extra + step->extra : step->args;

    for (size_t i = 0; i < rows; i++) {
        struct ct_value values[16];
        struct ct_value value;
        uint8_t tag = CT_TAG_INT;
        int64_t bits = 0;

        for (size_t k = 0; k < step->arg_count && tag < CT_TAG_FAIL; k++) {
            const struct ct_column *arg = &program->columns[args[k]];

            tag = tag_at(arg, i);
            values[k] = ct_dag_value(arg->bits[i], (enum ct_tag)tag);
            /* A function checks each argument before it evaluates the next. */
            if (step->op == CT_OP_CALL && tag < CT_TAG_FAIL &&
                !ct_expr_accepts(&ct_expr_functions[step->function], k,
                                 (enum ct_kind)tag))
                tag = CT_TAG_FAIL;
            if (step->op >= CT_DAG_LET) {
                bool lacks =
                    step->arg_count > 1 && program->columns[args[1]].bits[i] != 0;

                run_special(step->op, tag, arg->bits[i], lacks, &bits, &tag);
                break;
            }
        }
        if (step->op < CT_DAG_LET && tag < CT_TAG_FAIL) {
            if (ct_expr_apply((enum ct_op)step->op, step->function, values,
                              step->arg_count, &value)) {
                tag = CT_TAG_FAIL;
            } else {
                tag = (uint8_t)value.kind;
                memcpy(&bits, &value.u, sizeof(bits));
            }
        }
        to->bits[i] = bits;
        if (to->tags)
            to->tags[i] = tag;
    }
}

static void run_step(const struct ct_program *program, const struct ct_vector_step *step,
                     size_t rows)
{
    struct ct_column *to = &program->columns[step->to];
    const struct ct_column *a = &program->columns[step->args[0]];
    const struct ct_column *b =
        step->arg_count > 1 ? &program->columns[step->args[1]] : a;

    switch (step->form) {
    case CT_FORM_LOGIC:
        if (step->op == CT_OP_COND)
            run_cond(to, a, b, &program->columns[step->args[2]], rows);
        else
            run_logic(step, to, a, b, rows);
        return;
    case CT_FORM_VALUES:
        run_values(program, step, rows);
        return;
    case CT_FORM_REAL:
        run_real(step, to, a, b, rows);
        break;
    default:
        /* Failures first: the result may replace an operand. */
        if (to->tags && step->to != step->args[0])
            fail_int(step, to->tags, a->bits, b->bits, rows);
        if (step->op == CT_OP_CALL)
            run_call(step, to->bits, a->bits, b->bits, rows);
        else if (step->form == CT_FORM_SMALL)
            run_small(step, to->bits, a->bits, b->bits, rows);
        else
            run_int(step, to->bits, a->bits, b->bits, rows);
        break;
    }
    if (to->tags)
        inherit(to, a, step->arg_count > 1 ? b : NULL, rows);
}

void ct_program_run(const struct ct_program *program, size_t first, size_t last,
                    size_t rows)
{
    for (size_t i = first; i < last; i++)
        run_step(program, &program->steps[i], rows);
}
