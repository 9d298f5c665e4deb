#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/schema.md names every table and column, and its questions can be asked.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
doc=$root/doc/schema.md

run "$cltune" search "$root/tests/cli/spaces/virtual.ini" -d 0:0 --param WG=4 --param VEC=1 -q
exits 0 "a database"

sqlite3 "$CLTUNE_DB" "select name from sqlite_schema where type = 'table'
    and name not like 'sqlite%'" >"$work/tables"
ok "it has tables" "$(wc -l <"$work/tables")" -ge 10
missing=
while read -r table; do
    sed -n "/^### $table\$/,/^##/p" "$doc" | sed '1d' >"$work/section"
    [ -s "$work/section" ] || missing="$missing $table"
    for column in $(sqlite3 "$CLTUNE_DB" "select name from pragma_table_info('$table')
        where name not in ('id', 'hash') and name not like '%\_id' escape '\\'
        and name not like 'mismatch%'"); do
        # Keys and what repeats another table's are named there.
        grep -qF "\`$column\`" "$doc" || missing="$missing $table.$column"
    done
done <"$work/tables"
: >"$out"
: >"$err"
ok "every table and column is told of" "$missing" = ""

# Indented lines are SQL; a question ends with a semicolon.
sed -n 's/^    //p' "$doc" >"$work/questions.sql"
ok "there are questions" "$(grep -c ';' "$work/questions.sql")" -ge 4
run sqlite3 -bail "$CLTUNE_DB" ".read $work/questions.sql"
exits 0 "they can be asked"
out_has "VideoCore" "and are answered"

done_testing
