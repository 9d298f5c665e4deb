#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Databases that cannot be used: one clear message, the right status, the file as it was.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
few="--param WG=4 --param VEC=1"

run "$cltune" best
exits 3 "no database"
err_has "no database" "says so"
ok "none was made" ! -e "$CLTUNE_DB"

unset CLTUNE_DB
run env -u HOME -u XDG_DATA_HOME "$cltune" best
exits 1 "no place for a database"
run env HOME="$work" XDG_DATA_HOME= "$cltune" search "$space" -d 0:0 $few -q
exits 0 "the default place"
ok "is under ~/.local/share" -f "$work/.local/share/cltune/cltune.db"
# make install PREFIX=~/.local makes folders there.
ok "and leaves room for installed space files" ! -e "$work/.local/share/cltune/spaces"
mv "$work/.local/share/cltune/searched" "$work/.local/share/cltune/spaces"
run env HOME="$work" XDG_DATA_HOME= "$cltune" search "$space" -d 0:0 $few -q
ok "a list that is in their place is renamed" ! -e "$work/.local/share/cltune/spaces"
ok "and kept" "$(wc -l <"$work/.local/share/cltune/searched")" = 1
export CLTUNE_DB="$work/cltune.db"

run "$cltune" search "$space" -d 0:0 $few -q --db "$work/nofolder/a.db"
exits 1 "a folder that is not there"
err_has "nofolder" "names it"

echo "This is no database, but it is long enough to be taken for one by its size." >"$work/text.db"
cp "$work/text.db" "$work/text.copy"
run "$cltune" best --db "$work/text.db"
exits 1 "a file that is no database"
run "$cltune" search "$space" -d 0:0 $few -q --db "$work/text.db"
exits 1 "nor is it written"
ok "and it is as it was" "$(cmp "$work/text.db" "$work/text.copy" && echo same)" = same

run "$cltune" search "$space" -d 0:0 $few -q
exits 0 "a good one"
sqlite3 "$CLTUNE_DB" "pragma wal_checkpoint(truncate)" >/dev/null

cp "$CLTUNE_DB" "$work/newer.db"
sqlite3 "$work/newer.db" "pragma user_version = 999"
run "$cltune" best --db "$work/newer.db"
exits 1 "a newer schema"
err_has "newer" "says that it is newer"
run "$cltune" search "$space" -d 0:0 $few -q --db "$work/newer.db"
exits 1 "is not written either"
ok "and stays newer" "$(sqlite3 "$work/newer.db" 'pragma user_version')" = 999

cp "$CLTUNE_DB" "$work/corrupt.db"
dd if=/dev/urandom of="$work/corrupt.db" bs=1 seek=100 count=8000 conv=notrunc 2>/dev/null
run "$cltune" search "$space" -d 0:0 --fresh $few -q --db "$work/corrupt.db"
exits 1 "a corrupt database"
ok "one message" "$(wc -l <"$err")" = 1

sqlite3 "$work/other.db" "create table t (x); pragma application_id = 77"
run "$cltune" search "$space" -d 0:0 $few -q --db "$work/other.db"
exits 1 "another program's database"

mkfifo "$work/pipe"
run timeout 60 "$cltune" best vcopy --db "$work/pipe"
exits 1 "a FIFO is not waited for"
err_has "pipe is a FIFO, not a database" "but refused"
run timeout 60 "$cltune" db merge "$work/pipe"
exits 1 "nor when it is to be merged"

# Held by a writer for longer than anyone waits.
sqlite3 "$CLTUNE_DB" "begin immediate;" ".shell touch '$work/held'; sleep 8" >/dev/null 2>&1 &
holder=$!
while [ ! -e "$work/held" ]; do sleep 0.05; done
run "$cltune" search "$space" -d 0:0 $few --fresh -q
exits 1 "a locked database"
err_has "lock" "says so"
run "$cltune" best vcopy
exits 0 "which can still be read"
wait $holder

if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/ro" && cp "$CLTUNE_DB" "$work/ro/a.db" && chmod 500 "$work/ro" &&
        chmod 400 "$work/ro/a.db"
    ro=$work/ro/a.db
elif mkdir "$work/ro" && cp "$CLTUNE_DB" "$work/ro/a.db" 2>/dev/null &&
    chattr +i "$work/ro/a.db" 2>/dev/null; then
    ro=$work/ro/a.db
elif mount --bind "$work/ro" "$work/ro" 2>/dev/null &&
    mount -o remount,ro,bind "$work/ro" 2>/dev/null; then
    ro=$work/ro/a.db
else
    ro=
fi
if [ -n "$ro" ]; then
    run "$cltune" search "$space" -d 0:0 $few --fresh -q --db "$ro"
    exits 1 "a read-only database is not written"
    run "$cltune" best vcopy --db "$ro"
    exits 0 "but read"
    chattr -i "$ro" 2>/dev/null
    umount "$work/ro" 2>/dev/null
    chmod 700 "$work/ro"
else
    skip 2 "root, and neither immutable files nor read-only mounts"
fi

# SQLite follows links: its files are beside what they lead to.
printf 'WG,time_ms\n1,2\n' >"$work/plain.csv"
import() { run "$@" "$cltune" db import "$work/plain.csv" --kernel k -d Card; }
mkdir "$work/links" "$work/target"
ln -s ../target/new.db "$work/links/new.db"
ln -s new.db "$work/links/second.db"
import env "CLTUNE_DB=$work/links/second.db"
exits 0 "a link to a link to a database that is made"
ok "where they lead" -f "$work/target/new.db"
ln -s "$work/missing/a.db" "$work/links/lost.db"
import env "CLTUNE_DB=$work/links/lost.db"
exits 1 "a link into a folder that is missing"
err_has "the folder $work/missing of the database $work/links/lost.db does not exist" "which is named"
stranger=
[ "$(id -u)" -ne 0 ] || stranger="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ -z "$stranger" ] || $stranger true 2>/dev/null; then
    chmod 755 "$work" "$work/bin"
    chmod 777 "$work/target"
    chmod 666 "$work/target/new.db"
    chmod 555 "$work/links"
    # shellcheck disable=SC2086
    import $stranger env "CLTUNE_DB=$work/links/new.db" "HOME=$work/target"
    exits 0 "a link in a folder that is read-only"
    chmod 777 "$work/links"
    chmod 555 "$work/target"
    # shellcheck disable=SC2086
    import $stranger env "CLTUNE_DB=$work/links/new.db" "HOME=$work/links"
    exits 1 "a link into a folder that is read-only"
    err_has "cannot write to the folder $work/links/../target of the database" "is named"
    chmod 755 "$work/links" "$work/target"
else
    skip 3 "root, and there is no other user"
fi

# A full disk: no file may grow beyond what the program has written so far.
run sh -c "ulimit -f 8; '$cltune' search '$space' -d 0:0 -q --db '$work/full.db'"
exits 1 "a full disk"
ok "one message" "$(grep -c . "$err")" -le 2
ok "the file is sound" "$(sqlite3 "$work/full.db" 'pragma integrity_check' 2>&1)" = ok

done_testing
