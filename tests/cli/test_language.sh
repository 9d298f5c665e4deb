#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What real kernels need of the language: arguments of fills in C, seeds, texts as sizes, macros
# without a value, several parameters that go together.
. "$(dirname "$0")/lib.sh"
mkdir "$work/k"
cat >"$work/k/k.cl" <<'END'
#ifndef BARE
#error BARE is not defined
#endif
#define TWICE(x) x x
__kernel void f(__global const float *in, __global float *out)
{
    BARE int i = get_global_id(0);
    out[i] = in[i] + MODE_IS_FAST;
}
END
cat >"$work/k/fill.c" <<'END'
#include <stdint.h>
#include <string.h>
struct more { int32_t a; double b; };
void make(float *array, uint64_t count, uint32_t n, const void *more, const char *name, float x)
{
    const struct more *m = more;
    for (uint64_t i = 0; i < count; i++)
        array[i] = (float)n + (float)m->a + (float)m->b + x + (float)strlen(name);
}
END
cat >"$work/k/k.ini" <<'END'
[kernel]
name = k
source = k.cl
[problem]
n = 64
mode = 'fast'
[param]
WG = 8, 16
[define]
BARE =
MODE_IS_FAST = mode == 'fast'
[buffer in]
type = float
count = n
fill = c(fill.c, make, uint(n), struct(int(10), double(0.5)), name, float(0.25))
[buffer out]
type = float
count = n
check = exact
expect = constant(n + 10 + 0.5 + 0.25 + 2 + (mode == 'fast'))
[launch f]
kernel = f
args = in, out
global = n
local = WG
END
run "$cltune" run "$work/k/k.ini"
exits 0 "a fill in C with sizes, a structure and the buffer's name"
out_has "status   ok" "and a macro without a value"
run "$cltune" run "$work/k/k.ini" -p mode=slow -p n=128
exits 0 "another text as a size"
out_has "status   ok" "is a size"
run "$cltune" search "$work/k/k.ini" -j 1 --rough -q
exits 0 "a search"
run "$cltune" search "$work/k/k.ini" -j 1 --rough -q -p mode=slow
exits 0 "for two texts"
run "$cltune" best k --json
ok "stores two problems" "$(jq -c '[.[].problem.mode]' "$out")" = '["fast","slow"]'
run "$cltune" best k -p mode=slow --json
ok "and finds each" "$(jq -c '[.[].problem.mode]' "$out")" = '["slow"]'
run "$cltune" space "$work/k/k.ini" --explain
out_has "macro     BARE=" "--explain shows the macro"

# --- mistakes ---
# mistake FROM TO MESSAGE
mistake() {
    sed "s/$1/$2/" "$work/k/k.ini" >"$work/k/bad.ini"
    run "$cltune" space "$work/k/bad.ini" --check
    exits 2 "$2"
    err_has "$3" "is explained"
}
mistake ', name,' ', n,' "further arguments of a fill in C are type(expression), struct(...), bytes('...') or name"
mistake 'uint(n)' 'uint(n, 2)' "several values need struct(...) around them"
mistake 'uint(n)' 'local(n)' "a struct has no local memory"
sed 's/, name, float(0.25))/)/' "$work/k/k.ini" >"$work/k/bad.ini"
run "$cltune" run "$work/k/bad.ini"
exits 2 "too few arguments for the function"
err_has "too few arguments" "is the compiler's error"

# --- seeds ---
cat >"$work/k/seed.ini" <<'END'
[kernel]
name = seed
source = seed.cl
[problem]
same = 5
[param]
WG = 8
[buffer a]
type = float
count = 64
fill = uniform(-1, 1, 5)
[buffer b]
type = float
count = 64
fill = uniform(-1, 1, same)
[buffer out]
type = float
count = 64
check = exact
expect = zero
[launch f]
kernel = f
args = a, b, out
global = 64
local = WG
END
cat >"$work/k/seed.cl" <<'END'
__kernel void f(__global const float *a, __global const float *b, __global float *out)
{
    out[get_global_id(0)] = a[get_global_id(0)] - b[get_global_id(0)];
}
END
run "$cltune" run "$work/k/seed.ini"
exits 0 "the same seed"
out_has "status   ok" "gives the same numbers"
run "$cltune" run "$work/k/seed.ini" -p same=6
exits 1 "another seed"
out_has "status   wrong" "gives others"
run "$cltune" run "$work/k/seed.ini" -p same=0.5
exits 2 "a seed that is no integer"
err_has "seed" "is an error"

# --- parameters that go together ---
cat >"$work/k/tuple.ini" <<'END'
[problem]
n = 4
[param]
A = 1, 2
(WGX, WGY, KIND) = (8, 8, 'a'), (16, 4, 'b'),
    (16, n - 2, 'a')
[constraint]
small = WGX * WGY <= 64
END
run "$cltune" space "$work/k/tuple.ini" --list
exits 0 "a list of triples"
ok "is the space" "$(sed 's/^ *//' "$out" | sort | tr '\n' ';')" = \
    "A=1 WGX=16 WGY=2 KIND=a;A=1 WGX=16 WGY=4 KIND=b;A=1 WGX=8 WGY=8 KIND=a;A=2 WGX=16 WGY=2 KIND=a;A=2 WGX=16 WGY=4 KIND=b;A=2 WGX=8 WGY=8 KIND=a;"
run "$cltune" space "$work/k/tuple.ini" --explain
out_has "configuration A=1 WGX=8 WGY=8 KIND=a" "the first one is the default"
# tuple LINE: it is refused
tuple() {
    sed "s/^(WGX.*/$1/; /^ *(16, n/d" "$work/k/tuple.ini" >"$work/k/bad.ini"
    run "$cltune" space "$work/k/bad.ini" --check
    exits 2 "$1"
    err_has "bad.ini:5:1: error: parameters that go together are written (X, Y) = (8, 8), (16, 4)" "is explained"
}
tuple "(WGX, WGY) = (8, 8), (16)"
tuple "(WGX, WGY) = (8, 8), 16, 4"
tuple "(WGX, WGY) = (8, 8, 8)"
tuple "(WGX, WGY) = (8, )"
tuple "(WGX) = (8), (16)"
tuple "(WGX, 3) = (8, 8)"
tuple "(WGX, WGY = (8, 8)"
sed "s/n - 2/nix - 2/" "$work/k/tuple.ini" >"$work/k/bad.ini"
run "$cltune" space "$work/k/bad.ini" --check
err_has "bad.ini:6:10: error: unknown name 'nix'" "a mistake in a value has its place"

# --- a comparison of the user's own ---
cat >"$work/k/own.c" <<'END'
#include <math.h>
#include <stdint.h>
uint64_t angles(const float *x, const float *truth, uint64_t count, float limit)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++)
        wrong += fabsf(remainderf(x[i] - truth[i], 360)) > limit;
    return wrong;
}
void nothing(const float *x, const float *truth, uint64_t count) { (void)x; (void)truth; (void)count; }
END
cat >"$work/k/own.cl" <<'END'
__kernel void f(__global float *out)
{
    int i = get_global_id(0);
    out[i] = 30 + 360.0f * TURNS + (i >= 60 ? OFF : 0);
}
END
cat >"$work/k/own.ini" <<'END'
[kernel]
name = own
source = own.cl
[param]
TURNS = 0, 2
OFF = 0, 5
[buffer out]
type = float
count = 64
check = c(own.c, angles, float(1))
expect = constant(30)
[launch f]
kernel = f
args = out
global = 64
END
run "$cltune" run "$work/k/own.ini" TURNS=2
exits 0 "values that a function of the user's takes for equal"
out_has "status   ok" "are right"
run "$cltune" run "$work/k/own.ini" TURNS=0 OFF=5
exits 1 "values that it does not"
out_has "out[60] is 35 instead of 30 (4 of 64 values are wrong)" "are wrong, as many as it says"
sed 's/float(1)/float(6)/' "$work/k/own.ini" >"$work/k/wide.ini"
run "$cltune" run "$work/k/wide.ini" TURNS=0 OFF=5
exits 0 "its arguments decide"
run "$cltune" search "$work/k/own.ini" -j 1 --rough -q
exits 0 "a search with it"
out_has "2 ok, 2 wrong" "has both"
run "$cltune" space "$work/k/own.ini" --explain
out_has "64, angles()" "--explain shows it"
# own FROM TO MESSAGE: a run is refused
own() {
    sed "s/$1/$2/" "$work/k/own.ini" >"$work/k/bad.ini"
    run "$cltune" run "$work/k/bad.ini"
    exits 2 "a check without '$1'"
    err_has "$3" "is explained"
}
own 'angles, float(1)' 'nothing' "void"
own 'angles, float(1)' 'angles' "too few arguments"
own 'own.c,' 'gone.c,' "cannot read 'gone.c'"
# A function that fails says nothing about the configuration.
sed 's/uint64_t wrong = 0;/uint64_t wrong = *(volatile int *)(uintptr_t)(count - 64);/' "$work/k/own.c" >"$work/k/crash.c"
sed 's/own\.c,/crash.c,/' "$work/k/own.ini" >"$work/k/bad.ini"
run "$cltune" run "$work/k/bad.ini"
exits 2 "a comparison that crashes"
err_has "the check angles of buffer out in $work/k/crash.c crashed" "is named"
own '^expect' 'fold = sum\nexpect' "[buffer out] has 'fold', but a function in C compares all elements"

done_testing
