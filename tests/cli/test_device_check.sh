#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Outputs that the device itself compares with what is expected there: the verdicts are the host's.
. tests/cli/lib.sh

POCL_CACHE_DIR=$work/pocl
export POCL_CACHE_DIR
mkdir "$work/k"

# Every way to be wrong, or nearly.  The last values are an infinity, a NaN and a zero.
cat >"$work/k/near.cl" <<'END'
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
__kernel void near(__global const T *in, __global T *out, uint n, uint way, uint step)
{
    uint i = get_global_id(0);
    T x = in[i] * 2;
    if (way == 1) /* within the tolerance */
        x += (T)(i % 7 == 0 ? TINY : 0);
    else if (way == 2) /* beyond it, once */
        x += (T)(i == n / 2 ? 100 * TINY : 0);
    else if (way == 3 && i == n / 3) /* never written */
        return;
    else if (way == 4) /* NaN */
        x = i == 5 ? (T)LOST : x;
    else if (way == 5) /* infinite */
        x = i == n - 1 ? (T)ENDLESS : x;
    else if (way == 6) /* the sign of zero, which is the same value */
        x = x == 0 ? -x : x;
    else if (way == 7) /* far off everywhere */
        x += 1000;
    out[i] = x + (T)step - (T)step;
}
END
# space TYPE CHECK TINY LOST ENDLESS: with two configurations of each case, so that the device has one to compare: the
# first of each process is the host's.  Texts of several words become no macros: one program is compiled for all.
space() {
    cat >"$work/k/near.ini" <<END
[kernel]
name = near
source = near.cl
options = -DT=$1 -DTINY=$3 -DLOST=$4 -DENDLESS=$5
[problem]
n = 1024
[param]
WAY = 'case 0', 'case 1', 'case 2', 'case 3', 'case 4', 'case 5', 'case 6', 'case 7'
STEP = 'step 0', 'step 1'
[let]
way = (WAY == 'case 1') + 2 * (WAY == 'case 2') + 3 * (WAY == 'case 3') + 4 * (WAY == 'case 4')
    + 5 * (WAY == 'case 5') + 6 * (WAY == 'case 6') + 7 * (WAY == 'case 7')
[buffer in]
type = $1
count = n
fill = ramp(-512, 1)
[buffer out]
type = $1
count = n
check = $2
[launch near]
kernel = near
args = in, out, uint(n), uint(way), uint(STEP == 'step 1')
global = n
[reference]
c = near.c
function = near
args = in, out, uint(n)
END
    cat >"$work/k/near.c" <<END
#include <stdint.h>
void near(const $1 *in, $1 *out, uint32_t n);
void near(const $1 *in, $1 *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = in[i] * 2;
}
END
}

# alike TYPE CHECK TINY WRONG KERNEL [LOST ENDLESS]: both sides agree, with so many wrong ones, and the device ran
# the kernel named.
alike() {
    space "$1" "$2" "$3" "${6-NAN}" "${7-INFINITY}"
    rm -rf "$work/pocl"
    for where in host device; do
        rm -f "$work/$where.db"
        run env CLTUNE_DB="$work/$where.db" CLTUNE_COMPARE="$where" "$cltune" search \
            "$work/k/near.ini" -d 0:0 -j 1 -q --rough --measure-duplicates --keep-going
        ok "$1, check $2: compared by the $where" "$status" = 0
        run env CLTUNE_DB="$work/$where.db" "$cltune" results near --json
        jq -c '[.[] | {c: .configuration, s: .status, m: .message}] | sort' "$out" >"$work/$where"
    done
    ok "$1, check $2: the same verdicts and messages" "$(cmp "$work/host" "$work/device" && echo y)" = y
    ok "$1, check $2: $4 wrong" "$(grep -o '"s":"wrong"' "$work/device" | wc -l)" = "$4"
    ok "$1, check $2: the device compared" \
        "$(find "$work/pocl" -path "*/$5/*" | head -1 | wc -l)" = 1
}
alike float 1e-4 0.001f 10 near_float
alike float 'abs(0.01)' 0.001f 10 near_float
alike float exact 0.001f 12 same
alike int exact 1 12 same 77 78
alike double 1e-9 1e-8 10 near_double
alike double exact 1e-8 12 same
done_testing
