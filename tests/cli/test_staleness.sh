#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best and libcltunedb say when source, space file or driver changed since a result was measured.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_PACE=0 XDG_DATA_HOME="$work/data"
mkdir "$work/data"
cp "$root"/tests/cli/spaces/virtual.* "$root"/tests/cli/spaces/copy.c "$work/"
run "$cltune" search "$work/virtual.ini" -d VideoCore -q --rough
exits 0 "a search"
words() {
    run "$cltune" best vcopy --json "$@"
    jq -c '.[0].stale' "$out"
}
touch -d "1 hour ago" "$work/virtual.cl"
ok "nothing has changed" "$(words)" = '[]'
run "$cltune" best vcopy
out_lacks "out of date" "and nothing is said"

touch -d "1 hour" "$work/virtual.cl"
ok "a modified source" "$(words)" = '["source_file"]'
run "$cltune" best vcopy
out_has "note      this answer may be out of date: a source file of the kernel was modified since; search again" "text says so"
run "$cltune" best vcopy --format header
exits 0 "a header is written"
err_has "this answer may be out of date: a source file" "with a warning"
touch -d "1 hour ago" "$work/virtual.cl"

echo "; another line" >>"$work/virtual.ini"
ok "a space file that changed" "$(words)" = '["space_file"]'
rm "$work/virtual.ini"
ok "a space file that is gone tells nothing" "$(words)" = '[]'
cp "$root"/tests/cli/spaces/virtual.ini "$work/"

sed -i 's/^__kernel/#define NEW 1\n&/; s/^kernel/#define NEW 1\n&/' "$work/virtual.cl"
touch -d "1 hour ago" "$work/virtual.cl"
run "$cltune" search "$work/virtual.ini" -d "Virtual GPU" -q --rough
ok "a newer source was searched, on another device" "$(words -d VideoCore)" = '["source"]'

# best does not load OpenCL: it is told which driver there is.
cp "$root"/tests/cli/spaces/virtual.* "$work/"
touch -d "1 hour ago" "$work/virtual.cl"
driver=$(sqlite3 "$CLTUNE_DB" "select driver_version from device where name = 'Virtual GPU'")
ok "the driver of the search" "$(words -d "Virtual GPU" --assume "DRIVER_VERSION=$driver")" = '[]'
ok "another driver" "$(words -d "Virtual GPU" --assume DRIVER_VERSION=99.1)" = '["driver"]'
run "$cltune" best vcopy -d "Virtual GPU" --assume DRIVER_VERSION=99.1
out_has "evidence  same device, other driver" "which is nearest evidence"
out_has "this answer may be out of date: it was measured with another driver" "and is said"
cp "$CLTUNE_DB" "$work/drivers.db"
sqlite3 "$work/drivers.db" "update device set driver_version = '99.1' where name like '%VideoCore%'"
ok "where some answers are of that driver they count" "$(words --db "$work/drivers.db" --assume DRIVER_VERSION=99.1 | head -1)$(jq -r '[.[].device] | unique | length' "$out")" = '["source"]1'

# A database of others names files that were not searched here: they are not looked at.
export XDG_DATA_HOME="$work/other"
mkdir "$work/other"
touch -d "1 hour" "$work/virtual.cl"
echo ";" >>"$work/virtual.ini"
ok "files that a stranger's database names are not opened" "$(words -d "Virtual GPU")" = '[]'
cp "$root/tests/cli/spaces/virtual.ini" "$work/"

# The library, for a device with another driver.
cat >"$work/user.c" <<'END'
#include "cltunedb.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    cltunedb *db;
    cltunedb_answers *answers = NULL;
    cltunedb_query query = CLTUNEDB_QUERY_INIT;
    char message[CLTUNEDB_MESSAGE_BYTES] = "";
    const cltunedb_answer *a;
    if (cltunedb_open(NULL, &db, message, sizeof(message)))
        return puts(message), 1;
    query.kernel = "vcopy";
    query.device_name = "Virtual GPU";
    query.driver_version = argc > 1 ? argv[1] : NULL;
    if (cltunedb_find(db, &query, &answers, message, sizeof(message)))
        return puts(message), 1;
    a = cltunedb_answer_at(answers, 0);
    printf("%d %d\n", cltunedb_stale(a), (int)a->layer_number);
    cltunedb_free(answers);
    cltunedb_close(db);
    return 0;
}
END
if grep -q __asan_init "$build/libcltunedb.a"; then
    skip 4 "the library has sanitizers"
else
    run cc -I "$root/db" -o "$work/user" "$work/user.c" "$build/libcltunedb.a" -lsqlite3 -ljansson -lxxhash -lm -lpthread
    exits 0 "a program that uses the library"
    driver=$(sqlite3 "$CLTUNE_DB" "select driver_version from device where name = 'Virtual GPU'")
    run "$work/user" "$driver"
    ok "nothing has changed there" "$(cat "$out")" = "0 0"
    run "$work/user" 99
    ok "another driver" "$(cat "$out")" = "4 0"
    echo ";" >>"$work/virtual.ini"
    run "$work/user" 99
    ok "and another space file" "$(cat "$out")" = "6 0"
fi
done_testing
