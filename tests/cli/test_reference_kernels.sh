#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels as the reference: several launches, and parameters that change the shape of outputs.
. tests/cli/lib.sh

mkdir "$work/k"
cat >"$work/k/sum.cl" <<'END'
__kernel void rows(__global const int *in, __global int *out, int width, int pitch)
{
    int row = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < width; i++)
        sum += in[row * width + i] * in[row * width + i];
    out[row * pitch] = sum + BREAK * (PITCH == 4);
    for (int i = 1; i < pitch; i++)
        out[row * pitch + i] = pitch;
}
END
cat >"$work/k/plain.cl" <<'END'
__kernel void square(__global const int *in, __global int *squares)
{
    squares[get_global_id(0)] = in[get_global_id(0)] * in[get_global_id(0)];
}
END
cat >"$work/k/add.cl" <<'END'
__kernel void add(__global const int *squares, __global int *out, int width)
{
    int row = get_global_id(0);
    out[row * P] = 0;
    for (int i = 0; i < width; i++)
        out[row * P] += squares[row * width + i];
    for (int i = 1; i < P; i++)
        out[row * P + i] = P;
}
END
cat >"$work/k/sum.ini" <<'END'
[kernel]
name = rows
source = sum.cl
[problem]
width = 8
height = 16
[param]
PITCH = 1, 2, 4
BREAK = 0, 1
[buffer in]
type = int
count = width * height
fill = uniform(-50, 50)
[buffer squares]
type = int
count = width * height
[buffer out]
type = int
count = height * PITCH
check = exact
[launch rows]
kernel = rows
args = in, out, int(width), int(PITCH)
global = height
[reference squares]
kernel = square
source = plain.cl
args = in, squares
global = width * height
[reference add]
kernel = add
source = add.cl
define = P=PITCH
args = squares, out, int(width)
global = height
END
run "$cltune" space "$work/k/sum.ini" --check
exits 0 "a reference of two kernels"
run "$cltune" search "$work/k/sum.ini" -j 1 --rough -q
exits 0 "a search with it"
out_has "5 ok, 1 wrong" "compares outputs of three shapes"
run "$cltune" run "$work/k/sum.ini" PITCH=4 BREAK=1
exits 1 "a wrong value in one of them"
out_has "(16 of 64 values are wrong)" "is found"
run "$cltune" space "$work/k/sum.ini" --explain -d 0
out_has "square" "--explain shows the first launch"
out_has "add" "and the second"

# Configurations that differ in other parameters share a run of the reference.
sed '/^source = plain.cl/d; s/kernel = square/kernel = rows/; s/args = in, squares/args = in, out, int(width), int(PITCH)/
    s/^global = width \* height/global = height\ndefine = BREAK=0, PITCH=0/; /^\[reference add/,$d' "$work/k/sum.ini" >"$work/k/own.ini"
run "$cltune" search "$work/k/own.ini" -j 1 --rough -q
exits 0 "the kernel itself with a parameter as reference"
out_has "5 ok, 1 wrong" "finds the same"

# refused FROM TO MESSAGE: the file is refused
refused() {
    sed "s/$1/$2/" "$work/k/sum.ini" >"$work/k/bad.ini"
    run "$cltune" space "$work/k/bad.ini" --check
    exits 2 "a reference with '$2' instead of '$1'"
    err_has "$3" "is refused"
}
refused '^kernel = add' 'c = add.c' \
    "several references are launched one after the other, so each requires a 'kernel'"
refused 'reference add' 'reference squares' "section [reference squares] is repeated"
refused 'P=PITCH' 'P=NIX' "unknown name 'NIX'"
refused 'define = P=PITCH' 'options = -DP=1' "the reference's buffer 'out' has 16 elements, but 32 are compared"
done_testing
