#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times that are to be doubted are told so, with cause and remedy; and --rough, a first look.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/playoff.ini
some="--param A=1,3,4"
export VIRTUALCL_COUNTERS="$work/counters"

# --- nothing to doubt ---
run "$cltune" run "$space" -d VideoCore A=3
exits 0 "a steady device"
err_lacks "warning" "is not doubted"
run "$cltune" run "$space" -d VideoCore A=3 --json
ok "nor in JSON" "$(jq -c .warnings "$out")" = "[]"

# --- a clock that lies ---
run env VIRTUALCL_PACE=0 "$cltune" run "$space" -d VideoCore A=3
exits 0 "a device whose clock lies"
err_has "cltune: warning: this time: the device's clock contradicts wall time, which was used instead" \
    "is found out"
out_has "wall clock" "and said with the time"
run env VIRTUALCL_PACE=0 "$cltune" run "$space" -d VideoCore A=3 -q
ok "not to the quiet" ! -s "$err"
run env VIRTUALCL_PACE=0 "$cltune" run "$space" -d VideoCore A=3 --json -q
ok "but in JSON" "$(jq -r '.warnings | map(select(test("contradicts wall time"))) | length' "$out")" = 1
# shellcheck disable=SC2086
run env VIRTUALCL_PACE=0 "$cltune" search "$space" -d VideoCore $some --fresh --rough
exits 0 "a search with such a clock"
err_has "warning: the best: the device's clock contradicts wall time" "tells it of the best"

# --- accidents ---
noise=spike:0.03:10,normal:0.001,seed:3
run env VIRTUALCL_NOISE=$noise "$cltune" run "$space" -d VideoCore A=3 --samples 30
exits 0 "accidents within samples"
err_lacks "warning" "do not count"
# A sample has two runs of this one: too few to tell what was an accident.
sed 's/virtual base .*/virtual base 6000000/' "${space%.ini}.cl" >"$work/playoff.cl"
cp "$space" "$work/long.ini"
cp "$root/tests/cli/spaces/copy.c" "$work/"
run env VIRTUALCL_NOISE=spike:0.1:10,normal:0.001,seed:3 "$cltune" run "$work/long.ini" -d VideoCore A=3 --samples 30
exits 0 "whole samples"
ok "are called outliers, with a remedy" \
    "$(grep -cE 'warning: this time: [0-9]+ of [0-9]+ samples (is an|are) outliers?, .*--samples|first sample is an outlier' "$err")" -ge 1

# --- a first look ---
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --rough --fresh --json
exits 0 "a first look"
ok "has no play-off and no A/A test" "$(jq -c '[.playoff, .noise, .best[0].rounds, .evaluated]' "$out")" \
    = '[null,null,0,3]'
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --rough
out_has "rough     each time comes from a single process; run without --rough to separate the leaders" "and says so"
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --rough --fresh
out_has "from a single process, those of the 2 leaders from one in which they alternated" \
    "its leaders meet in one process"
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --json
exits 0 "a second one"
ok "plays off what the first has found" "$(jq -c '[.playoff.entrants >= 2, .evaluated, .best[0].rounds]' "$out")" \
    = '[true,0,6]'
done_testing
