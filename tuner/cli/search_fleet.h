// SPDX-License-Identifier: Apache-2.0
// cltune search on several devices at once.
#ifndef CT_CLI_SEARCH_FLEET_H
#define CT_CLI_SEARCH_FLEET_H

#include "base/devinfo.h"
#include "cli/options.h"
#include "report/board.h"
#include "schedule/pool.h"
#include "tune/options.h"

/* One kind of device: they share a search. */
struct ct_cli_lane {
    const struct ct_devinfo *device; /* the first of them */
    size_t number;
    struct ct_board *board;             /* between whose begin and end it prints */
    const struct ct_tune_options *tune; /* with the pool of builders, and the others */
};

/* Calls `run` for each kind of device, which returns an exit status: side by side as in tune/fleet.h.
 * Returns the largest one. */
int ct_cli_search_fleet(const struct ct_tune_options *tune,
                        const struct ct_devinfo *const *devices,
                        int (*run)(void *user, const struct ct_cli_lane *lane),
                        void *user);

#endif
