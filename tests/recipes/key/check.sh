# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
repeats() {
    { cat "$root/tests/cli/spaces/virtual.ini" && printf '\n[measure]\n%s\n' "$1"; } >"$work/repeats.ini"
    run "$cltune" space "$work/repeats.ini" --explain
}
repeats "repeats = 5"
exits 0 "key: it is read"
out_has "repeats     5" "key: it is used"
repeats "repeats = 101"
exits 2 "key: a wrong value is refused"
err_has "'repeats' must be a whole number from 1 to 100" "key: the message names its limits"
repeats "repeat = 5"
err_has "did you mean 'repeats'?" "key: it is suggested"
