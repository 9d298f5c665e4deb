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
out_has "0 evaluated now, 8 known before" "continues"

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

# `best` must not load OpenCL: run it under a loader that tells what it opens.
run env LD_DEBUG=files "$cltune" best fir
ok "best opens no OpenCL" "$(grep -ci opencl "$err")" = 0
# Of a search's processes only the workers may.
LD_DEBUG=files LD_DEBUG_OUTPUT="$work/ld" "$cltune" search "$fir" $part -d 0:0 \
    -p inputs=20000 --fresh -q >"$out" 2>"$err" </dev/null &
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

export OCL_ICD_VENDORS=/nonexistent
run "$cltune" search "$fir" -q
exits 4 "no OpenCL platform"
ok "one message" "$(grep -c . "$err")" -ge 1
run "$cltune" devices
exits 4 "no devices either"

done_testing
