#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All shipped spaces on a device whose work-groups have at most 12 work-items and which has one
# compute unit: defaults that run, and configurations of 12 work-items.  PoCL runs these.
. "$(dirname "$0")/lib.sh"

# A VideoCore IV, whose local memory is its global memory.
small="--assume DEVICE_MAX_WORK_GROUP_SIZE=12 --assume DEVICE_MAX_COMPUTE_UNITS=1
    --assume DEVICE_LOCAL_MEM_SIZE=268435456 --assume DEVICE_IMAGE_SUPPORT=0
    --assume DEVICE_IMAGE2D_MAX_WIDTH=0 --assume DEVICE_IMAGE2D_MAX_HEIGHT=0"

# largest_group: the work-items of the largest work-group that `space --explain` has printed.
largest_group() {
    sed -n 's/^launch .*, local \([0-9 x,]*\)$/\1/p' "$out" |
        awk -F '[^0-9]+' '{ n = 1; for (i = 1; i <= NF; i++) if ($i != "") n *= $i
            if (n > most) most = n } END { print most + 0 }'
}

for file in "$root"/spaces/*.ini "$root"/examples/*/*.ini; do
    # shellcheck disable=SC2086
    run "$cltune" space "$file" --explain $small
    ok "${file##*/}: the default is valid" "$status $(grep -c warning "$err")" = "0 0"
    ok "${file##*/}: its work-groups have at most 12 work-items" "$(largest_group)" -le 12
done

# What has been seen, to find spaces that have no line below.
: >"$work/seen"

# twelve SPACE SIZES CONFIGURATION: valid where work-groups of 12 are the largest, has one, and is
# right on PoCL.  The sizes are not multiples of the tiles, but where the kernel requires it.
twelve() {
    file=$root/$1.ini
    name="$1, $3"
    echo "$file" >>"$work/seen"
    sizes=
    for size in $2; do sizes="$sizes -p $size"; done
    # shellcheck disable=SC2086
    run "$cltune" space "$file" $sizes --explain $small $3
    ok "$name: valid" "$status $(grep -c warning "$err")" = "0 0"
    ok "$name: the largest work-group has 12" "$(largest_group)" = 12
    # shellcheck disable=SC2086
    run "$cltune" run "$file" $sizes -d 0:0 --samples 1 --json -q $3
    ok "$name: right" "$(jq -r '"\(.status) \(.verified)"' "$out")" = "ok true"
}

twelve spaces/copy n=1616 "WG=12 VEC=4 ITEMS=2 ORDER=group"
twelve spaces/mad "n=1616 mads=6" "WG=12 VEC=4 CHAINS=2"
twelve spaces/transpose "width=61 height=47" "KIND=local TILE=12 ROWS=12 VEC=1 PAD=1"
twelve spaces/transpose "width=60 height=44" "KIND=blocks TILE=24 ROWS=3 VEC=4 SKEW=on"
twelve spaces/dot n=10007 "WG=12 ITEMS=256 VEC=4 REDUCE=local FOLD=device LAST=12"
twelve spaces/matmul "rows=21 columns=36 depth=20" \
    "MWG=12 NWG=12 KWG=4 MDIMC=3 NDIMC=4 SA=on SB=on PIPELINE=1"
twelve spaces/matmul "rows=21 columns=36 depth=20" "MWG=24 NWG=24 MDIMC=6 NDIMC=2 VWN=4"
twelve spaces/fir "taps=31 inputs=2000" "WG=12 ITEMS=2 VEC=8 LOCAL=on"
twelve spaces/fir_transfer "taps=31 inputs=2000" "WG=12 ITEMS=2 VEC=8 LOCAL=on"
blur="width=61 height=47 sigma=2"
twelve spaces/gauss "$blur" "ALGORITHM=direct WGX=6 WGY=2 LANES=4 SPAN=2 LOCAL=on"
twelve spaces/gauss "$blur" "ALGORITHM=separable WGX=3 WGY=4 WGX2=12 WGY2=1 LANES=2 SPAN2=4"
twelve spaces/gauss "$blur" "ALGORITHM=fused WGX=6 WGY=2 LANES=4 SPAN=2 SPAN2=2"
twelve spaces/gauss "$blur" \
    "ALGORITHM=transposed WGX=12 SEGMENT=64 KIND=blocks TILE=12 ROWS=12 VEC=1"
twelve spaces/lbm "width=37 height=21 steps=4" "LAYOUT=soa WGX=6 WGY=2 LANES=4 ROWS=2"
twelve examples/convolution/convolution "width=50 height=47" "MODE=cached TBX=4 TBY=3 WPTX=2"
twelve examples/coulomb/coulomb "size=48 atoms=64" "WGX=6 WGY=2 ZITER=4 UNROLL=2 CONST=on SOA=on VEC=4"
twelve examples/filter/filter "width=50 height=31" "WGX=6 WGY=2 ITEMS=2"
twelve examples/gemm/gemm "m=48 n=48 k=48" "MTILE=12 NTILE=16 MITEMS=4 NITEMS=4"
twelve examples/matmul/matmul "m=36 n=48 k=24" "TILE=6 ITEMS=3 UNROLL=2 LOCAL=on"
twelve examples/reduction/reduction n=10004 "WG=12 GROUPS=16 LAST=12 VEC=4 ORDER=blocked"
twelve examples/reduction/reduction n=10004 "WG=12 GROUPS=1 ORDER=strided"
twelve examples/scale/scale n=5000 "WG=12 ITEMS=4"
twelve examples/stencil/stencil "width=50 height=31 steps=3" "WGX=6 WGY=2 ITEMS=2"
for file in "$root"/spaces/*.ini "$root"/examples/*/*.ini; do
    # Programs have no work-groups.
    grep -q "^\[program\]" "$file" && continue
    ok "${file##*/} has a configuration of 12" "$(grep -cxF "$file" "$work/seen")" -ge 1
done

# Tiles larger than the picture, whose work-items only load at its edges.
run "$cltune" run "$root/examples/convolution/convolution.ini" -p width=50 -p height=47 -d 0:0 \
    --samples 1 --json -q MODE=halo TBX=8 TBY=4 WPTY=2 PAD=1
ok "convolution, halo: right" "$(jq -r '"\(.status) \(.verified)"' "$out")" = "ok true"

# Groups of any number of work-items add up what each has, in both launches.
for name in spaces/dot examples/reduction/reduction; do
    folder=$(dirname "$root/$name")
    sed -E "s/^(WG|LAST)( *)= pow2\([^)]*\), 12/\1\2= 3, 7, 12, 16/
        s|\.\./kernels|$root/kernels|; s|^(source *= )reduction|\1$folder/reduction|
        s|^(c *= )reduction|\1$folder/reduction|
        s/^\[constraint\]/&\nboth = WG == LAST/
        s/^\[default\].*/&\nLAST = 3/; s/^WG ( *)= DEVICE.*/WG = 3/
        s/^(FOLD *= )'host'\$/\1'device'/; s/^GROUPS = 1\$/GROUPS = 16/" "$root/$name.ini" \
        >"$work/${name##*/}.ini"
done
run "$cltune" search "$work/dot.ini" -d 0:0 -p n=10007 -j 1 -q --rough --no-cache --json \
    --param ITEMS=256 --param VEC=4 --param SUMS=1 --param ORDER=blocks --param REDUCE=local \
    --param FOLD=device
ok "dot: right in groups of any size" "$(jq -c '[.counts.ok, (.counts | add)]' "$out")" = "[4,4]"
run "$cltune" search "$work/reduction.ini" -d 0:0 -p n=10008 -j 1 -q --rough --no-cache --json \
    --param GROUPS=16 --param VEC=4 --param ORDER=strided
ok "reduction: right in groups of any size" \
    "$(jq -c '[.counts.ok, (.counts | add)]' "$out")" = "[4,4]"
done_testing
