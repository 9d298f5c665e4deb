# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
run "$cltune" best --help all
# Lines break elsewhere with every format.
tr -s ' \n' '  ' <"$out" >"$out.line" && mv "$out.line" "$out"
out_has "words (NAME=VALUE" "export: the help names it"
export OCL_ICD_VENDORS="$virtual"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore --rough -q --db "$work/words.db"
run "$cltune" best --format words --db "$work/words.db"
exits 0 "export: an answer"
ok "export: in its form" "$(tr '\n' ' ' <"$out")" = "VEC=16 WG=12 "
run "$cltune" best --format wrods --db "$work/words.db"
err_has "did you mean 'words'?" "export: it is suggested"
