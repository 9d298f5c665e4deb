#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Standard output that cannot be written is an error of every command, and is named.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
if ! [ -c /dev/full ]; then
    skip 1 "no /dev/full"
    done_testing
    exit 0
fi
run "$cltune" search "$space" -d VideoCore -q
exits 0 "a search"
printf 'A\ttime_ms\tstatus\tcompile_ms\tbench_ms\n' >"$work/data.tsv"
seq 200 | sed 's/.*/&\t&\tok\t100\t50/' >>"$work/data.tsv"

# full COMMAND...: to a full device.
full() {
    "$cltune" "$@" >/dev/full 2>"$err" </dev/null
    status=$?
    : >"$out"
    if [ "$status" -eq 1 ] && grep -q 'cannot write to standard output: No space left on device' "$err"; then
        report 0 "$*"
    else
        report 1 "$*"
    fi
}
full --help
full --version
full help best
full best --help
for format in text json flags header; do full best --format $format; done
full devices
full devices --json
full space "$space"
full space "$space" --list
full space "$space" --explain
full run "$space" -d VideoCore WG=4 VEC=4
full run "$space" -d VideoCore WG=4 VEC=4 --json
# A log that is printed while the workers are still there, which end with other errors.
cp "$root/tests/cli/spaces/copy.c" "$work/"
{
    yes '#warning something long enough to fill a buffer' | head -200
    cat "$root/tests/cli/spaces/virtual.cl"
} >"$work/virtual.cl"
cp "$space" "$work/log.ini"
full run "$work/log.ini" -d VideoCore WG=4 VEC=4
full search "$space" -d VideoCore
full search "$space" -d VideoCore --json
full compare "$space" -d VideoCore WG=4 WG=8 --rounds 6
full replay "$work/data.tsv" -n 5 --repeats 2
full replay "$work/data.tsv" -n 5 --repeats 2 --json
full recheck vcopy -d VideoCore
# What is larger than any buffer fails in the middle, with other calls after it.
sed 's/^VEC .*/VEC = 1..5000/; s/^WG .*/WG = 1..20/' "$space" >"$work/large.ini"
full space "$work/large.ini" --list
full space "$work/large.ini" --list --json

"$cltune" space "$work/large.ini" --list 2>"$err" | head -1 >"$out"
ok "a reader that has enough is no error" ! -s "$err"
done_testing
