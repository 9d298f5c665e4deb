#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernels of spaces/: a few configurations of each, on small problems whose sizes
# divide nothing, and all of them right; then one kernel with a mistake, which is found.
. "$(dirname "$0")/lib.sh"

# right SPACE EXPECTED OPTION...: EXPECTED configurations, all right.  One process builds: a second one would
# spend more on PoCL's built-in library than on its share of the kernels.
right() {
    name=$1
    expected=$2
    shift 2
    run "$cltune" search "$root/spaces/$name.ini" -d 0:0 -j 1 -q --rough --no-cache --json --timeout 2m "$@"
    exits 0 "$name: search"
    counts=$(jq -r 'if (.counts | add) == .counts.ok then .counts.ok else .counts end' "$out")
    ok "$name: every configuration is right" "$counts" = "$expected"
}

right copy 4 -p n=1616 --param WG=16 --param VEC=1,4 --param ITEMS=2 --param ORDER=grid,item
right mad 3 -p n=1616 -p mads=6 --param WG=16 --param VEC=4 --param CHAINS=2 --param MATH=
right transpose 6 -p width=61 -p height=47 --param TILE=16 --param ROWS=2 --param VEC=1 \
    --param PAD=1 --param SKEW=off,on --param FLOW=stores
right dot 2 -p n=10007 --param WG=16 --param ITEMS=256 --param VEC=4 --param SUMS=2 \
    --param REDUCE=local --param FOLD=device --param LAST=16
right matmul 2 -p rows=21 -p columns=36 -p depth=20 --param MWG=16 --param NWG=16 \
    --param KWG=16 --param MDIMC=4 --param NDIMC=4 --param SA=on --param SB=off,on \
    --param VWN=4 --param VWM=2 --param VWK=1 --param STRM=on --param STRN=on --param PAD=1 \
    --param KWI=2 --param PIPELINE=1 --param "ORDER='rows'" --param BAKED=on --param MATH=
right fir 2 -p taps=31 -p inputs=2000 --param WG=16 --param VEC=8 --param ITEMS=2 \
    --param UNROLL=2 --param LOCAL=on --param BAKED=on --param MATH=
right fir_transfer 3 -p taps=31 -p inputs=2000 --param WG=16 --param VEC=8 --param ITEMS=2 \
    --param LOCAL=off
blur="-p width=61 -p height=47 -p sigma=2 --param MATH= --param LANES=4 --param WGX=8"
# shellcheck disable=SC2086
{
    right gauss 2 $blur --param ALGORITHM=direct --param WGY=2 --param SPAN=2 \
        --param IMAGE=off --param LOCAL=off,on
    right gauss 2 $blur --param ALGORITHM=separable --param WGY=2 --param SPAN=2 \
        --param WGX2=4 --param WGY2=2 --param SPAN2=4 --param IMAGE=off,on --param LOCAL=on
    right gauss 1 $blur --param ALGORITHM=recursive --param WGX2=4 --param SEGMENT=64 \
        --param UNROLL=2
    right gauss 2 $blur --param ALGORITHM=fused --param WGY=2 --param SPAN=1,2 \
        --param SPAN2=4 --param UNROLL=2
    right gauss 3 $blur --param ALGORITHM=transposed --param SEGMENT=64 --param UNROLL=2 \
        --param TILE=16 --param ROWS=2 --param VEC=1 --param PAD=1 --param SKEW=on \
        --param FLOW=loads
}
right lbm 4 -p width=37 -p height=21 -p steps=3 --param LANES=4 --param ROWS=2 --param WGX=8 \
    --param WGY=2 --param BAKED=on --param RECIPROCAL=native --param MATH= \
    --param DIRECTION=pull,push --param LAYOUT=soa

# A Raspberry Pi's GPU takes work-groups of 12 at most: every space, and every example, has room
# for it, and every default is one of its configurations.
export OCL_ICD_VENDORS="$virtual"
for file in "$root"/spaces/*.ini "$root"/examples/*/*.ini; do
    for device in VideoCore "Virtual GPU"; do
        run "$cltune" search "$file" -d "$device" --dry-run
        ok "${file##*/}: there is something to search on the $device" \
            "$status $(grep -c 'warning' "$err")" = "0 0"
    done
done
done_testing
