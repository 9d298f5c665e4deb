#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is certain to be refused is neither built nor launched: the driver has reported the limits of
# the same program, built for another configuration.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
query() { sqlite3 "$CLTUNE_DB" "$1"; }
cp "$spaces/copy.c" "$work/"

# The program knows VEC only; with VEC=4 it allows 64 work-items a group, else what the device does.
{
    echo "#pragma virtual group VEC 4 64"
    sed '/#pragma virtual.*WG/d' "$spaces/virtual.cl"
} >"$work/virtual.cl"
sed 's/^WG .*/WG = 16, 32, 64, 128, 256, 512/; s/^VEC .*/VEC = 1, 4/' "$spaces/virtual.ini" \
    >"$work/virtual.ini"

# One builder, so the order is always the same: WG=16 VEC=4 is built before any that is too large.
run "$cltune" search "$work/virtual.ini" -d 0:1 -j 1 -s exhaustive --json --no-cache
exits 0 "a kernel that allows less than the device"
ok "three are refused" "$(jq -c '[.counts.ok, .counts.invalid]' "$out")" = '[9,3]'
ok "none of them is built" "$(jq .scheduler.refused "$out")" = 3
ok "the others are" "$(jq .scheduler.built "$out")" = 9
ok "the driver was not asked" "$(query "select count(*) from result where status = 'invalid'
    and build_ns > 0")" = 0
ok "their results say why" "$(query "select count(*) from result where status = 'invalid'
    and message like '%larger than kernel copy allows (64)'")" = 3
ok "and what was reported" "$(query "select distinct json_extract(resources,
    '\$[0].work_group_size') from result where status = 'invalid'")" = 64
run "$cltune" search "$work/virtual.ini" -d 0:1 -j 1 -s exhaustive --fresh --no-cache
out_has "3 skipped (certain to be refused by the device)" "the summary says so"
run "$cltune" search "$work/virtual.ini" -d 0:1
out_has "0 evaluated now, 12 stored before" "they are final"
run "$cltune" search "$work/virtual.ini" -d 0:1 -j 1 --fresh --measure-duplicates --no-cache --json
ok "--measure-duplicates builds all" "$(jq -c '[.scheduler.refused, .counts.invalid]' "$out")" = '[0,3]'
ok "of them the driver is asked" "$(query "select count(*) from result where status = 'invalid'
    and build_ns > 0")" = 3

# A program that uses the size of its work-group is another one for each.
sed -i 's/uint i = get_global_id(0);/uint i = get_global_id(0) + WG - WG;/' "$work/virtual.cl"
run "$cltune" search "$work/virtual.ini" -d 0:1 -j 1 --no-cache --json
ok "of another program nothing is certain" "$(jq -c '[.scheduler.refused, .counts.invalid]' "$out")" = '[0,3]'

# Local memory: 48 KiB.  The kernel's own and the argument's are refused together.
sed -i 's/__global float \*output, uint n)/__global float *output, uint n, __local int *tile)/
    s/^{/{\n    __local int own[1024];/' "$work/virtual.cl"
sed -i 's/^args   = input, output, uint(n)$/&, local(KIB * 1024)/; s/^WG .*/WG = 16/
    s/^VEC .*/KIB = 8, 16, 44, 45, 48, 49/' "$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d 0:1 -j 1 -s exhaustive --no-cache --json
exits 0 "a kernel with local memory of its own"
ok "what exceeds the device's is not built" "$(jq -c '[.scheduler.refused, .counts.invalid]' "$out")" = '[3,3]'
ok "and says why" "$(query "select count(*) from result where status = 'invalid'
    and message like '%bytes of local memory are more than the device''s 49152'")" = 3

done_testing
