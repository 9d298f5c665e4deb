#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Something else slows a configuration down for a moment: it is looked at a second time.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
export VIRTUALCL_COUNTERS="$work/counters"

# 7 is the best, 12 seems to be good at first, and is wrong later; both are slow when they are first timed.
{
    echo "#pragma virtual base 10000000"
    echo "#pragma virtual factor A 7 0.8"
    echo "#pragma virtual fault A 7 slow:100 first:4"
    echo "#pragma virtual fault A 12 slow:60 first:4"
    echo "#pragma virtual fault A 12 wrong beyond:4"
    echo "#pragma virtual factor A 15 4"
    echo "kernel void copy(global const float *in, global float *out, uint n)"
    echo "{ uint i = get_global_id(0) + A - A; if (i < n) out[i] = in[i]; }"
} >"$work/moment.cl"
cat >"$work/moment.ini" <<'INI'
[kernel]
name = moment
source = moment.cl
[param]
A = 0..15
[buffer input]
type = float
count = 256
fill = uniform(-1, 1)
[buffer output]
type = float
count = 256
check = exact
[launch copy]
kernel = copy
args = input, output, uint(256)
global = 256
local = 4
[reference]
c = copy.c
function = copy_reference
args = input, output, uint(256)
[default]
A = 1
INI
cp "$root/tests/cli/spaces/copy.c" "$work/copy.c"
# Processes differ by 5%: so much that single ones can be wrong.
export VIRTUALCL_NOISE=process:0.05,seed:1
run "$cltune" search "$work/moment.ini" -d VideoCore -s exhaustive --json
exits 0 "a search in which two configurations were slow for a moment"
ok "the best is found though it seemed slow" "$(jq -c '.best[0].configuration' "$out")" = '{"A":7}'
ok "because it was looked at a second time" "$(jq '.race | .looked_twice >= 2 and .faster_then >= 1' "$out")" = true
ok "and the time that is stored is the later one" "$(sqlite3 "$CLTUNE_DB" "select count(*) from result
    where json_extract(configuration, '$.A') = 7 and status = 'ok' and time_ns < 1e7")" = 1
ok "an output that is wrong then is wrong" "$(sqlite3 "$CLTUNE_DB" "select status from result
    where json_extract(configuration, '$.A') = 12")" = wrong
ok "and counts as such" "$(jq -c '.counts | [.ok, .wrong]' "$out")" = '[15,1]'
ok "what is far slower is not looked at" "$(jq '.race.looked_twice <= 14' "$out")" = true

# --- what was as fast as the best then, and is slower than what was timed later ---
# Too slow for the play-off, but not stopped early.
sed -e '/virtual f/d' "$work/moment.cl" >"$work/early.cl"
sed -e 's/moment/early/' "$work/moment.ini" >"$work/early.ini"
{
    echo "#pragma virtual factor A 0 0.8"
    echo "#pragma virtual fault A 0 slow:25 first:2"
    for a in 12 13 14 15; do echo "#pragma virtual factor A $a 0.85"; done
} >>"$work/early.cl"
rm -f "$VIRTUALCL_COUNTERS"*
export VIRTUALCL_NOISE=process:0.012,seed:1
run "$cltune" search "$work/early.ini" -d VideoCore -s exhaustive --json --db "$work/early.db"
ok "is looked at again, too" "$(jq -c '[.best[0].configuration.A, .race.looked_twice > 0]' "$out")" = '[0,true]'

# --- words ---
export VIRTUALCL_NOISE=process:0.05,seed:1
rm -f "$VIRTUALCL_COUNTERS"*
run "$cltune" search "$work/moment.ini" -d VideoCore -s exhaustive --db "$work/words.db" -v
out_has "that seemed slow, " "a search says that it has looked twice"

# --- where all get all their samples, nothing is stopped early, and none is looked at again ---
rm -f "$VIRTUALCL_COUNTERS"*
run "$cltune" search "$work/moment.ini" -d VideoCore -s exhaustive --no-race --json --db "$work/all.db"
ok "--no-race looks once" "$(jq '.race.looked_twice' "$out")" = 0

# --- nor on a device whose processes agree ---
rm -f "$VIRTUALCL_COUNTERS"*
export VIRTUALCL_NOISE=
run "$cltune" search "$work/moment.ini" -d VideoCore -s exhaustive --json --db "$work/steady.db"
ok "nor does a search on a steady device" "$(jq '.race.looked_twice' "$out")" = 0
done_testing
