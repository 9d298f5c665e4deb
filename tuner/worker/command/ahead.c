// SPDX-License-Identifier: Apache-2.0
// Keeps programs between their set-ups and their turns.
#include "worker/command/ahead.h"

#include "worker/command/command.h"
#include "worker/command/state.h"

#include <stdlib.h>
#include <string.h>

/* Searches that change their mind leave some behind, whose folders take room. */
enum { KEPT_MOST = 128 };

struct one {
    struct ct_hash hash;
    struct ct_arena arena; /* owns the plan, until the program does */
    struct ct_plan_command *command;
    struct ct_command_state *run; /* NULL: not begun */
};

struct ct_command_ahead {
    struct one *items; /* oldest first */
    size_t count;
    size_t capacity;
    bool alone; /* one has taken too long in company */
};

static void drop(struct ct_command_ahead *ahead, size_t index)
{
    struct one *one = &ahead->items[index];

    ct_command_free(one->run);
    ct_arena_release(&one->arena);
    ahead->count--;
    memmove(one, one + 1, (ahead->count - index) * sizeof(*one));
}

static size_t find(const struct ct_command_ahead *ahead, const struct ct_hash *hash)
{
    size_t at = 0;

    while (at < ahead->count && strcmp(ahead->items[at].hash.text, hash->text) != 0)
        at++;
    return at;
}

/* Those that no request has begun are forgotten. */
static void drop_unbegun(struct ct_command_ahead *ahead)
{
    for (size_t i = ahead->count; i-- > 0;)
        if (!ahead->items[i].run)
            drop(ahead, i);
}

enum ct_status ct_command_ahead_read(struct ct_command_ahead **ahead, uint32_t count,
                                     struct ct_wire_reader *in, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    if (count && !*ahead)
        *ahead = calloc(1, sizeof(**ahead));
    if (!*ahead)
        return count ? ct_err_nomem(err) : CT_OK;
    drop_unbegun(*ahead);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct one one = {.run = NULL};
        struct ct_plan plan;

        status = ct_plan_get(in, &one.arena, &plan, err);
        if (!status) {
            one.hash = ct_plan_hash(&plan);
            one.command = plan.command;
        }
        if (!status && one.command && find(*ahead, &one.hash) == (*ahead)->count &&
            ct_mem_grow(&(*ahead)->items, &(*ahead)->capacity, (*ahead)->count + 1,
                        sizeof(one)))
            (*ahead)->items[(*ahead)->count++] = one;
        else
            ct_arena_release(&one.arena);
    }
    while ((*ahead)->count > KEPT_MOST)
        drop(*ahead, 0);
    return status;
}

struct ct_command_state *ct_command_ahead_take(struct ct_command_ahead *ahead,
                                               const struct ct_plan *plan)
{
    struct ct_hash hash = ct_plan_hash(plan);
    size_t index = ahead ? find(ahead, &hash) : 0;
    struct ct_command_state *run;

    if (!ahead || index == ahead->count || !ahead->items[index].run)
        return NULL;
    run = ahead->items[index].run;
    run->arena = ahead->items[index].arena;
    ahead->items[index].run = NULL;
    ahead->items[index].arena = (struct ct_arena){0};
    drop(ahead, index);
    return run;
}

bool ct_command_ahead_begin(struct ct_command_ahead *ahead)
{
    bool any = false;

    if (ahead && ahead->alone)
        drop_unbegun(ahead);
    for (size_t i = ahead ? ahead->count : 0; i-- > 0;) {
        struct one *one = &ahead->items[i];

        if (one->run)
            continue;
        /* What goes wrong here will do so, and be told, in its turn. */
        if (ct_command_state_new(one->command, &one->run, NULL) ||
            ct_command_state_begin(one->run, NULL))
            drop(ahead, i);
        else
            any = true;
    }
    return any;
}

/* Frees those that are still being set up. */
static void drop_unfinished(struct ct_command_ahead *ahead)
{
    for (size_t i = ahead->count; i-- > 0;)
        if (ahead->items[i].run && ahead->items[i].run->setup != CT_COMMAND_SET_UP) {
            ahead->alone = true;
            drop(ahead, i);
        }
}

void ct_command_ahead_finish(struct ct_command_ahead *ahead, uint64_t until_ns)
{
    for (size_t i = 0; ahead && i < ahead->count; i++)
        if (ahead->items[i].run)
            ct_command_state_await(ahead->items[i].run, until_ns);
    if (ahead)
        drop_unfinished(ahead);
}

void ct_command_ahead_stop(struct ct_command_ahead *ahead)
{
    ct_command_ahead_finish(ahead, 0);
}

void ct_command_ahead_free(struct ct_command_ahead *ahead)
{
    while (ahead && ahead->count)
        drop(ahead, ahead->count - 1);
    if (ahead)
        free(ahead->items);
    free(ahead);
}
