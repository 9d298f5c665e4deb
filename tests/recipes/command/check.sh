# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
run "$cltune" --help
out_has "count      count the valid configurations" "command: the help lists it"
run "$cltune" count "$root/tests/cli/spaces/virtual.ini"
exits 0 "command: it runs"
ok "command: it counts" "$(cat "$out")" = 18
run "$cltune" count --help
out_has "--problem" "command: it has its option"
out_lacks "--strategy" "command: and no other's"
run "$cltune" cout
err_has "did you mean 'count'?" "command: it is suggested"
