// SPDX-License-Identifier: Apache-2.0
// Looks at bodies of kernels.
#include "init/usage.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { IDS = 32 };

/* A variable that holds a work-item's number. */
struct id {
    const char *name;
    int dim; /* from 1 */
};

struct looking {
    struct ct_code *code;
    const struct ct_described_arg *args;
    size_t arg_count;
    struct ct_usage *out;
    size_t begin;
    size_t end;
    struct id ids[IDS];
    size_t id_count;
};

static const char *text_at(const struct looking *l, size_t index)
{
    return index < l->code->token_count ? l->code->tokens[index].text : "";
}

/* The dimension of `FUNCTION(0)` at `index`, from 1; 0 if it is none. */
static int call_dim(const struct looking *l, size_t index, const char *function)
{
    const char *number = text_at(l, index + 2);

    if (strcmp(text_at(l, index), function) != 0 ||
        strcmp(text_at(l, index + 1), "(") != 0 || *number < '0' || *number > '2')
        return 0;
    return *number - '0' + 1;
}

/* --- dimensions --- */

static void find_dims(struct looking *l, size_t begin, size_t end)
{
    static const char *const functions[] = {
        "get_global_id",  "get_local_id",   "get_group_id",     "get_global_size",
        "get_local_size", "get_num_groups", "get_global_offset"};

    for (size_t i = begin; i < end; i++) {
        l->out->has_barrier = l->out->has_barrier || strstr(text_at(l, i), "barrier");
        for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++) {
            int dim = call_dim(l, i, functions[f]);

            if (!dim)
                continue;
            l->out->knows_dims = true;
            if ((unsigned)dim > l->out->dims)
                l->out->dims = (unsigned)dim;
            if (f == 1)
                l->out->uses_local_id = true;
        }
    }
}

/* In macros and functions that the kernel may use. */
static void find_dims_elsewhere(struct looking *l)
{
    find_dims(l, 0, l->code->token_count);
    for (size_t i = 0; i < l->code->macro_count; i++)
        for (int d = 0; d < 3; d++) {
            char call[32] = "get_global_id(0)";

            call[strlen(call) - 2] = (char)('0' + d);
            if (!strstr(l->code->macros[i].value, call))
                continue;
            l->out->knows_dims = true;
            if ((unsigned)d + 1 > l->out->dims)
                l->out->dims = (unsigned)d + 1;
        }
}

/* --- work-items' numbers and what they are compared with --- */

static void find_ids(struct looking *l)
{
    for (size_t i = l->begin; i + 2 < l->end; i++) {
        size_t value = i + 2;
        int dim;

        if (l->code->tokens[i].kind != CT_TOKEN_WORD ||
            strcmp(text_at(l, i + 1), "=") != 0)
            continue;
        /* A cast. */
        if (strcmp(text_at(l, value), "(") == 0 &&
            strcmp(text_at(l, value + 2), ")") == 0)
            value += 3;
        dim = call_dim(l, value, "get_global_id");
        if (dim && l->id_count < IDS)
            l->ids[l->id_count++] = (struct id){text_at(l, i), dim};
    }
}

/* The dimension of the number that ends at (`backwards`) or begins at the token; 0: none. */
static int id_at(const struct looking *l, size_t index, bool backwards)
{
    const char *word = text_at(l, index);

    for (size_t i = 0; i < l->id_count; i++)
        if (strcmp(l->ids[i].name, word) == 0)
            return l->ids[i].dim;
    if (backwards && strcmp(word, ")") == 0 && index >= 3)
        return call_dim(l, index - 3, "get_global_id");
    return backwards ? 0 : call_dim(l, index, "get_global_id");
}

static struct ct_arg_usage *arg_named(const struct looking *l, const char *name)
{
    for (size_t i = 0; i < l->arg_count; i++)
        if (*name && strcmp(l->args[i].name, name) == 0)
            return &l->out->args[i];
    return NULL;
}

static void find_bounds(struct looking *l)
{
    static const char *const signs[] = {"<", ">=", "<=", ">", "=="};

    for (size_t i = l->begin + 1; i + 1 < l->end; i++)
        for (size_t s = 0; s < sizeof(signs) / sizeof(*signs); s++) {
            struct ct_arg_usage *right = arg_named(l, text_at(l, i + 1));
            struct ct_arg_usage *left = arg_named(l, text_at(l, i - 1));
            int dim = id_at(l, i - 1, true);
            int other = id_at(l, i + 1, false);

            if (strcmp(text_at(l, i), signs[s]) != 0 || (!dim && !other))
                continue;
            if (s < 4 && dim)
                l->out->has_bounds[dim - 1] = true;
            if (s < 4 && dim && right && !right->bound)
                right->bound = dim;
            else if (s < 4 && other && left && !left->bound)
                left->bound = other;
        }
}

/* --- arguments --- */

static bool assigns(const char *sign, bool *reads)
{
    static const char *const both[] = {
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};

    for (size_t i = 0; i < sizeof(both) / sizeof(*both); i++)
        if (strcmp(sign, both[i]) == 0)
            return *reads = true;
    *reads = strcmp(sign, "=") != 0;
    return !*reads;
}

/* The occurrence of a pointer at `index`. */
static void use_pointer(struct looking *l, size_t index, struct ct_arg_usage *arg)
{
    size_t after = index + 1;
    bool reads = true;
    bool is_address = index && strcmp(text_at(l, index - 1), "&") == 0;

    if (strcmp(text_at(l, after), "[") != 0) {
        /* It goes to a function, or into another pointer. */
        arg->is_read = true;
        arg->is_written = true;
        return;
    }
    after = ct_code_closing(l->code, after) + 1;
    while (strcmp(text_at(l, after), ".") == 0 || strcmp(text_at(l, after), "[") == 0)
        after =
            *text_at(l, after) == '.' ? after + 2 : ct_code_closing(l->code, after) + 1;
    if (assigns(text_at(l, after), &reads) || is_address)
        arg->is_written = true;
    arg->is_read = arg->is_read || reads || is_address;
}

static void find_images(struct looking *l, size_t index)
{
    static const char *const functions[] = {"read_image", "write_image"};

    for (size_t i = 0; i < 2; i++) {
        struct ct_arg_usage *arg;
        size_t length = strlen(functions[i]);
        const char *word = text_at(l, index);

        if (strncmp(word, functions[i], length) != 0)
            continue;
        arg = arg_named(l, text_at(l, index + 2));
        if (!arg)
            continue;
        arg->image = word[length];
        arg->is_read = arg->is_read || !i;
        arg->is_written = arg->is_written || i;
    }
}

static void find_arguments(struct looking *l)
{
    for (size_t i = l->begin; i < l->end; i++) {
        struct ct_arg_usage *arg = arg_named(l, text_at(l, i));

        find_images(l, i);
        if (arg && strchr(l->args[arg - l->out->args].type, '*'))
            use_pointer(l, i, arg);
    }
}

/* --- local memory --- */

/* The first number or macro of `[...]`; NULL if there is none. */
static const char *first_operand(const struct looking *l, size_t open)
{
    size_t close = ct_code_closing(l->code, open);

    for (size_t i = open + 1; i < close; i++)
        if (l->code->tokens[i].kind != CT_TOKEN_SIGN)
            return text_at(l, i);
    return NULL;
}

static void find_local(struct looking *l)
{
    for (size_t i = l->begin; i < l->end; i++) {
        size_t at = i + 1;
        const char *sizes[2] = {NULL, NULL};
        size_t count = 0;

        if (strcmp(text_at(l, i), "local") != 0 && strcmp(text_at(l, i), "__local") != 0)
            continue;
        while (at < l->end && l->code->tokens[at].kind == CT_TOKEN_WORD)
            at++;
        for (; strcmp(text_at(l, at), "[") == 0;
             at = ct_code_closing(l->code, at) + 1, count++) {
            sizes[1] = sizes[0];
            sizes[0] = first_operand(l, at);
        }
        if (count && count <= 2 && sizes[0] && (count == 1 || sizes[1])) {
            l->out->local_shape[0] = sizes[0];
            l->out->local_shape[1] = sizes[1];
            l->out->local_dims = count;
            return;
        }
    }
}

enum ct_status ct_usage_find(struct ct_code *code, const struct ct_kernel_code *kernel,
                             size_t arg_count, const struct ct_described_arg *args,
                             struct ct_usage *out, struct ct_err *err)
{
    struct looking l = {.code = code, .args = args, .arg_count = arg_count, .out = out};

    *out = (struct ct_usage){
        .args = ct_arena_array(&code->arena, arg_count + 1, sizeof(*out->args))};
    if (!out->args)
        return ct_err_nomem(err);
    if (kernel) {
        l.begin = kernel->begin;
        l.end = kernel->end;
    }
    find_dims(&l, l.begin, l.end);
    if (!out->knows_dims)
        find_dims_elsewhere(&l);
    if (!out->dims)
        out->dims = 1;
    find_ids(&l);
    find_bounds(&l);
    find_arguments(&l);
    find_local(&l);
    return CT_OK;
}
