#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Words of help and results: nothing of other commands, nothing that is not so.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
export VIRTUALCL_COUNTERS="$work/counters"

# --- help: each command has its own words ---
run "$cltune" search --help all
exits 0 "the help of search"
out_lacks "replay:" "nothing of replay"
out_lacks "peak" "nothing of peak"
out_has "VALUE,VALUE,... tunes each" "its own form of a problem"
out_lacks "{" "no marks are left"
run "$cltune" replay --help all
out_has "stop after N new evaluations (400)" "replay has its own number"
out_has "NAME,NAME,..." "and its own form of a strategy"
run "$cltune" peak --help all
out_has "of each kernel (48)" "and so has peak"
run "$cltune" run --help all
out_lacks "tunes each" "run takes one problem"

# --- ties: all are counted, ten at most are in the table; #2 and #3 are the program of #1 ---
sed '/^#pragma/d' "$spaces/virtual.cl" >"$work/virtual.cl"
sed -i '2i #pragma virtual base 1000000' "$work/virtual.cl"
cp "$spaces/copy.c" "$work/"
sed -e 's/^WG .*/WG = 1, 2, 4, 8, 12/' -e 's/^VEC = .*/VEC = 1, 2, 4/' "$spaces/virtual.ini" >"$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore -j 1
exits 0 "all are alike"
out_has "tied      #1 with 12 others: #4, #5, #6, #7, #8, #9, #10 and 5 more" "those that are not shown are counted"
out_lacks "verdict" "no baseline: no verdict"

# --- an A/A test that fails ---
run env VIRTUALCL_NOISE=process:0.5,seed:3 \
    "$cltune" search "$work/virtual.ini" -d VideoCore -j 1 -n 5 --db "$work/noisy.db"
exits 0 "times that differ from process to process"
err_has "vary too much to compare configurations before the play-off" "are no measure"
err_lacks "are significant" "and nothing is promised"
out_lacks "are significant" "at the end either"

# --- a default from a run without a play-off ---
run "$cltune" search "$spaces/playoff.ini" -d VideoCore --param A=1 --rough --db "$work/old.db"
out_lacks "of an earlier run" "a default of this run"
run "$cltune" search "$spaces/playoff.ini" -d VideoCore --param A=1,3 --rough --db "$work/old.db"
out_has "default   timed in a single process of an earlier run" "one of an earlier run is no measure"
run "$cltune" search "$spaces/playoff.ini" -d VideoCore --param A=1,3 --db "$work/old.db"
out_lacks "of an earlier run" "until a play-off has timed it"

done_testing
