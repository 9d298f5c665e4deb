#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune devices --doctor: what is wrong with loaders, drivers and devices, and what to do.
. "$(dirname "$0")/lib.sh"

run "$cltune" devices --doctor
exits 0 "a machine whose driver works"
out_has "libOpenCL.so.1" "the loader's file"
out_has ".icd: " "the driver's file"
out_has "compiles  ok" "a kernel is compiled"
out_has "runs      ok     4096 of 4096 results are right" "and run"
out_has "launch times have a resolution of" "and timed"
out_has "can be tuned" "and the sum of it"
run "$cltune" devices --doctor --json
ok "JSON says the same" "$(jq '[.devices[].usable] | all' "$out")" = true
ok "with a state for each finding" "$(jq -r '[.findings[], .devices[].findings[] | .state] | unique | join(" ")' "$out")" = good

# --- drivers ---
mkdir "$work/icd"
cp /etc/OpenCL/vendors/*.icd "$work/icd/"
echo libnope.so.1 >"$work/icd/absent.icd"
echo libm.so.6 >"$work/icd/other.icd"
: >"$work/icd/empty.icd"
OCL_ICD_VENDORS=$work/icd
export OCL_ICD_VENDORS
run "$cltune" devices --doctor
exits 1 "drivers that are broken beside one that works"
out_has "absent.icd: libnope.so.1: cannot open shared object file" "the loader's own words"
out_has "install the package that has this library, or remove the .icd file" "and what to do"
out_has "libm.so.6 is a library, but no OpenCL driver" "a library that is none"
out_has "empty.icd: it is empty" "an empty file"
rm "$work"/icd/*
run "$cltune" devices --doctor
exits 4 "no driver"
out_has "there is no .icd file in $work/icd" "is said"
out_has "no device can be tuned" "and what follows"

# --- devices, on the driver of the tests ---
OCL_ICD_VENDORS=$virtual
run env VIRTUALCL_FAIL=clBuildProgram:1+:-11 "$cltune" devices --doctor
exits 4 "a compiler that fails"
out_has "compiles  FAILED no: clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)" "is named"
out_lacks "runs " "and nothing more is tried"
run env VIRTUALCL_FAIL=clBuildProgram:1+:segfault "$cltune" devices --doctor
exits 4 "a compiler that crashes"
out_has "compiles  FAILED an OpenCL driver failed while compiling a kernel" "is a finding"
run "$cltune" devices --doctor
exits 4 "a driver that computes nothing"
out_has "4096 of 4096 results are wrong" "is found out"
run env VIRTUALCL_FAIL=clFinish:1+:-5 "$cltune" devices --doctor
out_has "runs      FAILED no: clFinish: CL_OUT_OF_RESOURCES (-5)" "a launch that fails"

run "$cltune" devices --doctor -d 0
exits 2 "-d with --doctor"
err_has "leave -d out" "is explained"
done_testing
