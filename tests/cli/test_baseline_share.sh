#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The host baseline takes a share of the search, and no context of the device.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces/virtual.ini" "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
cat >"$work/host.c" <<'C'
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <string.h>
#include <unistd.h>

void slow(const float *in, float *out, uint32_t n)
{
    usleep(300000);
    memcpy(out, in, n * sizeof(*out));
}

void quick(const float *in, float *out, uint32_t n, float *extra)
{
    extra[0] = 1;
    memcpy(out, in, n * sizeof(*out));
}
C
{
    cat "$work/virtual.ini"
    printf '[baseline]\nc = host.c\nfunction = slow\nargs = input, output, uint(n)\n'
} >"$work/slow.ini"
json() { jq "$1" "$out"; }

# search FILE OPTION...: a few configurations, quickly; the log of the driver is $work/log.
search() {
    file=$1
    shift
    rm -f "$work/log" "$CLTUNE_DB"
    run env VIRTUALCL_LOG="$work/log" "$cltune" search "$work/$file.ini" -d VideoCore -j1 --rough \
        --param WG=8,12 --param VEC=16 "$@"
}
# Processes that have used the driver.
users() { grep -c ' start' "$work/log"; }

search virtual
without=$(users)
search slow --baseline 0.1%
exits 0 "a share that is soon over"
ok "the baseline opens no device" "$(users)" = "$without"
out_has "baseline  slow on one core: " "one core is timed"
if [ "$(nproc)" -gt 1 ]; then
    out_has "cores is not compared: its calls take too long for the time that the baseline may take; use --baseline SHARE to allow more" \
        "why all cores are not"
else
    skip 1 "one processor"
fi
search slow --baseline 0.1% --json -q
ok "in JSON, too" "$(json '.verdict.one.copies')" = 1
if [ "$(nproc)" -gt 1 ]; then
    ok "with the reason" "$(json '.verdict.all == null and (.verdict.all_missing | contains("--baseline"))')" = true
    search slow --baseline 100% --json -q
    ok "all of the time suffices for all cores" "$(json '.verdict.all.copies > 1 and
        .verdict.all_missing == null')" = true
    search slow -t 100 --baseline 30% --json -q
    ok "so does a share of a longer limit" "$(json '.verdict.all.copies > 1')" = true
else
    skip 3 "one processor"
fi
# What the host code is given counts, too, but not that it is compiled.
{
    cat "$work/virtual.ini"
    printf '[buffer extra]\ntype = float\ncount = 30000000\nfill = uniform(-1, 1)\n'
    printf '[baseline]\nc = host.c\nfunction = quick\nargs = input, output, uint(n), extra\n'
} >"$work/wide.ini"
if [ "$(nproc)" -gt 1 ]; then
    # Where other programs slow the search down, the limit may suffice for the data but not for copies of them.
    search wide --baseline 2% --json -q
    ok "data that take long to prepare leave no time" "$(json '.verdict.all_missing |
        test("^(preparing its data|copying its data for [0-9]+ processors) takes too long for the time that the baseline may take")')" = true
    search wide --baseline 100% --json -q
    ok "unless there is enough of it" "$(json '.verdict.all.copies > 1')" = true
else
    skip 2 "one processor"
fi
search slow --baseline 0
exits 2 "no share is an error"
done_testing
