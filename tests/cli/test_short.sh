#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches so short that what a process adds to each of them matters, beside a long default for which it does not.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cd "$work" || exit 1

# The default takes 500 us, the others 10 us and up to a fifth more in steps of 1%; the best is A=1.
{
    echo "#pragma virtual base 100000"
    echo "#pragma virtual factor A 0 50"
    for a in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        printf '#pragma virtual factor A %d 1.%02d\n' $a $((a - 1))
    done
    echo "kernel void copy(global const float *in, global float *out, uint n) { out[0] = in[0]; }"
} >short.cl
copy_space short 0..20 0
search() {
    rm -f "$work/counters" "$CLTUNE_DB"
    run env VIRTUALCL_COUNTERS="$work/counters" VIRTUALCL_NOISE="$1" "$cltune" search short.ini -d 0:1 "$2"
}

# Each launch of each configuration takes 2% more or less in each process.
search normal:0.003,launch:200,place:200,seed:1 --json
exits 0 "short launches, of processes that differ"
ok "the A/A test does not show it" "$(jq '.noise.resolution <= 0.005' "$out")" = true
ok "the play-off does" "$(jq '.playoff.spread | . > 0.005 and . < 0.1' "$out")" = true
ok "so it begins anew, with more" "$(grep '^play-off: ' "$err" | sed 's/^play-off: \([0-9]*\) .*/\1/' |
    { read -r few && read -r many && [ "$many" -gt "$few" ] && echo more; })" = more
ok "it ends with a few processes" "$(jq '.playoff | .processes <= 22 and (.cut | not)' "$out")" = true
ok "the choice is as good as the best, or hardly worse" "$(jq '.best[0].configuration.A <= 2' "$out")" = true
ok "its interval comes from six processes" "$(jq '.best[0] | .rounds == 6 and .low_ns < 10000 and .high_ns > 10000' "$out")" = true
# Three processes, whose range is no 95% interval: t(97.5%, 4) of a median of three is 0.145% at least.
ok "that of the default is as wide as the A/A test says" \
    "$(jq '.default | .low_ns < 500000 and .high_ns > 500000 and .high_ns / .low_ns > 1.0028 and .high_ns / .low_ns < 1.01' "$out")" = true
search normal:0.003,launch:200,place:200,seed:1 -v
out_has "more than the default's times" "the summary tells of it"

# What is added to all launches of a process is in no ratio.
search launch:200,seed:1 --json
ok "launches that differ alike call nothing off" "$(jq -c '[.playoff.spread == 0, .best[0].configuration.A]' "$out")" = '[true,1]'
ok "there is one play-off" "$(grep -c '^play-off: ' "$err")" = 1
ok "those outside are not taken for faster because they were timed in another process" \
    "$(jq '.playoff.processes <= 12' "$out")" = true

# Processes differ by 0.3%, with all that runs in them: in no ratio, either, but the A/A test has seen it.  Configurations
# are 0.1% apart.
sed -i 's/ 1\.\([0-9]*\)$/ 1.0\1/; s/ 0 50$/ 0 2/' short.cl
search process:0.003,seed:2 --json
ok "the A/A test shows processes that differ" "$(jq '.noise.resolution > 0.005' "$out")" = true
ok "the play-off shows that ratios do not" "$(jq '.playoff | .settled > 0 and .settled <= 0.0018 and .spread == 0' "$out")" = true
ok "so three rounds are enough, and there is one play-off" \
    "$(jq '.playoff.processes <= 9' "$out") $(grep -c '^play-off: ' "$err")" = "true 1"
ok "the choice is within 0.5% of the best" "$(jq '.best[0].configuration.A <= 6' "$out")" = true
search process:0.003,seed:2 -v
out_has "few rounds decide" "the summary tells of it"
done_testing
