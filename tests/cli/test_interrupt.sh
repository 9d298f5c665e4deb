#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C once and twice, and SIGKILL: what was measured is stored, nobody is left behind,
# and the same command continues.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }

# The last configurations hang, so the search is surely still at work when signalled.
sed 's/^FAULT = .*/FAULT = 0, 1, 4, 8, 12, 13/' "$spaces/faults.ini" >"$work/faults.ini"
cp "$spaces/faults.cl" "$spaces/copy.c" "$work/"

# One builder, so that what hangs is not tried before the rest.
start() {
    "$cltune" search "$work/faults.ini" -d 0:1 -j 1 --timeout 60s >"$out" 2>"$err" </dev/null &
    search=$!
    tries=0
    while [ "$(query 'select count(*) from result')" != 4 ] && [ $tries -lt 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# Workers are told by their parent or, once that is gone, by the program's path.
workers_left() {
    tries=0
    while pgrep -f "^$cltune --ct-worker" >/dev/null && [ $tries -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    pgrep -f "^$cltune --ct-worker"
}

# A background job of a shell without job control ignores SIGINT; SIGTERM is handled alike.
start
kill -TERM $search
wait $search
status=$?
exits 130 "interrupted once"
out_has "run the same command to continue" "says how to continue"
out_has "1 ok" "prints what it has"
ok "everything measured is stored" "$(query 'select count(*) from result')" = 4
ok "the run is marked" "$(query 'select status from run order by id desc limit 1')" = interrupted
ok "no worker is left" -z "$(workers_left)"

rm -f "$CLTUNE_DB"*
start
kill -TERM $search
kill -TERM $search
wait $search
status=$?
exits 130 "interrupted twice"
ok "no worker is left" -z "$(workers_left)"
ok "the database is sound" "$(query 'pragma integrity_check')" = ok

rm -f "$CLTUNE_DB"*
start
kill -KILL $search
wait $search 2>/dev/null
ok "killed: no worker is left" -z "$(workers_left)"
ok "killed: the database is sound" "$(query 'pragma integrity_check')" = ok
ok "killed: what was measured is stored" "$(query 'select count(*) from result')" = 4
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s
exits 0 "the same command continues"
out_has "2 evaluated now, 4 stored before" "where it was killed"

run env SIGNAL=INT perl -e '
    my $pid = fork;
    if (!$pid) { $SIG{INT} = "DEFAULT"; exec @ARGV or die }
    sleep 2; kill "INT", $pid; waitpid $pid, 0; exit($? >> 8 ? $? >> 8 : 128 + ($? & 127))' \
    "$cltune" search "$work/faults.ini" -d 0:1 --timeout 60s --fresh --param FAULT=12
exits 130 "Ctrl-C itself"

done_testing
