#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The winner is really the winner: play-offs, the A/A test, ties, and what is told of them.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/playoff.ini
query() { sqlite3 "$CLTUNE_DB" "$1"; }
fresh_counters() {
    rm -f "$work/counters"
    export VIRTUALCL_COUNTERS="$work/counters"
}

# --- a lucky process does not win ---
fresh_counters
some="--param A=1,2,3,4,5"
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --json
exits 0 "a search"
cp "$out" "$work/first.json"
lucky='.best[] | select(.configuration.A == 2)'
ok "the true best wins" "$(jq -c '.best[0].configuration' "$out")" = '{"A":3}'
ok "one that was lucky before does not" "$(jq -c "$lucky | [.raw_ns, .time_ns, .tied]" "$out")" \
    = '[750000,1000000,false]'
ok "the one as good is tied with it" "$(jq -c '.best[1] | [.configuration.A, .tied, .rank]' "$out")" = '[4,true,2]'
ok "the winner is not tied with itself" "$(jq '.best[0].tied' "$out")" = false
ok "its time is that of three processes, which never differ here" "$(jq -c '.best[0] | [.rounds, .time_ns]' "$out")" \
    = '[3,900000]'
# 0.145%: t(97.5%, 4) = 2.776, of a median of three whose deviation is 0.2% / 1.96 / sqrt(2).
ok "but no interval is that narrow" "$(jq -c '.best[0] | [.low_ns, .high_ns | round]' "$out")" = '[898696,901306]'
ok "the default is beside it in one of them" "$(jq '.default.rounds' "$out")" = 1
ok "gains are told from those" "$(jq '.default.time_ns / .best[0].time_ns * 1000 | round' "$out")" = 1667
ok "the play-off is described" "$(jq '.playoff | .entrants >= 3 and .processes >= 11 and .tied == 1
    and .resolution <= 0.01 and (.doubtful | not)' "$out")" = true
ok "and the A/A test" "$(jq '.noise | .processes == 5 and .within < 0.001 and .between < 0.001
    and .samples == 2 and .median_ns == 1500000' "$out")" = true
ok "no drift is seen where there is none" "$(jq '.drift.change' "$out")" = 0
ok "nobody is measured twice for the search" "$(jq .scheduler.measured "$out")" = 5
ok "the look-up answers with the winner" "$("$cltune" best playoff --json | jq -c '.[0].configuration')" = '{"A":3}'
ok "its stored time is the play-off's" \
    "$(query "select time_ns from result where configuration = '{\"A\":2}'")" = 1000000.0

# --- duplicates after a second play-off ---
# 2 was so lucky that only 3 met it; once that is known, 4 meets 3.  Nobody uses C.
fresh_counters
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/^A = .*/A = 1..5\nC = 7, 8/' "$space" >"$work/twice.ini"
sed 's/event_scale:75/event_scale:50/; / A 6 /d' "${space%.ini}.cl" >"$work/playoff.cl"
run "$cltune" search "$work/twice.ini" -d VideoCore --json --db "$work/twice.db"
ok "a lucky leader means a second play-off" "$(grep -c '^play-off:' "$err")" = 2
of_a() { jq -c "[.best[] | select(.configuration.A == $1) | [.rank, .tied]]" "$out"; }
ok "the pick's duplicate is not tied with it" "$(of_a 3)" = '[[1,false],[1,false]]'
ok "those of the tied share its rank" "$(of_a 4)" = '[[2,true],[2,true]]'
ok "and so do those of who lost before" "$(of_a 2)" = '[[3,false],[3,false]]'

# --- processes that differ are counted more often ---
fresh_counters
# shellcheck disable=SC2086
VIRTUALCL_NOISE=process:0.02,seed:4 run "$cltune" search "$space" -d VideoCore $some --json -q --db "$work/noisy.db"
exits 0 "a search on a noisy device"
ok "the A/A test shows it" "$(jq '.noise.resolution > 0.005' "$out")" = true
ok "the best time comes from six processes, the default's from three of them" "$(jq -c '[.best[0].rounds, .default.rounds, .playoff.processes >= 11]' "$out")" \
    = '[6,3,true]'

# --- A/A test and play-off have a share of the search ---
fresh_counters
# shellcheck disable=SC2086
VIRTUALCL_NOISE=normal:0.1,process:0.06,seed:4 run "$cltune" search "$space" -d VideoCore --param A=1,3,4,5 --json \
    --db "$work/share.db"
exits 0 "a search that is shorter than its play-off, of processes that differ"
err_has "in fresh processes, up to about " "how long it may take is said before"
err_has "(planned: 11 processes, " "and the plan"
ok "each play-off has the rounds that an interval requires, and a rematch, but no others" \
    "$(jq '.playoff | .processes <= 3 * (11 + 11)' "$out")" = true
ok "each time that is stated has its interval" "$(jq '.best[0] | .rounds == 6 and .low_ns < .high_ns' "$out")" = true
ok "the plan is in JSON" "$(jq '.playoff | .planned_ns > 0 and .planned_ns <= .limit_ns and (.cut | not)' "$out")" = true
# One that is 20% slower is no contender where processes agree.
fresh_counters
run "$cltune" search "$space" -d VideoCore --param A=1,3,4,5 --json -q --db "$work/few.db"
ok "what the first samples rule out takes no part" "$(jq '[.best[] | select(.configuration.A == 5) | .rounds]' "$out" |
    tr -d ' \n')" = "[0]"
ok "the contenders do" "$(jq '.playoff.entrants' "$out")" = 2

# Nor is one that is 0.8% slower, unless processes differ.
sed 's/factor A 5 1.2/factor A 5 0.9072/' "$root/tests/cli/spaces/playoff.cl" >"$work/playoff.cl"
cp "$space" "$root/tests/cli/spaces/copy.c" "$work/"
fresh_counters
run "$cltune" search "$work/playoff.ini" -d VideoCore --param A=1,3,4,5 --json -q --db "$work/near.db"
ok "0.8% decide where processes agree" \
    "$(jq -c '[.noise.resolution <= 0.005, (.best[] | select(.configuration.A == 5) | .rounds)]' "$out")" = "[true,0]"
fresh_counters
VIRTUALCL_NOISE=process:0.004,seed:4 run "$cltune" search "$work/playoff.ini" -d VideoCore --param A=1,3,4,5 --json -q \
    --db "$work/differ.db"
ok "and not where they differ" \
    "$(jq -c '[.noise.resolution > 0.005, (.best[] | select(.configuration.A == 5) | .rounds > 0)]' "$out")" = "[true,true]"

# --- a target that only a lucky process reached ---
fresh_counters
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --target 0.8ms -s exhaustive -j 1 --json --db "$work/target.db"
exits 0 "a target"
err_has "the play-off did not confirm the target; continuing" "that a play-off misses is not reached"
ok "and the search is whole" "$(jq -c '[.ended, .evaluated, .best[0].configuration.A]' "$out")" = '["whole",5,3]'
fresh_counters
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --target 0.95ms -s exhaustive -j 1 --json --db "$work/target2.db"
ok "one that is met ends it" "$(jq -c '[.ended, .best[0].configuration.A]' "$out")" = '["target",3]'

# --- continuing ---
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --json
ok "nothing new: no process is started" "$(jq -c '[.playoff, .noise, .scheduler.runners_started]' "$out")" = '[null,null,0]'
jq -c '[.best[] | [.configuration, .rank, .tied, .time_ns, .raw_ns, .rounds]]' "$work/first.json" >"$work/a"
jq -c '[.best[] | [.configuration, .rank, .tied, .time_ns, .raw_ns, .rounds]]' "$out" >"$work/b"
run cmp "$work/a" "$work/b"
exits 0 "and the standing is the same"
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --fresh
exits 0 "once more from the start, in words"
out_has "#1 with 1 other: #2; differences below 0.5% are within the noise" "ties are named"
out_has "play-off  " "the play-off is told"
out_has "noise     0.0% between processes" "and the noise"
err_has "noise      0.0% between processes" "which was told before, too"

# A new one meets those that are stored.
CLTUNE_DB=$work/more.db
fresh_counters
run "$cltune" search "$space" -d VideoCore --param A=1,4 --json -q
ok "of two the better one" "$(jq -c '.best[0].configuration' "$out")" = '{"A":4}'
run "$cltune" search "$space" -d VideoCore --param A=1,3,4 --json -q
ok "what is as good does not take the place of the pick" "$(jq -c '.best[0].configuration' "$out")" = '{"A":4}'
ok "which is known from before" "$(jq -c '.best[0] | [.known_before, .rank, .rounds]' "$out")" = '[true,1,6]'
ok "and meets the new one" "$(jq -c '.best[1] | [.configuration.A, .tied, .known_before]' "$out")" = '[3,true,false]'

# The default is preferred to what is as good.
CLTUNE_DB=$work/default.db
sed 's/^A = .*/A = 4, 3, 1/' "$space" >"$work/default.ini"
cp "$root/tests/cli/spaces/playoff.cl" "$root/tests/cli/spaces/copy.c" "$work/"
run "$cltune" search "$work/default.ini" -d VideoCore --json -q
ok "the default wins a tie" "$(jq -c '.best[0].configuration' "$out")" = '{"A":4}'

# --- failing in a play-off ---
CLTUNE_DB=$work/flaky.db
fresh_counters
run "$cltune" search "$space" -d VideoCore --param A=1,3,5,6 --json
exits 0 "one that is wrong in another process"
ok "does not win, though it is the fastest" "$(jq -c '.best[0].configuration' "$out")" = '{"A":3}'
ok "and counts as wrong" "$(jq -c '[.counts.ok, .counts.wrong]' "$out")" = '[3,1]'
err_has "failed in the play-off (wrong)" "which is said"
ok "and stored" "$(query "select status from result where configuration = '{\"A\":6}'")" = wrong

# --- interrupted ---
CLTUNE_DB=$work/stopped.db
fresh_counters
# Its second process is one of the play-off's.
sed 's/fault A 6 wrong process:2/fault A 3 finish_hang process:2/' \
    "$root/tests/cli/spaces/playoff.cl" >"$work/stopped.cl"
sed 's/playoff.cl/stopped.cl/' "$space" >"$work/stopped.ini"
"$cltune" search "$work/stopped.ini" -d VideoCore --param A=1,3,4,5 --timeout 60s \
    >"$out" 2>"$err" </dev/null &
search=$!
tries=0
# Until the second process has come to the fault: a later one must not meet it again.
while ! grep -s finish_hang "$VIRTUALCL_COUNTERS" | uniq -d | grep -q . && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
ok "the play-off hangs in its second process" "$(grep -c '^play-off:' "$err")" = 1
kill -TERM $search
wait $search
status=$?
exits 130 "interrupted in the play-off"
out_has "4 evaluated now" "what was measured is told"
out_has "run the same command to continue" "and how to go on"
ok "it is stored" "$(query "select count(*) from result where status = 'ok'")" = 4
ok "but no standing is" "$(query 'select count(*) from score where standing is not null')" = 0
run "$cltune" search "$work/stopped.ini" -d VideoCore --param A=1,3,4,5 --json -q
exits 0 "the same command"
ok "measures nothing again" "$(jq -c '[.evaluated, .known_before]' "$out")" = '[0,4]'
ok "but plays" "$(jq -c '[.playoff != null, .best[0].configuration.A, .best[0].rank]' "$out")" = '[true,3,1]'

# --- nothing is compiled twice ---
CLTUNE_DB=$work/built.db
fresh_counters
export VIRTUALCL_LOG="$work/log"
# shellcheck disable=SC2086
run "$cltune" search "$space" -d VideoCore $some --json -q --no-cache --measure-duplicates
exits 0 "without stored binaries"
grep build_begin "$work/log" | sed 's/.*code=\([0-9a-f]*\) options=\([0-9a-f]*\).*/\1 \2/' >"$work/builds"
ok "nothing is compiled twice" "$(wc -l <"$work/builds")" = "$(sort -u "$work/builds" | wc -l)"
# Builders that begin at the same time find out each for itself.
ok "each once, and the types of arguments" "$(wc -l <"$work/builds")" -ge 6
ok "which no builder needs more than once" "$(wc -l <"$work/builds")" -le $((5 + $(getconf _NPROCESSORS_ONLN)))
ok "which is what is told" "$(jq .scheduler.built "$out")" = 5
# Eleven of the play-off and five of the test, whoever has started them: builders lend theirs.
ok "in many processes" "$(awk '$3 == "launch" { print $2 }' "$work/log" | sort -u | wc -l)" -ge 16
unset VIRTUALCL_LOG

# --- objectives, options ---
CLTUNE_DB=$work/metric.db
fresh_counters
sed 's/^speed = .*/&\n\n[measure]\nobjective = speed\ndirection = maximize/' "$space" >"$work/metric.ini"
run "$cltune" search "$work/metric.ini" -d VideoCore --param A=1,2,3,4,5 --json -q
exits 0 "a metric that is maximized"
ok "has the same winner" "$(jq -c '.best[0].configuration' "$out")" = '{"A":3}'
ok "whose value is that of the play-off" "$(jq '.best[0].value * 1000 | round' "$out")" = 1111
ok "and so is that of others" "$(jq "$lucky | .value" "$out")" = 1

# No play-off decides where a value may be 0: what is stored are the first samples.
cp "$root"/tests/cli/spaces/playoff.cl "$root"/tests/cli/spaces/copy.c "$work"
sed 's/^speed = .*/nothing = 0 * time_ns/; /^\[metric\]/i [measure]\ndirection = minimize\n' "$space" >"$work/zero.ini"
default_samples() { query "select length(samples_ns) / 8 from result where configuration = '{\"A\":1}'"; }
CLTUNE_DB=$work/first.db
run "$cltune" search "$work/zero.ini" -d VideoCore --objective nothing --json -q
ok "the default has few samples where the A/A test times it again" "$(default_samples)" = 3
CLTUNE_DB=$work/few.db
run "$cltune" search "$work/zero.ini" -d VideoCore --objective nothing -n 3 --json -q
ok "but more where there is none" "$(default_samples)" = 10
CLTUNE_DB=$work/rough.db
run "$cltune" search "$work/zero.ini" -d VideoCore --objective nothing --rough --json -q
ok "as in rough searches" "$(default_samples)" = 10
CLTUNE_DB=$work/samples.db
run "$cltune" search "$space" -d VideoCore --param A=1,3,4,5 --samples 7 --no-race --json -q
exits 0 "--samples"
ok "are so many" "$(query "select distinct length(samples_ns) / 8 from result where configuration like '%3%'")" = 7
ok "and told" "$(jq .noise.samples "$out")" = 7
run "$cltune" search "$space" -d VideoCore --param A=1,3 --json -q --db "$work/two.db"
ok "no A/A test for one evaluation" "$(jq .noise "$out")" = null
run "$cltune" search "$space" -d VideoCore --cache luke
exits 2 "a cache that is neither warm nor cold"
err_has "--cache must be warm or cold" "says what there is"

# --- for real ---
unset OCL_ICD_VENDORS VIRTUALCL_COUNTERS
CLTUNE_DB=$work/real.db
run "$cltune" search "$root/tests/cl/spaces/plain.ini" -d 0:0 --json -q
exits 0 "on a real device"
ok "times come from the play-off" "$(jq '.playoff.processes >= 6 and .best[0].rounds >= 3
    and .best[0].rank == 1' "$out")" = true
ok "with their intervals" "$(jq '[.best[] | .low_ns <= .time_ns and .time_ns <= .high_ns] | all' "$out")" = true
ok "noise is told" "$(jq '.noise.processes == 5 and .noise.resolution > 0' "$out")" = true
winner=$(jq -c '.best[0].configuration' "$out")
run "$cltune" search "$root/tests/cl/spaces/plain.ini" -d 0:0 --json -q
ok "the second time it is the same" "$(jq -c '.best[0].configuration' "$out")" = "$winner"
ok "without a process" "$(jq .scheduler.runners_started "$out")" = 0

done_testing
