#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune space --explain, and objectives other than the time.
. "$(dirname "$0")/lib.sh"
spaces=$root/tests/cli/spaces

export OCL_ICD_VENDORS=/nonexistent
run "$cltune" space "$spaces/virtual.ini" --explain
exits 0 "--explain needs no device"
out_has "configuration WG=1 VEC=1" "the default is explained"
out_has "  macro     VEC=1" "its macros"
out_has "input  float  1024 4 KiB write" "its data in bytes"
out_has "launch copy: copy(input, output, uint(1024)), global 1024, local 1" "its launches"
out_has "objective   time, minimized" "and what is made best"
run "$cltune" space "$spaces/virtual.ini" --explain WG=12 VEC=16 -p n=100
out_has "configuration WG=12 VEC=16" "another configuration"
out_has "global 108, local 12" "is made concrete"
run "$cltune" space "$spaces/virtual.ini" --explain WGG=12
exits 2 "a parameter that is not there"
err_has "did you mean 'WG'?" "and the likely one"
run "$cltune" space "$spaces/virtual.ini" WG=12
exits 2 "a configuration is for --explain alone"
cp "$spaces/virtual.ini" "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
sed -i 's/^global = n/&\nrequire = KERNEL_LOCAL_MEM_SIZE <= 64 * WG/' "$work/virtual.ini"
printf '[loop pass]\nlaunches = copy\ncount = 50\n' >>"$work/virtual.ini"
run "$cltune" space "$work/virtual.ini" --explain WG=8
out_has "requires KERNEL_LOCAL_MEM_SIZE <= 64 * 8" "requirements have their values"
out_has "and 10 more launches" "long loops are cut short"

# In real pace: without it wall time would be believed.
export OCL_ICD_VENDORS="$virtual"
cp "$spaces/virtual.ini" "$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore --json
best=$(jq -c '.best[0].configuration' "$out")
ok "the objective is named" "$(jq -r .objective "$out")" = time
printf '[measure]\nobjective = gbytes\ndirection = maximize\n' >>"$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore --json
exits 0 "a metric as the objective"
ok "needs nothing measured again" "$(jq .known_before "$out")" = 18
ok "the best is the same" "$(jq -c '.best[0].configuration' "$out")" = "$best"
ok "with the metric's value" \
    "$(jq '.best[0] | .value == .metrics.gbytes and .value > 0' "$out")" = true
sed -i 's/^direction = .*/direction = minimize/' "$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore --json
ok "in the other direction the slowest" \
    "$(jq '.best[0].time_ns >= .best[1].time_ns' "$out")" = true
run "$cltune" search "$work/virtual.ini" -d VideoCore --json --objective time
ok "--objective takes another" "$(jq -c '.best[0].configuration' "$out")" = "$best"
run "$cltune" search "$work/virtual.ini" -d VideoCore --objective gbyte
exits 2 "an objective that is not there"
err_has "did you mean 'gbytes'?" "and the likely one"

done_testing
