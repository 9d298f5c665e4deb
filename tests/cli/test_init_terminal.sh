#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune init at a terminal: its questions, and when it asks none.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0
if ! command -v python3 >/dev/null; then
    skip 1 "there is no python3"
    done_testing
    exit 0
fi

cat >both.cl <<'END'
__kernel void first(__global float *a) { a[get_global_id(0)] = 1; }
__kernel void second(__global float *a) { a[get_global_id(1)] = get_global_id(0); }
END

# at TYPED COMMAND...: at a terminal where that is typed.
at() { run python3 "$root/tests/cli/terminal.py" "$@"; }

at '2\n2\n32x8\n' "$cltune" init both.cl
exits 0 "three questions"
out_has "1  VideoCore IV GPU" "devices are listed"
out_has "Device [1]:" "one is asked for"
out_has "2  second" "kernels are listed"
out_has "Kernel [1]:" "one is asked for"
out_has "Work-items [512x512]:" "the size is asked for"
out_has "kernel    second of both.cl" "the answer is the kernel"
out_has "size_x = 32, size_y = 8" "and the size"
rm both.ini
at '\n\n\n' "$cltune" init both.cl
exits 0 "empty answers"
out_has "kernel    first of both.cl" "are the defaults"
out_has "size = 1048576" "of each question"
at '7\nx\n2\n2\n32y\n32\ny\n' "$cltune" init both.cl
exits 0 "answers that are none"
out_has "Type a number from 1 to 2." "are asked for again"
out_has "not '32y'" "sizes as well"
out_has "both.ini exists. Replace it? [n]:" "an existing file is asked about"
ok "and replaced" "$(grep -c 'kernel second' both.ini)" = 1
cp both.ini before
at '1\n1\n64\n\n' "$cltune" init both.cl
exits 2 "without a yes"
out_has "both.ini exists already" "it is not"
ok "it stays as it was" "$(cmp both.ini before)" = ""
at '' "$cltune" init both.cl --kernel first --size 64 -d 0:1 -o none.ini
exits 0 "what is given is not asked"
out_lacks "]:" "at all"
at '' "$cltune" init both.cl --kernel first -d 0:1 -o yes.ini --yes
exits 0 "--yes"
out_lacks "]:" "asks nothing"
at '' "$cltune" init both.cl -y -o which.ini
exits 2 "not even for the kernel"
out_has "both.cl has 2 kernels: name one with --kernel: first, second" "which it then needs"
run "$cltune" init both.cl --kernel first -o piped.ini
exits 0 "no terminal"
out_lacks "]:" "no questions"
at '\004\004\004\004' "$cltune" init both.cl -o end.ini
exits 0 "the end of the input is an empty answer"
done_testing
