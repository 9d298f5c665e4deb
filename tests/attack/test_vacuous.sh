#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A check that any kernel would pass is warned of, once: a reference that is NaN all over, a
# tolerance that takes zeros for the truth.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/attack/spaces/slow.cl" "$work/"
sed 's|\.\./\.\./cli/spaces/||; s/^A = .*/A = 0..3/' "$root/tests/attack/spaces/slow.ini" >"$work/base.ini"

# The space with another fill and check.
space() { sed "s/^fill .*/fill = $1/; s/^check .*/check = $2/" "$work/base.ini" >"$work/slow.ini"; }
cp "$root/tests/cli/spaces/copy.c" "$work/"
# 256 floats, all of their bits set.
{
    printf '\223NUMPY\001\000\166\000'
    printf "%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (256,), }"
    head -c 1024 /dev/zero | tr '\0' '\377'
} >"$work/nan.npy"
warnings() { grep -c 'warning: the check of buffer output' "$err"; }

while IFS='|' read -r fill check expected what; do
    space "$fill" "$check"
    run "$cltune" search "$work/slow.ini" -d 0:1 --rough --fresh
    exits 0 "$what: the search goes on"
    ok "and is warned $expected times" "$(warnings)" = "$expected"
    run "$cltune" run "$work/slow.ini" -d 0:1 A=1
    ok "as is a run" "$(warnings)" = "$expected"
done <<'END'
uniform(-1, 1)|exact|0|a sound check
uniform(-1, 1)|1e-5|0|a sound tolerance
uniform(-1, 1)|10|1|ten times the values' own size
uniform(-1, 1)|abs(5)|1|an absolute tolerance above all values
file(nan.npy)|exact|1|NaN all over
file(nan.npy)|1e-5|1|NaN with a tolerance
zero|exact|0|zeros that must be zeros
END
space 'uniform(-1, 1)' 10
run "$cltune" search "$work/slow.ini" -d 0:1 --rough --fresh
err_has "an output of all zeros passes" "it says what would pass"
err_has "smaller" "and what to do"
done_testing
