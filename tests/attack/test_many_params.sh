#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Space files of tens of thousands of parameters: work and memory grow with the file, not
# with its square.  Limits are wide: what grows with the square is beyond them by far.
. "$(dirname "$0")/lib.sh"

# many COUNT: parameters in $work/many.ini.
many() {
    awk -v n="$1" 'BEGIN { print "[param]"; for (i = 0; i < n; i++) print "P" i " = 1, 2" }' >"$work/many.ini"
}
# within KILOBYTES SECONDS COMMAND...: of addresses and of the processor's time.
within() {
    (
        ulimit -v "$1"
        ulimit -t "$2"
        shift 2
        exec timeout 120 "$@"
    ) >"$out" 2>"$err" </dev/null
    status=$?
}

many 40000
within 400000 20 "$cltune" space "$work/many.ini" --memory 256M
exits 0 "40,000 parameters"
out_has "valid               more than" "are counted"
within 400000 20 "$cltune" space "$work/many.ini" --memory 256M --sample 2
exits 0 "and sampled"
within 400000 20 "$cltune" space "$work/many.ini" --memory 256M --json
exits 0 "JSON of them"

many 14000
{
    echo "[constraint]"
    awk 'BEGIN { for (i = 0; i < 14000; i += 2) print "c" i " = P" i " <= P" (i + 1) }'
} >>"$work/many.ini"
within 400000 30 "$cltune" space "$work/many.ini" --memory 256M
exits 0 "14,000 parameters in pairs"

many 40000
within 400000 20 "$cltune" space "$work/many.ini" --memory 1M
exits 2 "where less is allowed than the values need"
err_has "more than 1 MiB" "that is said"

many 20000
{
    echo "[constraint]"
    awk 'BEGIN { for (i = 1; i < 20000; i++) print "c" i " = P" (i - 1) " <= P" i }'
} >>"$work/many.ini"
within 600000 60 "$cltune" space "$work/many.ini" --memory 256M
exits 2 "a chain of 20,000 parameters is more than 256 MiB"
err_has "more than 256 MiB" "which is said"
done_testing
