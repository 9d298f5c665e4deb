#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rows of strangers' databases: every condition of the schema, every reference and every rank is checked
# when results are merged, although cltune reads most of them itself instead of asking SQLite.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0
space=$root/tests/cli/spaces/virtual.ini
good=$work/good.db
bad=$work/bad.db
target=$work/target.db
"$cltune" search "$space" -d VideoCore -q --rough --fresh --param WG=1,2,4 --db "$good" >/dev/null 2>&1
"$cltune" search "$space" -d Virtual -q --rough --db "$target" >/dev/null 2>&1
sqlite3 "$good" "pragma journal_mode = delete" >/dev/null
before=$(sqlite3 "$target" .dump | cksum)

# refuses SQL TEXT WHAT: the good file, changed so, is refused with that text, also as the second of two;
# nothing of either file is merged.
refuses() {
    cp "$good" "$bad"
    sqlite3 "$bad" "pragma ignore_check_constraints = on; pragma foreign_keys = off; $1" >/dev/null
    for first in "" "$good"; do
        run "$cltune" db merge $first "$bad" --db "$target"
        exits 1 "$3"
        err_has "$2" "is refused"
    done
    ok "nothing is merged" "$(sqlite3 "$target" .dump | cksum)" = "$before"
}

# --- conditions of results: COLUMN VALUE, each alone breaks one ---
last="where id = (select max(id) from result)"
cat >"$work/values" <<'E2'
experiment 'short'
experiment printf('%016d', 7) || char(0) || printf('%016d', 7)
status 'fine'
status ''
status 'o'
status 'ok'', ''wrong'
verified 2
stopped_early -1
wall_clock 3
attempts 0
superseded 2
mismatch_guard 2
rounds -1
twin_of 'x'
configuration '[]'
configuration '{'
configuration ''
metrics '{'
resources 'x'
observed '{"a":}'
samples_ns x'00'
rounds_ns x'0000'
E2
while read -r column value; do
    refuses "update result set $column = $value $last" "would not store (CHECK constraint failed)" "$column = $value"
done <"$work/values"
sqlite3 "$good" "select sql from sqlite_schema where name = 'result'" | grep -o "CHECK (" | wc -l >"$work/conditions"
ok "all conditions of results are tried" "$(cut -d ' ' -f 1 "$work/values" | sort -u | wc -l)" = "$(cat "$work/conditions")"

# What SQLite would store is merged: characters count, not bytes.
cp "$good" "$bad"
sqlite3 "$bad" "update result set experiment = replace(hex(zeroblob(16)), '0', 'é') $last;
    update result set attempts = 9, superseded = 1, metrics = ' {\"a\": [1, null]}', configuration = '{\"WG\": 1.5, \"x\": \"\\\\u00e9\"}' $last"
run "$cltune" db merge "$bad" --db "$work/fresh.db"
exits 0 "values that are odd and allowed"
ok "all results are there" "$(sqlite3 "$work/fresh.db" 'select count(*) from result')" = "$(sqlite3 "$bad" 'select count(*) from result')"

# --- references, of rows whose neighbours are sound ---
for column in device_id run_id kernel_id problem_id; do
    for id in 0 77; do
        refuses "update result set $column = $id $last" "a row of result refers to one that is missing" "a result's $column $id"
        refuses "update result set $column = $id where id = (select min(id) from result)" \
            "a row of result refers to one that is missing" "the first result's $column $id"
    done
done
refuses "update result set device_id = 0, run_id = 0, kernel_id = 0, problem_id = 0 where id = (select min(id) from result)" \
    "a row of result refers to one that is missing" "a first result that refers to nothing"
for column in device_id kernel_id problem_id; do
    refuses "update score set $column = 77 where result_id = (select max(result_id) from score)" \
        "a row of score refers to one that is missing" "a score's $column"
done
refuses "delete from best; update score set result_id = 777 where result_id = (select max(result_id) from score)" \
    "a row of score refers to one that is missing" "a score of no result"
refuses "update best set result_id = 777" "a row of best refers to one that is missing" "a best of no result"
refuses "update run set device_id = 77" "a row of run refers to one that is missing" "a run on no device"
# A selection does not hide them.
cp "$good" "$bad"
sqlite3 "$bad" "pragma foreign_keys = off; update result set run_id = 77 $last"
run "$cltune" db export -d Other -o "$work/none.db" --db "$bad"
exits 1 "an export of something else"
err_has "a row of result refers to one that is missing" "is refused, too"

# --- ranks: of the run's objective, of time, of what was seen beside it ---
score="insert into score select device_id, kernel_id, problem_id"
of="result_id, configuration_hash, null, 0 from score where objective = 'time' and result_id = (select max(result_id) from score)"
refuses "update score set rank = rank * 0.999 where result_id = (select max(result_id) from score)" "a value that is not its own" "a rank that is a little better"
refuses "update score set rank = -1e999 where result_id = (select max(result_id) from score)" "a value that is not its own" "an infinite rank"
refuses "update run set objective = 'energy'; update result set objective_value = 5; $score, 'energy', 'minimize', 4, $of" \
    "a value that is not its own" "a rank of the run's objective"
refuses "update run set objective = 'energy'; update result set objective_value = 5; $score, 'energy', 'maximize', 5, $of; update result set metrics = '{\"energy\":5}'" \
    "a value that is not its own" "a rank of the other direction"
refuses "update result set end_to_end_ns = 7; $score, 'end_to_end', 'minimize', 6, $of" "a value that is not its own" "a rank of end_to_end"
refuses "update result set metrics = '{\"gflops\":7}'; $score, 'gflops', 'maximize', -8, $of" "a value that is not its own" "a rank of a metric"
refuses "update result set observed = '{\"power\":7}'; $score, 'power', 'minimize', 6, $of" "a value that is not its own" "a rank of what was observed"
cp "$good" "$bad"
sqlite3 "$bad" "update result set metrics = '{\"gflops\":7}', end_to_end_ns = 7; $score, 'gflops', 'maximize', -7, $of; $score, 'end_to_end', 'minimize', 7, $of"
run "$cltune" db merge "$bad" --db "$work/right.db"
exits 0 "ranks that are their results' values"
ok "are merged" "$(sqlite3 "$work/right.db" "select count(*) from score where objective in ('gflops', 'end_to_end')")" = 2

# --- a result that replaces another takes what referred to that with it ---
cp "$good" "$work/newer.db"
cp "$good" "$work/both.db"
sqlite3 "$work/newer.db" "update result set measured_unix_s = measured_unix_s + 9, attempts = 2"
run "$cltune" db merge "$work/newer.db" --db "$work/both.db"
out_has "$(sqlite3 "$good" 'select count(*) from result') replaced" "newer results replace all"
ok "no row refers to one that is gone" -z "$(sqlite3 "$work/both.db" 'pragma foreign_key_check')"
run "$cltune" db check --db "$work/both.db"
exits 0 "the database is sound"
run "$cltune" db merge "$good" --db "$work/both.db"
out_has "0 of" "older ones change nothing"

# --- a full disk, and a merge that is killed ---
large=$work/large.db
cp "$good" "$large"
sqlite3 "$large" "with recursive i(n) as (select 1 union all select n + 1 from i where n < 3000) insert into result
    select null, device_id, printf('%032x', n), run_id, kernel_id, problem_id, $(sqlite3 "$good" "select group_concat(name, ', ')
    from pragma_table_info('result') where cid > 5" |
    sed "s/, configuration,/, printf('{\"WG\":%d}', n),/") from i cross join (select * from result limit 1)"
run sh -c "trap '' XFSZ; ulimit -f 500; '$cltune' db merge '$large' --db '$target'"
exits 1 "a full disk"
ok "is one line" "$(wc -l <"$err")" = 1
err_has "the disk is full" "says so"
ok "nothing is merged" "$(sqlite3 "$target" .dump | cksum)" = "$before"
all=0
for ms in 1 5 10 20 30 40 60 80; do
    cp "$target" "$work/killed.db"
    "$cltune" db merge "$large" "$good" --db "$work/killed.db" >/dev/null 2>&1 &
    sleep 0.0$((ms / 10))$((ms % 10))
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    results=$(sqlite3 "$work/killed.db" "select count(*) from result")
    [ "$results" = "$(sqlite3 "$target" "select count(*) from result")" ] || [ "$results" -gt 3000 ] || all=$results
done
ok "a killed merge has merged all or nothing" "$all" = 0

# --- files that differ in kind, in one merge ---
run "$cltune" db merge "$good" "$work/newer.db" "$good" "$work/none-such.db" --db "$target"
exits 3 "a last file that is missing"
ok "nothing is merged" "$(sqlite3 "$target" .dump | cksum)" = "$before"
run "$cltune" db merge "$good" "$target" --db "$target"
err_has "cannot be merged into itself" "a second file that is the target"
ok "nothing is merged" "$(sqlite3 "$target" .dump | cksum)" = "$before"
run "$cltune" db merge "$good" "$good" "$work/newer.db" "$good" --db "$work/many.db"
exits 0 "a file several times"
same=$(sqlite3 "$work/many.db" "select experiment, measured_unix_s, attempts from result order by 1")
ok "the newest results are there" "$same" = "$(sqlite3 "$work/newer.db" "select experiment, measured_unix_s, attempts from result order by 1")"
done_testing
