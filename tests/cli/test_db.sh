#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune db: merging is idempotent, does not depend on order, and is all or nothing; imports, exports,
# pruning, checks and repairs.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0
space=$root/tests/cli/spaces/virtual.ini
sql() { sqlite3 "$@"; }

# All that a database says, without the numbers that it gives to rows.
dump() {
    sqlite3 "$1" "
        select 'kernel', name, source_hash, used_unix_s, parameters from kernel order by 2, 3;
        select 'device', hash, name from device order by 2;
        select 'run', kernel.name, sizes, device.hash, objective, strategy, seed, started_unix_s,
            run.status, ended_unix_s, default_time_ns
            from run join kernel on kernel.id = kernel_id join problem on problem.id = problem_id
            join device on device.id = device_id order by 2, 3, 4, 5, 6, 7, 8;
        select 'result', device.hash, experiment, kernel.name, kernel.source_hash, sizes, status, time_ns,
            measured_unix_s, rounds, configuration, flags, message, hex(samples_ns), hex(rounds_ns)
            from result join kernel on kernel.id = kernel_id join problem on problem.id = problem_id
            join device on device.id = device_id order by 2, 3, 4, 5, 6;
        select 'score', device.hash, kernel.name, kernel.source_hash, sizes, objective, direction, rank,
            standing, tied, experiment
            from score join result on result.id = result_id join kernel on kernel.id = score.kernel_id
            join problem on problem.id = score.problem_id join device on device.id = score.device_id
            order by 2, 3, 4, 5, 6, 7, 8, 11;
        select 'best', device.hash, kernel.name, kernel.source_hash, sizes, objective, value, experiment
            from best join result on result.id = result_id join kernel on kernel.id = best.kernel_id
            join problem on problem.id = best.problem_id join device on device.id = best.device_id
            order by 2, 3, 4, 5, 6, 7;"
}
same() {
    dump "$1" >"$work/dump1"
    dump "$2" >"$work/dump2"
    diff "$work/dump1" "$work/dump2" | head -5 | cut -c1-300 | sed 's/^/# /'
    cmp -s "$work/dump1" "$work/dump2"
    ok "$3" $? -eq 0
}

# Three databases: two devices, two problems, overlapping results, a play-off in the first and third.
a=$work/a.db
b=$work/b.db
c=$work/c.db
"$cltune" search "$space" -d VideoCore -q --db "$a" >/dev/null 2>&1
"$cltune" search "$space" -d VideoCore -q --rough --fresh --param WG=1,2,4,12 --db "$b" >/dev/null 2>&1
"$cltune" search "$space" -d "Virtual" -q --rough --db "$b" >/dev/null 2>&1
cp "$a" "$c"
sleep 1
"$cltune" search "$space" -d VideoCore -q --fresh --param WG=1,4,12 --db "$c" >/dev/null 2>&1
"$cltune" search "$space" -d VideoCore -q --rough -p n=4096 --db "$c" >/dev/null 2>&1
ok "three databases to merge" "$(sql "$a" 'select count(*) > 5 from result') $(sql "$a" 'select count(*) > 1 from score where standing >= 0')" = "1 1"

# --- merge ---
run "$cltune" db merge "$a" "$b" "$c" --db "$work/abc.db"
exits 0 "merge"
out_has "results added" "says what it did"
run "$cltune" db merge "$c" "$b" "$a" --db "$work/cba.db"
exits 0 "merge the other way round"
same "$work/abc.db" "$work/cba.db" "the order of files does not matter"
for file in "$b" "$c" "$a"; do "$cltune" db merge "$file" --db "$work/bca.db" >/dev/null; done
same "$work/abc.db" "$work/bca.db" "nor does merging one after the other"
cp "$work/abc.db" "$work/again.db"
run "$cltune" db merge "$a" "$b" "$c" --db "$work/again.db" --json
ok "merging again adds nothing" "$(jq -c '[.added, .replaced, .devices, .kernels, .runs]' "$out")" = "[0,0,0,0,0]"
same "$work/abc.db" "$work/again.db" "and changes nothing"
run "$cltune" db merge "$a" --db "$work/copy.db"
# Which of equal bests is named may differ.
sql "$a" "select value from best" >"$work/bests1"
sql "$work/copy.db" "select value from best" >"$work/bests2"
dump "$a" | grep -v '^best' >"$work/dump1"
dump "$work/copy.db" | grep -v '^best' >"$work/dump2"
cmp -s "$work/dump1" "$work/dump2" && cmp -s "$work/bests1" "$work/bests2"
ok "a merge into a new database is a copy" $? -eq 0
run "$cltune" db check --db "$work/abc.db"
exits 0 "the merged database is sound"
objects() { sql "$1" "select type, name, sql from sqlite_master order by 1, 2"; }
ok "with all indices" "$(objects "$work/abc.db")" = "$(objects "$a")"
ok "every result of the three is there" "$(for f in "$a" "$b" "$c"; do sql "$f" "select device.hash || experiment || sizes from result join device on device.id = device_id join problem on problem.id = problem_id"; done | sort -u | wc -l)" = \
    "$(sql "$work/abc.db" 'select count(*) from result')"
# Of one play-off the rows are stored one after the other, so that their seconds say nothing.
ranked() { sql "$1" "select sizes, configuration, standing, time_ns from score join result on result.id = result_id join problem on problem.id = score.problem_id where standing >= 0 order by standing, configuration"; }
ok "the play-off that was last ranks" "$(ranked "$work/abc.db")" = "$(ranked "$c")"
ok "and is another one than the first" "$(ranked "$a")" != "$(ranked "$c")"

# Other experiments with the same configurations, half of them later, as with another driver: the later ones compete.
cp "$b" "$work/other.db"
sql "$work/other.db" "update result set experiment = printf('%032x', id), measured_unix_s = measured_unix_s + 100 - id % 2 * 200"
run "$cltune" db merge "$b" "$work/other.db" --db "$work/both.db"
exits 0 "other experiments"
run "$cltune" db merge "$work/other.db" "$b" --db "$work/both2.db"
same "$work/both.db" "$work/both2.db" "in either order"
ok "with all indices where they are looked up" "$(objects "$work/both.db")" = "$(objects "$a")"
run "$cltune" db merge "$work/other.db" --db "$work/both2.db"
run "$cltune" db merge "$b" --db "$work/both2.db"
same "$work/both.db" "$work/both2.db" "and again"
ok "all results are there" "$(sql "$work/both.db" 'select count(*) from result')" = $((2 * $(sql "$b" 'select count(*) from result')))
ok "of each configuration the latest competes alone" "$(sql "$work/both.db" "select count(*), sum(older) from (select exists (select 1
    from result as newer where newer.measured_unix_s > result.measured_unix_s and newer.status = 'ok' and (newer.configuration_hash,
    newer.device_id, newer.problem_id) = (result.configuration_hash, result.device_id, result.problem_id)) as older
    from score join result on result.id = result_id where objective = 'time')")" = "$(sql "$b" "select count(*) from score where objective = 'time'")|0"

# --- all or nothing ---
cp "$a" "$work/target.db"
head -c 20000 "$b" >"$work/cut.db"
run "$cltune" db merge "$c" "$work/cut.db" --db "$work/target.db"
exits 1 "a damaged file among several"
same "$a" "$work/target.db" "nothing of the others was merged"
cp "$b" "$work/lost.db"
sql "$work/lost.db" "pragma foreign_keys = off; delete from device where id = 1"
run "$cltune" db merge "$work/lost.db" --db "$work/target.db"
exits 1 "rows that refer to nothing"
err_has "refers to one that is missing" "are named"
cp "$b" "$work/odd.db"
sql "$work/odd.db" "pragma ignore_check_constraints = on; update result set status = 'fine'"
run "$cltune" db merge "$work/odd.db" --db "$work/target.db"
exits 1 "a status that is none"
err_has "a row that cltune would not store" "is refused"
same "$a" "$work/target.db" "changes nothing"
cp "$b" "$work/long.db"
sql "$work/long.db" "update result set log = printf('%.30000c', 'x') where id = (select min(id) from result)"
run "$cltune" db merge "$work/long.db" --db "$work/target.db"
err_has "longer than cltune stores" "a log that cltune would have cut"
cp "$b" "$work/new.db"
sql "$work/new.db" "pragma user_version = 99"
run "$cltune" db merge "$work/new.db" --db "$work/target.db"
err_has "newer cltune" "a newer schema is refused"
run "$cltune" db merge "$work/target.db" --db "$work/target.db"
exits 2 "so is the database itself"
err_has "cannot be merged into itself" "which is said"
run "$cltune" db merge --db "$work/target.db"
exits 2 "no file to merge"
cp "$b" "$work/trigger.db"
sql "$work/trigger.db" "create trigger t after insert on kernel begin delete from result; end"
run "$cltune" db merge "$work/trigger.db" --db "$work/target.db"
err_has "is not cltune's" "a trigger is refused"

cp "$b" "$work/page.db"
sql "$work/page.db" "pragma journal_mode = delete" >/dev/null
page=$(sql "$work/page.db" "select rootpage from sqlite_schema where name = 'result_by_run'")
tr '\0' '\377' </dev/zero | dd of="$work/page.db" bs=4096 seek=$((page - 1)) count=1 conv=notrunc 2>/dev/null
run "$cltune" db merge "$work/page.db" --db "$work/target.db"
exits 1 "a page of nonsense"
err_has "is damaged" "is refused"
same "$a" "$work/target.db" "and changes nothing"
# refuses SQL TEXT WHAT: a source that was changed so is refused, and says why.
refuses() {
    cp "$b" "$work/changed.db"
    sql "$work/changed.db" "$1"
    run "$cltune" db merge "$work/changed.db" --db "$work/target.db"
    exits 1 "$3"
    err_has "$2" "is refused"
}
refuses "update result set measured_unix_s = strftime('%s', 'now') + 90000 where id = 1" "in the future" "a result of tomorrow"
refuses "update kernel set used_unix_s = 99999999999" "in the future" "a source that would be the newest for ever"
refuses "update score set rank = -5 where result_id = (select min(result_id) from score)" "a value that is not its own" "a rank that is none"
refuses "update problem set sizes = '{\"n\":7}' where id = 1" "not what its hash says" "sizes of another problem"
same "$a" "$work/target.db" "none changes anything"
cp "$b" "$work/rank.db"
sql "$work/rank.db" "update score set rank = rank / 2 where result_id = (select max(result_id) from score)"
run "$cltune" db check --db "$work/rank.db"
exits 1 "a check of ranks"
out_has "competes with" "names the result"
cp "$b" "$work/changed.db"
mkfifo "$work/pipe"
sql "$work/changed.db" "update kernel set used_unix_s = used_unix_s + 9, space_path = 'other.ini', space_file = '$work/pipe', space_hash = printf('%032x', 1)"
cp "$a" "$work/mine.db"
run "$cltune" db merge "$work/changed.db" --db "$work/mine.db"
exits 0 "a source with other files"
ok "the user's space files stay" "$(sql "$work/mine.db" 'select space_path, space_file, space_hash from kernel')" = \
    "$(sql "$a" 'select space_path, space_file, space_hash from kernel')"
# A writer waits until somebody opens the pipe.
sh -c "exec 3>'$work/pipe'; : >'$work/opened'" &
sleep 1
run "$cltune" best vcopy -d VideoCore --db "$work/changed.db"
sleep 1
ok "only regular files are opened" ! -e "$work/opened"
: <>"$work/pipe"
wait $!

# --- info, list ---
run "$cltune" db info --db "$work/abc.db"
exits 0 "info"
out_has "of them successful" "counts"
run "$cltune" db info --db "$work/abc.db" --json
ok "info in JSON" "$(jq .results "$out")" = "$(sql "$work/abc.db" 'select count(*) from result')"
run "$cltune" db list --db "$work/abc.db" --json
ok "list has each kernel, device and problem" "$(jq length "$out")" = \
    "$(sql "$work/abc.db" 'select count(*) from (select distinct kernel_id, device_id, problem_id from result)')"
run "$cltune" db list vcopy -d VideoCore --db "$work/abc.db"
out_lacks "Virtual GPU" "list of one device"

# --- export ---
run "$cltune" db export vcopy -d VideoCore -o "$work/part.db" --db "$work/abc.db"
exits 0 "export"
ok "one device's results" "$(sql "$work/part.db" 'select count(*) from result')" = \
    "$(sql "$work/abc.db" "select count(*) from result join device on device.id = device_id where name like '%VideoCore%'")"
ok "in one file" ! -e "$work/part.db-wal"
run "$cltune" db export vcopy -o "$work/part.db" --db "$work/abc.db"
exits 2 "a file that exists is not overwritten"
err_has "exists already" "which is said"
run "$cltune" db export nothing -o "$work/none.db" --db "$work/abc.db"
exits 3 "nothing to export"
ok "leaves no file" "$(ls "$work" | grep -c 'none\.db')" = 0
# An export that is killed while it writes, and the next one.
cat >"$work/kill.c" <<'END'
#include <signal.h>
int fdatasync(int fd) { return fd + raise(SIGKILL); }
int fsync(int fd) { return fd + raise(SIGKILL); }
END
run cc -shared -fPIC -o "$work/kill.so" "$work/kill.c"
run env LD_PRELOAD="$work/kill.so" ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
    "$cltune" db export vcopy -o "$work/killed.db" --db "$work/abc.db"
exits 137 "an export that is killed"
ok "leaves no file of that name" ! -e "$work/killed.db"
run "$cltune" db export vcopy -o "$work/killed.db" --db "$work/abc.db"
exits 0 "and is no obstacle"
run "$cltune" db check --db "$work/killed.db"
exits 0 "the file is sound"
sql "$work/abc.db" "update result set flags = '-I $work/include -I\"/home/me x\" -include /home/me/x.h -DROOT=/home/me -D \"HOME=/home/me y\" -cl-mad-enable ' || flags, message = 'in /home/me', metrics = '{\"/home/me/rate\":1.5,\"rate_GBps\":2.5}'"
run "$cltune" db export --contribute --runners-up 2 -o "$work/gift.db" --db "$work/abc.db"
exits 0 "a contribution"
ok "three of each subject" "$(sql "$work/gift.db" 'select max(n) from (select count(*) as n from result group by kernel_id, device_id, problem_id)')" = 3
ok "all successful" "$(sql "$work/gift.db" "select count(*) from result where status <> 'ok'")" = 0
ok "no path, message or host" "$(sql "$work/gift.db" .dump | grep -cE "/home/me|$work|$(hostname)|$(id -un)@")" = 0
ok "options without folders stay" "$(sql "$work/gift.db" "select count(*) from result where flags like '-cl-mad-enable -D%'")" = \
    "$(sql "$work/gift.db" 'select count(*) from result')"
ok "plain metrics stay" "$(sql "$work/gift.db" "select count(*) from result where metrics = '{\"rate_GBps\":2.5}'")" = \
    "$(sql "$work/gift.db" 'select count(*) from result')"
cp "$work/abc.db" "$work/paths.db"
sql "$work/paths.db" "update result set configuration = json_set(configuration, '\$.FILE', '/home/me/x'), flags = flags || ' -D FILE=/home/me/x'"
run "$cltune" db export --contribute -o "$work/paths-gift.db" --db "$work/paths.db"
exits 1 "a path as a value"
err_has "may give away a path ('FILE=/home/me/x')" "is refused, and named"
ok "nothing is given away" ! -e "$work/paths-gift.db"
ok "device facts are there" "$(sql "$work/gift.db" "select count(*) from device where limits not like '%DEVICE_MAX_WORK_GROUP_SIZE%'")" = 0
run "$cltune" db merge "$work/gift.db" --db "$work/other.db"
run "$cltune" best vcopy -d VideoCore --db "$work/other.db" -p n=4096 --format json
exits 0 "which others can merge and ask"

# --- import ---
cat >"$work/clblast.json" <<'END'
{"kernel_family": "xaxpy", "precision": "32", "arg_n": "4096", "clblast_device_name": "Mali-G72",
 "device_vendor": "ARM", "device_type": "GPU", "results": [
 {"kernel": "Xaxpy", "time": 0.5, "parameters": {"VW": 1, "WGS": 64}},
 {"kernel": "Xaxpy", "time": 0.25, "parameters": {"VW": 4, "WGS": 64}}]}
END
cat >"$work/ktt.json" <<'END'
{"Metadata": {"Device": "NVIDIA H100", "TimeUnit": "Microseconds"}, "Results": [
 {"KernelName": "nbody", "Status": "Ok", "TotalDuration": 120.5, "Configuration": [{"Name": "TILE", "Value": 16}, {"Name": "FAST", "Value": true}]},
 {"KernelName": "nbody", "Status": "ValidationFailed", "TotalDuration": 20, "Configuration": [{"Name": "TILE", "Value": 32}, {"Name": "FAST", "Value": true}]},
 {"KernelName": "nbody", "Status": "CompilationFailed", "TotalDuration": 0, "Configuration": [{"Name": "TILE", "Value": 64}, {"Name": "FAST", "Value": false}]}]}
END
printf 'A,NAME,time_ms,status\n1,"x, y",2.5,ok\n\n2,z,,wrong\n3,z,1.5,\n\r\n\n' >"$work/plain.csv"
export CLTUNE_DB="$work/import.db"
run "$cltune" db import "$work/clblast.json" "$work/ktt.json"
exits 0 "import of CLBlast's and KTT's JSON"
run "$cltune" best xaxpy --json
ok "CLBlast: the best" "$(jq -c '.[0] | [.device, .type, .problem.n, .configuration, .time_ns, .unverified, .flags]' "$out")" = \
    '["Mali-G72","GPU",4096,{"VW":4,"WGS":64},250000,true,"-D VW=4 -D WGS=64"]'
run "$cltune" best nbody -d H100 --json
ok "KTT: the best" "$(jq -c '.[0] | [.configuration, .time_ns]' "$out")" = '[{"FAST":1,"TILE":16},120500]'
run "$cltune" results nbody --json
ok "KTT: failures" "$(jq -c '[.[].status] | sort' "$out")" = '["build_failed","ok","wrong"]'
run "$cltune" db import "$work/plain.csv" --kernel k -d "Card" -p n=5
exits 0 "CSV"
run "$cltune" results k --json
ok "CSV: values and failures" "$(jq -c '[.[] | [.status, .configuration.A, .configuration.NAME, .time_ns]] | sort_by(.[1])' "$out")" = \
    '[["ok",1,"x, y",2500000],["wrong",2,"z",null],["ok",3,"z",1500000]]'
run "$cltune" db import "$work/plain.csv"
exits 2 "CSV names no kernel"
err_has "use --kernel NAME" "which is asked for"
run "$cltune" db import "$work/plain.csv" --kernel k
err_has "use --device NAME" "as is the device"
run "$cltune" db info --json
ok "imports are marked" "$(jq -c '[.imported == .results, .runs]' "$out")" = '[true,3]'
dump "$CLTUNE_DB" >"$work/before"
run "$cltune" db import "$work/clblast.json" "$work/ktt.json"
dump "$CLTUNE_DB" >"$work/after"
cmp -s "$work/before" "$work/after"
ok "importing again changes nothing" $? -eq 0
ok "the origin is that of each" "$(sql "$CLTUNE_DB" 'select group_concat(version, " ") from (select distinct version from run order by 1)')" = "CLBlast CSV KTT"

# What is exported comes back: T4, Kernel Tuner's cache.
for format in t4 kernel-tuner; do
    "$cltune" best vcopy -d VideoCore -p n=4096 --format $format --db "$c" >"$work/back.$format" 2>/dev/null
    run "$cltune" db import "$work/back.$format" --db "$work/back-$format.db" --kernel vcopy -d VideoCore
    exits 0 "import of $format"
    run "$cltune" best vcopy --db "$work/back-$format.db" --json
    found=$(jq -c '.[0] | [.configuration.WG, .configuration.VEC, (.time_ns | round)]' "$out")
    run "$cltune" best vcopy -d VideoCore -p n=4096 --json --db "$c"
    ok "$format: the same best comes back" "$found" = "$(jq -c '.[0] | [.configuration.WG, .configuration.VEC, (.time_ns | round)]' "$out")"
done
# cltune's own CSV has sizes and parameters alike.
"$cltune" results vcopy -d VideoCore --csv --db "$c" >"$work/results.csv"
"$cltune" best vcopy -d VideoCore -p n=4096 --format csv --db "$c" >"$work/best.csv"
for file in results best; do
    run "$cltune" db import "$work/$file.csv" --db "$work/own-csv.db"
    exits 2 "CSV of cltune $file"
    err_has "$file.csv:1: CSV that cltune itself has written does not tell sizes from parameters" "is refused"
done
# Own results are never made outdated by what others have measured.
cp "$a" "$work/own.db"
run "$cltune" db import "$work/back.t4" --db "$work/own.db"
exits 0 "T4 names its kernel and device itself"
run "$cltune" best vcopy -d VideoCore --json --db "$work/own.db"
ok "own results stay the current ones" "$(jq -c '[.[] | .outdated] | any' "$out")" = false
echo '{"what": 1}' >"$work/no.json"
run "$cltune" db import "$work/clblast.json" "$work/no.json" --db "$work/none.db"
exits 2 "a file that is none"
ok "leaves no new database" ! -e "$work/none.db"
run "$cltune" db import "$work/missing.json" --db "$work/none.db"
exits 2 "no such file"
run "$cltune" db import "$work" --db "$work/none.db"
exits 2 "a folder"
gzip <"$work/plain.csv" | head -c 40 >"$work/cut.gz"
run "$cltune" db import "$work/cut.gz" --kernel k -d c --db "$work/none.db"
exits 2 "a packed file that is cut"
run "$cltune" db import /proc/self/mem --db "$work/none.db"
exits 1 "a file that the system cannot read"
run "$cltune" db merge "$a" "$work/cut.db" --db "$work/none.db"
exits 1 "a merge that fails"
ok "nor does it" ! -e "$work/none.db"
run "$cltune" db merge "$work/none.db" --db "$work/fresh.db"
exits 3 "a database to merge that is missing"
err_has "no database at $work/none.db to merge" "is named"
ok "and leaves none" ! -e "$work/fresh.db"
"$cltune" db merge "$a" --db "$work/fresh.db" >/dev/null
sql "$work/fresh.db" "delete from score; delete from best; delete from result"
run "$cltune" db import "$work/clblast.json" "$work/no.json" --db "$work/fresh.db"
exits 2 "a file that is none"
ok "nothing of the others is imported" "$(sql "$work/fresh.db" 'select count(*) from result')" = 0
printf 'A,time_ms\n1,2,3\n' >"$work/ragged.csv"
run "$cltune" db import "$work/ragged.csv" --kernel k -d c
err_has "not as many fields" "a line with too many fields"

echo '{"kernel_family": "k", "device": "c", "results": [{"time": 1, "parameters": {"A": 1}}, {"time": 2, "parameters": {"B": 1}}]}' >"$work/no.json"
run "$cltune" db import "$work/no.json" --db "$work/fresh.db"
err_has "result 2 has no 'A'" "a result without a parameter"
echo '{"kernel_family": "k", "device": "c", "results": [{"time": 1, "parameters": 5}]}' >"$work/no.json"
run "$cltune" db import "$work/no.json" --db "$work/fresh.db"
err_has "result 1 has no parameters" "a result without parameters"
echo '{"Metadata": {"Device": "d"}, "Results": []}' >"$work/no.json"
run "$cltune" db import "$work/no.json" --db "$work/fresh.db"
exits 3 "a file without results"
err_has "has no results" "says so"
printf 'A,time_ms\n1,\n' >"$work/failed.csv"
run "$cltune" db import "$work/failed.csv" --kernel k -d c --db "$work/fresh.db"
exits 3 "a file in which nothing worked"
seq -s, 300 >"$work/wide.csv"
run "$cltune" db import "$work/wide.csv" --kernel k -d c --db "$work/fresh.db"
err_has "more than 255 columns" "too many columns"
# The result that was measured last stays, whatever the order; what is said is what happened.
cp "$work/clblast.json" "$work/older.json"
sed 's/0.25/0.75/; s/0.5,/0.125,/' "$work/clblast.json" >"$work/newer.json"
touch -d "2020-01-01 00:00:00 UTC" "$work/older.json"
touch -d "2021-01-01 00:00:00 UTC" "$work/newer.json"
counts() { jq -c '[.results, .added, .replaced, .devices, .kernels, .runs]' "$out"; }
run "$cltune" db import "$work/older.json" --db "$work/order1.db" --json
ok "all of a new file is new" "$(counts)" = "[2,2,0,1,1,1]"
run "$cltune" db import "$work/older.json" --db "$work/order1.db" --json
ok "the same file again is not" "$(counts)" = "[2,0,0,0,0,0]"
run "$cltune" db import "$work/newer.json" --db "$work/order1.db" --json
ok "a newer one replaces" "$(counts)" = "[2,0,2,0,0,1]"
run "$cltune" db import "$work/older.json" --db "$work/order1.db" --json
ok "an older one does not" "$(counts)" = "[2,0,0,0,0,0]"
run "$cltune" db import "$work/newer.json" "$work/older.json" --db "$work/order2.db" --json
ok "nor beside the newer one" "$(counts)" = "[4,2,0,1,1,1]"
same "$work/order1.db" "$work/order2.db" "the order of imports does not matter"
ok "the newer times are there" "$(sql "$work/order1.db" 'select group_concat(cast(time_ns as int)) from (select time_ns from result order by 1)')" = 125000,750000
touch -d "2020-01-01 00:00:00 UTC" "$work/newer.json"
run "$cltune" db import "$work/older.json" "$work/newer.json" --db "$work/tie1.db"
run "$cltune" db import "$work/newer.json" "$work/older.json" --db "$work/tie2.db"
ok "nor does that of files of one time" "$(sql "$work/tie1.db" 'select time_ns from result order by 1')" = "$(sql "$work/tie2.db" 'select time_ns from result order by 1')"

run "$cltune" db import
exits 2 "nothing to import"

# A file is of one kernel on one device.
refuse() {
    run "$cltune" db import "$1" --kernel k -d c --db "$work/fresh.db"
    exits 2 "$3"
    err_has "$2" "says why"
}
printf 'kernel,device,A,time_ms\nk,one,1,2\nk,two,1,3\n' >"$work/no.csv"
refuse "$work/no.csv" "no.csv:3: results of several devices: import them separately" "CSV of two devices"
printf 'kernel,device,A,time_ms\nk,one,1,2\nj,one,1,3\n' >"$work/no.csv"
refuse "$work/no.csv" "no.csv:3: results of several kernels: import them separately" "CSV of two kernels"
sed 's/"nbody", "Status": "Val/"other", "Status": "Val/' "$work/ktt.json" >"$work/no.json"
refuse "$work/no.json" "result 2 is of another kernel than the first: import them separately" "KTT's JSON of two kernels"
sed 's/"Xaxpy", "time": 0.25/"Other", "time": 0.25/' "$work/clblast.json" >"$work/no.json"
refuse "$work/no.json" "result 2 is of another kernel than the first" "CLBlast's JSON of two kernels"

# Texts become neither options nor parameters.
one() { # a result with these parameters and this time
    printf '{"kernel_family": "k", "device": "c", "results": [{"time": %s, "parameters": {%s}}]}' "$2" "$1" >"$work/no.json"
}
for value in 'x y\" -I/evil -D \"Z' 'x\\'; do
    printf '{"kernel_family": "k", "device": "c", "results": [{"time": 1, "parameters": {"MODE": "%s"}}]}' "$value" >"$work/no.json"
    refuse "$work/no.json" "MODE has the value 'x" "a value that ends its option: $value"
    err_has "which compiler options cannot carry" "as options would have it"
done
one '"MODE": "x\u0001y"' 1
refuse "$work/no.json" "byte 0x01 is not text" "a control character"
one '"A = 1,2\nB": 3' 1
refuse "$work/no.json" "'A = 1,2\\x0aB' is no parameter name" "a name with a line feed"
printf '{"metadata": {"timeunit": "ms"}, "results": [{"configuration": {"A = 1\\nB": 3}, "measurements": [{"name": "t", "value": 1}]}]}' >"$work/no.json"
refuse "$work/no.json" "is no parameter name" "such a name in T4"
printf 'A b,time_ms\n1,2\n' >"$work/no.csv"
refuse "$work/no.csv" "'A b' is no parameter name" "a column that is no name"

# Numbers are whole fields, and finite.
for time in inf 1e400 12abc nan -1 1e15; do
    printf 'A,time_ms\n1,2\n2,%s\n' $time >"$work/no.csv"
    refuse "$work/no.csv" "no.csv:3: '$time' is not a time" "a time of $time"
done
for value in 99999999999999999999 1e400; do
    printf 'A,time_ms\n"1",2\n%s,2\n' $value >"$work/no.csv"
    refuse "$work/no.csv" "no.csv:3: the number $value is out of range" "a value of $value"
done
printf 'A,time_ms\n1,2\n2,\0003\n' >"$work/no.csv"
refuse "$work/no.csv" "no.csv:3: a NUL byte: not a text file" "a NUL byte in CSV"
printf 'A\ttime_ms\n1\t2\n2\t\0003\n' >"$work/no.tsv"
refuse "$work/no.tsv" "no.tsv:3: a NUL byte: not a text file" "and in a table"
one '"A": 1' 1e300
refuse "$work/no.json" "result 1: 1e+306 ns is longer than anything that is measured" "a time of aeons"
sed 's/"TotalDuration": 120.5/&, "CompilationOverhead": 1e300/' "$work/ktt.json" >"$work/no.json"
refuse "$work/no.json" "is longer than anything that is measured" "so long a compilation"
printf '{"metadata": {"timeunit": "ms"}, "results": [{"configuration": {"A": 3}, "times": {"compilation_time": 1e300}, "measurements": [{"name": "t", "value": 1}]}]}' >"$work/no.json"
refuse "$work/no.json" "is longer than anything that is measured" "and in T4"
sed 's/"VW": 4/"VW": 4, "MORE": 1/' "$work/clblast.json" >"$work/no.json"
refuse "$work/no.json" "result 2 has other parameters than the first" "a later result with a parameter more"
printf '{"results": [{"configuration": {"A": 3}, "measurements": [{"name": "t", "value": 1}]}, {"configuration": {"A": 4, "B": 1}, "measurements": [{"name": "t", "value": 1}]}]}' >"$work/no.json"
refuse "$work/no.json" "number 2 has other parameters than the first" "such a result in T4"
sed 's/"Name": "FAST", "Value": true}\]/"Name": "TILE", "Value": 1}]/' "$work/ktt.json" >"$work/no.json"
refuse "$work/no.json" "result 1 has a parameter without a name, or twice" "a parameter twice"
sed 's/"4096"/"99999999999999999999"/' "$work/clblast.json" >"$work/no.json"
refuse "$work/no.json" "arg_n: 99999999999999999999 is out of range" "a size that is too large"
run "$cltune" db import "$work/plain.csv" --kernel k -d c -p n=99999999999999999999 --db "$work/fresh.db"
err_has "--problem n=99999999999999999999: the number is out of range" "a size of --problem"
run "$cltune" db import "$work/plain.csv" --kernel k -d c -p n=1 -p n=2 --db "$work/fresh.db"
exits 2 "a size given twice"
err_has "--problem: 'n' is given twice" "is named"
ok "nothing of all that was stored" "$(sql "$work/fresh.db" 'select count(*) from result')" = 0

# --- prune ---
cp "$work/abc.db" "$work/prune.db"
export CLTUNE_DB="$work/prune.db"
sql "$CLTUNE_DB" "update result set measured_unix_s = 1000"
run "$cltune" db prune
exits 2 "prune wants to know what"
run "$cltune" db prune --older-than 1d --dry-run --json
spared=$(sql "$CLTUNE_DB" "select count(*) from result where id in (select result_id from best) or id in (select result_id from score where standing is not null)")
all=$(sql "$CLTUNE_DB" "select count(*) from result")
ok "a dry run counts" "$(jq -c '[.removed, .kept]' "$out")" = "[$((all - spared)),$spared]"
ok "and removes nothing" "$(sql "$CLTUNE_DB" 'select count(*) from result')" = "$all"
"$cltune" best vcopy --json >"$work/before" 2>/dev/null
run "$cltune" db prune vcopi --older-than 1d
exits 3 "a kernel that is not there"
err_has "has no kernel vcopi" "is named"
ok "another kernel has nothing" "$(sql "$CLTUNE_DB" 'select count(*) from result')" = "$all"
run "$cltune" db prune -d VideoCore --older-than 1d
exits 0 "prune of a device"
ok "leaves other devices" "$(sql "$CLTUNE_DB" "select count(*) from result join device on device.id = device_id where name not like '%VideoCore%'")" = \
    "$(sql "$work/abc.db" "select count(*) from result join device on device.id = device_id where name not like '%VideoCore%'")"
run "$cltune" db prune --older-than 1d
ok "bests and ranked ones stay" "$(sql "$CLTUNE_DB" 'select count(*) from result')" = "$spared"
"$cltune" best vcopy --json >"$work/after" 2>/dev/null
cmp -s "$work/before" "$work/after"
ok "and answer as before" $? -eq 0
ok "the room is given back" "$(sql "$CLTUNE_DB" 'pragma freelist_count')" = 0
run "$cltune" db check
exits 0 "the rest is sound"

# --- check and repair ---
cp "$work/abc.db" "$work/bad.db"
export CLTUNE_DB="$work/bad.db"
sql "$CLTUNE_DB" "pragma journal_mode = delete; update best set value = 1, result_id = (select max(id) from result where status = 'ok')" >/dev/null
run "$cltune" db check
exits 1 "a best that is none"
out_has "is not the first of its scores" "is named"
# An index without its newest rows: SQLite did not know of it while they were written.
definition=$(sql "$CLTUNE_DB" "select sql from sqlite_schema where name = 'result_by_run'")
page=$(sql "$CLTUNE_DB" "select rootpage from sqlite_schema where name = 'result_by_run'")
sql "$CLTUNE_DB" "pragma writable_schema = on; delete from sqlite_schema where name = 'result_by_run'"
sql "$CLTUNE_DB" "update result set run_id = (select max(id) from run)"
sql "$CLTUNE_DB" "pragma writable_schema = on; insert into sqlite_schema values ('index', 'result_by_run', 'result', $page, '$definition')"
run "$cltune" db check
exits 1 "an index that misses rows"
out_has "missing from index result_by_run" "is named"
run "$cltune" db check --repair
exits 0 "both are repaired"
out_has "repaired" "which is said"
run "$cltune" db check --json
ok "nothing is left" "$(jq -c .faults "$out")" = "[]"
sql "$CLTUNE_DB" "delete from inflight; pragma foreign_keys = off; update result set run_id = 999 where id = (select min(id) from result)"
run "$cltune" db check --repair
exits 1 "what no index can tell is not repaired"
out_has "refers to a row of run that is missing" "but named"

run "$cltune" db
exits 2 "db without an operation"
# An option that an operation does not have is refused, not ignored.
cp "$a" "$work/kept.db"
dump "$work/kept.db" >"$work/before"
for case in "merge $b:--dry-run" "merge $b:--device Nonexistent" "import $work/clblast.json:--dry-run" \
    "import $work/clblast.json:--output x" "info:--repair" "prune vcopy:--contribute" "prune vcopy:--kernel k" \
    "list:--older-than 1d" "check:--device x" "export:--dry-run"; do
    verb=${case%%:*}
    option=${case#*:}
    # shellcheck disable=SC2086
    run "$cltune" db $verb $option --db "$work/kept.db"
    exits 2 "db $verb with $option"
    err_has "option '${option%% *}' is not supported by 'cltune db ${verb%% *}'" "which is said"
done
dump "$work/kept.db" >"$work/after"
cmp -s "$work/before" "$work/after"
ok "and nothing is written" $? -eq 0
run "$cltune" db export -o "$work/none.db" --runners-up 2 --db "$work/kept.db"
err_has "--runners-up requires --contribute" "runners-up of a whole export"
run "$cltune" db merg x
err_has "did you mean 'merge'" "a misspelt one"
run "$cltune" db info x
exits 2 "an argument too many"
run "$cltune" db export
exits 2 "export without a file"
run "$cltune" db export --text --contribute
exits 2 "text is no contribution"
run "$cltune" db export vcopy --text -o "$work/none/x" --db "$work/abc.db"
exits 1 "a folder that is missing"
err_has "cannot write $work/none/x: No such file or directory" "is named"
run "$cltune" db export vcopy -o "$work/none/x.db" --db "$work/abc.db"
exits 1 "the same of a database"
err_has "cannot write $work/none/x.db: No such file or directory" "is named"
done_testing
