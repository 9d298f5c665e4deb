// SPDX-License-Identifier: Apache-2.0
// cltune search -d all: a search for each kind of device, side by side.
#include "cli/search_fleet.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "report/screen.h"
#include "schedule/worker.h"
#include "tune/fleet.h"
#include "tune/siblings.h"

#include <stdlib.h>

/* Devices of one kind. */
struct kind {
    const struct ct_devinfo **devices;
    size_t count;
    struct ct_tune_options tune;
    int exit_status;
};

struct fleet {
    struct ct_board *board;
    struct ct_pool *pool;
    struct kind *kinds;
    size_t count;
    const struct ct_devinfo **firsts; /* of each kind */
    int (*run)(void *user, const struct ct_cli_lane *lane);
    void *user;
};

static void run_kind(void *user, size_t number)
{
    struct fleet *fleet = user;
    struct kind *kind = &fleet->kinds[number];
    struct ct_cli_lane lane = {.device = kind->devices[0],
                               .number = number,
                               .board = fleet->board,
                               .tune = &kind->tune};
    struct ct_str nothing;

    /* Those that come after the others. */
    if (ct_worker_interrupted()) {
        kind->exit_status = CT_EXIT_INTERRUPTED;
        return;
    }
    kind->exit_status = fleet->run(fleet->user, &lane);
    ct_str_init(&nothing);
    ct_board_begin(fleet->board, number);
    ct_board_hold(fleet->board, number, false);
    ct_board_clear(fleet->board);
    ct_board_set(fleet->board, number, &nothing, 0);
    ct_board_end(fleet->board);
}

/* Sorts devices into kinds. */
static enum ct_status find_kinds(struct fleet *fleet, struct ct_arena *arena,
                                 const struct ct_devinfo *const *devices, size_t count,
                                 struct ct_err *err)
{
    fleet->kinds = ct_arena_array(arena, count, sizeof(*fleet->kinds));
    fleet->firsts = ct_arena_array(arena, count, sizeof(*fleet->firsts));
    if (!fleet->kinds || !fleet->firsts)
        return ct_err_nomem(err);
    for (size_t i = 0; i < count; i++) {
        struct kind *kind = fleet->kinds;

        while (kind < fleet->kinds + fleet->count &&
               !ct_siblings_are_alike(kind->devices[0], devices[i]))
            kind++;
        if (kind == fleet->kinds + fleet->count) {
            *kind = (struct kind){
                .devices = ct_arena_array(arena, count, sizeof(*kind->devices))};
            if (!kind->devices)
                return ct_err_nomem(err);
            fleet->firsts[fleet->count++] = devices[i];
        }
        kind->devices[kind->count++] = devices[i];
    }
    return CT_OK;
}

/* "[0:1] " */
static enum ct_status begin_kinds(struct fleet *fleet, const struct ct_tune_options *tune,
                                  struct ct_err *err)
{
    enum ct_status status =
        ct_board_new(fleet->count, ct_screen_terminal(), &fleet->board, err);

    if (!status)
        status = ct_pool_new(tune->jobs, &fleet->pool, err);
    for (size_t i = 0; i < fleet->count && !status; i++) {
        struct kind *kind = &fleet->kinds[i];
        char name[32];

        kind->tune = *tune;
        kind->tune.pool = fleet->pool;
        kind->tune.siblings = kind->devices + 1;
        kind->tune.sibling_count = kind->count - 1;
        snprintf(name, sizeof(name), "[%u:%u] ", kind->devices[0]->platform_index,
                 kind->devices[0]->device_index);
        status = ct_board_name(fleet->board, i, name, err);
    }
    return status;
}

int ct_cli_search_fleet(const struct ct_tune_options *tune,
                        const struct ct_devinfo *const *devices,
                        int (*run)(void *user, const struct ct_cli_lane *lane),
                        void *user)
{
    struct fleet fleet = {.run = run, .user = user};
    struct ct_arena arena = {0};
    struct ct_err err = CT_ERR_INIT;
    size_t count = 0;
    int worst = CT_EXIT_OK;
    enum ct_status status;

    while (devices[count])
        count++;
    status = find_kinds(&fleet, &arena, devices, count, &err);
    if (!status)
        status = begin_kinds(&fleet, tune, &err);
    if (!status)
        status = ct_fleet_run(fleet.firsts, fleet.count, run_kind, &fleet, &err);
    if (status)
        worst = ct_cli_error(&err);
    for (size_t i = 0; !status && i < fleet.count; i++)
        worst = fleet.kinds[i].exit_status > worst ? fleet.kinds[i].exit_status : worst;
    ct_pool_free(fleet.pool);
    ct_board_free(fleet.board);
    ct_arena_release(&arena);
    return worst;
}
