#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is handed out for another problem than the measured one: never macros of the measured
# one without a word.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
mkdir "$work/there"
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/there/"
space=$work/there/virtual.ini
sed 's/^WG  = .*/WG = 4/; s/^VEC = .*/VEC = 1, 4/' "$root/tests/cli/spaces/virtual.ini" >"$space"
printf '[let]\ntwice = 2 * n\n[define]\nLENGTH = n\nROWS = twice / WG\nFIXED = 7\n' >>"$space"

(cd "$work/there" && "$cltune" search virtual.ini -d 0:1 -q) >"$out" 2>"$err"
run "$cltune" best vcopy --format flags -p n=1024
out_has "-D LENGTH=1024 -D ROWS=512 -D FIXED=7" "the measured problem has its own macros"
ok "without a word" ! -s "$err"
run "$cltune" best vcopy --format flags -p n=4096
exits 0 "another problem"
out_has "-D LENGTH=4096 -D ROWS=2048 -D FIXED=7" "has macros of its own size"
err_has "there is no result for n=4096: this is the best for n=1024" "and is told so"
run "$cltune" best vcopy --format header -p n=4096
out_has '-D LENGTH=4096 -D ROWS=2048' "the same in a header"
out_has "macros of the options are those of n=4096" "which says so"
run "$cltune" best vcopy -p n=4096
out_has "-D LENGTH=4096" "and as text"
out_has "problem   n=1024 (the nearest)" "with the problem that was measured"
out_has "their macros are those of your problem" "and whose macros these are"
run "$cltune" best vcopy --json -p n=4096
ok "and as JSON" "$(jq -r '.[0] | (.flags | contains("LENGTH=4096")), .stale_macros' "$out" |
    tr '\n' ' ')" = "true  "

# The device decides, too: nothing can be computed.
printf 'UNITS = n / DEVICE_MAX_COMPUTE_UNITS\n' >>"$space"
CLTUNE_DB=$work/device.db
run "$cltune" search "$space" -d 0:1 -q
run "$cltune" best vcopy --format flags -p n=4096
exits 3 "what cannot be computed is refused"
ok "and nothing is printed" ! -s "$out"
err_has "the best of vcopy is for n=1024, and UNITS cannot be computed for n=4096" "with the macro"
err_has "search with -p n=4096, or ask for the stored problem with -p n=1024" "and what to do"
run "$cltune" best vcopy --format header -p n=4096
exits 3 "nor is a header written"
run "$cltune" best vcopy -p n=4096
exits 0 "text shows it"
out_has "these options are for the problem above: UNITS cannot be computed for yours" "with a note"
run "$cltune" best vcopy --json -p n=4096
ok "as JSON does" "$(jq -r '.[0] | (.flags | contains("LENGTH=1024")), .stale_macros' "$out" |
    tr '\n' ' ')" = "true UNITS "
run "$cltune" best vcopy --format flags -p n=1024
exits 0 "and the measured problem is answered"

# Results of older versions of cltune do not say what follows from the problem.
sql "update kernel set problem_macros = ''"
run "$cltune" best vcopy --format flags -p n=4096
exits 3 "what is not known is refused"
err_has "LENGTH, ROWS, FIXED, UNITS cannot be computed" "for all that may follow from it"

# --- the space file is found from everywhere ---
CLTUNE_DB=$work/cltune.db
ok "its whole path is stored" "$(sql 'select space_file from kernel')" = "$(realpath "$space")"
ok "beside the one that was typed" "$(sql 'select space_path from kernel')" = virtual.ini
ok "and its hash" "$(sql 'select length(space_hash) from kernel')" = 32
run "$cltune" recheck vcopy -d 0:1
err_lacks "cannot read" "recheck finds it from another folder"
ok "and measures" "$status" -le 1
run "$cltune" best vcopy --json
out_lacks "$work" "and no answer tells the path"

done_testing
