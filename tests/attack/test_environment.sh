#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What other programs, users and limits do to workers is not stored as the kernels' fault:
# what can be tried again is, and what keeps failing ends the search with what to mend.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/attack/spaces/slow.cl" "$root/tests/cli/spaces/copy.c" "$work/"
sed 's|\.\./\.\./cli/spaces/||' "$root/tests/attack/spaces/slow.ini" >"$work/slow.ini"
space=$work/slow.ini

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
bad() { query "select count(*) from result where status <> 'ok'"; }
workers() { pgrep -f "^$cltune --ct-worker"; }
# Waits until somebody is there to be hit.
find_worker() {
    tries=0
    while [ -z "$(workers)" ] && [ $tries -lt 250 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    workers | head -1
}
start() {
    timeout 60 "$cltune" search "$space" -d 0:1 --rough "$@" >"$out" 2>"$err" </dev/null &
    search=$!
}
finish() {
    wait $search
    status=$?
}

# --- signals from outside: the worker is replaced ---
for signal in KILL XFSZ HUP; do
    CLTUNE_DB=$work/$signal.db
    start --timeout 20s
    tries=0
    while [ "$(query 'select count(*) from result' || echo 0)" -lt 2 ] && [ $tries -lt 250 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    # All of them, once.
    # shellcheck disable=SC2046
    kill -$signal $(workers) 2>/dev/null
    finish
    exits 0 "all workers get SIG$signal: the search goes on"
    ok "and all are good" "$(query 'select count(*) from result') $(bad)" = "24 0"
done

# --- one that nobody survives ---
CLTUNE_DB=$work/all.db
# Builds take longer than it takes to be hit.
sed -i 's/build_time 50000000/build_time 2000000000/' "$work/slow.cl"
start --no-cache
find_worker >/dev/null
while kill -0 $search 2>/dev/null; do
    # shellcheck disable=SC2046
    kill -TERM $(workers) 2>/dev/null
    sleep 0.01
done
finish
exits 1 "each worker is ended by somebody: the search ends"
err_has "SIGTERM" "says by what"
err_has "find out which program or user" "and what to do"
ok "nothing is stored as the kernels' fault" "$(query "select 1 from result where status <> 'ok'")" = ""
cp "$root/tests/attack/spaces/slow.cl" "$work/"
run "$cltune" search "$space" -d 0:1 --rough
exits 0 "the next search measures the rest"
ok "all of it" "$(query 'select count(*) from result') $(bad)" = "24 0"

# --- a worker is stopped ---
CLTUNE_DB=$work/stopped.db
start --timeout 2s --no-cache
find_worker >/dev/null
sleep 0.3
victim=$(find_worker)
kill -STOP "$victim"
ok "a worker is stopped" -n "$victim"
finish
exits 0 "a worker that was stopped goes on"
ok "and all are good" "$(query 'select count(*) from result') $(bad)" = "24 0"

# In phase data, whose deadline is five minutes.
printf '%s\n' '#include <stdint.h>' '#include <string.h>' '#include <unistd.h>' '#include <signal.h>' \
    'void copy_reference(const float *input, float *output, uint32_t n);' \
    'void copy_reference(const float *input, float *output, uint32_t n)' \
    '{ raise(SIGSTOP); memcpy(output, input, n * sizeof(*output)); }' >"$work/copy.c"
CLTUNE_DB=$work/data.db
start --timeout 2s
finish
exits 0 "nor does one that was stopped in phase data take five minutes"

# Again and again: it is replaced, and then somebody else has to do something.
sed -i 's/raise(SIGSTOP);/for (int i = 0; i < 5; i++) &/' "$work/copy.c"
CLTUNE_DB=$work/again.db
start --timeout 5s
finish
exits 1 "workers that are stopped again and again end the search"
err_has "was stopped repeatedly (SIGSTOP)" "which says so"
cp "$root/tests/cli/spaces/copy.c" "$work/"

# --- what really crashes or hangs is still the kernel's ---
CLTUNE_DB=$work/real.db
cp "$root/tests/cli/spaces/faults.cl" "$work/"
sed "s/^FAULT = .*/FAULT = 0, 5, 6, 7, 12/" "$root/tests/cli/spaces/faults.ini" >"$work/faults.ini"
run "$cltune" search "$work/faults.ini" -d 0:1 --rough --timeout 1s
ok "crashes are crashes" "$(query "select count(*) from result where status = 'crashed'")" = 3
ok "and a hang is a timeout" "$(query "select count(*) from result where status = 'timeout'")" = 1

done_testing
