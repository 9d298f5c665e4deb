// SPDX-License-Identifier: Apache-2.0
// Programs: nodes of the graph compiled into steps on columns.
#include "space/space_vector.h"

#include <string.h>

/* Operands that need no memory of their own. */
enum { FEW = 16 };

void ct_program_init(struct ct_program *program, struct ct_dag *dag)
{
    memset(program, 0, sizeof(*program));
    program->dag = dag;
    program->leaf_param = -1;
    program->stamp = ++dag->last_mark;
}

void ct_program_release(struct ct_program *program)
{
    struct ct_space_memory *memory;

    if (!program->dag)
        return;
    memory = program->dag->memory;
    for (size_t i = 0; i < program->column_count; i++) {
        ct_space_memory_free(memory, program->columns[i].bits, CT_VECTOR_ROWS, 8);
        ct_space_memory_free(memory, program->columns[i].tags, CT_VECTOR_ROWS, 1);
    }
    ct_space_memory_free(memory, program->columns, program->column_room,
                         sizeof(*program->columns));
    ct_space_memory_free(memory, program->steps, program->step_room,
                         sizeof(*program->steps));
    ct_space_memory_free(memory, program->extra, program->extra_room,
                         sizeof(*program->extra));
    ct_space_memory_free(memory, program->leaves, program->leaf_room,
                         sizeof(*program->leaves));
    memset(program, 0, sizeof(*program));
}

static uint32_t new_column(struct ct_program *program, enum ct_tag tag, bool tagged)
{
    struct ct_space_memory *memory = program->dag->memory;
    struct ct_column *column;

    if (!ct_space_memory_grow(memory, &program->columns, &program->column_room,
                              program->column_count + 1, sizeof(*program->columns))) {
        program->failed = true;
        return 0;
    }
    column = &program->columns[program->column_count++];
    column->tag = tag;
    column->tags = NULL;
    column->bits = ct_space_memory_new(memory, CT_VECTOR_ROWS, 8);
    if (tagged)
        column->tags = ct_space_memory_new(memory, CT_VECTOR_ROWS, 1);
    if (!column->bits || (tagged && !column->tags))
        program->failed = true;
    return (uint32_t)program->column_count - 1;
}

static uint32_t node_column(struct ct_program *program, uint32_t id)
{
    struct ct_dag_node *node = ct_dag_at(program->dag, id);

    node->stamp = program->stamp;
    node->reg = new_column(program, node->tag, ct_dag_tagged(node));
    return node->reg;
}

uint32_t ct_program_leaf(struct ct_program *program, uint32_t id)
{
    uint32_t reg = node_column(program, id);

    if (!ct_space_memory_grow(program->dag->memory, &program->leaves, &program->leaf_room,
                              program->leaf_count + 1, sizeof(*program->leaves))) {
        program->failed = true;
        return 0;
    }
    program->leaves[program->leaf_count++] = (struct ct_vector_leaf){id, reg};
    return reg;
}

static uint32_t const_column(struct ct_program *program, uint32_t id)
{
    uint32_t reg = node_column(program, id);
    const struct ct_dag_node *node = ct_dag_at(program->dag, id);

    if (program->failed)
        return reg;
    for (size_t i = 0; i < CT_VECTOR_ROWS; i++)
        program->columns[reg].bits[i] = node->bits;
    if (program->columns[reg].tags)
        memset(program->columns[reg].tags, (int)node->tag, CT_VECTOR_ROWS);
    return reg;
}

static bool has_int_form(const struct ct_dag_node *node)
{
    if (node->op == CT_OP_CALL)
        return node->arg_count == 2 &&
               (strcmp(ct_expr_functions[node->function].name, "min") == 0 ||
                strcmp(ct_expr_functions[node->function].name, "max") == 0 ||
                strcmp(ct_expr_functions[node->function].name, "divides") == 0);
    return node->op != CT_OP_SHL && node->op != CT_OP_SHR && node->op != CT_OP_BITNOT;
}

static bool has_real_form(int op)
{
    return op == CT_OP_ADD || op == CT_OP_SUB || op == CT_OP_MUL || op == CT_OP_DIV ||
           op == CT_OP_LT || op == CT_OP_LE || op == CT_OP_GT || op == CT_OP_GE ||
           op == CT_OP_EQ || op == CT_OP_NE;
}

static enum ct_vector_form form_of(const struct ct_dag *dag,
                                   const struct ct_dag_node *node)
{
    bool all_int = true;
    bool all_text = true;
    bool numbers = true;
    bool small = true;

    if (node->op >= CT_DAG_LET)
        return CT_FORM_VALUES;
    if (node->op == CT_OP_AND || node->op == CT_OP_OR || node->op == CT_OP_COND)
        return CT_FORM_LOGIC;
    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *arg = ct_dag_at(dag, node->args[i]);

        all_int = all_int && arg->tag == CT_TAG_INT;
        all_text = all_text && arg->tag == CT_TAG_TEXT;
        numbers = numbers && arg->tag <= CT_TAG_REAL;
        small = small && arg->low >= 0 && arg->high <= UINT32_MAX;
    }
    if (all_text && (node->op == CT_OP_EQ || node->op == CT_OP_NE))
        return CT_FORM_INT;
    if (all_int && has_int_form(node))
        return small && (node->op == CT_OP_DIV || node->op == CT_OP_MOD) ? CT_FORM_SMALL
                                                                         : CT_FORM_INT;
    return numbers && !all_int && has_real_form(node->op) ? CT_FORM_REAL : CT_FORM_VALUES;
}

static bool add_step(struct ct_program *program, const struct ct_vector_step *step)
{
    if (!ct_space_memory_grow(program->dag->memory, &program->steps, &program->step_room,
                              program->step_count + 1, sizeof(*program->steps))) {
        program->failed = true;
        return false;
    }
    program->steps[program->step_count++] = *step;
    return true;
}

/* Operands of a node for this program: of a chain, operands combined before come as one. At most
 * `room`; returns their number. */
static size_t operands_of(struct ct_program *program, uint32_t id, uint32_t *list,
                          size_t room)
{
    struct ct_dag *dag = program->dag;
    size_t count = 0;
    uint32_t part = UINT32_MAX;

    if (program->assigned && ct_dag_is_chain(dag, id)) {
        part = ct_dag_partial(dag, id, program->assigned);
        if (part != UINT32_MAX &&
            (part == id || ct_dag_at(dag, part)->stamp != program->stamp))
            part = UINT32_MAX;
    }
    if (part != UINT32_MAX)
        list[count++] = part;
    for (size_t i = 0; i < ct_dag_at(dag, id)->arg_count && count < room; i++) {
        uint32_t arg = ct_dag_at(dag, id)->args[i];
        const struct ct_dag_node *at = ct_dag_at(dag, arg);

        if (part != UINT32_MAX && at->op != CT_OP_CONST &&
            ct_dag_within(dag, at->support, program->assigned))
            continue;
        list[count++] = arg;
    }
    return count;
}

static bool is_associative(int op)
{
    return op == CT_OP_AND || op == CT_OP_OR || op == CT_OP_MUL || op == CT_OP_ADD;
}

static uint32_t compile_steps(struct ct_program *program, uint32_t id,
                              const uint32_t *list, size_t count)
{
    struct ct_dag *dag = program->dag;
    struct ct_vector_step step = {.op = ct_dag_at(dag, id)->op};
    uint32_t few[FEW] = {0};
    uint32_t *regs =
        count > FEW ? ct_arena_array(&dag->arena, count, sizeof(*regs)) : few;

    if (!regs) {
        program->failed = true;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        regs[i] = ct_program_compile(program, list[i]);
    step.function = ct_dag_at(dag, id)->function;
    step.form = form_of(dag, ct_dag_at(dag, id));
    step.to = node_column(program, id);
    if (is_associative(step.op)) {
        uint32_t before = regs[0];

        step.arg_count = 2;
        for (size_t i = 1; i < count; i++) {
            step.args[0] = before;
            step.args[1] = regs[i];
            add_step(program, &step);
            before = step.to;
        }
        return step.to;
    }
    step.arg_count = count;
    for (size_t i = 0; i < count && i < 3; i++)
        step.args[i] = regs[i];
    step.extra = (uint32_t)program->extra_count;
    if (count > 3) {
        if (!ct_space_memory_grow(dag->memory, &program->extra, &program->extra_room,
                                  program->extra_count + count,
                                  sizeof(*program->extra))) {
            program->failed = true;
            return 0;
        }
        memcpy(program->extra + program->extra_count, regs, count * sizeof(*regs));
        program->extra_count += count;
    }
    add_step(program, &step);
    return step.to;
}

uint32_t ct_program_compile(struct ct_program *program, uint32_t id)
{
    struct ct_dag *dag = program->dag;
    const struct ct_dag_node *node = ct_dag_at(dag, id);
    uint32_t few[FEW];
    uint32_t *list = few;
    size_t count;

    if (program->failed || dag->failed) {
        program->failed = true;
        return 0;
    }
    if (node->stamp == program->stamp)
        return node->reg;
    if (node->op == CT_OP_CONST)
        return const_column(program, id);
    if (node->param >= 0 && (program->any_param || node->param == program->leaf_param))
        return ct_program_leaf(program, id);
    if (!node->arg_count) /* a parameter by itself: a leaf of any program */
        return ct_program_leaf(program, id);
    count = node->arg_count + 1; /* the combined operand, and all others */
    if (count > FEW)
        list = ct_arena_array(&dag->arena, count, sizeof(*list));
    if (!list) {
        program->failed = true;
        return 0;
    }
    count = operands_of(program, id, list, count);
    if (count == 1) { /* a chain of which nothing else is left */
        uint32_t reg = ct_program_compile(program, list[0]);

        if (node->arg_count == 1) {
            reg = compile_steps(program, id, list, 1);
        } else {
            ct_dag_at(dag, id)->stamp = program->stamp;
            ct_dag_at(dag, id)->reg = reg;
        }
        return reg;
    }
    if (!count) {
        program->failed = true;
        return 0;
    }
    return compile_steps(program, id, list, count);
}
