// SPDX-License-Identifier: Apache-2.0
// cltune replay: strategies against recorded results instead of a device.
#include "cli/cli.h"
#include "report/replay.h"
#include "report/screen.h"

enum { REPEATS = 25, EVALUATIONS = 400, BATCH = 1 }; /* by default */

static void say_done(const char *strategy, const char *space)
{
    fprintf(ct_screen_err(), "cltune: %s on %s done\n", strategy, space);
}

static enum ct_status prepare_job(struct ct_replay_job *job,
                                  const struct ct_options *options, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    job->replay = (struct ct_replay_options){
        .repeats = options->replay.repeats ? (size_t)options->replay.repeats : REPEATS,
        .evaluations = options->budget.evaluations ? (size_t)options->budget.evaluations
                                                   : EVALUATIONS,
        .chance = options->replay.chance,
        .seed = options->seed,
        .islands = (size_t)options->replay.islands,
        .batch = options->replay.batch ? (size_t)options->replay.batch : BATCH,
    };
    job->traces = options->replay.traces;
    for (int i = 0; i < options->operand_count && !status; i++)
        status = ct_replay_job_add(job, options->operands[i], err);
    for (size_t i = 0; i < options->replay.transfers.count && !status; i++)
        status = ct_replay_job_add_source(job, options->replay.transfers.items[i], err);
    if (!status)
        status = ct_replay_job_strategies(
            job, options->strategy ? options->strategy : "auto", err);
    return status;
}

static int run_command(const struct ct_options *options)
{
    struct ct_replay_job job = {0};
    struct ct_err err = CT_ERR_INIT;
    int exit_status = CT_EXIT_OK;

    if (options->operand_count < 1)
        return ct_cli_usage("replay", "name at least one file of recorded results");
    if (prepare_job(&job, options, &err) ||
        ct_replay_job_run(&job, options->output.verbose ? say_done : NULL, &err))
        exit_status = ct_cli_error(&err);
    else if (options->output.json)
        ct_report_replay_json(&job);
    else
        ct_report_replay(&job, options->output.quiet);
    ct_replay_job_release(&job);
    return exit_status;
}

const struct ct_command ct_cli_command_replay = {
    .name = "replay",
    .operands = "DATA...",
    .summary = "run strategies against recorded results instead of a device",
    .details = "DATA: recorded spaces, optionally compressed with gzip: tab-separated "
               "values, cache\n"
               "files of Kernel Tuner, T4 results, or databases of cltune.  Every "
               "repeat starts a new\n"
               "strategy; a configuration that fails counts as an evaluation.\n",
    .options = "batch chance evaluations islands prior repeats seed strategy traces",
    .examples = {{"cltune replay recorded.tsv -s auto,random", "compare two strategies"},
                 {"cltune replay recorded.tsv -n 200 --repeats 100",
                  "with 200 evaluations"}},
    .run = run_command,
};
