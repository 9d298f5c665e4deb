# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of exports: a database to spoil, and the texts of hostile.txt in $work/nasty.
# shellcheck shell=sh
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

# PWN is what must not happen.
sed "s|PWN|$work/pwn|g" "$root/tests/attack/hostile.txt" >"$work/nasty"
mkdir "$work/h"
cd "$work/h" || exit 1

run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -q
exits 0 "a search to spoil"
