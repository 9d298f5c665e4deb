#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real thing: a part of the FIR space on whatever device comes first.
. "$(dirname "$0")/lib.sh"
fir=$root/spaces/fir.ini
part="--param WG=1,16 --param VEC=1,16 --param STYLE=evenodd --param ITEMS=2 --param UNROLL=1
    --param LOCAL=off,on --param BAKED=on --param MATH="

run "$cltune" devices
exits 0 "devices"
ok "there is one" "$(wc -l <"$out")" -ge 2

run "$cltune" search "$fir" $part -d 0:0 -p inputs=20000
exits 0 "search"
out_has "8 evaluated now" "every configuration"
out_has "8 ok" "is right"
out_has "baseline  fir_volk on one core" "the host baseline is measured"
out_has "gflops" "with the metric"
run "$cltune" search "$fir" $part -d 0:0 -p inputs=20000
out_has "0 evaluated now, 8 stored before" "continues"
# What its cache has is found while other programs are compiled, by the process that runs them.
if [ "$("$cltune" devices --json | jq -r '.[0].platform')" = "Portable Computing Language" ]; then
    # shellcheck disable=SC2086
    run "$cltune" search "$fir" ${part%MATH=*} MATH=-cl-fast-relaxed-math -d 0:0 -p inputs=20000 -j 2 --json -q
    # Not if binaries were worth what they cost, which depends on the machine: these are found at once.
    ok "programs are loaded ahead, unless there are binaries" "$(
        jq '.scheduler | if .binaries then .loaded == 0 else .loaded > 0 and .loaded <= .measured end' "$out"
    )" = true
    # shellcheck disable=SC2086
    run "$cltune" search "$fir" $part -d 0:0 -p inputs=9000 --rough -j 1 --json -q
    ok "not beside a single builder" "$(jq .scheduler.loaded "$out")" = 0
fi

run "$cltune" best fir --json
exits 0 "best"
ok "its time is known" "$(jq '.[0].time_ns > 0' "$out")" = true
flags=$(jq -r '.[0].flags' "$out")
ok "its options name the macros" "$(echo "$flags" | grep -c 'BAKED=1')" = 1
config=$(jq -r '.[0].configuration | to_entries | map("\(.key)=\(.value)") | join(" ")' "$out")
# shellcheck disable=SC2086
run "$cltune" run "$fir" $config -d 0:0 -p inputs=20000
exits 0 "run the best"
out_has "status   ok" "it is right again"

# What `run` tells of launches: passes of a loop in one line, a kernel's facts once.
stencil=$root/examples/stencil/stencil.ini
run "$cltune" run "$stencil" -d 0:0 -p width=64 -p height=32 -p steps=5 WGX=8 WGY=4
exits 0 "run a loop"
out_has "launch step: kernel step_once, global 64 x 32, local 8 x 4, 5 passes" "its passes are one line"
ok "and no more than one" "$(grep -c '^launch' "$out")" = 1
out_has "per work-item: private memory" "facts of a work-item"
out_has "per work-group: local memory 0 B, at most" "and of a work-group"
run "$cltune" run "$stencil" -d 0:0 -p width=64 -p height=32 -p steps=5 --json
ok "JSON has the passes" "$(jq -c '.launches | map([.launch, .kernel, .passes, .global, .local])' "$out")" \
    = '[["step","step_once",5,[64,32],null]]'
ok "what is not told is null" "$(jq -c '.launches[0] | [.registers, .spill_bytes]' "$out")" = "[null,null]"
ok "what is told is a number" "$(jq '.launches[0].work_group_size > 0 and .launches[0].private_mem_bytes >= 0' "$out")" = true
ok "what was not measured is null" "$(jq .end_to_end_ns "$out")" = null
ok "the configuration is an object" "$(jq .configuration.WGX "$out")" = 0
ok "with metrics" "$(jq '.metrics.gcells > 0' "$out")" = true
run "$cltune" run "$root/tests/cl/spaces/programs.ini" -d 0:0 KEEP=off
out_has "launch keep: copies b to c" "copies say from where to where"
out_has "launch clear: zeroes a" "zeroes say what"
ok "one line of options a program" "$(grep -c '^options' "$out")" = 2
run "$cltune" run "$root/tests/cl/spaces/arguments.ini" -d 0:0 LOCAL=on WG=64
out_has "per work-group: local memory 256 B" "arguments count among the local memory"
run "$cltune" run "$root/tests/cl/spaces/planes.ini" -d 0:0 WAY=map --json
ok "end to end has its interval" \
    "$(jq '.end_to_end_low_ns <= .end_to_end_ns and .end_to_end_ns <= .end_to_end_high_ns' "$out")" = true

# What was never built has no facts, and what was compared with nothing says why.
cat >"$work/huge.cl" <<'CL'
kernel void one(global float *o) { o[get_global_id(0)] = 1; }
kernel void two(global float *o) { o[get_global_id(0)] += 1; }
CL
cat >"$work/huge.c" <<'C'
void reference(float *o) { for (int i = 0; i < 64; i++) o[i] = 2; }
C
cat >"$work/huge.ini" <<'INI'
[kernel]
name = huge
source = huge.cl
[param]
WG = 8, 1048576
[buffer o]
type = float
count = 64
[launch one]
kernel = one
args = o
global = 64
local = WG
[launch two]
kernel = two
args = o
global = 64
[reference]
c = huge.c
function = reference
args = o
INI
run "$cltune" run "$work/huge.ini" -d 0:0 WG=1048576
out_has "status   invalid" "a work-group that no device has"
ok "facts of one kernel at most" "$(grep -c 'per work-group:' "$out")" -le 1
run "$cltune" run "$work/huge.ini" -d 0:0 WG=1048576 --json
ok "null for the other in JSON" "$(jq -c '.launches[1] | [.local_mem_bytes, .private_mem_bytes]' "$out")" \
    = "[null,null]"
run "$cltune" run "$work/huge.ini" -d 0:0
exits 0 "a reference, but no check"
out_has "status   ok (not verified: no buffer has a 'check')" "says why nothing was verified"
ok "facts of both" "$(grep -c 'per work-group:' "$out")" = 2
sed -i '/^count = 64/a check = exact' "$work/huge.ini"
run "$cltune" run "$work/huge.ini" -d 0:0
out_has "status   ok" "and with a check it is"
out_lacks "not verified" "verified"

# Every part of the language: all configurations of each file, all of them right.
for space in "$root"/tests/cl/spaces/*.ini; do
    run "$cltune" search "$space" -d 0:0 -q --rough --no-cache --json -j 1
    exits 0 "$(basename "$space")"
    ok "all configurations are right" "$(jq '.counts.ok == .valid and .valid > 1' "$out")" = true
done
# And none is when its kernel is not.
cp "$root"/tests/cl/spaces/* "$work/"
sed -i 's/a\[i\] + by \* STEP/a[i] + by * STEP + (i == n - 1)/' "$work/features.cl"
run "$cltune" search "$work/plain.ini" -d 0:0 -j 1 -q --json --param STEP=1
exits 0 "both sides change alike with a kernel as the reference"
run "$cltune" search "$work/swap.ini" -d 0:0 -j 1 -q --json
exits 3 "one wrong element"
err_has "wrong: PASSES=1: b[299] is 1 instead of 0" "is named"

# A reference that takes its time is named while it runs.
sed -i 's/^void scale(.*/#include <unistd.h>\n&/; s/^    for (uint32_t i = 0; i < n; i++)$/    sleep(3);\n&/' \
    "$work/features.c"
run "$cltune" run "$work/arguments.ini" -d 0:0
exits 0 "a slow reference"
ok "is named once" "$(grep -c "the reference scale in $work/features.c is still running; its time limit is 300 s" "$err")" = 1
run "$cltune" run "$work/arguments.ini" -d 0:0 -q
ok "but not to the quiet" ! -s "$err"

# `best` must not load OpenCL: run it under a loader that tells what it opens.
run env LD_DEBUG=files "$cltune" best fir
ok "best opens no OpenCL" "$(grep -ci opencl "$err")" = 0
# Of a search's processes only the workers may.
LD_DEBUG=files LD_DEBUG_OUTPUT="$work/ld" "$cltune" search "$fir" $part -d 0:0 \
    -p inputs=20000 --fresh --rough -q >"$out" 2>"$err" </dev/null &
search=$!
wait $search
ok "the main process of a search opens no OpenCL" \
    "$(grep -ci opencl "$work/ld.$search")" = 0
ok "its workers do" "$(grep -li opencl "$work"/ld.* | wc -l)" -ge 1

cp "$fir" "$work/fir.ini"
mkdir "$work/kernels" && cp "$root"/kernels/fir* "$work/kernels/"
sed -i 's,\.\./kernels,kernels,' "$work/fir.ini"
sed '/^args   = input/s/uint(outputs)/float(outputs)/' "$work/fir.ini" >"$work/type.ini"
before=$(sqlite3 "$CLTUNE_DB" 'select count(*) from run; select count(*) from kernel' | tr '\n' ' ')
run "$cltune" search "$work/type.ini" $part -d 0:0 -q
exits 2 "an argument of another type"
err_has "fir_filter_process" "names the kernel"
err_has "type.ini:$(grep -n '^args   = input' "$work/type.ini" | cut -d: -f1):" "and the line"
ok "and the database is as it was" \
    "$(sqlite3 "$CLTUNE_DB" 'select count(*) from run; select count(*) from kernel' | tr '\n' ' ')" = "$before"
sed '/^args   = input/s/input, //' "$work/fir.ini" >"$work/few.ini"
run "$cltune" search "$work/few.ini" $part -d 0:0 -q
exits 2 "too few arguments"
sed 's,kernels/fir.cl,kernels/none.cl,' "$work/fir.ini" >"$work/none.ini"
run "$cltune" search "$work/none.ini" $part -d 0:0 -q
exits 2 "a missing source"
err_has "none.cl" "is named"
sed -i '1i #include "none.h"' "$work/kernels/fir.cl"
run "$cltune" search "$work/fir.ini" $part -d 0:0 -q
exits 2 "a missing include"
err_has "fir.cl:1" "is named with its line"
err_has "none.h" "and its name"

mkdir "$work/it's a folder"
cp -r "$work/kernels" "$root/spaces" "$work/it's a folder/"
echo "#define FOUND" >"$work/it's a folder/kernels/none.h"
run "$cltune" run "$work/it's a folder/spaces/fir.ini" -d 0:0 -p inputs=20000
exits 0 "a folder with blanks and quotes, and an include in it"

# Outputs of five sizes make five data sets; their input is one.
mkdir "$work/parts"
cat >"$work/parts/parts.ini" <<'EOF'
[kernel]
name   = parts
source = parts.cl
[param]
PARTS = 64, 128, 256, 512, 1024
WG    = 1, 2
[buffer in]
type  = float
count = 300000
fill  = c(parts.c, fill_in)
[buffer out]
type  = float
count = PARTS
check = exact
[launch parts]
kernel = parts
args   = in, out
global = PARTS
local  = WG
[reference]
c        = parts.c
function = parts
args     = in, out, ulong(PARTS)
EOF
cat >"$work/parts/parts.cl" <<'EOF'
kernel void parts(global const float *in, global float *out)
{
    out[get_global_id(0)] = in[get_global_id(0)] + in[300000 - 1];
}
EOF
cat >"$work/parts/parts.c" <<EOF
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
void fill_in(float *x, uint64_t n);
void parts(const float *in, float *out, uint64_t parts);
void fill_in(float *x, uint64_t n)
{
    FILE *log = fopen("$work/parts/log", "a");
    fprintf(log, "%d\\n", (int)getpid());
    fclose(log);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (float)(i % 7);
}
void parts(const float *in, float *out, uint64_t parts)
{
    for (uint64_t i = 0; i < parts; i++)
        out[i] = in[i] + in[300000 - 1];
}
EOF
run "$cltune" search "$work/parts/parts.ini" -d 0:0 -j 1 -q --rough
exits 0 "outputs whose size is tuned"
out_has "10 ok" "all of them right"
# Twice: once more to see that it writes the same.
ok "no process makes the same input again" -z "$(sort "$work/parts/log" | uniq -c | awk '$1 != 2')"
ok "somebody does" -s "$work/parts/log"

export OCL_ICD_VENDORS=/nonexistent
run "$cltune" search "$fir" -q
exits 4 "there is no OpenCL platform"
ok "one message" "$(grep -c . "$err")" -ge 1
run "$cltune" devices
exits 4 "no devices either"

done_testing
