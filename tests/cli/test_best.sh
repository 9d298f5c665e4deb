#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best: where its answer comes from, and for which objective.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
unverified="unverified: its outputs were not checked"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }

run "$cltune" search "$space" -d VideoCore -q
exits 0 "a search"
# What a play-off leaves in the database: the third is the pick, the first is tied with it.
sql "update score set standing = null, tied = 0; update result set rounds = 0"
sql "update score set standing = 1, tied = 1 where result_id = (select result_id from best)"
third=$(sql "select result_id from score order by rank limit 1 offset 2")
sql "update score set standing = 0 where result_id = $third;
     update result set rounds = 7, verified = 0 where id = $third;
     update best set result_id = $third, value = (select time_ns from result where id = $third)"
run "$cltune" best vcopy
exits 0 "after a play-off"
out_has "timed in 7 processes; statistically tied with 1 other" "says where its time comes from"
out_has "$unverified" "and that nothing compared its outputs"
out_lacks "objective" "the time needs no word"
run "$cltune" best vcopy --json
ok "so does JSON" "$(jq -c '.[0] | [.rounds, .tied, .unverified, .objective]' "$out")" = '[7,1,true,"time"]'
ok "whose configuration is the pick's" \
    "$(jq -cS '.[0].configuration' "$out")" = "$(sql "select configuration from result where id = $third")"
run "$cltune" best vcopy --format header
out_has "$unverified" "so does a header"
out_lacks "best in" "which is about the time"

sql "update score set standing = null, tied = 0;
     update result set rounds = 0, verified = 1, end_to_end_ns = 12.5, observed = '{\"host_load\":1.0}'"
run "$cltune" best vcopy
out_lacks "play-off" "without a play-off it says nothing of one"
out_lacks "unverified" "nor of what was compared"
run "$cltune" best vcopy --json
ok "nor does JSON" "$(jq -c '.[0] | [.rounds, .tied, .unverified]' "$out")" = '[0,0,false]'
ok "which tells what was seen beside time" \
    "$(jq '.[0] | .end_to_end_ns == 12.5 and .observed.host_load == 1' "$out")" = true

cp -r "$root/tests/cli/spaces" "$work/spaces"
printf '[measure]\nobjective = gbytes\ndirection = maximize\n' >>"$work/spaces/virtual.ini"
run "$cltune" search "$work/spaces/virtual.ini" -d VideoCore -q --param WG=1 --param VEC=1,4
exits 0 "a search for another objective"
run "$cltune" best vcopy
exits 0 "without --objective"
out_lacks "gbytes" "the time is meant where there is one"
run "$cltune" best vcopy --objective gbytes
exits 0 "--objective asks for another"
out_has "objective gbytes " "and tells its value"
out_has "(larger is better)" "and direction"
run "$cltune" best vcopy --objective gbytes --json
ok "as does JSON" \
    "$(jq -c '.[0] | [.objective, .direction, .objective_value == .metrics.gbytes]' "$out")" = \
    '["gbytes","maximize",true]'
run "$cltune" best vcopy --objective gbytes --format header
exits 0 "a header for it"
out_has "* best in:  gbytes " "says so, too"
run "$cltune" best vcopy --objective time --format flags
exits 0 "--objective time"
run "$cltune" best vcopy --objective gbyte
exits 3 "an objective that nothing was tuned for"
err_has "was tuned for time, not for gbyte" "says what there is"

# More than three answers are a table.
sql "insert into problem (hash, sizes) select substr('$(printf '%032d' 0)' || n, -32),
         json_object('n', n) from (select 2048 as n union select 4096 union select 8192);
     insert into best select kernel_id, device_id, problem.id, objective, direction, value, result_id
         from best join problem on problem.id != best.problem_id"
run "$cltune" best
out_has "KERNEL DEVICE" "many answers have a head"
ok "and a line each" "$(grep -c "n=[0-9]* .*WG=" "$out")" = 4
out_has "name a kernel, --device or --problem" "and a hint at the rest"
run "$cltune" best -p n=2048
out_has "options" "fewer are told in full"

# --- gains are against the default of a search that ended ---
sql "delete from best where problem_id != (select min(id) from problem)"
run "$cltune" best vcopy --objective time --json
ok "a search that ended tells the default's time" "$(jq '.[0].default_time_ns > 0' "$out")" = true
sql "update run set status = 'interrupted'"
run "$cltune" best vcopy --objective time --json
ok "an interrupted one does not" "$(jq -c '.[0].default_time_ns' "$out")" = null
run "$cltune" best vcopy --objective time
out_lacks "times as fast as the default" "nor is a gain quoted"

done_testing
