// SPDX-License-Identifier: Apache-2.0
// Scripts for Slurm.
//
// Everything that a task needs follows from its number, so that one of them can be submitted again
// alone.  Slurm sends SIGTERM a minute before a task's time is over (and when another job needs its
// node): cltune then ends with what it has stored, and the task is queued again, where it continues.
#include "report/slurm.h"

#include "report/export.h"

#include <string.h>

enum { WARNING_S = 60 }; /* before the end of a task's time */

static void put_lines(struct ct_str *out, const char *const *lines)
{
    for (; *lines; lines++)
        ct_str_addf(out, "%s\n", *lines);
}

/* "NAME=value" for the shell. */
static void put_variable(struct ct_str *out, const char *name, const char *value)
{
    ct_str_addf(out, "%s=", name);
    ct_export_put_shell_word(out, value);
    ct_str_putc(out, '\n');
}

static void put_head(const struct ct_slurm *slurm, const char *what, const char *suffix,
                     const char *log, struct ct_str *out)
{
    ct_str_addf(out,
                "#!/bin/bash\n# cltune %s: %s of %s.\n#SBATCH --job-name=cltune-%s%s\n"
                "#SBATCH --chdir=\"%s\"\n#SBATCH --output=\"%s/%s\"\n"
                "#SBATCH --open-mode=append\n#SBATCH --requeue\n",
                slurm->version, what, slurm->space, slurm->name, suffix, slurm->current,
                slurm->folder, log);
}

/* Whether an option says which devices or how much of a node a job gets. */
static bool is_resource(const char *option)
{
    static const char *const starts[] = {"--gres", "--gpus", "--exclusive", "-G"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
        if (ct_str_starts(option, starts[i]))
            return true;
    return false;
}

/* Whether an option is about an array. */
static bool is_of_array(const char *option)
{
    return ct_str_starts(option, "--array") || ct_str_starts(option, "-a");
}

/* The user's options come last: Slurm takes the last of several. */
static void put_options(const struct ct_slurm *slurm, bool array, struct ct_str *out)
{
    bool resources = false;

    for (size_t i = 0; i < slurm->option_count; i++)
        resources = resources || is_resource(slurm->options[i]);
    if (!resources)
        ct_str_puts(out, "#SBATCH --exclusive\n");
    for (size_t i = 0; i < slurm->option_count; i++)
        if (array || !is_of_array(slurm->options[i]))
            ct_str_addf(out, "#SBATCH %s\n", slurm->options[i]);
}

static void put_variables(const struct ct_slurm *slurm, struct ct_str *out)
{
    ct_str_putc(out, '\n');
    put_variable(out, "cltune", slurm->program);
    put_variable(out, "space", slurm->space);
    put_variable(out, "folder", slurm->folder);
    ct_str_addf(out, "tasks=%llu\n", (unsigned long long)slurm->tasks);
}

void ct_slurm_put_search(const struct ct_slurm *slurm, struct ct_str *out)
{
    static const char *const wait[] = {
        "pid=$!",
        "ended=",
        "trap 'ended=1; kill -TERM \"$pid\"' TERM",
        "wait \"$pid\"",
        "status=$?",
        "if [ -n \"$ended\" ]; then",
        "    wait \"$pid\"",
        "    status=$?",
        "    # All results are stored.  Unless it was cancelled, the task is queued again, and",
        "    # continues.",
        "    task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID",
        "    if [ \"$status\" -eq 130 ] && [ \"$(squeue -h -o %T -j \"$task\")\" = RUNNING ]; then",
        "        scontrol requeue \"$task\"",
        "    fi",
        "fi",
        "# 3: nothing in this part worked.",
        "case $status in 0 | 3) : >\"$folder/part-$part.done\" ;; esac",
        "exit \"$status\"",
        NULL,
    };

    put_head(slurm, slurm->islands ? "an island of the search" : "a part of the search",
             "", "part-%a.log", out);
    ct_str_addf(out, "#SBATCH --array=1-%llu\n#SBATCH --signal=B:TERM@%d\n",
                (unsigned long long)slurm->tasks, WARNING_S);
    put_options(slurm, true, out);
    put_variables(slurm, out);
    ct_str_puts(out, "part=$SLURM_ARRAY_TASK_ID\n\nrm -f \"$folder/part-$part.done\"\n");
    ct_str_addf(out,
                "# %s\nothers=()\nfor other in $(seq \"$tasks\"); do\n"
                "    others+=(--%s \"$folder/part-$other.db\")\ndone\n",
                slurm->islands ? "Islands read each other's results."
                               : "Parts read how fast the best of the others is.",
                slurm->islands ? "with" : "beside");
    ct_str_addf(out,
                "\"$cltune\" search --%s \"$part/$tasks\" --db "
                "\"$folder/part-$part.db\" \"${others[@]}\"%s -- \"$space\" &\n",
                slurm->islands ? "island" : "shard", slurm->search_options);
    put_lines(out, wait);
}

void ct_slurm_put_finish(const struct ct_slurm *slurm, struct ct_str *out)
{
    static const char *const collect[] = {
        "",
        "# Tasks that end together and are queued again count as ended for a moment, to Slurm.",
        "if [ -n \"${1-}\" ] && [ -n \"$(squeue -h -j \"$1\" 2>/dev/null)\" ]; then",
        "    echo \"tasks of job $1 are queued again, so this waits for them once more\"",
        "    exec sbatch --dependency=afterany:\"$1\" \"$folder/finish.sh\" \"$1\"",
        "fi",
        "databases=()",
        "missing=",
        "for part in $(seq \"$tasks\"); do",
        "    database=$folder/part-$part.db",
        "    [ ! -e \"$database\" ] || databases+=(\"$database\")",
        "    [ -e \"$folder/part-$part.done\" ] || missing=$missing,$part",
        "done",
        "if [ ${#databases[@]} -eq 0 ]; then",
        "    echo \"no task has stored a result: see $folder/part-*.log\" >&2",
        "    exit 1",
        "fi",
        "\"$cltune\" db merge --db \"$folder/merged.db\" \"${databases[@]}\" || exit",
        NULL,
    };
    static const char *const judge[] = {
        "status=$?",
        "if [ -n \"$missing\" ]; then",
        "    echo \"tasks ${missing#,} did not finish, so results may be missing: use\" >&2",
        "    echo \"  sbatch --array=${missing#,} '$folder/search.sh'\" >&2",
        "    echo \"  sbatch '$folder/finish.sh'\" >&2",
        "    [ \"$status\" -ne 0 ] || status=1",
        "fi",
        "exit \"$status\"",
        NULL,
    };

    put_head(slurm, "merge and play-off", "-finish", "finish.log", out);
    put_options(slurm, false, out);
    put_variables(slurm, out);
    put_lines(out, collect);
    ct_str_addf(out,
                "\"$cltune\" search --playoff-only --db \"$folder/merged.db\"%s -- "
                "\"$space\"\n",
                slurm->finish_options);
    put_lines(out, judge);
}
