#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune repro: what it writes compiles without warnings and does what cltune did.
. "$(dirname "$0")/lib.sh"
if ! printf '#include <CL/cl.h>\nint main(void){cl_uint n;return clGetPlatformIDs(0,0,&n);}\n' |
    ${CC:-cc} -DCL_TARGET_OPENCL_VERSION=120 -x c - -o "$work/probe" -lOpenCL 2>/dev/null; then
    echo "1..0 # SKIP no OpenCL headers, or no loader to link"
    exit 0
fi
compile="${CC:-cc} -Wall -Wextra -Werror -std=c11"

# One kernel with a fault of each kind.  Its text, its header's and their names are hostile to C.
mkdir "$work/space" && cd "$work/space" || exit 1
cat >odd.h <<'END'
#pragma once
/* "??/" and \" and ends: */ // " \\ ??/ .
#define TWICE(x) ((x) + (x)) // é ­
END
cat >'ker"nel??.cl' <<'END'
#include "odd.h"
#include "odd.h"
/* "%s %n ??/ */ // \" '"'
constant char text[] = "\"?\\%d";
#if FAULT == 1
#error "this \"configuration\" ??/ does not build %s"
#endif
kernel void twice(global const float *in, global float *out, uint n)
{
    uint i = get_global_id(0);
#if FAULT == 3
    *(volatile global int *)(in[0] > 2 ? (global int *)out : (global int *)0) = 1;
#endif
    if (i < n)
        out[i] = FAULT == 2 && i == 7 ? -1.0f : TWICE(in[i]) * (text[1] == '?' ? 1.0f : 0.0f);
#if FAULT == 4
    if (i == 0)
        out[n] = 1;
#endif
}
END
cat >twice.c <<'END'
void twice_reference(const float *in, float *out, unsigned n);
void twice_reference(const float *in, float *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 2 * in[i];
}
END
cat >twice.ini <<'END'
[kernel]
name = twice
source = ker"nel??.cl

[problem]
n = 1000

[param]
FAULT = 0..4
WG = 1, 8

[buffer in]
type = float
count = n
fill = normal(0, 1)

[buffer out]
type = float
count = n
check = 1e-6

[launch twice]
kernel = twice
args = in, out, uint(n)
global = n
local = WG

[reference]
c = twice.c
function = twice_reference
args = in, out, uint(n)
END
run "$cltune" repro twice.ini -d 0:0
exits 3 "before a search there is no best"
err_has "no best to reproduce (search first, or use --config)" "and cltune says what to do"
run "$cltune" search twice.ini -d 0:0 -q --rough --param FAULT=0
run "$cltune" repro twice.ini -d 0:0
exits 0 "the best of a space file"
out_has "repro.c: ok" "is in repro.c"
ok "the head names the kernel" "$(grep -c '^// kernel *"twice"' repro.c)" = 1
ok "and a path of this machine is nowhere" "$(grep -c "$work" repro.c)" = 0
run $compile repro.c -o ok -lOpenCL -lm
exits 0 "it compiles without a warning"
run ./ok
exits 0 "runs"
out_has "output as expected" "and has the expected output"
ok "it prints its time" "$(grep -c '^time .* (median of 10 samples of' "$out")" = 1
ok "beside cltune's, now and stored" "$(grep -c '^cltune .* when this file was written; stored: ' "$out")" = 1
run ./ok 7:7
exits 2 "a device that is not here"
err_has "the device is not here: 7:7" "is named"
run "$cltune" repro twice.ini -d 0:0
exits 2 "an existing file"
err_has "repro.c exists already: choose another name with -o, or remove it" "stays"
run "$cltune" repro twice -o stored.c -d 0:0
exits 0 "the stored best of a kernel"
ok "is the same program" "$(grep -v '^// \|now_ns\|_runs' stored.c | cksum)" = "$(grep -v '^// \|now_ns\|_runs' repro.c | cksum)"

# What fails is reproduced, too.
try() {
    run "$cltune" repro twice.ini -d 0:0 --config "$2" -o "$1.c" -q
    exits 0 "$1: cltune writes a program"
    run $compile "$1.c" -o "$1" -lOpenCL -lm
    exits 0 "$1: which compiles"
    run "./$1"
}
try wrong 'FAULT=2 WG=8'
exits 0 "a wrong configuration"
out_has "wrong     out: scalar 7 is -1 instead of" "has the wrong value"
out_has "output is wrong, as with cltune" "and is wrong as before"
try build FAULT=1
exits 0 "one that does not build"
out_has "status    build_failed; cltune: build_failed: as with cltune" "fails to"
ok "the head has the compiler's words" "$(grep -c '^// *.*this .*configuration.* does not build' build.c)" -ge 1
try outside FAULT=4
exits 0 "one that writes outside its buffer"
out_has "something was written outside buffer out" "does"
try crash FAULT=3
ok "one that crashes does" "$status" -ge 128
ok "and the head says so" "$(grep -c '^// status *"crashed"' crash.c)" = 1
# The status has to be the same.
sed 's/TWICE(in\[i\])/TWICE(in[i]) * 1.5f/' repro.c >other.c
run $compile other.c -o other -lOpenCL -lm
run ./other
exits 1 "another kernel"
out_has "output is wrong, unlike with cltune" "is not as expected"

# By index, in the order of `cltune space --list`.
run "$cltune" space twice.ini -d 0:0 --index 5
config=$(tail -1 "$out")
run "$cltune" repro twice.ini -d 0:0 --config 5 -o index.c -q
exits 0 "a configuration by its index"
ok "is that of cltune space" "$(grep -c "^// configuration *\"$config\"" index.c)" = 1
run "$cltune" repro twice.ini -d 0:0 --config 10 -o none.c
exits 2 "an index beyond the end"
err_has "--config 10: the space has 10 configurations" "is refused"

run "$cltune" repro twice.ini FAULT=1
exits 2 "a configuration is no operand"
err_has "unexpected argument 'FAULT=1': use --config for a configuration" "cltune says which option it is"
run "$cltune" repro twice.ini --json
exits 2 "no JSON"
err_has "--json is not supported here" "is printed"
run "$cltune" search twice.ini -d 0:0 -q --rough --param FAULT=0 -p n=500
run "$cltune" repro twice -d 0:0 -o several.c
exits 2 "results of two problems"
err_has "several results match, such as twice {\"n\":1000} and twice {\"n\":500}: name one with KERNEL, -d and -p" \
    "are listed"
run "$cltune" repro twice -d 0:0 -p n=500 -o one.c
exits 0 "-p names one"
ok "which is in the program" "$(grep -c '^// problem *"n=500"' one.c)" = 1

# Loops of launches with buffers that are swapped; images and samplers; a data file; a sum.
pair() {
    name=$1
    shift
    run "$cltune" repro "$@" -d 0:0 --config '' -o "$name.c" -q
    exits 0 "$name"
    run $compile "$name.c" -o "$name" -lOpenCL -lm
    exits 0 "$name compiles"
    run "./$name"
    exits 0 "$name runs"
    out_has "output as expected" "$name is right"
    ok "$name has the same input" "$(grep -c '^input' "$out")" = 0
}
pair stencil "$root/examples/stencil/stencil.ini" -p width=64 -p height=32 -p steps=5
pair filter "$root/examples/filter/filter.ini" -p width=64 -p height=64
pair reduction "$root/examples/reduction/reduction.ini" -p n=65536

run "$cltune" repro "$root/examples/program/program.ini" --config '' -o program.c
exits 2 "a program is no kernel"
err_has "[program] is not supported: its commands run without cltune; 'cltune space $root/examples/program/program.ini --explain' prints them" \
    "says what does"

# Cold caches and transfers, with buffers, images and a reduction.
transfers() {
    ok "$1: transfers beside cltune's" \
        "$(grep -A1 "^transfers .* (median of $2 samples" "$out" | grep -c '^cltune .* when this file was written')" = 1
}
cold() {
    program=$1
    pair "$@" --cache cold --objective end_to_end --samples 3
    copies=$(sed -n 's/^.*Timed with cold caches: \([0-9]*\) copies.*/\1/p' "$program.c")
    ok "$program: as many copies as in cltune" "${copies:-0}" -gt 1
    # 3 samples and one to warm up, of both kinds.
    turns=$(sed -n "s/^caches *cold: $copies copies of the buffers took \([0-9]*\) turns/\1/p" "$out")
    ok "$program: take turns" "${turns:-0}" -ge 8
    transfers "$program" 3
}
cold cold-twice twice.ini -p n=1000000
cold cold-filter "$root/examples/filter/filter.ini" -p width=512 -p height=512
pair sent-reduction "$root/examples/reduction/reduction.ini" -p n=65536 --objective end_to_end
transfers sent-reduction 10
sed 's/^fill = normal.*/&\ntransfer = map/; s/^check = .*/&\ntransfer = host/' twice.ini >mapped.ini
pair mapped mapped.ini --objective end_to_end
ok "mapped buffers are transferred, too" "$(grep -c '^transfers' "$out")" = 1
ok "but not cold" "$(grep -c '^caches' "$out")" = 0

# Check functions of C are a part of the program, whatever their files define, and verify as with cltune.
cat >own.h <<'END'
#pragma once
struct buffer { float limit; };
#define check(x) (x)
END
cat >own.c <<'END'
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include "own.h"
#include "own.h"
#define GUARD 3
enum { CHAR, LAUNCH_KERNEL = 7 };
static float contents[1], *queue = contents;
static int stop(int x) { return x + GUARD; }
static int measure(int unused) { return 1; }
uint64_t near(const float *x, const float *truth, uint64_t count, float limit);
uint64_t near(const float *x, const float *truth, uint64_t count, float limit)
{
    struct buffer buffers = {limit};
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < count; i++)
        wrong += fabsf(x[i] - truth[i]) > check(buffers.limit) + *queue + (float)stop(CHAR - GUARD);
    return wrong;
}
END
sed 's/^check = .*/check = c(own.c, near, float(0.1))/' twice.ini >own.ini
pair checked own.ini
ok "its file is named, its folder is not" "$(grep -c '^#line 1 "own.c"' checked.c)" = 1 -a "$(grep -c "$work" checked.c)" = 0
# changed NAME SED: checked.c with another kernel.
changed() {
    sed "$2" checked.c >"$1.c"
    run $compile "$1.c" -o "$1" -lOpenCL -lm
    exits 0 "$1 compiles"
    run "./$1"
}
changed near 's/TWICE(in\[i\])/TWICE(in[i]) * 1.001f/'
exits 0 "other bits are right if the function says so"
out_has "output as expected, within the tolerance" "as with cltune"
changed far 's/FAULT == 2 .. i == 7/i == 7 || i == 9/'
exits 1 "or wrong"
out_has "wrong     out: 2 of 1000 elements, by its check function" "with their number"
pair large own.ini -p n=100000
ok "what it expects of a large buffer is a file" "$(wc -c <large.out.expected.bin)" = 400000
ok "which the head names" "$(grep -c '^// reads  *"large.out.expected.bin"' large.c)" = 1
run "$cltune" repro own.ini -d 0:0 --config FAULT=3 -o lost.c -q
ok "nothing is expected of a crash" "$(grep -c '^// Buffer out is not checked: what its check function expects is not known' lost.c)" = 1
run $compile lost.c -o lost -lOpenCL -lm
exits 0 "which compiles"

# Vectors of three, two files that define the same, a file for two buffers, and values of all kinds.
cat >three.cl <<'END'
kernel void three(global const float3 *in, global float3 *a, global ushort *b, global float *c)
{
    uint i = get_global_id(0);

    a[i] = in[i];
    b[i] = (ushort)i;
    c[i] = in[i].z;
}
END
cat >three.c <<'END'
#include <stdint.h>
#include <string.h>
struct limits { int low; double high; };
static int helper(const float *x, const float *y) { return memcmp(x, y, 3 * sizeof(*x)) != 0; }
uint64_t threes(const float *x, const float *r, uint64_t n, const float *scale)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < n; i++)
        wrong += helper(x + 4 * i, r + 4 * i) || scale[2] != 3;
    return wrong;
}
uint64_t limited(const float *x, const float *r, uint64_t n, const struct limits *limits)
{
    return n != 64 || limits->low != -2 || limits->high != 0.5 || memcmp(x, r, n * sizeof(*x)) != 0;
}
END
cat >other.c <<'END'
#include <stdint.h>
static int helper(int x) { return x; }
uint64_t shorts(const uint16_t *x, const uint16_t *r, uint64_t n) { return helper(x[n - 1] != r[n - 1]); }
void reference(const float *in, float *a, uint16_t *b, float *c);
void reference(const float *in, float *a, uint16_t *b, float *c)
{
    for (int i = 0; i < 64; i++) {
        for (int k = 0; k < 3; k++)
            a[4 * i + k] = in[4 * i + k];
        b[i] = (uint16_t)i;
        c[i] = in[4 * i + 2];
    }
}
END
{
    printf '[kernel]\nname = three\nsource = three.cl\n[param]\nWG = 8\n'
    buffer() { printf '[buffer %s]\ntype = %s\ncount = 64\n%s\n' "$@"; }
    buffer in float3 'fill = normal(0, 1)'
    buffer a float3 'check = c(three.c, threes, float3(1, 2, 3))'
    buffer b ushort 'check = c(other.c, shorts)'
    buffer c float 'check = c(three.c, limited, struct(int(-2), double(0.5)))'
    printf '[launch three]\nkernel = three\nargs = in, a, b, c\nglobal = 64\nlocal = WG\n'
    printf '[reference]\nc = other.c\nfunction = reference\nargs = in, a, b, c\n'
} >three.ini
pair vectors three.ini
sed 's/c\[i\] = in\[i\]\.z/if (i) &/' vectors.c >without.c
run $compile without.c -o without -lOpenCL -lm
run ./without
exits 1 "what one of them refuses is wrong"
out_has "wrong     c: 1 of 64 elements, by its check function" "and it alone"
done_testing
