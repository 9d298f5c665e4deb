#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `best` answers for the space file as it is now: a result that another check let pass, or
# that belongs to an older form of the kernel, is not handed out.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

cp "$spaces/copy.c" "$work/"
# FAULT=8 writes one wrong element, and is twice as fast.
sed 's/^#pragma virtual base.*/&\n#pragma virtual factor FAULT 8 0.5/' "$spaces/faults.cl" \
    >"$work/faults.cl"
sed 's/^FAULT = .*/FAULT = 0, 8/' "$spaces/faults.ini" >"$work/tight.ini"
sed 's/^check = .*/check = abs(1e39)/' "$work/tight.ini" >"$work/loose.ini"

# The command that a search prints answers with the first row of its table.
agrees() {
    first=$(awk 'NR == 2 { print $NF }' "$out")
    look_up=$(sed -n 's/^look up   //p' "$out")
    run sh -c "PATH='$build:'\$PATH; $look_up --json"
    exits 0 "$1: the printed look-up command answers"
    ok "$1: with the first row ($first)" \
        "$(jq -r '.[0].configuration | to_entries[0] | "\(.key)=\(.value)"' "$out")" = "$first"
    ok "$1: which is $2" "$first" = "$2"
}

run "$cltune" search "$work/loose.ini" -d 0:1
agrees "a loose check" FAULT=8
run "$cltune" search "$work/tight.ini" -d 0:1 --param FAULT=0
agrees "a tight check, of a part" FAULT=0
run "$cltune" search "$work/tight.ini" -d 0:1
agrees "a tight check" FAULT=0
run "$cltune" search "$work/loose.ini" -d 0:1
out_has "0 evaluated now, 2 stored before" "the loose one again is known"
agrees "the loose one again" FAULT=8
run "$cltune" search "$work/tight.ini" -d 0:1
out_has "0 evaluated now, 2 stored before" "the tight one again is known"
agrees "the tight one again" FAULT=0

sed -i 's/^name   = .*/name = renamed/' "$work/tight.ini"
run "$cltune" search "$work/tight.ini" -d 0:1
out_has "0 evaluated now, 2 stored before" "another name is the same experiment"
agrees "another name" FAULT=0

# An include that is edited while the search runs: what it says is no longer what is
# stored under its hash.
mkdir "$work/edit"
cp "$spaces/copy.c" "$work/edit/"
{ echo '#include "speed.h"'; cat "$spaces/virtual.cl"; } >"$work/edit/virtual.cl"
echo "#define SPEED 1" >"$work/edit/speed.h"
cp "$spaces/virtual.ini" "$work/edit/virtual.ini"
CLTUNE_DB=$work/edit.db
"$cltune" search "$work/edit/virtual.ini" -d 0:0 >"$out" 2>"$err" </dev/null &
search=$!
while [ "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result' 2>/dev/null || echo 0)" -lt 3 ] &&
    kill -0 $search 2>/dev/null; do sleep 0.02; done
echo "#define SPEED 2" >"$work/edit/speed.h"
wait $search
status=$?
exits 1 "an include edited meanwhile stops the search"
err_has "speed.h" "and is named"
stored=$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')
echo "#define SPEED 1" >"$work/edit/speed.h"
run "$cltune" search "$work/edit/virtual.ini" -d 0:0
exits 0 "undone, the search continues"
out_has "$((18 - stored)) evaluated now, $stored stored before" "with what was stored before the edit"

done_testing
