// SPDX-License-Identifier: Apache-2.0
// The expressions of the space file: compiled once, evaluated for every configuration.
//
// C's operators with C's precedence on checked 64-bit integers, reals and texts; `/`
// truncates; a real operand makes the result real; `&&`, `||` and `?:` short-circuit.
// Functions: min max abs ceildiv roundup ispow2 ilog2 gcd divides sqrt exp log pow float
// int contains version_at_least known.
#ifndef CT_SPACEFILE_EXPR_EXPR_H
#define CT_SPACEFILE_EXPR_EXPR_H

#include "base/diag.h"
#include "base/mem.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a character in its file: expressions may continue over several lines, so every
 * character of the text has its own place. */
struct ct_place {
    int line;
    int column;
};

/* Text with a place for every byte and for its end; ct_text_place looks it up. `places` is either
 * one place per byte and one for the end, or, if places[0].line is CT_RANK_RUNS, places[0].column
 * runs, of two entries each, in the order of their first bytes, which begin at 0:
 *     {first byte in the text, last column}, {line, column of the first byte}
 * Columns of a run count on by one a byte, but not beyond its last: bytes that continue a
 * character stand where it begins.  Long lists take one run per line, far less than a place for
 * each byte. */
enum { CT_RANK_RUNS = -1 };
struct ct_text {
    const char *file;
    const char *text;
    size_t length;
    const struct ct_place *places;
};

/* Place of text[at], at <= length. */
struct ct_place ct_text_place(const struct ct_text *text, size_t at);

/* Names that an expression may use: a caller's table that maps names to slots. */
struct ct_scope {
    /* Finds `name` (of `length` bytes); returns its slot, or -1 if there is none or it may not be
     * used here; then the function has added a diagnosis at `place` itself. */
    int (*find)(void *context, const char *name, size_t length, struct ct_place place);
    /* Kind of a slot, CT_NONE if unknown before evaluation. */
    enum ct_kind (*kind)(void *context, int slot);
    void *context;
    /* Whether known() may ask for a slot; if not, the function has added a diagnosis at `place`
     * itself.  NULL: known() is not allowed; the text was printed with values for names. */
    bool (*askable)(void *context, int slot, struct ct_place place);
};

enum ct_eval {
    CT_EVAL_OK = 0,
    CT_EVAL_DIVISION, /* division or remainder by zero */
    CT_EVAL_OVERFLOW, /* beyond 64 bits, or a real that is not finite */
    CT_EVAL_DOMAIN,   /* a function outside its domain: sqrt(-1), ilog2(0) */
    CT_EVAL_TYPE,     /* text instead of a number, or the reverse */
    CT_EVAL_UNKNOWN,  /* a name whose value is CT_NONE */
};

/* Node of the tree; public so that tuner/space can split and order constraints. */
enum ct_op {
    CT_OP_CONST,
    CT_OP_NAME,
    CT_OP_NEG,
    CT_OP_NOT,
    CT_OP_BITNOT,
    CT_OP_MUL,
    CT_OP_DIV,
    CT_OP_MOD,
    CT_OP_ADD,
    CT_OP_SUB,
    CT_OP_SHL,
    CT_OP_SHR,
    CT_OP_LT,
    CT_OP_LE,
    CT_OP_GT,
    CT_OP_GE,
    CT_OP_EQ,
    CT_OP_NE,
    CT_OP_BITAND,
    CT_OP_BITXOR,
    CT_OP_BITOR,
    CT_OP_AND,
    CT_OP_OR,
    CT_OP_COND,
    CT_OP_CALL,
};

struct ct_node {
    enum ct_op op;
    enum ct_kind kind; /* as far as known at compile time */
    struct ct_place place;
    struct ct_value value; /* CT_OP_CONST */
    int slot;              /* CT_OP_NAME */
    int function;          /* CT_OP_CALL: index into ct_expr_functions */
    unsigned height;       /* of the tree below it, itself included */
    size_t arg_count;      /* operands or arguments */
    const struct ct_node **args;
};

/* A compiled expression; immutable, owned by the arena it was compiled into. */
struct ct_expr {
    const struct ct_node *root;
    const char *text; /* as written */
    struct ct_place place;
    enum ct_kind kind; /* static kind; CT_NONE if it depends on the values */
    size_t slot_count; /* the distinct slots it uses, in increasing order */
    const int *slots;
};

/* Compiles text[begin, end) as one expression.  NULL if it is wrong (diagnoses with places have
 * been added) or memory is short (diags->failed is set). */
const struct ct_expr *ct_expr_compile(struct ct_arena *arena, const struct ct_text *text,
                                      size_t begin, size_t end,
                                      const struct ct_scope *scope,
                                      struct ct_diags *diags);

/* Evaluates with `env[slot]` as the values of names.  `*out` is set only on CT_EVAL_OK.
 * Texts in the result are borrowed from the expression or from `env`. */
enum ct_eval ct_expr_eval(const struct ct_expr *expr, const struct ct_value *env,
                          struct ct_value *out);

/* Why an evaluation failed, with the operation and its values: "division by zero",
 * "ilog2(0) is not defined", "'%' requires an integer, not 0.5; convert it with int()".
 * `failed` and `env` are those of ct_expr_eval.  Returns `text`. */
enum { CT_EVAL_WHY_SIZE = 160 };
const char *ct_expr_why(const struct ct_expr *expr, enum ct_eval failed,
                        const struct ct_value *env, char text[CT_EVAL_WHY_SIZE]);

/* Applies an operator to the values of its operands; CT_OP_CALL: `function` to its arguments. Not
 * for CT_OP_CONST and CT_OP_NAME, nor for operators that do not evaluate all of their operands, nor
 * for known().
 * `*out` as for ct_expr_eval. */
enum ct_eval ct_expr_apply(enum ct_op op, int function, const struct ct_value *args,
                           size_t count, struct ct_value *out);

/* Appends the expression with the fewest parentheses; `name` appends the text of a slot.  The
 * text reads back as the same tree. */
void ct_expr_print(const struct ct_expr *expr,
                   void (*name)(void *context, int slot, struct ct_str *out),
                   void *context, struct ct_str *out);

/* Appends a value as a literal of the language that is valid wherever a name is: text in quotes
 * (it must contain none), negative numbers in parentheses. */
void ct_expr_print_value(struct ct_str *out, struct ct_value value);

/* Whether a value counts as true: a number that is not zero.  Text is never true. */
bool ct_value_true(struct ct_value value);

/* Why an evaluation failed, in general ("division by zero"). */
const char *ct_eval_text(enum ct_eval eval);

/* --- functions, as data: the parser, the evaluator and the reference manual read it --- */

enum {
    CT_TAKES_NUMBER = 'n',
    CT_TAKES_INTEGER = 'i',
    CT_TAKES_TEXT = 't',
    CT_TAKES_WORD = 'w', /* a text or an integer */
    CT_TAKES_NAME = 'd', /* the name of a device limit, whose value may be unknown */
};

struct ct_expr_function {
    const char *name;
    size_t least; /* arguments */
    size_t most;
    const char *takes; /* a letter per argument, see CT_TAKES_...; the last one repeats */
    enum ct_kind result; /* CT_NONE: integer for integers, real otherwise */
    /* NULL: known(), which the evaluator answers from its argument's name. */
    enum ct_eval (*call)(const struct ct_value *args, size_t count, struct ct_value *out);
    const char *help;
};
extern const struct ct_expr_function ct_expr_functions[];
extern const size_t ct_expr_function_count;

/* CT_TAKES_... of argument `index`. */
char ct_expr_takes(const struct ct_expr_function *function, size_t index);

/* Whether argument `index` may have a value of this kind (not CT_NONE). */
bool ct_expr_accepts(const struct ct_expr_function *function, size_t index,
                     enum ct_kind kind);

/* What known() gives for a value: 1 or 0, or CT_EVAL_UNKNOWN without a device. */
enum ct_eval ct_expr_known(struct ct_value value, struct ct_value *out);

/* Whether `length` bytes are a function's name. */
bool ct_expr_is_function(const char *name, size_t length);

/* --- splitting text where the language has lists rather than expressions --- */

/* Moves begin and end inwards over white space. */
void ct_expr_trim(const struct ct_text *text, size_t *begin, size_t *end);

/* The first position in [begin, end) that is outside quotes and parentheses, or `end`. */
size_t ct_expr_find_outside(const struct ct_text *text, size_t begin, size_t end);

/* Position in [begin, end) of the first character `c`, word `word` or `..` outside quotes and
 * parentheses; `end` if there is none. */
size_t ct_expr_find_char(const struct ct_text *text, size_t begin, size_t end, char c);
size_t ct_expr_find_word(const struct ct_text *text, size_t begin, size_t end,
                         const char *word);
size_t ct_expr_find_range(const struct ct_text *text, size_t begin, size_t end);

/* Calls `found` for every name in [begin, end) that is not the name of a function, for
 * ordering definitions before any can be compiled.  Wrong text is no error here. */
void ct_expr_each_name(const struct ct_text *text, size_t begin, size_t end,
                       void (*found)(void *context, const char *name, size_t length),
                       void *context);

/* Whether `length` bytes are an identifier of C: letters, digits and `_`. */
bool ct_expr_is_word(const char *text, size_t length);

#endif
