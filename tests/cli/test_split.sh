#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# split: shares of virtual devices whose speeds are known, mistakes, and a program on two devices of PoCL
# that does what the header says.
. "$(dirname "$0")/lib.sh"
spaces=$root/tests/cli/spaces

# A work-item takes 100 ns on device 0 and 10 ns on device 1; WG=4 costs 40 us (4 us) more a launch.
# The total has 253 steps, which divide by 11.
cp "$spaces/copy.c" "$work/"
cat >"$work/split.cl" <<'EOF'
#pragma virtual base 0
#pragma virtual add WG 4 40000
#pragma virtual item 100
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    output[get_global_id(0)] = input[get_global_id(0)];
}
EOF
cat >"$work/split.ini" <<'EOF'
[kernel]
name   = vsplit
source = split.cl

[problem]
n      = 10120
passes = 4

[param]
WG = 4, 8

[constraint]
fits = n % WG == 0

[buffer input]
type  = float
count = n
fill  = uniform(-1, 1)

[buffer output]
type  = float
count = n
check = exact

[launch copy]
kernel = copy
args   = input, output, uint(n)
global = n
local  = WG

[reference]
c        = copy.c
function = copy_reference
args     = input, output, uint(n)

[metric]
each = time_ns / passes
EOF
sizes() { jq -c "[.devices[].$1.size]" "$out"; }
# follows WHAT: the JSON that was printed is as its schema says.
follows() {
    if python3 -c 'import jsonschema' 2>/dev/null; then
        cp "$out" "$work/document.json"
        run python3 "$root/tests/cli/check_json.py" "$root/doc/split.schema.json" "$work/document.json"
        exits 0 "$1, as the schema says"
        cp "$work/document.json" "$out"
    else
        skip 1 "no python3-jsonschema"
    fi
}
real=${OCL_ICD_VENDORS:-}
export OCL_ICD_VENDORS="$virtual"

# --- what is measured ---
run "$cltune" split "$work/split.ini"
exits 3 "nothing stored, and no budget"
err_has "no best of vsplit is stored for device 0:0 (VideoCore IV GPU)" "names the device"
err_has "use -n or -t" "and the remedy"

run "$cltune" split "$work/split.ini" -n 4 --json -q --samples 3
exits 0 "with a budget"
ok "devices without a best are searched" "$(jq -c '[.devices[] | [.index, .configuration, .searched]]' "$out")" = \
    '[["0:0","WG=8",true],["0:1","WG=8",true]]'
ok "results of the search are stored" "$(sqlite3 "$CLTUNE_DB" 'select count(distinct device_id) from result')" = 2
ok "shares are as 1 to 10" "$(sizes kernel)" = "[920,9200]"
ok "both end at the same time" "$(jq -c '[.devices[].kernel.time_ns]' "$out")" = "[92000,92000]"
ok "the gain is over the fastest device" "$(jq -c '.kernel | [.fastest, .fastest_ns, .gain]' "$out")" = '["0:1",101200,1.1]'
# Two transfers of 4 bytes: 18 ns an element on device 0, a tenth of that on device 1.
ok "with transfers as well" "$(jq -c '(.transfers.time_ns > .kernel.time_ns) and
    ([.devices[].transfers.size] | add) == .total' "$out")" = true
follows "both answers"
if [ -e "$work/document.json" ]; then
    jq 'del(.devices[1].kernel.fraction)' "$out" >"$work/wrong.json"
    run python3 "$root/tests/cli/check_json.py" "$root/doc/split.schema.json" "$work/wrong.json"
    exits 1 "which would find a mistake"
fi

run "$cltune" split "$work/split.ini" --no-transfers --samples 3
exits 0 "from the database"
err_has "dividing the work by n; use --by to name another size" "the guess is told"
out_has "vsplit: n=10120 divided in steps of 40" "the grain divides the total"
out_has "kernel alone: 92.00 us predicted, 1.10x as fast as device 0:1 alone (101.2 us)" "the prediction"
ok "a row for each device" "$(grep -c '^0:[01] ' "$out")" = 2
out_lacks "with transfers" "transfers are not measured"
ok "nothing is searched" "$(sqlite3 "$CLTUNE_DB" 'select count(*) from run')" = 2

export VIRTUALCL_DEVICES=1,1:slow=20
run "$cltune" split "$work/split.ini" --json --no-transfers -q --samples 3 --by n -p n=20240
exits 3 "another problem has no best"
run "$cltune" split "$work/split.ini" --json --no-transfers -q --samples 3
exits 0 "two devices of one kind"
ok "six parts for one, five for one that takes 20% longer" "$(sizes kernel)" = "[5520,4600]"
ok "nearly twice as fast" "$(jq '.kernel.gain * 6 | round' "$out")" = 11
follows "one answer"

run "$cltune" split "$work/split.ini" --format header -q --no-transfers --samples 3 -d 0:0,0:1
exits 0 "a header"
cp "$out" "$work/split.h"
out_has "time    of the kernel alone" "says what its times are"
cat >"$work/use.c" <<'EOF'
#include "split.h"
#include <stdio.h>
#define ROW(number, index, device, first, size) printf("%d %s %d\n", number, index, first + size);
int main(void)
{
    CLTUNE_VSPLIT_SPLIT_EACH(ROW)
    return CLTUNE_VSPLIT_SPLIT_SIZE_0 + CLTUNE_VSPLIT_SPLIT_SIZE_1 != CLTUNE_VSPLIT_SPLIT_TOTAL ||
           CLTUNE_VSPLIT_SPLIT_FRACTION_0 <= 0 || CLTUNE_VSPLIT_SPLIT_FRACTION_1 <= 0 ||
           CLTUNE_VSPLIT_SPLIT_FRACTION_0 + CLTUNE_VSPLIT_SPLIT_FRACTION_1 < 0.9999 ||
           CLTUNE_VSPLIT_SPLIT_FRACTION_0 + CLTUNE_VSPLIT_SPLIT_FRACTION_1 > 1.0001 || CLTUNE_VSPLIT_SPLIT_DEVICES != 2;
}
EOF
run "${CC:-cc}" -std=c99 -Wall -Werror -pedantic -o "$work/use" "$work/use.c"
exits 0 "that a C compiler reads"
run "$work/use"
exits 0 "with sizes that are the total together"
ok "and parts that follow each other" "$(tail -1 "$out")" = "1 0:1 10120"
# Copies take the processor's time, so that beside other programs one device may get nothing.
run "$cltune" split "$work/split.ini" --format header -q --transfers --samples 3 -d 0:0,0:1
exits 0 "a header of times with transfers"
cp "$out" "$work/split.h"
out_has "time    with transfers" "says so"
sed 's/<= 0/< 0/g' "$work/use.c" >"$work/use_transfers.c"
run "${CC:-cc}" -std=c99 -Wall -Werror -pedantic -o "$work/use" "$work/use_transfers.c"
exits 0 "that the C compiler reads, too"
run "$work/use"
exits 0 "with sizes that are the total together, too"
unset VIRTUALCL_DEVICES

# A fixed cost that exceeds what the fast device needs for everything.
sed 's/#pragma virtual add WG 4 40000/#pragma virtual base 2000000/' "$work/split.cl" >"$work/fixed.cl"
sed 's/split.cl/fixed.cl/; s/vsplit/vfixed/' "$work/split.ini" >"$work/fixed.ini"
run "$cltune" split "$work/fixed.ini" -n 2 --json --no-transfers -q --samples 3
exits 0 "a device that would only hold the other up"
ok "gets nothing" "$(sizes kernel)" = "[0,10120]"
ok "and there is no gain" "$(jq .kernel.gain "$out")" = 1
follows "a device without a part"

# --- mistakes ---
run "$cltune" split "$work/split.ini" --by nn
exits 2 "a size that does not exist"
err_has "--by nn: no size of [problem] that can be divided; did you mean 'n'?" "with what was meant"
run "$cltune" split "$work/split.ini" --by zzzzzz
err_has "use one of n, passes" "or the list"
run "$cltune" split "$work/split.ini" --by passes
exits 2 "a size that no launch depends on"
err_has "no launch depends on passes" "is refused"
sed 's/uint(n)$/uint(64)/; s/^\(global\|count\)\( *\)= n/\1\2= 64/' "$work/split.ini" >"$work/none.ini"
run "$cltune" split "$work/none.ini"
exits 2 "a launch that depends on no size"
err_has "nothing to divide: no launch depends on a size of [problem]" "leaves nothing to divide"
run "$cltune" split "$work/split.ini" -d 0:1
exits 2 "one device"
err_has "only one device matches '0:1': a split requires at least two" "is not enough"
run "$cltune" split "$work/split.ini" -d 0:1,xyzzy
exits 4 "an unknown device"
run "$cltune" split "$work/split.ini" --transfers --no-transfers
exits 2 "options that contradict each other"
run "$cltune" split "$work/split.ini" --format header --json
exits 2 "formats that contradict each other"
run "$cltune" split "$work/split.ini" -f xml
err_has "unknown format 'xml': use text, json or header" "an unknown format"
run "$cltune" split "$work/split.ini" -p n=1,2
exits 2 "several problems"
sed '/^passes/d; s/^n  .*/n = 1/; s/^fits.*/fits = n > 0/; /^\[metric/,$d' "$work/split.ini" >"$work/one.ini"
run "$cltune" split "$work/one.ini"
err_has "nothing to divide: [problem] has no whole number above 1" "no size to divide"
printf '[problem]\nn = 64\n[param]\nA = 1, n\n' >"$work/nothing.ini"
run "$cltune" split "$work/nothing.ini"
err_has "nothing to divide: the file has no [launch] section" "no launch"
sed 's/^fits.*/fits = n == 10120/; s/vsplit/vwhole/' "$work/split.ini" >"$work/whole.ini"
run "$cltune" split "$work/whole.ini" -n 2 -q --samples 3
exits 2 "configurations that suit no smaller size"
err_has "n=10120 cannot be divided: the best configurations do not suit any smaller size" "are named"

run "$cltune" split "$work/split.ini" -n 2 -q -p n=10121
exits 3 "a problem that no configuration suits"
err_has "no valid configuration remains on device 0:0" "is said"

# --- sizes at which a best fails ---
# faulty SIZE...: the bests are stored from before, and fail at these sizes now.
sed 's/vsplit/vfaulty/; s/split.cl/faulty.cl/; s/^\[constraint/[define]\nN = n\n&/' "$work/split.ini" >"$work/faulty.ini"
cp "$work/split.cl" "$work/faulty.cl"
run "$cltune" split "$work/faulty.ini" -n 2 -q --no-transfers --samples 3
exits 0 "before"
faulty() {
    cp "$work/split.cl" "$work/faulty.cl"
    for size in "$@"; do
        echo "#pragma virtual fault N $size launch_error" >>"$work/faulty.cl"
    done
    run "$cltune" split "$work/faulty.ini" --by n --no-transfers --samples 3
}
faulty 10120
exits 0 "bests that fail with all of the work"
err_has "device 0:0: WG=8 does not work with n=10120" "are warned of"
out_has "no device can do all of it alone" "there is nothing to compare with"
run "$cltune" split "$work/faulty.ini" --by n --no-transfers --samples 3 --json -q
follows "no device that does all of it"
faulty 10120 5080 7560
exits 3 "more work than all devices together can do"
err_has "n=10120 is more than all devices together can do" "is said"
faulty 10120 5080 7560 1240
exits 3 "a best that fails at every size"
err_has "device 0:0: its best, WG=8, works at no size of n" "is said, too"

# --- a program ---
if [ -n "$real" ]; then export OCL_ICD_VENDORS="$real"; else unset OCL_ICD_VENDORS; fi
export POCL_DEVICES="basic basic"
cat >"$work/count.cl" <<'EOF'
__kernel void count(__global const uint *in, __global uint *out, uint rounds)
{
    uint i = get_global_id(0), x = in[i];
    for (uint r = 0; r < rounds; r++) x = x * 1664525u + 1013904223u;
    out[i] += x;
}
EOF
cat >"$work/count.ini" <<'EOF'
[kernel]
name   = split
source = count.cl

[problem]
n = 65536
rounds = 100

[param]
WG = 16

[buffer in]
type  = uint
count = n
fill  = ramp(0, 1)

[buffer out]
type  = uint
count = n
fill  = zero

[launch count]
kernel = count
args   = in, out, uint(rounds)
global = n
local  = WG
EOF
run "$cltune" split "$work/count.ini" --by n -d 0:0,0:1 -n 1 -q --no-transfers --samples 5 --format header
exits 0 "two devices of PoCL"
cp "$out" "$work/count.h"
run "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L "-DHEADER=\"$work/count.h\"" -o "$work/app" "$root/tests/apps/split.c" -lOpenCL -lpthread
exits 0 "a program with these shares"
run "$cltune" split "$work/count.ini" --by n -d 0:0,0:1 -q --no-transfers --samples 5 --json
run "$work/app" "$(jq .kernel.time_ns "$out")" 100 one
exits 0 "covers the work once, and its output is right"
out_has "wrong 0" "in every element"
sed 's/^/# /' "$out"

done_testing
