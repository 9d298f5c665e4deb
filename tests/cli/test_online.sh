#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that tune their kernels while they run, against an installed library: the example, and one that
# repeats a launch of a kernel that overwrites its input, and dies.
. "$(dirname "$0")/lib.sh"
if grep -q __asan_init "$build/libcltunedb.a"; then
    skip 1 "the library has sanitizers, which its programs would have to have"
    done_testing
    exit 0
fi
prefix=$work/prefix
export XDG_DATA_HOME="$work/data" XDG_DATA_DIRS="$work/none" CLTUNE_DB_PATH=""
run make -s -C "$root" BUILD="$build" PREFIX="$prefix" install
exits 0 "make install"
cp -r "$root/examples" "$work/examples"
export PATH="$prefix/bin:$PATH" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"
query() { sqlite3 "$CLTUNE_DB" "$1"; }

# --- the example ---
cd "$work/examples/online-tuning" || exit 1
run make -s CFLAGS=-Werror
exits 0 "online-tuning: builds"
run ./online_tuning ../scale 3 0
out_has "tried: 0 launches, confirmed: 0, settled: 3" "without a budget it tries nothing"
out_has "now: -cl-std=CL1.2 -D WG=0 -D ITEMS=1" "and uses the defaults"
ok "nothing is stored" ! -e "$CLTUNE_DB"
# Confirming takes more launches while other programs run, and these may make the choice seem slower than it
# was, so that it is tuned once more.
run ./online_tuning ../scale 200 24
out_has "right" "it computes while it tunes"
ok "results are stored" "$(query "select count(*) > 3 from result where status = 'ok'")" = 1
ok "tuning has come to its end" "$(query "select distinct status || strategy from run")" = "doneonline"
flags=$(cltune best scale --format flags)
out_has "now: $flags" "it uses what cltune best shows"
run ./online_tuning ../scale 5 0
out_has "now: $flags" "the next run begins with that, also without a budget"
run ./online_tuning "$work/none"
exits 1 "online-tuning: without its kernel"
err_has "cannot read $work/none/scale.cl" "it says so"

# --- what a search has found ---
rm -f "$CLTUNE_DB"*
run cltune search ../scale/scale.ini -d 0:0 -j 1 -q --rough -p n=100000 --param WG=16,64 --param ITEMS=2,4 --param MATH=
exits 0 "a search"
flags=$(cltune best scale --format flags)
run ./online_tuning ../scale 5 100
out_has "tried: 0 launches" "the best of a search needs no tuning"
out_has "now: $flags" "it is used"
ok "it is the same device and kernel" "$(query "select (select count(*) from device) || (select count(*) from kernel)")" = 11

# --- a launch that is repeated ---
rm -f "$CLTUNE_DB"*
cd "$root/tests/cli" || exit 1
# shellcheck disable=SC2046
run cc -std=c11 -Werror -Wall -Wextra -o "$work/user" online_user.c $(pkg-config --cflags --libs cltunedb) -lOpenCL
exits 0 "a program that repeats a launch: builds"
run "$work/user" spaces 30 3
ok "it dies while it tries" "$status" -eq 137
died=$(tail -1 "$out")
ok "results from before are stored" "$(query "select count(*) from result")" = 2
run "$work/user" spaces 30
exits 0 "it runs again"
out_has "right" "the kernel's input was saved and restored"
ok "what it died of is known" -n "$died"
ok "and not tried again" "$(grep -c "^$died\$" "$out")" = 0
ok "but stored as crashed" "trying $(query "select flags from result where status = 'crashed'")" = "$died"
run cltune results twice
out_has "a program that tuned died while this configuration was in flight" "cltune results says why"

# --- what looked best works no more, and the budget is used up ---
rm -f "$CLTUNE_DB"*
mkdir "$work/fragile"
sed -e 's/^WG .*/WG = 0, 1, 2, 4, 8, 16, 32, 64/' -e 's/^ITEMS .*/ITEMS = 1/' spaces/inplace.ini >"$work/fragile/inplace.ini"
{
    echo "#pragma virtual base 100000"
    echo "#pragma virtual add WG 0 900000"
    # Four launches of each work: it is tried, and not confirmed.
    for wg in 1 2 4 8 16 32 64; do
        echo "#pragma virtual add WG $wg $((wg * 10))"
        echo "#pragma virtual fault WG $wg launch_error beyond:4"
    done
    cat spaces/inplace.cl
} >"$work/fragile/inplace.cl"
# shellcheck disable=SC2046
run cc -std=c11 -Werror -Wall -Wextra -DVIRTUAL -o "$work/fragile/user" online_user.c $(pkg-config --cflags --libs cltunedb) -lOpenCL
exits 0 "a program for the virtual driver: builds"
run env "OCL_ICD_VENDORS=$virtual" VIRTUALCL_PACE=0 "VIRTUALCL_COUNTERS=$work/fragile/counters" "$work/fragile/user" "$work/fragile" 23
exits 0 "it runs"
ok "the default and four others are tried, and three of them fail" \
    "$(query "select status, count(*) from result group by status order by status" | tr '\n' ' ')" = "invalid|3 ok|2 "
out_has "tried 5, then -D WG=0 -D ITEMS=1" "the default is used, not what nothing has confirmed"
ok "tuning has come to its end" "$(query "select status from run")" = "done"
ok "nothing is ranked" "$(query "select count(*) from score where standing is not null")" = 0

# --- a program that carries its kernel, in a folder without files ---
rm -f "$CLTUNE_DB"*
literal() { # NAME FILE: a C string
    echo "static const char $1[] ="
    sed 's/[\\"]/\\&/g; s/^/"/; s/$/\\n"/' "$2"
    echo ";"
}
{ literal carried_ini spaces/inplace.ini; literal carried_cl spaces/inplace.cl; } >"$work/carried.h"
# shellcheck disable=SC2046
run cc -std=c11 -Werror -Wall -Wextra -DCARRIED -I "$work" -o "$work/carrying" online_user.c $(pkg-config --cflags --libs cltunedb) -lOpenCL
exits 0 "a program that carries its kernel: builds"
run cltune search spaces/inplace.ini -d 0:0 -q --rough
exits 0 "a search of the same files"
flags=$(cltune best twice --format flags)
mkdir "$work/empty"
cd "$work/empty" || exit 1
run "$work/carrying" nowhere 30
exits 0 "it runs in an empty folder"
out_has "right" "and computes"
out_has "tried 0, then $flags" "with what the search has found: it is the same kernel"
rm -f "$CLTUNE_DB"*
run "$work/carrying" nowhere 30
ok "without results it tunes" "$(sed -n 's/^tried \([0-9]*\),.*/\1/p' "$out")" -gt 3
ok "and stores them" "$(query "select count(*) > 3 from result where status = 'ok'")" = 1
ok "without a place" "$(query "select space_path || space_file from kernel")" = ""
done_testing
