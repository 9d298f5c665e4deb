#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Accuracy as a quantity, to be traded for speed; launches that count several times.
. "$(dirname "$0")/lib.sh"
mkdir "$work/k"
cat >"$work/k/fast.cl" <<'END'
__kernel void f(__global float *out, __global float *sums)
{
    uint i = get_global_id(0);

    out[i] = 2 + OFF * (i ? 0.02f : 0.04f);
    sums[i] = (i & 1) ? 1 + OFF * 0.1f : 1;
}
END
cat >"$work/k/fast.ini" <<'END'
[kernel]
name = fast
source = fast.cl
[param]
OFF = 0, 1
[buffer out]
type = float
count = 64
check = 0.5
expect = constant(2)
[buffer sums]
type = float2
count = 32
check = 0.5
fold = sum
expect = constant(1)
[launch f]
kernel = f
args = out, sums
global = 64
[metric]
accuracy = 1 - error
typical = error_rms
[measure]
objective = accuracy
direction = maximize
END
run "$cltune" run "$work/k/fast.ini" OFF=1 --json
exits 0 "an inaccurate configuration within its tolerance"
# 0.04 / 2 in one element, 0.02 / 2 in the others; the sums of one component are 3.2 too large, of
# (32, 32), whose root mean square is 32.
close() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b * 0.999 && a < b * 1.001) }'; }
close "$(jq -r .observed.error "$out")" 0.1
ok "its error is the largest of all outputs" $? -eq 0
close "$(jq -r .observed.error_rms "$out")" 0.0707107
ok "and so is the mean one" $? -eq 0
close "$(jq -r .metrics.accuracy "$out")" 0.9
ok "metrics use it" $? -eq 0
sed -i 's/^OFF = .*/OFF = 0, 1 ; both/; s/^fold = .*/check = none/' "$work/k/fast.ini"
sed -i '/^\[buffer sums\]/,/^\[launch/{/^check\|^fold\|^expect/d}' "$work/k/fast.ini"
run "$cltune" run "$work/k/fast.ini" OFF=1 --json
close "$(jq -r .observed.error "$out")" 0.02
ok "one output alone" $? -eq 0
close "$(jq -r .observed.error_rms "$out")" 0.0102317
ok "and its mean" $? -eq 0
run "$cltune" search "$work/k/fast.ini" -q
exits 0 "a search for accuracy"
run "$cltune" best fast --json
ok "prefers the accurate one" "$(jq -r '.[0].configuration.OFF' "$out")" = 0
ok "whose error is stored" "$(jq -r '.[0].observed.error' "$out")" = 0
run "$cltune" search "$work/k/fast.ini" -q --objective error
exits 0 "the error itself as the objective"
sed -i '/^\[metric\]/,$d' "$work/k/fast.ini"
run "$cltune" run "$work/k/fast.ini" OFF=1 --json
ok "nothing is computed that nobody asked for" "$(jq -r '.observed.error' "$out")" = null
sed -i '/^check/d; /^expect/d' "$work/k/fast.ini"
printf '[metric]\naccuracy = 1 - error\n' >>"$work/k/fast.ini"
run "$cltune" search "$work/k/fast.ini" -q
err_has "error is not available on" "without a truth there is no error"
err_has "no output is compared with a reference or an expected value" "and that is said"

# --- weights ---
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/copy.c" "$work/k/"
cat >"$work/k/two.cl" <<'END'
#pragma virtual base 1000000
#pragma virtual factor A 2 2
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        output[i] = input[i];
}
END
cat >"$work/k/two.ini" <<'END'
[kernel]
name = two
source = two.cl
[problem]
n = 1024
times = 3
[param]
A = 1, 2
[buffer input]
type = float
count = n
fill = uniform(-1, 1)
[buffer middle]
type = float
count = n
[buffer output]
type = float
count = n
check = exact
[launch first]
kernel = copy
args = input, middle, uint(n)
global = n
weight = times
[launch second]
kernel = copy
args = middle, output, uint(n)
global = n
[reference]
c = copy.c
function = copy_reference
args = input, output, uint(n)
END
sed 's/^weight.*//' "$work/k/two.ini" >"$work/k/once.ini"
run "$cltune" run "$work/k/once.ini" -d 0:1 --json
once=$(jq -r .time_ns "$out")
run "$cltune" run "$work/k/two.ini" -d 0:1 --json
exits 0 "a launch that counts three times"
three=$(jq -r .time_ns "$out")
close "$three" "$(awk -v a="$once" 'BEGIN { print 2 * a }')"
ok "four launches take twice as long as two" $? -eq 0
run "$cltune" run "$work/k/two.ini" -d 0:1 -p times=1 --json
close "$(jq -r .time_ns "$out")" "$once"
ok "a weight of 1 is none" $? -eq 0
run "$cltune" space "$work/k/two.ini" --explain
out_has "counts 3 times" "--explain shows it"
run "$cltune" run "$work/k/two.ini" -d 0:1 -p times=0
exits 2 "a weight of 0"
err_has "the weight" "is an error"
run "$cltune" run "$work/k/two.ini" -d 0:1 -p times=1001
exits 2 "a huge weight"
err_has "the weight is more than 1000" "too"
# Results with and without weights are different experiments.
run "$cltune" search "$work/k/two.ini" -d 0:1 -q
run "$cltune" search "$work/k/two.ini" -d 0:1 -q -p times=1
ok "and never taken for each other" "$(sqlite3 "$CLTUNE_DB" "select count(distinct experiment) from result
    where configuration like '%\"A\":%'")" = 4

done_testing
