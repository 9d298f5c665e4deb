#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# search -d all: different devices side by side, devices of one kind in one search, CPU devices
# after the others, lost devices, Ctrl-C.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
fresh() {
    rm -f "$CLTUNE_DB"* "$work"/log "$work"/gone.* "$work"/slow.*
    export VIRTUALCL_LOG="$work/log"
}
# Launches of a device, as lines "NUMBER process": which line of the log, in order of time.
launches() { sort -n "$work/log" | awk -v d="device=$1" '$3 == "launch" && $4 == d { print NR, $2 }'; }
# Thirty-six configurations, each with a time of its own.
cp "$spaces/virtual.ini" "$spaces/copy.c" "$work/"
sed 's/virtual base 200000/virtual base 2000000/' "$spaces/virtual.cl" >"$work/virtual.cl"
sed -i 's/^VEC = .*/VEC = 1, 4, 16, 17, 18, 19/' "$work/virtual.ini"
for v in 17 18 19; do
    sed -i "/virtual base/a #pragma virtual add VEC $v $((v * 1000))" "$work/virtual.cl"
done

# --- different devices ---
# On a busy machine one may be done before the other one gets to start: asked again.
for try in 1 2 3 4; do
    fresh
    run "$cltune" search "$work/virtual.ini" -d all --json --rough --samples 3
    first0=$(launches 0 | head -1 | cut -d' ' -f1) last0=$(launches 0 | tail -1 | cut -d' ' -f1)
    first1=$(launches 1 | head -1 | cut -d' ' -f1) last1=$(launches 1 | tail -1 | cut -d' ' -f1)
    if [ "$first0" -lt "$last1" ] && [ "$first1" -lt "$last0" ]; then break; fi
done
exits 0 "two different devices"
ok "an array of two searches" "$(jq length "$out")" = 2
ok "each names its device" "$(jq -rc 'sort_by(.devices[0].index) | .[] | [.devices[0].index, .device] | join(" ")' \
    "$out" | tr '\n' ',')" = "0:0 VideoCore IV GPU,0:1 Virtual GPU,"
ok "with its own best" "$(jq -Sc 'sort_by(.devices[0].index) | .[].best[0].configuration' "$out" | tr '\n' ' ')" = \
    '{"VEC":16,"WG":12} {"VEC":16,"WG":16} '
ok "all results of both are stored" "$(query 'select count(*), count(distinct device_id) from result')" = "72|2"
ok "lines on standard error name their device" "$(grep -cv '^\[0:[01]\] ' "$err")" = 0
ok "both ran at the same time" "$first0" -lt "$last1" -a "$first1" -lt "$last0"

run "$cltune" search "$work/virtual.ini" -d all --json-lines --fresh -n 6 --rough
exits 0 "JSON lines"
ok "every record names the device" "$(jq -r .device_index "$out" | sort -u | tr '\n' ' ')" = "0:0 0:1 "
ok "from beginning to end" "$(jq -r 'select(.record == "search" or .record == "end") | .device_index + " " + .record' \
    "$out" | sort | tr '\n' ',')" = "0:0 end,0:0 search,0:1 end,0:1 search,"

run "$cltune" search "$work/virtual.ini" -d "Virtual GPU,0:0" --dry-run
ok "patterns with commas between them are several devices" "$(grep -c '^  device ' "$out")" = 2
run "$cltune" search "$work/virtual.ini" -d "0:0,xyzzy" --dry-run
exits 4 "unless one of them matches nothing"
err_has "no device matches 'xyzzy'" "which is named"

# Host code is timed while nothing else is at work.
cat >"$work/base.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void note(const char *what)
{
    struct timespec now;
    char line[100];
    int fd = open(getenv("VIRTUALCL_LOG"), O_WRONLY | O_APPEND);
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(line, sizeof(line), "%lld %d %s\n", now.tv_sec * 1000000000LL + now.tv_nsec, (int)getpid(), what);
    write(fd, line, strlen(line));
    close(fd);
}
void copy_slowly(const float *in, float *out, unsigned n)
{
    static const struct timespec pause = {0, 20000000};
    note("host_begin");
    nanosleep(&pause, NULL);
    memcpy(out, in, n * sizeof(*in));
    note("host_end");
}
END
cp "$work/virtual.ini" "$work/base.ini"
printf '[baseline]\nc = base.c\nfunction = copy_slowly\nargs = input, output, uint(n)\n' >>"$work/base.ini"
fresh
run "$cltune" search "$work/base.ini" -d all --rough -q --samples 3 -t 20s --param VEC=1,4
exits 0 "two devices and a baseline"
ok "nobody is at work while host code is timed" "$(sort -n "$work/log" | awk '
    $3 == "host_begin" { host[$2] = 1 }
    $3 == "host_end" { delete host[$2]; timed++ }
    $3 ~ /^(launch|build_begin|build_end|finish_end)$/ { for (i in host) wrong++ }
    END { many = timed > 1; print many, wrong + 0 }')" = "1 0"

# Never more builders at work than -j allows, in both searches together.
fresh
sed 's/virtual.cl/slowly.cl/' "$work/virtual.ini" >"$work/slowly.ini"
sed '/virtual base/a #pragma virtual build_time 20000000' "$work/virtual.cl" >"$work/slowly.cl"
run "$cltune" search "$work/slowly.ini" -d all -j 1 --no-cache --rough -q -n 8 --samples 3
exits 0 "one builder for two devices"
ok "does one thing at a time" "$(sort -n "$work/log" | awk '
    $3 == "build_begin" && !runner[$2] { if (++at_work > most) most = at_work }
    $3 == "launch" { runner[$2] = 1 }
    $3 == "build_end" && !runner[$2] { at_work-- }
    END { print most }')" = 1
ok "for both devices" "$(sed -n 's/.* build_begin \(device=[0-9]*\) .*/\1/p' "$work/log" | sort -u | wc -l)" = 2

# --- devices of one kind ---
fresh
run "$cltune" search "$work/virtual.ini" -d 0:1 -q --rough --no-race --samples 3
times_of_all() { query "select configuration, time_ns from result where status = 'ok' order by 1"; }
times_of_all >"$work/alone"
fresh
export VIRTUALCL_DEVICES=1,1
run "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3
exits 0 "two devices of one kind"
ok "share one search" "$(jq -c '[length, .[0].evaluated, (.[0].devices | map(.index))]' "$out")" = '[1,36,["0:0","0:1"]]'
ok "each configuration is measured once" "$(jq '.[0].devices | map(.measured) | add' "$out")" = 36
ok "both measure" "$(jq '.[0].devices | map(.measured >= 6) | all' "$out")" = true
ok "they are compared before and after" "$(jq -c '.[0].devices | map(.before == 1 and .after == 1 and .left_out == null)' "$out")" = \
    '[true,true]'
ok "the best is the same as of one device" "$(jq -c '.[0].best[0].configuration' "$out")" = '{"WG":16,"VEC":16}'
ok "and so is its time" "$(jq '.[0].best[0].time_ns' "$out")" = 10000
times_of_all >"$work/shared"
ok "every time is that of one device alone" "$(cmp "$work/alone" "$work/shared" && wc -l <"$work/shared")" = 36

fresh
VIRTUALCL_DEVICES=1,1,1:slow=20
run "$cltune" search "$work/virtual.ini" -d all --rough --samples 3
exits 0 "a slower sibling"
err_has "device 0:2 runs the default configuration 20% slower than device 0:0" "is named"
err_has "devices    0:0, 0:1, 0:2 share this search" "all of them are told in the beginning"
ok "and left out" "$(grep -c '^devices .*0:2 measured 0 (left out: slower)$' "$out")" = 1
ok "its times are nowhere" "$(query "select count(*) from result where status = 'ok' and time_ns % 12 = 0 and
    configuration like '%\"VEC\":16%' and configuration like '%\"WG\":16%'")" = 0
ok "the others still share the work" "$(grep -c '0:1 measured [1-9]' "$out")" = 1

fresh
VIRTUALCL_DEVICES=1:slow=20,1,1
run "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3
exits 0 "a slower first device"
err_has "device 0:0 runs the default configuration 20% slower than device 0:1: it takes no part" "is named"
ok "and left out, and another one is the first" "$(jq -c '.[0].devices | map([.index, .measured > 0, .left_out])' "$out")" = \
    '[["0:1",true,null],["0:0",false,"slower"],["0:2",true,null]]'
times_of_all >"$work/slower"
ok "none of its times is stored, not that of the default either" "$(cmp "$work/alone" "$work/slower" && wc -l <"$work/slower")" = 36
fresh
run "$cltune" search "$work/virtual.ini" -d 0:1 -q --rough --no-race --samples 3 -n 5
run "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3
err_has "device 0:0 runs the default configuration 20% slower than device 0:1: it takes no part" "also when results are stored before"
times_of_all >"$work/slower"
ok "and then the rest is measured by the others" "$(cmp "$work/alone" "$work/slower" && jq '.[0].devices[1].left_out' "$out")" = '"slower"'

# --- devices that are lost ---
# meanwhile FILE DEVICE: a search, during which the file is made once results of that kind of devices are stored.
meanwhile() {
    fresh
    "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3 >"$out" 2>"$err" </dev/null &
    search=$!
    tries=0
    while [ "$(query "select count(*) >= 4 from result join device on device.id = device_id where name like '$2%'")" != 1 ] &&
        [ $tries -lt 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    touch "$work/$1"
    wait $search
    status=$?
}
export VIRTUALCL_GONE="$work/gone" VIRTUALCL_SLOW="$work/slow"
VIRTUALCL_DEVICES=1,1,0
meanwhile gone.1 "Virtual GPU"
exits 0 "a sibling that is taken away"
err_has "device 0:1 is lost, and the search continues without it" "is named"
ok "what it measured is kept, the others measure the rest" \
    "$(jq -c 'map(select(.device == "Virtual GPU"))[0] | [.counts.ok, .devices[1].left_out]' "$out")" = '[36,"lost"]'
ok "no failure is blamed on a configuration" "$(query "select count(*) from result where status not in ('ok', 'invalid')")" = 0
ok "the other kind is left alone" "$(jq -c 'map(select(.device == "VideoCore IV GPU"))[0].evaluated' "$out")" = 36
meanwhile gone.0 "Virtual GPU"
exits 0 "the first device of a kind that is taken away"
err_has "device 0:0 is lost, and the search continues without it" "is named"
ok "another one takes its place" "$(jq -c 'map(select(.device == "Virtual GPU"))[0] | [.counts.ok, .devices[0].index,
    .devices[1].index, .devices[1].left_out]' "$out")" = '[36,"0:1","0:0","lost"]'
ok "with a result for each configuration" "$(query "select count(*) from result where status = 'ok' and device_id =
    (select id from device where name like 'Virtual%')")" = 36
fresh
touch "$work/gone.0"
run "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3
exits 0 "the first device of a kind is away from the start"
err_has "device 0:0 is lost, and the search continues without it" "is named"
ok "another one does all" "$(jq -c 'map(select(.device == "Virtual GPU"))[0] | [.counts.ok, (.devices | map([.index, .left_out]))]' \
    "$out")" = '[36,[["0:1",null],["0:0","lost"]]]'
ok "and the other kind its own" "$(jq -c 'map(select(.device == "VideoCore IV GPU"))[0].evaluated' "$out")" = 36
fresh
touch "$work/gone.0" "$work/gone.1"
run "$cltune" search "$work/virtual.ini" -d all --json --rough --no-race --samples 3
exits 1 "all of a kind are away from the start"
ok "the other kind is left alone" "$(jq -c 'map(select(.device == "VideoCore IV GPU"))[0].evaluated' "$out")" = 36
ok "nothing is stored of the first" "$(query "select count(*) from result where device_id in (select id from device where name like 'Virtual%')")" = 0
meanwhile gone.2 VideoCore
exits 1 "another kind that is taken away"
err_has "[0:2] cltune: " "says which"
ok "leaves the others alone" "$(jq -c 'map(select(.device == "Virtual GPU"))[0].evaluated' "$out")" = 36
ok "what it measured is stored" "$(query "select count(*) > 0 from result where device_id =
    (select id from device where name like 'Video%')")" = 1
ok "and nothing is blamed on a configuration" "$(query "select count(*) from result where status not in ('ok', 'invalid')")" = 0
meanwhile slow.1 "Virtual GPU"
exits 0 "a sibling that becomes slower"
err_has "device 0:1 now runs the default configuration 100% slower than device 0:0" "is named in the end"
ok "with what it has measured" "$(jq -c 'map(select(.device == "Virtual GPU"))[0].devices[1] |
    [.measured > 0, .before == 1, .after == 2]' "$out")" = "[true,true,true]"
unset VIRTUALCL_GONE VIRTUALCL_SLOW

# --- CPU devices ---
fresh
VIRTUALCL_DEVICES=1:cpu,0,1:cpu
run "$cltune" search "$work/virtual.ini" -d all --rough --json -q -n 12 --samples 3
exits 0 "CPU devices and a GPU"
last=$(launches 1 | tail -1 | cut -d' ' -f1)
ok "the CPU device begins when the GPU has ended" "$(launches 0 | head -1 | cut -d' ' -f1)" -gt "$last"
ok "nothing is built for it before, either" "$(sort -n "$work/log" |
    awk -v last="$last" 'NR < last && $3 == "build_begin" && $4 == "device=0"' | wc -l)" = 0
ok "CPU devices of one kind have the same processors: one measures" \
    "$(jq -c 'map(select(.device == "Virtual GPU"))[0].devices | map([.index, .measured > 0, .left_out])' "$out")" = \
    '[["0:0",true,null],["0:2",false,"same processors"]]'

# --- interrupts ---
fresh
VIRTUALCL_DEVICES=0,1,1
sed 's/^FAULT = .*/FAULT = 0, 1, 4, 8, 12, 13/' "$spaces/faults.ini" >"$work/faults.ini"
cp "$spaces/faults.cl" "$work/"
"$cltune" search "$work/faults.ini" -d all --timeout 60s >"$out" 2>"$err" </dev/null &
search=$!
tries=0
while [ "$(query 'select count(distinct device_id) from result')" != 2 ] && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM $search
wait $search
status=$?
exits 130 "interrupted once"
ok "both searches say how to continue" "$(grep -c 'run the same command to continue' "$out")" = 2
ok "both runs are marked" "$(query "select group_concat(status) from run")" = interrupted,interrupted
ok "no worker is left" -z "$(pgrep -f "^$cltune --ct-worker")"

done_testing
