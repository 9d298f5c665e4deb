#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Conditions on what a device reports: extensions, versions, sub-groups, properties of makers.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
conditions=$root/tests/cli/spaces/conditions.ini

# count NAME EXPECTED INDEX [NAME=VALUE...]: the valid configurations of a device, with these
# variables of the virtual driver
count() {
    name=$1 expected=$2 index=$3
    shift 3
    run env "$@" "$cltune" space "$conditions" --count -d "$index"
    ok "$name" "$(cat "$out")" = "$expected"
    err_lacks "depends on the device" "$name: every constraint is decided"
}

# A device that tells of nothing beyond OpenCL: 2 work-groups, 1 sub-group size, no half, no async.
count "a plain device" 2 0:1
export VIRTUALCL_MAKER=nvidia
count "NVIDIA: whole warps, sub-groups of 32" 2 0:1
count "with asynchronous copies from a driver on" 4 0:1 VIRTUALCL_DRIVER=535.54.03
count "numbers of versions are not compared as text" 4 0:1 VIRTUALCL_DRIVER=535.104.05
count "an earlier driver" 2 0:1 VIRTUALCL_DRIVER=535.9
count "half precision by an extension" 4 0:1 VIRTUALCL_EXTENSIONS=cl_khr_fp16
count "but only by a whole word" 2 0:1 VIRTUALCL_EXTENSIONS="cl_khr_fp16_x x_cl_khr_fp16"
export VIRTUALCL_MAKER=amd
count "AMD: whole wavefronts" 2 0:1
export VIRTUALCL_MAKER=intel
count "Intel: a list of sub-groups, half precision" 12 0:1
run "$cltune" devices --json
ok "the list is a text" "$(jq -r '.[1].DEVICE_SUB_GROUP_SIZES' "$out")" = "8 16 32"
ok "and that of Intel's extension" "$(jq -r '.[1].DEVICE_SUB_GROUP_SIZES_INTEL' "$out")" = "8 16 32"
ok "other makers' properties have no value" "$(jq -r '.[1].DEVICE_WARP_SIZE_NV' "$out")" = null
ok "the driver's version" "$(jq -r '.[0].DRIVER_VERSION' "$out")" = 0.4.9999
run "$cltune" devices -v
out_has "DEVICE_SUB_GROUP_SIZES_INTEL" "-v lists them"
out_lacks "DEVICE_WARP_SIZE_NV" "but not those of other makers"
unset VIRTUALCL_MAKER
count "the VideoCore, whose group is 4" 2 0:0

# Without a device.
run "$cltune" space "$conditions" --count
ok "without a device nothing of it is excluded" "$(cat "$out")" = 24
err_has "constraint 'half' depends on the device and is assumed to hold" "half is undecided"
err_has "constraint 'sub groups' depends on the device" "what known() asks is, too"
err_has "constraint 'whole' depends on the device" "and what follows from it"
run "$cltune" space "$conditions" --count --assume "DEVICE_EXTENSIONS=cl_khr_fp16 cl_khr_fp64" \
    --assume "DEVICE_SUB_GROUP_SIZES=8 16" --assume DEVICE_WARP_SIZE_NV=4 \
    --assume "DEVICE_VERSION=OpenCL 3.0 somebody's" --assume DRIVER_VERSION=535.54.03 \
    --assume DEVICE_COMPUTE_CAPABILITY_MAJOR_NV=7
exits 0 "texts can be assumed"
ok "and decide" "$(cat "$out")" = 8
err_lacks "depends on the device" "everything"
run "$cltune" space "$conditions" --assume DEVICE_WARP_SIZE=4
exits 2 "a name that is not one"
err_has "did you mean 'DEVICE_WARP_SIZE_NV'?" "and the likely one"
run "$cltune" space "$conditions" --assume "DEVICE_WARP_SIZE_NV=4 8"
exits 2 "a list for a number"

# A search uses them, and what is stored stays valid: the same device, driver and experiments.
run "$cltune" search "$conditions" -d 0:1 -q
exits 0 "a search on a plain device"
export VIRTUALCL_MAKER=nvidia VIRTUALCL_EXTENSIONS=cl_khr_fp16
run "$cltune" search "$conditions" -d 0:1
exits 0 "with more that it reports"
out_has "WG=32 VEC=1 HALF=1 SG=32" "more is searched"
out_has "1 stored before" "what was measured is not measured again"
ok "one device is stored" "$(sqlite3 "$CLTUNE_DB" "select count(*) from device")" = 1
unset VIRTUALCL_MAKER VIRTUALCL_EXTENSIONS

# A limit that is not reported and not asked for with known() first.
sed 's/^half = .*/half = !HALF || DEVICE_WARP_SIZE_NV + DEVICE_SIMD_WIDTH_AMD > 0/' "$conditions" >"$work/bare.ini"
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
run "$cltune" space "$work/bare.ini" -d 0:1 --count
ok "without a value, it excludes nothing" "$(cat "$out")" = 4
err_has "constraint 'half' is assumed to hold, since the device does not report DEVICE_WARP_SIZE_NV, DEVICE_SIMD_WIDTH_AMD; test with known() first" \
    "which is said"
run "$cltune" search "$work/bare.ini" -d 0:1
err_has "constraint 'half' is assumed to hold" "and by a search"
run env VIRTUALCL_MAKER=nvidia "$cltune" search "$work/bare.ini" -d 0:1 --dry-run
err_has "does not report DEVICE_SIMD_WIDTH_AMD;" "only what is not reported is named"
run "$cltune" search "$conditions" -d 0:1 -q
err_lacks "assumed to hold" "nothing is said where known() asks"

# In requirements, a name of [let] stands for known().
sed 's/^local  = WG/&\nrequire = KERNEL_WORK_GROUP_SIZE % warp == 0/' "$conditions" >"$work/require.ini"
run "$cltune" run "$work/require.ini" -d 0:1 WG=4
exits 0 "a requirement"
run env VIRTUALCL_MAKER=amd "$cltune" run "$work/require.ini" -d 0:1 WG=32
exits 0 "and on a device that reports a width"

# A device without results gets what fits what is known of it.
sed 's/^VEC .*/VEC = 1, 16/; s/^HALF .*/HALF = off/; s/^SG .*/SG = 0/; s/^ASYNC .*/ASYNC = off/
    /^half = /,/^whole/d
    s/^opencl = .*/half = VEC == 1 || contains(DEVICE_EXTENSIONS, '"'cl_khr_fp16'"')\
warps = VEC == 16 || WG == 4 || known(DEVICE_WARP_SIZE_NV) \&\& DEVICE_WARP_SIZE_NV == WG\
driver = VEC == 1 || version_at_least(DRIVER_VERSION, '"'535.54'"')/' "$conditions" >"$work/fits.ini"
CLTUNE_DB=$work/fits.db
run env VIRTUALCL_MAKER=nvidia VIRTUALCL_EXTENSIONS=cl_khr_fp16 VIRTUALCL_DRIVER=535.104 \
    "$cltune" search "$work/fits.ini" -d 0:1 -q
exits 0 "a search on a device with all of it"
new() { run "$cltune" best conditions -d "Adreno 9999" --assume DEVICE_MAX_WORK_GROUP_SIZE=64 --format flags "$@"; }
new --assume "DEVICE_EXTENSIONS=cl_khr_fp16 cl_x" --assume DRIVER_VERSION=535.54
out_has "-D VEC=16" "a device with the extension"
new --assume "DEVICE_EXTENSIONS=cl_khr_fp16 cl_x" --assume DRIVER_VERSION=535.6 --assume DEVICE_WARP_SIZE_NV=32
out_has "-D WG=32 -D VEC=1 " "an earlier driver"
new --assume "DEVICE_EXTENSIONS=cl_khr_fp16_x" --assume DRIVER_VERSION=535.54 --assume DEVICE_WARP_SIZE_NV=32
out_has "-D WG=32 -D VEC=1 " "without the extension"
new --assume "DEVICE_EXTENSIONS=cl_x"
err_has "that needs DEVICE_WARP_SIZE_NV of it" "what is not known is said, also of known()"
sed 's/^name .*/name = other/; s/^WG .*/WG = 4/' "$conditions" >"$work/other.ini"
run "$cltune" search "$work/other.ini" -d 0:0 -q
run sqlite3 "$CLTUNE_DB" "update device set name = 'Foo 3000', name_key = 'foo 3000', architecture_key = '',
    vendor = 'Foo', vendor_key = 'foo' where name like '%VideoCore%'"
run "$cltune" best conditions -d "Foo 3000" --format flags
out_has "-D WG=4 -D VEC=1 " "a stored device that does not report the limit"
ok "without a word" ! -s "$err"

unset OCL_ICD_VENDORS
run "$cltune" devices
if [ "$status" -eq 0 ] && grep -q "^0:0 " "$out"; then
    run "$cltune" devices --json -d 0:0
    [ -s "$out" ] || run "$cltune" devices --json
    ok "PoCL reports OpenCL's multiple" \
        "$(jq '.[0].DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE | type' "$out")" = '"number"'
    sed "s/cl_khr_fp16/cl_khr_byte_addressable_store/" "$conditions" >"$work/pocl.ini"
    run "$cltune" space "$work/pocl.ini" -d 0:0 --count --param SG=0
    ok "and its extensions" "$(cat "$out")" = 4
else
    skip 2 "no device"
fi
done_testing
