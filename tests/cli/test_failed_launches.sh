#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches that a driver accepts and that fail on the device: clFinish succeeds, only the
# execution status of events tells.  And launches that are right at first and write nothing
# when they are timed.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/launches.* "$root/tests/cli/spaces/copy.c" "$work/"
space=$work/launches.ini

of() {
    sqlite3 "$CLTUNE_DB" "select $2 from result where configuration = '{\"FAULT\":$1}'"
}
# message_has FAULT TEXT NAME
message_has() {
    of "$1" message >"$out"
    out_has "$2" "$3"
}
check_all() {
    ok "$1: the good one is measured" "$(of 0 status)" = ok
    ok "$1: every launch fails" "$(of 1 status)" = crashed
    message_has 1 "CL_OUT_OF_RESOURCES (-5)" "$1: the driver's error is named"
    message_has 1 "launch copy" "$1: and the launch"
    ok "$1: outputs are not blamed" "$(of 1 message | grep -c 'never written')" = 0
    ok "$1: every launch after the first fails" "$(of 2 status)" = crashed
    ok "$1: launches of the samples fail" "$(of 3 status)" = crashed
    message_has 3 "-9999" "$1: with an error of the driver's own"
    ok "$1: every third fails" "$(of 4 status)" = crashed
    ok "$1: the timed launches write nothing" "$(of 5 status)" = wrong
    message_has 5 "correct at first, but wrong after the timed runs" "$1: which is said"
    ok "$1: nothing that failed has a time" "$(sqlite3 "$CLTUNE_DB" \
        "select count(*) from result where status != 'ok' and time_ns is not null")" = 0
}

run "$cltune" search "$space" -d 0:1
exits 0 "the search ends"
out_has "1 ok" "one configuration worked"
check_all "a search"

printf '[measure]\ncache = cold\n' >>"$space"
CLTUNE_DB=$work/cold.db
run "$cltune" search "$space" -d 0:1
exits 0 "a search with cold caches ends"
check_all "cold caches"

run "$cltune" run "$space" FAULT=2 -d 0:1
exits 1 "run fails, too"
out_has "failed on the device after it was enqueued: CL_OUT_OF_RESOURCES (-5)" "with the error"

# A clock that tells a hundredth of the time: deadlines follow the wall clock, or launches of
# more than a second would be too late beside a best of twelve milliseconds.
cat >"$work/slow.cl" <<'END'
#pragma virtual base 1200000000
#pragma virtual fault * * event_scale:1
__kernel void copy(__global const float *input, __global float *output, uint n)
{
}
END
sed -e 's/= launches/= slow/; s/^FAULT = .*/X = 0, 1/' "$root/tests/cli/spaces/launches.ini" |
    sed 's/launches.cl/slow.cl/' >"$work/slow.ini"
CLTUNE_DB=$work/slow.db
run "$cltune" search "$work/slow.ini" -d 0:0 --rough --samples 1
exits 0 "a search by a clock that lies"
ok "no launch is too late" "$(sqlite3 "$CLTUNE_DB" \
    "select count(*) from result where status = 'ok' and time_ns > 1e9")" = 2

done_testing
