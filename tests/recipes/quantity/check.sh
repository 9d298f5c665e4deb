# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/^gbytes.*/&\nown_ms = own_s * 1000/' "$root/tests/cli/spaces/virtual.ini" >"$work/own.ini"
run "$cltune" run "$work/own.ini" -d VideoCore --json -q
exits 0 "quantity: a metric uses it"
ok "quantity: it is in the JSON" "$(jq '.observed.own_s > 0' "$out")" = true
run "$cltune" search "$work/own.ini" -d VideoCore --objective own_s -n 2 --rough -q --json
exits 0 "quantity: a search optimizes it"
ok "quantity: it is the objective" "$(jq -r .objective "$out")" = own_s
run "$cltune" search "$work/own.ini" -d VideoCore --objective own_z
err_has "did you mean 'own_s'?" "quantity: it is suggested"
