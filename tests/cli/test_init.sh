#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune init on PoCL: a search takes what it writes as it is, and trials correct what it guesses.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# searched FILE: a search takes it unedited, and its default is right.
searched() {
    run "$cltune" search "$1" -n 3 --rough -j 1
    exits 0 "a search takes $1 unedited"
    out_has "3 evaluated now" "and measures"
}
# runs FILE: its default configuration does.
runs() {
    run "$cltune" run "$1"
    exits 0 "the default of $1 runs"
}

cat >scale.cl <<'END'
__kernel void scale(__global const float *in, __global float *out, float factor, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        out[i] = factor * in[i];
}
END
run "$cltune" init scale.cl --size 64K
exits 0 "a kernel without macros"
out_has "the default configuration runs in" "was run"
searched scale.ini
ok "nothing of the search is wrong" "$(grep -c '3 ok' "$out")" = 1

# Names that only the compiler knows to be missing, one of them pasted to a type; local memory.
cat >tiles.cl <<'END'
#define JOIN(a, b) a##b
#define TYPE(type, width) JOIN(type, width)
#define TILE 16
ATTRIBUTES float same(float x) { return x; }
ENTRY_KERNEL void tiles(__global const TYPE(float, WIDTHS) *in, __global TYPE(float, WIDTHS) *out)
{
    __local real tile[TILE][TILE];
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    size_t at = y * get_global_size(0) + x;

    tile[get_local_id(1)][get_local_id(0)] = FACTOR;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = in[at] * (real)tile[get_local_id(1)][0];
}
END
run "$cltune" init tiles.cl --size 128x64
exits 0 "a kernel with macros that nothing defines"
ok "a value" "$(grep -c '^FACTOR *= 1' tiles.ini)" = 1
ok "a type" "$(grep -c "^real *= 'float'" tiles.ini)" = 1
ok "what stands in front of a type" "$(grep -c '^ATTRIBUTES *= *$' tiles.ini)" = 1
ok "a word for a kernel" "$(grep -c "^ENTRY_KERNEL *= '__kernel'" tiles.ini)" = 1
ok "a part of a type's name" "$(grep -c '^WIDTHS *= 4, 2, 8, 16' tiles.ini)" = 1
searched tiles.ini

# --- what trials find ---
# Each work-item reads and writes four elements.
cat >wide.cl <<'END'
__kernel void wide(__global const float *in, __global float *out)
{
    vstore4(2 * vload4(get_global_id(0), in), get_global_id(0), out);
}
END
run "$cltune" init wide.cl --size 64K
ok "buffers are larger" "$(grep -c '^count *= 4 \* size' wide.ini)" = 2
runs wide.ini
cat >pairs.cl <<'END'
__kernel void pairs(__global const float *a, __global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * a[k];
    out[i * n + i] = sum;
}
END
run "$cltune" init pairs.cl
exits 0 "a kernel with a row of a matrix for each work-item"
out_has "the default configuration runs in" "gets a size that it can do"
ok "and a matrix" "$(grep -c '^count *= 16 \* size \* size' pairs.ini)" = 2
cat >racing.cl <<'END'
__kernel void racing(__global ulong *out)
{
    out[get_global_id(0)] = __builtin_readcyclecounter();
}
END
run "$cltune" init racing.cl --size 64
exits 0 "a kernel that gives something else each time"
ok "is not compared" "$(grep -c '^check' racing.ini)" = 0
ok "which is said" "$(grep -c 'DECIDE: nothing is compared, because two runs differ' racing.ini)" = 1
runs racing.ini
cat >lost.cl <<'END'
__kernel void lost(__global float *out, long n)
{
    out[n == 0 ? 0 : (n << 40)] = 1;
}
END
run "$cltune" init lost.cl --size 64
exits 0 "a kernel that crashes whatever is guessed"
out_has "the default configuration fails" "is written all the same"
ok "and says so" "$(grep -c 'DECIDE: the default configuration fails: .*SIGSEGV' lost.ini)" = 1
run "$cltune" space lost.ini --check
exits 0 "as a valid file"

cat >image.cl <<'END'
__kernel void image(read_only image2d_t in, write_only image2d_t out, sampler_t s)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));

    write_imageui(out, p, read_imageui(in, s, p));
}
END
run "$cltune" init image.cl --size 64
exits 0 "images"
ok "their format follows from their use" "$(grep -c '^format *= CL_RGBA CL_UNSIGNED_INT8' image.ini)" = 2
runs image.ini

# --- what does not compile ---
echo '__kernel void broken(__global float *a) { a[0] = ; }' >broken.cl
run "$cltune" init broken.cl
exits 1 "a mistake in the kernel"
err_has "broken.cl does not compile for" "is named"
err_has "expected expression" "in the compiler's words"
err_has '--options "-D WIDTH=16 -I include"' "with what may help"
ok "nothing is written" ! -e broken.ini
printf '#include "part.h"\n__kernel void parts(__global int *o) { o[get_global_id(0)] = PART; }\n' >parts.cl
mkdir headers
echo '#define PART 7' >headers/part.h
run "$cltune" init parts.cl
exits 1 "a header that is not there"
run "$cltune" init parts.cl --size 64 --options "-I headers -D OTHER -cl-mad-enable"
exits 0 "is found with --options"
ok "the file names the folder" "$(sed -n 's/^include *= //p' parts.ini)" = headers
ok "and the options" "$(sed -n 's/^options *= //p' parts.ini)" = "-D OTHER -cl-mad-enable"
runs parts.ini

# --- several files ---
mkdir lib
cat >lib/common.cl <<'END'
#ifndef TILE
#define TILE 4
#endif
#define VEC 2
#ifdef LIB_FAST
#endif
#include "own.h"
inline float twice(float x) { return x * TWO; }
END
echo '#define TWO 2' >lib/own.h
printf '%s' '// The last line has no end.
#define UNROLL 2
kernel void twice_all(global const float *in, global float *out, uint n)
{
    for (uint i = 0; i < TILE; i++)
        if (get_global_id(0) * TILE + i < n)
            out[get_global_id(0) * TILE + i] = twice(in[get_global_id(0) * TILE + i]) + UNROLL * VEC;
}' >twice.cl
run "$cltune" init lib/common.cl twice.cl --size 256 --options "-D UNUSED"
exits 0 "a file in front of the kernel's"
ok "the space file has both" "$(sed -n 's/^source *= //p' twice.ini)" = "lib/common.cl, twice.cl"
ok "the kernel's line is that in its file" "$(grep -c '^; Made by cltune init: kernel twice_all, line 3 of twice.cl' twice.ini)" = 1
ok "a parameter of the first file" "$(grep -c '^TILE .*; line 2 of lib/common.cl: 4' twice.ini)" = 1
ok "and of the second" "$(grep -c '^UNROLL .* replaces *; line 2 of twice.cl: 2' twice.ini)" = 1
ok "a switch of the first" "$(grep -c '; #ifdef in line 5 of lib/common.cl' twice.ini)" = 1
runs twice.ini
run "$cltune" run twice.ini VEC=4 UNROLL=4
exits 1 "parameters of both files replace"
run "$cltune" init twice.cl --size 256 -o alone.ini
exits 1 "without the first file"
sed -i 's/x \* TWO/x TWO/' lib/common.cl
run "$cltune" init lib/common.cl twice.cl -o worse.ini
exits 1 "a mistake in the first file"
err_has "lib/common.cl + twice.cl does not compile for" "names both"
err_has "lib/common.cl:8:" "and the place in the first"
ok "and writes nothing" ! -e worse.ini

# --- what PoCL has that the virtual driver has not ---
printf '#ifdef MORE\nkernel void more(global int *a) { a[get_global_id(0)] = 1; }\n#endif\nkernel void step_by(global int *a, int step) { a[get_global_id(0)] = step; }\n' >left.cl
run "$cltune" init left.cl --kernel more
exits 3 "a kernel behind #if"
err_has "kernel more of left.cl is left out by '#ifdef MORE' in line 1: pass the macros that it requires with --options" "is named with its condition"
run "$cltune" init left.cl --size 64
exits 0 "the other is the only one"
run "$cltune" init left.cl --kernel more --options "-D MORE" --size 64 --yes -o more.ini
exits 0 "which the options satisfy"
printf '#if 0\n#elif defined(MORE)\nkernel void more(global int *a) { a[get_global_id(0)] = 1; }\n#endif\n' >only.cl
run "$cltune" init only.cl
exits 3 "no kernel is left"
err_has "only.cl has no kernel: kernel more of only.cl is left out by '#elif defined(MORE)' in line 2" "says why"
ok "names are the source's, not PoCL's" "$(grep -c '_cl_' left.ini)" = 0
done_testing
