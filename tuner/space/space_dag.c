// SPDX-License-Identifier: Apache-2.0
// The graph of expressions: values as bits, and unique nodes.
#include "space/space_dag.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_MIN = 256 };

/* --- values --- */

static uint32_t mix_hash(uint32_t hash, uint64_t value)
{
    uint64_t x = (hash ^ value) * 0x9e3779b97f4a7c15u;

    return (uint32_t)(x ^ x >> 32);
}

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 1;

    for (; *text; text++)
        hash = mix_hash(hash, (unsigned char)*text);
    return hash;
}

static uint32_t *probe_text(struct ct_dag *dag, const char *text)
{
    size_t at = hash_text(text);

    for (;; at++) {
        uint32_t *slot = &dag->text_slots[at & (dag->text_slot_count - 1)];

        if (!*slot || strcmp(dag->texts[*slot - 1], text) == 0)
            return slot;
    }
}

/* The slot of a text, empty if it is new.  NULL: out of memory. */
static uint32_t *find_text(struct ct_dag *dag, const char *text)
{
    if (dag->text_count * 2 >= dag->text_slot_count) {
        size_t before = dag->text_slot_count;
        size_t count = before ? before * 2 : BUCKETS_MIN;
        uint32_t *slots = ct_space_memory_new(dag->memory, count, sizeof(*slots));

        if (!slots)
            return NULL;
        memset(slots, 0, count * sizeof(*slots));
        ct_space_memory_free(dag->memory, dag->text_slots, before, sizeof(*slots));
        dag->text_slots = slots;
        dag->text_slot_count = count;
        for (size_t i = 0; i < dag->text_count; i++)
            *probe_text(dag, dag->texts[i]) = (uint32_t)i + 1;
    }
    return probe_text(dag, text);
}

int64_t ct_dag_bits(struct ct_dag *dag, struct ct_value value)
{
    int64_t bits = 0;
    uint32_t *slot;

    if (value.kind == CT_INT)
        return value.u.i;
    if (value.kind == CT_REAL) {
        memcpy(&bits, &value.u.r, sizeof(bits));
        return bits;
    }
    slot = find_text(dag, value.u.s);
    if (slot && *slot)
        return (int64_t)(intptr_t)dag->texts[*slot - 1];
    if (!slot || !ct_space_memory_grow(dag->memory, &dag->texts, &dag->text_room,
                                       dag->text_count + 1, sizeof(*dag->texts))) {
        dag->failed = true;
        return 0;
    }
    dag->texts[dag->text_count++] = value.u.s;
    *slot = (uint32_t)dag->text_count;
    return (int64_t)(intptr_t)value.u.s;
}

struct ct_value ct_dag_value(int64_t bits, enum ct_tag tag)
{
    struct ct_value value = {.kind = CT_NONE};

    if (tag == CT_TAG_INT)
        return ct_value_int(bits);
    if (tag == CT_TAG_TEXT)
        return ct_value_text((const char *)(intptr_t)bits);
    if (tag == CT_TAG_REAL) {
        value.kind = CT_REAL;
        memcpy(&value.u.r, &bits, sizeof(bits));
    }
    return value;
}

/* --- sets of parameters --- */

bool ct_dag_within(const struct ct_dag *dag, const uint64_t *part, const uint64_t *whole)
{
    for (size_t w = 0; w < dag->words; w++)
        if (part[w] & ~whole[w])
            return false;
    return true;
}

bool ct_dag_touches(const struct ct_dag *dag, const uint64_t *a, const uint64_t *b)
{
    for (size_t w = 0; w < dag->words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

/* --- nodes --- */

/* The same in every process: texts by content, not by address. */
static uint32_t hash_of(const struct ct_dag_node *node)
{
    uint32_t hash = mix_hash((uint32_t)node->op, (uint64_t)node->function);

    if (node->tag == CT_TAG_TEXT && node->op == CT_OP_CONST)
        hash = mix_hash(hash, hash_text((const char *)(intptr_t)node->bits));
    else
        hash = mix_hash(hash, (uint64_t)node->bits);
    hash = mix_hash(hash, (uint64_t)node->param);
    for (size_t i = 0; i < node->arg_count; i++)
        hash = mix_hash(hash, node->args[i]);
    return hash;
}

static bool same_node(const struct ct_dag_node *a, const struct ct_dag_node *b)
{
    return a->hash == b->hash && a->op == b->op && a->function == b->function &&
           a->bits == b->bits && a->arg_count == b->arg_count &&
           (a->op != CT_OP_CONST || a->tag == b->tag) &&
           (a->arg_count || a->param == b->param) &&
           (!a->arg_count ||
            memcmp(a->args, b->args, a->arg_count * sizeof(*a->args)) == 0);
}

static bool rehash_nodes(struct ct_dag *dag)
{
    size_t count = dag->bucket_count ? dag->bucket_count * 2 : BUCKETS_MIN;
    uint32_t *buckets = ct_space_memory_new(dag->memory, count, sizeof(*buckets));

    if (!buckets)
        return false;
    memset(buckets, 0, count * sizeof(*buckets));
    for (size_t i = 0; i < dag->count; i++) {
        uint32_t *bucket = &buckets[dag->nodes[i].hash & (count - 1)];

        dag->nodes[i].next = *bucket;
        *bucket = (uint32_t)i + 1;
    }
    ct_space_memory_free(dag->memory, dag->buckets, dag->bucket_count, sizeof(*buckets));
    dag->buckets = buckets;
    dag->bucket_count = count;
    return true;
}

/* The parameters a node depends on, from its operands. */
static bool set_support(struct ct_dag *dag, struct ct_dag_node *node)
{
    uint64_t *support;
    int param = node->param;

    if (!node->arg_count && node->param < 0) {
        node->support = dag->count ? dag->nodes[0].support : NULL;
        if (node->support)
            return true;
    }
    support = ct_arena_array(&dag->arena, dag->words, sizeof(*support));
    if (!support)
        return false;
    if (node->param >= 0)
        support[node->param / 64] = (uint64_t)1 << node->param % 64;
    for (size_t i = 0; i < node->arg_count; i++) {
        const struct ct_dag_node *arg = &dag->nodes[node->args[i]];

        for (size_t w = 0; w < dag->words; w++)
            support[w] |= arg->support[w];
        if (arg->param != CT_DAG_NO_PARAM)
            param = param == CT_DAG_NO_PARAM || param == arg->param ? arg->param
                                                                    : CT_DAG_PARAMS;
    }
    node->param = param;
    node->support = support;
    return true;
}

uint32_t ct_dag_intern(struct ct_dag *dag, struct ct_dag_node *wanted)
{
    uint32_t *copy;
    uint32_t id;

    if (dag->failed)
        return CT_DAG_FALSE;
    wanted->hash = hash_of(wanted);
    for (uint32_t at = dag->buckets[wanted->hash & (dag->bucket_count - 1)]; at;
         at = dag->nodes[at - 1].next) {
        struct ct_dag_node probe = *wanted;

        /* The parameter of a node with operands follows from them. */
        if (probe.arg_count)
            probe.param = dag->nodes[at - 1].param;
        if (same_node(&dag->nodes[at - 1], &probe))
            return at - 1;
    }
    copy = ct_arena_array(&dag->arena, wanted->arg_count, sizeof(*copy));
    if (!copy || !ct_space_memory_grow(dag->memory, &dag->nodes, &dag->room,
                                       dag->count + 1, sizeof(*dag->nodes)))
        goto failed;
    if (wanted->arg_count)
        memcpy(copy, wanted->args, wanted->arg_count * sizeof(*copy));
    wanted->args = copy;
    if (!set_support(dag, wanted))
        goto failed;
    id = (uint32_t)dag->count;
    dag->nodes[dag->count++] = *wanted;
    if (dag->count * 2 > dag->bucket_count) {
        if (!rehash_nodes(dag))
            goto failed;
    } else {
        uint32_t *bucket = &dag->buckets[wanted->hash & (dag->bucket_count - 1)];

        dag->nodes[id].next = *bucket;
        *bucket = id + 1;
    }
    ct_dag_analyse(dag, id);
    return id;
failed:
    dag->failed = true;
    return CT_DAG_FALSE;
}

uint32_t ct_dag_make_const(struct ct_dag *dag, int64_t bits, enum ct_tag tag)
{
    struct ct_dag_node node = {.op = CT_OP_CONST, .tag = tag, .param = CT_DAG_NO_PARAM};

    node.bits = bits;
    return ct_dag_intern(dag, &node);
}

uint32_t ct_dag_const(struct ct_dag *dag, struct ct_value value)
{
    if (value.kind == CT_NONE)
        return CT_DAG_UNKNOWN;
    return ct_dag_make_const(dag, ct_dag_bits(dag, value), (enum ct_tag)value.kind);
}

uint32_t ct_dag_param(struct ct_dag *dag, size_t param, enum ct_tag tag, double low,
                      double high)
{
    struct ct_dag_node node = {.op = CT_DAG_PARAM, .tag = tag, .param = (int)param};

    node.low = low;
    node.high = high;
    return ct_dag_intern(dag, &node);
}

uint32_t ct_dag_is_index(struct ct_dag *dag, size_t param, uint32_t index)
{
    struct ct_dag_node node = {
        .op = CT_DAG_IS_INDEX, .param = (int)param, .bits = (int64_t)index};

    return ct_dag_intern(dag, &node);
}

bool ct_dag_init(struct ct_dag *dag, size_t param_count, struct ct_space_memory *memory)
{
    memset(dag, 0, sizeof(*dag));
    dag->memory = memory;
    dag->words = param_count / 64 + 1;
    if (!rehash_nodes(dag))
        return false;
    ct_dag_make_const(dag, 0, CT_TAG_INT);
    ct_dag_make_const(dag, 1, CT_TAG_INT);
    ct_dag_make_const(dag, 0, CT_TAG_UNKNOWN);
    return !dag->failed;
}

void ct_dag_release(struct ct_dag *dag)
{
    for (size_t i = 0; i < dag->count; i++) {
        struct ct_dag_node *node = &dag->nodes[i];

        ct_space_memory_free(dag->memory, node->table, node->table_size,
                             sizeof(*node->table));
        ct_space_memory_free(dag->memory, node->tags, node->table_size,
                             sizeof(*node->tags));
    }
    ct_space_memory_free(dag->memory, dag->nodes, dag->room, sizeof(*dag->nodes));
    ct_space_memory_free(dag->memory, dag->buckets, dag->bucket_count,
                         sizeof(*dag->buckets));
    ct_space_memory_free(dag->memory, dag->texts, dag->text_room, sizeof(*dag->texts));
    ct_space_memory_free(dag->memory, dag->text_slots, dag->text_slot_count,
                         sizeof(*dag->text_slots));
    ct_arena_release(&dag->arena);
}
