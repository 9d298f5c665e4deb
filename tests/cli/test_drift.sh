#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A device that becomes slower during a search: that is said, and late ones are not wronged.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
export VIRTUALCL_COUNTERS="$work/counters"

# 0 is good, and timed on a cold device; 299 is better, and timed on a hot one, where it is
# slower than 0 was.
{
    echo "#pragma virtual base 10000000"
    echo "#pragma virtual factor A 0 0.9"
    echo "#pragma virtual factor A 299 0.7"
    echo "kernel void copy(global const float *in, global float *out, uint n)"
    echo "{ uint i = get_global_id(0) + A - A; if (i < n) out[i] = in[i]; }"
} >"$work/warm.cl"
cat >"$work/warm.ini" <<'INI'
[kernel]
name = warm
source = warm.cl
[param]
A = 0..299
[buffer input]
type = float
count = 256
fill = uniform(-1, 1)
[buffer output]
type = float
count = 256
[launch copy]
kernel = copy
args = input, output, uint(256)
global = 256
local = 4
[default]
A = 1
INI
export VIRTUALCL_NOISE=drift:0.6:12,seed:1
run "$cltune" search "$work/warm.ini" -d VideoCore -s exhaustive --samples 5 --json
exits 0 "a search while the device becomes slower"
ok "sees that" "$(jq '.drift.change > 0.2 and .drift.times >= 2' "$out")" = true
ok "and takes the better one for the best" "$(jq -c '.best[0].configuration' "$out")" = '{"A":299}'
raw=$(jq '.best[0].raw_ns' "$out")
ok "though it seemed slower than another did" "$(sqlite3 "$CLTUNE_DB" \
    "select count(*) from result where status = 'ok' and time_ns < $raw")" -ge 1
run "$cltune" search "$work/warm.ini" -d VideoCore -s exhaustive --samples 5
out_has "0 evaluated now" "nothing is left to do"
done_testing
