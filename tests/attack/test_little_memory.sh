#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where a limit on memory keeps drivers from being loaded, messages name the limit and not
# a driver that is missing.
. "$(dirname "$0")/lib.sh"
skip_with_sanitizers

limited() {
    (
        ulimit -v "$1"
        shift
        exec timeout 60 "$@"
    ) >"$out" 2>"$err" </dev/null
    status=$?
}

run "$cltune" devices
if [ "$status" -ne 0 ]; then
    skip 1 "no driver here"
    done_testing
    exit 0
fi
# From too little for the program itself to enough: whatever happens has its own reason.
wrong=0
told=0
for kilobytes in 5000 10000 15000 20000 30000 50000 80000 120000 200000; do
    for command in "devices" "run $root/tests/cli/spaces/virtual.ini" "peak"; do
        # shellcheck disable=SC2086
        limited $kilobytes "$cltune" $command
        if grep -q 'install a driver' "$err" || [ "$status" -ge 124 -a "$kilobytes" -ge 20000 ]; then
            wrong=$((wrong + 1))
            echo "# $kilobytes KB, $command: $status"
            head -3 "$err" | sed 's/^/#   /'
        fi
        grep -q 'raise the limit' "$err" && told=$((told + 1))
    done
done
ok "no message is of a missing driver" $wrong -eq 0
ok "some name the limit" $told -gt 0

mkdir "$work/none"
OCL_ICD_VENDORS="$work/none" run "$cltune" devices
exits 4 "without a driver"
err_has "install a driver" "that is said"
OCL_ICD_VENDORS="$work/none" limited 2000000 "$cltune" devices
err_has "install a driver" "also under a limit that is wide enough"

# A driver that needs more is missing in the list of those that are there.
OCL_ICD_VENDORS="$virtual" limited 2000000 "$cltune" run "$root/tests/cli/spaces/virtual.ini" -d nosuch
exits 4 "a device that is not there"
err_has "ulimit -v" "a limit may be the reason"
OCL_ICD_VENDORS="$virtual" run "$cltune" run "$root/tests/cli/spaces/virtual.ini" -d nosuch
err_lacks "ulimit" "where there is none, none is named"
done_testing
