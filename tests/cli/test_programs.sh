#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of programs and builds that use tuned values are built against an installed cltune, and run.
. "$(dirname "$0")/lib.sh"
if grep -q __asan_init "$build/libcltunedb.a"; then
    skip 1 "the library has sanitizers, which its programs would have to have"
    done_testing
    exit 0
fi
prefix=$work/prefix
export XDG_DATA_HOME="$work/data"
run make -s -C "$root" BUILD="$build" PREFIX="$prefix" install
exits 0 "make install"
cp -r "$root/examples" "$work/examples"
cd "$work/examples" || exit 1
export PATH="$prefix/bin:$PATH" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"

# --- at start-up ---
run make -s -C start-up
exits 0 "start-up: builds"
cd start-up || exit 1
run ./start_up
exits 0 "start-up: without a database"
out_has "defaults: no database at" "it says why it uses the defaults"
out_has "right" "and computes"
run cltune search ../scale/scale.ini -d 0:0 -j 1 -q --rough -p n=100000 --param WG=16,64 --param ITEMS=2,4 --param MATH=
exits 0 "a search"
run ./start_up
exits 0 "start-up: with a database"
out_has "tuned: -cl-std=CL1.2" "it uses the best"
out_has "same device and driver" "of this device"
out_has "right" "and computes"
sqlite3 "$CLTUNE_DB" ".backup '$work/spoilt.db'"
sqlite3 "$work/spoilt.db" "update result set flags = '-no-such-option'"
CLTUNE_DB=$work/spoilt.db run ./start_up
out_has "right" "options that the driver refuses are no reason to fail"
echo nonsense >"$work/nonsense.db"
CLTUNE_DB=$work/nonsense.db run ./start_up
out_has "defaults: $work/nonsense.db is not a cltune database" "nor is a damaged database"
out_has "right" "it computes"
cd ..
best=$(cltune best scale --json | jq -r '.[0].configuration | "ITEMS=\(.ITEMS) WG=\(.WG)"')

# --- a program binary ---
run make -s -C program-binary CFLAGS=-Werror
exits 0 "program-binary: builds"
cd program-binary || exit 1
run ./program_binary
out_has "from source: cannot read scale.bin.json" "without the binary it builds from source"
out_has "right" "and computes"
run make -s scale.bin
exits 0 "program-binary: an export"
run ./program_binary
out_has "binary of scale: $(cltune best scale --format flags), groups of ${best#*WG=}" "it loads the binary of the best"
out_has "right" "and computes"
printf '\0' >>scale.bin
run ./program_binary
out_has "from source: scale.bin has" "a damaged one is refused"
out_has "right" "and it builds from source"
cd ..

# --- builds ---
run make -s -C make-project
exits 0 "make-project: builds"
ok "with the best" "$(make-project/main)" = "$best"
CLTUNE_DB=$work/none.db run make -s -C make-project retune
exits 0 "make-project: without a database"
ok "with the defaults" "$(make-project/main)" = "ITEMS=1 WG=0"
if command -v cmake >/dev/null; then
    run cmake -S cmake-project -B "$work/cmake" -D CMAKE_PREFIX_PATH="$prefix"
    exits 0 "cmake-project: find_package(cltunedb)"
    run cmake --build "$work/cmake"
    exits 0 "cmake-project: builds"
    ok "with the best" "$("$work/cmake/main")" = "$best"
    CLTUNE_DB=$work/none.db run cmake -S cmake-project -B "$work/cmake2" -D CMAKE_PREFIX_PATH="$prefix"
    exits 0 "cmake-project: without a database"
    err_has "main is not tuned" "it warns"
    run cmake --build "$work/cmake2"
    ok "and builds with the defaults" "$("$work/cmake2/main")" = "ITEMS=1 WG=0"
else
    skip 6 "no cmake"
fi

# --- without SQLite ---
run make -s -C without-sqlite MINI="$prefix/share/cltune/mini"
exits 0 "without-sqlite: builds"
run cltune db export --text -o tuned.txt
exits 0 "an export as text"
device=$(sqlite3 "$CLTUNE_DB" "select name from device limit 1")
run without-sqlite/main tuned.txt "$device"
out_has "tuned: $(cltune best scale --format flags), groups of ${best#*WG=}" "it uses the best"
run without-sqlite/main none.txt "$device"
out_has "defaults: -D ITEMS=1" "without the file the defaults"
done_testing
