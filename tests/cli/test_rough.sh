#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rough searches: how many samples each configuration has, without an A/A test to say so.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cd "$work" || exit 1

# All take as long, so that none is left early.
{
    echo "#pragma virtual base 100000"
    echo "kernel void copy(global const float *in, global float *out, uint n) { /* A */ out[0] = in[0]; }"
} >rough.cl
copy_space rough 0..30 0
# How many of the results have so many samples, "SAMPLES:RESULTS ".  Those of the eight leaders are three, from when they
# alternate in one more process.
rough() {
    rm -f "$CLTUNE_DB" "$work/counters"
    run env VIRTUALCL_COUNTERS="$work/counters" "$cltune" search rough.ini -d 0:1 -q --rough --measure-duplicates "$@"
    sqlite3 -separator : "$CLTUNE_DB" "select length(samples_ns) / 8 as n, count(*) from result group by n" | tr '\n' ' '
}
# The first few, which show that they do, have more, and so may the leaders, when they alternate on a busy machine.
ok "where samples agree, three of each are enough" "$(rough | awk -F '[: ]' '{ print ($1 == 3 && $2 >= 20 ? "most" : "few") }')" = most
ok "as many as are asked for" "$(rough --samples 7 | awk -v RS=' ' -F : '$1 == 7 { print ($2 >= 20 ? "most" : "few") }')" = most
ok "without racing, all are timed in full" "$(rough --no-race)" = "10:31 "
# Two thirds take 7% longer.
for a in $(seq 10 30); do echo "#pragma virtual factor A $a 1.07"; done >>rough.cl
ok "where samples agree, one of what is a little slower" "$(rough | awk -v RS=' ' -F : '$1 == 1 { print ($2 >= 15 ? "most" : "few") }')" = most
ok "without racing, these are timed in full, too" "$(rough --no-race)" = "10:31 "
# Of a hundred launches each, samples differ by 2%.
export VIRTUALCL_NOISE=normal:0.2,seed:1
ok "where samples differ, as many as ever" "$(rough | grep -o ' *10:[0-9]*' | sed 's/.*://' | { read -r n && [ "$n" -ge 8 ] && echo many; })" = many
done_testing
