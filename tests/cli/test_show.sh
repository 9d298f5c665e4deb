#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune show: a histogram and the convergence in the terminal, and the script for gnuplot.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
cd "$work" || exit 1

run "$cltune" show --help
ok "no sentence of the help runs into a command line" "$(tr -s '\n ' '  ' <"$out" | grep -c 'gnuplot -p --importance')" = 0
run "$cltune" show
exits 3 "without a database there is nothing"
run "$cltune" search virtual.ini -d VideoCore -q --rough -p n=1024
results=$(sql "select count(*) from result")
good=$(sql "select count(*) from result where status = 'ok'")
run env LC_ALL=C "$cltune" show vcopy
exits 0 "a histogram and the convergence"
out_has "distribution of time" "have heads"
out_has "best so far, by evaluations" "each"
ok "the counts are those of the database" \
    "$(sed -n '/^distribution/,/^best/p' "$out" | awk '$3 == "-" { n += $6 } END { print n }')" = "$good"
out_has ": $results results" "all results are counted"
ok "C's locale has bytes of ASCII alone" "$(LC_ALL=C grep -c '[^ -~]' "$out")" = 0
ok "no line is wider than 80 columns, nor ends with blanks" \
    "$(grep -v ': .* result' "$out" | awk 'length > 80 || / $/' | wc -l)" = 0
run env LC_ALL=C.UTF-8 "$cltune" show vcopy
out_has "█" "other locales have blocks"
run "$cltune" show --format svg
exits 2 "another format"
err_has "--format requires text or gnuplot, not 'svg'" "is refused"
run "$cltune" show --json
exits 2 "JSON is for another command"
err_has "use 'cltune results --json'" "which is named"
run "$cltune" show a b
exits 2 "two kernels"

# A name that would run a command, if gnuplot saw it between other quotes.
sql "update kernel set name = 'a''b \`touch $work/pwn\` @x' || char(10) || 'system ''touch $work/pwn'''"
run "$cltune" show --format gnuplot
exits 0 "a script for gnuplot"
cp "$out" plot.gp
ok "has all results" "$(sed -n '/^$results0/,/^END/p' plot.gp | grep -c '^[0-9]')" = "$good"
ok "and each evaluation once in the bins" \
    "$(sed -n '/^$bins0/,/^END/p' plot.gp | awk 'NF == 3 { n += $3 } END { print n }')" = "$good"
ok "no line begins with the name's second one" "$(grep -c '^system' plot.gp)" = 0
if command -v gnuplot >/dev/null; then
    run gnuplot -e "set terminal svg; set output 'plot.svg'" plot.gp
    exits 0 "gnuplot reads it"
    ok "without a word" ! -s "$err"
    ok "and plots" -s plot.svg
    ok "no command of the name's" ! -e pwn
else
    skip 4 "no gnuplot"
fi
done_testing
