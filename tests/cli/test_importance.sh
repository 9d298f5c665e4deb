#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which parameters matter: on the virtual driver, whose times are spelt out.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/copy.c" "$work/"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
cd "$work" || exit 1

# 4 x 3 x 4 configurations: VEC decides, WG does a little, PAD nothing.
sed 's/^WG  = .*/WG = 1, 2, 4, 8\nPAD = 0..3/' "$spaces/virtual.ini" >space.ini
{
    printf '#pragma virtual base 8000000\n#pragma virtual factor VEC 4 0.5\n'
    printf '#pragma virtual factor VEC 16 0.25\n#pragma virtual factor WG 8 0.9\n'
    grep -v '^#pragma' "$spaces/virtual.cl"
} >virtual.cl
run "$cltune" search space.ini -d VideoCore -q --rough
exits 0 "a search of the whole"
out_has "insight   1 of 3 parameters decides: VEC; the others explain less than 10% of the variation" \
    "the parameter that decides"
out_has "VEC=16 is worth 4.00x over the default VEC=1, on average (95% interval 4.00x to 4.00x)" \
    "what its best value is worth"
out_has "WG=8 is worth 1.11x over the default WG=1, on average (95% interval 1.11x to 1.11x)" \
    "and that of the next"
out_has "PAD makes no difference (less than 0.1% in 9 of 10 comparisons)" "what makes no difference"
run "$cltune" show --importance
exits 0 "stored results have the same"
out_has "importance over 48 results" "with their number"
out_has "1 of 3 parameters decides: VEC" "in words"
ok "and in a table, the most important first" \
    "$(awk '$1 == "PARAMETER" { getline; print $1, $NF }' "$out")" = "VEC matters"
run "$cltune" show --importance --json
exits 0 "as JSON"
ok "which parameters matter" "$(jq -c '.[0].importance | [.state, .over, .deciding,
    (.parameters[] | [.name, .matters, .no_difference]), .parameters[0].best]' "$out")" = \
    '["known","results",1,["VEC",true,false],["WG",true,false],["PAD",false,true],16]'

# The same through a search that has nothing left to measure.
run "$cltune" search space.ini -d VideoCore -q --rough --json
ok "a search's JSON has it, too" \
    "$(jq -c '.importance | [.state, .results, .parameters[0].name, (.text | length)]' "$out")" = \
    '["known",48,"VEC",4]'

# Too little to say.
rm -f "$CLTUNE_DB"
run "$cltune" search space.ini -d VideoCore -q --rough -n 6 -s random
out_lacks "insight" "of six results nothing is said"
run "$cltune" search space.ini -d VideoCore -q --rough -n 1 -s random --json
ok "JSON says how many are needed" "$(jq -c '.importance | [.state, .needed, .parameters, .text]' "$out")" = \
    '["too_few",20,[],[]]'
run "$cltune" show --importance
out_has "too few results: at least 20 that worked are required" "so does the table"

# Failures are left out and counted; what they have in common is in the same summary.
rm -f "$CLTUNE_DB"
printf '#pragma virtual fault PAD 3 wrong\n' >>virtual.cl
run "$cltune" search space.ini -d VideoCore -q --rough
out_has "(without the 25% of results that failed)" "the share of failures"
out_has "all 12 wrong ones, and none that worked: PAD=3" "and their cause"

# Names from a database are shown, not obeyed.
sql "update kernel set name = char(27) || '[2J'"
run "$cltune" show --importance
exits 0 "a hostile name"
ok "does not reach the terminal" "$(grep -c "$(printf '\033')" "$out")" = 0
run "$cltune" show --importance --format gnuplot
exits 2 "--importance has no format"
err_has "--importance and --format contradict each other" "and says so"

done_testing
