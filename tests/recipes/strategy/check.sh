# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
run "$cltune" search --help all
out_has "descending" "strategy: the help names it"
export OCL_ICD_VENDORS="$virtual"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -s descending -n 2 -v --rough
exits 0 "strategy: a search with it"
err_has "strategy   descending" "strategy: it is used"
err_has "WG=16 VEC=16" "strategy: the last configuration comes first"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -s descendin -d VideoCore
err_has "did you mean 'descending'?" "strategy: it is suggested"
