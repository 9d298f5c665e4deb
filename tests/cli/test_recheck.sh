#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether the stored best still is the best: after driver updates, edits and moves.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
query() { sqlite3 "$CLTUNE_DB" "$1"; }
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
cd "$work" || exit 1
sed -i 's/^WG .*/WG = 4, 8, 12/; s/^VEC .*/VEC = 1, 4, 16/' virtual.ini

run "$cltune" recheck
exits 3 "nothing is stored"
ok "and no database is made" ! -e "$CLTUNE_DB"
run "$cltune" search virtual.ini -d VideoCore -q
run "$cltune" recheck vcopi
exits 3 "a kernel that is not stored"
err_has vcopy "names what is"
run "$cltune" recheck -d xyzzy
exits 4 "no such device"
run "$cltune" recheck -d 0:1
exits 3 "a device that nothing is stored for"
err_has "VideoCore IV GPU" "names what there is"
run "$cltune" recheck -p n=999
exits 3 "a problem that is not stored"
run "$cltune" recheck one two
exits 2 "two kernels"
run "$cltune" recheck -p n=1,2
exits 2 "two problems"

# --- it holds ---
run "$cltune" recheck
exits 0 "still the best"
out_has "still the best: WG=12 VEC=16; 80.00 us then, 80.00 us now" "says so, then and now"
ok "against five others" "$(grep -c '^lost' "$out")" = 5
ok "the standing is stored" "$(query 'select count(*) from score where standing = 0')" = 1
ok "as a run of its own" "$(query "select status, evaluated_count from run
    where strategy = 'recheck'")" = "done|6"
run "$cltune" recheck vcopy -d video -p n=1024 --runners-up 1 --json
exits 0 "by kernel, device and problem"
ok "against so many others" "$(jq '.[0].entrants | length' "$out")" = 2
ok "JSON says that it holds" "$(jq -c '.[0] | [.verdict, .changed, .pick.time_ns]' "$out")" = \
    '["holds",false,80000]'
# Too close to tell apart: 80.00 us and 80.16 us.
sed -i 's/WG 8 0.9$/WG 8 0.798/' virtual.cl
run "$cltune" recheck -q
exits 0 "a tie"
out_has "still the best: WG=12 VEC=16" "stays with the stored pick"
out_has "the kernel has changed since" "and says what is another"

# --- another driver, with which the pick is slower ---
CLTUNE_DB=$work/driver.db
cp "$root/tests/cli/spaces/virtual.cl" .
run "$cltune" search virtual.ini -d VideoCore -q
export VIRTUALCL_DRIVER=0.5
sed -i 's/WG 12 0.8$/WG 12 0.95/' virtual.cl
run "$cltune" recheck
exits 1 "another one is better"
out_has "no longer the best: WG=12 VEC=16; 80.00 us then, 95.00 us now: 19% slower; driver \
0.4.9999 then, 0.5 now" "says how it changed"
out_has "the best now is WG=8 VEC=16, 5.3% better" "and which is better, by how much"
ok "stored for the present driver" "$(query "select count(*) from result
    join device on device.id = device_id where driver_version = '0.5'")" = 6
ok "what the other driver did stays" "$(query "select count(*) from result
    join device on device.id = device_id where driver_version = '0.4.9999'")" = 9
run "$cltune" best vcopy --json
ok "look-up follows" "$(jq -c '.[0] | [.configuration, .time_ns]' "$out")" = \
    '[{"VEC":16,"WG":8},90000]'
run "$cltune" recheck --runners-up 2
exits 0 "the next one starts from there"
out_has "still the best: WG=8 VEC=16; 90.00 us then" "with the new pick"
unset VIRTUALCL_DRIVER

# --- the pick fails ---
CLTUNE_DB=$work/fail.db
cp "$root/tests/cli/spaces/virtual.cl" .
run "$cltune" search virtual.ini -d VideoCore -q --param VEC=16
for fault in wrong build_error segfault; do
    { echo "#pragma virtual fault WG 12 $fault"; cat "$root/tests/cli/spaces/virtual.cl"; } >virtual.cl
    cp fail.db "$fault.db"
    run "$cltune" recheck --db "$fault.db"
    exits 1 "$fault: the best does not work any more"
    out_has "no longer works: WG=12 VEC=16; 80.00 us then" "$fault: says which"
    out_has "the best now is WG=8 VEC=16" "$fault: and what is best now"
done
out_has "crashed: " "with its status"
ok "which is stored" "$(sqlite3 segfault.db "select status, configuration from result where status <> 'ok'")" = \
    'crashed|{"VEC":16,"WG":12}'
cp "$root/tests/cli/spaces/virtual.cl" .
cp virtual.ini renamed.ini
sed -i 's/^WG /GROUP /; s/= WG$/= GROUP/' renamed.ini
run "$cltune" recheck --space renamed.ini
exits 1 "a parameter that there is no more"
out_has "no longer works" "is no configuration any more"
out_has "renamed.ini no longer has a parameter WG" "and it says why"

# --- the space file ---
mkdir moved
mv virtual.* copy.c moved/
run "$cltune" recheck
exits 2 "a space file that is gone"
err_has "--space FILE" "says what to do"
run "$cltune" recheck --space moved/virtual.ini --runners-up 1 -q
exits 0 "a space file that moved"
sed 's/^name .*/name = another/' moved/virtual.ini >moved/another.ini
run "$cltune" recheck --space moved/another.ini
exits 2 "another kernel's space file"
err_has "this is the space file of another, not of vcopy" "says so"

# --- what is more is better ---
CLTUNE_DB=$work/more.db
printf '[measure]\nobjective = gbytes\ndirection = maximize\n' >>moved/virtual.ini
run "$cltune" search moved/virtual.ini -d VideoCore -q --param VEC=16
run "$cltune" recheck --json
exits 0 "an objective to be maximized"
ok "its best still is" "$(jq -c '.[0] | [.objective, .pick.configuration]' "$out")" = \
    '["gbytes",{"WG":12,"VEC":16}]'
sed -i 's/WG 12 0.8$/WG 12 8/' moved/virtual.cl
run "$cltune" recheck
exits 1 "and when it is not"
out_has "the best now is WG=8 VEC=16" "the one with more is"

# --- interrupted ---
export VIRTUALCL_LOG="$work/log"
: >"$VIRTUALCL_LOG"
"$cltune" recheck >"$out" 2>"$err" &
recheck=$!
while ! grep -q launch "$VIRTUALCL_LOG" && kill -0 $recheck 2>/dev/null; do sleep 0.05; done
kill -INT $recheck 2>/dev/null || kill -TERM $recheck
sleep 0.2
kill -TERM $recheck 2>/dev/null
wait $recheck
status=$?
exits 130 "a recheck that is interrupted"
ok "leaves no worker" -z "$(pgrep -f "^$cltune --ct-worker")"

# --- values that have no ratio ---
CLTUNE_DB=$work/below.db
cp "$root/tests/cli/spaces/virtual.cl" moved/
sed -i 's/^objective = gbytes/objective = off_target/; s/^direction = .*/direction = minimize/
    s/^\[metric\]/&\noff_target = time_ns - 900000/' moved/virtual.ini
run "$cltune" search moved/virtual.ini -d VideoCore --param VEC=16
exits 0 "an objective of which the best is below zero"
ok "has no gain over the default" "$(awk '$1 == 1 && $2 == "80.00" { print $9 }' "$out")" = -
runs=$(query 'select count(*) from run')
run "$cltune" recheck
exits 2 "its recheck is refused"
err_has "the off_target of the stored best of vcopy is -820000" "with what is wrong"
ok "and stores nothing" "$(query 'select count(*) from run')" = "$runs"

done_testing
