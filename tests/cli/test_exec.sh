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

# PoCL compiles for most of a second in each of cltune's runs.  So it runs what depends on results, and the
# virtual driver all else; and what it has built is built again with the same options:
# - virtual COMMAND...: runs it on a virtual GPU.
# - Programs ask at the build for what capture and --verify need to know.
# - default FILE LINES: another default configuration, so that a search measures and stores that one alone.
virtual() { run env "OCL_ICD_VENDORS=$virtual" VIRTUALCL_DEVICES=1 VIRTUALCL_PACE=0 "$@"; }
default() {
    { sed '/^\[default\]/,$d' "$1" && printf '[default]\n%b\n' "$2"; } >space
    mv space "$1"
}
told="-cl-kernel-arg-info -D CHUNK=1"
virtual "$pipeline" 20
cp "$out" "$work/plain"

# --- without anything stored ---
virtual "$cltune" exec -- "$pipeline" 20
exits 0 "without a database"
ok "the program runs untouched" "$(cat "$out")" = "$(cat plain)"
err_has "the program runs as it is" "which is said"
run "$cltune" exec
exits 2 "no program"
err_has "no program given" "is said"
run "$cltune" exec -- ./absent
exits 2 "a program that is missing"
err_has "there is no such program" "is said"
virtual PIPELINE=fail "$cltune" exec -- "$pipeline" 2
exits 7 "the exit status is the program's, without a database"

# --- capture, search, exec: on PoCL, which computes ---
PIPELINE_OPTIONS=$told "$pipeline" 20 >real
PIPELINE_OPTIONS=$told "$cltune" capture -o real.kernels -- "$pipeline" 20 >"$out" 2>&1
default real.kernels/smooth/SPACE.ini "LOCAL_X = 64\nCHUNK = 4"
default real.kernels/collect/SPACE.ini "LOCAL_X = 64\nCHUNK = 1"
run "$cltune" search real.kernels/smooth/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
exits 0 "a search of one configuration"
run "$cltune" search real.kernels/collect/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=1
exits 0 "and one of another kernel"
export PIPELINE_OPTIONS="$told"
run "$cltune" exec --report -- "$pipeline" 20
exits 0 "a program with a stored best"
ok "its output is the same" "$(cat "$out")" = "$(cat real)"
ok "launches were replaced" "$(replaced smooth)" -ge 10
err_has "CHUNK=4 LOCAL_X=64" "with what was stored"
run "$cltune" exec --verify 3 --report -- "$pipeline" 20
ok "verified launches give the same" "$(cat "$out")" = "$(cat real)"
ok "and the others are replaced" "$(replaced smooth)" -ge 8
for word in threads unordered user sub null binary fork wrong barge same; do
    PIPELINE=$word "$pipeline" 6 >expected 2>&1
    run env PIPELINE=$word timeout 120 "$cltune" exec --verify 2 --report -- "$pipeline" 6
    ok "$word: the program prints the same" "$(cat "$out")" = "$(cat expected)"
done
ok "same: also once launches are replaced" "$(replaced collect)" -ge 1
# Other queues of the program.
for word in beside gate; do
    PIPELINE=$word "$pipeline" 12 >expected 2>&1
    run env PIPELINE=$word timeout 120 "$cltune" exec --verify 8 --report -- "$pipeline" 12
    ok "$word: nothing is lost" "$(cat "$out")" = "$(cat expected)"
    ok "$word: and launches are replaced" "$(replaced smooth)" -ge 1
done
unset PIPELINE_OPTIONS

# A program that is built anew with other options is another one.
"$build/tests/apps/rebuild" >expected
"$cltune" capture -o built -- "$build/tests/apps/rebuild" >"$out" 2>&1
default built/put/SPACE.ini "LOCAL_X = 32\nCHUNK = 4"
run "$cltune" search built/put/SPACE.ini --rough -q --param LOCAL_X=32 --param CHUNK=4
exits 0 "a search of a program that is built twice"
run "$cltune" exec --report -- "$build/tests/apps/rebuild"
ok "its launches are replaced" "$(replaced put)" -ge 2
ok "but not by those of another build" "$(cat "$out")" = "$(cat expected)"
diff expected "$out" | sed 's/^/# differs: /'

# --- what is said, and how the layer gets in ---
virtual "$cltune" capture -o all -- "$pipeline" 20
default all/smooth/SPACE.ini "LOCAL_X = 64\nCHUNK = 4"
default all/collect/SPACE.ini "LOCAL_X = 128"
virtual "$cltune" search all/smooth/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
exits 0 "a search of one configuration"
virtual "$cltune" search all/collect/SPACE.ini --rough -q --param LOCAL_X=128 --param CHUNK=1
exits 0 "and one of another kernel"
virtual "$cltune" exec --report -- "$pipeline" 20
exits 0 "a program with stored bests"
ok "its output is the same" "$(cat "$out")" = "$(cat plain)"
ok "launches of smooth were replaced" "$(replaced smooth)" -ge 10
ok "and of collect" "$(replaced collect)" -ge 10
err_has "CHUNK=4 LOCAL_X=64" "with what was stored"
err_has "time saved:" "and the time that it saves"
ok "not those of prepare, of which nothing is stored" -z "$(replaced prepare)"
virtual "$cltune" exec -- "$pipeline" 20
ok "without --report nothing is said" ! -s "$err"
virtual PIPELINE=ticks "$cltune" exec --report -- "$pipeline" 20
ok "signals all the time are no reason to replace nothing" "$(replaced smooth)" -ge 10
virtual PIPELINE=leave "$cltune" exec --report -- "$pipeline" 20
ok "a child that ends reports nothing" "$(grep -c 'time saved:' "$err")" = 1
virtual PIPELINE=fail "$cltune" exec -- "$pipeline" 2
exits 7 "the exit status is the program's"
virtual PIPELINE=crash "$cltune" exec -- "$pipeline" 2
exits 134 "also if it dies"
virtual CLTUNE_EXEC=1 CLTUNE_EXEC_REPORT=1 "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
ok "no wrapper is needed" "$(replaced smooth)" -ge 10
ok "for the same output" "$(cat "$out")" = "$(cat plain)"
mkdir -p lonely/layer
cp "$build/libcltune-layer.so" lonely/layer/
virtual CLTUNE_EXEC=1 "OPENCL_LAYERS=$work/lonely/layer/libcltune-layer.so" "$pipeline" 20
ok "a layer without cltune changes nothing" "$(cat "$out")" = "$(cat plain)"
err_has "the program cltune is not beside its layer" "and says so once"
virtual CLTUNE_EXEC=1 CLTUNE_EXEC_REPORT=1 "CLTUNE_PROGRAM=$cltune" \
    "OPENCL_LAYERS=$work/lonely/layer/libcltune-layer.so" "$pipeline" 20
ok "unless it is named" "$(replaced smooth)" -ge 10
virtual CLTUNE_EXEC=1 "CLTUNE_DB=$work/none.db" "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
ok "a database that is missing, without a wrapper" "$(cat "$out")" = "$(cat plain)"
err_has "the program runs as it is" "is said"

# Comparing runs a launch twice, which would change them twice.
virtual VIRTUALCL_VARIABLES=4 "$cltune" exec --verify 1 --report -- "$pipeline" 20
ok "a program with global variables prints the same" "$(cat "$out")" = "$(cat plain)"
ok "as no launch is replaced" -z "$(replaced smooth)"
err_has "smooth keeps the program's configuration from now on, not CHUNK=4 LOCAL_X=64: its program has variables that launches change" "which is said"

# An out-of-order queue may run one of two copies before the other: so none is put into the program's.
late() {
    PIPELINE=unordered virtual CLTUNE_EXEC=1 CLTUNE_EXEC_VERIFY=1 CLTUNE_EXEC_REPORT=1 \
        "OPENCL_LAYERS=$build/tests/fault/libcltune-late.so:$work/bin/libcltune-layer.so" "$pipeline" "$1"
}
PIPELINE=unordered virtual "$pipeline" 1
cp "$out" unordered
late 1
err_lacks "late layer: copies kept" "no copy is made in an out-of-order queue"
ok "and verifying changes nothing" "$(cat "$out")" = "$(cat unordered)"
err_lacks "differs" "nor finds fault with what is right"
late 4
ok "so that launches are replaced" "$(replaced smooth)" -ge 1

# Callbacks of programs call OpenCL, also from other threads.
for verify in 0 2; do
    virtual CLTUNE_EXEC=1 CLTUNE_EXEC_VERIFY=$verify CLTUNE_EXEC_REPORT=1 \
        "OPENCL_LAYERS=$build/tests/fault/libcltune-calling.so:$work/bin/libcltune-layer.so" "$pipeline" 20
    err_lacks "waits for ever" "--verify $verify: no call of the driver's is made under a lock"
    ok "and launches are replaced" "$(replaced smooth)" -ge 8 -a "$(cat "$out")" = "$(cat plain)"
done

virtual CLTUNE_EXEC=1 CLTUNE_PROGRAM=/bin/true "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
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
cat >once.c <<'END'
#include <stdio.h>
int main(void)
{
    FILE *file = fopen("runs", "a");
    return file && fputs("once\n", file) >= 0 && fclose(file) == 0 ? 5 : 1;
}
END
if musl-gcc -o once once.c 2>"$err"; then
    run "$cltune" exec -- ./once
    exits 5 "a program of another C library, whose linker is asked for its libraries"
    ok "runs once" "$(cat runs)" = once
else
    skip 2 "no musl-gcc"
fi

# --- which kernel, which problem ---
sed 's|/\* A moving sum.*\*/|// another comment|' pipeline.cl >commented.cl
virtual PIPELINE_SOURCE=commented.cl "$cltune" exec --report -- "$pipeline" 20
ok "comments do not matter" "$(replaced smooth)" -ge 10
sed 's/sum \/ TAPS/sum \/ (TAPS)/' pipeline.cl >changed.cl
virtual PIPELINE_SOURCE=changed.cl "$cltune" exec --report -- "$pipeline" 20
ok "another source is another kernel" -z "$(replaced smooth)"
err_has "no launch was replaced" "which is reported"
virtual "PIPELINE_OPTIONS=-D CHUNK=2" "$cltune" exec --report -- "$pipeline" 20
ok "so are other options" -z "$(replaced smooth)"
virtual "$pipeline" 20 8192
cp "$out" half
virtual "$cltune" exec --report -- "$pipeline" 20 8192
ok "the nearest problem answers" "$(replaced smooth)" -ge 10
ok "with the right result" "$(cat "$out")" = "$(cat half)"
virtual "$pipeline" 20 1000
cp "$out" odd
virtual "$cltune" exec --report -- "$pipeline" 20 1000
ok "what does not fit is not used" "$(cat "$out")" = "$(cat odd)" -a -z "$(replaced smooth)"
err_has "smooth keeps the program's configuration, not CHUNK=4 LOCAL_X=64: its work-group does not divide the global size" "for a reason"
ok "that is said once" "$(grep -c '^cltune: smooth keeps' "$err")" = 1
mv all moved
virtual "$cltune" exec --report -- "$pipeline" 20
ok "the space file is not needed" "$(replaced smooth)" -ge 10 -a "$(cat "$out")" = "$(cat plain)"
mv moved all

# --- a macro that the source defines itself ---
{
    echo '#define CHUNK 1 // taps at a time'
    echo '// #pragma virtual fault CHUNK 4 build_chatter:1'
    sed 's/^#ifndef CHUNK/#if 0/' pipeline.cl
} >own.cl
# own COMMAND...: with that source.
own() { virtual PIPELINE_SOURCE=own.cl "PIPELINE_OPTIONS=-D CHUNK=8" "$@"; }
own "$cltune" capture -o own --kernel smooth -- "$pipeline" 20
has own/SPACE.ini "; CHUNK = 1, 2, 4 replaces                ; line 1 of the source" "a macro that the source defines, whatever the options say, is offered"
has own/SPACE.ini "options = -D CHUNK=8" "its options stay"
sed 's/^; CHUNK/CHUNK/' own/SPACE.ini >space && mv space own/SPACE.ini
default own/SPACE.ini "LOCAL_X = 64\nCHUNK = 4"
own "$cltune" search own/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
exits 0 "the line of a macro runs once its ; is removed"
own "$pipeline" 20
ok "the source's own value builds in silence" "$(cat "$out")" = "$(cat plain)"
for file in own moved; do
    own "$cltune" exec --report -- "$pipeline" 20
    ok "$file: launches are replaced" "$(replaced smooth)" -ge 10
    ok "$file: with the value in place of the source's own" "$(wc -c <"$out")" -gt 1024
    out_has "$(cat plain)" "$file: for the same output"
    [ "$file" = moved ] || mv own moved
done

# --- a macro that is not what one of its definitions says ---
# twice SOURCE OPTIONS COMMAND...: with that source and these options.
twice() {
    source=$1
    given=$2
    shift 2
    virtual "PIPELINE_SOURCE=$source" "PIPELINE_OPTIONS=$given" "$@"
}
# expect_four NAME: launches of smooth are replaced by builds with CHUNK=4, which chatter.
expect_four() {
    ok "$1: launches are replaced" "$(replaced smooth)" -ge 10
    ok "$1: by a build with the stored value" "$(wc -c <"$out")" -gt 1024
}
{ cat pipeline.cl && echo '// #pragma virtual fault CHUNK 4 build_chatter:1'; } >told.cl
for options in "-D CHUNK=4 -D CHUNK=1" "-DCHUNK=4 -UCHUNK -DCHUNK=1"; do
    rm -rf twice
    twice told.cl "$options" "$cltune" capture -o twice --kernel smooth -- "$pipeline" 20
    default twice/SPACE.ini "LOCAL_X = 64\nCHUNK = 4"
    twice told.cl "$options" "$cltune" search twice/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
    twice told.cl "$options" "$cltune" exec --report -- "$pipeline" 20
    expect_four "$options"
done
twice own.cl "-D CHUNK=4" "$cltune" capture -o sourced --kernel smooth -- "$pipeline" 20
sed 's/^; CHUNK/CHUNK/' sourced/SPACE.ini >space && mv space sourced/SPACE.ini
default sourced/SPACE.ini "LOCAL_X = 64\nCHUNK = 4"
twice own.cl "-D CHUNK=4" "$cltune" search sourced/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4
twice own.cl "-D CHUNK=4" "$cltune" exec --report -- "$pipeline" 20
expect_four "the source defines it after the options"
# One that only a header uses; the kernel also has a macro of its own.
echo '#define PIECE CHUNK' >chunk.h
{
    echo '#include "chunk.h"'
    sed 's/CHUNK/PIECE/g; s/sum \/ TAPS/sum \/ TAPS \/ SCALE/' pipeline.cl
    echo '// #pragma virtual fault PIECE 4 build_chatter:1'
} >header.cl
options="-D CHUNK=1 -D SCALE=1"
twice header.cl "$options" "$cltune" capture -o header --kernel smooth -- "$pipeline" 20
sed 's/^options = .*//; s/^\[param\]/&\nCHUNK = 1, 4/' header/SPACE.ini >space && mv space header/SPACE.ini
default header/SPACE.ini "LOCAL_X = 64\nCHUNK = 4\nSCALE = 2"
twice header.cl "$options" "$cltune" search header/SPACE.ini --rough -q --param LOCAL_X=64 --param CHUNK=4 --param SCALE=2
twice header.cl "$options" "$cltune" exec --report -- "$pipeline" 20
expect_four "a header uses it"

# --- a global size that the space file computes, images, a configuration that is wrong for other data ---
export ASSORTED_OPTIONS="-cl-kernel-arg-info -I .  -cl-mad-enable"
"$assorted" stride draw pick >expected
"$cltune" capture -o others -- "$assorted" stride draw pick >"$out" 2>&1
sed 's|^global = .*|global = global_x / 8|' others/stride/SPACE.ini >space && mv space others/stride/SPACE.ini
for kernel in stride draw pick; do
    # At one place, so that the builds are the same.
    mv others/$kernel here
    default here/SPACE.ini "LOCAL_X = 32"
    run "$cltune" search here/SPACE.ini --rough -q --param LOCAL_X=32
    exits 0 "a search of $kernel"
    mv here others/$kernel
done
captured_name=$(sed -n 's/^name *= //p' others/pick/SPACE.ini)
run "$cltune" exec --verify 4 --report -- "$assorted" stride draw pick
ok "the program prints the same" "$(cat "$out")" = "$(cat expected)"
ok "another global size is followed" "$(replaced stride)" -ge 10
ok "a kernel that writes to images is verified and replaced" "$(replaced draw)" -ge 8
err_has "pick keeps the program's configuration from now on, not LOCAL_X=32: argument 1 (out) differs" "a kernel that is right for the captured data only is not"
run "$cltune" results "$captured_name" --csv
out_has "wrong" "which is stored as wrong"
run "$cltune" exec --report -- "$assorted" pick
ok "so that it is never used again" -z "$(replaced pick)" -a "$(cat "$out")" = "$(sed -n '/^pick/p' expected)"
unset ASSORTED_OPTIONS

# --- a loader without layers ---
loader=$(ldd "$pipeline" | awk '/libOpenCL/ { print $3 }')
mkdir old-loader
sed 's/OPENCL_LAYERS/OPENCL_LAYERX/g' "$loader" >old-loader/libOpenCL.so.1
virtual "LD_LIBRARY_PATH=$work/old-loader" "$cltune" exec --report -- "$pipeline" 20
ok "a loader without layers" "$(replaced smooth)" -ge 10
ok "gives the same output" "$(cat "$out")" = "$(cat plain)"

# --- --json ---
run "$cltune" exec --json -- "$pipeline" 2
exits 2 "--json"
err_has "--json is not supported here" "is refused"
run "$cltune" exec --help all
out_has "(not here)" "which the help says"

done_testing
