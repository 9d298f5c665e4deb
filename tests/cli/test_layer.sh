#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libcltune-layer.so in programs that use several devices and platforms, shared virtual memory and
# intermediate languages, and in one that makes mistakes: idle, under capture and under exec, loaded in both
# ways, they print the same results and result codes as without it.
. "$(dirname "$0")/lib.sh"
cp "$build/libcltune-layer.so" "$work/bin/"
layer=$work/bin/libcltune-layer.so
devices=$build/tests/apps/devices
refused=$build/tests/apps/refused
# Two devices of PoCL, and a second platform.
mkdir "$work/vendors"
cp "$virtual/virtual.icd" "$work/vendors/"
for file in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
    cp "$file" "$work/vendors/"
done
export POCL_DEVICES="pthread basic" VIRTUALCL_PACE=0
cd "$work" || exit 1

# same NAME COMMAND...: its output begins with what is expected, and its exit status is the program's.
same() {
    name=$1
    shift
    run "$@"
    ok "$name" "$status" -eq "$own" -a "$(head -"$(wc -l <expected)" "$out")" = "$(cat expected)"
}

# everywhere NAME PROGRAM...: without the layer, and with it in each way.
everywhere() {
    what=$1
    shift
    run "$@"
    cp "$out" expected
    own=$status
    same "$what: idle" env "OPENCL_LAYERS=$layer" "$@"
    same "$what: idle, by LD_PRELOAD" env "LD_PRELOAD=$layer" "$@"
    rm -rf captured
    # Status 3: there was nothing to capture.
    run "$cltune" capture -o captured -- "$@"
    [ "$status" -ne 3 ] || own=3
    ok "$what: capture" "$status" -eq "$own" -a "$(head -"$(wc -l <expected)" "$out")" = "$(cat expected)"
    cp "$out" table
    own=0
    same "$what: capture, by LD_PRELOAD" env "LD_PRELOAD=$layer" "CLTUNE_CAPTURE=$work/empty" "$@"
    same "$what: exec, verified" "$cltune" exec --verify 2 --report -- "$@"
    cp "$err" verified
    same "$what: exec" "$cltune" exec -- "$@"
    same "$what: exec, by LD_PRELOAD" env "LD_PRELOAD=$layer" CLTUNE_EXEC=1 "CLTUNE_PROGRAM=$cltune" "$@"
}
mkdir empty

# Each device has a stored configuration of its own, so that exec replaces launches on all of them.
run "$cltune" capture -o first --kernel scale -- "$devices" pair
exits 0 "a program with two devices of one platform"
ok "of both of which there are launches" "$(awk '$1 == "scale" { sum += $4 } END { print sum }' "$out")" = 80
ok "counted apart" "$(awk '$1 == "scale" { print $4 }' "$out" | tr '\n' ' ')" = "40 40 "
ok "each with its device" "$(sed -n 's/^; scale: 40 launches .* on \(.*\)\.$/\1/p' first/scale*/SPACE.ini | sort -u | wc -l)" = 2
sed 's/^LOCAL_X = .*/LOCAL_X = 32/' first/scale/SPACE.ini >space && mv space first/scale/SPACE.ini
for index in 0:0 0:1; do
    run "$cltune" search first/scale/SPACE.ini -d $index -q --rough
    exits 0 "a search on device $index"
done

everywhere "two platforms" env "OCL_ICD_VENDORS=$work/vendors" "$devices" all
everywhere "two devices" "$devices" pair
# Of 80, two on each device were verified.
ok "launches are replaced on both" "$(sed -n 's/^cltune: scale 256 with LOCAL_X=32: \([0-9]*\) of 76 launches replaced.*/\1/p' verified)" -ge 64
everywhere "sub-devices" env POCL_DEVICES=pthread "$devices" parts
everywhere "shared virtual memory" "$devices" svm
ok "is refused by capture, for a reason" "$(grep -c 'shared virtual memory\|clSetKernelExecInfo' table)" = 1
everywhere "an intermediate language" "$devices" il
everywhere "mistakes on another driver" env "OCL_ICD_VENDORS=$virtual" "$refused"
# The virtual driver would die if anyone waited.
everywhere "a launch that nobody may wait for" env "OCL_ICD_VENDORS=$virtual" VIRTUALCL_DEVICES=1 "$refused" empty
ok "is refused by capture, for a reason" "$(grep -c 'a component of its global or local size is 0' table)" = 1
everywhere "mistakes" "$refused"
ok "nor does a build that it refuses count" -z "$(grep -e '-D X' captured/SPACE.ini captured/*/SPACE.ini 2>/dev/null)"
ok "launches that OpenCL refuses are not listed" "$(awk '$1 == "fill" && $4 == 0' table | wc -l)" = 0
done_testing
