// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the expression compiler, and private to them.
#ifndef CT_SPACEFILE_EXPR_EXPR_IMPL_H
#define CT_SPACEFILE_EXPR_EXPR_IMPL_H

#include "spacefile/expr/expr.h"

/* Limits of the parser's nesting, and of the height of trees that the evaluator walks: recursion
 * stays far from the end of any stack. */
enum { CT_EXPR_NESTING_MAX = 200, CT_EXPR_HEIGHT_MAX = 1000 };

/* Arguments that a function can have. */
enum { CT_EXPR_ARGS_MAX = 16 };

enum ct_token_kind {
    CT_TOK_END,
    CT_TOK_NUMBER,
    CT_TOK_NAME,
    CT_TOK_TEXT,
    CT_TOK_OP,
    CT_TOK_BAD, /* a diagnosis has been added */
};

/* An operator of two characters, as a token's `op`; one character stands for itself. */
#define CT_OP2(a, b) ((int)(a) << 8 | (int)(b))

struct ct_token {
    enum ct_token_kind kind;
    size_t begin;
    size_t end;
    int op;
    struct ct_value value; /* of a number */
};

struct ct_lexer {
    const struct ct_text *text;
    size_t at;
    size_t end;
    struct ct_diags *diags; /* NULL: errors are not reported */
};

/* Reads the next token. */
void ct_expr_lex(struct ct_lexer *lexer, struct ct_token *token);

/* Parses the lexer's whole range; NULL after diagnoses.  `*nomem`: out of memory instead. */
const struct ct_node *ct_expr_parse(struct ct_arena *arena, struct ct_lexer *lexer,
                                    const struct ct_scope *scope, bool *nomem);

/* Sign and precedence (1 to 10) of a binary operator; NULL for any other. */
const char *ct_expr_operator(enum ct_op op, int *precedence);

/* The equivalent of an operator that is a word elsewhere (`and`), or of a function that the
 * language lacks (`ceil`); NULL for any other word. */
const char *ct_expr_foreign_word(const char *word, size_t length);
const char *ct_expr_foreign_function(const char *name, size_t length);

/* Whether argument `index` of a function can be right where it takes no number; else adds a
 * diagnosis. */
bool ct_expr_check_text_argument(const struct ct_lexer *lexer,
                                 const struct ct_scope *scope,
                                 const struct ct_expr_function *function, size_t index,
                                 const struct ct_node *arg);

/* Functions of texts, called as in struct ct_expr_function. */
enum ct_eval ct_expr_contains(const struct ct_value *args, size_t count,
                              struct ct_value *out);
enum ct_eval ct_expr_version_at_least(const struct ct_value *args, size_t count,
                                      struct ct_value *out);

/* Index into ct_expr_functions, or -1. */
int ct_expr_find_function(const char *name, size_t length);

#endif
