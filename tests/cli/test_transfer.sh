#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is stored of other devices and problems helps a search, on the virtual driver.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

# 160 configurations, of which WG = 12, VEC = 16, U = 7 is best.
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
for u in $(seq 16); do
    echo "$u" | awk '{ printf "#pragma virtual factor U %d %g\n", $1, 1 + ($1 - 7) ^ 2 / 16 }'
done >>"$work/virtual.cl"
sed -e 's/^WG .*/WG = 1, 2, 4, 8, 12/' -e 's/^VEC = .*/VEC = 1, 16\nU = 1..16/' \
    "$spaces/virtual.ini" >"$work/u.ini"

run "$cltune" search "$work/u.ini" -d VideoCore -p n=1024 -n 40 -q
run "$cltune" search "$work/u.ini" -d VideoCore -n 30 -p n=4096 -s random -q
exits 0 "earlier searches"
cp "$CLTUNE_DB" "$work/before.db"

run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 -v
exits 0 "a search with a budget"
err_has "transfer   70 results from 2 other devices, problems or versions" \
    "learns from stored results"
err_has "initial sample: among the best elsewhere" "and says where it had the idea"
cp "$work/before.db" "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 --json -q
ok "JSON counts them" "$(jq .priors "$out")" = 70
ok "the best elsewhere is the best here, at once" \
    "$(jq -c '.best[0].configuration.U' "$out")" = 7
err_lacks "prior" "--quiet says nothing of them"

cp "$work/before.db" "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 -v --no-prior
err_lacks "prior " "--no-prior"
err_lacks "elsewhere" "learns from nothing else"
run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 -v -s random
err_lacks "prior " "nor does a strategy that learns nothing"
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d VideoCore -n 3 -v
err_lacks "prior " "nothing is stored"
run "$cltune" search "$work/u.ini" -d VideoCore -n 3 -v
err_lacks "transfer " "results of the search itself are no transfer"

# Another database.
rm -f "$CLTUNE_DB"
before=$(cksum <"$work/before.db")
run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 -v --with "$work/before.db"
exits 0 "--with another database"
err_has "transfer   70 results from 2 other devices, problems or versions" "learns from it"
ok "which is only read" "$(cksum <"$work/before.db")" = "$before"
run "$cltune" search "$work/u.ini" -d VideoCore -p n=1024 -n 3 -v \
    --with "$work/before.db" --with "$work/before.db"
err_has "transfer   143 results from 5 other devices, problems or versions" \
    "two databases: five sources, this search's own among the others"
run "$cltune" search "$work/u.ini" -d VideoCore -p n=2048 -n 3 --with "$work/nothing.db"
exits 3 "a database that does not exist"
err_has "nothing.db" "is named"

# Another objective: times elsewhere are not values of a metric.
cp "$work/before.db" "$CLTUNE_DB"
sed 's/^\[metric\]/[measure]\nobjective = gbytes\ndirection = maximize\n&/' "$work/u.ini" \
    >"$work/metric.ini"
run "$cltune" search "$work/metric.ini" -d VideoCore -p n=2048 -n 3 -v
exits 0 "another objective"
err_lacks "prior " "needs values of its own"
run "$cltune" search "$work/metric.ini" -d VideoCore -p n=8192 -n 3 -v
err_has "transfer   3 results from 1 other device, problem or version" "which are taken then"

# A space that is smaller here: what is outside tells nothing.
cp "$work/before.db" "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d 'Virtual GPU' -p n=1024 --param U=5,6,7,8 -n 5 --json -q
ok "restricted spaces" "$(jq '.priors > 0 and .priors < 70' "$out")" = true

done_testing
