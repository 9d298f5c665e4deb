#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune capture: what it says of a program's kernels, and the experiments it makes of their launches.
. "$(dirname "$0")/lib.sh"
cp "$build/libcltune-layer.so" "$work/bin/"
pipeline=$build/tests/apps/pipeline
assorted=$build/tests/apps/assorted
cp "$root"/tests/apps/*.cl "$root"/tests/apps/*.h "$work/"
cd "$work" || exit 1
# PoCL compiles for most of a second in each of cltune's runs.  So it runs what depends on results, and the
# virtual driver all else; and what it has built is built again with the same options:
# - virtual COMMAND...: runs it on a virtual GPU.
# - again FOLDER [NAME=VALUE...]: runs the experiment, moved to a folder whose name is always the same.
# - The plain program gets the option that capture adds.
virtual() { run env "OCL_ICD_VENDORS=$virtual" VIRTUALCL_DEVICES=1 VIRTUALCL_PACE=0 "$@"; }
again() {
    from=$1
    shift
    mv "$from" here
    run "$cltune" run --samples 1 here/SPACE.ini "$@"
    mv here "$from"
}

# left NAME: nothing of a capture is left behind.
left() {
    ok "$1: nothing half-written is left" -z "$(find "$work" -maxdepth 1 -name '*.capturing-*')"
}

informed="-cl-kernel-arg-info -D CHUNK=1"
PIPELINE_OPTIONS=$informed "$pipeline" 20 >plain
virtual "$pipeline" 20
cp "$out" virtual-plain

# --- the table ---
virtual "$cltune" capture -- "$pipeline" 20
exits 0 "a program's kernels are listed"
out_has "$(cat virtual-plain)" "beside what the program prints"
out_has "KERNEL" "as a table"
for kernel in prepare smooth collect; do
    ok "$kernel: 20 launches" "$(awk -v k=$kernel '$1 == k && $2 == 16384 && $3 == 1 { print $4 }' "$out")" = 20
done
ok "shares of the time sum up to all" "$(awk '/%/ { sum += $NF } END { print (sum > 99 && sum < 101) }' "$out")" = 1
ok "nothing is written unless asked for" ! -e capture
virtual "$cltune" capture --json -- "$pipeline" 20
sed 1d "$out" >"$work/list.json"
ok "JSON has the same" "$(jq -r 'map(select(.kernel == "smooth"))[0] | "\(.launches) \(.global[0]) \(.local[0]) \(.timed > 0)"' "$work/list.json")" = "20 16384 1 true"

# --- experiments ---
run "$cltune" capture -o all -- "$pipeline" 20
exits 0 "experiments of all kernels"
out_has "$(cat plain)" "beside what the program prints"
out_has "cltune search all/KERNEL/SPACE.ini" "and what to do with them"
left "experiments"
for kernel in prepare smooth collect; do
    ok "all/$kernel is an experiment" -s "all/$kernel/SPACE.ini" -a -s "all/$kernel/kernel.cl"
    again "all/$kernel"
    out_has "status   ok" "$kernel gives what it gave in the program"
done
has all/smooth/SPACE.ini "CHUNK = 1, 2, 4" "a macro of the options is a parameter"
has all/smooth/SPACE.ini "; TAPS = 32, 16, 64 replaces" "a macro of the source is offered, to be replaced there"
ok "the source is the program's own" "$(cmp -s all/smooth/kernel.cl pipeline.cl; echo $?)" = 0
has all/smooth/SPACE.ini "LOCAL_X = 0, divisors(global_x)" "the work-group is a parameter"
has all/collect/SPACE.ini "restore = each" "a launch that reads what it writes is recognised"
lacks all/prepare/SPACE.ini "restore" "and one that does not"
lacks all/prepare/SPACE.ini "fill   = file(prepared.npy)" "an output has no contents before"
run "$cltune" run --samples 1 all/smooth/SPACE.ini LOCAL_X=3
ok "a work-group that does not divide the global size is none" "$status" -ne 0

# --- what is built for it ---
# builds NAME: how many builds a log of the virtual driver has.
builds() { grep -c " build_begin " "$1"; }
{
    echo '// #pragma virtual fault TAPS 16 wrong'
    cat pipeline.cl
} >faulty.cl
virtual PIPELINE_SOURCE=faulty.cl VIRTUALCL_LOG=log "$cltune" capture -o once -- "$pipeline" 20
exits 0 "experiments on a driver that tells about arguments only where a build asks for it"
ok "the program is built once" "$(builds log)" = 1
has once/smooth/SPACE.ini "[buffer prepared]" "with what it tells"
ok "while the options stay the program's" -z "$(grep -rl cl-kernel-arg-info once)"
virtual VIRTUALCL_FAIL=clBuildProgram:1:-43 VIRTUALCL_LOG=log2 "$cltune" capture -o twice -- "$pipeline" 2
exits 0 "a driver that refuses the option"
ok "builds it as the program asks, and once more for each kernel" "$(builds log2)" = 4
virtual "$cltune" search once/smooth/SPACE.ini --rough --param "LOCAL_X=1,64" --param CHUNK=1,2
exits 0 "a search of an experiment"
out_has "4 ok" "whose configurations are right"
sed 's/^; TAPS/TAPS/' once/smooth/SPACE.ini >once/smooth/TAPS.ini
virtual "$cltune" run --samples 1 once/smooth/TAPS.ini TAPS=16
out_has "status   wrong" "a macro of the source that changes the result is found out"
virtual "$cltune" run --samples 1 once/smooth/TAPS.ini
out_has "status   ok" "its own value gives what it gave"

# --- a choice ---
run "$cltune" capture -o one --kernel collect --launch 3 -- "$pipeline" 20
exits 0 "the third launch of a kernel"
ok "the only experiment is the folder itself" -s one/SPACE.ini
ok "its inputs are those of the third launch" "$(cmp -s one/state.npy all/collect/state.npy; echo $?)" = 1
again one
out_has "status   ok" "and its outputs"
virtual "$cltune" capture -o none --kernel absent -- "$pipeline" 2
exits 3 "a kernel that there is not"
err_has "nothing was written: no launch that was asked for can be captured" "is said"
ok "and no folder is made" ! -e none
run "$cltune" capture --launch 2 -- "$pipeline" 2
exits 2 "--launch without --kernel"
err_has "name it with --kernel" "is explained"
virtual "$cltune" capture -o small --max-bytes 1K -- "$pipeline" 2
exits 3 "buffers over --max-bytes"
out_has "its buffers have 131072 bytes, more than --max-bytes 1024" "are listed, not written"
ok "no folder is made" ! -e small
left "--max-bytes"

# --- names that a space file has for other things, and that files of captured data might have ---
sed 's/\bsamples\b/arg1/g; s/\bprepared\b/arg2/g; s/^#define TAPS 32/#define TAPS (KERNEL_RADIUS * 4)\n#define step 3/
    s/gain + offset/gain + offset + step - 3/' "$root/tests/apps/pipeline.cl" >named.cl
PIPELINE_SOURCE=named.cl PIPELINE_OPTIONS="-D CHUNK=1 -DKERNEL_RADIUS=8" virtual "$cltune" capture -o named -- "$pipeline" 3
exits 0 "a program with such names"
virtual "$cltune" capture -o unnamed -- "$pipeline" 3
for kernel in prepare smooth; do
    run "$cltune" space named/$kernel/SPACE.ini
    exits 0 "$kernel: the space file can be read"
done
ok "macros that cannot be parameters are options" "$(grep -c 'KERNEL_RADIUS=8' named/smooth/SPACE.ini)" = 1
cmp -s named/prepare/arg1.npy unnamed/prepare/samples.npy
ok "each argument has its own data" $? = 0
cmp -s named/prepare/arg2.after.npy unnamed/prepare/prepared.after.npy
ok "the second, too" $? = 0
ok "and nothing else is left" "$(find named unnamed -name '*raw*' | wc -l)" = 0

sed 's/\bsamples\b/argument_1/g; s/\bprepared\b/bytes/g' pipeline.cl >numbered.cl
PIPELINE_SOURCE=numbered.cl virtual "$cltune" capture -o numbered --kernel prepare -- "$pipeline" 3
ok "a name that an argument without one would get is given once" "$(grep '^\[buffer' numbered/SPACE.ini | tr '\n' ' ')" = \
    "[buffer argument_1] [buffer argument_1_2] "
cmp -s numbered/argument_1.npy unnamed/prepare/samples.npy
ok "and each has its own data" $? = 0

# --- folders and commands with other characters than ASCII's ---
mkdir größe
echo '#define HEIGHT 1' >größe/größe.h
{ echo '#include "größe.h"' && cat pipeline.cl; } >größe/pipeline.cl
{ echo '#include "../größe/größe.h"' && cat pipeline.cl; } >größe/above.cl
cd größe || exit 1
PIPELINE_OPTIONS="-D CHUNK=1 -D UNIT=höhe" virtual "$cltune" capture -o ../foreign --kernel smooth -- \
    "$pipeline" 3 16384 "$(printf 'h\303\266he h\366he\033')"
exits 0 "a program in a folder of such a name"
PIPELINE_SOURCE=above.cl virtual "$cltune" capture -o ../above --kernel smooth -- "$pipeline" 3
cd ..
ok "headers are found there" -s foreign/include/größe.h
has foreign/SPACE.ini "options = -D UNIT=höhe" "options are the program's"
has foreign/SPACE.ini "pipeline 3 16384 höhe h\xf6he\x1b" "its command is shown, with escapes for what is no text"
iconv -f UTF-8 -t UTF-8 foreign/SPACE.ini >converted 2>"$err"
ok "the space file is UTF-8" "$(cmp foreign/SPACE.ini converted 2>&1)" = ""
has above/SPACE.ini "include = $(pwd -P)/größe" "headers that are not copied are looked for there"

# --- folders with commas in their names, as space files write them between folders ---
mkdir 'a,b' a
echo '#define HEIGHT 1' >'a,b/height.h'
echo '#error' >a/height.h
{ echo '#include "height.h"' && cat pipeline.cl; } >comma.cl
PIPELINE_SOURCE=comma.cl PIPELINE_OPTIONS="-D CHUNK=1 -I a,b" virtual "$cltune" capture -o comma --kernel smooth -- "$pipeline" 3
exits 0 "a program with -I a,b"
ok "a header is found there" "$(cat comma/include/height.h)" = "#define HEIGHT 1"
virtual "$cltune" run --samples 1 comma/SPACE.ini
out_has "status   ok" "and in the experiment"
cd 'a,b' || exit 1
cp ../comma.cl .
PIPELINE_SOURCE=comma.cl virtual "$cltune" capture -o ../inside --kernel smooth -- "$pipeline" 3
ok "a header of the current folder, too" "$(cat ../inside/include/height.h)" = "#define HEIGHT 1"
{ echo '#include "../a,b/height.h"' && cat ../pipeline.cl; } >above.cl
PIPELINE_SOURCE=above.cl virtual "$cltune" capture -o ../outside --kernel smooth -- "$pipeline" 3
exits 3 "a header outside of such a folder"
out_has "it includes ../a,b/height.h, which is in no folder that a space file can name" "is no experiment, for a reason"
cd ..

# --- what build options say ---
long_name=CHUNKS_THAT_EACH_WORK_ITEM_LOADS_INTO_ITS_REGISTERS_BEFORE_THE_NEXT_BARRIER
{
    printf '#ifndef SKIP\n#define SKIP 2\n#endif\n__constant int used[] = {SKIP, %s};\n' $long_name
    cat pipeline.cl
} >options.cl
PIPELINE_SOURCE=options.cl PIPELINE_OPTIONS="-D CHUNK=2 -DCHUNK=1 -D $long_name=4 -D SKIP=0xFFFFFFFFu" \
    virtual "$cltune" capture -o options -- "$pipeline" 3
exits 0 "a program with a macro twice, a long name, and a value with a suffix"
has options/smooth/SPACE.ini "CHUNK = 1, 2, 4" "the last value counts"
lacks options/smooth/SPACE.ini "CHUNK = 2" "and no other"
has options/smooth/SPACE.ini "$long_name = 4, 2, 8" "a long name is a parameter"
has options/smooth/SPACE.ini "options = -D SKIP=0xFFFFFFFFu" "a value that is no plain number stays as it is written"
lacks options/smooth/SPACE.ini "; SKIP" "and its default in the source is not offered"
virtual "$cltune" run --samples 1 options/smooth/SPACE.ini
out_has "status   ok" "the experiment gives what the program's launch gave"

# --- callbacks of programs call OpenCL, also from other threads ---
mkdir called
virtual "CLTUNE_CAPTURE=$work/called" CLTUNE_CAPTURE_WRITE=1 \
    "OPENCL_LAYERS=$build/tests/fault/libcltune-calling.so:$work/bin/libcltune-layer.so" "$pipeline" 3
err_lacks "waits for ever" "no call of the driver's is made under a lock"
ok "launches are captured" "$(grep -c '"captured"' called/*.jsonl)" -ge 3

# --- a device with the handle of an earlier one ---
mkdir reused
virtual "CLTUNE_CAPTURE=$work/reused" \
    "OPENCL_LAYERS=$build/tests/fault/libcltune-reuse.so:$work/bin/libcltune-layer.so" "$build/tests/apps/devices" pair pair
ok "its launches are counted apart" "$(grep -c '"group"' reused/*.jsonl)" = 2

# --- bad input ---
run "$cltune" capture -o all -- "$pipeline" 2
exits 2 "the output exists"
err_has "all exists already" "is said"
ok "before the program runs" ! -s "$out"
run "$cltune" capture
exits 2 "no program"
err_has "no program given" "is said"
run "$cltune" capture -o x -- ./absent
exits 2 "a program that is missing"
err_has "cannot run './absent': there is no such program" "is said"
run "$cltune" capture -- absent-too
err_has "cannot run 'absent-too': there is no such program" "also in PATH"
run "$cltune" capture -- ./pipeline.cl
err_has "it is no executable file" "a file that cannot run"
printf 'no program' >broken && chmod +x broken
run "$cltune" capture -o x -- ./broken
exits 2 "a file that the system cannot run"
err_has "cannot run './broken'" "is said"
ok "and no folder is made" ! -e x
left "no program"
run "$cltune" capture -o x -- true
exits 3 "a program without OpenCL"
err_has "launched no OpenCL kernel" "is said"
ok "and no folder is made" ! -e x
virtual PIPELINE=fail "$cltune" capture -o failing -- "$pipeline" 2
exits 7 "the program's exit status is passed on"
ok "what it did is captured" -s failing/smooth/SPACE.ini
run env PIPELINE=crash "$cltune" capture -o crashing -- "$pipeline" 6
exits 134 "a program that crashes"
err_has "was ended by signal 6" "is said"
ok "its launches before are counted" "$(awk '$1 == "smooth" { print $4 }' "$out")" = 4
again crashing/collect
out_has "status   ok" "and captured"
run "$cltune" capture -o no/such/folder -- "$pipeline" 2
exits 1 "an output that cannot be created"
err_has "cannot create a folder for no/such/folder" "is said"
mv "$work/bin/libcltune-layer.so" "$work/away.so"
run "$cltune" capture -o x -- "$pipeline" 2
exits 1 "the layer is missing"
err_has "libcltune-layer.so is neither in $(cd "$work/bin" && pwd -P) nor in ../lib, ../lib64 or ../lib/cltune" \
    "is said, with every folder that was searched"
left "no layer"
mv "$work/away.so" "$work/bin/libcltune-layer.so"
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=150k tmpfs full 2>"$err"; then
    virtual "$cltune" capture -o full/out -- "$pipeline" 4
    ok "a full disk leaves nothing" -z "$(ls full)"
    ok "while the program runs to its end" "$(head -1 "$out")" = "$(OCL_ICD_VENDORS=$virtual VIRTUALCL_PACE=0 "$pipeline" 4)"
    out_has "its data cannot be written: No space left on device" "and is said"
    umount full
else
    skip 3 "no file system of our own"
fi

# --- programs that the layer cannot get into ---
echo 'int main(void) { return 5; }' >tiny.c
if cc -static -o static tiny.c 2>"$err"; then
    run "$cltune" capture -- ./static
    exits 5 "a static program runs"
    err_has "is linked statically, so that it loads no layer" "and is told apart"
else
    skip 2 "no static libraries"
fi
python3 - <<'END'
import struct
code = b"\xb8\x01\x00\x00\x00\xbb\x06\x00\x00\x00\xcd\x80"
head = b"\x7fELF\x01\x01\x01" + bytes(9)
head += struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
part = struct.pack("<IIIIIIII", 1, 0, 0x8048000, 0x8048000, 96, 96, 5, 4096)
open("old", "wb").write(head + part + code)
END
chmod +x old
run "$cltune" capture -- ./old
if [ "$status" -eq 6 ]; then
    err_has "is a 32-bit program, which cannot load the layer" "a 32-bit program"
else
    skip 1 "no 32-bit programs here"
fi
if [ "$(id -u)" -eq 0 ] && cp "$pipeline" other && chown 12345 other && chmod 4755 other; then
    virtual "$cltune" capture -- ./other 2
    err_has "runs with the rights of another user" "a set-uid program"
else
    skip 1 "needs to be root"
fi

# --- what programs do ---
for word in threads unordered user sub null binary fork wrong barge; do
    PIPELINE=$word PIPELINE_OPTIONS=$informed "$pipeline" 6 >"$work/expected" 2>&1
    rm -rf did
    run env PIPELINE=$word timeout 120 "$cltune" capture -o did -- "$pipeline" 6
    head -"$(wc -l <"$work/expected")" "$out" >"$work/got"
    ok "$word: the program prints the same" "$(cat "$work/got")" = "$(cat "$work/expected")"
    left "$word"
    case $word in
    binary) out_has "its program was loaded as a binary" "$word: is said" ;;
    user) out_has "it waits for something that the program does later" "$word: is said" ;;
    barge) ;; # what it holds back may be left out
    *) ok "$word: and experiments are made" -s did/smooth/SPACE.ini ;;
    esac
done

# capture_below KERNEL PROGRAM...: with a layer below cltune's; what is said of the kernel's launches is in did/*.jsonl.
capture_below() {
    rm -rf did
    mkdir did
    kernel=$1
    shift
    run env "CLTUNE_CAPTURE=$work/did" CLTUNE_CAPTURE_WRITE=1 "CLTUNE_CAPTURE_KERNEL=$kernel" \
        "OPENCL_LAYERS=$build/tests/fault/libcltune-stuck.so:$work/bin/libcltune-layer.so" timeout 60 "$@"
}
PIPELINE=gate PIPELINE_OPTIONS=$informed "$pipeline" 1 >"$work/expected" 2>&1
PIPELINE=gate
export PIPELINE
capture_below smooth "$pipeline" 1
unset PIPELINE
exits 0 "memory that the device does not read: the program runs to its end"
ok "and prints the same" "$(cat "$out")" = "$(cat "$work/expected")"
ok "is said" "$(grep -hc '"why":"reading its memory waits for something that the program does later"' did/*.jsonl)" = 1
STUCK_FILL_MS=6000
export STUCK_FILL_MS
capture_below tick "$build/tests/apps/launches" 1 1024 33554432
unset STUCK_FILL_MS
exits 0 "a large transfer before the launch"
ok "is no reason to leave it out" "$(grep -ho '"captured":\|"refused":' did/*.jsonl | tr -d '\n')" = '"captured":'

two() { run env "OCL_ICD_VENDORS=$virtual" VIRTUALCL_PACE=0 "$@"; }
two "$build/tests/apps/rebuild" each
cp "$out" expected
two "$cltune" capture -o each -- "$build/tests/apps/rebuild" each
ok "options for each device: the program prints the same" "$(head -"$(wc -l <expected)" "$out")" = "$(cat expected)"
out_has "its program was built with other options for another device" "is refused"

# --- arguments of all kinds ---
told="-cl-kernel-arg-info -I .  -cl-mad-enable"
run env "ASSORTED_OPTIONS=$told" \
    "$assorted" blend draw fold move pick fixed stride offset parts shared address
cp "$out" expected
run "$cltune" capture -o kinds -- "$assorted" blend draw fold move pick fixed stride offset parts shared address
exits 0 "kernels with all kinds of arguments"
head -"$(wc -l <expected)" "$out" >got
ok "the program prints the same" "$(cat got)" = "$(cat expected)"
out_has "no: it has a global offset" "a global offset is refused"
out_has "no: two of its arguments are overlapping parts of one buffer" "so are overlapping buffers"
out_has "no: its program was linked from several" "and programs that are linked from several"
has kinds/part/SPACE.ini "FILL" "of one that is linked from a single one, its macros"
err_has "address is not deterministic" "a kernel that is not deterministic is named"
has kinds/address/SPACE.ini "; The kernel is not deterministic" "in its file, too"
# section KERNEL NAME: the lines of a buffer or an image, in one.
section() { sed -n "/^\[[a-z]* $2\]/,/^$/p" "kinds/$1/SPACE.ini" | tr '\n' ' '; }
ok "an image that is all written is an output" "$(section blend out)" = \
    "[image out] size   = 16, 8 format = CL_RGBA CL_FLOAT expect = file(out.after.npy) check  = 1e-5  "
ok "one that is written in parts starts as it was, although the host may not read it" "$(section draw rows)" = \
    "[image rows] size   = 16, 8 format = CL_R CL_UNSIGNED_INT32 fill   = file(rows.npy) expect = file(rows.after.npy) check  = exact  "
ok "with rows that were there before" "$(tail -c +129 kinds/draw/rows.after.npy | od -An -td4 -N132 -w4 -v | awk 'NR == 2 || NR == 17 || NR == 33 { printf "%d ", $1 }')" = "3 1016 48 "
has kinds/fold/SPACE.ini "type   = float" "a name of a type that a header gives is found out"
has kinds/fold/SPACE.ini "local memory suffices = LOCAL_X <= 8" "local memory limits the work-group"
has kinds/blend/SPACE.ini "sampler(clamp_to_edge, nearest, unnormalized)" "a sampler"
has kinds/move/SPACE.ini "short2(3, -2)" "a vector"
has kinds/move/SPACE.ini "bytes('ff 00 00 00 00 00 00 3f')" "a structure"
has kinds/move/SPACE.ini "null" "a pointer to nothing"
has kinds/fixed_group/SPACE.ini "local  = 16" "a work-group that the source fixes"
has kinds/part/SPACE.ini "local  = 16" "also in parts of a program"
mv assorted.h gone.h
for kernel in draw fold move pick stride blend part; do
    case $kernel in
    blend | part) again kinds/$kernel ;;
    *) again kinds/$kernel LOCAL_X=8 ;;
    esac
    out_has "status   ok" "$kernel runs without the program's folders"
done
mv gone.h assorted.h

run env "ASSORTED_OPTIONS=$told" "$assorted" odd
if [ "$status" -eq 0 ]; then
    run "$cltune" capture -o odd -- "$assorted" odd
    out_has "it has an image of a format that space files lack" "a rare format of images is refused"
    ok "and leaves no folder" ! -e odd
else
    skip 2 "the device lacks the format"
fi
virtual "$cltune" capture -- "$assorted" many
exits 0 "more shapes than are counted"
err_has "there are more than 16384 different launches" "is said"
ok "once" "$(grep -c 'more than 16384' "$err")" = 1

# --- how the layer gets in ---
virtual CLTUNE_CAPTURE=/absent "OPENCL_LAYERS=$work/bin/libcltune-layer.so" "$pipeline" 20
err_has "nothing is captured: cannot write to /absent" "a folder that is gone is said"
ok "and the program runs" "$(cat "$out")" = "$(cat virtual-plain)"

printf '#!/bin/sh\nexec %s "$@"\n' "$pipeline" >script && chmod +x script
virtual "$cltune" capture -- ./script 3
ok "a script that runs a program" "$(awk '$1 == "smooth" { print $4 }' "$out")" = 3
virtual "$cltune" capture -- "$cltune" run once/smooth/SPACE.ini
ok "a program that opens the loader itself" "$(grep -c '^smooth ' "$out")" -ge 1
loader=$(ldd "$pipeline" | awk '/libOpenCL/ { print $3 }')
mkdir old-loader
sed 's/OPENCL_LAYERS/OPENCL_LAYERX/g' "$loader" >old-loader/libOpenCL.so.1
LD_LIBRARY_PATH=$work/old-loader
export LD_LIBRARY_PATH
run "$cltune" capture -o preloaded -- "$pipeline" 20
exits 0 "a loader without layers"
out_has "$(cat "$work/plain")" "the program prints the same"
ok "its kernels are listed" "$(awk '$1 == "smooth" { print $4 }' "$out")" = 20
ok "and captured" "$(cmp -s preloaded/smooth/smoothed.after.npy all/smooth/smoothed.after.npy; echo $?)" = 0
virtual "$cltune" capture -- "$cltune" run once/smooth/SPACE.ini
ok "also of a program that opens the loader itself" "$(grep -c '^smooth ' "$out")" -ge 1
done_testing
