// SPDX-License-Identifier: Apache-2.0
// OpenCL C as words and directives: what can be seen of a kernel without a compiler.
#ifndef CT_INIT_CODE_H
#define CT_INIT_CODE_H

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ct_token_kind {
    CT_TOKEN_WORD,
    CT_TOKEN_NUMBER,
    CT_TOKEN_TEXT, /* a string or a character, with its quotes */
    CT_TOKEN_SIGN, /* an operator or a bracket */
};

struct ct_token {
    enum ct_token_kind kind;
    const char *text;
    int line;
};

/* A macro that the source defines. */
struct ct_code_macro {
    const char *name;
    const char *value; /* "" for none */
    int line;
    bool has_arguments;
    bool
        is_guarded; /* by an #ifndef on the line before: a definition from outside replaces it */
};

/* A name that a conditional asks for, and that the source does not define. */
struct ct_code_switch {
    const char *name;
    int line;
    bool by_value; /* #if NAME, not #ifdef NAME */
};

/* The lines from one directive of a conditional to the next. */
struct ct_code_branch {
    const char *text; /* the directive: "#if defined(WIDE)" */
    int line;         /* its own */
    int end;          /* that of the next; INT_MAX: it is still open at the end */
    size_t outer;     /* its index is one less; 0: none is around it */
};

struct ct_code {
    struct ct_arena arena;   /* owns all texts */
    struct ct_token *tokens; /* of all branches of conditionals but #if 0 */
    size_t token_count;
    size_t token_room;
    size_t *
        closing; /* of each bracket that opens, its other end; token_count if there is none */
    struct ct_code_macro *macros;
    size_t macro_count;
    size_t macro_room;
    struct ct_map
        by_name; /* the last macro of each name: sources of strangers have many */
    struct ct_code_switch *switches;
    size_t switch_count;
    size_t switch_room;
    struct ct_code_branch *branches;
    size_t branch_count;
    size_t branch_room;
};

/* Reads a source; always release `out`.  CT_E_NOMEM. */
enum ct_status ct_code_read(const char *source, size_t length, struct ct_code *out,
                            struct ct_err *err);
void ct_code_release(struct ct_code *code);

/* The last definition of a macro, or NULL. */
const struct ct_code_macro *ct_code_find_macro(const struct ct_code *code,
                                               const char *name);

/* The innermost branch of a conditional around a line; NULL if there is none. */
const struct ct_code_branch *ct_code_branch_of(const struct ct_code *code, int line);

/* Whether the token `index` is this text; false behind the last. */
bool ct_code_is(const struct ct_code *code, size_t index, const char *text);

/* The index of the bracket that closes the one at `open`, which is one; token_count if there is none. */
size_t ct_code_closing(const struct ct_code *code, size_t open);

/* The integer that a text is, directly or through macros without arguments; false if it is none. */
bool ct_code_integer(const struct ct_code *code, const char *text, int64_t *value);

#endif
