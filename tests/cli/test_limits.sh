#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What limits a configuration, and what is its own fault: builds that hang or eat the memory,
# references that do not get along with one configuration, outputs that nobody checks.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
query() { sqlite3 "$CLTUNE_DB" "$1"; }

# space FOLDER SED-SCRIPT [LINE]: the copy's space file, changed, with a line before its kernel.
space() {
    mkdir -p "$work/$1"
    cp "$spaces/copy.c" "$work/$1/"
    { [ $# -lt 3 ] || echo "$3"; cat "$spaces/virtual.cl"; } >"$work/$1/virtual.cl"
    sed "$2" "$spaces/virtual.ini" >"$work/$1/virtual.ini"
    space=$work/$1/virtual.ini
    export CLTUNE_DB="$work/$1/cltune.db"
}
no_more='s/^WG .*/WG = 1, 2/; s/^VEC .*/VEC = 1, 4/'

# --- builds that hang ---
space hang "$no_more" '#pragma virtual fault WG 2 build_hang'
run "$cltune" run "$space" -d VideoCore WG=2 --build-timeout 0.5
exits 1 "a run whose build hangs"
out_has "not finished after 0.5 s (phase build); use --build-timeout to allow more time" \
    "ends after --build-timeout and says what would give it longer"
run "$cltune" search "$space" -d VideoCore --build-timeout 2 -t 1h
exits 0 "a search with builds that hang"
out_has "2 ok, 2 timeout" "they are results"
ok "with the deadline that they passed" "$(query "select distinct deadline_ns, phase from result
    where status = 'timeout'")" = "2000000000|build"
run "$cltune" search "$space" -d VideoCore --build-timeout 1.5 --timeout 20m
out_has "0 evaluated now, 4 stored before" "a shorter wait for builds is no reason to try again"
run "$cltune" search "$space" -d VideoCore --build-timeout 3 --timeout 1.9
out_has "2 evaluated now, 2 stored before" "a longer one is"
ok "with its own deadline" "$(query "select distinct deadline_ns from result
    where status = 'timeout'")" = 3000000000
run "$cltune" run "$space" --build-timeout soon
exits 2 "a wait that is none"

# --- builders that are killed, while the system has not said that memory was short ---
space killed "$no_more" '#pragma virtual fault WG 2 build_hang'
export VIRTUALCL_LOG="$work/log"
: >"$VIRTUALCL_LOG"
"$cltune" search "$space" -d VideoCore -j 1 --build-timeout 5m --param VEC=1 >"$out" 2>"$err" &
search=$!
# The build of WG=2 is the second that begins.
begun() { awk '$3 == "build_begin" && /WG=2;/ { print $2 }' "$VIRTUALCL_LOG" | sort -u; }
while [ -z "$(begun)" ] && kill -0 $search 2>/dev/null; do sleep 0.05; done
kill -KILL "$(begun)"
# Another try would hang: end that too, and count.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 $search 2>/dev/null || break
    sleep 0.3
    for pid in $(begun); do kill -KILL "$pid" 2>/dev/null; done
done
wait $search
status=$?
exits 1 "a search whose builder is killed"
ok "after three tries" "$(begun | wc -l)" = 3
ok "the configuration is not blamed" -z "$(query "select status from result
    where configuration like '%\"WG\":2%'")"
err_has "SIGKILL" "and why is said"
unset VIRTUALCL_LOG

# --- references that fail for one configuration ---
reference='/^\[reference\]/,/^$/s/uint(n)/uint(n) if VEC < 16/'
space reference "$reference"
run "$cltune" search "$space" -d 0:1
exits 0 "a reference that does not compile for some configurations"
out_has "12 ok, 6 invalid" "is the affair of those"
out_has "the reference does not compile" "the reason is told"
run "$cltune" search "$space" -d 0:1 --param WG=1,2
out_has "0 evaluated now, 6 stored before" "and stored"
space again "$reference"
run "$cltune" search "$space" -d 0:1 --param VEC=1
run "$cltune" search "$space" -d 0:1
exits 0 "also when the default is known from before"
out_has "12 ok, 6 invalid" "they are invalid then"
space default "$reference"
printf '[default]\nVEC = 16\n' >>"$space"
run "$cltune" search "$space" -d 0:1
exits 2 "one that does not compile for the default ends the search"
err_has "the reference does not compile" "and says why"

# --- outputs that nobody checks ---
space unchecked 's/^args   = input, output/args = input, VEC < 16 ? output : other/
    $a [buffer other]\ntype = float\ncount = n'
run "$cltune" search "$space" -d 0:1
exits 0 "configurations that write no checked buffer"
out_has "unverified: 6 of the 18 successful configurations" "are counted as unverified"
ok "and marked" "$(grep -c 'VEC=16  (unverified)' "$out")" -gt 3
run "$cltune" search "$space" -d 0:1 --json
ok "also when they are known before" "$(jq '[.best[] | select(.verified | not) |
    .configuration.VEC] | unique | .[]' "$out")" = 16
space file '/^\[reference\]/,/^$/d'
run "$cltune" search "$space" -d 0:1
out_has "unverified: the space file has no [reference]" "and a file without a reference"

# --- spaces beyond every integer ---
space vast 's/^VEC .*/VEC = 1\nX1 = 0..65535\nX2 = 0..65535\nX3 = 0..65535\nX4 = 0..8191/'
run "$cltune" search "$space" -d 0:1 -n 2 --json
exits 0 "a space of more than 2^63 configurations"
ok "their number is told" "$(jq '.valid > 1.3e19 and .valid < 1.4e19' "$out")" = true

done_testing
