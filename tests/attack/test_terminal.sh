#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What would command a terminal, or reorder its lines, never reaches it raw: not from
# databases, space files, sources, compilers' logs, file names, arguments or the environment.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"

# Clears the screen, sets the title, overwrites the line, switches colours by both forms of
# U+009B, reverses what follows, and rubs out.
evil=$(printf 'a\033[2J\033]0;title\007\rb\302\233 31m\233 31m\342\200\256c\342\201\246d\177\303')
# The same without what space files refuse: controls of ASCII and bytes that are not UTF-8.
evil_utf8=$(printf 'a\302\23331m\302\205\342\200\256c\342\201\246d')
hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }
sql() { sqlite3 "$CLTUNE_DB" "$1"; }

# harmless FILE: no controls but line feeds and tabs, nothing that is not UTF-8.
harmless() {
    ! LC_ALL=C grep -aqP \
        '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" &&
        iconv -f UTF-8 -t UTF-8 "$1" >"$work/valid" 2>&1
}
# shows NAME: neither stream of the last run, which has printed something, is harmful.
shows() {
    if [ "$status" -ge 128 ] || ! [ -s "$out" ] && ! [ -s "$err" ]; then
        report 1 "$1: it ran"
    elif harmless "$out" && harmless "$err"; then
        report 0 "$1"
    else
        echo "# harmful:"
        cat -v "$out" "$err" | grep -aE '\^|M-' | head -5 | sed 's/^/#   /'
        report 1 "$1"
    fi
}

# --- arguments, file names, environment ---
for command in best devices search space run replay recheck compare peak help; do
    run "$cltune" "$command" "--$evil"
    shows "$command with an unknown option"
    run "$cltune" "$command" "$evil" "$evil=$evil"
    shows "$command with unknown operands"
    run "$cltune" "$command" "$evil" -d "$evil" -p "$evil=$evil" --db "$work/no/$evil"
    shows "$command with odd values of options"
done
run "$cltune" "$evil"
shows "an unknown command"
CLTUNE_DB="$work/$evil/none.db" run "$cltune" best
shows "CLTUNE_DB"
OCL_ICD_VENDORS="$work/$evil" run "$cltune" devices
shows "OCL_ICD_VENDORS"
TMPDIR="$work/$evil" run "$cltune" devices
shows "TMPDIR"
mkdir "$work/$evil"
cp "$root/tests/cli/spaces/virtual.ini" "$work/$evil/$evil.ini"
run "$cltune" space "$work/$evil/$evil.ini"
shows "a space file's name"
run "$cltune" search "$work/$evil/$evil.ini" -d VideoCore -n 1
shows "with its source missing"
odd=$(printf '%s/two\nlines: error: false.ini' "$work")
echo '[odd]' >"$odd"
run "$cltune" space "$odd"
err_has 'two\x0alines' "a line feed in a file name is escaped"
ok "and makes no line" "$(grep -c '^lines' "$err")" -eq 0

# --- space files and sources ---
mkdir "$work/s"
cp "$root/tests/cli/spaces/copy.c" "$work/s/"
sed "s/VEC = 1, 4, 16/VEC = 1, 4\nTEXT = '$evil_utf8', 'b'/; s/^name .*/name = $evil_utf8/" \
    "$root/tests/cli/spaces/virtual.ini" >"$work/s/text.ini"
cp "$root/tests/cli/spaces/virtual.cl" "$work/s/"
for options in "" --list --json --explain; do
    # shellcheck disable=SC2086
    run "$cltune" space "$work/s/text.ini" $options
    shows "space $options of texts"
done
run "$cltune" space "$work/s/text.ini" --json
ok "JSON stays JSON" "$(jq -r .kernel "$out" | head -c 3 | od -An -tx1 | tr -d ' \n')" = 61c29b
run "$cltune" run "$work/s/text.ini" -d VideoCore
shows "run of texts"
run "$cltune" search "$work/s/text.ini" -d VideoCore
shows "search of texts"
run "$cltune" search "$work/s/text.ini" -d VideoCore --json
shows "its JSON"
ok "which stays JSON" "$(jq -r '.kernel // .[0].kernel' "$out" | head -c 3 | od -An -tx1 | tr -d ' \n')" = 61c29b
run "$cltune" compare "$work/s/text.ini" -d VideoCore TEXT=b
shows "compare of texts"
run "$cltune" search "$work/s/text.ini" -d VideoCore --param "WG=$evil"
shows "an odd --param"
printf '[%s]\n%s = %s\n' "$evil_utf8" "$evil_utf8" "$evil_utf8" >"$work/s/odd.ini"
run "$cltune" space "$work/s/odd.ini"
shows "odd sections and keys"
printf '[param]\nA = %s\n' "$evil" >"$work/s/odd.ini"
run "$cltune" space "$work/s/odd.ini"
shows "controls in a space file"
{
    echo "#ifdef FAIL"
    printf '#error %s\n' "$evil"
    echo "#endif"
    printf '#warning %s\n' "$evil"
    cat "$root/tests/cli/spaces/virtual.cl"
} >"$work/s/log.cl"
sed 's/virtual.cl/log.cl/; s/^VEC .*/VEC = 1\nFAIL = 0, 1\n/' \
    "$root/tests/cli/spaces/virtual.ini" >"$work/s/log.ini"
sed -i 's/#ifdef FAIL/#if FAIL/' "$work/s/log.cl"
run "$cltune" run "$work/s/log.ini" -d VideoCore FAIL=1
shows "a compiler's log"
run "$cltune" run "$work/s/log.ini" -d VideoCore FAIL=1 --json
shows "in JSON"
run "$cltune" search "$work/s/log.ini" -d VideoCore
shows "in a search"

# --- replay data ---
printf '%s\ttime_ms\tstatus\tcompile_ms\tbench_ms\n1\t2\tok\t1\t1\n2\t3\tok\t1\t1\n' \
    "$evil" >"$work/$evil.tsv"
run "$cltune" replay "$work/$evil.tsv" -n 2 --repeats 2
shows "replay of odd names"

# --- databases ---
rm -f "$CLTUNE_DB"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -q
exits 0 "a search to spoil"
x="cast(x'$(hex "$evil")' as text)"
names="cast(x'$(hex "{\"$(printf 'k\302\233\233\342\200\256')\":\"$(printf 'v\302\233\233\\u001b\177')\",\"WG\":4}")' as text)"
sql "update result set flags = $x, configuration = $names, message = $x, log = $x;
     update problem set sizes = $names; update kernel set name = $x, parameters = '{}';
     update device set name = $x, vendor = $x, driver_version = $x, platform_name = $x;
     update run set strategy = $x, version = $x"
for options in "" --json "--format header" "--format flags" "-d none" "none"; do
    # shellcheck disable=SC2086
    run "$cltune" best $options
    shows "best $options of an odd database"
done
run "$cltune" best --json
ok "keys that are not UTF-8 are kept, escaped" \
    "$(jq -r '.[0].configuration | keys[1]' "$out" | od -An -tx1 | tr -d ' \n')" = 6bc29b5c783962e280ae0a
ok "values, too" "$(jq -r '.[0].configuration[]' "$out" | grep -c 'x9b')" = 1
ok "and what is beside them" "$(jq -r '.[0].configuration.WG' "$out")" = 4
sql "update device set name = 'a' || char(10) || 'forged    line', driver_version = 'b' || char(10) || 'forged'"
run "$cltune" best
ok "line feeds make no lines" "$(grep -c '^forged' "$out")" -eq 0
run "$cltune" recheck
shows "recheck of an odd database"
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore
shows "a search beside it"

# --- a terminal ---
rm -f "$CLTUNE_DB"
if command -v script >"$out" 2>&1; then
    script -qec "'$cltune' search '$work/s/text.ini' -d VideoCore --color never" "$work/typed" >"$out" 2>"$err" </dev/null
    sed '1d;$d' "$work/typed" | sed 's/\r$//' | sed 's/\r//g; s/\x1b\[[KJ]//g; s/\x1b\[[0-9]*A//g' >"$work/screen"
    harmless "$work/screen"
    ok "a terminal gets the progress line's own commands and no others" $? -eq 0
    ok "and does get those" "$(grep -c "$(printf '\033')\\[K" "$work/typed")" -gt 0
else
    skip 2 "no script(1)"
fi
done_testing
