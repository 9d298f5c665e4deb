#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/raspberry-pi.md: its commands run and its sizes fit on the virtual VideoCore IV.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0
doc=$root/doc/raspberry-pi.md
cd "$root" || exit 1

# The commands, without remarks.  Kernels are not really run on the virtual device: searches of the
# shipped spaces only plan.
sed -n 's/^    \(cltune .*\)/\1/p' "$doc" | sed 's/ *#.*//' >"$work/commands"
ok "there are commands" "$(wc -l <"$work/commands")" -ge 14

# total_kib: the buffers that the last search has planned.
total_kib() {
    sed -n 's/^ *buffer .*, \([0-9.]*\) \([KM]*\)i*B.*/\1 \2/p' "$out" |
        awk '{ total += $1 * ($2 == "M" ? 1024 : $2 == "K" ? 1 : 1 / 1024) } END { print int(total) }'
}

while read -r _ command rest; do
    name="cltune $command $rest"
    case $name in
    "cltune search"*)
        eval "run \"\$cltune\" $command $rest --dry-run"
        exits 0 "$name: plans"
        ok "$name: without a warning" ! -s "$err"
        ok "$name: buffers of at most 8 MiB" "$(total_kib)" -le 8192
        ok "$name: has buffers" "$(total_kib)" -gt 0
        ;;
    "cltune devices"*)
        run "$cltune" "$command" "$rest"
        out_has "VideoCore IV GPU" "$name"
        ;;
    "cltune best"* | "cltune results"* | "cltune db merge"*) # below, with results
        echo "$command $rest" >>"$work/later"
        ;;
    *) ok "$name is tested" 1 -eq 0 ;;
    esac
done <"$work/commands"

# Results of a kernel named copy, in a database to merge.
sed 's/^name *= vcopy/name = copy/' "$root/tests/cli/spaces/virtual.ini" >"$work/copy.ini"
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
run "$cltune" search "$work/copy.ini" -d VideoCore --rough -q --db "$work/pi.db"
cd "$work" || exit 1
run "$cltune" db merge pi.db
exits 0 "cltune db merge pi.db"
while read -r command rest; do
    [ "$command" = db ] && continue
    eval "run \"\$cltune\" $command $rest"
    exits 0 "cltune $command $rest"
    ok "cltune $command $rest: prints" -s "$out"
done <later

# Counters are what is optimized, and a metric may use them.
run "$cltune" search copy.ini -d VideoCore --objective execution_cycles --rough --json -q
ok "execution_cycles is the objective" "$(jq -r .objective "$out")" = execution_cycles
ok "the best has the fewest" "$(jq '[.best[].value] | .[0] == min' "$out")" = true
ok "they are the device's" "$(jq '[.best[0].value, .default.value] | join(" ")' "$out")" = '"24000 240000"'
run env VIRTUALCL_PERF=denied "$cltune" search copy.ini -d VideoCore --objective l2_misses --rough -q --fresh
ok "without access to them a search ends" "$status" -ne 0
err_has "l2_misses" "and names the counter"

# The blocks of space files are in the language.
awk -v dir="$work" '
    /^```ini$/ { block++; inside = 1; next }
    /^```$/ { inside = 0 }
    inside { print > (dir "/block" block ".ini") }' "$doc"
for file in "$work"/block*.ini; do
    # Instead of the sections of the same names.
    sections=$(sed -n 's/^\[\([a-z]*\).*/\1/p' "$file" | sort -u | tr '\n' ' ')
    awk -v drop=" $sections" '
        /^\[/ { name = $1; gsub(/[][]/, "", name); off = index(drop, " " name " ") }
        !off' copy.ini >whole.ini
    cat "$file" >>whole.ini
    run "$cltune" space whole.ini -d VideoCore --check
    exits 0 "$(sed -n '1p' "$file") of ${file##*/} is right"
    ok "without a warning" ! -s "$err"
done
done_testing
