#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune replay: recorded spaces, tables, JSON, mistakes.
. "$(dirname "$0")/lib.sh"

# 300 configurations: a bowl with its bottom at A = 16, B = 7; some fail.
awk 'BEGIN {
    print "# space: bowl"
    print "A\tB\tMODE\ttime_ms\tstatus\tcompile_ms\tbench_ms"
    for (a = 1; a <= 64; a *= 2) for (b = 1; b <= 20; b++) for (m = 0; m < 2; m++) {
        if ((a * b) % 13 == 5) { print a "\t" b "\t" (m ? "fast" : "slow") "\t\tcompile\t100\t0"; continue }
        t = 1 + (log(a / 16) / log(2)) ^ 2 + ((b - 7) / 3) ^ 2 + !m
        print a "\t" b "\t" (m ? "fast" : "slow") "\t" t "\tok\t100\t50" } }' >"$work/bowl.tsv"
gzip -c "$work/bowl.tsv" >"$work/packed.tsv.gz"

run "$cltune" replay "$work/bowl.tsv" -s surrogate,random --repeats 5 -n 60
exits 0 "a replay ends well"
out_has "bowl: 280 configurations, best 1.000 ms" "the space is named"
out_has "surrogate" "each strategy has its line"
out_has "TO 95%" "the columns are named"

json="$work/json"
run "$cltune" replay "$work/bowl.tsv" "$work/packed.tsv.gz" -s surrogate,random \
    --repeats 9 -n 60 --json
exits 0 "JSON"
cp "$out" "$json"
ok "two strategies" "$(jq '.strategies | length' "$json")" = 2
ok "the names" "$(jq -r '.strategies[0].name' "$json")" = surrogate
ok "two spaces" "$(jq '.strategies[0].spaces | length' "$json")" = 2
ok "a packed file is the same" \
    "$(jq '.strategies[0].spaces[0].to_95 == .strategies[0].spaces[1].to_95' "$json")" = true
ok "the overall figures are all there" "$(jq '.strategies[0].overall |
    [.to_90, .to_95, .to_99, .reach_95, .score] | all(type == "number")' "$json")" = true
ok "the surrogate is sooner than chance" "$(jq '.strategies[0].overall.to_95 * 1.5 <
    .strategies[1].overall.to_95' "$json")" = true
ok "the overall figure is the geometric mean" "$(jq '.strategies[1] |
    (.overall.to_95 / (.spaces[0].to_95 * .spaces[1].to_95 | sqrt) - 1) | fabs < 1e-6' \
    "$json")" = true

plain() { jq 'del(.. | .own_s?, .own_ms?)' "$1"; }
run "$cltune" replay "$work/bowl.tsv" "$work/packed.tsv.gz" -s surrogate,random \
    --repeats 9 -n 60 --json
ok "the same seed gives the same" "$(plain "$out" | cksum)" = "$(plain "$json" | cksum)"
run "$cltune" replay "$work/bowl.tsv" "$work/packed.tsv.gz" -s surrogate,random \
    --repeats 9 -n 60 --json --seed 2
ok "another seed does not" "$(plain "$out" | jq .strategies | cksum)" != \
    "$(plain "$json" | jq .strategies | cksum)"

run "$cltune" replay "$work/bowl.tsv" -s exhaustive --repeats 2 -n 6 --json
ok "not reached counts twice" "$(jq ".strategies[0].spaces[0].to_99 == 12" "$out")" = true
ok "and is no reach" "$(jq ".strategies[0].spaces[0].reach_99 == 0" "$out")" = true
run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 3 -n 60 --batch 16 --json
exits 0 "batches"
ok "the batch is told" "$(jq .batch "$out")" = 16
run "$cltune" replay "$work/bowl.tsv" --repeats 2 -n 400 --json
ok "auto finds everything when it can" "$(jq ".strategies[0].spaces[0].reach_99 == 1" "$out")" = true

# What was recorded elsewhere, its columns in another order.
awk -F '\t' '!/^#/ { print $3 "\t" $2 "\t" $1 "\t" ($4 == "" || $4 == "time_ms" ? $4 : $4 * 3) }' \
    "$work/bowl.tsv" >"$work/elsewhere.tsv"
run "$cltune" replay "$work/bowl.tsv" -s surrogate,random --repeats 9 -n 60 --json \
    --prior "$work/elsewhere.tsv"
exits 0 "results of elsewhere"
ok "the same space elsewhere tells once six results confirm it" \
    "$(jq '.strategies[0].overall.to_95' "$out")" = 7
ok "random search does not listen" "$(plain "$out" | jq -S '.strategies[1].overall.to_95')" = \
    "$(plain "$json" | jq -S '.strategies[1].spaces[0].to_95')"
run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 9 -n 60 --json \
    --prior "$work/elsewhere.tsv" --prior "$work/elsewhere.tsv"
ok "two that agree tell at once" "$(jq '.strategies[0].overall.to_95' "$out")" = 1
# Several sources: one has the slow mode only, the other one the fast mode, too.  Either order helps.
awk -F '\t' '$1 == "MODE" || $1 == "slow"' "$work/elsewhere.tsv" >"$work/slow.tsv"
run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 9 -n 60 --json \
    --prior "$work/slow.tsv"
ok "half of the space elsewhere does not tell" \
    "$(jq '.strategies[0].overall.to_95 > 2' "$out")" = true
for order in "slow elsewhere" "elsewhere slow"; do
    run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 9 -n 60 --json \
        --prior "$work/${order% *}.tsv" --prior "$work/${order#* }.tsv"
    ok "two sources, $order: both count" \
        "$(jq '.strategies[0].overall.to_95 <= 2' "$out")" = true
done
run "$cltune" replay "$work/bowl.tsv" --prior "$work/nothing.tsv"
exits 2 "nothing there"
printf 'X\ttime_ms\n1\t2\n' >"$work/foreign.tsv"
run "$cltune" replay "$work/bowl.tsv" --prior "$work/foreign.tsv"
exits 2 "another kernel's results"
err_has "foreign has no information on bowl: their parameters differ" "are refused"

run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 4 -n 60 --chance
exits 0 "chances"
out_has "surrogate: estimated chance that a configuration more than 5% faster remains" "are compared"
run "$cltune" replay "$work/bowl.tsv" -s surrogate,random --repeats 4 -n 60 --chance --json
ok "JSON: 4 repeats after 20 and 50" "$(jq '[.strategies[0].chance[].times] | add' "$out")" = 8
ok "shares are shares" "$(jq '.strategies[0].chance | all(.from <= .stated and
    .stated <= .to and .remained >= 0 and .remained <= 1)' "$out")" = true
ok "random search states none" "$(jq '.strategies[1].chance | length' "$out")" = 0

# Traces.
run "$cltune" replay "$work/bowl.tsv" -s surrogate,random --repeats 3 -n 20 \
    --traces "$work/traces" --json
exits 0 "traces"
cp "$out" "$work/traced.json"
ok "a file for each repeat" "$(cd "$work/traces" && find . -name '*.json' | sort | tr '\n' ' ')" = \
    "./bowl/random/0001.json ./bowl/random/0002.json ./bowl/random/0003.json ./bowl/space.json ./bowl/surrogate/0001.json ./bowl/surrogate/0002.json ./bowl/surrogate/0003.json "
ok "with all evaluations in T4" "$(jq '.results | length' "$work/traces/bowl/random/0002.json")" = 20
ok "their times and status" "$(jq -c '[.results[] | (.times.compilation_time == 100) and
    (if .invalidity == "correct" then .times.runtimes == [50] and
    (.measurements[0].value | type) == "number" else .invalidity == "compile" and
    .measurements[0].value == "CompilationFailedConfig" end)] | all' \
    "$work/traces/bowl/random/0001.json")" = true
ok "a mean of the best after 20" "$(jq -s '[.[] | [.results[].measurements[0].value |
    numbers] | 1 / min] | add / length * 1e6 | round' "$work"/traces/bowl/random/*.json)" = \
    "$(jq '.strategies[1].spaces[0].fraction_20 * 1e6 | round' "$work/traced.json")"
run "$cltune" replay "$work/traces/bowl/space.json" -s random --repeats 3 -n 20 --json
ok "the space reads back" "$(plain "$out" | jq '.strategies[0].spaces[0].fraction_20')" = \
    "$(jq '.strategies[1].spaces[0].fraction_20' "$work/traced.json")"
run "$cltune" replay "$work/bowl.tsv" --repeats 1 -n 2 --traces "$work/bowl.tsv/x"
exits 1 "no folder can be made"
err_has "cannot create the folder" "says so"

# A database of our own.
export OCL_ICD_VENDORS="$virtual"
for device in VideoCore 'Virtual GPU'; do
    run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d "$device" -p n=1024,2048 -q
done
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -p n=512 -n 4 -q
run "$cltune" replay "$CLTUNE_DB" -s exhaustive --repeats 1 -n 18 --json
exits 0 "a database"
ok "a space for each device and problem with enough results" \
    "$(jq -r '.strategies[0].spaces | map(.space) | sort | join(";")' "$out")" = \
    "vcopy@VideoCore IV GPU n=1024;vcopy@VideoCore IV GPU n=2048;vcopy@Virtual GPU n=1024;vcopy@Virtual GPU n=2048"
# Its order is fixed: of 18, VEC=16 WG=12 comes after the eight that are far apart; those of WG=16 failed.
ok "what was stored is what is found" \
    "$(jq '.strategies[0].spaces[] | select(.space == "vcopy@VideoCore IV GPU n=1024") | .to_99' "$out")" = 12
ok "time was spent" "$(jq '.strategies[0].spaces[0].spent_s > 0' "$out")" = true
# Leave one out: the other devices and problems of the database, not the space itself.
run "$cltune" replay "$CLTUNE_DB" -s surrogate --repeats 3 -n 18 --json
plain "$out" | jq -c '[.strategies[0].spaces[].to_95]' >"$work/alone.json"
run "$cltune" replay "$CLTUNE_DB" -s surrogate --repeats 3 -n 18 --json --prior "$CLTUNE_DB"
exits 0 "a database as source"
ok "the others count, the space itself does not" \
    "$(plain "$out" | jq -c '[.strategies[0].spaces[].to_95]')" != "$(cat "$work/alone.json")"
ok "or one evaluation would do" "$(jq '[.strategies[0].spaces[].to_95] | max > 1' "$out")" = true
run "$cltune" replay "$CLTUNE_DB" "$work/bowl.tsv" -s random --repeats 1 -n 5 -q
out_has "vcopy@Virtual GPU n=1024: 18 configurations, best" "with its size"
out_has "bowl: 280 configurations" "beside a file"
run "$cltune" replay "$work/bowl.tsv" --prior "$CLTUNE_DB"
exits 3 "a database without results of the kernel"
err_has "has no information on bowl: their parameters differ" "says so"
cp "$CLTUNE_DB" "$work/few.db"
sqlite3 "$work/few.db" "delete from result where id > 5" >/dev/null 2>&1 ||
    sqlite3 "$work/few.db" "pragma foreign_keys = off; delete from result
        where rowid > (select min(rowid) + 4 from result)"
run "$cltune" replay "$work/few.db"
exits 3 "a database with few results"
err_has "no kernel has 10 results" "says how many it wants"
sqlite3 "$work/foreign.db" "create table t(a); insert into t values (1)"
run "$cltune" replay "$work/foreign.db"
exits 2 "another program's database"

run "$cltune" replay
exits 2 "no data is a mistake"
run "$cltune" replay "$work/bowl.tsv" -s surogate
exits 2 "a misspelt strategy"
err_has "did you mean 'surrogate'" "gets a suggestion"
run "$cltune" replay "$work/nothing.tsv"
exits 2 "no such file"
err_has "nothing.tsv" "is named"
mkfifo "$work/pipe"
head -c 300 "$work/packed.tsv.gz" >"$work/cut.tsv.gz"
printf '\037\213nonsense' >"$work/nonsense.tsv.gz"
mkdir "$work/folder"
for file in folder pipe cut.tsv.gz nonsense.tsv.gz; do
    run "$cltune" replay "$work/$file"
    exits 2 "$file is no file to replay"
    run "$cltune" replay "$work/bowl.tsv" --prior "$work/$file"
    exits 2 "nor to learn from"
done
printf 'A\ttime_ms\n1\t\n2\t\n' >"$work/failed.tsv"
printf 'A\ttime_ms\n' >"$work/head.tsv"
echo '{"results": []}' >"$work/empty.json"
for file in failed.tsv head.tsv empty.json; do
    run "$cltune" replay "$work/$file"
    exits 3 "$file has nothing to find"
done
run "$cltune" replay "$work/nonsense.tsv.gz"
err_has "cannot read $work/nonsense.tsv.gz: unknown compression method" "what is wrong with a packed file is said"
run "$cltune" replay /proc/self/mem
exits 1 "a file that the system cannot read"
printf 'A\ttime_ms\n1\tx\n' >"$work/bad.tsv"
run "$cltune" replay "$work/bad.tsv"
exits 2 "a file that is no recorded space"
err_has "bad.tsv:2: 'x' is not a number of milliseconds" "says where"

done_testing
