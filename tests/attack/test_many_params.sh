#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Space files of tens of thousands of parameters: work and memory grow with the file, not
# with its square.  Limits are wide: what grows with the square is beyond them by far.
. "$(dirname "$0")/lib.sh"
skip_with_sanitizers

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

# With a kernel, every name is looked for in the sources and in all texts.
{
    printf '[kernel]\nname = k\nsource = k.cl\n[launch k]\nkernel = k\nargs =\nglobal = 1\n[param]\n'
    awk 'BEGIN { for (i = 0; i < 60000; i++) print "P" i " = 1, 2, 3, 4" }'
} >"$work/many.ini"
echo 'kernel void k(void) {}' >"$work/k.cl"
within 600000 20 "$cltune" space "$work/many.ini" -q --count
exits 0 "60,000 parameters of a kernel"

# Long lists: within --memory from the first byte.
awk 'BEGIN { print "[param]"; for (i = 0; i < 500; i++) print "P" i " = 1..1000000" }' >"$work/long.ini"
within 600000 20 "$cltune" space "$work/long.ini" --count --memory 256M
exits 2 "lists of 500 million values"
err_has "long.ini:10:1: error: up to this point, the parameters have more than 8000000 values" "where they become too many"
{
    printf '[problem]\nn = 1000000\n[param]\n'
    awk 'BEGIN { for (i = 0; i < 500; i++) print "P" i " = 1..n" }'
} >"$work/long.ini"
within 600000 20 "$cltune" space "$work/long.ini" --count --memory 256M -p n=1000000
exits 2 "the same by a size"
err_has "more than 8000000 values in total" "which is said"
awk 'BEGIN { print "[param]"; for (i = 0; i < 7; i++) print "P" i " = 1..1000000" }' >"$work/long.ini"
within 600000 20 "$cltune" space "$work/long.ini" --count --memory 100M
exits 2 "values that alone take more than --memory"
err_has "the values of the parameters alone require more than 100 MiB" "which is said, too"
done_testing
