#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune exec: an application goes from capture by search to faster launches, unchanged.
. "$(dirname "$0")/lib.sh"
cp "$build/libcltune-layer.so" "$work/bin/"
pipeline=$build/tests/apps/pipeline
assorted=$build/tests/apps/assorted
cp "$root"/tests/apps/*.cl "$root"/tests/apps/*.h "$work/"
cd "$work" || exit 1
# replaced KERNEL: how many of its launches the report says were replaced.
replaced() { sed -n "s/^cltune: $1 [0-9x]* with .*: \([0-9]*\) of [0-9]* launches replaced.*/\1/p" "$err"; }

"$pipeline" 20 >"$work/plain"

# --- without anything stored ---
run "$cltune" exec -- "$pipeline" 20
exits 0 "without a database"
ok "the program runs untouched" "$(cat "$out")" = "$(cat plain)"
err_has "the program runs as it is" "which is said"
run "$cltune" exec
exits 2 "no program"
err_has "no program given" "is said"
run "$cltune" exec -- ./absent
exits 2 "a program that is missing"
err_has "there is no such program" "is said"
run env PIPELINE=fail "$cltune" exec -- "$pipeline" 2
exits 7 "the exit status is the program's, without a database"

# --- capture, search, exec ---
"$cltune" capture -o all -- "$pipeline" 20 >"$out" 2>&1
run "$cltune" search all/smooth/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
exits 0 "a search of one configuration"
run "$cltune" search all/collect/SPACE.ini --rough -q --param LOCAL_X=128 --param CHUNK=1
exits 0 "and one of another kernel"
run "$cltune" exec --report -- "$pipeline" 20
exits 0 "a program with stored bests"
ok "its output is the same" "$(cat "$out")" = "$(cat plain)"
ok "launches of smooth were replaced" "$(replaced smooth)" -ge 10
ok "and of collect" "$(replaced collect)" -ge 10
err_has "CHUNK=4 LOCAL_X=64" "with what was stored"
err_has "time saved:" "and the time that it saves"
ok "not those of prepare, of which nothing is stored" -z "$(replaced prepare)"
run "$cltune" exec -- "$pipeline" 20
ok "without --report nothing is said" ! -s "$err"
run "$cltune" exec --verify 3 --report -- "$pipeline" 20
ok "verified launches give the same" "$(cat "$out")" = "$(cat plain)"
ok "and the others are replaced" "$(replaced smooth)" -ge 8
run env PIPELINE=fail "$cltune" exec -- "$pipeline" 2
exits 7 "the exit status is the program's"
run env PIPELINE=crash "$cltune" exec -- "$pipeline" 2
exits 134 "also if it dies"
for word in threads unordered user sub null binary fork wrong; do
    PIPELINE=$word "$pipeline" 6 >expected 2>&1
    run env PIPELINE=$word "$cltune" exec --verify 2 --report -- "$pipeline" 6
    ok "$word: the program prints the same" "$(cat "$out")" = "$(cat expected)"
done
run env CLTUNE_EXEC=1 CLTUNE_EXEC_REPORT=1 "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
ok "no wrapper is needed" "$(replaced smooth)" -ge 10
ok "for the same output" "$(cat "$out")" = "$(cat plain)"
mkdir -p lonely/layer
cp "$build/libcltune-layer.so" lonely/layer/
run env CLTUNE_EXEC=1 "OPENCL_LAYERS=$work/lonely/layer/libcltune-layer.so" "$pipeline" 20
ok "a layer without cltune changes nothing" "$(cat "$out")" = "$(cat plain)"
err_has "the program cltune is not beside its layer" "and says so once"
run env CLTUNE_EXEC=1 CLTUNE_EXEC_REPORT=1 "CLTUNE_PROGRAM=$cltune" \
    "OPENCL_LAYERS=$work/lonely/layer/libcltune-layer.so" "$pipeline" 20
ok "unless it is named" "$(replaced smooth)" -ge 10
run env CLTUNE_EXEC=1 "CLTUNE_DB=$work/none.db" "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
ok "a database that is missing, without a wrapper" "$(cat "$out")" = "$(cat plain)"
err_has "the program runs as it is" "is said"

run env CLTUNE_EXEC=1 CLTUNE_PROGRAM=/bin/true "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
ok "a program that does not answer" "$(cat "$out")" = "$(cat plain)"
ok "is said once" "$(grep -c 'stored configurations are not known: nobody answers' "$err")" = 1
echo 'int main(void) { return 5; }' >tiny.c
if cc -static -o static tiny.c 2>"$err"; then
    run "$cltune" exec -- ./static
    exits 5 "a static program runs"
    err_has "is linked statically, so that it loads no layer: it runs as it is" "untouched, which is said"
else
    skip 2 "no static libraries"
fi

# --- which kernel, which problem ---
sed 's|/\* A moving sum.*\*/|// another comment|' pipeline.cl >commented.cl
run env PIPELINE_SOURCE=commented.cl "$cltune" exec --report -- "$pipeline" 20
ok "comments do not matter" "$(replaced smooth)" -ge 10
sed 's/sum \/ TAPS/sum \/ (TAPS)/' pipeline.cl >changed.cl
run env PIPELINE_SOURCE=changed.cl "$cltune" exec --report -- "$pipeline" 20
ok "another source is another kernel" -z "$(replaced smooth)"
err_has "no launch was replaced" "which is reported"
run env "PIPELINE_OPTIONS=-D CHUNK=2" "$cltune" exec --report -- "$pipeline" 20
ok "so are other options" -z "$(replaced smooth)"
"$pipeline" 20 8192 >half
run "$cltune" exec --report -- "$pipeline" 20 8192
ok "the nearest problem answers" "$(replaced smooth)" -ge 10
ok "with the right result" "$(cat "$out")" = "$(cat half)"
"$pipeline" 20 1000 >odd
run "$cltune" exec --report -- "$pipeline" 20 1000
ok "what does not fit is not used" "$(cat "$out")" = "$(cat odd)" -a -z "$(replaced smooth)"
err_has "smooth keeps the program's configuration, not CHUNK=4 LOCAL_X=64: its work-group does not divide the global size" "for a reason"
ok "that is said once" "$(grep -c '^cltune: smooth keeps' "$err")" = 1
mv all moved
run "$cltune" exec --report -- "$pipeline" 20
ok "the space file is not needed" "$(replaced smooth)" -ge 10 -a "$(cat "$out")" = "$(cat plain)"
mv moved all

# --- a macro that the source defines itself ---
{
    echo '#define CHUNK 1 // taps at a time'
    sed 's/^#ifndef CHUNK/#if 0/; s|^    smoothed.i. = .*|&\n    for (volatile int slow = 0; CHUNK == 1 \&\& slow < 200;) slow++;\n    if (CHUNK == 4 \&\& i == 0) printf("in fours\\n");|' pipeline.cl
} >own.cl
export PIPELINE_SOURCE=own.cl PIPELINE_OPTIONS="-D CHUNK=8"
"$cltune" capture -o own --kernel smooth -- "$pipeline" 20 >"$out" 2>&1
has own/SPACE.ini "; CHUNK = 1, 2, 4 replaces                ; line 1 of the source" "a macro that the source defines, whatever the options say, is offered"
has own/SPACE.ini "options = -D CHUNK=8" "its options stay"
sed 's/^; CHUNK/CHUNK/' own/SPACE.ini >space && mv space own/SPACE.ini
run "$cltune" search own/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
exits 0 "the line of a macro runs once its ; is removed"
for file in own moved; do
    run "$cltune" exec --report -- "$pipeline" 20
    ok "$file: launches are replaced" "$(replaced smooth)" -ge 10
    out_has "in fours" "$file: with the value in place of the source's own"
    out_has "$(cat plain)" "$file: for the same output"
    [ "$file" = moved ] || mv own moved
done
unset PIPELINE_SOURCE PIPELINE_OPTIONS

# --- a global size that the space file computes ---
"$assorted" stride >expected
"$cltune" capture -o stride -- "$assorted" stride >"$out" 2>&1
sed 's/^\[param\]/[param]\nITEMS = 8/; s/^global = .*/global = global_x \/ ITEMS/' stride/SPACE.ini >space &&
    mv space stride/SPACE.ini
run "$cltune" search stride/SPACE.ini --rough -q --param LOCAL_X=16
exits 0 "a space file with another global size"
run "$cltune" exec --verify 1 --report -- "$assorted" stride
ok "is followed" "$(replaced stride)" -ge 10
ok "with the right result" "$(cat "$out")" = "$(cat expected)"

# --- images ---
"$assorted" draw >expected
"$cltune" capture -o draw -- "$assorted" draw >"$out" 2>&1
sed 's/^LOCAL_X = .*/LOCAL_X = 64/' draw/SPACE.ini >space && mv space draw/SPACE.ini
run "$cltune" search draw/SPACE.ini --rough -q
exits 0 "a kernel that writes to images"
run "$cltune" exec --verify 3 --report -- "$assorted" draw
ok "is verified and replaced" "$(replaced draw)" -ge 8 -a "$(cat "$out")" = "$(cat expected)"

# --- a configuration that is wrong for other data ---
"$assorted" pick >expected
"$cltune" capture -o pick -- "$assorted" pick >"$out" 2>&1
run "$cltune" search pick/SPACE.ini --rough -q --param LOCAL_X=32
exits 0 "a search of a kernel that is right for the captured data only"
run "$cltune" exec --verify 4 --report -- "$assorted" pick
ok "a replaced launch that differs does not count" "$(cat "$out")" = "$(cat expected)"
err_has "pick keeps the program's configuration from now on, not LOCAL_X=32: argument 1 (out) differs" "is said"
name=$(sed -n 's/^name *= //p' pick/SPACE.ini)
run "$cltune" results "$name" --csv
out_has "wrong" "and stored as wrong"
run "$cltune" exec --report -- "$assorted" pick
ok "so that it is never used again" -z "$(replaced pick)" -a "$(cat "$out")" = "$(cat expected)"

# --- a loader without layers ---
loader=$(ldd "$pipeline" | awk '/libOpenCL/ { print $3 }')
mkdir old-loader
sed 's/OPENCL_LAYERS/OPENCL_LAYERX/g' "$loader" >old-loader/libOpenCL.so.1
run env "LD_LIBRARY_PATH=$work/old-loader" "$cltune" exec --report -- "$pipeline" 20
ok "a loader without layers" "$(replaced smooth)" -ge 10
ok "gives the same output" "$(cat "$out")" = "$(cat plain)"
done_testing
