// SPDX-License-Identifier: Apache-2.0
// Compiling any text as an expression, and cutting it as a list: the trees are well
// formed, a refusal has a reason with a place, positions stay inside the text.
#include "fuzz.h"

#include "spacefile/expr/expr_impl.h"

static void check_node(const struct ct_node *node, unsigned depth)
{
    unsigned height = 1;

    FUZZ_CHECK(depth <= CT_EXPR_HEIGHT_MAX);
    FUZZ_CHECK(node->op >= CT_OP_CONST && node->op <= CT_OP_CALL);
    FUZZ_CHECK(node->place.line > 0 && node->place.column > 0);
    if (node->op == CT_OP_CONST)
        FUZZ_CHECK(node->value.kind == node->kind && node->kind != CT_NONE);
    if (node->op == CT_OP_NAME)
        FUZZ_CHECK(node->slot >= 0 && node->slot < FUZZ_NAME_COUNT);
    if (node->op == CT_OP_CALL) {
        const struct ct_expr_function *function = &ct_expr_functions[node->function];

        FUZZ_CHECK(node->function >= 0 &&
                   (size_t)node->function < ct_expr_function_count);
        FUZZ_CHECK(node->arg_count >= function->least &&
                   node->arg_count <= function->most);
    }
    for (size_t i = 0; i < node->arg_count; i++) {
        FUZZ_CHECK(node->args[i]);
        check_node(node->args[i], depth + 1);
        if (node->args[i]->height >= height)
            height = node->args[i]->height + 1;
    }
    FUZZ_CHECK(node->height == height);
}

/* known() may ask for every name that is not text. */
static bool askable(void *diags, int slot, struct ct_place place)
{
    if (fuzz_kind(NULL, slot) != CT_TEXT)
        return true;
    ct_diags_add(diags, CT_ERROR, "f", place.line, place.column, "a text is known");
    return false;
}

static void check_expr(const struct ct_expr *expr)
{
    check_node(expr->root, 1);
    FUZZ_CHECK(expr->text && expr->kind == expr->root->kind);
    for (size_t i = 0; i < expr->slot_count; i++) {
        FUZZ_CHECK(expr->slots[i] >= 0 && expr->slots[i] < FUZZ_NAME_COUNT);
        FUZZ_CHECK(!i || expr->slots[i] > expr->slots[i - 1]);
    }
}

static void name_found(void *context, const char *name, size_t length)
{
    const struct ct_text *text = context;

    FUZZ_CHECK(length && name >= text->text &&
               name + length <= text->text + text->length);
    FUZZ_CHECK(ct_expr_is_word(name, length));
}

static void cut(const struct ct_text *text)
{
    static const char *const words[] = {"if", "step"};
    size_t begin = 0;
    size_t end = text->length;
    size_t at;

    ct_expr_each_name(text, 0, text->length, name_found, (void *)text);
    ct_expr_trim(text, &begin, &end);
    FUZZ_CHECK(begin <= end && end <= text->length);
    for (at = begin; at < end; at++) {
        size_t next = ct_expr_find_char(text, at, end, ',');

        FUZZ_CHECK(next >= at && next <= end);
        FUZZ_CHECK(next == end || text->text[next] == ',');
        at = next;
    }
    at = ct_expr_find_range(text, begin, end);
    FUZZ_CHECK(at >= begin && at <= end);
    if (at < end)
        FUZZ_CHECK(end - at >= 2 && memcmp(text->text + at, "..", 2) == 0);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);

        at = ct_expr_find_word(text, begin, end, words[i]);
        FUZZ_CHECK(at >= begin && at <= end);
        if (at < end)
            FUZZ_CHECK(end - at >= length &&
                       memcmp(text->text + at, words[i], length) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ct_arena arena = {0};
    struct ct_diags diags = {0};
    struct ct_scope scope = {fuzz_find, fuzz_kind, &diags, askable};
    struct ct_text text = fuzz_text(data, size);
    const struct ct_expr *expr =
        ct_expr_compile(&arena, &text, 0, text.length, &scope, &diags);

    fuzz_check_diags(&diags, 1 + (int)(text.length / 64));
    FUZZ_CHECK(!expr == (diags.errors > 0));
    if (expr)
        check_expr(expr);
    cut(&text);
    fuzz_text_free(&text);
    ct_diags_release(&diags);
    ct_arena_release(&arena);
    return 0;
}
