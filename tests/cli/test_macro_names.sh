#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Macros do not reach into the driver's own headers: parameters may be called like anything there.
. "$(dirname "$0")/lib.sh"
mkdir "$work/k"
cat >"$work/k/names.cl" <<'END'
// line 1
#ifndef read_only
#error not defined
#endif
__kernel void f(__global int *out)
{
    out[get_global_id(0)] = read_only + 10 * x + 100 * TEXT_one; // line 7
}
END
cat >"$work/k/names.ini" <<'END'
[kernel]
name = names
source = names.cl
[param]
read_only = 1, 2
x = 3
TEXT = 'one', 'two'
EMPTY = 0
[constraint]
one = TEXT == 'one' && EMPTY == 0
[buffer out]
type = int
count = 16
check = exact
expect = constant(30 + 100 + 1)
[launch f]
kernel = f
args = out
global = 16
END
run "$cltune" run "$work/k/names.ini"
exits 0 "parameters called like a keyword and like parameters of the driver's functions"
out_has "ok" "build and run"
err_has "names.ini:5:1: warning: 'read_only' is a keyword of OpenCL C" "a keyword is told"
err_has "'-D read_only=...' breaks other builds; rename it" "with the reason"
run "$cltune" space "$work/k/names.ini" --check
err_has "'read_only' is a keyword" "by space --check too"

# --- messages name the lines of the user's file ---
sed -i 's/read_only + 10/read_only + + + unknown_name/' "$work/k/names.cl"
run "$cltune" run "$work/k/names.ini"
exits 1 "an error in the source"
out_has "names.cl:7:" "is reported with its line"
out_has "unknown_name" "and its words"
printf '#error second file\n' >"$work/k/second.cl"
sed -i 's/+ + unknown_name/+ 10/; s/^source = .*/source = names.cl, second.cl/' "$work/k/names.cl" "$work/k/names.ini"
run "$cltune" run "$work/k/names.ini"
out_has "second.cl:1:" "in a second file as well"

# --- stored binaries serve searches ---
sed -i 's/^source = .*/source = names.cl/' "$work/k/names.ini"
run "$cltune" search "$work/k/names.ini" -q
exits 0 "a search"
run "$cltune" search "$work/k/names.ini" -q --fresh
exits 0 "and again"

done_testing
