#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the driver compiles at the first launch, that time is a build's, not a launch's.
. "$(dirname "$0")/lib.sh"
export POCL_CACHE_DIR="$work/pocl"
mkdir "$work/k"
{
    printf '__kernel void f(__global float *out)\n{\n    float x = out[get_global_id(0)] + A;\n'
    for i in $(seq 1 60); do
        echo "    x += pow(x, $i.5f) + sin(x * $i) + lgamma(x);"
    done
    printf '#if HANG\n    for (volatile int i = 0; i < 2; i = 0)\n        out[0] = i;\n#endif\n'
    printf '    out[get_global_id(0)] = x == 12345 ? 2 : 1;\n}\n'
} >"$work/k/slow.cl"
cat >"$work/k/slow.ini" <<'END'
[kernel]
name = slow
source = slow.cl
[param]
HANG = 0, 1
A = 1, 2, 3
[buffer out]
type = float
count = 64
fill = constant(1)
check = exact
expect = constant(1)
[launch f]
kernel = f
args = out
global = 64
local = 16
END
run "$cltune" run "$work/k/slow.ini" HANG=0 A=1 --timeout 0.15s
exits 0 "a kernel that takes longer to compile than a launch may"
out_has "status   ok" "is good"
run "$cltune" run "$work/k/slow.ini" HANG=1 A=1 --timeout 0.15s
exits 1 "a kernel that hangs"
out_has "status   timeout" "is ended"
out_has "not finished after 0.15 s (phase first launch); use --timeout" "by the deadline of a launch"
run "$cltune" search "$work/k/slow.ini" --param HANG=0 --timeout 0.15s -j 1 -q --json
exits 0 "a search of such kernels"
ok "loses none" "$(jq .counts.ok "$out")" = 3

done_testing
