#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables fit the terminal: columns give way in order, what all rows share is said once, and --wide,
# pipes and JSON have everything.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
# One byte a column, and "..", not a character, for what is cut.
export LC_ALL=C

cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
{
    sed "s/^VEC = .*/VEC = 1, 4, 16\nCOMPILER_OPTIONS = 'relaxed_mathematics'\nUNROLL = 1, 2 if WG > 1/" \
        "$root/tests/cli/spaces/virtual.ini"
    echo "nanoseconds_each = time_ns / n"
    echo "gigabytes_read = 4.0 * n / time_ns"
} >"$work/wide.ini"

# widest FILE: the longest of its lines, in characters.
widest() { awk '{ n = length($0); if (n > most) most = n } END { print most + 0 }' "$1"; }
# The table and the lines around it that belong to it.
table() {
    awk '/^shared / || /^ *# / || /^left out/ { on = 1 }
        on { print }
        /^default / || /see all\)$/ || /^ *all\)$/ { on = 0 }' "$out"
}
# at COLUMNS WHAT...: a search (everything is stored after the first) at that width.
at() {
    columns=$1
    shift
    run env COLUMNS="$columns" "$cltune" search "$work/wide.ini" -d 0:0 "$@"
}

run "$cltune" search "$work/wide.ini" -d 0:0
exits 0 "search"
cp "$out" "$work/piped"
for columns in 120 100 80 60 40; do
    at $columns
    table >"$work/table"
    ok "at $columns columns: there is a table" "$(grep -c '^ *[0-9]' "$work/table")" = 10
    ok "at $columns columns: no line of it is longer" "$(widest "$work/table")" -le $columns
    ok "nor of what it says meanwhile" "$(grep -v ' warning: ' "$err" | awk -v most=$columns 'length($0) > most' | wc -l)" = 0
    ok "nor of the summary" "$(grep -v '^look up' "$out" | awk -v most=$columns 'length($0) > most' | wc -l)" = 0
    cp "$work/table" "$work/table.$columns"
done

# What gives way, and in which order: metrics from the last, the comparison per core, intervals.
head_of() { grep '^ *# ' "$work/table.$1" | tr -s ' ' ' '; }
ok "what is shared is said once" "$(sed -n 1p "$work/table.80")" = \
    "shared    COMPILER_OPTIONS=relaxed_mathematics"
ok "at 80 columns: what is left" "$(head_of 80)" = " # TIME INTERVAL SPEED-UP gbytes CONFIGURATION"
ok "what is not is named" "$(sed -n 's/^left out  *//p' "$work/table.80")" = \
    "nanoseconds_each, gigabytes_read (use --wide to see all)"
ok "at 60 columns: what is left" "$(head_of 60)" = " # TIME SPEED-UP CONFIGURATION"
ok "at 40 columns: what is left" "$(head_of 40)" = " # TIME CONFIGURATION"
ok "configurations are whole at 40" "$(grep -c '^ *[0-9].*\.\.' "$work/table.40")" = 0
# A row of the default names what it does not share; inactive parameters are not named.
ok "a row has what differs" "$(sed -n 's/^ *1 .*x //p' "$work/table.100" | tail -c 22)" = \
    "WG=12 VEC=16 UNROLL=1"

# --- everything ---
at 40 --wide
grep -v '^spent\|^built\|^verdict\|^baseline' "$out" >"$work/with-wide"
run "$cltune" search "$work/wide.ini" -d 0:0
grep -v '^spent\|^built\|^verdict\|^baseline' "$out" >"$work/without"
ok "--wide has all columns" "$(grep '^ *# ' "$work/with-wide" | tr -s ' ' ' ')" = \
    "$(grep '^ *# ' "$work/piped" | tr -s ' ' ' ' | sed 's/ TO BEST//')"
ok "and all parameters" "$(grep -c '^ *[0-9d].*COMPILER_OPTIONS=relaxed_mathematics' "$work/with-wide")" = 11
ok "a pipe gets the same" "$(sed -n '/^ *# /p' "$work/without" | tr -s ' ')" = \
    "$(sed -n '/^ *# /p' "$work/with-wide" | tr -s ' ')"
at 40 --json
ok "so does JSON" "$(jq -c '.best[0].configuration | keys' "$out")" = \
    '["COMPILER_OPTIONS","UNROLL","VEC","WG"]'
for odd in 0 -1 80x ""; do
    at "$odd"
    ok "COLUMNS='$odd' is no width" "$(grep '^ *# ' "$out" | wc -w)" = \
        "$(grep '^ *# ' "$work/with-wide" | wc -w)"
done

# --- one configuration shares nothing, long ones are cut ---
at 60 --param WG=12 --param VEC=16 --param UNROLL=1
ok "a single row is whole" "$(table | grep -c '^shared')" = 0
long=$(printf 'x%.0s' $(seq 70))
sed "s/^UNROLL .*/TEXT = '$long', '${long}2'/" "$work/wide.ini" >"$work/long.ini"
run env COLUMNS=80 "$cltune" search "$work/long.ini" -d 0:0 --rough
table >"$work/table"
ok "texts are cut" "$(grep -c '^ *[0-9].*\.\.$' "$work/table")" = 10
ok "to the width" "$(widest "$work/table")" = 80
ok "and that is said" "$(tr -s '\n ' ' ' <"$work/table" | grep -c 'CONFIGURATION is shortened')" = 1

# --- other tables ---
run env COLUMNS=50 "$cltune" compare "$work/wide.ini" -d 0:1 "WG=2 VEC=16" "WG=12 VEC=16"
ok "compare fits" "$(grep '^ *[#12] ' "$out" | awk 'length($0) > 50' | wc -l)" = 0
out_has "left out" "and says so"
run env COLUMNS=50 "$cltune" compare "$work/wide.ini" -d 0:1 "WG=2 VEC=16" "WG=12 VEC=16" --wide
out_lacks "left out" "unless --wide"
run env COLUMNS=70 "$cltune" results wide -d 0:0
run env COLUMNS=70 "$cltune" results vcopy
ok "results fit" "$(sed '/^vcopy/d; /^left out/,/see all/d' "$out" | awk 'length($0) > 70' | wc -l)" = 0
ok "all of them are there" "$(grep -c '^ok ' "$out")" -ge 27
run "$cltune" results vcopy --wide
out_lacks "left out" "results --wide"

run env COLUMNS=70 "$cltune" devices
ok "devices fit" "$(widest "$out")" -le 70
out_has "left out  VENDOR, FLOAT" "the least important columns give way"
ok "with the driver's version" "$(sed -n 1p "$out" | tr -s ' ')" = "INDEX DEVICE TYPE UNITS MHZ GROUP LOCAL GLOBAL DRIVER"
run env COLUMNS=80 "$cltune" devices --wide
ok "devices --wide" "$(sed -n 1p "$out" | tr -s ' ')" = \
    "INDEX DEVICE TYPE VENDOR UNITS MHZ GROUP LOCAL GLOBAL FLOAT DRIVER"
run env COLUMNS=60 "$cltune" db list
ok "a list of a database fits" "$(widest "$out")" -le 60
ok "with each problem" "$(grep -c 'vcopy .*n=' "$out")" -ge 2
run "$cltune" db list --wide
out_has "DRIVER" "db list --wide"
run env COLUMNS=70 "$cltune" devices --doctor
ok "an examination fits" "$(grep -v 'virtual.icd' "$out" | awk 'length($0) > 70' | wc -l)" = 0

# --- a terminal that is resized says its own width ---
if command -v script >"$out" 2>&1; then
    script -qec "stty cols 50; '$cltune' search '$root/tests/cli/spaces/virtual.ini' -d 0:1 --rough -q" \
        "$work/typed" >"$out" 2>"$err" </dev/null
    sed 's/\r$//; s/\r//g; s/\x1b\[[0-9;]*[A-Za-z]//g' "$work/typed" >"$work/screen"
    ok "a terminal of 50 columns" "$(sed -n '/^ *# /,/^default/p' "$work/screen" | awk 'length($0) > 50' | wc -l)" = 0
    ok "leaves something out" "$(grep -c '^left out' "$work/screen")" = 1
else
    skip 2 "no script(1)"
fi
done_testing
