#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The scripts of search --slurm where tasks are ended and queued again, with stand-ins for Slurm's programs
# that write down what they are asked to do.  test_slurm.sh has a real Slurm.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"

count() { sqlite3 "$1" "select count(*) from result${2+ where $2}" 2>/dev/null; }
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$work/slurm/$1" && chmod +x "$work/slurm/$1"; }
mkdir "$work/slurm"
# shellcheck disable=SC2016
{
    stand_in sbatch 'echo "sbatch $*" >>"$SAID"; echo 7'
    stand_in scontrol 'echo "scontrol $*" >>"$SAID"'
    stand_in squeue 'case " $* " in *" %T "*) cat "$STATE" ;; *) cat "$QUEUED" ;; esac'
}
export PATH="$work/slurm:$PATH" SAID="$work/said" STATE="$work/state" QUEUED="$work/queued"
: >"$QUEUED"
: >"$SAID"
echo RUNNING >"$STATE"

# 60 configurations of 100 ms each, half of them in each task; the best is A=17 B=11.
cp "$root"/tests/cli/spaces/many.* "$root/tests/cli/spaces/copy.c" "$work/"
sed -i 's/^A = .*/A = 10..19/; s/^B = .*/B = 6..11/' "$work/many.ini"
sed -i 's/^__kernel/#pragma virtual build_time 100000000\n&/' "$work/many.cl"
cd "$work" || exit 1
run "$cltune" search many.ini -d 0:1 -j 1 --no-cache --slurm 2 --slurm-dir farm --slurm-option=--gres=gpu:1
exits 0 "submitted"
ok "an array, and what comes after it" "$(cut -d' ' -f1-3 "$SAID" | tr '\n' ',')" = \
    "sbatch --parsable $work/farm/search.sh,sbatch --parsable --dependency=afterany:7,"

# task NUMBER: as Slurm runs it.
task() { SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 exec bash farm/search.sh; }
# warned NUMBER: the task gets the signal before its end when it has stored three more results.
warned() {
    before=$(count "farm/part-$1.db")
    : >"$SAID"
    (task "$1") >"$out" 2>"$err" </dev/null &
    pid=$!
    tries=0
    until [ "$(count "farm/part-$1.db")" -gt $((${before:-0} + 3)) ] 2>/dev/null || [ $tries -gt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -TERM $pid
    wait $pid
    status=$?
}

for turn in first second; do
    warned 1
    exits 130 "a task that is ended the $turn time"
    ok "is queued again" "$(cat "$SAID")" = "scontrol requeue 7_1"
    ok "and has not finished" ! -e farm/part-1.done
    sqlite3 farm/part-1.db "select experiment, measured_unix_s, attempts, samples_ns from result order by 1" >"$turn.txt"
done
ok "the second time continued the first" "$(comm -13 second.txt first.txt | wc -l)" = 0
: >"$SAID"
run env SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 bash farm/search.sh
exits 0 "the third time it ends by itself"
ok "is not queued again" ! -s "$SAID"
ok "and has finished" -e farm/part-1.done
sqlite3 farm/part-1.db "select experiment, measured_unix_s, attempts, samples_ns from result order by 1" >third.txt
ok "its own earlier results were kept" "$(comm -23 second.txt third.txt | wc -l)" = 0
# The default is one of the first task's.
ok "and nothing was measured twice" "$(sqlite3 farm/part-1.db "select count(*), sum(attempts) from result" \
    "select count(*), sum(evaluated_count) from run" | tr '\n' ' ')" = "30|30 3|30 "
run env SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 bash farm/search.sh
exits 0 "one that had finished, and is queued again all the same"
ok "measures nothing" "$(count farm/part-1.db) $(sqlite3 farm/part-1.db 'select evaluated_count from run where id = 4')" = "30 0"
ok "and has finished again" -e farm/part-1.done

echo CANCELLED >"$STATE"
warned 2
exits 130 "a task that is cancelled"
ok "is not queued again" ! -s "$SAID"
ok "what it has stored is there" "$(count farm/part-2.db)" -gt 3
: >"$STATE"
warned 2
ok "nor one that Slurm does not know" ! -s "$SAID"

# --- the last job ---

finish() {
    : >"$SAID"
    run bash farm/finish.sh "$@"
}
echo 7_2 >"$QUEUED"
finish 7
exits 0 "the last job, while a task is queued again"
ok "waits once more" "$(cat "$SAID")" = "sbatch --dependency=afterany:7 $work/farm/finish.sh 7"
ok "and merges nothing" ! -e farm/merged.db
: >"$QUEUED"
finish 7
exits 1 "one task did not finish"
err_has "tasks 2 did not finish" "it says which"
ok "and merges what there is" "$(count farm/merged.db)" -gt 30
run env SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 bash farm/search.sh
exits 0 "the task completed"
finish
exits 0 "both"
ok "are the whole" "$(count farm/merged.db)" = 60
ok "of which the winner is known" "$("$cltune" best many --db farm/merged.db --json | jq -c '.[0].configuration')" = \
    '{"A":17,"B":11}'

done_testing
