#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `cltune run` shows of a wrong configuration: the first wrong values with their indices,
# and with --dump the contents of all buffers as NumPy files.
. "$(dirname "$0")/lib.sh"

# A grid of 8 x 4 points: `point` is two floats each, `sum` an int that is read and written, `byte`
# is an output that nothing checks.
cat >"$work/grid.cl" <<'CL'
__kernel void grid(__global const float *a, __global float2 *point, __global int *sum,
                   __global uchar *byte, __global float *only)
{
    uint i = get_global_id(1) * 8 + get_global_id(0);

    point[i] = (float2)(a[i], a[i] * 2);
    sum[i] += (int)i;
#if MODE == 5
    only[i] = byte[i] == 255 ? 1 : 2;
#elif MODE == 4
    if (i != 3)
        only[i] = 1;
#else
    only[i] = 1;
#endif
#if MODE == 7
    if (byte[i] != 255)
        *(volatile __global int *)(size_t)8 = 1;
#endif
    byte[i] = (uchar)i;
#if MODE == 1
    if (i % 8 == 5)
        point[i].y = i < 8 ? NAN : 0.25f;
    if (i == 31)
        sum[i] = -7;
#elif MODE == 2
    *(volatile __global int *)(size_t)8 = 1;
#elif MODE == 3
    this does not compile
#elif MODE == 6
    if (i == 0)
        point[33].x = 1;
#endif
}
CL
cat >"$work/grid.c" <<'C'
#include <stdint.h>
void grid(const float *a, float *point, int32_t *sum, float *only);
void grid(const float *a, float *point, int32_t *sum, float *only)
{
    for (int i = 0; i < 32; i++) {
        point[2 * i] = a[i];
        point[2 * i + 1] = a[i] * 2;
        sum[i] += i;
        only[i] = 1;
    }
}
C
cat >"$work/grid.ini" <<'INI'
[kernel]
name   = grid
source = grid.cl

[param]
MODE = 0..7

[buffer a]
type  = float
count = 32
fill  = ramp(0, 0.5)

[buffer point]
type  = float2
count = 32
check = 1e-6

[buffer sum]
type  = int
count = 32
fill  = ramp(100, 1)
check = exact
restore = each

[buffer byte]
type  = uchar
count = 32

[buffer only]
type  = float
count = 32
check = exact

[launch grid]
kernel = grid
args   = a, point, sum, byte, only
global = 8, 4

[reference]
c        = grid.c
function = grid
args     = a, point, sum, only
INI
cd "$work" || exit 1

# element FILE FORMAT INDEX SIZE: one value of a file, as od prints it
element() {
    od -An -t "$2" -j "$((128 + $3 * $4))" -N "$4" "$1" | tr -d ' '
}
# head_of FILE: magic and dictionary
head_of() {
    dd if="$1" bs=1 skip=10 count=118 2>/dev/null | sed 's/ *$//'
}

# --- a configuration that is right ---

run "$cltune" run grid.ini MODE=0 -d 0:0 --dump dumped
exits 0 "a right configuration is dumped"
out_has "status   ok" "it is right"
out_has "dump     $work/dumped, buffers after the first launch" "the folder is named"
out_has "point.npy  float 32 x 2" "a file with its type and shape"
out_has "byte.truth.npy is not written: nothing is expected of buffer byte" "what is missing is said"
out_lacks "differs" "nothing differs"
ok "exactly these files" "$(cd dumped && echo *)" = "a.npy byte.npy only.npy only.truth.npy\
 point.npy point.truth.npy sum.before.npy sum.npy sum.truth.npy"
ok "the magic number" "$(od -An -t x1 -N 10 dumped/a.npy | tr -d ' ')" = 934e554d505901007600
ok "floats" "$(head_of dumped/a.npy)" = "{'descr': '<f4', 'fortran_order': False, 'shape': (32,), }"
ok "vectors have a dimension" "$(head_of dumped/point.npy)" = \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (32, 2), }"
ok "so has their truth" "$(head_of dumped/point.truth.npy)" = "$(head_of dumped/point.npy)"
ok "integers" "$(head_of dumped/sum.npy)" = "{'descr': '<i4', 'fortran_order': False, 'shape': (32,), }"
ok "bytes" "$(head_of dumped/byte.npy)" = "{'descr': '|u1', 'fortran_order': False, 'shape': (32,), }"
ok "the size of a file" "$(wc -c <dumped/point.npy)" -eq $((128 + 256))
ok "an input" "$(element dumped/a.npy f4 31 4)" = 15.5
ok "an output" "$(element dumped/point.npy f4 63 4)" = 31
ok "before" "$(element dumped/sum.before.npy d4 31 4)" = 131
ok "and after" "$(element dumped/sum.npy d4 31 4)" = 162
ok "what nothing checks" "$(element dumped/byte.npy u1 31 1)" = 31
ok "right is right" "$(cmp dumped/point.npy dumped/point.truth.npy && cmp dumped/sum.npy dumped/sum.truth.npy && echo same)" = same

# --- one that is wrong ---

run "$cltune" run grid.ini MODE=1 -d 0:0
exits 1 "a wrong configuration"
out_has "differs  point[5, 1]: NaN, the reference has 5" "the first wrong value"
out_has "         point[13, 1]: 0.25, the reference has 13" "the next one"
out_has "         sum[31]: -7, the reference has 162" "of each buffer"
ok "in their order" "$(grep -c ', the reference has' "$out")" = 5
out_lacks "dump  " "no word about files"
run "$cltune" run grid.ini MODE=1 -d 0:0 --dump dumped/
exits 1 "the same, dumped"
out_has "dump     $work/dumped, buffers after the first launch" "into a folder that exists"
ok "the wrong value" "$(element dumped/point.npy f4 27 4)" = 0.25
ok "its truth" "$(element dumped/point.truth.npy f4 27 4)" = 13
ok "not a number" "$(element dumped/point.npy f4 11 4)" = nan
ok "the other buffer's" "$(element dumped/sum.npy d4 31 4)" = -7
run "$cltune" run grid.ini MODE=1 -d 0:0 --dump dumped --json
ok "JSON has the differences" "$(jq -c '.differences | map([.buffer, .index, .value, .expected]) | .[0, 4]' "$out")" = \
    '["point",[5,1],"NaN","5"]
["sum",[31],"-7","162"]'
ok "and the files" "$(jq -c '[.dump.folder, .dump.timed, (.dump.files | length)]' "$out")" = "[\"$work/dumped\",false,9]"
run "$cltune" run grid.ini MODE=0 -d 0:0 --json
ok "none otherwise" "$(jq -c '[.differences, .dump]' "$out")" = '[[],null]'

run "$cltune" run grid.ini MODE=4 -d 0:0 --dump dumped
out_has "only[3]: never written, the reference has 1" "what was never written"

run "$cltune" run grid.ini MODE=5 -d 0:0 --dump dumped
exits 1 "wrong after the timed launches alone"
out_has "correct at first" "it was right at first"
out_has "differs  only[0]: 2, the reference has 1" "the wrong value is one of later"
out_has "dump     $work/dumped, buffers after the timed launches" "so are the files"
ok "they hold it" "$(element dumped/only.npy f4 31 4)" = 2

run "$cltune" run grid.ini MODE=6 -d 0:0 --dump dumped
exits 1 "a write outside a buffer"
out_has "wrote outside buffer point" "is what is wrong"
out_lacks "differs" "no value is"
ok "the files are written" "$(element dumped/only.npy f4 31 4)" = 1

rm -rf dumped
run "$cltune" run grid.ini MODE=7 -d 0:0 --dump dumped
exits 1 "a crash while it is timed"
out_has "status   crashed" "is one"
out_has "dump     $work/dumped, buffers after the first launch" "the files were written before"
ok "they hold what was right" "$(element dumped/only.npy f4 31 4)" = 1

# --- images, records, a kernel as the reference ---

spaces=$root/tests/cl/spaces
run "$cltune" run "$spaces/image3.ini" -d 0:0 --dump images
exits 0 "an image"
ok "has depth, height, width and channels" "$(head_of images/in.npy)" = \
    "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 6, 8, 4), }"
ok "and all of its bytes" "$(wc -c <images/in.npy)" -eq $((128 + 4 * 6 * 8 * 4))
run "$cltune" run "$spaces/types.ini" -d 0:0 --dump types
exits 0 "other types"
ok "three-vectors are packed" "$(head_of types/out3.npy) $(wc -c <types/out3.npy)" = \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (333, 3), } $((128 + 333 * 12))"
ok "like their truth" "$(cmp types/out3.npy types/out3.truth.npy && echo same)" = same
ok "halves" "$(head_of types/out2.npy)" = "{'descr': '<f2', 'fortran_order': False, 'shape': (333,), }"
run "$cltune" run "$spaces/foldlike.ini" -d 0:0 --dump fold
exits 0 "a reference of another size"
ok "has that size in its file" "$(head_of fold/sum.truth.npy)" = \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }"
run "$cltune" run "$spaces/layouts.ini" -d 0:0 --dump layouts
exits 0 "a reference with other planes"
ok "has the buffer's shape" "$(head_of layouts/out.truth.npy)" = "$(head_of layouts/out.npy)"

# --- no outputs ---

for mode in 2 3; do
    rm -rf dumped
    run "$cltune" run grid.ini MODE=$mode -d 0:0 --dump dumped
    exits 1 "mode $mode fails"
    out_has "dump     nothing to write: the configuration left no outputs" "mode $mode: that is said"
    ok "mode $mode: no files" "$(ls dumped)" = ""
done

# --- files that cannot be written ---

echo text >file
run "$cltune" run grid.ini MODE=0 -d 0:0 --dump file
exits 1 "a file is no folder"
err_has "cannot write to folder file: Not a directory" "which is said"
run "$cltune" run grid.ini MODE=0 -d 0:0 --dump file/below
exits 1 "nothing is below a file"
err_has "cannot create folder file/below: Not a directory" "which is said"
ok "nothing was measured" ! -s "$out"
mkdir full
ln -s "$work/file" full/point.npy
run "$cltune" run grid.ini MODE=1 -d 0:0 --dump full
exits 1 "a link is not followed"
err_has "cannot write $work/full/point.npy: it is a link to another file" "which is said"
ok "and its target is as it was" "$(cat file)" = text
rm full/point.npy
if mknod full/point.npy c 1 7 2>/dev/null && ! echo >full/point.npy 2>/dev/null; then
    run "$cltune" run grid.ini MODE=1 -d 0:0 --dump full
    exits 1 "a full disk"
    err_has "cannot write $work/full/point.npy: No space left on device" "is an error"
    ok "one line of it" "$(wc -l <"$err")" -eq 1
else
    skip 3 "no device that is always full can be made here"
fi
run "$cltune" search grid.ini -d 0:0 --dump full
exits 2 "only run dumps"

done_testing
