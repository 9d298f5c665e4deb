#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What --effort stands for, on the virtual driver.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

# 320 configurations; the second file has budgets of its own.
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
sed -e 's/^WG .*/WG = 1, 2, 4, 8, 12/' -e 's/^VEC = .*/VEC = 1, 16\nU = 1..32/' \
    "$spaces/virtual.ini" >"$work/u.ini"
sed 's/^\[metric\]/[measure]\nevaluations = 20\nduration = 30 s\nsamples = 7\n\n[metric]/' \
    "$work/u.ini" >"$work/own.ini"
plan() { # FILE ARGUMENTS: what a search would do
    file=$1
    shift
    run "$cltune" search "$work/$file" -d VideoCore --dry-run "$@"
}

plan u.ini
exits 0 "without a level"
out_has "  strategy   exhaustive" "everything is measured"
ok "and no level is shown" "$(grep -c "$(printf '^  effort')" "$out")" = 0
cp "$out" "$work/normal"
plan u.ini --effort normal
out_has "  effort     normal" "normal"
ok "is the same" "$(grep -v '^  effort' "$out" | cmp - "$work/normal" && echo same)" = same
plan u.ini --effort quick
out_has "at most 50 new evaluations, at most 1 min" "quick has a budget"
out_has "  effort     quick, 5 samples per configuration, neither A/A test nor play-off" "and says what it means"
plan u.ini --effort thorough
out_has "  strategy   exhaustive" "thorough measures everything"
out_has "  effort     thorough, 30 samples per configuration, play-off at most 50% of the search" "and more carefully"

plan own.ini --effort quick
out_has "at most 20 new evaluations, at most 30 s" "a smaller budget of the file stays"
plan own.ini --effort thorough
out_has "at most 80 new evaluations, at most 2 min 00 s" "thorough is four times the file's"
plan own.ini --effort normal
out_has "at most 20 new evaluations, at most 30 s" "normal is the file's"

plan u.ini --effort quick -n 12
out_has ", at most 12 new evaluations" "-n takes precedence"
out_lacks "1 min" "with no other budget beside it"
plan u.ini --effort quick -t 5m
out_has "at most 5 min" "so does -t"
out_lacks "new evaluations" "with no other budget beside it"
plan u.ini --effort quick --samples 9 --playoff 10%
out_has "  effort     quick, 9 samples per configuration, play-off at most 10% of the search" \
    "and so do --samples and --playoff"
plan u.ini --effort thorough --rough
out_has "  effort     thorough, 30 samples per configuration, neither A/A test nor play-off" "and --rough"
plan u.ini --effort lots
exits 2 "another level"
err_has "--effort requires quick, normal or thorough, not 'lots'" "is refused"

run "$cltune" search "$work/u.ini" -d VideoCore --effort quick --json -q
exits 0 "a quick search"
ok "is what it says" "$(jq -c '[.effort, .ended, .evaluated, .playoff == null or .playoff.entrants == 0]' "$out")" = \
    '["quick","evaluations",50,true]'
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/u.ini" -d VideoCore --effort quick -n 8 --no-race -q
ok "with five samples each" "$(sqlite3 "$CLTUNE_DB" 'select distinct length(samples_ns) / 8 from result')" = 5
done_testing
