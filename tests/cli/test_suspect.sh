#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What was in flight when the machine went down is suspected: tried once more, last and
# alone, and given up when that ends the same way.  What was in flight when cltune alone was
# killed is innocent (tests/attack/test_kills.sh).  Others' work is left alone.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/faults.cl" "$spaces/copy.c" "$work/"

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
status_of() { query "select status from result where configuration = '{\"FAULT\":$1}'"; }
space() { sed "s/^FAULT = .*/FAULT = $1/" "$spaces/faults.ini" >"$work/faults.ini"; }

# Starts a search in the background; waits until `query $1` answers $2.
start_until() {
    "$cltune" search "$work/faults.ini" -d 0:1 --timeout 60s >"$out" 2>"$err" </dev/null &
    search=$!
    tries=0
    while [ "$(query "$1")" != "$2" ] && [ $tries -lt 300 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    ok "$3" "$(query "$1")" = "$2"
}
stop() {
    kill -KILL $search
    wait $search 2>/dev/null
}
# As if the machine had gone down with it: the record names another start of the machine.
take_down() {
    stop
    query "update inflight set owner = substr(owner, 1, instr(owner, ' '))
        || '1 00000000-0000-0000-0000-000000000000'"
}

# 12 hangs: as if it took the machine down.
hanging="select (select count(*) from result) || ' ' || (select count(*) from inflight)"
space "0, 12"
start_until "$hanging" "1 1" "one is at work"
take_down
ok "its record stays" "$(query 'select count(*) from inflight')" = 1
run "$cltune" best faults
exits 0 "others do not see it"

space "0, 12, 1, 8"
start_until "$hanging" "4 1" "the rest is done"
ok "it is interrupted" "$(status_of 12)" = interrupted
ok "the others came before it" "$(query "select count(*) from result
    where configuration <> '{\"FAULT\":0}' and status in ('build_failed', 'wrong')")" = 2
ok "and it is alone" "$(query "select experiment = (select experiment from result
    where configuration = '{\"FAULT\":12}') from inflight")" = 1
take_down

cp "$CLTUNE_DB" "$work/twice.db"
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s
exits 0 "down twice: it is not tried a third time"
out_has "0 evaluated now, 4 stored before" "nothing else is, either"
ok "it counts as crashed" "$(status_of 12)" = crashed
out_has "again when it was tried alone" "and the summary says why"
ok "nothing is in flight any more" "$(query 'select count(*) from inflight')" = 0
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s
out_has "0 evaluated now, 4 stored before" "and stays so"
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s --retry crashed -v
out_has "1 evaluated now, 3 stored before" "--retry crashed tries it"
ok "now it is a timeout" "$(status_of 12)" = timeout
err_has "timeout" "which -v tells"

CLTUNE_DB=$work/twice.db
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s --retry crashed
ok "--retry crashed tries also what would now count as crashed" "$(status_of 12)" = timeout

# Down once: another try, and its true end.
CLTUNE_DB=$work/once.db
space "0, 12"
start_until "$hanging" "1 1" "one is at work again"
take_down
space "0, 12, 1, 8"
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s -v
exits 0 "tried once more"
out_has "3 evaluated now, 1 stored before" "like all the rest"
ok "it is a timeout" "$(status_of 12)" = timeout
ok "it came last" "$(grep -E '^ +[0-9]+  [a-z_]+ ' "$err" | tail -1 | grep -c FAULT=12)" = 1
ok "on its second attempt" "$(query "select attempts from result
    where configuration = '{\"FAULT\":12}'")" = 2

# Still at work in another process: none of our business.
CLTUNE_DB=$work/live.db
space "0, 12"
start_until "$hanging" "1 1" "one is at work elsewhere"
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s
out_has "1 evaluated now, 1 stored before" "another search tries it for itself"
ok "with its own outcome" "$(status_of 12)" = timeout
ok "at its first attempt" "$(query "select attempts from result
    where configuration = '{\"FAULT\":12}'")" = 1
ok "and the other lives" "$(kill -0 $search && echo yes)" = yes
stop

# The default itself was at work: it is retried last, and gains are told in the end.
CLTUNE_DB=$work/default.db
space "0, 12"
start_until "$hanging" "1 1" "one is at work a last time"
take_down
printf '\n[default]\nFAULT = 12\n' >>"$work/faults.ini"
run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s
exits 0 "it is the default by now"
err_has "it is retried last" "and comes last"
ok "with an outcome" "$(status_of 12)" = timeout
out_has "1 evaluated now, 1 stored before" "once"

done_testing
