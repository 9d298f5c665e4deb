#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One search in several processes: parts of the space (loops, GNU parallel, job arrays), islands that
# read each other's results, and the play-off of what was merged.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
# 500 configurations; the best is A=17 B=11.
cp "$root"/tests/cli/spaces/many.* "$root/tests/cli/spaces/copy.c" "$work/"
sed -i 's/^A = .*/A = 0..19/' "$work/many.ini"
space=$work/many.ini
small=$root/tests/cli/spaces/virtual.ini
whole=$work/whole.db

results() {
    sqlite3 "$1" "select configuration, experiment, status from result order by 1, 2"
}
winner() { jq -c '.best[0].configuration' "$1"; }

run "$cltune" search "$space" -d 0:1 --db "$whole" --json -q
exits 0 "one process"
winner "$out" >"$work/winner"
results "$whole" >"$work/whole.txt"

# --- parts ---

for i in 1 2 3 4; do
    run "$cltune" search "$space" -d 0:1 --db "$work/part$i.db" --shard $i/4 --json
    exits 0 "part $i of 4"
    cp "$out" "$work/part$i.json"
done
ok "parts are even" "$(jq -s -c 'map(.part.configurations)' "$work"/part?.json)" = '[125,125,125,125]'
ok "the default is measured in each, the rest once" \
    "$(jq -s 'map(.evaluated) | add' "$work"/part?.json)" = 503
ok "a part has no play-off" "$(jq -s -c 'map(.playoff) | unique' "$work"/part?.json)" = '[null]'
err_has "part       4 of 4: 125 configurations" "a part says what it is"
run "$cltune" search "$space" -d 0:1 --db "$work/part2.db" --shard 2/4
exits 0 "a part again"
out_has "0 evaluated now, 126 stored before" "measures nothing again"
out_has "next      when all are done: cltune db merge, then cltune search --playoff-only" "and says what comes next"
run "$cltune" search "$space" -d 0:1 --db "$work/half.db" --shard 1/4 -n 50 --json -q
ok "a budget is that of the part" "$(jq -c '[.evaluated, .ended]' "$out")" = '[50,"evaluations"]'
run "$cltune" search "$space" -d 0:1 --db "$work/half.db" --shard 1/4 -t 1m --json -q
ok "a part continues" "$(jq -c '.evaluated + .known_before' "$out")" = 125
ok "to the same results" "$(results "$work/half.db")" = "$(results "$work/part1.db")"
run "$cltune" search "$space" -d 0:1 --db "$work/part.db" --shard 3/4 --fraction 10% --json -q
ok "a share is one of the part" "$(jq .evaluated "$out")" = 13

run "$cltune" db merge --db "$work/merged.db" "$work"/part[1-4].db
exits 0 "merged"
results "$work/merged.db" >"$work/merged.txt"
run cmp "$work/whole.txt" "$work/merged.txt"
exits 0 "the parts together are the whole"
run "$cltune" search "$space" -d 0:1 --db "$work/merged.db" --playoff-only --json
exits 0 "the play-off of all parts"
ok "picks the winner of one process" "$(winner "$out")" = "$(cat "$work/winner")"
ok "and searches nothing" "$(jq -c '[.evaluated, .known_before, .ended]' "$out")" = '[0,500,"whole"]'
ok "by a play-off" "$(jq '.playoff.entrants > 1 and .best[0].rank == 1 and .best[0].rounds > 1' "$out")" = true
ok "which is stored" "$("$cltune" best many --db "$work/merged.db" --json | jq -c '.[0].configuration')" = \
    "$(cat "$work/winner")"
run "$cltune" search "$space" -d 0:1 --db "$work/merged.db" --playoff-only --json -q
exits 0 "once more, without new results"
ok "a play-off takes place in any case" "$(jq '.playoff.entrants > 1 and .best[0].rounds > 1 and .evaluated == 0' "$out")" = true
ok "with the same winner" "$(winner "$out")" = "$(cat "$work/winner")"
run "$cltune" search "$space" -d 0:1 --db "$work/merged.db" --json -q
ok "which a search without new results leaves out" "$(jq '.playoff == null and .evaluated == 0' "$out")" = true
# A stored winner that was lucky: the play-off takes it for what it is.
sqlite3 "$work/merged.db" "update result set time_ns = 100, low_ns = 100, high_ns = 100, objective_value = 100
    where configuration = '{\"A\":5,\"B\":5}'"
run "$cltune" search "$space" -d 0:1 --db "$work/merged.db" --playoff-only --json -q
ok "a lucky time does not win" "$(winner "$out")" = "$(cat "$work/winner")"

# --- parts that know how fast the others' best is (--beside) ---

launches() { sqlite3 "$1" "select sum(length(samples_ns) / 8 * launches_per_sample) from result"; }
best=$(sqlite3 "$work/merged.db" "select json_extract(configuration, '$.A') || ' ' || json_extract(configuration, '$.B') from best join result on result.id = result_id")
for i in 1 2 3 4; do
    [ -n "$(sqlite3 "$work/part$i.db" "select 1 from result where json_extract(configuration, '$.A') || ' ' || json_extract(configuration, '$.B') = '$best'")" ] || other=$i
done
beside=$(for i in 1 2 3 4; do echo --beside "$work/part$i.db"; done)
# Ten samples of what competes: on a device without noise a search takes two.
part() { run "$cltune" search "$space" -d 0:1 --shard $other/4 --samples 10 "$@"; }
part --db "$work/alone.db" -q
alone=$(launches "$work/alone.db")
part --db "$work/bar.db" $beside --json
exits 0 "a part beside others"
ok "measures all of its configurations" "$(results "$work/bar.db")" = "$(results "$work/part$other.db")"
ok "with far fewer launches ($(launches "$work/bar.db") of $alone)" "$(launches "$work/bar.db")" -lt $((alone / 2))
ok "and stores only its own" "$(sqlite3 "$work/bar.db" 'select count(*) from result')" = 126
# Other experiments and failures are no bar.
for change in "experiment = substr(experiment, 2) || '0'" "status = 'wrong'"; do
    rm -f "$work/odd.db" "$work/bar.db"*
    sqlite3 "$work/merged.db" "vacuum into '$work/odd.db'"
    sqlite3 "$work/odd.db" "update result set $change"
    part --db "$work/bar.db" --beside "$work/odd.db" -q
    ok "no bar: $change" "$(launches "$work/bar.db")" -gt $((alone * 3 / 4))
done
echo "no database" >"$work/broken.db"
rm -f "$work/bar.db"*
run "$cltune" search "$space" -d 0:1 --db "$work/bar.db" --shard $other/4 --beside "$work/broken.db" --beside "$work/none.db"
exits 0 "a broken database beside it"
ok "is a warning, once" "$(grep -c "the results of another search are not read now: $work/broken.db" "$err")" = 1
err_has "no results of another search in $work/none.db yet" "as is one that is missing"

run "$cltune" search "$space" -d 0:1 --shard 1/4 --db "$work/nowhere/part.db" -q
exits 1 "a folder that cannot be reached"
ok "is one line" "$(wc -l <"$err")" = 1
err_has "the folder $work/nowhere of the database" "that names it"

# --- other ways to run them ---

if command -v parallel >/dev/null; then
    run parallel --will-cite -j 3 "$cltune" search "$small" -d 0:1 --db "$work/gnu{}.db" \
        --shard '{}/3' -q ::: 1 2 3
    exits 0 "GNU parallel"
    "$cltune" db merge --db "$work/gnu.db" "$work"/gnu[1-3].db >/dev/null
    ok "measures each once" "$(sqlite3 "$work/gnu.db" 'select count(*) from result')" = 18
else
    skip 2 "GNU parallel is not installed (package parallel)"
fi
# Numbers from 0, as some have them, and in steps.
for i in 0 2 4; do
    run env SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=2 \
        "$cltune" search "$small" -d 0:1 --db "$work/array.db" --shard auto --json -q
    jq -c '[.part.number, .part.of]' "$out"
done >"$work/array"
ok "the task of an array" "$(tr '\n' ' ' <"$work/array")" = "[1,3] [2,3] [3,3] "
ok "one database for several processes is fine" "$(sqlite3 "$work/array.db" 'select count(*) from result')" = 18
run env SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 "$cltune" search "$small" --shard auto
exits 2 "uneven numbers"
err_has "--shard auto requires task numbers at even distances" "say so"
run "$cltune" search "$small" --island auto
exits 2 "no array"
err_has "--island auto requires SLURM_ARRAY_TASK_ID" "says what is missing"

# --- parts of equal expected time ---

# Stored costs: one value of A is 20 times as expensive, and half of the configurations are known.
cp "$work/part1.db" "$work/costs.db"
"$cltune" db merge --db "$work/costs.db" "$work/part2.db" >/dev/null
sqlite3 "$work/costs.db" "update result set first_ns = 0, check_ns = 0, measure_ns = 0,
    build_ns = case when configuration like '{\"A\":7,%' then 20000000 else 1000000 end"
for i in 1 2 3; do
    "$cltune" search "$space" -d 0:1 --db "$work/share.db" --shard $i/3 --with "$work/costs.db" --json -q --rough -n 1 |
        jq -c .part
    "$cltune" search "$space" -d 0:1 --db "$work/cost.db" --shard $i/3 --with "$work/costs.db" -q \
        --param A=0,1,2,3,4,5,6,7,8,9 --param B=0,1,2,3,4,5 >/dev/null
    sqlite3 "$work/cost.db" "select count(*) from result where configuration like '{\"A\":7,%'" >"$work/dear$i"
done >"$work/parts"
ok "sizes are even" "$(jq -s -c 'map(.configurations) | sort' "$work/parts")" = '[166,167,167]'
ok "and so are expected times" "$(jq -s 'map(.share) | (add > 0.999) and (max - min < 0.02)' "$work/parts")" = true
ok "by the results of a half" "$(jq -s 'map(.known_costs) == [250, 250, 250]' "$work/parts")" = true
ok "the expensive ones are shared out" "$(cat "$work"/dear[1-3] | tr '\n' ' ')" = "2 4 6 "
ok "together they are the whole" "$(sqlite3 "$work/cost.db" 'select count(*) from result')" = 60
run "$cltune" search "$space" -d 0:1 --db "$work/x.db" --shard 1/3 --with "$work/none.db"
exits 3 "parts by a database that is not there would be others than those of its siblings"
err_has "no database at $work/none.db" "so it is an error"

# --- islands ---

for i in 1 2 3; do
    run "$cltune" search "$space" -d 0:1 --db "$work/island$i.db" --island $i/3 -n 40 --json \
        --with "$work/island1.db" --with "$work/island2.db" --with "$work/island3.db"
    exits 0 "island $i"
    cp "$out" "$work/island$i.json"
    cp "$err" "$work/island$i.err"
done
ok "islands take over what others have" "$(jq -s -c 'map([.evaluated, .known_before, .adopted])' "$work"/island?.json)" = \
    '[[40,0,0],[40,0,39],[40,0,78]]'
ok "and measure nothing but the default again" "$(for i in 1 2 3; do
    sqlite3 "$work/island$i.db" "select experiment from result"
done | sort | uniq -d | wc -l)" = 1
ok "missing ones are said once" "$(grep -c 'no results of other searches in 2 databases yet' "$work/island1.err")" = 1
ok "and one alone" "$(grep -c "no results of another search in $work/island3.db yet" "$work/island2.err")" = 1
ok "the own one is not missed" "$(grep -c 'another island' "$work/island3.err")" = 0
ok "strategies differ" "$(sqlite3 "$work/island3.db" "select strategy, seed from run")" = "surrogate (island 3/3)|3"

# One that is read while a search runs: it appears when that has begun; before, it is truncated.
mkdir "$work/slow"
cp "$work/many.ini" "$work/many.cl" "$work/copy.c" "$work/slow/"
sed -i 's/^__kernel/#pragma virtual build_time 20000000\n&/' "$work/slow/many.cl"
"$cltune" search "$work/slow/many.ini" -d 0:1 --db "$work/other.db" -n 80 --seed 5 -s random -q --rough -j 16 >/dev/null
head -c 30000 "$work/other.db" >"$work/late.db"
"$cltune" search "$work/slow/many.ini" -d 0:1 --db "$work/slow.db" --island 2/2 -s random -j 1 --no-cache --json -v \
    --with "$work/late.db" --with "$work/empty.db" --rough >"$work/slow.json" 2>"$work/slow.err" &
pid=$!
: >"$work/empty.db"
tries=0
until [ "$(sqlite3 "$work/slow.db" 'select count(*) > 3 from result' 2>/dev/null)" = 1 ] || [ $tries -gt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
cp "$work/other.db" "$work/late.part"
mv "$work/late.part" "$work/late.db"
tries=0
until grep -q 'stored before' "$work/slow.err" || [ $tries -gt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
status=$?
cp "$work/slow.err" "$err"
cp "$work/slow.json" "$out"
exits 130 "an island that is ended"
err_has "late.db is damaged" "a truncated database is a warning"
ok "once" "$(grep -c 'this one continues without them' "$work/slow.err")" = 1
ok "at a checkpoint it is taken over" "$(jq '.adopted > 50' "$work/slow.json")" = true

# --- what has no meaning ---

run "$cltune" search "$space" --shard 1/4 -s surrogate
exits 2 "parts for a strategy that adapts"
err_has "use --island 1/4" "says what to use"
run "$cltune" search "$space" --island 1/4 -s exhaustive
exits 2 "islands that are exhaustive"
err_has "use --shard 1/4" "says what to use"
run "$cltune" search "$space" --island 1/4 --shard 1/4
exits 2 "both"
run "$cltune" search "$space" --shard 1/4 --playoff 10%
exits 2 "a play-off of a part"
run "$cltune" search "$space" --playoff-only --rough
exits 2 "a play-off and none"
run "$cltune" search "$space" --shard 1/4 -p n=256:1,512:2
exits 2 "weights"
run "$cltune" search "$space" -d 0:1 --playoff-only --db "$work/nothing.db"
exits 3 "a play-off of nothing"
ok "makes no database" ! -e "$work/nothing.db"
run "$cltune" search "$space" -d 0:0 --playoff-only --db "$work/merged.db"
exits 3 "a play-off on a device without results"
err_has "has no successful result of kernel many for this device" "says so"

done_testing
