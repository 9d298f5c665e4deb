#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What compilers of small devices refuse in kernels, without having them here.
. "$(dirname "$0")/lib.sh"

# VC4C fails to compile `restrict` on arguments of static functions.
# static_restrict FILE MACRO...: which of FILE's static functions have it, as they are compiled.
static_restrict() {
    file=$1
    shift
    cc -E -P -x c "$@" "$root/kernels/$file" >"$work/text" 2>"$err" || return
    tr '\n' ' ' <"$work/text" | grep -oE 'static [^;={]*\{' >"$work/static" || return 0
    grep -n 'restrict' "$work/static"
}

seen=0
for algorithm in direct separable fused; do
    for macros in '-DLANES=1' '-DLANES=4' '-DLANES=4 -DLOCAL=1' '-DLANES=1 -DIMAGE=1'; do
        # shellcheck disable=SC2086
        static_restrict gauss.cl "-DALGORITHM_$algorithm" $macros >"$out"
        ok "gauss, $algorithm, $macros: static functions have no restrict" ! -s "$out"
        ok "gauss, $algorithm, $macros: there are static functions" -s "$work/static"
        grep -q restrict "$work/text" && seen=$((seen + 1))
    done
done
ok "kernels still have it" "$seen" -eq 12
static_restrict gauss_recursive.cl -DWIDE=4 -DGROUP=16 -DWARM=8 >"$out"
ok "gauss_recursive: static functions have no restrict" ! -s "$out"
ok "gauss_recursive: there are static functions" -s "$work/static"

# matmul's default is a number a work-item, whatever the largest work-group.
for limit in 1 12 64 1024; do
    run "$cltune" space "$root/spaces/matmul.ini" --explain \
        --assume "DEVICE_MAX_WORK_GROUP_SIZE=$limit" --assume DEVICE_LOCAL_MEM_SIZE=32768
    exits 0 "matmul is explained for work-groups of $limit"
    ok "its default has one sum a work-item" \
        "$(awk '$1 == "registers" && $2 == "let" { print $3 }' "$out")" = 1
done

done_testing
