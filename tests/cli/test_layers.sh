#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Databases in layers: the user's on top of those of applications and of the system.
. "$(dirname "$0")/lib.sh"
golden=$root/tests/golden/emit
# make_db FILE SQL: the store of the golden exports, changed.
make_db() {
    {
        echo "PRAGMA foreign_keys = OFF; BEGIN;"
        cat "$root"/db/schema/*.sql
        echo "PRAGMA user_version = $(ls "$root"/db/schema/*.sql | wc -l);"
        cat "$golden/store.sql"
        echo "$2; COMMIT;"
    } | sqlite3 -bail "$1" >/dev/null
}
faster="update result set time_ns = time_ns / 2; update score set rank = rank / 2; update best set value = value / 2"
mkdir -p "$work/app" "$work/share/cltune" "$work/empty"
# The user has device B alone; the application another time for it, and device A; the system other sizes.
make_db "$CLTUNE_DB" "delete from best where device_id = 1; delete from score where device_id = 1; delete from result where device_id = 1; delete from device where id = 1"
make_db "$work/app/app.db" "$faster"
make_db "$work/share/cltune/system.db" "$faster; update problem set sizes = '{\"m\":256,\"n\":100000}' where id = 1"
export CLTUNE_DB_PATH="$work/app" XDG_DATA_DIRS="relative:$work/empty:$work/share"
answer() { jq -c '.[] | [.device[0:6], .problem.n, .time_ns, (.layer | sub(".*/"; "")), .evidence]' "$out"; }

run "$cltune" best odd-1 -d "Card B" -p n=512 --json
ok "at equal evidence the user's" "$(answer)" = '["Card B",512,250000,"","same device and driver"]'
run "$cltune" best odd-1 -d 'Card "A' -p n=512 --json
out_has "app.db" "who is not in the user's is found in the application's"
run "$cltune" best odd-1 -d 'Card "A' -p n=512
out_has "database  $work/app/app.db" "and text says where"
run "$cltune" best odd-1 -d "Card B" -p n=100000 --json
ok "the nearest problem counts more than the layer" "$(answer)" = '["Card B",100000,125000,"system.db","same device and driver"]'
run "$cltune" best odd-1 -d "Card B" -p n=600 --json
ok "of equally near problems the user's" "$(answer)" = '["Card B",512,250000,"","same device and driver"]'
run "$cltune" best odd-1 -p n=512 --json
ok "a list has each device once" "$(answer | LC_ALL=C sort | tr "\n" " ")" = \
    '["Card B",512,250000,"","same device and driver"] ["Card \"",512,500000,"app.db","same device and driver"] '
run "$cltune" best odd-1 -d 'Card "A' -p n=512 --format t4
exits 0 "all results of a lower layer"
ok "come from it" "$(jq '.results | length' "$out")" = 8
run "$cltune" best odd-1 -d "Card B" -p n=512 --json --db "$work/app/app.db"
ok "--db is one file alone" "$(answer)" = '["Card B",512,125000,"","same device and driver"]'

CLTUNE_DB=$work/none.db run "$cltune" best odd-1 -d "Card B" -p n=512 --json
ok "without a file of the user's the layers answer" "$(answer)" = '["Card B",512,125000,"app.db","same device and driver"]'
CLTUNE_DB=$work/none.db CLTUNE_DB_PATH='' XDG_DATA_DIRS=$work/empty run "$cltune" best odd-1
exits 3 "with none at all there is nothing"
err_has "no database at $work/none.db" "which is said of the user's"
CLTUNE_DB_PATH=$work/share/cltune/system.db:$work/app/app.db run "$cltune" best odd-1 -d 'Card "A' -p m=256 --json
out_has "system.db" "files are named in their order"

seq 100 >"$work/app/bad.db"
run "$cltune" best odd-1 -d "Card B" -p n=512 --json
exits 0 "a layer that is no database"
err_has "a database is not used: $work/app/bad.db is not a cltune database" "is left out with a warning"
ok "the others answer" "$(answer)" = '["Card B",512,250000,"","same device and driver"]'
cp "$work/app/bad.db" "$work/bad.db"
CLTUNE_DB=$work/bad.db run "$cltune" best odd-1
exits 1 "the user's own is not left out"
rm "$work/app/bad.db"
# Write-ahead logging, as cltune's own files have it: also where the folder may be written to.
sqlite3 "$work/app/app.db" "pragma journal_mode = wal" >/dev/null
run "$cltune" best odd-1 -d 'Card "A' -p n=512 --json
ok "a copied file answers" "$(answer)" = '["Card \"",512,500000,"app.db","same device and driver"]'
ok "and nothing is written beside it" "$(ls "$work/app")" = app.db
cp "$work/app/app.db" "$work/log.db"
# A copy while its writer is busy, with what is in the log alone.
sqlite3 "$work/log.db" "update result set time_ns = 7 where id = 1" ".shell cp '$work/log.db' '$work/log.db-wal' '$work/app/'"
rm "$work/app/app.db"
run "$cltune" best odd-1 -d 'Card "A' -p n=512 --json
ok "a log is read, too" "$(jq '.[0].time_ns' "$out")" = 7
rm "$work/app"/log.db*
cp "$work/log.db" "$work/app/app.db"
chmod 555 "$work/app" "$work/share/cltune"
chmod 444 "$work/app/app.db"
run "$cltune" best odd-1 -d 'Card "A' -p n=512 --json
exits 0 "layers may be read-only"
chmod 755 "$work/app" "$work/share/cltune"
ok "and nothing is written there" "$(ls "$work/app")" = app.db
done_testing
