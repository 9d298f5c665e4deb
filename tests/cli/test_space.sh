#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune space: counting, listing, checking; no OpenCL is needed for it.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
spaces=$root/tests/cli/spaces
fir=$root/spaces/fir.ini

run "$cltune" space "$fir"
exits 0 "the FIR space"
err_has "constraint 'fits' needs a device to be decided" "undecided constraints are reported"
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUP_SIZE=4096 \
    --assume DEVICE_LOCAL_MEM_SIZE=524288 --count
exits 0 "with assumed limits"
all=$(cat "$out")
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUP_SIZE=12 \
    --assume DEVICE_LOCAL_MEM_SIZE=524288 --count
ok "a smaller limit leaves fewer" "$(cat "$out")" -lt "$all"
err_lacks "undecided" "nothing is undecided then"
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUPS=12
exits 2 "an unknown limit"
err_has "did you mean 'DEVICE_MAX_WORK_GROUP_SIZE'?" "and the likely one"

run "$cltune" space "$spaces/virtual.ini" --list
exits 0 "--list"
ok "every configuration" "$(wc -l <"$out")" = 18
ok "once" "$(sort -u "$out" | wc -l)" = 18
ok "in order" "$(head -1 "$out")" = "WG=1 VEC=1"
run "$cltune" space "$spaces/virtual.ini" --sample 5 --seed 3
ok "--sample draws" "$(sort -u "$out" | wc -l)" = 5
cp "$out" "$work/sample"
run "$cltune" space "$spaces/virtual.ini" --sample 5 --seed 3
ok "the same for a seed" "$(cmp "$out" "$work/sample" && echo same)" = same
run "$cltune" space "$spaces/virtual.ini" --sample 50
ok "not more than there are" "$(wc -l <"$out")" = 18
run "$cltune" space "$spaces/virtual.ini" --json
ok "--json counts" "$(jq .valid "$out")" = 18
ok "and tells the product" "$(jq .cartesian "$out")" = 18
run "$cltune" space "$spaces/virtual.ini" --check
exits 0 "--check of a good file"
ok "says nothing" ! -s "$out"

sed 's/^\[buffer input\]/[constraint]\nimpossible = WG > 1000\nodd = VEC != 4\n&/' \
    "$spaces/virtual.ini" >"$work/empty.ini"
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
run "$cltune" space "$work/empty.ini"
exits 3 "a space without a valid configuration"
err_has "constraint 'impossible' (WG > 1000) removes most" "names the constraint that kills most"

sed 's/^global = n/glabal = n/; s/^VEC = 1/VEC = 1 +/; s/uint(n)/uint(m)/' \
    "$spaces/virtual.ini" >"$work/wrong.ini"
run "$cltune" space "$work/wrong.ini" --check
exits 2 "mistakes in a file"
err_has "did you mean 'global'?" "a misspelt key"
ok "all of them in one go" "$(grep -c 'error:' "$err")" -ge 3
ok "each with its line and column" "$(grep -cE 'wrong.ini:[0-9]+:[0-9]+: error:' "$err")" -ge 3

run "$cltune" space "$work"
exits 2 "a folder for a file"

done_testing
