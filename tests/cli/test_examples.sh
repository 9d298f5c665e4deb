#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The worked examples of doc/space-file.md, on whatever device comes first: a few
# configurations of each, on small problems, and all of them right.
. "$(dirname "$0")/lib.sh"
examples=$root/examples

# example NAME EXPECTED OPTION...: EXPECTED configurations, all of which must be right.
# What this version cannot do is skipped.
example() {
    name=$1
    expected=$2
    shift 2
    space=$examples/$name/$name.ini
    run "$cltune" space "$space" -d 0:0 --check
    if grep -q 'is not supported yet' "$err"; then
        skip 3 "$name: $(grep -m 1 -o "[^:]*is not supported yet" "$err" | sed 's/^ *//')"
        return
    fi
    exits 0 "$name: nothing is wrong with the file"
    run "$cltune" search "$space" -d 0:0 -j 1 -q --rough --json "$@"
    exits 0 "$name: search"
    right=$(jq -r 'if (.counts | add) == .counts.ok then .counts.ok else .counts end' "$out")
    ok "$name: every configuration is right" "$right" = "$expected"
}

example matmul 6 -p m=32 -p n=64 -p k=48 --param TILE=8,16 --param ITEMS=4 \
    --param LOCAL=off,on --param UNROLL=4
example convolution 6 -p width=32 -p height=32 -p radius=2 --param TBX=8 --param TBY=8 \
    --param WPTX=1,2 --param WPTY=2 --param PAD=1 --param MATH=
example reduction 8 -p n=16384 --param WG=16,64 --param GROUPS=1,16 --param VEC=4 \
    --param LAST=32
example stencil 4 -p width=50 -p height=30 -p steps=5 --param WGX=0,8 --param WGY=4 \
    --param ITEMS=4
example filter 4 -p width=50 -p height=30 --param WGX=8 --param WGY=4 --param ITEMS=1,2

example coulomb 4 -p size=32 -p atoms=64 --param WGX=8 --param WGY=2 --param ZITER=4 --param UNROLL=2 \
    --param CONST=off,on --param VEC=2

example program 2 -p n=64 --param "OPT='-O2'" --param BLOCK=1,8 --param "ARCH=''"

example scale 4 -p n=5000 --param WG=16,64 --param ITEMS=1,4 --param MATH=

# The manual shows this file.
awk '/^```/ { inside = 0 } inside { print } /^```ini$/ && !done { inside = 1; done = 1 }' \
    "$root/doc/space-file.md" >"$work/shown.ini"
grep -v '^; ' "$examples/scale/scale.ini" >"$work/shipped.ini"
run diff "$work/shown.ini" "$work/shipped.ini"
exits 0 "scale: the manual shows what is shipped"

done_testing
