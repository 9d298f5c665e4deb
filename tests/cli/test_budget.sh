#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ends a search, and what it says of its choices, on the virtual driver.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

# 160 configurations; U = 7 is best, the further away the slower.
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
for u in $(seq 16); do
    echo "$u" | awk '{ printf "#pragma virtual factor U %d %g\n", $1, 1 + ($1 - 7) ^ 2 / 16 }'
done >>"$work/virtual.cl"
sed -e 's/^WG .*/WG = 1, 2, 4, 8, 12/' -e 's/^VEC = .*/VEC = 1, 16\nU = 1..16/' \
    "$spaces/virtual.ini" >"$work/u.ini"
search() { # ARGUMENTS: on a database of its own
    rm -f "$CLTUNE_DB"
    run "$cltune" search "$work/u.ini" -d VideoCore "$@"
}

run "$cltune" search "$spaces/virtual.ini" -d VideoCore --json -q
exits 0 "no budget"
ok "everything is measured" "$(jq -r '[.strategy, .ended, .evaluated] | @tsv' "$out")" = \
    "$(printf 'exhaustive\twhole\t18')"
ok "there is no estimate of what remains" "$(jq .chance "$out")" = null
rm -f "$CLTUNE_DB"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -n 18
err_has "strategy   exhaustive, at most 18" "a budget for everything is none"
out_lacks "chance " "nothing remains, and nothing is said of it"

search -n 30 -v
exits 0 "a budget"
err_has "strategy   auto (surrogate), at most 30 new evaluations" "auto is the default"
err_has "initial sample: far from the others" "the reason of the first ones"
ok "then what is predicted, and why" "$(grep -cE \
    '^ +predicted [0-9.]+ [mun]s \([0-9.]+ [mun]s to [0-9.]+ [mun]s\): (likely|possible) improvement \([0-9]+%\)$' \
    "$err")" -ge 3
out_has "the budget of 30 new evaluations is used up; run the same command to continue" \
    "which budget ended it"
ok "the chance of more" "$(grep -cE \
    '^chance    [0-9]+% [(]estimated by surrogate[)] that a configuration more than 5% better remains' "$out")" = 1
search -n 30 --json -q
ok "JSON has both" "$(jq -r '.ended, (.chance >= 0 and .chance <= 1)' "$out" | tr '\n' ' ')" = \
    "evaluations true "

search --target 0.1ms --json
exits 0 "a target"
err_has "auto (surrogate), until 100.0 us or less" "is told"
ok "ends the search" "$(jq -r .ended "$out")" = target
ok "when it is reached" "$(jq '.best[0].time_ns <= 100000' "$out")" = true
ok "with much unmeasured" "$(jq '.evaluated < 120' "$out")" = true
search --target 1ns -n 12 -s random
out_has "the budget of 12 new evaluations is used up" "a target out of reach"
sed -e '/^\[metric\]/i [measure]\nobjective = gbytes\ndirection = maximize\ntarget = 0.07\n' \
    "$work/u.ini" >"$work/metric.ini"
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/metric.ini" -d VideoCore -v
err_has "until gbytes 0.07" "a metric's target in the space file"
out_has "the target of gbytes 0.07" "is reached"
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/metric.ini" -d VideoCore --json -q
ok "in truth" "$(jq '.best[0].value >= 0.07 and .evaluated > 1' "$out")" = true
run "$cltune" search "$work/metric.ini" -d VideoCore --target 3ms
exits 2 "a time where a metric is made best"
err_has "--target 3ms: it must be a plain number, since the objective is the metric gbytes" \
    "says what is wanted"
search --target 5
exits 2 "a time without a unit"
err_has "--target 5: it requires a unit" "says so"
sed 's/^target = .*/target = 1 ms/' "$work/metric.ini" >"$work/wrong.ini"
run "$cltune" search "$work/wrong.ini" -d VideoCore
exits 2 "in the space file too"
err_has "wrong.ini:" "with its place"
err_has "'target' must be a plain number" "and what is wanted"

search --no-progress 14 -s exhaustive --measure-duplicates --json
ok "no progress ends it" "$(jq -r .ended "$out")" = no_progress
# Which come first follows what promises most, and that what had been built by then: the
# stored results, in the order in which they came, tell when the best did.
last=$(sqlite3 "$CLTUNE_DB" "with came as (select row_number() over (order by id) as place,
    time_ns from result) select min(place) from came where time_ns = (select min(time_ns) from came)")
ok "after fourteen in a row" "$(jq --argjson last "$last" '.evaluated - $last | . >= 14 and . <= 30' "$out")" = true
ok "with much unmeasured" "$(jq '.evaluated < 120' "$out")" = true
search --until-chance 20% --json
exits 0 "until little chance remains"
err_has "auto (surrogate), until the chance of a configuration more than 5% better is below 20%" \
    "is told"
ok "ends the search" "$(jq -r .ended "$out")" = chance
ok "when the chance is low" "$(jq '.chance < 0.2 and .evaluated >= 16' "$out")" = true
ok "nothing 5% better than the best is likely" \
    "$(jq ".best[0].configuration.U | . >= 6 and . <= 8" "$out")" = true
search --until-chance 0.2
out_has "the estimated chance of a configuration more than 5% better is below 20%" "in words"
search --until-chance 20% -n 10 --json
ok "fewer results support no statement" "$(jq -r .ended "$out")" = evaluations
search --until-chance 10% -s random
exits 2 "a strategy without estimates"
err_has "use surrogate" "is refused"
search --until-chance 7
exits 2 "more than certain"
search --no-progress 5
ok "it says so" "$(grep -c '^5 new evaluations in a row found nothing better' "$out")" = 1

search --fraction 10% --json
ok "a share of the space" "$(jq -r '[.ended, .evaluated] | @tsv' "$out")" = \
    "$(printf 'fraction\t16')"
search --fraction 0.01 -n 100 --json
ok "the smaller budget counts" "$(jq -r '[.ended, .evaluated] | @tsv' "$out")" = \
    "$(printf 'fraction\t2')"
search --fraction 1 -n 3 --json
ok "whichever it is" "$(jq -r '[.ended, .evaluated] | @tsv' "$out")" = \
    "$(printf 'evaluations\t3')"
search --fraction 101%
exits 2 "more than all"
err_has "--fraction requires a share such as 0.05 or 5%, not '101%'" "says what is wanted"
sed -e '/^\[metric\]/i [measure]\nfraction = 10%\nno_progress = 100\n' "$work/u.ini" \
    >"$work/keys.ini"
rm -f "$CLTUNE_DB"
run "$cltune" search "$work/keys.ini" -d VideoCore --dry-run
out_has "at most 16 new evaluations (a share of the valid ones), at most 100 in a row" \
    "keys of the space file"
run "$cltune" search "$work/keys.ini" -d VideoCore --dry-run --fraction 5%
out_has "at most 8 new evaluations" "the command line decides"
search -t 1ms --json
ok "time" "$(jq -r .ended "$out")" = time

# --- the play-off is part of the time ---
few="--param U=1,2 --param VEC=1 --param WG=1"
# shellcheck disable=SC2086
search $few -t 400ms
err_has "at most 0.4 s (0.2 s of it for the play-off)" "its share is planned"
err_has "warning: no play-off: it takes at least" "without the time for a play-off there is none"
err_lacks "play-off: 2 conf" "none is begun"
# shellcheck disable=SC2086
search $few -t 1ms --rough
err_lacks "of it for" "without a play-off nothing is kept for it"
# shellcheck disable=SC2086
search $few --playoff 0.01%
err_has "warning: no play-off: it takes at least" "a share that is too small"
# shellcheck disable=SC2086
search $few --playoff 90%
err_has "fresh processes, at most " "how long it may take is said before"
ok "and after" "$(grep -c '^play-off .*(at most ' "$out")" = 1
out_lacks "cut short" "it had the time"
ok "nothing was too long without a budget" "$(grep -c '^over ' "$out")" = 0
# shellcheck disable=SC2086
search $few -t 1h --json
ok "a whole search within its time" "$(jq -c '[.ended, .over_budget_ns, .playoff.cut, .playoff.limit_ns]' "$out")" = \
    '["whole",0,false,900000000000]'

done_testing
