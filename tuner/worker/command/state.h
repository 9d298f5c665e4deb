// SPDX-License-Identifier: Apache-2.0
// A program with its folder, its keeper and its set-up.
#ifndef CT_WORKER_COMMAND_STATE_H
#define CT_WORKER_COMMAND_STATE_H

#include "base/mem.h"
#include "worker/command/keeper.h"

enum ct_command_setup { CT_COMMAND_NEW, CT_COMMAND_SETTING_UP, CT_COMMAND_SET_UP };

/* One value for each sample. */
struct ct_command_numbers {
    double *values;
    size_t count;
    size_t capacity;
};

/* A program that is set up, or is being. */
struct ct_command_state {
    const struct ct_plan_command *command; /* borrowed, or in the arena */
    struct ct_arena arena;
    struct ct_scratch scratch;
    bool has_scratch;
    int output;
    const char *folder;
    struct ct_keeper keeper;
    enum ct_command_setup setup;
    struct ct_keeper_report setup_report; /* from CT_COMMAND_SET_UP on */
    struct ct_command_numbers *numbers;   /* one for each entry of [read] */
};

/* The folder, the files in it, and the keeper.  `*out` is for ct_command_free, also after an error.
 * CT_E_IO, CT_E_WORKER, CT_E_NOMEM. */
enum ct_status ct_command_state_new(const struct ct_plan_command *command,
                                    struct ct_command_state **out, struct ct_err *err);

/* Begins the set-up, without waiting.  CT_E_IO. */
enum ct_status ct_command_state_begin(struct ct_command_state *run, struct ct_err *err);

/* Waits for the end of the set-up, until that time at most (UINT64_MAX: for ever); whether it has
 * ended. */
bool ct_command_state_await(struct ct_command_state *run, uint64_t until_ns);

/* Whether the set-up has ended without a complaint. */
bool ct_command_state_is_good(const struct ct_command_state *run);

#endif
