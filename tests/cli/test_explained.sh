#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the failures of a search have in common, on the virtual driver.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

# 72 configurations.  VideoCore refuses WG = 16; U > 2 with VEC = 16 is wrong.
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
sed 's/^VEC = .*/VEC = 1, 4, 16\nU = 1..4/' "$spaces/virtual.ini" >"$work/u.ini"
cp "$work/virtual.cl" "$work/right.cl"
printf '#if VEC == 16\n#pragma virtual fault U 3 wrong\n#pragma virtual fault U 4 wrong\n#endif\n' \
    >>"$work/virtual.cl"

run "$cltune" search "$work/u.ini" -d VideoCore --json -q
exits 0 "a search with failures of two kinds"
ok "the smallest conjunction of each" "$(jq -c .failures_explained "$out")" = \
    '{"invalid":{"witnesses":12,"conjunction":"WG=16"},"wrong":{"witnesses":10,"conjunction":"VEC=16 && U>=3"}}'
run "$cltune" search "$work/u.ini" -d VideoCore
out_has "all 12 invalid ones, and none that worked: WG=16" "the summary has it, too"
out_has "all 10 wrong ones, and none that worked: VEC=16 && U>=3" "for each kind"

# Three of them only.
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d VideoCore --param WG=4,8,12 --param U=2,3 --json -q
ok "three witnesses are too few" "$(jq -c '[.counts.wrong, .failures_explained]' "$out")" = '[3,{}]'

# A counter-example: with WG = 8 some of these work.
rm -f "$CLTUNE_DB"
{
    cat "$work/right.cl"
    printf '#if WG != 8\n#pragma virtual fault U 3 wrong\n#endif\n'
    printf '#if WG == 4\n#pragma virtual fault U 1 wrong\n#endif\n'
} >"$work/virtual.cl"
run "$cltune" search "$work/u.ini" -d VideoCore --json -q
ok "nothing is said with a counter-example" \
    "$(jq -c '[.counts.wrong > 4, .failures_explained.wrong]' "$out")" = '[true,null]'

done_testing
