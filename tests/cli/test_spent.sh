#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where the time of a search went: kinds that add up, in words and in JSON.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
cp "$spaces"/virtual.* "$spaces/copy.c" "$work/"
sed -i 's/^#pragma virtual base .*/&\n#pragma virtual build_time 20000000/' "$work/virtual.cl"
cat >>"$work/virtual.ini" <<'INI'
[baseline]
c        = copy.c
function = copy_reference
args     = input, output, uint(n)
INI

# ok for a device whose builders work ahead, and for one with which they alternate.
adds_up() { # NAME
    ok "the kinds add up to the total$1" "$(jq '.spent_ns | ([.wall[]] | add) == .total' "$out")" = true
    ok "none is negative$1" "$(jq '[.spent_ns.wall[]] | length == 8 and all(. >= 0)' "$out")" = true
    # Builders that work ahead may have done all before anybody waits for them.
    ok "what was done took time$1" "$(jq '.spent_ns.wall | [.noise, .running, .playoff,
        .baseline, .store, .strategy, .other] | all(. > 0)' "$out")" = true
    ok "the play-off as long as it says$1" "$(jq '.spent_ns.wall.playoff >= .playoff.spent_ns * 0.9
        and .spent_ns.wall.playoff < .spent_ns.total' "$out")" = true
    ok "the A/A test too$1" "$(jq '.spent_ns.wall.noise >= .noise.spent_ns * 0.9' "$out")" = true
    ok "workers measured$1" "$(jq '.spent_ns | .measure > 0 and .start > 0 and .build > 0' "$out")" = true
    # Without the play-off, the A/A test and the baseline.
    ok "running is a part of what the runner did$1" \
        "$(jq '.spent_ns.wall.running <= .scheduler.run_wall_ns' "$out")" = true
    ok "building alone is a part of building$1" \
        "$(jq '.spent_ns.wall.building <= .scheduler.build_wall_ns' "$out")" = true
}

run "$cltune" search "$work/virtual.ini" -d VideoCore --json -q --no-cache
exits 0 "a search"
adds_up ""
export VIRTUALCL_TYPE=cpu
CLTUNE_DB=$work/cpu.db
run "$cltune" search "$work/virtual.ini" -d VideoCore --json -q --no-cache
exits 0 "a search on a CPU device"
adds_up " on a CPU device"
ok "builders are waited for on a CPU device" "$(jq '.spent_ns.wall.building > 0' "$out")" = true
run "$cltune" search "$work/virtual.ini" -d VideoCore --json -q
exits 0 "one that has nothing to do"
ok "adds up" "$(jq '.spent_ns | ([.wall[]] | add) == .total
    and .wall.playoff < .total' "$out")" = true

run "$cltune" search "$work/virtual.ini" -d VideoCore --fresh -v
exits 0 "in words"
for kind in "A/A test" "building alone" running play-off database strategy "host baseline" other; do
    ok "$kind has a line" "$(grep -c "^$kind  *[0-9.]* s  *[0-9.]*%\$" "$out")" = 1
done
ok "they follow what was spent in all" "$(sed -n '/^spent /,/^total/p' "$out" | grep -c '%$')" = 9
ok "they add up" "$(sed -n '/^WALL TIME/,/^total/p' "$out" | awk '/^total/ { total = $(NF - 2); next }
    / s / { sum += $(NF - 2) } END { print sum - total < 0.01 && total - sum < 0.01 }')" = 1
for phase in start data build "first launch" check measure; do
    ok "$phase has a line" "$(sed -n '/^IN WORKERS/,$p' "$out" | grep -c "^$phase  *[0-9.]* s ")" = 1
done
run "$cltune" search "$work/virtual.ini" -d VideoCore
out_lacks "WALL TIME" "not without -v"
done_testing
