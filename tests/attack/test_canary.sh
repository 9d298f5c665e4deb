#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A failure counts only when something has worked after it.  When what worked before fails,
# too, the machine is at fault: nothing is stored as the kernels', and the next search
# measures it.  What really fails costs next to nothing more.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's|\.\./\.\./cli/spaces/||' "$root/tests/attack/spaces/slow.ini" >"$work/slow.ini"
space=$work/slow.ini

query() { sqlite3 "$CLTUNE_DB" "$1" 2>/dev/null; }
count() { query "select count(*) from result where status = '$1'"; }
# The kernel, with lines of directives.
kernel() {
    { printf '%s\n' "$@"; grep -v 'pragma virtual b' "$root/tests/attack/spaces/slow.cl"; } >"$work/slow.cl"
}
asked() { grep -c 'check of a working configuration after' "$err"; }

# --- one crashes; from the process that comes after it on, memory is short for all ---
# The number is that of the first process, among those that make the call, that comes after.
while read -r fault call process; do
    kernel "#pragma virtual fault A 5 $fault"
    CLTUNE_DB=$work/${call%%:*}.db
    run env VIRTUALCL_FAIL="$call@$process+" VIRTUALCL_COUNTERS="$work/${call%%:*}.counters" \
        "$cltune" search "$space" -d 0:1 --rough -j 1 --no-cache --timeout 0.2s
    exits 1 "$call: the search ends"
    err_has "the machine is at fault, not the kernel" "and says whose fault it is"
    ok "what worked is stored" "$(count ok)" -ge 1
    ok "and nothing else" "$(query 'select count(*) from result')" = "$(count ok)"
    ok "nothing is in flight" "$(query 'select count(*) from inflight')" = 0
    run "$cltune" search "$space" -d 0:1 --rough --timeout 0.2s
    exits 0 "without that the next search goes on"
    ok "to the true outcome of all" "$(count ok) $(count crashed)" = "23 1"
done <<END
segfault clCreateBuffer:1+:-6 2
segfault clFinish:1+:-36 2
segfault clCreateKernel:1+:-5 3
build_segfault clBuildProgram:1+:abort 3
END
kernel '#pragma virtual fault A 5 segfault'

# --- memory is short for a while: it is tried again ---
CLTUNE_DB=$work/while.db
run env VIRTUALCL_FAIL="clCreateBuffer:1+:-6@2" VIRTUALCL_COUNTERS="$work/while" \
    "$cltune" search "$space" -d 0:1 --rough -j 1 --no-cache
exits 0 "what passes does not end the search"
ok "all have their outcome" "$(count ok) $(count crashed)" = "23 1"

# --- half of them crash: what follows clears them ---
CLTUNE_DB=$work/half.db
kernel '#pragma virtual fault A 1 segfault' '#pragma virtual fault A 3 abort' \
    '#pragma virtual fault A 5 build_error' '#pragma virtual fault A 7 build_segfault' \
    '#pragma virtual fault A 9 exit' '#pragma virtual fault A 11 finish_error' \
    '#pragma virtual fault A 13 segfault' '#pragma virtual fault A 15 abort' \
    '#pragma virtual fault A 17 build_error' '#pragma virtual fault A 19 build_segfault' \
    '#pragma virtual fault A 21 exit' '#pragma virtual fault A 23 finish_error'
run "$cltune" search "$space" -d 0:1 --rough -v --no-cache
exits 0 "half of a space fails"
ok "each in its way" "$(count ok) $(count crashed) $(count build_failed)" = "12 10 2"
echo "# $(asked) canaries for 12 failures of 24"
ok "and the canary is asked a few times at most" "$(asked)" -le 3

# --- all but the default fail ---
CLTUNE_DB=$work/all.db
sed -i 's/^A = .*/A = 0..199/' "$space"
# shellcheck disable=SC2046
kernel $(seq -f '#pragma_virtual_fault_A_%g_build_error' 1 199)
sed -i '/^#pragma_/s/_/ /g; s/build error/build_error/' "$work/slow.cl"
run "$cltune" search "$space" -d 0:1 --rough -v
exits 0 "all but one fail"
ok "and are stored" "$(count ok) $(count build_failed)" = "1 199"
echo "# $(asked) canaries for 199 failures of 200"
ok "the canary is asked more and more seldom" "$(asked)" -le 7

# --- a budget counts what is held ---
CLTUNE_DB=$work/budget.db
run "$cltune" search "$space" -d 0:1 --rough -n 7 -s exhaustive
ok "a budget of seven evaluations is seven" "$(query 'select count(*) from result')" = 7

done_testing
