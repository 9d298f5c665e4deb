#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune init from strings of C++ sources, and from T1 descriptions of other tuners.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0

init() { run "$cltune" init -d 0:1 "$@"; }
valid() {
    run "$cltune" space "$1" -d 0:1 --check
    exits 0 "$1 is a space file"
}

# --- strings ---
cat >host.cpp <<'END'
#include <string>
// R"( not a string: __kernel void no(__global int *a) {} )"
static const char *const add_source = R"cl(
__kernel void add(__global const float *a, __global float *b, uint n)
{
    uint i = get_global_id(0); // "quotes" and )" inside
    if (i < n)
        b[i] += a[i];
}
)cl";
const char quote = '"', escaped = '\'';
std::string scale_source =
    "#define TILE 8\n"
    "__kernel void scale(__global float *a, uint n)\n" /* between */
    "{\n\tuint i = get_global_id(0);\n"
    "    if (i < n) a[i] *= TILE; /* \"\x41\102\" */\n}\n";
const char *other = "no code here";
void run() { build(u8R"(kernel void third(global int *a) { a[get_global_id(0)] = 3; })"); }
END
init --from-cpp host.cpp
exits 2 "several strings with kernels"
err_has "host.cpp has kernels in several strings (add_source.cl, scale_source.cl, host_3.cl)" "are named"
ok "and nothing is left" "$(ls ./*.cl 2>/dev/null | wc -l)" = 0
init --from-cpp host.cpp --kernel scale -o made.ini
exits 0 "one of them"
out_has "kernel    scale of scale_source.cl" "is in a file called like its variable"
printf '#define TILE 8\n__kernel void scale(__global float *a, uint n)\n{\n\tuint i = get_global_id(0);\n    if (i < n) a[i] *= TILE; /* "AB" */\n}\n' >expected
ok "strings in a row, escapes" "$(cmp expected scale_source.cl)" = ""
ok "a raw string" "$(sed -n 4p add_source.cl)" = '    uint i = get_global_id(0); // "quotes" and )" inside'
ok "one without a name" "$(cat host_3.cl)" = 'kernel void third(global int *a) { a[get_global_id(0)] = 3; }'
ok "the space file names it" "$(sed -n 's/^source *= //p' made.ini)" = scale_source.cl
valid made.ini
init --from-cpp host.cpp --kernel third
exits 0 "the files may be there, if they are the same"
ok "the file is called like the C++ file" -e host.ini
echo >>add_source.cl
init --from-cpp host.cpp --kernel add -o again.ini
exits 2 "one that has changed"
err_has "add_source.cl exists already and is another kernel" "is not replaced"
init --from-cpp host.cpp --kernel fourth -o again.ini
exits 2 "and is said first"
mkdir sub
init --from-cpp host.cpp --kernel fourth -o sub/again.ini
exits 3 "a kernel that no string has"
err_has "no string of host.cpp has kernel 'fourth'" "is named"
ok "and nothing is left behind" "$(ls sub | wc -l)" = 0
printf 'const char *s = R"(kernel void open(global int *a) { }' >open.cpp
init --from-cpp open.cpp
exits 3 "a string without an end"
err_has 'no string of open.cpp has a kernel: kernels are looked for in "..." and R"(...)"' "has none"
init --from-cpp absent.cpp
exits 2 "no file"
err_has "cannot read absent.cpp" "is named"

# --- programs of several strings ---
# sources FILE: the sources of a space file, with spaces between.
sources() { sed -n 's/^source *= //p' "$1" | tr -d ,; }
cat >engine.cpp <<'END'
// As KataGo does: one string begins with another.
string Kernels::common = R"%%(
#pragma OPENCL FP_CONTRACT OFF
)%%";
const char *usage = "scale = a number; total(x) { is printed }\n";
const char *format = "#define COUNT %d\n";
#define SQUARE_SOURCE \
    "inline float square(float x)\n" \
    "{ return x * x; }\n"
static const char *later = "kernel void later(global float *a) { a[get_global_id(0)] = 0; }";
static const char types[] = "typedef float2 pair;\n#define FIRST(p) p.x\n";
static const char table[] = R"(
struct entry { float total; };
constant float weights[2] = {1, 2};
inline float weigh(pair p) { return FIRST(p) * weights[1]; }
)";
string Kernels::norm = Kernels::common + R"%%(
kernel void norm(global float *a, global const float2 *in, uint n)
{
    uint i = get_global_id(0);
    float scale = 1, total = 0;

    if (i < n)
        a[i] = square(weigh(in[i])) * scale + total * COUNT;
}
)%%";
const char *const many[] = {"kernel void one(global int *a) { a[get_global_id(0)] = 1; }",
                            "kernel void two(global int *a) { a[get_global_id(0)] = 2; }"};
END
init --from-cpp engine.cpp --kernel norm -o norm.ini --options "-D COUNT=4"
exits 0 "a kernel that needs strings"
ok "those that it needs are in front, in the order of the file" \
    "$(sources norm.ini)" = "common.cl SQUARE_SOURCE.cl types.cl table.cl norm.cl"
ok "a macro's string has all of its lines" "$(wc -l <SQUARE_SOURCE.cl)" = 2
ok "what is not needed is no file" "$(ls usage.cl format.cl 2>/dev/null)" = ""
valid norm.ini
run "$cltune" search norm.ini -d 0:1 -n 2 --rough
exits 0 "a search takes it"
init --from-cpp engine.cpp --kernel later
exits 0 "a kernel that needs none"
ok "has none" "$(sources engine.ini)" = later.cl
init --from-cpp engine.cpp --kernel two -o two.ini
exits 0 "strings of one variable"
ok "have numbers" "$(sources two.ini), $(grep -c one many.cl)" = "many_4.cl, 1"

# As CLBlast does: files that are one string each.
mkdir blas
printf '// For #include.\nR"(\n#ifndef REAL\n#define REAL float\n#endif\ntypedef REAL real;\n)"\n' >blas/common.opencl
printf 'R"(\nkernel void axpy(global real *y, global const real *x, uint n)\n{\n    uint i = get_global_id(0);\n    if (i < n) y[i] += TWICE(x[i]);\n}\n)"\n' >blas/axpy.opencl
echo '#define TWICE(x) (2 * (x))' >blas/twice.cl
mkdir tuned
init blas/common.opencl blas/twice.cl --from-cpp blas/axpy.opencl -o tuned/axpy.ini
exits 0 "files in front of a string"
ok "strings are files beside the space file, others stay" \
    "$(sources tuned/axpy.ini)" = "common_2.cl ../blas/twice.cl axpy_1.cl"
ok "and only they" "$(ls tuned | tr '\n' ' ')" = "axpy.ini axpy_1.cl common_2.cl "
valid tuned/axpy.ini
run "$cltune" search tuned/axpy.ini -d 0:1 -n 2 --rough
exits 0 "a search takes it, too"
init blas/twice.cl --from-cpp blas/axpy.opencl
ok "the C++ file gives its name" -e axpy.ini

# A definition in a file in front is in the place of a string's.
echo 'typedef float2 pair;' >pair.cl
printf '#define FIRST(p) p.y\n' >first.cl
init first.cl pair.cl --from-cpp engine.cpp --kernel norm -o front.ini --options "-D COUNT=4"
exits 0 "files in front of strings that are needed"
ok "are in the place of those that define the same" \
    "$(sources front.ini)" = "first.cl pair.cl common.cl SQUARE_SOURCE.cl table.cl norm.cl"
cat >more.cpp <<'END'
const char *a = "#define UNUSED 1\n";
const char *b = "#define TWICE(x) (2 * (x))\ntypedef float real;\n";
END
init more.cpp --from-cpp blas/axpy.opencl -o more.ini
exits 0 "a C++ file in front"
ok "gives the strings that are used" "$(sources more.ini)" = "b.cl axpy_1.cl"
init more.cpp --from-cpp engine.cpp --kernel later -o none.ini
exits 3 "of which nothing is used"
err_has "no string of more.cpp defines a name that the kernel of engine.cpp uses: leave the file out" "is said"
ok "nothing is left of it" "$(ls none.ini a.cl 2>/dev/null)" = ""
init absent.cl --from-cpp engine.cpp --kernel later -o none.ini
exits 2 "a file in front that is not there"
err_has "cannot read absent.cl" "is named"

# --- T1 ---
cat >copy.cl <<'END'
__kernel void copy(__global const float *in, __global float *out, int n, __local float2 *room)
{
    for (int i = get_global_id(0) * VEC; i < n && i < (get_global_id(0) + 1) * VEC; i++)
        out[i] = in[i];
    // STYLE UNROLL
}
END
cat >copy.json <<'END'
{"ConfigurationSpace": {
  "TuningParameters": [
    {"Name": "WG", "Type": "int", "Values": "[16, 32, 64]"},
    {"Name": "VEC", "Type": "int", "Values": [1, 2, 4]},
    {"Name": "UNROLL", "Type": "int", "Values": "range(1, 9, 2)"},
    {"Name": "STYLE", "Type": "string", "Values": "[\"plain\", 'fast']"}],
  "Conditions": [
    {"Parameters": ["WG", "VEC"], "Expression": "WG // VEC >= 8 and (WG % VEC == 0 or not VEC in (1, 2))"},
    {"Parameters": ["WG"], "Expression": "16 <= WG < 2 ** 7"},
    {"Parameters": ["WG"], "Expression": "WG / 3 > 5 if VEC > 1 else True"},
    {"Parameters": ["WG"], "Expression": "sum([WG]) > 3"}]},
 "KernelSpecification": {
  "Language": "OpenCL", "KernelName": "copy", "KernelFile": "copy.cl",
  "CompilerOptions": ["-cl-mad-enable", "-D WIDE"],
  "GlobalSize": {"X": "4096 // VEC // WG"}, "LocalSize": {"X": "WG"}, "GlobalSizeType": "CUDA",
  "Arguments": [
    {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Random",
     "FillValue": 2.5, "AccessType": "ReadOnly"},
    {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Generator",
     "DataSource": "i*0.1", "AccessType": "WriteOnly"},
    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096},
    {"Name": "room", "Type": "float2", "MemoryType": "Local", "Size": 16}]}}
END
init --from-t1 copy.json
exits 0 "a T1 description"
{
    sed -n '/^options/p' copy.ini
    sed -n '/^\[param/,/^$/p' copy.ini
    sed -n '/^\[constraint/,/^$/p' copy.ini
    sed -n '/^fill/p;/^check/p' copy.ini
    sed -n '/^args/,/^local/p' copy.ini
    sed -n '/^config/p' copy.ini
} >said
cat >expected <<'END'
options = -cl-mad-enable -D WIDE
[param]                                 ; each becomes -D NAME=value
WG     = 16, 32, 64
VEC    = 1, 2, 4
UNROLL = 1..9 - 1 step 2
STYLE  = 'plain', 'fast'

[constraint]
condition 1 = WG / VEC >= 8 && (WG % VEC == 0 || !(VEC == 1 || VEC == 2))
condition 2 = 16 <= WG && WG < 1 << 7
condition 3 = VEC > 1 ? float(WG) / 3 > 5 : on
; DECIDE: this condition could not be translated: write it by hand
; condition 4 = sum([WG]) > 3

fill    = uniform(0, 2.5)
fill    = uniform(0, 1)
check   = 1e-5
args    = in,
          out,
          int(4096),
          local(16 * 8)
global  = (4096 / VEC / WG) * (WG)
local   = WG
config  = WG=16 VEC=1 UNROLL=1 STYLE=plain
END
ok "says the same" "$(diff expected said)" = ""
valid copy.ini
run "$cltune" search copy.ini -d 0:1 -n 3 --rough
exits 0 "a search takes it"
run "$cltune" space copy.ini --count -q
ok "the space is that of Python" "$(cat "$out")" = "$(python3 -c '
print(sum(WG // VEC >= 8 and (WG % VEC == 0 or not VEC in (1, 2)) and 16 <= WG < 2 ** 7 and
    (WG / 3 > 5 if VEC > 1 else True)
    for WG in (16, 32, 64) for VEC in (1, 2, 4) for u in range(1, 9, 2) for s in "ab"))')"

# t1 NAME PROGRAM: copy.json, changed by jq.
t1() { jq "$2" copy.json >"$1.json"; }
t1 cuda '.KernelSpecification.Language = "CUDA"'
init --from-t1 cuda.json
exits 2 "a kernel in CUDA"
err_has "its kernel is CUDA: name a file with the kernel in OpenCL" "is no kernel of ours"
init copy.cl --from-t1 cuda.json -o cuda.ini
exits 0 "but one in OpenCL may be named"
t1 fileless 'del(.KernelSpecification.KernelFile)'
init --from-t1 fileless.json
exits 2 "no file"
err_has "names no KernelFile" "is said"
t1 sizeless 'del(.KernelSpecification.GlobalSize)'
init --from-t1 sizeless.json
exits 2 "no launch"
err_has "sizeless.json has no GlobalSize" "is said"
t1 short 'del(.KernelSpecification.Arguments[3])'
init --from-t1 short.json
exits 2 "an argument too few"
err_has "has 3 arguments, but kernel copy takes 4" "is counted"
t1 strange '.KernelSpecification.Arguments[2].MemoryType = "Symbol"'
init --from-t1 strange.json
exits 2 "an argument of a strange kind"
err_has "argument 'n' with MemoryType 'Symbol' and Type 'int32' is not supported" "is named"
t1 values '.ConfigurationSpace.TuningParameters[0].Values = "[x for x in range(3)]"'
init --from-t1 values.json
exits 2 "values that are a program"
err_has "the values of parameter 'WG' cannot be translated: [x for x in range(3)]" "are shown"
t1 line '.ConfigurationSpace.TuningParameters[0].Name = "WG\n[reference]\nc"'
init --from-t1 line.json
exits 2 "a name that would be lines of the space file"
err_has "parameter name 'WG\\x0a[reference]\\x0ac' is not a name: use letters, digits and _" "is refused"
t1 size '.KernelSpecification.GlobalSize.X = "lambda: 4"'
init --from-t1 size.json
exits 2 "a size that is a program"
err_has "size 'lambda: 4' cannot be translated" "is shown"
t1 empty 'del(.KernelSpecification.Arguments[0].Size)'
init --from-t1 empty.json
exits 2 "a buffer without a size"
err_has "argument 'in' has no Size" "is named"
echo '{"a": [1,}' >broken.json
init --from-t1 broken.json
exits 2 "no JSON"
err_has "broken.json:1:" "has its line"
echo '{}' >none.json
init --from-t1 none.json
exits 2 "no T1"
err_has "none.json is no T1 description" "is said"
done_testing
