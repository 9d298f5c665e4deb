// SPDX-License-Identifier: Apache-2.0
// Finds which texts define what a kernel's source uses: programs put these in front of it.
#include "init/cpp.h"

#include "base/map.h"
#include "init/definitions.h"
#include "spacefile/source_word.h"

#include <stdlib.h>
#include <string.h>

/* Values of the map; others are indices of parts. */
static const uint64_t SATISFIED = UINT64_MAX;
static const uint64_t UNKNOWN = UINT64_MAX - 1;

struct tracing {
    struct ct_cpp_part *parts;
    size_t chosen;
    struct ct_map definers; /* of names, by their hashes */
    struct ct_map names;    /* of variables, likewise */
    size_t *queue;          /* parts whose uses are not yet looked at */
    size_t queued;
    bool failed;
};

static uint64_t find_name(const struct ct_map *map, const char *name, size_t length)
{
    struct ct_hash key = ct_hash_bytes(name, length);
    uint64_t value;

    return ct_map_find_hash(map, &key, &value) ? value : UNKNOWN;
}

/* `part` defines the name; it is the better one if it is the last before the chosen part. */
static void add_name(struct tracing *n, struct ct_map *map, const char *name,
                     uint64_t part)
{
    struct ct_hash key = ct_hash_bytes(name, strlen(name));
    uint64_t known = find_name(map, name, strlen(name));

    if (known == SATISFIED || (part != SATISFIED && known != UNKNOWN && part > n->chosen))
        return;
    n->failed = !ct_map_put_hash(map, &key, part) || n->failed;
}

/* --- definitions --- */

struct definer {
    struct tracing *needs;
    uint64_t part;
};

static void note_definition(void *context, const char *name)
{
    const struct definer *definer = context;

    add_name(definer->needs, &definer->needs->definers, name, definer->part);
}

/* A value such as %d is for printf to fill in: its string is no source. */
static void add_definitions(struct tracing *n, const struct ct_code *code, uint64_t part)
{
    struct definer definer = {n, part};

    for (size_t i = 0; i < code->macro_count; i++)
        if (*code->macros[i].value != '%')
            add_name(n, &n->definers, code->macros[i].name, part);
    ct_definitions_find(code, CT_DEFINITIONS_SHARED, note_definition, &definer);
}

static enum ct_status read_definitions(struct tracing *n, size_t part, struct ct_err *err)
{
    const struct ct_cpp_string *string = &n->parts[part].string;
    bool is_there = part == n->chosen || n->parts[part].is_needed;
    struct ct_code code;
    enum ct_status status = ct_code_read(string->text, string->length, &code, err);

    if (!status)
        add_definitions(n, &code, is_there ? SATISFIED : part);
    if (!status && *string->name && !is_there)
        add_name(n, &n->names, string->name, part);
    ct_code_release(&code);
    return status;
}

/* --- uses --- */

static enum ct_status need(struct tracing *n, uint64_t part, struct ct_err *err)
{
    if (part == SATISFIED || part == UNKNOWN || n->parts[part].is_needed ||
        part == n->chosen)
        return CT_OK;
    n->parts[part].is_needed = true;
    n->queue[n->queued++] = (size_t)part;
    /* What else it defines needs no other part. */
    return read_definitions(n, (size_t)part, err);
}

static enum ct_status use_words(struct tracing *n, const char *text, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    while (!status && *text) {
        const char *end = ct_word_skip(text);

        if (end != text)
            status = need(n, find_name(&n->definers, text, (size_t)(end - text)), err);
        text = end + (*end && end == text);
    }
    return status;
}

static enum ct_status use_all(struct tracing *n, const struct ct_code *code,
                              struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < code->token_count; i++) {
        bool is_member =
            i && (ct_code_is(code, i - 1, ".") || ct_code_is(code, i - 1, "->"));

        if (code->tokens[i].kind == CT_TOKEN_WORD && !is_member)
            status = use_words(n, code->tokens[i].text, err);
    }
    for (size_t i = 0; !status && i < code->macro_count; i++)
        status = use_words(n, code->macros[i].value, err);
    for (size_t i = 0; !status && i < code->switch_count; i++)
        if (code->switches[i].by_value)
            status = use_words(n, code->switches[i].name, err);
    return status;
}

static enum ct_status follow(struct tracing *n, size_t part, struct ct_err *err)
{
    const struct ct_cpp_string *string = &n->parts[part].string;
    struct ct_code code;
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < string->before_count; i++)
        status = need(
            n, find_name(&n->names, string->before[i], strlen(string->before[i])), err);
    if (status)
        return status;
    status = ct_code_read(string->text, string->length, &code, err);
    if (!status)
        status = use_all(n, &code, err);
    ct_code_release(&code);
    return status;
}

enum ct_status ct_cpp_need(struct ct_cpp_part *parts, size_t count, size_t chosen,
                           struct ct_err *err)
{
    struct tracing n = {.parts = parts, .chosen = chosen};
    enum ct_status status = CT_OK;

    n.queue = ct_mem_array(count, sizeof(*n.queue));
    if (!n.queue)
        return ct_err_nomem(err);
    /* Those that are there in any case; then those that may be. */
    for (size_t i = 0; !status && i < count; i++)
        if (i == chosen || parts[i].is_needed) {
            n.queue[n.queued++] = i;
            status = read_definitions(&n, i, err);
        }
    for (size_t i = 0; !status && i < count; i++)
        if (i != chosen && !parts[i].is_needed)
            status = read_definitions(&n, i, err);
    for (size_t i = 0; !status && i < n.queued; i++)
        status = follow(&n, n.queue[i], err);
    if (!status && n.failed)
        status = ct_err_nomem(err);
    ct_map_release(&n.definers);
    ct_map_release(&n.names);
    free(n.queue);
    return status;
}
