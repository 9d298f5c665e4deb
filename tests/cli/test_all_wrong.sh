#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A search whose reference or fills must be at fault ends early, and says so.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/virtual.ini" "$spaces/virtual.cl" "$work/"
# Launches take long enough that few more are over before the search looks at one, on a busy machine, too.
echo "#pragma virtual base 30000000" >>"$work/virtual.cl"
reference() { # EXPRESSION of each value, given input[i]
    sed "s/memcpy(.*/for (uint32_t i = 0; i < n; i++) output[i] = $1;/" "$spaces/copy.c" >"$work/copy.c"
}
search() { # ARGUMENTS: on a database of its own
    rm -f "$CLTUNE_DB"
    run "$cltune" search "$work/virtual.ini" -d VideoCore -j 1 --rough "$@"
}

reference "input[i] + 7"
search --json
exits 3 "every value is wrong"
ok "it ends after a few" "$(jq -c '[.ended, .evaluated < 8, .counts.wrong >= 4]' "$out")" = '["all_wrong",true,true]'
err_has "configurations, the default among them, are wrong in every value, so the search stopped" "says why"
err_has "check the reference and the fills of the buffers, or use --keep-going" "and what to do"
run "$cltune" search "$work/virtual.ini" -d VideoCore -j 1 --rough --json
ok "and again, if it is continued" "$(jq -c '[.ended, .evaluated < 8]' "$out")" = '["all_wrong",true]'
search --keep-going --json
ok "unless told to go on" "$(jq -c '[.ended, .evaluated]' "$out")" = '["whole",18]'
err_lacks "--keep-going" "which is not said again"

# A kernel that is wrong in half of the values may be the one at fault.
reference "input[i] + (i % 2 ? 7 : 0)"
search --json
ok "half of the values" "$(jq -c '[.ended, .evaluated]' "$out")" = '["whole",18]'

done_testing
