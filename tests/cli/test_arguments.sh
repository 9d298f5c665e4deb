#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arguments that real kernels take: structures by value, bytes, null, vectors with components of
# their own; a value of the wrong size is an error before anything runs.
. "$(dirname "$0")/lib.sh"
mkdir "$work/k"
cat >"$work/k/args.cl" <<'END'
typedef struct { uchar tag; long dims[4]; float scale; } inner_t;
typedef struct { float a; inner_t inner; float3 v; short last; } outer_t;
typedef float real;

__kernel void f(__global float *out, __global const float *offset, outer_t s, real r, float4 v)
{
    uint i = get_global_id(0);
    float x = s.a + s.inner.tag + s.inner.scale + s.v.x + 10 * s.v.y + 100 * s.v.z + s.last + r +
              v.x + 2 * v.y + 3 * v.z + 4 * v.w;

    for (int d = 0; d < 4; d++)
        x += s.inner.dims[d] * (d + 1);
    if (i < 64)
        out[i] = x + (offset ? offset[i] : 0);
}

/* The layout of a struct of OpenCL is that of C. */
__kernel void size(__global uint *out, outer_t s)
{
    out[get_global_id(0)] = get_global_id(0) ? s.last : sizeof(outer_t);
}
END
cat >"$work/k/args.c" <<'END'
#include <stddef.h>
#include <stdint.h>
struct inner { unsigned char tag; int64_t dims[4]; float scale; };
struct outer { float a; struct inner inner; float v[4] __attribute__((aligned(16))); short last; };
void truth(float *out, const void *offset, const void *record, float r, const float *v)
{
    const struct outer *s = record;
    float x = s->a + s->inner.tag + s->inner.scale + s->v[0] + 10 * s->v[1] + 100 * s->v[2] +
              s->last + r + v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
    for (int d = 0; d < 4; d++)
        x += (float)(s->inner.dims[d] * (d + 1));
    for (int i = 0; i < 64; i++)
        out[i] = offset ? -1 : x;
}
END
record='struct(float(1.5), struct(uchar(7), long(1, 2, 3, N), float(0.25)), float3(1, 2, 3), short(-9))'
# space RECORD REAL VECTOR [OFFSET]
space() {
    cat >"$work/k/args.ini" <<END
[kernel]
name = args
source = args.cl
[problem]
N = 4
[param]
WG = 8, 16
[buffer out]
type = float
count = 64
check = exact
[launch f]
kernel = f
args = out, ${4-null}, $1, $2, $3
global = 64
local = WG
[reference]
c = args.c
function = truth
args = out, null, $record, float(0.5), float4(1, 2, 3, 4)
END
}

space "$record" 'float(0.5)' 'float4(1, 2, 3, N)'
run "$cltune" run "$work/k/args.ini"
exits 0 "a struct, null, and a vector with components of its own"
out_has "ok" "are what the kernel and the reference see"
run "$cltune" run "$work/k/args.ini" -p N=5
exits 1 "a member follows a name of the problem"
out_has "wrong" "and the reference has another vector then"
run "$cltune" space "$work/k/args.ini" --explain
out_has "float4(1, 2, 3, 4)" "--explain shows components"
out_has "96 bytes" "and the size of the struct"
out_has "null" "and null"

# --- bytes ---
space "bytes('0000c03f 00000000 0700000000000000'
    '0100000000000000 0200000000000000 0300000000000000 0400000000000000 0000803e00000000')" \
    'float(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" run "$work/k/args.ini"
exits 2 "bytes of another size than the struct's"
err_has "launch f: argument 3 of kernel f is of type outer_t, whose size is 96 bytes, but 'args' passes 56 bytes" \
    "are an error that names both sizes"
space "bytes('0000c03f 00000000 0700000000000000 0100000000000000 0200000000000000 0300000000000000 0400000000000000 0000803e 00000000 0000000000000000 0000803f 00000040 00004040 00000000 f7ff 0000000000000000000000000000' )" 'float(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" run "$work/k/args.ini"
out_has "ok" "bytes of a struct, written out"

# --- wrong sizes ---
space "ulong16(0)" 'float(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" search "$work/k/args.ini" -q
exits 2 "a vector for a struct"
err_has "is of type outer_t, whose size is 96 bytes, but 'args' passes 128 bytes" "is an error of its size"
space "$record" 'double(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" run "$work/k/args.ini"
exits 2 "a double for a typedef of float"
err_has "argument 4 of kernel f is of type real, whose size is 4 bytes, but 'args' passes 8 bytes" "too"
space "struct(float(1), long(2))" 'float(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" run "$work/k/args.ini"
err_has "passes 16 bytes" "a struct is padded for its members"
space "$record" 'float(0.5)' "struct(float(1), float(2))"
run "$cltune" run "$work/k/args.ini"
exits 2 "a struct for a vector"
err_has "argument 5 of kernel f is \`float4 v\`, but 'args' passes 8 bytes by value" "is an error of its type"
space "null" 'float(0.5)' 'float4(1, 2, 3, 4)'
run "$cltune" run "$work/k/args.ini"
exits 2 "null for a struct"
err_has "argument 3 of kernel f is \`outer_t s\`, but 'args' passes null" "is an error"

# --- what is refused when the file is read ---
# refused ARGS MESSAGE
refused() {
    space "$record" 'float(0.5)' "$1"
    run "$cltune" space "$work/k/args.ini" --check
    exits 2 "$1"
    err_has "$2" "is explained"
}
refused 'float4(1, 2)' "float4 takes one value, which all components get, or 4, not 2"
refused 'float(1, 2)' "float takes one value, not 2; several belong to a vector such as float4(...) or to an array in struct(...)"
refused 'struct()' "a member of the struct is missing here"
refused 'struct(float(1),, float(2))' "a member of the struct is missing here"
refused 'struct(out)' "a member of a struct is type(expression), struct(...) or bytes('...'), not 'out'"
refused 'struct(local(4))' "a struct has no local memory"
refused 'struct(sampler())' "a struct has no samplers"
refused "bytes('0g')" "bytes(...) has two hexadecimal digits for each byte"
refused "bytes('012')" "the last byte of bytes(...) has one digit, not two"
refused "bytes('')" "write bytes as hexadecimal digits in quotes: bytes('00 ff 1c')"
refused "bytes(12)" "write bytes as hexadecimal digits in quotes: bytes('00 ff 1c')"
big=$(printf '%020000d' 0)
refused "struct(bytes('$big' '$big' '$big' '$big' '$big' '$big' '$big'))" "argument 5 has more than 65536 bytes"
refused 'strct(float(1))' "'strct' is not an OpenCL type; did you mean 'struct'?"
refused 'float4(1, 2, 3, WG / 0)' "division by zero"

done_testing
