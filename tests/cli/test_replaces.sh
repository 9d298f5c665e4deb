#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters that replace the values of macros which the source defines itself.
. "$(dirname "$0")/lib.sh"
export POCL_CACHE_DIR="$work/pocl"

# A source as applications have them: nothing is guarded.
cat >"$work/own.cl" <<'END'
/* #define BM 1 */
// #define BM 2 \
#define BM 3
  #  define /* tile */ BM 64 /* rows of
  a tile */ // and more
#define TN(x) x
#ifdef NEVER
#define BM 65
#endif
#define TYPE \
    float // of elements
#define TEXT "#define BM 5"
#define PLAIN
#define BMX 7
__kernel void fill(__global TYPE *out)
{
    out[get_global_id(0)] = BM + 1000 * BMX + 100000 * __LINE__ + sizeof(TEXT) - 13;
}
END
# space FILE PARAM...: a space of these parameters for own.cl, whose output is what line 17 says.
space() {
    to=$1
    shift
    {
        printf '[kernel]\nname = own\nsource = own.cl\n[param]\n'
        printf '%s\n' "$@"
        cat <<'END'
[buffer out]
type = float
count = 64
check = exact
expect = constant(64 + 7000 + 1700000)
[launch fill]
kernel = fill
args = out
global = 64
END
    } >"$to"
}

space "$work/own.ini" 'BM = 64, 32 replaces'
run "$cltune" space "$work/own.ini" --check
exits 0 "a parameter that replaces passes the check"
ok "without a warning" ! -s "$err"
run "$cltune" run "$work/own.ini" BM=64
exits 0 "the source's own value gives the source's own result, on its own lines"
run "$cltune" run "$work/own.ini" BM=32
exits 1 "another value gives another one"
out_has "status   wrong" "which is wrong here"
out_has "out[0] is 1707032 instead of 1707064" "by as much as the value differs"

space "$work/plain.ini" 'BM = 64, 32'
run "$cltune" run "$work/plain.ini" BM=64
exits 2 "without 'replaces' the source hides the parameter"
err_has "own.cl:4: '#define BM' hides the macro of the parameter" "which is said with the place"
err_has "write 'replaces' after the parameter's values in the space file" "and what to do"

# The forms of a list.
space "$work/forms.ini" 'BM = pow2(16, 64) replaces if BMX == 7' 'BMX = 7, 8 replaces' \
    "TYPE = 'float', 'unsigned int' replaces"
run "$cltune" space "$work/forms.ini" --check
exits 0 "replaces goes before a condition, and with texts that are no words"
ok "without a warning about them" ! -s "$err"
run "$cltune" space "$work/forms.ini" --json
ok "the condition holds" "$(jq .valid "$out")" = 8
run "$cltune" run "$work/forms.ini" BM=64 BMX=7 TYPE=float
exits 0 "three values are replaced"
run "$cltune" run "$work/forms.ini" BM=16 BMX=7 TYPE=float
out_has "status   wrong" "and others are"
space "$work/pairs.ini" '(BM, BMX) = (32, 7), (64, 7), (64, 8) replaces'
run "$cltune" space "$work/pairs.ini" --json
ok "parameters that go together may replace" "$(jq .valid "$out")" = 3
run "$cltune" run "$work/pairs.ini" BM=64 BMX=7
exits 0 "both of them"
space "$work/name.ini" 'replaces = 3, 4' 'BM = 64, replaces'
run "$cltune" space "$work/name.ini" --check
err_has "name.ini:6:10: " "after a comma it is a name like any other"

# What cannot be replaced.
space "$work/none.ini" 'BM = 64, 32 replaces' 'NOWHERE = 1, 2 replaces'
run "$cltune" space "$work/none.ini" --check
exits 2 "a macro that the source does not define"
err_has "none.ini:6:1: no source has '#define NOWHERE' for 'NOWHERE' to replace" "is named with its place"
err_has "without 'replaces' its values become -D NOWHERE=..." "and what to do"
space "$work/function.ini" 'BM = 64, 32 replaces' 'TN = 1, 2 replaces'
run "$cltune" space "$work/function.ini" --check
exits 2 "a macro with arguments"
err_has "own.cl:6: '#define TN' is in an included file or takes arguments" "cannot be replaced"
printf '#define BM 64\n' >"$work/sizes.h"
printf '#include "sizes.h"\n__kernel void fill(__global float *out) { out[get_global_id(0)] = BM; }\n' >"$work/deep.cl"
sed 's/own.cl/deep.cl/' "$work/own.ini" >"$work/deep.ini"
run "$cltune" space "$work/deep.ini" --check
exits 2 "a macro in an included file"
err_has "sizes.h:1: '#define BM' is in an included file" "is refused, as its file cannot be changed"
err_has "name the file in 'source'" "with what to do"
sed 's/own.cl/sizes.h, deep.cl/; s/^expect = .*/expect = constant(64)/' "$work/own.ini" >"$work/both.ini"
printf '__kernel void fill(__global float *out) { out[get_global_id(0)] = BM; }\n' >"$work/deep.cl"
run "$cltune" run "$work/both.ini" BM=64
exits 0 "of several sources, the one that defines it is changed"
run "$cltune" run "$work/both.ini" BM=32
out_has "status   wrong" "for the others, too"

# A guarded default, lines that end as on Windows, a last line without an end.
printf '#ifndef BM\r\n#define BM 64\r\n#endif\r\n__kernel void fill(__global float *out)\r\n{\r\n    out[get_global_id(0)] = BM;\r\n}\r\n#define LAST 3' >"$work/guarded.cl"
sed 's/own.cl/guarded.cl/; s/^expect = .*/expect = constant(64)/; s/^BM = .*/&\nLAST = 3, 4 replaces/' "$work/own.ini" >"$work/guarded.ini"
run "$cltune" run "$work/guarded.ini" BM=64 LAST=4
exits 0 "a guarded macro is replaced, and one in the last line"
run "$cltune" run "$work/guarded.ini" BM=32 LAST=3
out_has "status   wrong" "with the other value"

# Every value is an experiment of its own.
sed -i 's/^expect = .*/expect = constant(7000 + 1700000 + BM)/' "$work/own.ini"
run "$cltune" search "$work/own.ini" -j 1 --rough -q --json
exits 0 "a search"
ok "measures each value" "$(jq .counts.ok "$out")" = 2
run "$cltune" search "$work/own.ini" -j 1 --rough -q --json
ok "only once" "$(jq .known_before "$out")" = 2
sed -i 's/BM 64/BM 63/' "$work/own.cl"
run "$cltune" best own --format make
exits 0 "the best is exported"
out_has "BM" "with its name"
sed -i 's/sizeof(TEXT)/(int)&/' "$work/own.cl"
run "$cltune" search "$work/own.ini" -j 1 --rough -q --json
ok "the rest of the source is part of the identity" "$(jq .counts.ok "$out")" = 2

done_testing
