// SPDX-License-Identifier: Apache-2.0
// cltune search -d all: a search for each device, side by side.
#include "cli/search_fleet.h"

#include "base/mem.h"
#include "cli/cli.h"
#include "report/screen.h"
#include "schedule/worker.h"
#include "tune/fleet.h"

#include <stdlib.h>

struct fleet {
    struct ct_tune_options tune;
    struct ct_board *board;
    const struct ct_devinfo *const *devices;
    int (*run)(void *user, const struct ct_cli_lane *lane);
    void *user;
    int *exit_statuses;
};

static void run_lane(void *user, size_t number)
{
    struct fleet *fleet = user;
    struct ct_cli_lane lane = {.device = fleet->devices[number],
                               .number = number,
                               .board = fleet->board,
                               .tune = &fleet->tune};
    struct ct_str nothing;

    /* Those that come after the others. */
    if (ct_worker_interrupted()) {
        fleet->exit_statuses[number] = CT_EXIT_INTERRUPTED;
        return;
    }
    fleet->exit_statuses[number] = fleet->run(fleet->user, &lane);
    ct_str_init(&nothing);
    ct_board_begin(fleet->board, number);
    ct_board_clear(fleet->board);
    ct_board_set(fleet->board, number, &nothing, 0);
    ct_board_end(fleet->board);
}

/* "[0:1] " */
static enum ct_status name_lanes(struct fleet *fleet, size_t count, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    for (size_t i = 0; i < count && !status; i++) {
        const struct ct_devinfo *device = fleet->devices[i];
        char name[32];

        snprintf(name, sizeof(name), "[%u:%u] ", device->platform_index,
                 device->device_index);
        status = ct_board_name(fleet->board, i, name, err);
    }
    return status;
}

int ct_cli_search_fleet(const struct ct_tune_options *tune,
                        const struct ct_devinfo *const *devices,
                        int (*run)(void *user, const struct ct_cli_lane *lane),
                        void *user)
{
    struct fleet fleet = {.tune = *tune, .devices = devices, .run = run, .user = user};
    struct ct_err err = CT_ERR_INIT;
    size_t count = 0;
    int worst = CT_EXIT_OK;
    enum ct_status status;

    while (devices[count])
        count++;
    fleet.exit_statuses = ct_mem_array(count, sizeof(*fleet.exit_statuses));
    status = fleet.exit_statuses
                 ? ct_board_new(count, ct_screen_terminal(), &fleet.board, &err)
                 : ct_err_nomem(&err);
    if (!status)
        status = name_lanes(&fleet, count, &err);
    if (!status)
        status = ct_pool_new(tune->jobs, &fleet.tune.pool, &err);
    if (!status)
        status = ct_fleet_run(devices, count, run_lane, &fleet, &err);
    if (status)
        worst = ct_cli_error(&err);
    for (size_t i = 0; !status && i < count; i++)
        worst = fleet.exit_statuses[i] > worst ? fleet.exit_statuses[i] : worst;
    ct_pool_free(fleet.tune.pool);
    ct_board_free(fleet.board);
    free(fleet.exit_statuses);
    return worst;
}
