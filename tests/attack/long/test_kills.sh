#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search of 48 configurations is killed 24 times, each time in the middle of a batch: none
# of them counts as crashed, and in the end all 48 are good.
. "$(dirname "$0")/../lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/attack/spaces/slow.cl" "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/^A = .*/A = 0..47/; s|\.\./\.\./cli/spaces/||' "$root/tests/attack/spaces/slow.ini" >"$work/slow.ini"
sed -i 's/build_time 50000000/build_time 400000000/' "$work/slow.cl"

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }

caught=0
condemned=0
kills=0
while [ $kills -lt 24 ]; do
    "$cltune" search "$work/slow.ini" -d 0:1 --rough -q >"$out" 2>"$err" </dev/null &
    search=$!
    sleep "0.$((3 + kills % 7))"
    kill -KILL $search 2>/dev/null
    wait $search 2>/dev/null
    kills=$((kills + 1))
    [ "$(query 'select count(*) from inflight')" -gt 0 ] 2>/dev/null && caught=$((caught + 1))
    condemned=$((condemned + $(query "select count(*) from result where status = 'crashed'" || echo 0)))
done
echo "# $caught of 24 kills with something in flight"
ok "most kills hit something in flight" $caught -gt 12
ok "none was condemned on the way" $condemned = 0
run "$cltune" search "$work/slow.ini" -d 0:1 --rough
exits 0 "the next search goes on to the end"
ok "all 48 are good" "$(query "select count(*) from result where status = 'ok'")" = 48
ok "0 of 48 crashed" "$(query "select count(*) from result where status = 'crashed'")" = 0

done_testing
