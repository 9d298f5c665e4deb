// SPDX-License-Identifier: Apache-2.0
// Reduces levels of states to the smallest diagram: from the last level up, states with the same
// continuations become one node, and states without any disappear.
#include "space/space_build.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of one level under construction. */
struct reduced {
    size_t count;
    size_t room;
    uint32_t *first; /* first edge of each node */
    size_t hash_room;
    uint32_t *hash;
    size_t edge_count;
    size_t edge_room;
    struct ct_level_run *edges; /* children are numbers within the next level */
};

struct reduce {
    struct ct_build *build;
    uint32_t *slots; /* node + 1 */
    size_t slot_count;
    uint32_t *node_of; /* by state of the next level; UINT32_MAX: leads nowhere */
    size_t node_of_count;
};

static bool rehash_level(struct reduce *r, const struct reduced *level)
{
    size_t count = r->slot_count ? r->slot_count * 2 : 256;
    uint32_t *slots = ct_space_memory_new(&r->build->memory, count, sizeof(*slots));

    if (!slots)
        return false;
    memset(slots, 0, count * sizeof(*slots));
    for (size_t i = 0; i < level->count; i++) {
        size_t at = level->hash[i] & (count - 1);

        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    ct_space_memory_free(&r->build->memory, r->slots, r->slot_count, sizeof(*slots));
    r->slots = slots;
    r->slot_count = count;
    return true;
}

/* Appends the edges of a state after the level's last, without those that lead nowhere, joining
 * adjacent runs with the same target.  Returns their number. */
static size_t put_edges(struct reduce *r, struct reduced *level,
                        const struct ct_level_run *runs, size_t count, bool last)
{
    struct ct_level_run *edges = level->edges + level->edge_count;
    size_t put = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t child = last ? 0 : r->node_of[runs[i].child];

        if (child == UINT32_MAX)
            continue;
        if (put && edges[put - 1].child == child &&
            edges[put - 1].last + 1 == runs[i].first) {
            edges[put - 1].last = runs[i].last;
            continue;
        }
        edges[put++] = (struct ct_level_run){runs[i].first, runs[i].last, child};
    }
    return put;
}

static uint32_t hash_edges(const struct ct_level_run *edges, size_t count)
{
    uint64_t hash = count;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ ((uint64_t)edges[i].first << 32 | edges[i].last)) *
               0x9e3779b97f4a7c15u;
        hash = (hash ^ hash >> 29 ^ edges[i].child) * 0xbf58476d1ce4e5b9u;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

/* The node with the `count` edges after the level's last; UINT32_MAX with *ok false if out of
 * memory. */
static uint32_t intern(struct reduce *r, struct reduced *level, size_t count, bool *ok)
{
    const struct ct_level_run *edges = level->edges + level->edge_count;
    uint32_t hash = hash_edges(edges, count);
    size_t at;

    if ((!r->slots || (level->count + 1) * 2 > r->slot_count) &&
        !rehash_level(r, level)) {
        *ok = false;
        return UINT32_MAX;
    }
    for (at = hash & (r->slot_count - 1); r->slots[at];
         at = (at + 1) & (r->slot_count - 1)) {
        uint32_t node = r->slots[at] - 1;

        if (level->hash[node] == hash &&
            level->first[node + 1] - level->first[node] == count &&
            memcmp(level->edges + level->first[node], edges, count * sizeof(*edges)) == 0)
            return node;
    }
    if (!ct_space_memory_grow(&r->build->memory, &level->first, &level->room,
                              level->count + 2, sizeof(*level->first)) ||
        !ct_space_memory_grow(&r->build->memory, &level->hash, &level->hash_room,
                              level->count + 1, sizeof(*level->hash))) {
        *ok = false;
        return UINT32_MAX;
    }
    level->edge_count += count;
    level->first[level->count] = (uint32_t)(level->edge_count - count);
    level->first[level->count + 1] = (uint32_t)level->edge_count;
    level->hash[level->count] = hash;
    r->slots[at] = (uint32_t)++level->count;
    return (uint32_t)level->count - 1;
}

static bool reduce_level(struct reduce *r, const struct ct_level *from, bool last,
                         struct reduced *level)
{
    struct ct_space_memory *memory = &r->build->memory;
    uint32_t *node_of = ct_space_memory_new(memory, from->state_count, sizeof(*node_of));
    bool ok = node_of != NULL;

    if (r->slots)
        memset(r->slots, 0, r->slot_count * sizeof(*r->slots));
    for (size_t s = 0; ok && s < from->state_count; s++) {
        size_t first = from->state_run[s];
        size_t count = from->state_run[s + 1] - first;

        ok = ct_space_memory_grow(memory, &level->edges, &level->edge_room,
                                  level->edge_count + count, sizeof(*level->edges)) &&
             level->edge_count + count < UINT32_MAX;
        if (!ok)
            break;
        if (count) /* otherwise there may be no runs at all */
            count = put_edges(r, level, from->runs + first, count, last);
        node_of[s] = count ? intern(r, level, count, &ok) : UINT32_MAX;
    }
    ct_space_memory_free(memory, r->node_of, r->node_of_count, sizeof(*r->node_of));
    r->node_of = node_of;
    r->node_of_count = from->state_count;
    return ok;
}

/* --- the diagram --- */

static bool allocate_levels(struct ct_build *build, const struct reduced *levels,
                            size_t count, struct ct_diagram *diagram)
{
    uint64_t nodes = 0;
    uint64_t edges = 0;
    uint64_t bytes;
    struct ct_space_memory *memory = &build->memory;

    for (size_t l = 0; l < count; l++) {
        nodes += levels[l].count;
        edges += levels[l].edge_count;
    }
    bytes = nodes * (sizeof(*diagram->node_edge) + sizeof(*diagram->node_valid)) +
            edges * sizeof(*diagram->edges);
    if (bytes > memory->limit_bytes || memory->held_bytes > memory->limit_bytes - bytes) {
        memory->over = true;
        return false;
    }
    if (nodes >= UINT32_MAX || edges >= UINT32_MAX)
        return false;
    diagram->level_node = ct_mem_array(count + 1, sizeof(*diagram->level_node));
    diagram->node_edge = ct_mem_array(nodes + 1, sizeof(*diagram->node_edge));
    diagram->node_valid = ct_mem_array(nodes, sizeof(*diagram->node_valid));
    diagram->edges = ct_mem_array(edges, sizeof(*diagram->edges));
    diagram->node_count = (uint32_t)nodes;
    memory->held_bytes += bytes;
    if (memory->held_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->held_bytes;
    return diagram->level_node && diagram->node_edge && diagram->node_valid &&
           diagram->edges;
}

static void fill_diagram(const struct reduced *levels, size_t count,
                         struct ct_diagram *diagram)
{
    uint32_t node = 0;
    uint32_t edge = 0;

    for (size_t l = 0; l < count; l++) {
        uint32_t below = node + (uint32_t)levels[l].count;

        diagram->level_node[l] = node;
        for (size_t n = 0; n < levels[l].count; n++)
            diagram->node_edge[node++] = edge + levels[l].first[n];
        for (size_t e = 0; e < levels[l].edge_count; e++) {
            const struct ct_level_run *from = &levels[l].edges[e];

            diagram->edges[edge++] = (struct ct_edge){
                from->first, from->last, l + 1 < count ? below + from->child : 0, 0};
        }
    }
    diagram->level_node[count] = node;
    diagram->node_edge[node] = edge;
}

static void count_below(struct ct_diagram *diagram, size_t levels)
{
    uint32_t last = diagram->level_node[levels - 1];

    for (uint32_t n = diagram->node_count; n-- > 0;) {
        uint64_t total = 0;

        for (uint32_t e = diagram->node_edge[n]; e < diagram->node_edge[n + 1]; e++) {
            struct ct_edge *edge = &diagram->edges[e];
            uint64_t each = n >= last ? 1 : diagram->node_valid[edge->child];

            edge->before = total;
            total = ct_space_plus(
                total, ct_space_times((uint64_t)edge->last - edge->first + 1, each));
        }
        diagram->node_valid[n] = total;
    }
    diagram->valid = diagram->node_count ? diagram->node_valid[0] : 0;
}

bool ct_build_reduce(struct ct_build *build, const struct ct_component_build *component,
                     struct ct_level *levels, struct ct_diagram *diagram)
{
    size_t count = component->param_count;
    struct reduce r = {.build = build};
    struct reduced *reduced = ct_mem_array(count, sizeof(*reduced));
    struct ct_space_memory *memory = &build->memory;
    bool ok = reduced != NULL;

    for (size_t l = count; ok && l-- > 0;) {
        ok = reduce_level(&r, &levels[l], l + 1 == count, &reduced[l]);
        ct_build_levels_free(build, &levels[l], 1);
    }
    if (ok && !reduced[0].count)
        diagram->valid = 0;
    else if (ok && (ok = allocate_levels(build, reduced, count, diagram))) {
        fill_diagram(reduced, count, diagram);
        count_below(diagram, count);
    }
    for (size_t l = 0; reduced && l < count; l++) {
        ct_space_memory_free(memory, reduced[l].first, reduced[l].room, 4);
        ct_space_memory_free(memory, reduced[l].hash, reduced[l].hash_room, 4);
        ct_space_memory_free(memory, reduced[l].edges, reduced[l].edge_room,
                             sizeof(*reduced[l].edges));
    }
    free(reduced);
    ct_space_memory_free(memory, r.slots, r.slot_count, sizeof(*r.slots));
    ct_space_memory_free(memory, r.node_of, r.node_of_count, sizeof(*r.node_of));
    return ok;
}
