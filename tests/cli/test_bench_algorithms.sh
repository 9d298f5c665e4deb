#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/bench-algorithms on a small recording of the virtual driver.
. "$(dirname "$0")/lib.sh"
spaces=$root/tests/cli/spaces
export CLTUNE="$cltune"

run "$root/scripts/bench-algorithms" "$work/none.db"
exits 1 "no recording"
err_has "none.db does not exist; --record makes it" "says so"

# 'quick' is four times as fast; a fifth of the configurations does not work.
cp "$spaces/copy.c" "$work/"
{
    cat "$spaces/virtual.cl"
    echo "#pragma virtual factor ALGORITHM slow 4"
    echo "#pragma virtual fault WG 2 wrong"
} >"$work/virtual.cl"
sed "s/^WG .*/ALGORITHM = 'slow', 'quick'\nWG = 1, 2, 4, 8, 12/" "$spaces/virtual.ini" >"$work/a.ini"
OCL_ICD_VENDORS="$virtual" run "$cltune" search "$work/a.ini" -d VideoCore -s exhaustive --rough -q
exits 0 "a recording"
run "$root/scripts/bench-algorithms" --repeats 4 --evaluations 12 --batch 2 --seeds 1 "$CLTUNE_DB"
exits 0 "is replayed"
out_has "machine: " "on a machine that is named"
ok "everything" "$(awk '$1 == "everything" && $2 ~ /^[0-9]/ { print $2, $3 }' "$out")" = "30 24"
ok "each algorithm" "$(awk '$2 == "alone" && $3 ~ /^[0-9]/ { print $1, $3 }' "$out" | sort | tr '\n' ';')" = \
    "quick 15;slow 15;"
ok "what each got" "$(awk '$2 == "alone" { sum += $NF } END { print sum }' "$out")" = 12
ok "the slow one alone reaches a quarter" "$(awk '$1 == "slow" { print $7 }' "$out")" = 0.250
ok "compared with the best" "$(grep -cE '^everything reaches [0-9.]+% of quick alone$' "$out")" = 1
run "$root/scripts/bench-algorithms" --by LANES "$CLTUNE_DB"
exits 1 "a parameter that it does not have"
err_has "has no results by LANES" "says so"

done_testing
