// SPDX-License-Identifier: Apache-2.0
// Finds definitions of structures and goes through their members.
#include "init/structs.h"

#include "init/kernels.h"

#include <string.h>

enum { DEEPEST = 6, MEMBERS_MOST = 256 };

struct layout {
    uint64_t bytes;
    uint64_t alignment;
    size_t members;
    size_t *all;        /* members of it and of what it contains */
    struct ct_str *out; /* NULL: only the size is wanted */
};

static bool add_struct(struct ct_code *code, const char *name, struct layout *all,
                       int depth);

/* The `{` of the definition of `name`: struct NAME {, or typedef struct ... { ... } NAME; */
static size_t find_body(const struct ct_code *code, const char *name)
{
    for (size_t i = 0; i + 1 < code->token_count; i++) {
        size_t open = i + 1;

        if (!ct_code_is(code, i, "struct"))
            continue;
        while (open < code->token_count && code->tokens[open].kind == CT_TOKEN_WORD)
            open++;
        /* An attribute before the body. */
        if (ct_code_is(code, open, "("))
            open = ct_code_closing(code, open) + 1;
        if (!ct_code_is(code, open, "{"))
            continue;
        if (ct_code_is(code, i + 1, name) ||
            ct_code_is(code, ct_code_closing(code, open) + 1, name))
            return open;
    }
    return code->token_count;
}

static void align(struct layout *all, uint64_t alignment)
{
    all->bytes = (all->bytes + alignment - 1) / alignment * alignment;
    if (alignment > all->alignment)
        all->alignment = alignment;
}

/* One member or element. */
static bool add_member(struct ct_code *code, const char *type, struct layout *all,
                       int depth)
{
    struct ct_ctype known = ct_kernels_type(code, type);
    const char *comma = all->members++ ? ", " : "";
    struct layout inner = {.alignment = 1, .all = all->all, .out = all->out};
    uint64_t bytes;

    if (++*all->all > MEMBERS_MOST)
        return false;
    if (all->out)
        ct_str_puts(all->out, comma);
    if (!known.name) {
        if (!add_struct(code, ct_kernels_alias(code, type), &inner, depth + 1))
            return false;
        align(all, inner.alignment);
        all->bytes += inner.bytes;
        return true;
    }
    bytes = known.size_bytes * (known.width == 3 ? 4 : known.width);
    align(all, bytes);
    all->bytes += bytes;
    if (all->out && known.width > 1)
        ct_str_addf(all->out, "%s%u(1)", known.name, known.width);
    else if (all->out)
        ct_str_addf(all->out, "%s(1)", known.name);
    return true;
}

/* `TYPE a, b[4];` in the tokens [begin, end). */
static bool add_members(struct ct_code *code, size_t begin, size_t end,
                        struct layout *all, int depth)
{
    struct ct_str type;
    size_t at = begin;
    bool good = true;

    ct_str_init(&type);
    /* All words but the last before a comma, a bracket or the end. */
    while (at + 1 < end && code->tokens[at + 1].kind == CT_TOKEN_WORD)
        ct_str_addf(&type, "%s%s", type.length ? " " : "", code->tokens[at++].text);
    good = type.length && code->tokens[at].kind == CT_TOKEN_WORD;
    while (good && at < end) {
        int64_t count = 1;

        at++;
        while (good && at < end && ct_code_is(code, at, "[")) {
            int64_t size = 0;

            good = at + 2 < end &&
                   ct_code_integer(code, code->tokens[at + 1].text, &size) && size > 0 &&
                   size <= MEMBERS_MOST && ct_code_is(code, at + 2, "]");
            good = good && (count *= size) <= MEMBERS_MOST;
            at += 3;
        }
        good = good && (at >= end || ct_code_is(code, at, ","));
        for (int64_t i = 0; good && i < count; i++)
            good = add_member(code, type.data, all, depth);
        at++;
    }
    ct_str_release(&type);
    return good;
}

static bool add_struct(struct ct_code *code, const char *name, struct layout *all,
                       int depth)
{
    const char *last = name ? strrchr(name, ' ') : NULL;
    size_t open = name ? find_body(code, last ? last + 1 : name) : code->token_count;
    size_t close;

    if (open >= code->token_count || depth > DEEPEST)
        return false;
    close = ct_code_closing(code, open);
    if (all->out)
        ct_str_puts(all->out, "struct(");
    for (size_t i = open + 1; i < close;) {
        size_t end = i;

        while (end < close && !ct_code_is(code, end, ";"))
            end++;
        if (end > i && !add_members(code, i, end, all, depth))
            return false;
        i = end + 1;
    }
    align(all, all->alignment);
    if (all->out)
        ct_str_putc(all->out, ')');
    return all->members > 0;
}

uint64_t ct_structs_size(struct ct_code *code, const char *type)
{
    size_t members = 0;
    struct layout all = {.alignment = 1, .all = &members};

    return add_struct(code, ct_kernels_alias(code, type), &all, 0) ? all.bytes : 0;
}

bool ct_structs_put(struct ct_code *code, const char *type, struct ct_str *out)
{
    size_t members = 0;
    struct layout all = {.alignment = 1, .all = &members, .out = out};

    return add_struct(code, ct_kernels_alias(code, type), &all, 0);
}
