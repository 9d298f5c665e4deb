#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SIGKILL of cltune again and again, whatever it is at: no configuration is condemned for
# that.  A machine that goes down is another matter: what was alone at work then, twice, is
# not tried for ever.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/attack/spaces/slow.ini

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }

# Starts a search; kills it as soon as it has something in flight itself: what the one before left is in the
# record until this one has looked at it.
kill_in_flight() {
    before=$(query 'select max(id) from run')
    "$cltune" search "$space" -d 0:1 --rough -q >"$out" 2>"$err" </dev/null &
    search=$!
    tries=0
    while [ "$(query "select count(*) > 0 from inflight where run_id > ${before:-0}")" != 1 ]; do
        tries=$((tries + 1))
        [ $tries -lt 1500 ] || break
        kill -0 $search 2>/dev/null || break
        sleep 0.02
    done
    sleep 0.05
    kill -KILL $search 2>/dev/null
    wait $search 2>/dev/null
}

for _ in 1 2 3 4 5 6 7 8; do kill_in_flight; done
ok "killed while something was in flight" "$(query "select count(*) from result
    where status = 'interrupted'")" -gt 0
ok "none counts as crashed" "$(query "select count(*) from result where status = 'crashed'")" = 0
run "$cltune" search "$space" -d 0:1 --rough
exits 0 "the next search goes on to the end"
ok "all are measured" "$(query "select count(*) from result where status = 'ok'")" = 24
ok "and nothing else is stored" "$(query 'select count(*) from result')" = 24
ok "nothing is in flight any more" "$(query 'select count(*) from inflight')" = 0

# The machine goes down: the record names another start of it.
restart_machine() {
    query "update inflight set owner = substr(owner, 1, instr(owner, ' '))
        || '1 00000000-0000-0000-0000-000000000000'"
}
CLTUNE_DB=$work/machine.db
kill_in_flight
restart_machine
batch=$(query 'select count(*) from inflight')
ok "several were in flight when the machine went down" "$batch" -gt 1
run "$cltune" search "$space" -d 0:1 --rough
exits 0 "once: all are tried again"
ok "and are good" "$(query "select count(*) from result where status = 'ok'")" = 24

CLTUNE_DB=$work/killer.db
spaces=$root/tests/cli/spaces
cp "$spaces/faults.cl" "$spaces/copy.c" "$work/"
sed "s/^FAULT = .*/FAULT = 0, 12/" "$spaces/faults.ini" >"$work/faults.ini"
space=$work/faults.ini
status_of() { query "select status from result where configuration = '{\"FAULT\":$1}'"; }

# Kills of cltune alone, as often as one likes: it is tried again.
for _ in 1 2 3; do kill_in_flight; done
ok "three kills while it is alone do not condemn it" "$(status_of 12)" = interrupted
kill_in_flight
restart_machine
kill_in_flight
ok "nor does one end of the machine" "$(status_of 12)" = interrupted
restart_machine
run "$cltune" search "$space" -d 0:1 --rough --timeout 1s
ok "but the second one, when it was alone" "$(status_of 12)" = crashed
out_has "the machine went down" "which the summary says"

done_testing
