#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a machine that others keep busy a healthy configuration is no timeout, and one that hangs still
# is: a deadline is about what a worker could have done.
. "$(dirname "$0")/lib.sh"

cp "$root/tests/cli/spaces/copy.c" "$work/"
cat >"$work/spin.cl" <<'END'
kernel void copy(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
    uint x = i + 1;
    ulong rounds = HANG ? 1ul << 62 : 1ul << ROUNDS;

    for (ulong k = 0; k < rounds; k++)
        x = x * 1664525u + 1013904223u;
    out[i] = x == 0xdeadbeefu ? 0.0f : in[i];
}
END
cat >"$work/spin.ini" <<'END'
[kernel]
name   = spin
source = spin.cl
[param]
HANG   = 0, 1
ROUNDS = 16..34
[buffer input]
type  = float
count = 64
fill  = uniform(-1, 1)
[buffer output]
type  = float
count = 64
check = exact
[launch copy]
kernel = copy
args   = input, output, uint(64)
global = 64
local  = 1
[reference]
c        = copy.c
function = copy_reference
args     = input, output, uint(64)
END

# As many rounds as make a launch take about a seventh of a second here, by the processor's time.
rounds=20
while [ "$rounds" -lt 34 ]; do
    run "$cltune" run "$work/spin.ini" HANG=0 ROUNDS=$rounds --samples 1 --json -q
    [ "$status" -eq 0 ] || break
    [ "$(jq '.time_ns > 150000000' "$out")" = true ] && break
    rounds=$((rounds + 1))
done
exits 0 "a healthy configuration, in peace"
longest=$(jq '.time_ns / 1e9 * 4' "$out")
# Compiled now, so that nothing has to be while others take the processors.
run "$cltune" run "$work/spin.ini" HANG=1 --samples 1 --timeout 0.5s --json -q

# All of them, and what follows, at a lower priority than the other tests, which they leave alone.
renice -n 10 $$ >/dev/null
loops=$(($(getconf _NPROCESSORS_ONLN) * 5))
busy=
while [ "$loops" -gt 0 ]; do
    (while :; do :; done) &
    busy="$busy $!"
    loops=$((loops - 1))
done
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT
run "$cltune" run "$work/spin.ini" HANG=0 ROUNDS="$rounds" --samples 1 --timeout "${longest}s" --json -q
exits 0 "the same on a busy machine"
ok "is healthy there, too" "$(jq -r .status "$out")" = ok
run "$cltune" search "$work/spin.ini" --param HANG=0 --param "ROUNDS=$((rounds - 3)),$((rounds - 1)),$rounds" \
    -s exhaustive -j 1 --rough --samples 1 --json -q
exits 0 "a search there"
ok "loses none that are slower than the best by far less than twenty times" "$(jq -c '[.counts.ok, .counts.timeout]' "$out")" = '[3,0]'
run "$cltune" run "$work/spin.ini" HANG=1 --timeout 0.5s --json -q
exits 1 "one that hangs"
ok "is a timeout, however busy the machine is" "$(jq -r .status "$out")" = timeout
# shellcheck disable=SC2086
kill $busy
trap 'rm -rf "$work"' EXIT
done_testing
