#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/space-from-json: the space file has exactly the configurations that Python's
# expressions allow.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
convert=$root/scripts/space-from-json
if ! command -v python3 >/dev/null; then
    skip 1 "there is no python3"
    done_testing
    exit 0
fi

# Counts by brute force in Python itself.
brute() {
    python3 - "$1" <<'EOF'
import itertools, json, math, sys
space = json.load(open(sys.argv[1]))
names = list(space["parameters"])
rules = [compile(c.strip(), "c", "eval") for c in space["constraints"]]
count = 0
for row in itertools.product(*space["parameters"].values()):
    env = dict(zip(names, row))
    try:
        count += all(eval(rule, {"math": math}, env) for rule in rules)
    except ZeroDivisionError:
        pass
print(count)
EOF
}

# same NAME CONSTRAINT...: over A, B and C, which may be negative, zero and positive.
same() {
    name=$1
    shift
    rules=$(for rule in "$@"; do printf '%s' "$rule" | jq -R .; done | jq -s .)
    cat >"$work/one.json" <<EOF
{"name": "one", "parameters": {"A": [-3, -2, -1, 0, 1, 2, 3, 4, 7], "B": [-4, -1, 1, 2, 3],
 "C": [1, 2, 4, 8], "D": [1, 3, 5, 6, 12], "S": ["x", "y z", ""], "F": [0.5, 1.5, 2.0],
 "T": [false, true]}, "constraints": $rules}
EOF
    run "$convert" "$work/one.json" "$work/one.ini"
    exits 0 "$name: converts"
    run "$cltune" space "$work/one.ini" --count -q
    ok "$name" "$(cat "$out")" = "$(brute "$work/one.json")"
}

same "and, or, not" "A > 0 and B > 0 or not (C == 4)"
same "chains" "A < B <= C < D" "1 <= D <= 5"
same "rounding down" "A // B == -1" "A // C < 1"
same "remainders of the divisor's sign" "A % B == 1 or A % B == -3"
same "remainders compared with 0" "A % B == 0" "D % C != 0"
same "a bare remainder" "D % C"
same "quotients that divide" "(D / C) % B == 0 if B > 0 else True"
same "a remainder by a quotient" "12 % (D / C) == 0"
same "a quotient less than" "A < D / C"
same "a quotient at most" "A <= D / C"
same "a quotient more than" "A > D / C"
same "a quotient at least" "D / C <= A"
same "a sum with a quotient" "A >= 3 - D / C" "A + 1 / C < 4"
same "its other side" "3 - D / C > A" "B <= 2 - 1 / D"
same "its equals" "D / C == A" "A + D / C != 4"
same "quotients of quotients" "D / C / C < 1"
same "two quotients" "D / C < A / D"
same "a real quotient" "D / B > 1.25"
same "reals" "F * C <= 3.0 and F + A > 1"
same "powers" "2 ** C < 100" "A ** 2 > 3"
same "membership" "A in [1, 2, 7]" "C not in (2, 4)" "D in range(1, 6, 2)"
same "conditional expressions" "(A if T else C) > 2"
same "values of and, or" "(A or C) > 2 and (B and C) < 4"
same "truth values" "T == (C > 2)" "not T or A"
same "text" "S != 'x' or A > 0" "S in ('y z', '') or S == 'x' and C == 1"
same "bits" "C & D" "C << 1 < 9" "(C | D) ^ 1 > 2"
same "functions" "min(A, B) < max(C, D) - 4" "abs(A) <= math.ceil(D / C)"
same "rounding functions" "math.floor(D / C) == int(D / C)" "math.gcd(C, D) == 1"
same "a division by zero" "12 // A > 1"
same "signs" "-A < +B" "~A < 2"

# Lists are written short, names that a space file cannot have get others.
cat >"$work/names.json" <<'EOF'
{"name": "names", "parameters": {"min": [1, 2, 4, 8, 16], "on": [3, 4, 5, 6],
 "DEVICE_X": [32, 64, 96, 128, 7], "min_": [true]},
 "constraints": ["min * on <= DEVICE_X and min_"]}
EOF
run "$convert" "$work/names.json"
exits 0 "names of the language"
out_has "= pow2(1, 16)" "powers of two"
out_has "= 3..6" "ranges"
out_has "= 32..128 step 32, 7" "steps"
out_has "; called min in the original" "say what they were"
cp "$out" "$work/names.ini"
run "$cltune" space "$work/names.ini" --count -q
ok "and mean the same" "$(cat "$out")" = "$(brute "$work/names.json")"

# What cannot be said is not guessed at.
wrong() {
    printf '{"name": "w", "parameters": {"A": [1, 2], "S": ["a"]}, "constraints": ["%s"]}' \
        "$1" >"$work/wrong.json"
    run "$convert" "$work/wrong.json"
    exits 1 "'$1' is refused"
    err_has "$2" "because: $2"
    ok "in one line" "$(wc -l <"$err")" = 1
}
wrong "sum(A) > 1" "has no counterpart"
wrong "A > B" "'B' is no parameter"
wrong "A >" "is no expression"
wrong "A + S > 1" "computes with text"
wrong "A << 70 > 1" "has no counterpart"
wrong "A * 9223372036854775807 > 1" "may not fit into 64 bits"
run "$convert" "$work/none.json"
exits 1 "a file that is not there"
done_testing
