#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best --format: every format byte for byte (tests/golden/emit/store.*; CT_GOLDEN_WRITE=1
# records them), what fits into which, schemas, templates.
. "$(dirname "$0")/lib.sh"
golden=$root/tests/golden/emit

# make_db FILE SQL...: a database with this content, whose ids follow the order of the SQL files.
make_db() {
    file=$1
    shift
    {
        echo "PRAGMA foreign_keys = OFF; BEGIN;"
        cat "$root"/db/schema/*.sql
        echo "PRAGMA user_version = $(ls "$root"/db/schema/*.sql | wc -l);"
        cat "$@"
        echo "COMMIT;"
    } | sqlite3 -bail "$file" >/dev/null
}
make_db "$CLTUNE_DB" "$golden/store.sql"

# is_golden NAME WHAT: the output is that of tests/golden/emit/store.NAME.
is_golden() {
    sed "s/cltune [0-9]*\.[0-9]*\.[0-9]*/cltune VERSION/" "$out" >"$work/shown"
    [ -z "${CT_GOLDEN_WRITE-}" ] || cp "$work/shown" "$golden/store.$1"
    diff "$golden/store.$1" "$work/shown" | sed 's/^/# /'
    cmp -s "$golden/store.$1" "$work/shown"
    ok "$2" $? -eq 0
}

card='Card "A" */ $(id) #1 \'
for format in text json header make cmake shell csv t1 t4 kernel-tuner; do
    run "$cltune" best odd-1 -d "$card" --format $format
    exits 0 "$format"
    is_golden $format "$format: the recorded bytes"
done
run "$cltune" best odd-1 -d "$card" --format flags
exits 1 "flags refuses what a shell expands"
run "$cltune" best odd-1 -d "Card B" --format flags
is_golden flags "flags: the recorded bytes"
run "$cltune" best ints --format clblast
exits 0 "clblast"
is_golden clblast "clblast: the recorded bytes"
err_lacks "precision" "a parameter PRECISION is the precision"
run "$cltune" best odd-1 -d "$card" --format clblast
exits 1 "clblast has no texts"
err_has "parameter MODE of kernel odd-1 is not an integer" "and says which"
run "$cltune" best odd-1 -d "$card" --format cmake
err_has "CLTUNE_ODD_1_FLAGS is left out: the options contain a semicolon" "cmake says what it leaves out"
run "$cltune" best odd-1 -d "$card" --format t1
err_has "constraint line 4 is left out" "so does t1"

# --- several answers ---
run "$cltune" best --format csv
exits 0 "csv of all"
is_golden all.csv "csv: the recorded bytes"
run "$cltune" best --format json
ok "json of all" "$(jq length "$out")" = 3
run "$cltune" best odd-1 -d all --format header
exits 0 "a header of all devices"
is_golden all.header "header: the recorded bytes"
cat >"$work/use.c" <<'END'
#include "all.h"
#include <stdio.h>
#define PRINT(number, device, vendor, type, driver, options) printf("%d|%s|%s\n", number, device, options);
int main(void)
{
    printf("%s %d %d\n", CLTUNE_ODD_1_MODE, CLTUNE_ODD_1_WG, CLTUNE_ODD_1_DEVICES);
    CLTUNE_ODD_1_EACH(PRINT)
    printf("%s\n", CLTUNE_ODD_1_DEFAULT_OPTIONS);
    return 0;
}
END
cp "$out" "$work/all.h"
for device in 0 1 2; do
    run cc -std=c11 -Wall -Werror -DCLTUNE_ODD_1_DEVICE=$device -o "$work/use" "$work/use.c"
    exits 0 "it compiles for device $device"
    run "$work/use"
    [ $device -ne 1 ] || out_has "it's \$HOME; #x 32 2" "device 1 has its own values"
    [ $device -eq 1 ] || out_has "a b 32 2" "device $device has its own values"
    out_has "1|$card|-cl-fast-relaxed-math" "and the list has all"
done
run cc -std=c11 -DCLTUNE_ODD_1_DEVICE=3 -o "$work/use" "$work/use.c"
ok "a device that is none is an error" "$status" -ne 0
err_has "must be a number up to 2" "which says what there is"
run "$cltune" best -d all --format header
exits 2 "two kernels are too many for a header"
run "$cltune" best odd-1 --format header
exits 2 "two devices need --device all"
for format in make shell t4; do
    run "$cltune" best odd-1 --format $format
    exits 2 "two devices are too many for $format"
    err_has "holds only one" "$format says so"
done

# --- the same results in another order give the same bytes ---
make_db "$work/order.db" "$golden/store.sql"
sqlite3 "$work/order.db" "PRAGMA foreign_keys = OFF;
    update score set result_id = 100 - result_id; update best set result_id = 100 - result_id;
    update result set id = 100 - id;" >/dev/null
for format in json csv t4 kernel-tuner header; do
    run "$cltune" best odd-1 -d "$card" --format $format
    cp "$out" "$work/first"
    run "$cltune" best odd-1 -d "$card" --format $format --db "$work/order.db"
    cmp -s "$out" "$work/first"
    ok "$format does not depend on the order of storing" $? -eq 0
done

# --- schemas, stated in our own words from the published ones ---
if python3 -c 'import jsonschema' 2>/dev/null; then
    for format in t1 t4 kernel-tuner; do
        run "$cltune" best odd-1 -d "$card" --format $format
        cp "$out" "$work/document.json"
        run python3 "$root/tests/cli/check_json.py" "$root/tests/golden/schemas/$format.json" "$work/document.json"
        exits 0 "$format: as its schema says"
    done
    run "$cltune" best --format json
    cp "$out" "$work/document.json"
    run python3 "$root/tests/cli/check_json.py" "$root/doc/best.schema.json" "$work/document.json"
    exits 0 "json: as its schema says"
    jq '.[0].rounds = "many"' "$work/document.json" >"$work/wrong.json"
    run python3 "$root/tests/cli/check_json.py" "$root/doc/best.schema.json" "$work/wrong.json"
    exits 1 "and the schema would find a mistake"
else
    skip 5 "no python3-jsonschema"
fi
# T1's conditions are Python, and mean what the constraint means: WG % 16 == 0 && (SCALE < 1 || !(512 / WG > 4)).
run "$cltune" best odd-1 -d "$card" --format t1
ok "t1: conditions that Python evaluates" "$(python3 - "$out" <<'END'
import json, sys
condition = json.load(open(sys.argv[1]))["ConfigurationSpace"]["Conditions"][0]["Expression"]
print(*[int(eval(condition, {}, {"WG": wg, "SCALE": scale})) for wg in (16, 24, 128) for scale in (0.5, 2.0)])
END
)" = "1 0 0 0 1 1"

# ispow2() and roundup() repeat their arguments in Python: nested, they would double the text each time.
nested=WG
for _ in $(seq 60); do nested="roundup(16,$nested)"; done
cp "$CLTUNE_DB" "$work/nested.db"
sqlite3 "$work/nested.db" "update kernel set constraints = '[{\"name\":\"line 3\",\"expression\":\"ispow2(ispow2(WG)) && WG > 1\"},{\"name\":\"line 9\",\"expression\":\"$nested > 0\"}]' where id = 1"
for format in t1 kernel-tuner; do
    run sh -c "ulimit -v 2000000; ulimit -t 20; exec \"\$@\"" - "$cltune" best odd-1 -d "$card" --format $format --db "$work/nested.db"
    exits 0 "$format: nested functions"
done
run "$cltune" best odd-1 -d "$card" --format t1 --db "$work/nested.db"
err_has "constraint line 9 is left out" "whose text would be too long"
ok "the others stay" "$(jq '.ConfigurationSpace.Conditions | length' "$out")" = 1

# Kernel Tuner's simulation mode and its dashboard open the cache.
simulate() { python3 "$root/tests/cli/simulate.py" "$@" 2>&1; }
run "$cltune" best odd-1 -d "$card" --format kernel-tuner
cp "$out" "$work/cache.json"
ok "kernel-tuner: simulation mode finds each result by its values" "$(simulate "$work/cache.json" odd-1 256 512 | jq -c '[.found, .ok, .InvalidConfig, .CompilationFailedConfig, .RuntimeFailedConfig]')" = '[8,2,2,1,3]'
ok "and the best" "$(simulate "$work/cache.json" odd-1 256 512 | jq -c '[.best, .configuration]')" = "[1,[\"it's \$HOME; #x\",0.5,32]]"
# Reals are keys in Python's spelling, and values with all their digits.
cp "$CLTUNE_DB" "$work/reals.db"
reals=100000.0,1e15,1e16,1e-5,0.30000000000000004,9007199254740993.5,123456789012345680.0,5e-324
sqlite3 "$work/reals.db" "update kernel set parameters = '{\"V\":[$reals],\"WG\":[16]}' where id = 1;
    update result set configuration = '{\"V\":' || ('[$reals]' -> ((id - 1) % 8)) || ',\"WG\":16}' where kernel_id = 1"
run "$cltune" best odd-1 -d "$card" --format kernel-tuner --db "$work/reals.db"
cp "$out" "$work/cache.json"
ok "simulation mode finds all kinds of reals" "$(simulate "$work/cache.json" | jq -c '[.found, .missing]')" = "[8,0]"
ok "which are what they were" "$(python3 -c "
import json, sys
print(json.load(open(sys.argv[1]))['tune_params']['V'] == [$reals])" "$work/cache.json")" = True
run "$cltune" best odd-1 -d "$card" --format t4 --db "$work/reals.db"
ok "in t4, too" "$(python3 -c "
import json, sys
print({r['configuration']['V'] for r in json.load(open(sys.argv[1]))['results']} == {$reals})" "$out")" = True
# T1's values are lists that Python and JSON read alike.
python3 - "$work/reals.db" <<'END'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
values = {"V": ["\U0001F600 'q' \"d\" \\ \t \u2028 é", "</script>"], "WG": [16]}
db.execute("update kernel set parameters = ? where id = 1", (json.dumps(values, ensure_ascii=False),))
db.commit()
END
run "$cltune" best odd-1 -d "$card" --format t1 --db "$work/reals.db"
ok "t1: texts that Python and JSON read alike" "$(python3 - "$out" <<'END'
import ast, json, sys
text = json.load(open(sys.argv[1]))["ConfigurationSpace"]["TuningParameters"][0]["Values"]
want = ["\U0001F600 'q' \"d\" \\ \t \u2028 é", "</script>"]
print(json.loads(text) == want, ast.literal_eval(text) == want)
END
)" = "True True"

# --- what compilers for C know of the options ---
cp "$CLTUNE_DB" "$work/options.db"
sqlite3 "$work/options.db" "update result set flags = '-cl-mad-enable -DA=1 -D B=2 -U C -I inc -w -D' where kernel_id = 2"
run "$cltune" best ints --format make --db "$work/options.db"
out_has "CLTUNE_INTS_DEFINES := -DA=1 -D B=2 -U C -D
" "make: macros alone"
run "$cltune" best ints --format cmake --db "$work/options.db"
out_has "set(CLTUNE_INTS_DEFINES [=[-DA=1;-DB=2;-UC;-D]=])" "cmake: likewise"
out_has "set(CLTUNE_INTS_FLAGS [=[-cl-mad-enable;-DA=1;-DB=2;-UC;-Iinc;-w;-D]=])" "beside all of them"

# --- parameters with names that a format uses itself ---
cp "$CLTUNE_DB" "$work/names.db"
sqlite3 "$work/names.db" "update kernel set parameters = '{\"device\":[1,2],\"time\":[3]}' where id = 2;
    update result set configuration = '{\"device\":1,\"time\":3}' where kernel_id = 2;
    update problem set sizes = '{\"kernel\":7}' where id = 2"
run "$cltune" best ints --format csv --db "$work/names.db"
exits 0 "csv: names that columns have"
out_has "kernel,device,vendor,type,driver,size.kernel,param.device,time,objective" "get a prefix"
run "$cltune" best ints --format kernel-tuner --db "$work/names.db"
exits 1 "kernel-tuner: names that results have"
err_has "parameter time of kernel ints has the name of a result in Kernel Tuner's cache files; use --format t4" "are refused"

# --- templates ---
run "$cltune" best --template "$golden/devices.template"
exits 0 "a template"
is_golden template "template: the recorded bytes"
template() {
    printf '%s\n' "$1" >"$work/t"
    run "$cltune" best --template "$work/t"
}
template '${for devices}${kernal}${end}'
exits 2 "an unknown name"
err_has "t:1:15: unknown name 'kernal'" "with its place"
template '${kernel|sql}'
err_has "unknown filter 'sql'" "an unknown filter"
template '${for cards}${end}'
err_has "unknown list 'cards'" "an unknown list"
template 'x
 ${if a}'
err_has "t:2:2: this \${for ...} or \${if ...} has no \${end}" "a condition without end"
template '${end}'
err_has "\${end} without" "an end without beginning"
template '${else}'
err_has "\${else} without" "an else without if"
template '${kernel'
err_has "\${ without }" "a brace that is missing"
template '${ }'
err_has "a name is missing" "a name that is missing"
template "$(for _ in $(seq 40); do printf '${if a}'; done)"
err_has "more than 32 nested" "too many levels"
run "$cltune" best --template "$work/none"
exits 2 "a template that is missing"
err_has "cannot read the template" "which is said"
run "$cltune" best --template "$work"
exits 2 "a folder instead of a template"
run "$cltune" best --template /proc/self/mem
exits 1 "a template that the system cannot read"
run "$cltune" best --format template
exits 2 "--format template without one"
run "$cltune" best --template "$work/t" --format json
exits 2 "--template with another format"

done_testing
