#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cold caches and the number of samples, as a space file asks for them.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
warm=$work/virtual.ini
cold=$work/cold.ini
{ cat "$warm" && printf '\n[measure]\ncache = cold\nsamples = 4\n'; } >"$cold"

count() { sqlite3 "$CLTUNE_DB" "select count(*) from result"; }

run "$cltune" search "$warm" -d VideoCore
exits 0 "a search with warm caches"
ok "its results" "$(count)" = 18
run "$cltune" search "$cold" -d VideoCore
exits 0 "the same with cold ones"
ok "none of the warm results is taken for a cold one" "$(count)" = 36
run "$cltune" search "$cold" -d VideoCore
exits 0 "once more"
ok "all are known now" "$(count)" = 36
run "$cltune" search "$warm" -d VideoCore
exits 0 "warm again"
ok "those too" "$(count)" = 36

run "$cltune" run "$cold" WG=4 VEC=1 -d VideoCore
exits 0 "one configuration, cold"
# 32 KiB of cache, two buffers of 4 KiB.
out_has "cold: 9 copies of the buffers, used in turn" "tells how many copies there are"
out_has "4 samples of" "has as many samples as the file says"
run "$cltune" run "$warm" WG=4 VEC=1 -d VideoCore
out_lacks "caches   " "warm caches are not mentioned"
out_has "10 samples of" "ten samples where the file says nothing"

done_testing
