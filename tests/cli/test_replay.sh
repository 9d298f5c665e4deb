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

run "$cltune" replay "$work/bowl.tsv" -s exhaustive --repeats 2 -n 60 --json
ok "not reached counts twice" "$(jq ".strategies[0].spaces[0].to_99 == 120" "$out")" = true
ok "and is no reach" "$(jq ".strategies[0].spaces[0].reach_99 == 0" "$out")" = true
run "$cltune" replay "$work/bowl.tsv" -s surrogate --repeats 3 -n 60 --batch 16 --json
exits 0 "batches"
ok "the batch is told" "$(jq .batch "$out")" = 16
run "$cltune" replay "$work/bowl.tsv" --repeats 2 -n 400 --json
ok "auto finds everything when it can" "$(jq ".strategies[0].spaces[0].reach_99 == 1" "$out")" = true

run "$cltune" replay
exits 2 "no data is a mistake"
run "$cltune" replay "$work/bowl.tsv" -s surogate
exits 2 "a misspelt strategy"
err_has "did you mean 'surrogate'" "gets a suggestion"
run "$cltune" replay "$work/nothing.tsv"
exits 1 "no such file"
err_has "nothing.tsv" "is named"
printf 'A\ttime_ms\n1\tx\n' >"$work/bad.tsv"
run "$cltune" replay "$work/bad.tsv"
exits 2 "a file that is no recorded space"
err_has "bad.tsv:2: 'x' is not a number of milliseconds" "says where"

done_testing
