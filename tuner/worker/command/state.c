// SPDX-License-Identifier: Apache-2.0
// Makes and frees what a program runs in.
#define _GNU_SOURCE // O_TMPFILE
#include "worker/command/state.h"

#include "worker/command/command.h"
#include "worker/command/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ct_command_free(struct ct_command_state *run)
{
    if (!run)
        return;
    /* The keeper removes the folder; without one it is still here. */
    if (run->keeper.pid) {
        ct_keeper_end(&run->keeper);
        if (run->has_scratch && !access(run->scratch.path.data, F_OK))
            ct_scratch_close(&run->scratch);
        else if (run->has_scratch) {
            close(run->scratch.lock);
            ct_str_release(&run->scratch.path);
        }
    } else if (run->has_scratch) {
        ct_scratch_close(&run->scratch);
    }
    if (run->output >= 0)
        close(run->output);
    for (size_t i = 0; run->numbers && i < run->command->read_count; i++)
        free(run->numbers[i].values);
    free(run->numbers);
    ct_arena_release(&run->arena);
    free(run);
}

static int open_output(const char *folder)
{
    char path[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

    if (fd >= 0 || snprintf(path, sizeof(path), "%s/output", folder) >= (int)sizeof(path))
        return fd;
    fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unlink(path);
    return fd;
}

/* The folder, the files in it, and the keeper. */
enum ct_status ct_command_state_new(const struct ct_plan_command *command,
                                    struct ct_command_state **out, struct ct_err *err)
{
    struct ct_command_state *run = calloc(1, sizeof(*run));
    struct ct_keeper_job job = {.command = command};
    enum ct_status status;

    *out = run;
    if (!run)
        return ct_err_nomem(err);
    run->command = command;
    run->output = -1;
    run->numbers = ct_mem_array(command->read_count, sizeof(*run->numbers));
    status = run->numbers ? ct_scratch_open(&run->scratch, err) : ct_err_nomem(err);
    run->has_scratch = !status;
    if (status)
        return status;
    run->folder = command->folder ? command->folder : run->scratch.path.data;
    if (run->scratch.path.data)
        run->output = open_output(run->scratch.path.data);
    if (run->output < 0)
        return ct_err_set(err, CT_E_IO, "%s: %s", run->scratch.path.data,
                          strerror(errno));
    status = ct_folder_copy_files(run->folder, command, err);
    if (status)
        return status;
    job.folder = run->folder;
    job.own = &run->scratch;
    job.output = run->output;
    return ct_keeper_start(&run->keeper, &job, err);
}

enum ct_status ct_command_state_begin(struct ct_command_state *run, struct ct_err *err)
{
    enum ct_status status = ct_folder_write_texts(run->folder, run->command, err);

    run->setup = CT_COMMAND_SET_UP;
    if (!status && run->command->setup.count) {
        run->setup = CT_COMMAND_SETTING_UP;
        ct_keeper_ask(&run->keeper, CT_KEEPER_SETUP);
    }
    return status;
}

bool ct_command_state_await(struct ct_command_state *run, uint64_t until_ns)
{
    if (run->setup == CT_COMMAND_SETTING_UP &&
        ct_keeper_answer(&run->keeper, until_ns, &run->setup_report))
        run->setup = CT_COMMAND_SET_UP;
    return run->setup == CT_COMMAND_SET_UP;
}

bool ct_command_state_is_good(const struct ct_command_state *run)
{
    const struct ct_keeper_report *report = &run->setup_report;

    return run->setup == CT_COMMAND_SET_UP &&
           (!run->command->setup.count ||
            (report->end == CT_KEEPER_ENDED && !report->wait_status && !report->left));
}
