#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Search, look-up and continuing on the virtual driver, exact to the nanosecond.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

query() { sqlite3 "$CLTUNE_DB" "$1"; }

run "$cltune" devices
exits 0 "devices"
out_has "0:0" "the first device has an index"
out_has "VideoCore IV GPU" "the VideoCore is found"
out_has "Virtual GPU" "the other one too"
run "$cltune" devices --json
ok "its work-group limit" "$(jq '.[0].DEVICE_MAX_WORK_GROUP_SIZE' "$out")" = 12
ok "its float width" "$(jq '.[0].DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT' "$out")" = 16

run "$cltune" search "$spaces/virtual.ini" -d xyzzy
exits 4 "a pattern that matches nothing"
err_has "VideoCore IV GPU" "lists what there is"
run "$cltune" search "$spaces/virtual.ini" -d "v"
exits 2 "a pattern that matches several"
err_has "matches 2 devices" "says how many"
ok "no database was made" ! -e "$CLTUNE_DB"

run "$cltune" search "$spaces/virtual.ini" -d 1 --dry-run
out_has "Virtual GPU" "a number alone is an index of the only platform"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --dry-run
exits 0 "a dry run"
out_has "18 valid configurations of 18 combinations" "says what it would do"
ok "a dry run makes no database" ! -e "$CLTUNE_DB"

run "$cltune" search "$spaces/virtual.ini" -d VideoCore
exits 0 "search"
err_has "VideoCore IV GPU (GPU, 1 compute unit, driver 0.4.9999)" "names the device"
out_has "WG=12 VEC=16" "the best is there"
out_has "10.00x" "its gain over the default is exact"
out_has "80.00 us" "its time is exact"
out_has "15 ok, 3 invalid" "larger groups than the device takes are results"
ok "the best comes first" "$(sed -n 2p "$out" | grep -c 'WG=12 VEC=16')" = 1
# The command that it prints answers.
look_up=$(sed -n 's/^look up   //p' "$out")
run sh -c "PATH='$build:'\$PATH; OCL_ICD_VENDORS=/nonexistent $look_up --json"
exits 0 "the printed look-up command works"
ok "it answers with the best" "$(jq -c '.[0].configuration' "$out")" = '{"VEC":16,"WG":12}'
ok "in nanoseconds" "$(jq '.[0].time_ns' "$out")" = 80000
ok "and with the default" "$(jq '.[0].default_time_ns' "$out")" = 800000
# Those of few processes are as sure as the A/A test's processes allow.
ok "every time is exact" "$(query "select count(*) from result where status = 'ok' and
    (low_ns > time_ns or low_ns < 0.996 * time_ns)")" = 0
ok "the slowest" "$(query "select max(time_ns) from result")" = 800000.0
ok "refused ones say why" "$(query "select count(*) from result where status = 'invalid' and
    message like '%local size of 16%'")" = 3

# The best of each value of a parameter.
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --by VEC
exits 0 "--by"
ok "tells the best of each value, the best first" "$(sed -n '/^VEC /,/^$/s/^\([0-9]*\) .*\(WG=.*\)/\1 \2/p' "$out" |
    tr '\n' ',')" = "16 WG=12 VEC=16,4 WG=12 VEC=4,1 WG=12 VEC=1,"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --by WG --json
ok "in JSON, too" "$(jq -c '.by | [.parameter, (.best | map(.configuration.WG))]' "$out")" = '["WG",[12,8,4,2,1]]'
ok "with what each value got" "$(jq -c '.by.values | map([.value, .evaluations, .failures])' "$out")" = \
    '[[12,3,0],[8,3,0],[4,3,0],[2,3,0],[1,3,0],[16,3,3]]'
ok "of which one never worked" "$(jq -c '.by.values[5].best_time_ns' "$out")" = null
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --by WG
ok "in the table, too" "$(sed -n '/^WG /,/^$/s/^\([0-9]* *[0-9]* *[0-9]*\) .*/\1/p' "$out" |
    tr -s ' ' | tr '\n' ',')" = "12 3 0,8 3 0,4 3 0,2 3 0,1 3 0,16 3 3,"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --json
ok "not unless asked for" "$(jq -c .by "$out")" = null
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --by vec
exits 2 "no such parameter"
err_has "--by: 'vec' is not a parameter; did you mean 'VEC'?" "says which one is meant"

run "$cltune" best --device "VideoCore IV"
exits 0 "best for the VideoCore"
out_has "WG=12" "text"
run "$cltune" best vcopy --device "VideoCore IV" --format flags
ok "flags" "$(cat "$out")" = "-D WG=12 -D VEC=16"
run "$cltune" best vcopy --device "VideoCore IV" --format header
out_has "#define CLTUNE_VCOPY_WG 12" "header"
cp "$out" "$work/tuned.h"
run cc -fsyntax-only -Wall -Werror -x c "$work/tuned.h"
exits 0 "the header compiles"

run "$cltune" search "$spaces/virtual.ini" -d VideoCore
exits 0 "a second search"
out_has "0 evaluated now, 18 stored before" "measures nothing again"
out_has "WG=12 VEC=16" "and still tells the best"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --fresh
out_has "18 evaluated now, 0 stored before" "--fresh measures again"
ok "without doubling results" "$(query "select count(*) from result")" = 18

run "$cltune" search "$spaces/virtual.ini" -d 0:1
exits 0 "search on the other device"
out_has "18 ok" "which takes larger groups"
run "$cltune" best vcopy -d 0:1
exits 2 "an index names a device of this machine, not of the database"
run "$cltune" best vcopy -d "Virtual GPU" --json
ok "another best" "$(jq -c '.[0].configuration' "$out")" = '{"VEC":16,"WG":16}'
ok "ten times as fast a device" "$(jq '.[0].time_ns' "$out")" = 1000

run "$cltune" best vcopy
exits 0 "best for all devices"
ok "lists both" "$(grep -c '^best ' "$out")" = 2
run "$cltune" best vcopy --format flags
exits 2 "a format for one answer with two"
err_has "2 answers match" "says so"
err_has "VideoCore IV GPU" "and names the candidates"

run "$cltune" best vcopy --device "GeForce 9999"
exits 0 "a device never measured"
out_has "evidence  same type" "is answered from the closest evidence, and says so"
run "$cltune" best nosuch
exits 3 "a kernel never tuned"
run "$cltune" best vcopi
exits 3 "a misspelt kernel"
err_has "vcopy" "names what there is"

run "$cltune" search "$spaces/virtual.ini" -d VideoCore -p n=4096,8192
exits 0 "a sweep of problems"
ok "searches each" "$(grep -c '^look up' "$out")" = 2
run "$cltune" search "$spaces/virtual.ini" -d all -p n=4096,8192 --json -q
ok "several searches make one JSON array" "$(jq length "$out")" = 4
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -p n=4096,abc
exits 2 "a slip in the last value of a sweep"
ok "is told before anything is searched" ! -s "$out"
run "$cltune" best vcopy -d VideoCore -p n=8000 --json
ok "the nearest problem answers" "$(jq -c '.[0].problem' "$out")" = '{"n":8192}'

cp "$spaces/virtual.ini" "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
sed -i 's/^VEC = .*/VEC = 1, 4, 8, 16/' "$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore
out_has "6 evaluated now, 18 stored before" "a value that was added continues the search"
echo "// a comment" >>"$work/virtual.cl"
run "$cltune" search "$work/virtual.ini" -d VideoCore
out_has "0 evaluated now, 24 stored before" "a comment changes nothing"
sed -i 's/if (i < n)/if (i <= n - 1)/' "$work/virtual.cl"
run "$cltune" search "$work/virtual.ini" -d VideoCore
out_has "24 evaluated now, 0 stored before" "another kernel is another experiment"

CLTUNE_DB=$work/budget.db
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -n 5 --seed 7 --json
exits 0 "a budget of evaluations"
ok "is kept" "$(jq .evaluated "$out")" = 5
jq -S '.best | map(.configuration)' "$out" >"$work/first"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -n 5 --seed 7 --json --fresh
jq -S '.best | map(.configuration)' "$out" >"$work/second"
ok "a seed repeats the choice" "$(cmp "$work/first" "$work/second" && echo same)" = same
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -n 5 --json
ok "continues with others" "$(jq '.evaluated + .known_before' "$out")" = 10

run "$cltune" search "$spaces/virtual.ini" -d VideoCore --param WG=2,4 --param VEC=1 --json
exits 0 "restricted values"
ok "leave few" "$(jq .valid "$out")" = 2
ok "the default outside is still compared with" "$(jq .default.time_ns "$out")" = 800000
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --param WG=3
exits 2 "a value that is in no list"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore --param WGG=1
exits 2 "a parameter that is not there"
err_has "did you mean 'WG'?" "and the likely one"
run "$cltune" search "$spaces/virtual.ini" -d VideoCore -s exhausting
exits 2 "a strategy that is not there"
err_has "did you mean 'exhaustive'?" "and the likely one"

run "$cltune" run "$spaces/virtual.ini" WG=8 VEC=4 -d VideoCore
exits 0 "run one configuration"
out_has "108.0 us" "its time is exact"
out_has "at most 12 work-items" "with the kernel's facts"
run "$cltune" run "$spaces/virtual.ini" WG=16 -d VideoCore
exits 1 "run one that the device refuses"
out_has "status   invalid" "says so"

# A configuration that cannot be made concrete is a result, not the end of the search.
sed 's/^global *=.*/global = VEC == 4 ? 0 : n/' "$spaces/virtual.ini" >"$work/zero.ini"
cp "$spaces"/virtual.cl "$work/"
run "$cltune" search "$work/zero.ini" -d VideoCore -n 10 --json --db "$work/zero.db"
exits 0 "a size of 0 in some configurations"
ok "the budget is kept" "$(jq .evaluated "$out")" = 10
run "$cltune" search "$work/zero.ini" -d VideoCore --json --db "$work/zero.db"
exits 0 "and again"
ok "what is known stays known" "$(jq '.known_before == 10 and .evaluated + 10 == .valid' "$out")" = true
ok "all of them are invalid" "$(jq '.counts.invalid' "$out")" = \
    "$(sqlite3 "$work/zero.db" "select count(*) from result where message like '%must be at least 1%'
        or status = 'invalid'")"
ok "with the reason" "$(sqlite3 "$work/zero.db" "select count(*) from result
    where message like '%is 0; it must be at least 1%' and configuration like '%\"VEC\":4%'")" -ge 1
sed 's/^global *=.*/global = VEC == 1 ? 0 : n/' "$spaces/virtual.ini" >"$work/zero.ini"
run "$cltune" search "$work/zero.ini" -d VideoCore --db "$work/none.db"
exits 2 "but the default has to make sense"

done_testing
