#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cltune build-farm: tasks fill a cache side by side, searches then compile nothing; tasks that are
# killed, and folders that cannot be written.
. "$(dirname "$0")/lib.sh"
pocl=${OCL_ICD_VENDORS-}
export OCL_ICD_VENDORS="$virtual" XDG_CACHE_HOME="$work/cache" VIRTUALCL_LOG="$work/log"
# 100 configurations.
cp "$root"/tests/cli/spaces/many.* "$root/tests/cli/spaces/copy.c" "$work/"
sed -i 's/^A = .*/A = 0..3/' "$work/many.ini"
space=$work/many.ini
binaries=$work/cache/cltune/binaries

# Compilations of configurations: the kernel's declaration is compiled with another option.
usual() { sed -n 's/.* build_begin .*\(options=[^ ]*\) macros=A=3;.*/\1/p' "$1" | sort | uniq -c | sort -n | tail -1 | awk '{ print $2 }'; }
compiled() { grep build_begin "$work/log" | grep -c "$options"; }
files() { find "$binaries" -name "*$1" | wc -l; }

# --- two tasks at once on one folder, both of which build everything ---

"$cltune" build-farm "$space" -d 0:1 --json >"$work/one.json" 2>"$work/one.err" &
one=$!
run "$cltune" build-farm "$space" -d 0:1 --json
exits 0 "a task"
wait $one
ok "another one at once" $? -eq 0
ok "both count everything" "$(jq -s -c 'map([.configurations, .failed, .built + .from_cache]) | unique' \
    "$out" "$work/one.json")" = '[[100,0,100]]'
ok "each binary is one file, and so are three samples" "$(files .bin)" = 103
ok "nothing is left half written" "$(files .part)" = 0
options=$(usual "$work/log")
ok "the driver has compiled at least all" "$(compiled)" -ge 103

: >"$work/log"
run "$cltune" search "$space" -d 0:1 --json -q
exits 0 "a search"
ok "takes all from the cache" "$(jq -c '[.scheduler.built, .scheduler.from_cache]' "$out")" = '[0,100]'
ok "and the driver compiles nothing" "$(compiled)" = 0

# --- shards, and what a strategy asks for ---

for i in 1 2; do
    run env XDG_CACHE_HOME="$work/shards" "$cltune" build-farm "$space" -d 0:1 --shard $i/2 --json
    exits 0 "shard $i of 2"
    cat "$out" >>"$work/shards.json"
done
ok "together they are the space, and the default" "$(jq -s -c 'map(.built) | add' "$work/shards.json")" = 100
run env SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=2 XDG_CACHE_HOME="$work/shards" \
    "$cltune" build-farm "$space" -d 0:1 --shard auto --json
ok "a task of a job array knows its shard" "$(jq -c '[.built, .from_cache <= 51]' "$out")" = '[0,true]'
export XDG_CACHE_HOME="$work/asked"
run "$cltune" build-farm "$space" -d 0:1 -s random -n 20 --seed 3
exits 0 "what a strategy asks for"
out_has "of 21 configurations, 0 from stored binaries, 0 failed" "is a part of the space and the default"
run "$cltune" search "$space" -d 0:1 -s random -n 20 --seed 3 --json -q \
    --db "$work/asked.db"
ok "and is what it asks for" "$(jq -c '[.scheduler.built, .scheduler.from_cache]' "$out")" = '[0,20]'

# --- a killed task ---

export XDG_CACHE_HOME="$work/killed"
binaries=$work/killed/cltune/binaries
sed -i '1i #pragma virtual build_time 20000000' "$work/many.cl"
"$cltune" build-farm "$space" -d 0:1 -q >/dev/null 2>&1 &
task=$!
for _ in $(seq 500); do
    [ "$(find "$work/killed" -name '*.bin' 2>/dev/null | wc -l)" -lt 10 ] || break
    sleep 0.02
done
kill -KILL $task
wait $task 2>/dev/null
# Its builders notice that at the end of what they are at.
sleep 0.2
left=$(files .bin)
: >"$work/log"
run "$cltune" build-farm "$space" -d 0:1 --json
exits 0 "after a task was killed another one continues"
ok "with all that it left" "$(jq ".from_cache >= $left - 3 and .built == 100 - .from_cache and .built > 0" "$out")" = true
# Each compiles the samples, unless they are there.
ok "compiling only the rest" "$(compiled)" = $((103 - left))

# --- mistakes ---

echo x >"$work/file"
run env XDG_CACHE_HOME="$work/file" "$cltune" build-farm "$space" -d 0:1
exits 1 "a cache that cannot be written"
ok "is one line" "$(wc -l <"$err")" = 1
err_has "$work/file: Not a directory" "that names the folder"
if [ "$(id -u)" -eq 0 ] && mkdir "$work/small" &&
    mount -t tmpfs -o size=4m,nr_inodes=40 tmpfs "$work/small" 2>"$err"; then
    run env XDG_CACHE_HOME="$work/small" "$cltune" build-farm "$space" -d 0:1 -q
    exits 1 "a disk that becomes full"
    err_has "No space left on device" "is said"
    ok "once" "$(grep -c "No space" "$err")" = 1
    umount "$work/small"
else
    skip 3 "no file system of a few files can be mounted here"
fi
run env VIRTUALCL_BINARY=none XDG_CACHE_HOME="$work/none" "$cltune" build-farm "$space" -d 0:1
exits 1 "a driver without binaries"
err_has "the driver provides no binaries" "is said"
run "$cltune" build-farm "$space" -d H200
exits 4 "a device that is not here"
run "$cltune" build-farm "$space" -d 0:1 --shard 1/2 -s random
exits 2 "a shard of a strategy"
err_has "use one of them" "is refused"

printf '[param]\nA = 1, 2\n' >"$work/none.ini"
run "$cltune" build-farm "$work/none.ini" -d 0:1
exits 2 "a file without launches"
err_has "nothing to build" "is refused"
run env CLTUNE_CACHE_SIZE=1K XDG_CACHE_HOME="$work/tiny" "$cltune" build-farm "$space" -d 0:1
exits 1 "binaries larger than a quarter of the cache"
err_has "is not cached: use CLTUNE_CACHE_SIZE" "are an error"
run env CLTUNE_CACHE_SIZE=8K XDG_CACHE_HOME="$work/tiny" "$cltune" build-farm "$space" -d 0:1
err_has "but the cache keeps 8 KiB and drops the oldest" "a cache that cannot hold all is a warning"
sed 's/uint i/syntax error: uint i/; 1i #pragma virtual fault build_error' "$work/many.cl" >"$work/bad.cl"
sed 's/many.cl/bad.cl/' "$space" >"$work/bad.ini"
run "$cltune" build-farm "$work/bad.ini" -d 0:1 -n 3
exits 3 "if nothing compiles"
err_has "no configuration could be built" "that is said"

# --- PoCL compiles at the first launch, into a cache of its own ---

export OCL_ICD_VENDORS="$pocl" XDG_CACHE_HOME="$work/real" POCL_CACHE_DIR="$work/pocl"
[ -n "$pocl" ] || unset OCL_ICD_VENDORS
mkdir "$work/pocl"
sed -i 's/^A = .*/A = 0..1/; s/^B = .*/B = 0..1/' "$space"
if "$cltune" devices -d CPU 2>/dev/null | grep -qi pthread; then
    run "$cltune" build-farm "$space" -d CPU
    exits 0 "PoCL"
    out_has "$work/pocl (PoCL's own)" "its cache is named"
    find "$work/pocl" -name '*.so' | sort >"$work/before"
    ok "and filled" "$(wc -l <"$work/before")" -ge 4
    run "$cltune" search "$space" -d CPU --rough -q
    exits 0 "a search with that cache"
    ok "compiles nothing" -z "$(find "$work/pocl" -name '*.so' | sort | comm -13 "$work/before" -)"
else
    skip 5 "PoCL is not installed"
fi
done_testing
