#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Configurations that fail in every way the virtual driver knows: each is one result, and
# the search goes on to the good one.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

status_of() {
    sqlite3 "$CLTUNE_DB" "select status from result where configuration = '{\"FAULT\":$1}'"
}

run "$cltune" search "$spaces/faults.ini" -d 0:1 --timeout 1s
exits 0 "the search ends by itself"
ok "the good one is measured" "$(status_of 0)" = ok
ok "a build error" "$(status_of 1)" = build_failed
ok "a compiler that segfaults" "$(status_of 2)" = crashed
ok "a compiler that exits" "$(status_of 3)" = crashed
ok "a refused launch" "$(status_of 4)" = invalid
ok "a segfault in a launch" "$(status_of 5)" = crashed
ok "an abort in a launch" "$(status_of 6)" = crashed
ok "an exit in a launch" "$(status_of 7)" = crashed
ok "a wrong result" "$(status_of 8)" = wrong
ok "a write beyond the buffer" "$(status_of 9)" = wrong
ok "an error at the end" "$(status_of 10)" = crashed
ok "a segfault at the end" "$(status_of 11)" = crashed
ok "a launch that hangs" "$(status_of 12)" = timeout
ok "a finish that hangs" "$(status_of 13)" = timeout
ok "the write beyond is told from a wrong value" "$(sqlite3 "$CLTUNE_DB" \
    "select mismatch_guard from result where configuration = '{\"FAULT\":9}'")" = 1
ok "and where it hit" "$(sqlite3 "$CLTUNE_DB" \
    "select mismatch_element from result where configuration = '{\"FAULT\":9}'")" = 1024
ok "the wrong one stores what it saw" "$(sqlite3 "$CLTUNE_DB" \
    "select mismatch_element from result where configuration = '{\"FAULT\":8}'")" = 1023
out_has "1 ok" "one worked"
ok "no worker is left" -z "$(pgrep -f "$cltune --ct-worker")"

run "$cltune" search "$spaces/faults.ini" -d 0:1 --timeout 1s
out_has "0 evaluated now, 14 stored before" "failures are not tried again"
run "$cltune" search "$spaces/faults.ini" -d 0:1 --timeout 2s
out_has "2 evaluated now, 12 stored before" "but a longer deadline is"

CLTUNE_DB=$work/none.db
cp "$spaces/faults.cl" "$spaces/copy.c" "$work/"
sed 's/^FAULT = .*/FAULT = 1, 4, 8/' "$spaces/faults.ini" >"$work/faults.ini"
run "$cltune" search "$work/faults.ini" -d 0:1
exits 3 "all wrong or refused: nothing found"
err_has "the first failure was" "says what happened"
run "$cltune" best faults
exits 3 "and there is no best"

# Two causes of one status are told apart, by the line that names the error.
CLTUNE_DB=$work/causes.db
run "$cltune" search "$spaces/causes.ini" -d 0:1 -j 1
out_has "build_failed  X=1: clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11): virtual:5: error: " \
    "the first cause, with the driver's error and its number"
out_has "other cause   X=3: clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11): virtual:7: error: " \
    "the second cause"
ok "each once" "$(grep -c "CL_BUILD_PROGRAM_FAILURE" "$out")" = 2
out_has "invalid       X=4: launch copy: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)" \
    "a refused launch with its error"
run "$cltune" search "$spaces/causes.ini" -d 0:1 -j 1 --fresh --json
ok "JSON has both" "$(jq -r '.failures.build_failed[0:4], .other_failures.build_failed[0:4]' "$out" |
    tr '\n' ' ')" = "X=1: X=3: "

# A compiler that fails now and then: what it refuses is compiled once more.
CLTUNE_DB=$work/moody.db
run env VIRTUALCL_FAIL=clBuildProgram:1:-11 "$cltune" run "$spaces/causes.ini" X=0 -d 0:1
exits 0 "a build that fails once"
out_has "ok" "is repeated"
run env VIRTUALCL_FAIL=clBuildProgram:1+:-11 "$cltune" run "$spaces/causes.ini" X=0 -d 0:1
exits 1 "one that fails twice has failed"
out_has "CL_BUILD_PROGRAM_FAILURE (-11)" "with its error"

# For simulators that see every access themselves.
run env CLTUNE_GUARDS=off "$cltune" run "$spaces/faults.ini" FAULT=9 -d 0:1
exits 0 "without guard bands a write beyond the end is the driver's affair"
run "$cltune" run "$spaces/faults.ini" FAULT=9 -d 0:1
exits 1 "with them it is seen"
out_has "wrong" "and called wrong"

done_testing
