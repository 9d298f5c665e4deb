#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A search as a job array, on a real Slurm of one node: as good as one process, whatever is killed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm.sh"
export OCL_ICD_VENDORS="$virtual"

results() { sqlite3 "$1" "select configuration, experiment, status from result order by 1, 2"; }
count() { sqlite3 "$1" "select count(*) from result${2+ where $2}" 2>/dev/null; }

# 240 configurations of 60 ms each; the best is A=17 B=11.
cp "$root"/tests/cli/spaces/many.* "$root/tests/cli/spaces/copy.c" "$work/"
sed -i 's/^A = .*/A = 10..19/; s/^B = .*/B = 1..24/' "$work/many.ini"
sed -i 's/^__kernel/#pragma virtual build_time 60000000\n&/' "$work/many.cl"
cd "$work" || exit 1
search() { run "$cltune" search many.ini -d 0:1 -j 1 --no-cache "$@"; }

# --- without Slurm ---

search --slurm 4 --slurm-dir farm --slurm-option=--gres=gpu:1 --slurm-option=--array=1-4%2 -p n=256 --dry-run
exits 0 "--dry-run"
ok "makes nothing" ! -e farm
out_has "#SBATCH --array=1-4" "the array"
out_has "#SBATCH --signal=B:TERM@60" "with a signal before its end"
out_has "#SBATCH --gres=gpu:1" "options of sbatch"
out_lacks "#SBATCH --exclusive" "replace the whole node"
ok "those of an array are not for the last job" "$(grep -c '^#SBATCH --array=1-4%2' "$out")" = 1
out_has "--shard \"\$part/\$tasks\"" "tasks are parts"
out_has "others+=(--beside \"\$folder/part-\$other.db\")" "that know of each other"
out_has "--device='0:1' --jobs='1' --no-cache --problem='n=256' -- \"\$space\"" "own options are kept"
for script in search finish; do
    sed -n "/^# .*$script.sh$/,/^exit/p" "$out" | sed 1d | bash -n || script=broken
done
ok "both are shell scripts" "$script" = finish
search --slurm 8 -n 20 --dry-run
out_has "--island \"\$part/\$tasks\"" "with a budget they are islands"
out_has "others+=(--with \"\$folder/part-\$other.db\")" "that read each other's results"
out_has "#SBATCH --exclusive" "with a node each"
out_has "cltune-many/search.sh" "in a folder that is named after the kernel"
(
    mkdir bin2
    for program in sh cat; do ln -s "$(command -v $program)" bin2/; done
    PATH=$work/bin2
    search --slurm 2 --slurm-dir farm
)
ok "without sbatch" "$(cat "$err")" = "cltune: --slurm requires Slurm's sbatch, which is not in PATH: try where Slurm is installed, or see the scripts with --dry-run"
ok "nothing stays behind" ! -e farm
search --slurm 2 --slurm-dir many.ini/farm
exits 1 "a folder that cannot be"
err_has "cannot create the folder $work/many.ini/farm: Not a directory" "is one error"
search --slurm 2 --slurm-dir nowhere/farm
err_has "cannot create the folder $work/nowhere/farm: No such file or directory" "as one that cannot be reached"
(ulimit -f 0 && "$cltune" search many.ini --slurm 2 --slurm-dir farm 2>&1) | cat >"$err"
ok "a full disk" "$(cat "$err")" = "cltune: cannot write $work/farm/search.sh: File too large"
ok "leaves nothing behind" ! -e farm
search --slurm 2 --slurm-dir 'a%b'
exits 2 "a folder that Slurm reads otherwise"
search --slurm 2 --db x.db
exits 2 "one database for all tasks"
err_has "--slurm cannot be combined with --db: each task has a database" "says why"
search --slurm 2 --shard 1/2
exits 2 "a part of parts"
search --slurm 2 --slurm-option=debug
exits 2 "no option"
search --slurm-dir farm
exits 2 "a folder alone"
err_has "--slurm-dir requires --slurm" "says so"

why=$(slurm_missing)
if [ -n "$why" ]; then
    skip 26 "no Slurm: $why (packages munge, slurmctld, slurmd, slurm-client)"
    done_testing
    exit
fi
slurm_start
ok "Slurm runs" $? -eq 0

# --- with it ---

search --slurm 4 --slurm-dir farm --slurm-option=--partition=nosuch
exits 1 "sbatch refuses"
err_has "sbatch refuses $work/farm/search.sh: sbatch: error: " "in its words"
err_has "invalid partition specified" "all of them"
ok "nothing stays behind" ! -e farm

run "$cltune" search many.ini -d 0:1 --db whole.db --json -q -j 16
winner=$(jq -c '.best[0].configuration' "$out")
search --slurm 5 --slurm-dir farm --slurm-option=--exclusive=user --json
exits 0 "submitted"
array=$(jq -r .search_job "$out")
ok "both jobs are known" "$(jq -r '.finish_job | length > 0' "$out")" = true
# Some are killed in the midst of it, each in another way, as soon as they have begun: a part takes
# three seconds, however busy the machine is.
for part in 2 3 4 5; do
    tries=0
    until [ "$(count farm/part-$part.db)" -gt 5 ] 2>/dev/null || [ $tries -gt 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    case $part in
    2) scontrol requeue "${array}_2" ;;
    3) scancel --signal=TERM --batch "${array}_3" ;;
    4) scancel --signal=KILL --full "${array}_4" ;;
    5) scancel "${array}_5" ;;
    esac
done
search --slurm 2 --slurm-dir islands --slurm-option=--exclusive=user -n 15
exits 0 "islands"
out_has "look up   cltune best --db $work/islands/merged.db" "say where the result will be"
slurm_wait
for part in 2 3; do
    ok "task $part has begun twice" "$(sqlite3 "farm/part-$part.db" 'select count(*) from run')" = 2
    ok "and its first results were kept" "$(count "farm/part-$part.db" 'run_id = 1')" -gt 1
    ok "and the rest is there" "$(count "farm/part-$part.db")" -ge 48
done
ok "one that was killed is not finished" ! -e farm/part-4.done
ok "one that was cancelled is not queued again" "$(sqlite3 farm/part-5.db 'select count(*) from run')" = 1
cp farm/finish.log "$out"
out_has "tasks 4,5 did not finish, so results may be missing" "the last job says so"
out_has "sbatch --array=4,5 '$work/farm/search.sh'" "and what to do"
sbatch --array=4,5 farm/search.sh >/dev/null
slurm_wait
rm -f farm/finish.log
sbatch farm/finish.sh >/dev/null
slurm_wait
cp farm/finish.log "$out"
out_lacks "did not finish" "all tasks have finished"
results whole.db >whole.txt
results farm/merged.db >merged.txt
# Each task measures the default, which is not in this space.
run cmp whole.txt merged.txt
exits 0 "all results are those of one process"
ok "and so is the winner" "$("$cltune" best many --db farm/merged.db --json | jq -c '.[0].configuration')" = "$winner"
ok "each island has measured its own" "$(for i in 1 2; do
    sqlite3 islands/part-$i.db 'select strategy, seed, evaluated_count from run'
done | tr '\n' ' ')" = "surrogate (island 1/2)|1|15 surrogate (island 2/2)|2|15 "
ok "and both together have a winner" "$("$cltune" best many --db islands/merged.db --json | jq length)" = 1
search --slurm 5 --slurm-dir farm
exits 2 "the same folder"
err_has "search.sh exists already: submit it again with sbatch to continue" "continues by itself"

done_testing
