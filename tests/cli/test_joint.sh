#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune search -p n=512:3,1024:1: one search for several problems, on a device whose times are known
# (spaces/joint.cl), what it stores, and that `best --portable` finds it again.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" XDG_CACHE_HOME="$work/cache" VIRTUALCL_COUNTERS="$work/counters"
space=$root/tests/cli/spaces/joint.ini
joint() { jq -c ".joint.best[0].configuration | [.A, .VEC]" "$out"; }
portable() { jq -c ".variants[0].configuration | [.A, .VEC]" "$out"; }

run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --json -q
exits 0 "both problems count the same"
ok "the best geometric mean" "$(joint)" = "[4,1]"
ok "is that of the ratios to each problem's best" \
    "$(jq -c '.joint.best[0] | [(.ratios[] * 1000 | round), (.mean_ratio * 1000 | round)]' "$out")" = "[2560,1068,1653]"
ok "and comes from play-offs, which a lucky one has lost" "$(jq .joint.best[0].confirmed "$out")" = true
raw() { sqlite3 "$CLTUNE_DB" "SELECT raw_ns FROM result JOIN problem ON problem.id = problem_id
    WHERE configuration = '{\"A\":4,\"VEC\":$1}' AND sizes = '{\"n\":$2}'"; }
ok "who led before them" "$(echo "$(raw 8 512) $(raw 8 1024) $(raw 1 512) $(raw 1 1024)" | awk '{ print ($1 * $2 < $3 * $4) }')" = 1
ok "what is wrong for one problem is out" "$(jq -c '[.joint.failed, ([.joint.best[].configuration.VEC] | index(4))]' "$out")" = "[6,null]"
ok "each is evaluated once for each problem" "$(jq -c '[.joint.evaluated, (.problems[] | .evaluated)]' "$out")" = "[18,18,18]"
tell_spent "both problems"
run "$cltune" best joint --portable -p n=512:1,1024:1 --json
ok "it is found again" "$(portable)" = "[4,1]"
run "$cltune" best joint -p n=512 --format flags
ok "as is the best for each problem alone" "$(cat "$out")" = "-D A=1 -D VEC=4 -D N=512"
run "$cltune" best joint -p n=1024 --format flags
ok "which are others" "$(cat "$out")" = "-D A=6 -D VEC=1 -D N=1024"

# Other weights: everything is stored but the times of play-offs.
run "$cltune" search "$space" -d VideoCore -p n=512:3,1024:1 --rough --json -q
exits 0 "other weights"
ok "nothing is measured again" "$(jq -c '[.joint.evaluated, .joint.known_before]' "$out")" = "[0,18]"
ok "another one is best" "$(joint)" = "[3,1]"
ok "the weights are those given" "$(jq -c '[.joint.joint[] | [.problem.n, .weight]]' "$out")" = "[[512,3],[1024,1]]"
run "$cltune" best joint --portable -p n=512:3,1024:1 --json
ok "it is found again, too" "$(portable)" = "[3,1]"

# Without play-offs nothing confirms the best.
rm -rf "$VIRTUALCL_COUNTERS"
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --rough --db "$work/rough.db" --param VEC=1 --param A=3,4,5
exits 0 "a rough search"
out_has "best for all 2 problems: weighted geometric mean of the ratios to each problem's best" "shows the best of all"
out_has "unconfirmed: there was no play-off" "and says so"
ok "the best first" "$(sed -n '/^best for all/,$p' "$out" | sed -n 3p | grep -c 'A=4 VEC=1')" = 1

# Programs that do not depend on the problem are built once; a limit counts configurations.
run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d VideoCore -p n=512:1,1024:2 --rough -n 5 --json -q --db "$work/n.db"
exits 0 "a limit"
ok "of configurations, not of evaluations" "$(jq -c '[.joint.evaluated, .joint.ended]' "$out")" = '[5,"evaluations"]'
ok "what works for one is measured for the other" "$(jq '.problems[1].evaluated == .problems[0].counts.ok' "$out")" = true
ok "and built once" "$(jq -c '[.problems[0].scheduler.built > 2, .problems[1].scheduler.built]' "$out")" = '[true,0]'

# More that are alike than a play-off takes, and more that are invited.
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed '/pragma virtual factor/d; s/uint i = .*/uint i = get_global_id(0) + WG - WG;/' \
    "$root/tests/cli/spaces/virtual.cl" >"$work/virtual.cl"
sed 's/^WG .*/WG = 1..40/; s/^VEC .*/VEC = 1/; s/^local .*/local = 0/' "$root/tests/cli/spaces/virtual.ini" \
    >"$work/alike.ini"
for seed in 1 2 3; do
    run env VIRTUALCL_PACE=0 VIRTUALCL_NOISE="normal:0.02,process:0.05,seed:$seed" \
        "$cltune" search "$work/alike.ini" -d VideoCore -p n=512:3,1024:1 --db "$work/alike$seed.db"
    exits 0 "many that are alike, $seed"
done

# --- a target: one for the weighted geometric mean of the times, which is 118.7 us for A=4, 119.6 for A=3 ---
target() { jq -c '.joint | [.ended, .target, .target_reached]' "$out"; }
rm -rf "$VIRTUALCL_COUNTERS"
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --target 130us -j 1 --json -q --db "$work/near.db"
exits 0 "a target that two configurations reach"
ok "ends the search" "$(target)" = '["target",130000,true]'
ok "before everything is measured" "$(jq '.joint.evaluated < 18' "$out")" = true
ok "by a mean that play-offs confirm" "$(jq -c '.joint.best[0] | [.confirmed, .mean_value > 118000 and .mean_value < 121000]' "$out")" = "[true,true]"
rm -rf "$VIRTUALCL_COUNTERS"
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --target 119us -j 1 --db "$work/far.db"
exits 0 "a target that seems to be reached by another one first"
ok "which loses its play-off" "$(sed -n '/^best for all/,$p' "$out" | sed -n 3p | grep -c 'A=4 VEC=1')" = 1
out_has "target    the weighted geometric mean of the best is 118." "the summary states the mean"
out_has ", which reaches the target of 119.0 us" "and the target"
rm -rf "$VIRTUALCL_COUNTERS"
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --target 100us --json --db "$work/missed.db"
exits 0 "a target that only the lucky one seems to reach"
ok "is missed, after everything was measured" "$(target)$(jq .joint.evaluated "$out")" = '["whole",100000,false]18'
err_has "the play-off did not confirm the target; continuing" "and the lucky one does not end the search"
run "$cltune" search "$space" -d VideoCore -p n=512:3,1024:1 --target 113us --json -q --db "$work/missed.db"
ok "weights count: 114.7 us" "$(target)" = '["whole",113000,false]'
run "$cltune" search "$space" -d VideoCore -p n=512:3,1024:1 --target 116us --json -q --db "$work/missed.db"
ok "stored results count" "$(target)$(jq .joint.evaluated "$out")" = '["target",116000,true]0'

# --- errors ---
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --rough -q --db "$work/none.db" --param VEC=4
exits 3 "nothing that works for both"
err_has "no configuration worked; the first failure was wrong" "is said"
run "$cltune" search "$space" -d VideoCore -p n=256:1,1024:1 --rough -q --db "$work/each.db" --param VEC=1,4 --param A=1,2
exits 3 "where each works for one of them"
err_has "no configuration worked for all 2 problems; each has some that do" "is said as well"
run "$cltune" search "$space" -d VideoCore -p n=512:1,1024
exits 2 "a weight for one value only"
err_has "-p n: 1 of 2 values have a weight; give all of them one, as in -p n=512:3,1024:1, or none" "which is said"
for weight in 0 -1 x nan inf ''; do
    run "$cltune" search "$space" -d VideoCore -p "n=512:$weight,1024:1"
    exits 2 "'$weight' is no weight"
done
err_has "a weight must be a positive number, not ''" "which is said"
# Of a metric that is maximized, the mean has to be at least the target: 0.0488 for A=4, 0.0484 for A=3.
cp "$root"/tests/cli/spaces/joint.cl "$root"/tests/cli/spaces/copy.c "$work/"
{ cat "$space"; printf '[metric]\ngbytes = 8.0 * n / time_ns\n[measure]\nobjective = gbytes\ndirection = maximize\n'; } >"$work/joint.ini"
rm -rf "$VIRTUALCL_COUNTERS"
run "$cltune" search "$work/joint.ini" -d VideoCore -p n=512:1,1024:1 --target 0.048 --json -q --db "$work/metric.db"
exits 0 "a target of a metric"
ok "is reached from below" "$(jq -c '.joint | [.target, .target_reached, .best[0].mean_value > 0.048 and .best[0].mean_value < 0.05]' "$out")" = "[0.048,true,true]"
run "$cltune" search "$work/joint.ini" -d VideoCore -p n=512:1,1024:1 --target 0.06 --db "$work/metric.db"
out_has "target    the weighted geometric mean of the best is gbytes 0.048" "another one is missed"
out_has ", which misses the target of gbytes 0.06" "which is said"
run "$cltune" search "$work/joint.ini" -d VideoCore -p n=512:1,1024:1 --target 0 --db "$work/metric.db"
exits 2 "a mean of positive numbers is not 0"
err_has "--target 0: a target for weighted problems must be positive" "which is said"
for target in 5 0us; do
    run "$cltune" search "$space" -d VideoCore -p n=512:1,1024:1 --target $target
    exits 2 "a target of $target"
done
run "$cltune" search "$space" -d VideoCore -p "n=(1 > 2 ? 4 : 512):1,1024:1" --dry-run
exits 0 "a choice has a colon of its own"
out_has "kernel     joint, n=512" "which is no weight"
run "$cltune" search "$space" -d VideoCore -p "n=1 > 2 ? 4 : 256" --dry-run
out_has "kernel     joint, n=256" "nor is it one without parentheses"
done_testing
