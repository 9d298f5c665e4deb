#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The text form of a database and its reader without SQLite, db/mini/cltunedb-mini.c.
. "$(dirname "$0")/lib.sh"
golden=$root/tests/golden/emit
{
    echo "PRAGMA foreign_keys = OFF; BEGIN;"
    cat "$root"/db/schema/*.sql
    echo "PRAGMA user_version = $(ls "$root"/db/schema/*.sql | wc -l);"
    cat "$golden/store.sql"
    echo "update device set vendor_key = 'ven;dor' where id = 1; COMMIT;"
} | sqlite3 -bail "$CLTUNE_DB" >/dev/null
for compiler in "cc -std=c99 -pedantic" "cc -std=c11" "c++ -x c++"; do
    # shellcheck disable=SC2086
    run $compiler -Wall -Wextra -Wshadow -Wconversion -Werror -I "$root/db/mini" -o "$work/mini" \
        "$root/tests/cli/mini_user.c" "$root/db/mini/cltunedb-mini.c" -lm
    exits 0 "$compiler compiles it without a warning"
done
run cc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -I "$root/db/mini" -o "$work/mini" \
    "$root/tests/cli/mini_user.c" "$root/db/mini/cltunedb-mini.c" -lm
exits 0 "with sanitizers"
ok "it needs nothing else" "$(grep -hE '^#include' "$root/db/mini/cltunedb-mini.c" | tr -d '\n')" = \
    '#include "cltunedb-mini.h"#include <math.h>#include <stdio.h>#include <stdlib.h>#include <string.h>'

run "$cltune" db export --text -o "$work/tuned.txt"
exits 0 "export as text"
cp "$work/tuned.txt" "$out"
[ -z "${CT_GOLDEN_WRITE-}" ] || cp "$out" "$golden/store.mini"
cmp -s "$golden/store.mini" "$out"
ok "the recorded bytes" $? -eq 0

mini() { run "$work/mini" "$work/tuned.txt" "$@"; }
answer() { sed 's/|-D.*|\(exact\|near\)/|\1/; s/|-cl.*|\(exact\|near\)/|\1/' "$out"; }
card='Card "A" */ $(id) #1 \'
mini kernel=odd-1 "device=$card" "driver=1.0 \`x\`"
ok "a device" "$(answer)" = "0|$card|m=256 n=512|1000000|exact|32"
out_has "-cl-fast-relaxed-math -D \"MODE=it's \$HOME; #x\" -D SCALE=0.5 -D WG=32" "with its options as they were stored"
mini kernel=odd-1 "device=$card" driver=9
ok "with another driver" "$(answer)" = "1|$card|m=256 n=512|1000000|exact|32"
mini kernel=odd-1 "device=card b"
ok "whatever the case" "$(answer)" = "0|Card B|m=256 n=512|250000|exact|32"
mini kernel=odd-1 "device=Card C" vendor=Vendor type=GPU
ok "an unknown device of a vendor" "$(answer)" = "2||m=256 n=512|250000|exact|32"
mini kernel=odd-1 "device=Other" vendor=Nobody type=GPU
ok "of a type" "$(answer)" = "3||m=256 n=512|250000|exact|32"
mini kernel=odd-1
ok "any device" "$(answer)" = "4||m=256 n=512|250000|exact|32"
mini kernel=odd-1 "device=Card B" "problem=n=600"
ok "the nearest problem" "$(answer)" = "0|Card B|m=256 n=512|250000|near|32"
mini kernel=odd-1 "device=Card B" "problem=k=1"
ok "a name that no problem has" "$(cat "$out")" = none
mini kernel=odd
ok "an unknown kernel" "$(cat "$out")" = none
mini kernel=odd-1 objective=energy_j
ok "an objective that is none" "$(cat "$out")" = none
# Options whose macros follow from the problem are for no other problem.
sqlite3 "$CLTUNE_DB" "update kernel set problem_macros = '{\"N\":\"n\"}'"
rm "$work/tuned.txt"
run "$cltune" db export --text -o "$work/tuned.txt"
mini kernel=odd-1 "device=Card B" "problem=n=600"
ok "options for another problem are refused" "$(cat "$out")" = none
mini kernel=odd-1 "device=Card B" "problem=n=512 m=256"
ok "those for this one are not" "$(answer)" = "0|Card B|m=256 n=512|250000|exact|32"

# The same answers as the library.
run "$cltune" best odd-1 -d "Card B" -p n=512 --format flags
flags=$(cat "$out")
mini kernel=odd-1 "device=Card B" "problem=n=512"
out_has "$flags" "the library gives the same options"

# Texts with blanks and equals signs are one value; words that only begin with a number are texts.
cp "$CLTUNE_DB" "$work/words.db"
sqlite3 "$work/words.db" "update kernel set problem_macros = '{}';
    update result set configuration = '{\"MODE\":\"a WG=999 \\\\s\",\"WG\":2}';
    update problem set sizes = '{\"layout\":\"3x3\",\"mode\":\"infix\",\"n\":16,\"text\":\"a b=c\"}' where id = 1"
rm "$work/tuned.txt"
run "$cltune" db export --text -o "$work/tuned.txt" --db "$work/words.db"
mini kernel=odd-1
ok "a blank in a text ends no value" "$(answer)" = '4||layout=3x3 mode=infix n=16 text=a\sb\ec|250000|exact|2'
mini kernel=odd-1 value=MODE
ok "which is given as it is" "$(answer)" = '4||layout=3x3 mode=infix n=16 text=a\sb\ec|250000|exact|a WG=999 \s'
for same in layout=3x3 mode=infix n=16 n=16.0 n=16. n=1.6e1 n=1.6e+1 n=160e-1 n=.16e2 'text=a\sb\ec' 'text=a\sb=c'; do
    mini kernel=odd-1 "problem=$same" value=WG
    ok "$(printf %s "$same" | tr '\\' :) is the same" "$(answer | sed 's/.*|\(.*\)|2/\1/')" = exact
done
for other in layout=3x5 layout=3 mode=inf mode=infinity mode=nan n=16abc n=0x10 n=-16 n= n=1e n=1e+ n=inf n=1e99999999999999999999 n=1e-99999999999999999999 n=1e400 n=. n=1.6.0 text=a; do
    mini kernel=odd-1 "problem=$other"
    ok "$other is another" "$(cat "$out")" = none
done
mini kernel=odd-1 "problem=n=1e1"
ok "a number nearby" "$(answer | sed 's/.*|\(.*\)|2/\1/')" = near

# What an older source was best with is not exported.
cp "$CLTUNE_DB" "$work/older.db"
sqlite3 "$work/older.db" "insert into kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s,
    problem_macros) select 9, name, printf('%032x', 9), space_path, parameters, constraints, used_unix_s + 9,
    problem_macros from kernel where id = 1;
    update run set kernel_id = 9 where device_id = 2 and kernel_id = 1; update result set kernel_id = 9 where device_id = 2 and kernel_id = 1;
    update score set kernel_id = 9 where device_id = 2 and kernel_id = 1; update best set kernel_id = 9 where device_id = 2 and kernel_id = 1"
rm "$work/tuned.txt"
run "$cltune" best odd-1 -d "$card" --json --db "$work/older.db"
ok "the first device's best is of an older source" "$(jq -c '[.[].outdated]' "$out")" = "[true]"
run "$cltune" db export --text -o "$work/tuned.txt" --db "$work/older.db"
mini kernel=odd-1 "device=$card"
out_lacks "$card" "and is left out of the text"
mini kernel=odd-1 "device=card b"
ok "the newest stays" "$(answer)" = "0|Card B|m=256 n=512|250000|exact|32"

run "$work/mini" --damage "$work/tuned.txt"
exits 0 "damage"
ok "every flipped bit and every cut is refused" "$(cat "$out")" = 0
run "$work/mini" "$work/none"
exits 1 "a file that is missing"
: >"$work/empty"
run "$work/mini" "$work/empty"
exits 2 "an empty file"
run "$cltune" db export nothing --text
exits 3 "a kernel that is not there"
done_testing
