#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Databases from strangers: nothing of theirs runs, and nothing outside them is touched.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
few="--param WG=4,8 --param VEC=1"
export HOME="$work/home" XDG_DATA_HOME="$work/home/data"
mkdir -p "$XDG_DATA_HOME"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
cd "$work" || exit 1

# A reference that leaves a mark where it runs.
cat >>copy.c <<END
#include <stdio.h>
__attribute__((constructor)) static void mark(void)
{
    FILE *file = fopen("$work/mark", "a");
    if (file) fclose(file);
}
END
# shellcheck disable=SC2086
run "$cltune" search virtual.ini -d 0:0 $few -q
exits 0 "a search"
ok "whose reference runs" -e "$work/mark"
sqlite3 "$CLTUNE_DB" "pragma wal_checkpoint(truncate)" >/dev/null
cp "$CLTUNE_DB" good.db

# --- recheck runs what the database names ---
rm -f mark
run "$cltune" recheck -q
exits 0 "recheck with the space file of an own search"
rm -f mark
export XDG_DATA_HOME="$work/home/other"
run "$cltune" recheck -q --db good.db
exits 2 "recheck of another user's database"
err_has "virtual.ini" "names the space file"
err_has "--space" "and the option that confirms it"
ok "nothing of it has run" ! -e mark
run "$cltune" recheck -q --db good.db --json
exits 2 "nor with --json"
ok "has it run" ! -e mark
# Not the same file, though it has the name of one that is confirmed.
mkdir elsewhere "$work/home/other"
mkdir "$work/home/other/cltune"
echo "$work/elsewhere/virtual.ini" >"$work/home/other/cltune/searched"
run "$cltune" recheck -q --db good.db
exits 2 "another file of that name is confirmed"
ok "and this one is not run" ! -e mark
# A list that others may write to says nothing.
echo "$work/virtual.ini" >"$work/home/other/cltune/searched"
chmod 666 "$work/home/other/cltune/searched"
run "$cltune" recheck -q --db good.db
exits 2 "a list that others may write to"
ok "is not believed" ! -e mark
rm "$work/home/other/cltune/searched"
run "$cltune" recheck -q --db good.db --space virtual.ini
exits 0 "the file is confirmed"
ok "and run" -e mark
run "$cltune" recheck -q --db good.db
exits 0 "and confirmed it stays"
# Nothing is made where there is no home.
# shellcheck disable=SC2086
run env -u XDG_DATA_HOME HOME="$work/none" "$cltune" search virtual.ini -d 0:0 $few --rough -q
exits 0 "a search without a home"
ok "makes no list there" ! -e "$work/none/.local"
export XDG_DATA_HOME="$work/home/data"

# --- a journal that names another file: SQLite deletes that file when it is done ---
name=$work/victim
{
    printf '\331\325\005\371\040\241\143\327\0\0\0\0\0\0\0\0\0\0\0\001\0\0\002\0\0\0\020\0'
    head -c 484 /dev/zero
    printf '\0\004\0\001%s' "$name"
    sum=0
    for byte in $(printf %s "$name" | od -An -tu1 -v); do sum=$((sum + byte)); done
    for value in ${#name} $sum; do
        # shellcheck disable=SC2059
        printf "\\0\\0\\$(printf %03o $((value / 256)))\\$(printf %03o $((value % 256)))"
    done
    printf '\331\325\005\371\040\241\143\327'
} >journal
for command in "search virtual.ini -d 0:0 $few -q" "peak -d 0:0" best recheck; do
    cp good.db named.db
    cp journal named.db-journal
    echo precious >victim
    # shellcheck disable=SC2086
    run "$cltune" $command --db named.db
    exits 1 "a journal that names another file: ${command%% *}"
    err_has "named.db-journal" "${command%% *} names it"
    ok "the other file is there: ${command%% *}" -e victim
done
rm -f named.db*

# --- SQL of the file ---
attack() {
    cp good.db bad.db
    sqlite3 bad.db "$2"
    for command in "search virtual.ini -d 0:0 $few --fresh -q" "peak -d 0:0" best recheck; do
        # shellcheck disable=SC2086
        run timeout -k 5 60 "$cltune" $command --db bad.db
        exits 1 "$1: ${command%% *}"
        ok "$1: ${command%% *} says one thing" "$(grep -c '^cltune: ' "$err")" -eq 1
    done
}
endless="with recursive n(i) as (select 1 union all select i + 1 from n)"
attack "an endless trigger" "create trigger t after insert on run begin
    insert into problem select i, i, i from ($endless select i from n); end"
attack "an endless view in a table's place" "alter table device rename to d;
    create view device as $endless select d.* from d, n"
attack "an expensive index" "create index i on result (length(hex(zeroblob(100000))))"
attack "an expensive column" "alter table run add column g text as (hex(zeroblob(99999999)))"

# --- texts of which each is long, and all are too much ---
cp good.db long.db
sqlite3 long.db "update device set vendor = replace(hex(zeroblob(20000000)), '00', 'x')"
run timeout -k 5 60 "$cltune" best --db long.db
exits 1 "a text of 20 MB"
err_has "too long for cltune" "is not read"

done_testing
