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

# Builders launch few work-groups, which is enough for the driver to compile; what these do tells nothing.
# Whether it is enough is seen by how long launches take, which a busy machine may disturb: asked again.
few() { # CONDITION under which a work-group ends the process, whether builders are to go on with that
    cat >"$work/k/few.cl" <<END
__kernel void f(__global float *out)
{
    if ($1)
        *(volatile __global int *)(size_t)8 = 1;
    out[get_global_id(0)] = A;
}
END
    printf '[kernel]\nname = few\nsource = few.cl\n[param]\nA = 1..12\n[buffer out]\ntype = float\ncount = 1024\n' \
        >"$work/k/few.ini"
    printf '[launch f]\nkernel = f\nargs = out\nglobal = 1024\nlocal = 16\n[default]\nA = 1\n' >>"$work/k/few.ini"
    for try in 1 2 3 4; do
        rm -rf "$CLTUNE_DB" "$CLTUNE_DB"-* "$POCL_CACHE_DIR"
        run "$cltune" search "$work/k/few.ini" -j 2 -q --rough --json
        [ "$(jq .scheduler.small_launches "$out")" != "$2" ] || break
    done
}
if [ "$("$cltune" devices --json | jq -r '.[0].platform')" = "Portable Computing Language" ]; then
    few 'A == 1000' true
    exits 0 "a space of many work-groups"
    ok "few of them have it compiled" "$(jq -c '[.counts.ok, .scheduler.small_launches]' "$out")" = '[12,true]'
    few 'A >= 9 && get_num_groups(0) == 1' false
    exits 0 "kernels that are not made for that"
    ok "lose nothing, and are launched as they are from then on" \
        "$(jq -c '[.counts.ok, .counts.crashed, .scheduler.small_launches]' "$out")" = '[12,0,false]'
    few 'get_num_groups(0) == 1' false
    exits 0 "nor is the default"
    ok "then none is launched like that, and duplicates are looked for as ever" \
        "$(jq -c '[.counts.ok, .scheduler.small_launches, .scheduler.binaries, .scheduler.duplicates_off]' "$out")" = \
        '[12,false,false,""]'
    few 'A == 12 && get_num_groups(0) > 1' true
    exits 0 "one that fails with all of its work-groups"
    ok "fails" "$(jq -c '[.counts.ok, .counts.crashed, .scheduler.small_launches]' "$out")" = '[11,1,true]'
fi

done_testing
