#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device against the processor: baselines that win, lose, draw and spoil each other's
# results; and objectives that are observed, or cannot be.
. "$(dirname "$0")/lib.sh"
spaces=$root/tests/cli/spaces
cp "$spaces/virtual.ini" "$spaces/virtual.cl" "$spaces/copy.c" "$work/"

cat >"$work/host.c" <<'C'
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Far faster than any device of these tests ... */
void fast(const float *in, float *out, uint32_t n)
{
    memcpy(out, in, n * sizeof(*out));
}

/* ... and far slower. */
void slow(const float *in, float *out, uint32_t n)
{
    usleep(100000);
    fast(in, out, n);
}

/* Now 8 times as fast as 8 ms, now far slower; by sleeping, whoever is at work. */
void unsteady(const float *in, float *out, uint32_t n)
{
    struct timespec now;

    /* Three samples of 10 ms, then slow ones. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    usleep(now.tv_nsec / 30000000 % 2 ? 200000 : 1000);
    fast(in, out, n);
}

/* Not for two threads at a time. */
void spoilt(const float *in, float *out, uint32_t n)
{
    static volatile uint32_t at;

    for (at = 0; at < n; at++) {
        uint32_t i = at;

        if (i % 64 == 0)
            usleep(1000);
        if (i < n)
            out[i] = in[i];
    }
}

void wrong(const float *in, float *out, uint32_t n)
{
    fast(in, out, n);
    out[0] += 1;
}
C

# with_baseline FUNCTION: the space of that baseline.
with_baseline() {
    {
        cat "$spaces/virtual.ini"
        printf '[baseline]\nc = host.c\nfunction = %s\nargs = input, output, uint(n)\n' "$1"
    } >"$work/$1.ini"
}
for function in fast slow unsteady spoilt wrong; do with_baseline $function; done
processors=$(nproc)
# As long as it takes, so that busy processors change nothing.
few="--param WG=8,12 --param VEC=16 --baseline 100%"
json() { jq "$1" "$out"; }

export OCL_ICD_VENDORS="$virtual"

# shellcheck disable=SC2086
run "$cltune" search "$work/slow.ini" -d VideoCore $few
exits 0 "a device that wins"
out_has "verdict   VideoCore IV GPU is" "is said to"
out_has "times as fast as slow on one core" "against one core"
out_has "; with transfers" "with transfers, too"
out_lacks "the host CPU wins" "and nothing else"
if [ "$processors" -gt 1 ]; then
    out_has "times as fast as on all $processors" "against all cores"
    out_has "; on all $processors (a copy on each): " "whose time is shown"
else
    skip 2 "one processor"
fi
run "$cltune" search "$work/slow.ini" -d VideoCore $few --json -q
ok "JSON names the winner" "$(json .verdict.winner)" = '"device"'
ok "the ratio is that of the times" "$(json '(.verdict.one.time_ns / .best[0].time_ns /
    .verdict.one.device.ratio - 1) | fabs < 1e-9')" = true
ok "its interval is that of the baseline, for the device's time is exact" \
    "$(json '(.verdict.one.low_ns / .best[0].time_ns / .verdict.one.device.low - 1) | fabs < 1e-9')" = true
ok "one core is one core" "$(json .verdict.one.copies)" = 1
ok "transfers take time" "$(json '.verdict.end_to_end_ns > 0 and
    (.verdict.one.time_ns / .verdict.end_to_end_ns / .verdict.one.device_with_transfers.ratio - 1
    | fabs < 1e-9)')" = true
if [ "$processors" -gt 1 ]; then
    ok "all cores run a copy each" "$(json .verdict.all.copies)" = "$processors"
    ok "which is faster than one" "$(json '.verdict.all.time_ns < .verdict.one.time_ns')" = true
else
    skip 2 "one processor"
fi
ok "nothing is missing" "$(json .verdict.all_missing)" = null
ok "the host's load is told where it is known" \
    "$(json '.verdict | (.host_load == null) == (.text | contains("the driver keeps") | not)')" = true

# loses TEXT OPTION...: a search that prints TEXT, once more while it does not: other programs may have had the
# processor each time that the baseline ran.
loses() {
    wanted=$1
    shift
    for _ in 1 2 3 4; do
        rm -f "$CLTUNE_DB"
        # shellcheck disable=SC2086
        run "$cltune" search "$work/fast.ini" -d VideoCore $few "$@"
        ! grep -qF "$wanted" "$out" || break
    done
}
loses "the host CPU wins"
exits 0 "a device that loses"
out_has "verdict   the host CPU wins: fast on one core is" "is told so plainly"
out_has "times as fast as VideoCore IV GPU" "by how much"
loses '"winner": "processor"' --json -q
ok "JSON names the winner" "$(json .verdict.winner)" = '"processor"'
ok "with ratios below 1" "$(json '.verdict.one.device.high < 1')" = true

sed 's/virtual base 200000/virtual base 20000000/' "$spaces/virtual.cl" >"$work/virtual-8ms.cl"
sed -i 's/^source = .*/source = virtual-8ms.cl/' "$work/unsteady.ini"
# What is unsteady may look steady by chance: so it is asked more than once.
for _ in 1 2 3 4 5 6 7 8; do
    rm -f "$CLTUNE_DB"
    run "$cltune" search "$work/unsteady.ini" -d VideoCore --param WG=12 --param VEC=16 --baseline 100% --json -q
    unsteady=$(json '.verdict.one.device | .low <= 1 and .high >= 1')
    [ "$unsteady" = false ] || break
done
exits 0 "a device that is as fast as the processor, as far as one can tell"
ok "1 lies in the interval" "$unsteady" = true
ok "which is said" "$(json '.verdict.text |
    contains("VideoCore IV GPU and unsteady on one core are tied")')" = true

run "$cltune" search "$work/spoilt.ini" -d VideoCore $few
exits 0 "a baseline with static data"
out_has "times as fast as spoilt on one core" "is compared with on one core"
if [ "$processors" -gt 1 ]; then
    out_has "spoilt on all $processors cores is not compared: wrong: $processors concurrent copies" \
        "but not on all"
    run "$cltune" search "$work/spoilt.ini" -d VideoCore $few --json -q
    ok "JSON has the reason" "$(json '.verdict.all == null and (.verdict.all_missing |
        contains("static data"))')" = true
else
    skip 2 "one processor"
fi

run "$cltune" search "$work/wrong.ini" -d VideoCore $few
exits 0 "a baseline that is wrong"
err_has "warning: no baseline: wrong" "is told"
out_lacks "verdict" "and not compared with"
run "$cltune" search "$work/virtual.ini" -d VideoCore $few -p n=1024,2048
exits 0 "no baseline"
out_lacks "verdict" "no line about what nobody asked for"
run "$cltune" search "$work/virtual.ini" -d VideoCore $few --json -q
ok "JSON has null" "$(json .verdict)" = null

# --- objectives and metrics ---

# A device that never tells of energy: nothing but the default is measured.
run "$cltune" search "$work/virtual.ini" -d VideoCore --objective energy_j --db "$work/energy.db"
exits 1 "an objective that the device does not tell"
err_has "the objective energy_j is not available on VideoCore IV GPU: " "names both"
err_has "libnvidia-ml.so.1" "and the reason"
err_lacks "no configuration worked" "not what did not happen"
ok "after the default" "$(sqlite3 "$work/energy.db" 'select count(*) from result')" = 1
cat >>"$work/virtual.ini" <<'INI'
joules = energy_j * 2
share = end_to_end_ns / time_ns
INI
run "$cltune" search "$work/virtual.ini" -d VideoCore $few --db "$work/energy.db" --json
exits 0 "a metric that the device does not tell"
err_has "warning: the metric joules has no value: energy_j is not available on VideoCore" "is told"
ok "and left out" "$(json '.best[0].metrics | has("joules") | not')" = true
ok "another one uses the time with transfers" "$(json '.best[0].metrics.share > 0')" = true
ok "and is stored" "$(sqlite3 "$work/energy.db" "select count(*) from result
    where json_extract(metrics, '\$.share') > 0 and json_extract(metrics, '\$.joules') is null")" -ge 2
printf '[measure]\nobjective = joules\ndirection = minimize\n' >>"$work/virtual.ini"
run "$cltune" search "$work/virtual.ini" -d VideoCore $few --fresh
exits 1 "a metric of it as the objective"
err_has "the objective joules requires energy_j, which is not available on VideoCore IV GPU" "names both"
run "$cltune" search "$work/virtual.ini" -d VideoCore $few --objective energyj
exits 2 "a misspelt one"
err_has "did you mean 'energy_j'?" "and the likely one"
run "$cltune" search "$work/slow.ini" -d VideoCore $few --objective time_ns
exits 0 "time by its other name"
out_has "0 evaluated now" "is the same objective"
run "$cltune" search "$work/slow.ini" -d VideoCore $few --objective end_to_end_ns --json -q
exits 0 "and so with transfers"
ok "under the name that is stored" "$(json .objective)" = '"end_to_end"'
sent="--db $work/sent.db"
cp "$work/slow.ini" "$work/sent.ini"
grep -q '^.measure' "$work/sent.ini" || echo '[measure]' >>"$work/sent.ini"
sed -i '/^.measure/a objective = end_to_end' "$work/sent.ini"
for n in 1024 2048 4096 8192; do run "$cltune" search "$work/sent.ini" -d VideoCore $few -p n=$n --rough $sent -q; done
run "$cltune" best $sent --device VideoCore -p n=1024 --objective end_to_end --json
gain=$(printf %.2f "$(jq '.[0] | .default_value / .objective_value' "$out")")
run "$cltune" best $sent
ok "the list of bests has such a time, and by how much it has become better ($gain)" \
    "$(grep -Ec "n=1024 .*end_to_end [0-9.]+ [mu]s +${gain}x" "$out")" = 1
run "$cltune" recheck vcopy -d VideoCore --objective end_to_end $sent
out_has "END TO END" "a recheck shows what ranks"
run "$cltune" run "$work/slow.ini" -d VideoCore WG=8 VEC=16 --json
ok "run has what was observed" "$(json '.observed | type')" = '"object"'

# --- a device that is a processor ---
unset OCL_ICD_VENDORS
run "$cltune" search "$work/slow.ini" -d 0:0 --param WG=8 --param VEC=1,4 --baseline 100%
exits 0 "a processor as the device"
out_has "times as fast as slow on one core" "wins against a baseline that sleeps"
out_lacks "the driver keeps" "its computing costs the host nothing more"
run "$cltune" search "$work/slow.ini" -d 0:0 --param WG=8 --param VEC=1,4 --baseline 100% --json -q
ok "JSON agrees" "$(json .verdict.winner)" = '"device"'

done_testing
