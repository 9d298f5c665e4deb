#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune replay of very many rows and values: work and memory grow with the data, not with
# the square of a parameter's values.  Limits are wide: what does is beyond them by far.
. "$(dirname "$0")/lib.sh"
skip_with_sanitizers

within() {
    (
        ulimit -v 800000
        ulimit -t 20
        exec timeout 120 "$@"
    ) >"$out" 2>"$err" </dev/null
    status=$?
}
head='time_ms\tstatus\tcompile_ms\tbench_ms'

awk -v head="$head" 'BEGIN { print "A\t" head
    for (i = 1; i <= 300000; i++) print i "\t" 1 + (i * 7919) % 300000 "\tok\t1\t1" }' >"$work/one.tsv"
within "$cltune" replay "$work/one.tsv" -n 5 --repeats 5
exits 0 "300,000 values of one parameter"
out_has "300,000 configurations" "are all there"

awk -v head="$head" 'BEGIN { print "A\t" head
    for (i = 1; i <= 60000; i++) print "t" i "\t" 1 + (i * 7919) % 60000 "\tok\t1\t1" }' >"$work/texts.tsv"
within "$cltune" replay "$work/texts.tsv" -n 5 --repeats 5
exits 0 "60,000 texts"

awk -v head="$head" 'BEGIN { print "A\tB\t" head
    for (i = 0; i < 300000; i++) print i % 600 "\t" int(i / 600) "\t" 1 + (i * 7919) % 300000 "\tok\t1\t1" }' >"$work/two.tsv"
within "$cltune" replay "$work/two.tsv" -n 5 --repeats 5
exits 0 "300,000 pairs"

# Different integers that are one number as reals have places of their own.
printf 'A\t%b\n9007199254740993\t1\tok\t1\t1\n9007199254740992\t2\tok\t1\t1\n' "$head" >"$work/large.tsv"
within "$cltune" replay "$work/large.tsv" -n 2 --repeats 2
exits 0 "integers beyond what reals tell apart"
done_testing
