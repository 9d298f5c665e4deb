#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of the user and folders that drivers cannot write to: nothing is stored as the
# kernels' fault, and cltune says what to mend.  With the real driver where there is one.
. "$(dirname "$0")/lib.sh"
skip_with_sanitizers
stored() { [ -e "$CLTUNE_DB" ] && sqlite3 "$CLTUNE_DB" 'select count(*) from result' || echo 0; }

# --- address space, virtual: the compiler wants 2 GiB ---
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's|\.\./\.\./cli/spaces/||' "$root/tests/attack/spaces/slow.ini" >"$work/slow.ini"
{ echo '#pragma virtual fault * * build_leak:2000'; cat "$root/tests/attack/spaces/slow.cl"; } >"$work/slow.cl"
CLTUNE_DB=$work/v.db
run env OCL_ICD_VENDORS="$virtual" sh -c "ulimit -v 1000000; exec \"$cltune\" search \"$work/slow.ini\" -d 0:1 --rough"
exits 1 "short address space from the start"
err_has "ulimit -v" "is named"
ok "nothing is stored" "$(stored)" = 0

# --- PoCL ---
if [ "$("$cltune" devices 2>/dev/null | grep -ci 'portable computing\|pocl')" -eq 0 ]; then
    skip 9 "no PoCL here"
    done_testing
    exit
fi
unset OCL_ICD_VENDORS
mkdir "$work/kernels" "$work/spaces"
cp "$root/spaces/copy.ini" "$work/spaces/"
cp "$root"/kernels/copy* "$work/kernels/"
search="search $work/spaces/copy.ini -p n=65536 -d 0:0 --rough -n 3 -s random"

CLTUNE_DB=$work/f.db
run env XDG_CACHE_HOME="$work/f" sh -c "unset POCL_CACHE_DIR; ulimit -f 80; exec \"$cltune\" $search"
exits 1 "short files"
err_has "ulimit -f" "are named"
ok "nothing is stored" "$(stored)" = 0

CLTUNE_DB=$work/p.db
echo >"$work/file"
# shellcheck disable=SC2086
run env POCL_CACHE_DIR="$work/file" "$cltune" $search
exits 1 "a cache that is a file"
err_has "POCL_CACHE_DIR" "is named"
ok "nothing is stored" "$(stored)" = 0

# In the middle: it is gone, and a file is in its place.
CLTUNE_DB=$work/m.db
mkdir "$work/pocl"
sed -i '/^\[reference\]/a ; in the middle' "$work/spaces/copy.ini"
POCL_CACHE_DIR=$work/pocl "$cltune" search "$work/spaces/copy.ini" -p n=65536 -d 0:0 --rough -n 60 \
    -s random >"$out" 2>"$err" </dev/null &
pid=$!
tries=0
while [ "$(stored 2>/dev/null)" -lt 3 ] 2>/dev/null && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
rm -rf "$work/pocl"
echo >"$work/pocl"
wait $pid
status=$?
exits 1 "a cache that becomes a file"
err_has "POCL_CACHE_DIR" "is named"
ok "only what worked is stored" "$(sqlite3 "$CLTUNE_DB" "select count(*) from result
    where status in ('crashed', 'build_failed', 'timeout')")" = 0

done_testing
