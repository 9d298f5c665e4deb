#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune space: counting, listing, checking; no OpenCL is needed for it.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS=/nonexistent
spaces=$root/tests/cli/spaces
fir=$root/spaces/fir.ini

run "$cltune" space "$fir"
exits 0 "the FIR space"
err_has "constraint 'fits' depends on the device" "undecided constraints are reported"
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUP_SIZE=4096 \
    --assume DEVICE_LOCAL_MEM_SIZE=524288 --count
exits 0 "with assumed limits"
all=$(cat "$out")
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUP_SIZE=12 \
    --assume DEVICE_LOCAL_MEM_SIZE=524288 --count
ok "a smaller limit leaves fewer" "$(cat "$out")" -lt "$all"
err_lacks "undecided" "nothing is undecided then"
run "$cltune" space "$fir" --assume DEVICE_MAX_WORK_GROUPS=12
exits 2 "an unknown limit"
err_has "did you mean 'DEVICE_MAX_WORK_GROUP_SIZE'?" "and the likely one"

run "$cltune" space "$spaces/virtual.ini" --list
exits 0 "--list"
ok "every configuration" "$(wc -l <"$out")" = 18
ok "once" "$(sort -u "$out" | wc -l)" = 18
ok "in order" "$(head -1 "$out")" = "WG=1 VEC=1"
run "$cltune" space "$spaces/virtual.ini" --sample 5 --seed 3
ok "--sample draws" "$(sort -u "$out" | wc -l)" = 5
cp "$out" "$work/sample"
run "$cltune" space "$spaces/virtual.ini" --sample 5 --seed 3
ok "the same for a seed" "$(cmp "$out" "$work/sample" && echo same)" = same
run "$cltune" space "$spaces/virtual.ini" --sample 50
ok "not more than there are" "$(wc -l <"$out")" = 18
run "$cltune" space "$spaces/virtual.ini" --json
ok "--json counts" "$(jq .valid "$out")" = 18
ok "and tells the product" "$(jq .cartesian "$out")" = 18
run "$cltune" space "$spaces/virtual.ini" --check
exits 0 "--check of a good file"
ok "says nothing" ! -s "$out"

sed 's/^\[buffer input\]/[constraint]\nimpossible = WG > 1000\nodd = VEC != 4\n&/' \
    "$spaces/virtual.ini" >"$work/empty.ini"
cp "$spaces/virtual.cl" "$spaces/copy.c" "$work/"
run "$cltune" space "$work/empty.ini"
exits 3 "a space without a valid configuration"
err_has "constraint 'impossible' (WG > 1000) removes the most" "names the constraint that kills most"

sed 's/^global = n/glabal = n/; s/^VEC = 1/VEC = 1 +/; s/uint(n)/uint(m)/' \
    "$spaces/virtual.ini" >"$work/wrong.ini"
run "$cltune" space "$work/wrong.ini" --check
exits 2 "mistakes in a file"
err_has "did you mean 'global'?" "a misspelt key"
ok "all of them in one go" "$(grep -c 'error:' "$err")" -ge 3
ok "each with its line and column" "$(grep -cE 'wrong.ini:[0-9]+:[0-9]+: error:' "$err")" -ge 3

run "$cltune" space "$work"
exits 2 "a folder for a file"

# --- a space without a kernel: tests/cli/spaces/tiles.ini ---
# BX is 1, 2, 4, 8, BY 1 to 6 with BX * BY <= 12, COLS 2 or 3 with UNROLL of 1, 2, 3 where
# it divides COLS, PAD is free, STYLE is there for BX > 1 alone.
tiles=$spaces/tiles.ini
run "$cltune" space "$tiles"
exits 0 "a file with parameters and constraints alone"
out_has "combinations        576" "the product"
out_has "valid               208" "what is valid"
out_has "free: PAD" "a free parameter"
err_lacks "read and checked" "times of reading only with -v"
ok "what a constraint removes" "$(awk '$1 == "room" { print $2, $3 }' "$out")" = "16 48"
ok "and one that removes nothing" "$(awk '$1 == "loose" { print $2 }' "$out")" = nothing
run "$cltune" space "$tiles" -v
err_has "read and checked in" "-v tells the time of reading"
out_has "pairs of state and value examined" "and what was tried"
run "$cltune" space "$tiles" --check -v
ok "also of a check" "$(grep -cE '^read and checked in [0-9]+\.[0-9]{2} ms$' "$err")" = 1
run "$cltune" search "$tiles" --db "$work/none.db"
exits 2 "but nothing to search"
err_has "has no [launch]" "which is said"

run "$cltune" space "$tiles" --json
exits 0 "--json"
for key in cartesian:576 valid:208 components:3 'constraints|length:4' \
    'component_list|length:3'; do
    ok "--json ${key%:*}" "$(jq ".${key%:*}" "$out" 2>&1)" = "${key##*:}"
done
ok "nodes are those of the components" \
    "$(jq '(.component_list | map(.nodes) | add) == .nodes' "$out")" = true
ok "edges too" "$(jq '(.component_list | map(.edges) | add) == .edges' "$out")" = true
ok "valid is their product" \
    "$(jq '(.component_list | map(.valid) | .[0] * .[1] * .[2]) == .valid' "$out")" = true
ok "times and bytes" "$(jq '[.construct_ns, .parse_ns, .bytes, .peak_bytes] | map(. > 0) |
    all' "$out")" = true
ok "removed by a constraint" \
    "$(jq '.constraints[] | select(.name == "room") | .removed' "$out")" = 16

# --- questions ---
run "$cltune" space "$tiles" --list
cp "$out" "$work/all"
ok "--list lists them all" "$(sort -u "$out" | wc -l)" = 208
for i in 0 77 207; do
    run "$cltune" space "$tiles" --index $i
    exits 0 "--index $i"
    ok "is line $((i + 1)) of the list" "$(cat "$out")" = "$(sed -n $((i + 1))p "$work/all")"
done
run "$cltune" space "$tiles" --index 208
exits 2 "--index beyond the last"
err_has "the 208 valid configurations have the indices 0 to 207" "says which there are"
run "$cltune" space "$tiles" --index -1
exits 2 "a negative index"

for i in 1 2 3; do "$cltune" space "$tiles" --list --shard $i/3; done >"$work/shards"
sort "$work/all" >"$work/sorted"
ok "shards are the space" "$(sort "$work/shards" | cmp - "$work/sorted" && echo same)" = same
ok "shards are counted" \
    "$(for i in 1 2 3; do "$cltune" space "$tiles" --count --shard $i/3; done |
        awk '{ n += $1 } END { print n }')" = 208
for shard in 0/3 4/3 1/0 3 a/b 1/; do
    run "$cltune" space "$tiles" --list --shard $shard
    exits 2 "--shard $shard"
    err_has "--shard requires I/N with I from 1 to N" "says what it wants"
done
run "$cltune" space "$tiles" --sample 3 --shard 1/2
exits 2 "--shard of a sample"

run "$cltune" space "$tiles" --sample 208 --seed 9
ok "a sample of all is all" "$(sort "$out" | cmp - "$work/sorted" && echo same)" = same
run "$cltune" space "$tiles" --sample 20 --seed 9
cp "$out" "$work/sample"
run "$cltune" space "$tiles" --sample 20 --seed 10
ok "another seed draws others" "$(cmp -s "$out" "$work/sample" || echo other)" = other
run "$cltune" space "$tiles" --sample 20 --json
ok "--sample as JSON" "$(jq 'length' "$out")" = 20
ok "with indices" "$(jq -r '.[0].index' "$out")" = "$("$cltune" space "$tiles" --sample 1 --json |
    jq -r '.[0].index')"
index=$(jq -r '.[3].index' "$out")
ok "of the configurations" "$("$cltune" space "$tiles" --index "$index" --json | jq -c '.[0].configuration')" = \
    "$(jq -c '.[3].configuration' "$out")"

# BX=8 BY=1 COLS=2 UNROLL=1 PAD=0 STYLE=plain: BX 1, 2, 4 (1 has no STYLE to have), UNROLL
# 2, COLS 3, PAD 1, STYLE wide.
at="BX=8 BY=1 COLS=2 UNROLL=1 PAD=0 STYLE=plain"
run "$cltune" space "$tiles" --neighbours "$at"
exits 0 "--neighbours"
ok "one parameter has another value" "$(wc -l <"$out")" = 7
ok "all are in the space" "$(sort "$out" | comm -23 - "$work/sorted" | wc -l)" = 0
run "$cltune" space "$tiles" --neighbours "$at" --kind adjacent
ok "--kind adjacent" "$(wc -l <"$out")" = 5
out_has "BX=4 BY=1" "has the next value"
out_lacks "BX=2 BY=1" "not the one after that"
run "$cltune" space "$tiles" --neighbours "$at" --kind two
ok "--kind two has more" "$(wc -l <"$out")" -gt 7
run "$cltune" space "$tiles" --neighbours "$at" --kind three
exits 2 "an unknown kind"
run "$cltune" space "$tiles" --kind one
exits 2 "a kind of nothing"
run "$cltune" space "$tiles" --neighbours "BX=8 BY=5"
exits 0 "neighbours of an invalid configuration"
err_has "constraint 'room' (BX * BY <= 12) excludes it; the nearest valid one is BX=2 BY=5" \
    "which is said, with the nearest valid one"
run "$cltune" space "$tiles" --nearest "BX=8 BY=5 PAD=1"
exits 0 "--nearest"
ok "changes as little as it can" "$(cat "$out")" = "BX=2 BY=5 COLS=2 UNROLL=1 PAD=1 STYLE=plain"
run "$cltune" space "$tiles" --nearest "BX=4 BY=3"
ok "a valid one is its own nearest" "$(cat "$out")" = "BX=4 BY=3 COLS=2 UNROLL=1 PAD=0 STYLE=plain"
run "$cltune" space "$tiles" --nearest "BX=4 STYLE='wide'  PAD=1"
out_has "STYLE=wide" "text may be quoted"
for wrong in BX=5 BZ=1 BX "BX=1 BX=2" "BX=1 STYLE=wide" ""; do
    run "$cltune" space "$tiles" --nearest "$wrong"
    exits 2 "--nearest '$wrong'"
    ok "with one message" "$(wc -l <"$err")" -le 2
    err_has "--nearest" "which names the option"
done
run "$cltune" space "$tiles" --param BX=1,2 --nearest BX=8
exits 2 "a value that --param took away"
err_has "is excluded by --param" "says so"
run "$cltune" space "$tiles" --list --count
exits 2 "two questions at once"
err_has "exclude each other" "are too many"

# --- limits ---
run "$cltune" space "$tiles" --memory 1
exits 2 "--memory that is too little"
err_has "require more than 1 B: use --param to keep fewer" "says that the space does not fit"
ok "in one message" "$(wc -l <"$err")" = 1
run "$cltune" space "$tiles" --memory 64M --enumerate --count
ok "enough of it" "$(cat "$out")" = 208
for size in 0 M 12X -1 99999999999999T; do
    run "$cltune" space "$tiles" --memory $size
    exits 2 "--memory $size"
    err_has "--memory requires a size such as 512M" "says what it wants"
done

# A checksum leaves nothing to merge.
{
    echo '[param]'
    for i in 1 2 3 4 5; do echo "P$i = 1..16"; done
    echo '[constraint]'
    echo 'checksum = (P1 * 7919 + P2 * P3 * 104729 + P4 * P5 * P1 * 31) % 10007 == 5'
} >"$work/checksum.ini"
run "$cltune" space "$work/checksum.ini" --list
exits 0 "a space that hardly merges"
sort "$out" >"$work/merged"
run "$cltune" space "$work/checksum.ini" --memory 1M --list
exits 2 "stops at the limit"
err_has "checksum.ini:8:1: the space of the parameters P1, P2" "names the component"
err_has "constraint 'checksum'" "and what holds it together"
err_has "--enumerate" "and the remedy"
run "$cltune" space "$work/checksum.ini" --memory 1M --enumerate --list
exits 0 "--enumerate"
ok "lists the same" "$(sort "$out" | cmp - "$work/merged" && echo same)" = same
run "$cltune" space "$work/checksum.ini" --memory 1M --enumerate
out_has "listed" "and says so"
run "$cltune" search "$work/checksum.ini" --memory 1M --enumerate
exits 2 "search takes the same options"

{
    echo '[param]'
    for i in $(seq 30); do echo "P$i = 0..9"; done
    echo '[constraint]'
    for i in $(seq 29); do echo "c$i = P$i <= P$((i + 1)) + 5"; done
} >"$work/huge.ini"
run "$cltune" space "$work/huge.ini" --count
exits 0 "a space beyond counting"
ok "has more than can be counted" "$(cat "$out")" = "more than 18446744073709551615"
run "$cltune" space "$work/huge.ini" --json
ok "as JSON a text" "$(jq -r '.valid' "$out")" = "more than 18446744073709551615"
ok "and the product too" "$(jq -r '.cartesian' "$out")" = 1000000000000000000000000000000
run "$cltune" space "$work/huge.ini"
out_has "valid               more than 18,446,744,073,709,551,615 (about " "for people"
run "$cltune" space "$work/huge.ini" --sample 50
exits 0 "a sample of it"
ok "has what was asked for" "$(sort -u "$out" | wc -l)" = 50
run "$cltune" space "$work/huge.ini" --count --shard 1/2
exits 2 "a shard of it"
err_has "--shard requires a space with at most" "cannot be"
run "$cltune" space "$work/huge.ini" --index 18446744073709551614
exits 0 "the last of them that has an index"
run "$cltune" space "$work/huge.ini" --index 18446744073709551615
exits 2 "the one after it"
err_has "of more than 18446744073709551615 valid configurations only numbers 0 to 18446744073709551614 have an index" \
    "which is not said to be beyond the last"
run sh -c "'$cltune' space '$work/huge.ini' --list | head -3 | wc -l"
out_has 3 "its list begins at once"

# All but one of 2^64: the largest number that can be counted to.
{
    echo '[param]'
    for i in 1 2 3 4; do echo "P$i = 0..65535"; done
    echo '[constraint]'
    echo 'some = P1 + P2 + P3 + P4 > 0'
} >"$work/last.ini"
run "$cltune" space "$work/last.ini" --count
exits 0 "a space that can just be counted"
ok "is counted exactly" "$(cat "$out")" = 18446744073709551615
run "$cltune" space "$work/last.ini" --json
ok "also as JSON" "$(jq -r .valid "$out")" = 18446744073709551615
ok "and its component" "$(jq -r '.component_list[0].valid' "$out")" = 18446744073709551615
ok "but not what has one more" "$(jq -r .canonical "$out")" = "more than 18446744073709551615"
run "$cltune" space "$work/last.ini"
out_has "valid               18,446,744,073,709,551,615" "for people"
run "$cltune" space "$work/last.ini" --index 18446744073709551615
exits 2 "an index beyond its last"
err_has "the 18446744073709551615 valid configurations have the indices 0 to 18446744073709551614" \
    "says which there are"
run "$cltune" space "$work/last.ini" --count --shard 1/2
exits 0 "a half of it"
ok "has one more than the other" "$(cat "$out")" = 9223372036854775808

# Beyond what a real can hold: still JSON.
{
    echo '[param]'
    for i in $(seq 400); do echo "P$i = 0..9"; done
    echo '[constraint]'
    for i in 1 2 3; do echo "c$i = P$i <= P$((i + 1)) + 5"; done
} >"$work/beyond.ini"
run "$cltune" space "$work/beyond.ini" --json
ok "beyond reals" "$(jq -r .valid_approx "$out")" = "more than 1.79769313486232e+308"
ok "the product is exact" "$(jq -r '.cartesian | length' "$out")" = 401
ok "nothing is no number" "$(grep -c nan "$out")" = 0

# --- constraints that cannot be evaluated ---
printf '[param]\nA = 0..3\nB = 0..4\n[constraint]\nsplit = 12 %% A == B\n' >"$work/fails.ini"
run "$cltune" space "$work/fails.ini" --check
exits 0 "a constraint that divides by zero"
err_has "fails.ini:5:1: warning: constraint 'split' (12 % A == B) cannot be evaluated for" \
    "--check counts it"
ok "and prints nothing else" ! -s "$out"
run "$cltune" space "$work/fails.ini" --check -q
ok "-q is quiet" ! -s "$err"
run "$cltune" space "$work/fails.ini" --json
ok "--json counts it" "$(jq '.constraints[0].failed > 0' "$out")" = true

# --- what only a plan shows ---
cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/copy.c" "$work/"
# refused SED-SCRIPT MESSAGE NAME: --check refuses the virtual space when it is changed so.
refused() {
    sed "$1" "$root/tests/cli/spaces/virtual.ini" >"$work/changed.ini"
    run "$cltune" space "$work/changed.ini" --check
    exits 2 "$3 is refused"
    err_has "$2" "$3: why"
}
refused 's/virtual.cl/nowhere.cl/' "changed.ini:5:10: cannot read 'nowhere.cl'" "a missing source"
refused 's/^type  = float/type = uchar/; s/uniform(-1, 1)/uniform(0, 300)/' \
    "changed.ini:17:20: 300 is not a value of uchar" "a fill outside of its type"
refused 's/^local  = WG/local = WG, 0/; s/^global = n/global = n, 4/' \
    "local sizes must be all zero (the driver chooses) or all positive" "a local size that is partly zero"
refused 's/^local  = WG/local = WG, VEC == 16 ? 0 : 1/; s/^global = n/global = n, 4/' \
    "local sizes must be all zero" "one of few configurations"
{ echo '#define VEC 4'; cat "$root/tests/cli/spaces/virtual.cl"; } >"$work/own.cl"
refused 's/virtual.cl/own.cl/' \
    "own.cl:1: '#define VEC' hides the macro of the parameter" "a parameter that the source defines"
err_has "write 'replaces' after the parameter's values" "with what to do"
run env OCL_ICD_VENDORS="$virtual" "$cltune" run "$work/changed.ini" -d 0:1
err_has "own.cl:1: '#define VEC'" "by run, too"
run env OCL_ICD_VENDORS="$virtual" "$cltune" search "$work/changed.ini" -d 0:1
err_has "or #ifndef VEC before it and #endif after it" "and by a search"
# In a file that is included, behind a guard of its own or one of an outer file.
printf '#ifndef SIZES_H\n#define SIZES_H\n#ifndef VEC\n#define VEC 1\n#endif\n#include "deep.h"\n#endif\n' \
    >"$work/sizes.h"
printf '\n#ifndef DEEP_H\n#define DEEP_H\n\n#define VEC 8\n#endif\n' >"$work/deep.h"
{ printf '#include "sizes.h"\n#include "sizes.h"\n'; cat "$root/tests/cli/spaces/virtual.cl"; } >"$work/includes.cl"
refused 's/virtual.cl/includes.cl/' \
    "deep.h:5: '#define VEC' replaces the macro of the parameter" "a parameter that an included file defines"
# accepted SED-SCRIPT NAME: it does not.
accepted() {
    sed "$1" "$root/tests/cli/spaces/virtual.ini" >"$work/changed.ini"
    run "$cltune" space "$work/changed.ini" --check
    exits 0 "$2 is accepted"
}
sed -i 's/^#define VEC 8/#ifndef VEC\n&\n#endif/' "$work/deep.h"
accepted 's/virtual.cl/includes.cl/' "a default in an included file"
printf '#ifndef DEEP_H\n#define DEEP_H\n#define VEC 8\n#endif\n' >"$work/deep.h"
accepted 's/virtual.cl/includes.cl/; s/^source .*/&\noptions = -D DEEP_H=1/' "a guard that an option closes"
refused "s/virtual.cl/includes.cl/; s/^source .*/&\noptions = \${DEEP}/; s/^WG .*/&\nDEEP = '-D DEEP_H=1', ''/" \
    "deep.h:3: '#define VEC' replaces the macro of the parameter" "one that only some configurations close"
printf '#ifdef VEC\n#elif 1\n#include "nothing.h"\n#define VEC 8\n#endif\n' >"$work/deep.h"
accepted 's/virtual.cl/includes.cl/' "a part that is not compiled"
# Values that only a few configurations have.
tail=$(seq 1 127 | tr '\n' ' ' | sed 's/ $//; s/ /, /g')
refused "s/^WG  = .*/WG = $tail/; s/^VEC = .*/VEC = 1/; s/^local .*/local = 4, WG == 100 ? 0 : 1/; s/^global = n/global = n, 4/" \
    "with WG=100" "one value of many"
refused "s/^WG  = .*/WG = $tail/; s/^VEC = .*/VEC = 1, 2/; s/^local .*/local = 4, VEC == 2 ? 0 : 1/; s/^global = n/global = n, 4/" \
    "VEC=2" "the last parameter's value"
refused 's/virtual.cl/nowhere.cl/; s/^global = n/global = n * DEVICE_MAX_COMPUTE_UNITS/' \
    "changed.ini:5:10: cannot read 'nowhere.cl'" "a missing source, without a device"
printf '[measure]\nstrategy = haltn\n' >>"$work/strategy.ini"
cat "$root/tests/cli/spaces/virtual.ini" >>"$work/strategy.ini"
run "$cltune" space "$work/strategy.ini" --check
exits 2 "an unknown strategy is refused"
err_has "strategy.ini:2:12: unknown strategy 'haltn'" "with its place"
run env OCL_ICD_VENDORS="$virtual" "$cltune" search "$work/strategy.ini" -d 0:1
exits 2 "and so by a search"
err_has "strategy.ini:2:12: unknown strategy 'haltn'" "with its place, too"

# --- one of a kind ---
printf '[param]\nA = 1, 2\n[constraint]\nsmall = A < 2\n' >"$work/one.ini"
run "$cltune" space "$work/one.ini"
out_has "1 parameter, 1 constraint" "one parameter and one constraint"
out_lacks "parameters" "are not several"

done_testing
