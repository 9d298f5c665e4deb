#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A space in which every fifth configuration fails, in fifty ways: all good ones are measured,
# each failure is what it is, the winner is right, nothing is left behind.
#
# CT_FAULTS=all runs all 1,000 configurations, else 300 with each way in them.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
export VIRTUALCL_COUNTERS="$work/counters" VIRTUALCL_SEED=1 VIRTUALCL_LOG="$work/log"
cp "$root"/tests/cli/spaces/faults-virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
space=$work/faults-virtual.ini
judge=$work/faults-virtual.sh

part="--param X=0,1,2"
configurations=300
# A compiler that hangs, or a driver that hangs when it loads a binary, is given two minutes:
# those three kinds are for the whole run only.
hanging=0
if [ "${CT_FAULTS-}" = all ]; then
    part=
    configurations=1000
else
    printf '[constraint]\nquick = FAULT != 3 && FAULT != 8 && FAULT != 46\n' >>"$space"
    hanging=$(sh "$judge" expect | head -300 | awk '$2 == 3 || $2 == 8 || $2 == 46' | wc -l)
fi
ok "all kinds are in it" "$(sh "$judge" expect | head -n $configurations | awk '{print $2}' |
    sort -u | wc -l)" = 51

# shellcheck disable=SC2086
run "$cltune" search "$space" $part -d 0:1 --timeout 1s
tell_spent "$configurations configurations"
exits 0 "the search ends by itself"
sh "$judge" compare "$CLTUNE_DB" | grep -v "stored nothing" >"$out"
ok "each result has a status that is expected" ! -s "$out"
ok "all have a result" "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')" = \
    $((configurations - hanging))
sqlite3 "$CLTUNE_DB" "select configuration, time_ns from result where status = 'ok'
    order by time_ns limit 2" >"$out"
ok "the winner is right" "$(head -1 "$out")" = '{"X":1,"Y":3,"Z":5}|20000.0'
ok "by a tenth" "$(sed -n '2s/.*|//p' "$out")" = 22000.0
ok "no worker is left" -z "$(pgrep -f "^$cltune --ct-worker")"

# Two processes never time at once: from a launch to the end of the finish behind it.
awk '
    $3 == "launch" { if (running && running != $2) bad++; running = $2 }
    $3 == "finish_end" || $3 == "start" { if (running == $2 || $3 == "start") running = 0 }
    END { print bad + 0 }' "$VIRTUALCL_LOG" >"$out"
ok "one process at a time uses the device" "$(cat "$out")" = 0

done_testing
