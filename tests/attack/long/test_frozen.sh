#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A process tree that is frozen for longer than any deadline goes on after the thaw.
. "$(dirname "$0")/../lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/attack/spaces/slow.cl" "$root/tests/cli/spaces/copy.c" "$work/"
sed 's|\.\./\.\./cli/spaces/||' "$root/tests/attack/spaces/slow.ini" >"$work/slow.ini"
space=$work/slow.ini

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
bad() { query "select count(*) from result where status <> 'ok'"; }
workers() { pgrep -f "^$cltune --ct-worker"; }
start() {
    timeout 60 "$cltune" search "$space" -d 0:1 --rough "$@" >"$out" 2>"$err" </dev/null &
    search=$!
}
finish() {
    wait $search
    status=$?
}

CLTUNE_DB=$work/frozen.db
# Builders are busy and the runner is in a first launch nearly all the time.
sed -i 's/#pragma virtual build_time .*/#pragma virtual first_time 700000000/' "$work/slow.cl"
sed -i '/first_time/a #pragma virtual build_time 500000000' "$work/slow.cl"
start --timeout 1s --param A=0..5
for _ in 1 2; do
    sleep 1.3
    victims="$search $(pgrep -P $search) $(workers)"
    # shellcheck disable=SC2086
    kill -STOP $victims 2>/dev/null
    sleep 1.8
    # In no order: here cltune is a little earlier than its workers.
    for victim in $victims; do
        kill -CONT "$victim" 2>/dev/null
        sleep 0.2
    done
done
finish
exits 0 "a frozen process tree goes on after the thaw"
ok "and all are good" "$(query 'select count(*) from result') $(bad)" = "6 0"

done_testing
