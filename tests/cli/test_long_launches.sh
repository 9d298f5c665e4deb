#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches that are as long as a sample: how many of them a search needs on a device that is steady.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/^source *=.*/source = long.cl/' "$root/tests/cli/spaces/playoff.ini" >"$work/long.ini"
# 20 ms on device 1; 1 to 3 are alike, 4 to 6 slower.  By the device's clock, the first launch of 3 is a tenth
# shorter than all others.
cat >"$work/long.cl" <<'CL'
#pragma virtual base 200000000
#pragma virtual factor A 4 1.3
#pragma virtual factor A 5 1.3
#pragma virtual factor A 6 1.3
#pragma virtual fault A 3 event_scale:90 at:1
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0) + A - A;

    if (i < n)
        output[i] = input[i];
}
CL
# search OPTION...: the launches of each process that ran any, in the order of the processes, in $each.
search() {
    rm -f "$work/log" "$CLTUNE_DB"
    run env VIRTUALCL_LOG="$work/log" "$cltune" search "$work/${FILE-long}.ini" -d "Virtual GPU" -j1 "$@"
    exits 0 "a search: ${NAME?}"
    each=$(awk '$3 == "launch" && /kernel=copy/ { if (!($2 in number)) { number[$2] = ++count; process[count] = $2 }
                                                  launches[$2]++ }
                END { for (i = 1; i <= count; i++) printf("%s%d", (i > 1 ? " " : ""), launches[process[i]]) }' "$work/log")
    # shellcheck disable=SC2086
    set -- $each
    first=$1
    tests="$2 $3 $4 $5"
    last=$6
    shift 6
    playoff=$*
}

# A device that has had nothing to do for 50 ms runs slowly at first, so that the launch after that is repeated, of a
# slow configuration or the default: where other programs make the search wait, it is asked more than once.
for _ in 1 2 3 4 5; do
    NAME="a steady device" search --json
    [ "$last" -gt 10 ] || [ "$first" -gt 3 ] || break
done
ok "the default has three launches" "$first" = 3
ok "the processes of the A/A test have two, if these agree" "$tests" = "2 2 2 2"
# The last process of the A/A test measures the configurations: 2 twice, 3 once more since its launches differ,
# the slow ones once.
ok "one as fast as the best has two, one whose first launch differs three, a slower one a single launch" \
    "$last" = $((2 + 2 + 3 + 3))
ok "in a play-off, each of three entrants has two, in the confirmation the winner" \
    "$playoff" = "6 6 6 2 2 2"
ok "the default won, as the first of those that are tied" "$(jq -c '.best[0].configuration' "$out")" = '{"A":1}'

# A default that is slower takes part in the first process of the confirmation.
sed 's/factor A 4/factor A 1/' "$work/long.cl" >"$work/slow.cl"
sed 's/long.cl/slow.cl/' "$work/long.ini" >"$work/slow.ini"
NAME="a slow default" FILE=slow search --json
ok "it is timed beside the winner once" "$playoff" = "6 6 6 4 2 2"
ok "which shows by how much it is slower" "$(jq '.default.ratio * 1000 | round' "$out")" = 1300

# Samples that differ by half a percent are not enough to know by how much they do.
export VIRTUALCL_NOISE=normal:0.005,seed:3 VIRTUALCL_COUNTERS="$work/counters"
NAME="a device with noise" search --json
sum=0
for launches in $tests; do sum=$((sum + launches)); done
ok "an A/A test has more launches there" "$sum" -gt 11
ok "and its play-off more than two for each entrant and process" "${playoff%% *}" -gt 6
unset VIRTUALCL_NOISE VIRTUALCL_COUNTERS

# What is right at first, but writes nothing from the second launch on, is found, though no more launches are
# needed.
sed -i '/event_scale/d; /^__kernel/i #pragma virtual fault A 2 unwritten from:2' "$work/long.cl"
NAME="a configuration whose second launch writes nothing" search --json-lines
ok "it is found when it is measured, not only in the play-off" "$(jq -r 'select(.record == "result" and
    .configuration.A == 2) | .status' "$out")" = wrong
done_testing
