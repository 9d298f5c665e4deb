#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ceilings of a device, and what a search makes of them.
. "$(dirname "$0")/lib.sh"

run "$cltune" peak what
exits 2 "an operand is refused"
run "$cltune" peak -d nowhere
exits 4 "no such device"

# search NAME OPTION...: a few small configurations.
search() {
    name=$1
    shift
    run "$cltune" search "$root/spaces/$name.ini" -d 0:0 -j 1 -q --rough --param WG=16 "$@"
}
few="-p n=65536 --param VEC=4 --param ITEMS=2 --param ORDER=grid,item"
# shellcheck disable=SC2086
search copy $few
exits 0 "a search before"
out_has "ceiling   unknown; run 'cltune peak'" "says how to learn the ceilings"
# shellcheck disable=SC2086
search copy $few --json
ok "in JSON they are null" "$(jq -c .ceiling "$out")" = null

run "$cltune" peak -d 0:0 -n 2 --rough -q --json
exits 0 "ceilings"
cp "$out" "$work/peak.json"
ok "all of them" "$(jq -c '[.ceilings[].name]' "$out")" = \
    '["copy","mad","launch","queued","allocation","allocation_mib"]'
ok "copying and multiply-adds have a rate, launches a time" "$(jq '[.ceilings[:4][]
    | select(.value > 0 and .low <= .value and .value <= .high)] | length' "$out")" = 4
ok "how the rates were reached is told" "$(jq '[.ceilings[] | select(.configuration
    | strings | startswith("WG="))] | length' "$out")" = 2
ok "they are stored" "$(sqlite3 "$CLTUNE_DB" 'SELECT count(*) FROM ceiling')" = 6
ok "as they were told" \
    "$(sqlite3 "$CLTUNE_DB" "SELECT abs(value / $(jq '.ceilings[1].value' "$out") - 1) < 1e-9
        FROM ceiling WHERE name = 'mad'")" = 1

# shellcheck disable=SC2086
search copy $few
exits 0 "a search after"
out_has "% of the copy bandwidth (" "tells the share of the bandwidth"
out_lacks "multiply-adds" "and of nothing that the space file does not state"
# shellcheck disable=SC2086
search copy $few --json
ok "the share is that of the best, of the ceiling" "$(jq --slurpfile peak "$work/peak.json" '
    .ceiling.gbytes.share / (8 * 65536 / .best[0].time_ns / $peak[0].ceilings[0].value)
    | . > 0.999 and . < 1.001' "$out")" = true
search mad -p n=16384 -p mads=12 --param VEC=4 --param CHAINS=2 --param FORM=mad,fma
out_has "% of the copy bandwidth (" "a kernel that states both has the bandwidth"
out_has "% of the multiply-add rate (" "and the arithmetic"

# The files that it runs are mended when somebody has changed them.
folder=${XDG_CACHE_HOME:-$HOME/.cache}/cltune/peak
ok "its space files can be looked at" -f "$folder/spaces/mad.ini"
echo nonsense >"$folder/spaces/copy.ini"
run "$cltune" peak -d 0:0 -n 1 --rough -q
exits 0 "once more, as text"
out_has "launch, until clFinish returns" "explains what is not a rate"
out_has "GFLOP/s" "has units"
ok "the changed file is as it was" "$(cmp "$folder/spaces/copy.ini" "$root/spaces/copy.ini" && echo same)" = same
ok "what was stored is replaced" "$(sqlite3 "$CLTUNE_DB" 'SELECT count(*) FROM ceiling')" = 6
done_testing
