#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Configurations that are the same program are built or measured once, have a result each,
# and say so.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

query() { sqlite3 "$CLTUNE_DB" "$1"; }
cp "$spaces/copy.c" "$work/"
# A changes the time.  The source does not know C; it names B, to no effect.
sed 's/^    uint i = .*/    uint i = get_global_id(0) + A - A;\n#if B\n#endif/; s/^#pragma virtual add B.*//
    s/^#pragma virtual factor.*//' "$spaces/many.cl" >"$work/many.cl"
sed 's/^A = .*/A = 1..4/; s/^B = .*/C = 7, 8, 9/' "$spaces/many.ini" >"$work/macros.ini"
sed 's/^A = .*/A = 1..9/; s/^B = .*/B = 0, 1/' "$spaces/many.ini" >"$work/equal.ini"

run "$cltune" search "$work/macros.ini" -d 0:1 -v --samples 5
exits 0 "an unused macro"
out_has "12 evaluated now" "every configuration has a result"
# What a builder has compiled ahead for one that turns out to be a duplicate is loaded for its original.
count_of() { sed -n "s/^built.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$out"; }
ok "each program is built once" $(($(count_of by) + $(count_of "from stored binaries") + 0)) -eq 4
out_has "8 skipped (duplicates except for unused macros)" "and the summary says so"
# On a busy machine the A/A test may come after the second best, which then has all samples: once more.
for try in 1 2 3 4; do
    ! grep -qF "early stop 3 of 4 measured configurations" "$out" || break
    run env CLTUNE_DB="$work/again$try.db" "$cltune" search "$work/macros.ini" -d 0:1 -v --samples 5
done
out_has "early stop 3 of 4 measured configurations" "those of the play-off count as stopped, duplicates do not"
# Which of the three is measured follows from the order of the search: the one that is far from the default.
ok "-v names the duplicate" "$(grep -c 'A=2 C=9  = A=2 C=8 (same program)' "$err")" = 1
ok "eight are duplicates" "$(query "select count(*) from result where twin_of <> ''")" = 8
ok "of results that were measured" "$(query "select count(*) from result r join result o
    on o.experiment = r.twin_of where o.twin_of = ''")" = 8
ok "with the same samples" "$(query "select count(*) from result r join result o
    on o.experiment = r.twin_of where r.samples_ns = o.samples_ns and r.time_ns = o.time_ns
    and json_extract(r.configuration, '$.A') = json_extract(o.configuration, '$.A')")" = 8
ok "and took no time to build" "$(query "select count(*) from result where twin_of <> ''
    and build_ns + first_ns + check_ns + measure_ns > 0")" = 0
run "$cltune" search "$work/macros.ini" -d 0:1
out_has "0 evaluated now, 12 stored before" "they are final"
run "$cltune" search "$work/macros.ini" -d 0:1 --fresh --measure-duplicates --json
ok "--measure-duplicates builds each" "$(jq .scheduler.macro_duplicates "$out")" = 0
ok "and measures each" "$(jq .scheduler.measured "$out")" = 12
ok "for itself" "$(query "select count(*) from result where twin_of <> ''")" = 0

# Three and four are so slow that they are stopped early, each for all of its duplicates.
CLTUNE_DB=$work/slow.db
{
    echo "#pragma virtual factor A 3 20"
    echo "#pragma virtual factor A 4 30"
} >>"$work/many.cl"
run "$cltune" search "$work/macros.ini" -d 0:1 --param A=1,3,4
exits 0 "slow duplicates"
out_has "measured  3" "each program is measured once"
out_has "early stop 2 of 3 measured configurations" "duplicates are not counted as stopped"
ok "though their results repeat it" "$(query "select count(*) from result
    where stopped_early")" = 6
run "$cltune" search "$work/macros.ini" -d 0:1 --param A=1,3,4 --fresh --json
ok "nor in JSON" "$(jq -c '[.race.stopped_early, .scheduler.measured, .scheduler.macro_duplicates]' "$out")" = '[2,3,6]'
run "$cltune" search "$work/macros.ini" -d 0:1 --param A=1,3,4 --json
ok "nor when all is stored" "$(jq -c '[.race.stopped_early, .scheduler.measured]' "$out")" = '[0,0]'

CLTUNE_DB=$work/equal.db
sed -i '/factor A [34]/d' "$work/many.cl"
export VIRTUALCL_BINARY=plain
# What is measured before the driver's habits are known is not looked at: how many that are
# depends on who is faster.
run "$cltune" search "$work/equal.ini" -d 0:1 -j 1 -v --json
exits 0 "equal binaries"
duplicates=$(jq .scheduler.binary_duplicates "$out")
ok "are measured once" "$duplicates" -gt 0
ok "and all the others" "$(jq .scheduler.measured "$out")" = $((18 - duplicates))
ok "-v names each duplicate" "$(grep -c '(same program)' "$err")" = "$duplicates"
ok "so many are duplicates" "$(query "select count(*) from result where twin_of <> ''")" = "$duplicates"
ok "of those with the same program" "$(query "select count(*) from result r join result o
    on o.experiment = r.twin_of where r.time_ns = o.time_ns
    and json_extract(r.configuration, '$.A') = json_extract(o.configuration, '$.A')")" = "$duplicates"
run "$cltune" search "$work/equal.ini" -d 0:1 --fresh --measure-duplicates --json
ok "--measure-duplicates measures each" "$(jq .scheduler.measured "$out")" = 18
export VIRTUALCL_BINARY=pad
run "$cltune" search "$work/equal.ini" -d 0:1 --fresh --no-cache
exits 0 "binaries whose sizes differ for nothing"
out_has "measured  18" "are all measured"
out_has "duplicate binaries are not detected" "and the summary says why"

done_testing
