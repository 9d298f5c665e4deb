#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune init: a space file from a kernel, which a search takes as it is.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# init OPTIONS...: as from a script: nothing is asked.
init() { run "$cltune" init "$@"; }
# valid FILE: the file has neither errors nor warnings.
valid() {
    run "$cltune" space "$1" -d 0:0 --check
    exits 0 "$1 is a space file"
    ok "without a warning" ! -s "$err"
}
# searched FILE: a search takes it unedited, and its default is right.
searched() {
    run "$cltune" search "$1" -n 3 --rough
    exits 0 "a search takes $1 unedited"
    out_has "3 evaluated now" "and measures"
}
line_of() { grep -n "$1" "$2" | cut -d: -f1; }

cat >scale.cl <<'END'
__kernel void scale(__global const float *in, __global float *out, float factor, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        out[i] = factor * in[i];
}
END
init scale.cl --size 64K
exits 0 "a kernel without macros"
out_has "scale.ini is written" "the summary names the file"
out_has "the default configuration runs in" "and says that it was run"
out_has "factor: float(1.0) is a guess" "and what is to be decided"
ok "with its line" "$(sed -n "s/^ *line \([0-9]*\) *argument 3, factor.*/\1/p" "$out")" = \
    "$(line_of 'DECIDE: argument 3' scale.ini)"
ok "what bounds the launch is no guess" "$(grep -c 'argument 4' scale.ini)" = 0
ok "and needs no whole groups" "$(grep -c 'whole groups' scale.ini)" = 0
ok "the input is filled" "$(grep -c 'uniform' scale.ini)" = 1
ok "the output is compared" "$(grep -c '^check' scale.ini)" = 1
valid scale.ini
searched scale.ini
ok "nothing of the search is wrong" "$(grep -c '3 ok' "$out")" = 1

# --- an existing file stays ---
cp scale.ini before
init scale.cl
exits 2 "a file of that name"
err_has "scale.ini exists already: choose another file with -o, or remove it" "is named"
init scale.cl --yes
exits 2 "--yes does not replace it"
ok "it stays as it was" "$(cmp before scale.ini)" = ""
mkdir deep
init scale.cl -o deep/other.ini --json
exits 0 "another file in another folder"
ok "which finds the source" "$(sed -n 's/^source *= //p' deep/other.ini)" = ../scale.cl
ok "JSON names the file" "$(jq -r .file "$out")" = deep/other.ini
ok "and says that it runs" "$(jq .runs "$out")" = true
ok "and what to decide" "$(jq '.decide | length' "$out")" = 2
valid deep/other.ini
init scale.cl -o none/other.ini
exits 2 "a folder that is not there"
err_has "the folder of none/other.ini does not exist" "is named"

# --- macros, local memory, required groups ---
cat >tiles.cl <<'END'
#define TILE 16
#define RADIUS 3
#ifndef UNROLL
#define UNROLL 4
#endif
__kernel void tiles(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[TILE][TILE];
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = RADIUS;

    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; i += UNROLL)
        for (int k = 0; k < UNROLL; k++)
            sum += tile[get_local_id(1)][i + k] * ITEMS;
    if (x < width && y < height)
        out[y * width + x] = sum;
}
END
init tiles.cl --size 128x64
exits 0 "a kernel with macros"
ok "sizes" "$(sed -n 's/^size_[xy] = //p' tiles.ini | tr '\n' ' ')" = "128 64 "
ok "a macro of the source replaces it" "$(grep -c '^TILE .*= 16, 8, 32 replaces' tiles.ini)" = 1
ok "one behind #ifndef is defined" "$(grep -c '^UNROLL *= 4, 2, 8 ' tiles.ini)" = 1
ok "one that is no size of work is a suggestion" "$(grep -c '^; RADIUS' tiles.ini)" = 1
ok "one that nothing defines is found" "$(grep -c '^ITEMS *= 1, 2, 4' tiles.ini)" = 1
ok "the group is that of the local array" "$(sed -n 's/^local *= //p' tiles.ini)" = "TILE, TILE"
valid tiles.ini
searched tiles.ini

cat >required.cl <<'END'
#define WGX 8
#define WGY 4
__kernel __attribute__((reqd_work_group_size(WGX * 2, WGY, 1)))
void required(__global int *data, __constant float4 *table, __local float *scratch)
{
    scratch[get_local_id(0)] = table[get_global_id(0)].x;
    data[get_global_id(1) * get_global_size(0) + get_global_id(0)] += 1;
}
END
init required.cl --size 64
exits 0 "a required work-group"
ok "the launch has it" "$(sed -n 's/^local *= //p' required.ini)" = "WGX * 2, WGY"
ok "local memory follows it" "$(grep -c 'local(4 \* (WGX \* 2) \* WGY)' required.ini)" = 1
valid required.ini
searched required.ini

cat >three.cl <<'END'
typedef struct { float a[2]; int4 b; } inner;
struct config { inner in; int n; };
typedef unsigned int u32;
#define REAL double
__kernel void three(global u32 *out, struct config c, REAL beta, global inner *more, short4 v)
{
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
        get_global_id(0);

    out[i] = i + c.n + (int)beta + (int)more[i].a[0] + v.x;
}
END
init three.cl --size 32
exits 0 "three dimensions, structures, typedefs"
ok "three sizes" "$(grep -c '^size_[xyz] = 32' three.ini)" = 3
ok "a typedef is its type" "$(grep -c '^type *= uint' three.ini)" = 1
ok "a structure has its members" \
    "$(grep -c 'struct(struct(float(1), float(1), int4(1)), int(1))' three.ini)" = 1
ok "an array of structures is bytes" "$(grep -c '^count *= 32 \* size_x' three.ini)" = 1
ok "a macro for a type" "$(grep -c 'double(0.0),' three.ini)" = 1
valid three.ini
searched three.ini

# --- several kernels ---
cat scale.cl tiles.cl >both.cl
init both.cl
exits 2 "several kernels"
err_has "both.cl has 2 kernels: name one with --kernel: scale, tiles" "are named"
ok "nothing is written" ! -e both.ini
init both.cl --kernel tile
exits 3 "a kernel that is not there"
err_has "has no kernel 'tile'; did you mean 'tiles'?" "and the likely one"
init both.cl --kernel unlike_any
exits 3 "one that is unlike"
err_has "it has scale, tiles" "names all"
init both.cl --kernel scale
exits 0 "one of them"
valid both.ini

# --- what trials find ---
# Each work-item reads and writes four elements.
cat >wide.cl <<'END'
__kernel void wide(__global const float *in, __global float *out)
{
    vstore4(2 * vload4(get_global_id(0), in), get_global_id(0), out);
}
END
init wide.cl --size 4096
exits 0 "a kernel that writes four elements"
ok "its buffers are larger" "$(grep -c '^count *= 4 \* size' wide.ini)" = 2
searched wide.ini
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
init pairs.cl
exits 0 "a kernel with a row of a matrix for each work-item"
out_has "the default configuration runs in" "gets a size that it can do"
searched pairs.ini
cat >racing.cl <<'END'
__kernel void racing(__global ulong *out)
{
    out[get_global_id(0)] = __builtin_readcyclecounter();
}
END
init racing.cl --size 4096
exits 0 "a kernel that gives something else each time"
ok "is not compared" "$(grep -c '^check' racing.ini)" = 0
ok "which is said" "$(grep -c 'DECIDE: nothing is compared, because two runs differ' racing.ini)" = 1
searched racing.ini
done_testing
