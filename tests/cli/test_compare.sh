#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune compare: configurations against each other.
. "$(dirname "$0")/lib.sh"
space=$root/tests/cli/spaces/playoff.ini
export VIRTUALCL_COUNTERS="$work/counters"
OCL=$virtual

compare() {
    rm -f "$work/counters"
    run env OCL_ICD_VENDORS="$OCL" "$cltune" compare "$@"
}

compare "$space" A=1 A=3 A=4 A=5 -d VideoCore --rounds 6
exits 0 "four configurations"
out_has "playoff on VideoCore IV GPU, 6 processes" "what, where, and how often"
ok "the first has no ratio" "$(awk '$1 == 1 { print $2, $3, NF }' "$out")" = "1.500 ms 9"
ok "a faster one" "$(awk '$1 == 2 { print $2, $3, $9, $10, $13, $NF }' "$out")" = "900.0 us 0.600 0.600 faster A=3"
ok "one as fast as that" "$(awk '$1 == 3 { print $9, $NF }' "$out")" = "0.600 A=4"
err_has "4 configurations in 6 fresh processes" "what is being done"
compare "$space" A=4 A=3 A=5 -d VideoCore --rounds 6 -q
ok "what tied" "$(grep -c 'tied' "$out")" = 1
ok "what is slower" "$(awk '/slower/ { print $NF }' "$out")" = "A=5"
ok "nothing else is said" "$(wc -c <"$err")" = 0
ok "nothing is stored" ! -e "$CLTUNE_DB"

compare "$space" A=3 -d VideoCore --json
exits 0 "one alone"
ok "is compared with the default" "$(jq -c '[.configurations[] | .configuration.A]' "$out")" = '[1,3]'
ok "in ten processes" "$(jq -c '[.rounds, (.configurations[] | .times_ns | length)]' "$out")" = '[10,10,10]'
ok "with times" "$(jq -c '.configurations[1] | [.time_ns, .low_ns, .high_ns, .status]' "$out")" \
    = '[900000,900000,900000,"ok"]'
ok "and ratios" "$(jq -c '.configurations[1] | [.ratio, .ratio_low, .ratio_high] | map(. * 1e6 | round)' "$out")" \
    = '[600000,600000,600000]'
ok "and problem, kernel, device" "$(jq -c '[.kernel, .device, .problem.n]' "$out")" = '["playoff","VideoCore IV GPU",256]'
compare "$space" A=3 -d VideoCore --json -q -p n=512
ok "of another problem" "$(jq .problem.n "$out")" = 512

# 6 is wrong in its second process.
compare "$space" A=3 A=6 A=4 -d VideoCore --rounds 7 --json
exits 1 "one that fails"
ok "has no times" "$(jq -c '.configurations[1] | [.status, .time_ns, .ratio, (.times_ns | length)]' "$out")" \
    = '["wrong",null,null,1]'
ok "others have" "$(jq -c '.configurations[2] | [.status, .ratio, (.times_ns | length)]' "$out")" = '["ok",1,7]'
err_has "cltune: configuration 2: wrong: " "and is named with its reason"
compare "$space" A=6 A=3 -d VideoCore --rounds 6
exits 1 "the first one fails"
ok "and is no measure for others" "$(awk '$1 == 2 { print NF, $2, $NF }' "$out")" = "9 900.0 A=3"
ok "its status is in its place" "$(awk '$1 == 1 { print $2 }' "$out")" = wrong

for rounds in 1 2 5; do
    compare "$space" A=3 -d VideoCore --rounds $rounds
    exits 2 "$rounds rounds have no 95% interval"
    err_has "--rounds $rounds is too few: a comparison requires at least 6" "and are refused"
done
compare "$space" -d VideoCore
exits 2 "no configuration"
err_has "no configuration given" "is said"
compare "$space" A=77 -d VideoCore
exits 2 "a value that is not in the list"
err_has "'A=77': 77 is not in the list" "is said"
compare "$space" "B" -d VideoCore
exits 2 "no value at all"
err_has "configuration 'B' is not NAME=VALUE" "is said"
compare "$space" A=3 -d all
exits 2 "several devices"
err_has "several devices match" "are too many"
compare "$work/none.ini" A=3 -d VideoCore
exits 2 "no such file"

# --- a real device, and parameters of text ---
run "$cltune" compare "$root/spaces/fir.ini" "WG=16 VEC=4 MATH='-cl-fast-relaxed-math'" "WG=16 VEC=1 MATH=" \
    -p taps=64 -p decimation=4 -p inputs=4096 --rounds 6 --json -q
exits 0 "on a real device"
ok "two with text" "$(jq -c '[.configurations[] | .configuration.MATH, (.ratio > 0)]' "$out")" \
    = '["-cl-fast-relaxed-math",true,"",true]'

# --- interrupted ---
OCL_ICD_VENDORS=$virtual "$cltune" compare "$space" A=3 A=4 -d VideoCore --rounds 1000 >"$out" 2>"$err" </dev/null &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
status=$?
exits 130 "interrupted"
err_has "interrupted" "is said"

done_testing
