#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What cltune init reads in a kernel, and how it answers what it cannot use.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0

# init OPTIONS...: on the larger of the virtual devices.
init() { run "$cltune" init -d 0:1 "$@"; }
# valid FILE: the file has neither errors nor warnings.
valid() {
    run "$cltune" space "$1" -d 0:1 --check
    exits 0 "$1 is a space file"
    ok "without a warning" ! -s "$err"
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
init scale.cl --size 4096
exits 0 "a kernel without macros"
out_has "scale.ini is written" "the summary names the file"
out_has "factor: float(1.0) is a guess" "and what is to be decided"
ok "with its line" "$(sed -n "s/^ *line \([0-9]*\) *argument 3, factor.*/\1/p" "$out")" = \
    "$(line_of 'DECIDE: argument 3' scale.ini)"
ok "what bounds the launch is no guess" "$(grep -c 'argument 4' scale.ini)" = 0
ok "and needs no whole groups" "$(grep -c 'whole groups' scale.ini)" = 0
ok "the input is filled" "$(grep -c 'uniform' scale.ini)" = 1
ok "the output is compared" "$(grep -c '^check' scale.ini)" = 1
valid scale.ini
run "$cltune" search scale.ini -d 0:1 -n 3 --rough
exits 0 "a search takes it unedited"

# --- files ---
cp scale.ini before
init scale.cl
exits 2 "a file of that name"
err_has "scale.ini exists already: choose another file with -o, or remove it" "is named"
init nothing_there.cl -o scale.ini
err_has "exists already" "before anything else"
init scale.cl --yes
exits 2 "--yes does not replace it"
ok "it stays as it was" "$(cmp before scale.ini)" = ""
mkdir deep
init scale.cl --size 64 -o deep/other.ini --json
exits 0 "another file in another folder"
ok "which finds the source" "$(sed -n 's/^source *= //p' deep/other.ini)" = ../scale.cl
ok "JSON names the file" "$(jq -r .file "$out")" = deep/other.ini
ok "and says that it runs" "$(jq .runs "$out")" = true
ok "and what to decide" "$(jq '.decide | length' "$out")" = 2
valid deep/other.ini
init scale.cl -o none/other.ini
exits 1 "a folder that is not there"
err_has "the folder of none/other.ini does not exist" "is named"
cp scale.cl "one, two.cl"
init "one, two.cl"
exits 2 "a path that a space file cannot name"
err_has "rename it" "is refused"
init scale.cl --size 64 -o quiet.ini -q
ok "--quiet says nothing" ! -s "$out"

# --- macros, local memory, work-groups ---
cat >tiles.cl <<'END'
#define TILE 16
#define RADIUS 3
#ifndef UNROLL
#define UNROLL 4
#endif
#ifdef SAFE
#endif
#if 0
#define WG 8
#endif
__kernel void tiles(__global const float *in, __global float *out, int width, int height)
{
    __local float tile[TILE][TILE + 1];
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = RADIUS;

    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    for (int i = 0; i < TILE; i += UNROLL)
        sum += tile[get_local_id(1)][i];
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
ok "so is what #ifdef asks for" "$(grep -c '^; SAFE' tiles.ini)" = 1
ok "what is behind #if 0 is not there" "$(grep -c 'WG' tiles.ini)" = 0
ok "the group is that of the local array" "$(sed -n 's/^local *= //p' tiles.ini)" = "TILE, TILE"
valid tiles.ini

cat >required.cl <<'END'
#define WGX 8
#define ROWS (2 + 2)
__kernel __attribute__((reqd_work_group_size(WGX * 2, ROWS, 1)))
void required(__global int *data, __constant float4 *table, __local float *scratch)
{
    scratch[get_local_id(0)] = table[get_global_id(0)].x;
    data[get_global_id(1) * get_global_size(0) + get_global_id(0)] += 1;
}
END
init required.cl --size 64
exits 0 "a required work-group"
ok "the launch has it" "$(sed -n 's/^local *= //p' required.ini)" = "WGX * 2, 4"
ok "local memory follows it" "$(grep -c 'local(4 \* (WGX \* 2) \* 4)' required.ini)" = 1
valid required.ini

cat >three.cl <<'END'
typedef struct { float a[2]; int4 b; } inner;
struct config { inner in; int n; };
typedef unsigned int u32;
#define REAL float
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
ok "a macro for a type" "$(grep -c 'float(0.0),' three.ini)" = 1
valid three.ini

# Structures within others are aligned as their largest member is.
echo 'struct in { char c; int4 v; }; struct out { char c; struct in i; char d; };
kernel void lay(global struct out *o) { o[get_global_id(0)].c = 1; }' >lay.cl
init lay.cl --size 64
ok "a structure in a structure" "$(sed -n 's/^count *= //p' lay.ini)" = "64 * size"
# 0.15 us a work-item, for the wall clock as well.
printf '#pragma virtual item 1500\n' | cat - scale.cl >slow.cl
run env -u VIRTUALCL_PACE "$cltune" init slow.cl -d 0:1
exits 0 "a slow kernel"
ok "gets fewer work-items" "$(sed -n 's/^size *= //p' slow.ini)" = 65536

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
init both.cl --kernel scale --size 64
exits 0 "one of them"
valid both.ini

# --- what is refused ---
# refused NAME STATUS TEXT [OPTION...]: the kernel in NAME.cl
refused() {
    name=$1
    wanted=$2
    text=$3
    shift 3
    init "$name.cl" "$@"
    exits "$wanted" "$name.cl is refused"
    err_has "$text" "because: $text"
    ok "and nothing is written" ! -e "$name.ini"
}
echo 'float f(float x) { return x; }' >nothing.cl
refused nothing 3 "nothing.cl has no kernel: no function is declared 'kernel void'"
: >empty.cl
refused empty 3 "has no kernel"
printf 'kernel\0void' >binary.cl
refused binary 2 "binary.cl is not a text"
refused absent 2 "cannot read absent.cl: No such file or directory"
for size in 0 3x x4 4x4x4x4 -1 1e3 99999999999999; do
    init scale.cl -o sized.ini --size "$size"
    exits 2 "a size of $size"
    err_has "such as 4096, 1024x768 or 64x64x64, not '$size'" "is refused"
done
run "$cltune" init
exits 2 "no file"
err_has "no kernel given: use 'cltune init KERNEL.cl'" "is asked for"
for how in "" --from-cpp --from-t1; do
    # shellcheck disable=SC2086
    run "$cltune" init $how /proc/self/mem -o two.ini
    exits 1 "a file that the system cannot read${how:+, $how}"
done
run "$cltune" init scale.cl absent.cl -o two.ini
exits 2 "the second of two files"
err_has "cannot read absent.cl: No such file or directory" "cannot be read"
run "$cltune" init binary.cl scale.cl -o two.ini
exits 2 "or the first"
err_has "binary.cl is not a text" "is no text"
init scale.cl -d nobody -o x.ini
exits 4 "a device that is not there"
init scale.cl -d all -o x.ini
exits 2 "several devices"
err_has "several devices match -d: name one by its index" "are too many"

# --- without a device: by its own reader alone ---
export OCL_ICD_VENDORS=/nonexistent
cat >alone.cl <<'END'
#define ENTRY __kernel
#define IN __global const float *restrict
ENTRY void alone(IN a, __global float b[], local int *c, const int count)
{
    if (get_global_id(0) < count)
        b[get_global_id(0)] = a[get_global_id(0)] * GROUP_SIZE + M_PI;
}
END
run "$cltune" init alone.cl
exits 0 "a kernel is read without a device"
err_has "the kernel is neither compiled nor run: no OpenCL device found" "which is said"
out_has "tried     no: there is no device" "twice"
ok "its arguments" "$(sed -n '/^args/,/^global/p' alone.ini | tr -d ' \n')" = \
    "args=a,b,local(4*LOCAL_X),int(size)global=size"
ok "a macro in capitals" "$(grep -c '^GROUP_SIZE *= 16, 8, 32' alone.ini)" = 1
ok "but not those of the language" "$(grep -c 'M_PI' alone.ini)" = 0
run "$cltune" space alone.ini --count -q
exits 0 "the file is right"
{ echo 'kernel void many(global int *o) { o[0] = 0' && seq -f '+ NAME_%.0f' 300 && echo '; }'; } >many.cl
run "$cltune" init many.cl
exits 2 "more macros than are guessed"
err_has "many.cl uses more than 256 names that nothing defines: pass the macros" "is what is wrong"
init() { run "$cltune" init "$@"; }
echo 'kernel void pipes(read_only pipe int p, global int *o) { o[0] = 1; }' >pipes.cl
refused pipes 2 "argument 1, 'pipe int p', is not supported: space files have no such objects"
echo 'kernel void layers(read_only image2d_array_t in, global int *o) { o[0] = 1; }' >layers.cl
refused layers 2 "of images, space files know image1d_t, image2d_t and image3d_t"
echo 'kernel void unknown(struct elsewhere e, global int *o) { o[0] = 1; }' >unknown.cl
refused unknown 2 "its type is not defined in this file, so its members are unknown"
echo 'kernel void call(global int *o, void (*f)(int)) { o[0] = 1; }' >call.cl
refused call 2 "the arguments of kernel call cannot be read"
printf '#define ARGS(x) global int *x\nkernel void made(ARGS(o)) { o[0] = 1; }' >made.cl
refused made 2 "the source has more than types and names"
{
    printf '#define A B\n#define B A\ntypedef A B;\nkernel void k(global A *a, B c) { a[0] = 1; }\n'
    printf 'struct t { struct t x; };\nkernel void l(struct t v) {}\nkernel void m(global int *a'
} >circle.cl
refused circle 2 "its type is not defined in this file" --kernel l
refused circle 2 "argument 2, 'B c'" --kernel k
refused circle 3 "has no kernel 'm'" --kernel m
done_testing
