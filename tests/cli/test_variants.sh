#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best --portable and --variants: few configurations for many devices and problems, from
# invented databases whose answers are known, as a table, JSON and a C function that is compiled and run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/points.sh"
golden=$root/tests/golden/emit

# --- one for all ---
# What each reaches of the best on two devices for two problems.  EVEN has the best mean; SAFE is never
# bad; BAD would be better than both, but was wrong once; NARROW was measured only where it is best.
make_points "$CLTUNE_DB" <<'END'
1 512 EVEN 1
1 1024 EVEN 0.9
2 512 EVEN 0.99
2 1024 EVEN 0.7
1 512 SAFE 0.85
1 1024 SAFE 0.85
2 512 SAFE 0.85
2 1024 SAFE 0.85
1 512 BAD 0.99
1 1024 BAD 0.99
2 512 BAD 0.99
2 1024 BAD wrong
1 1024 NARROW 1
2 1024 NARROW 1
2 512 OTHER 1
END
names() { jq -c '[.variants[].configuration.C]' "$out"; }
losses() { jq -c '[.cases[] | .loss * 1000 | round]' "$out"; }
run "$cltune" best k --portable --json
exits 0 "one for all"
ok "the best mean, and nothing that was wrong" "$(names)" = '["EVEN"]'
ok "with the loss in each case" "$(losses)" = '[0,100,10,300]'
ok "of a device and a problem each" \
    "$(jq -c '[.cases[] | [.device, .problem.n]]' "$out")" = '[["Card 1",512],["Card 1",1024],["Card 2",512],["Card 2",1024]]'
ok "and the mean" "$(jq '.mean_performance * 1000 | round' "$out")" = 889
run "$cltune" best k --portable -p n=512:1,1024:4 --json
ok "weights choose another one" "$(names)" = '["SAFE"]'
run "$cltune" best k --portable -p n=512 -d "card 1" --json
ok "one device and problem: its best" "$(names)$(losses)" = '["EVEN"][0]'
run "$cltune" best k --portable -p n=1024 --json
ok "one problem" "$(names)" = '["NARROW"]'
run "$cltune" best k --portable
exits 0 "as text"
out_has "the configuration with the best mean over 4 cases (devices and problems)" "says what it is"
out_has "at most 30.0% of the best performance; on average 11.1% (geometric mean)" "and what it costs"
run "$cltune" best k --variants 1 --json
ok "the smallest largest loss is another question" "$(names)" = '["SAFE"]'

# --- few for all ---
run "$cltune" best k --variants auto --json
exits 0 "the fewest within 5%"
ok "two are enough" "$(names)" = '["EVEN","NARROW"]'
ok "each case has the better one" "$(losses)" = '[0,0,10,0]'
ok "and it is known that fewer are not" "$(jq .exact "$out")" = true
run "$cltune" best k --variants 3 --json
ok "a third one removes the rest" "$(jq '.worst_loss | round' "$out")$(names)" = '0["EVEN","NARROW","OTHER"]'
run "$cltune" best k --variants 9 --json
ok "no more than needed" "$(jq '.variants | length' "$out")" = 3
run "$cltune" best k --variants auto
exits 0 "as a table"
out_has "kernel k: 2 configurations for 4 cases (devices and problems), no choice is better" "says how many"
out_has "at most 1.0% of the best performance" "and what they cost"

# What no configuration serves alone; and greedy choice (BIG first) would need three.
make_points "$work/cover.db" <<'END'
1 1 BIG 1
1 2 BIG 1
1 3 BIG 1
1 4 BIG 1
1 1 LEFT 1
1 2 LEFT 1
1 5 LEFT 1
1 3 RIGHT 1
1 4 RIGHT 1
1 6 RIGHT 1
1 5 FIVE 1
1 6 SIX 1
END
run "$cltune" best k --db "$work/cover.db" --variants auto --json
ok "an exact cover of two, where greed takes three" "$(names)" = '["LEFT","RIGHT"]'
run "$cltune" best k --db "$work/cover.db" --variants 1
exits 3 "one cannot serve all"
err_has "no 1 configuration of kernel k serves all 6 cases (devices and problems); 2 do: use --variants 2" "and how many can"
run "$cltune" best k --db "$work/cover.db" --portable
exits 3 "nor is one portable"
err_has "has worked in all 6 cases (devices and problems); one has worked in 4" "which is said"

# --- the selector ---
# use SELECTOR CASES: compiles it with each compiler as C99 and C++11; CASES prints what it gives.
facts='struct cltune_device_facts one = {"Card 1", "V1", "GPU", 16, 0, 1024, 0}, two = {"Card 2", "V2", "CPU", 32, 0, 2048, 0}, three = {"Card 3", "V3", "GPU", 48, 0, 3072, 0};'
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
use() {
    printf '#include "%s"\n#include <stdio.h>\nint main(void)\n{\n    %s\n    (void)one; (void)two; (void)three;\n    %s\n    return 0;\n}\n' \
        "$1" "$facts" "$2" >"$work/use.c"
    for cc in "gcc -std=c99" "clang -std=c99" "g++ -x c++ -std=c++11" "clang++ -x c++ -std=c++11"; do
        command -v "${cc%% *}" >"$work/log" || continue
        rm -f "$work/use"
        # shellcheck disable=SC2086
        $cc $strict -I"$work" -o "$work/use" "$work/use.c" >"$work/log" 2>&1 || {
            sed 's/^/# /' "$work/log"
            echo "$cc failed"
            continue
        }
        "$work/use"
    done | sort -u
}
run "$cltune" best k --variants auto --format header
exits 0 "a selector"
err_has "the options lack N, which follows from the problem" "without what only the problem decides"
cp "$out" "$work/k.h"
sed "s/cltune [0-9]*\.[0-9]*\.[0-9]*/cltune VERSION/" "$out" >"$work/shown"
[ -z "${CT_GOLDEN_WRITE-}" ] || cp "$work/shown" "$golden/select.header"
diff "$golden/select.header" "$work/shown" | sed 's/^/# /'
cmp -s "$golden/select.header" "$work/shown"
ok "the recorded bytes" $? -eq 0
cases='printf("%s %s %s %s %s %s\n", cltune_k_select(&one, 512)->param_C, cltune_k_select(&one, 1024)->param_C,
    cltune_k_select(&two, 512)->param_C, cltune_k_select(&two, 1024)->param_C,
    cltune_k_select(&one, 724)->options, cltune_k_select(NULL, 100000)->options);'
ok "it gives what was chosen, in C and C++" "$(use k.h "$cases")" = "EVEN NARROW EVEN NARROW -D C=EVEN -D C=NARROW"

# The smallest integer has no literal, but is a number as others where some variant has a real.
least=-9223372036854775808
cp "$CLTUNE_DB" "$work/least.db"
sqlite3 "$work/least.db" "UPDATE result SET configuration = json_object('C', json_extract(configuration, '\$.C'),
    'I', $least, 'R', iif(configuration LIKE '%EVEN%', 0.5, $least))"
run "$cltune" best k --db "$work/least.db" --variants auto --format header
exits 0 "the smallest integer"
cp "$out" "$work/least.h"
cases='printf("%d %.2g %.3g\n", cltune_k_select(&one, 512)->param_I + 1 == -9223372036854775807,
    (double)cltune_k_select(&one, 512)->param_R, (double)cltune_k_select(&one, 1024)->param_R);'
ok "is one in C and C++" "$(use least.h "$cases")" = "1 0.5 -9.22e+18"

# A device needs its own variant, and one problem is different everywhere: a tree of two questions.
make_points "$work/tree.db" <<'END'
1 64 A 1
2 64 B 1
3 64 A 1
1 128 A 1
2 128 B 1
3 128 A 1
1 256 C 1
2 256 C 1
3 256 C 1
1 256 A 0.5
2 64 A crashed
3 64 B 0.2
END
run "$cltune" best k --db "$work/tree.db" --variants auto --format header
exits 0 "a selector for devices and sizes"
cp "$out" "$work/tree.h"
ok "asks for the size, and for what sets the device apart" "$(grep -c 'if (size_n\|if (device->' "$out")" -le 3
cases='const struct cltune_device_facts *all[3] = {&one, &two, &three}; long long n; int d;
    for (d = 0; d < 3; d++) for (n = 64; n <= 256; n *= 2) printf("%s", cltune_k_select(all[d], n)->param_C);
    printf("\n");'
ok "right in all nine cases" "$(use tree.h "$cases")" = AACBBCAAC
run "$cltune" best k --db "$work/tree.db" --variants auto --json
cp "$out" "$work/document.json"
run python3 "$root/tests/cli/check_json.py" "$root/doc/variants.schema.json" "$work/document.json"
exits 0 "JSON follows its schema"
run "$cltune" best k --db "$work/tree.db" --variants auto --json
ok "JSON has the tree" "$(jq '[.tree[] | select(.variant != null)] | length' "$out")" -ge 3
ok "whose leaves lose nothing" "$(jq '[.tree[].loss // 0] | max' "$out")" = 0

# Forty problems in turn: as deep a tree as there is still compiles, and is right.
{
    for n in $(seq 1 40); do echo "1 $n $([ $((n % 2)) = 0 ] && echo EVEN || echo ODD) 1"; done
} | make_points "$work/deep.db"
run "$cltune" best k --db "$work/deep.db" --variants 2 --format header
exits 0 "a selector of many leaves"
cp "$out" "$work/deep.h"
cases='int n, wrong = 0; for (n = 1; n <= 40; n++) wrong += (cltune_k_select(&one, n)->param_C[0] == (char)(n % 2 ? 69 : 79));
    printf("%d wrong\n", wrong);'
ok "right for each" "$(use deep.h "$cases")" = "0 wrong"
ok "blocks nest no deeper than the logarithm" "$(grep -o '^ *if' "$out" | awk '{ print length }' | sort -n | tail -1)" -le 30

# Two problems that differ in a size that only one of them has: no question tells them apart.
make_points "$work/same.db" <<'END'
1 64 A 1
1 64 B 1 2
END
run "$cltune" best k --db "$work/same.db" --variants 2 --format header
exits 3 "points that cannot be told apart"
err_has 'a selector cannot distinguish Card 1 for {"m":2,"n":64} from Card 1 for {"n":64}' "are named"
run "$cltune" best k --db "$work/same.db" --variants 2
exits 0 "the table needs no selector"

# --- selection and errors ---
run "$cltune" best k --db "$work/tree.db" --variants auto -d "Card 1, card 3" --json
ok "several devices, separated by commas" "$(jq -c '[.cases[].device] | unique' "$out")" = '["Card 1","Card 3"]'
run "$cltune" best k --db "$work/tree.db" --variants auto -d "Card 1,Card 9"
exits 3 "one of which is unknown"
err_has "no stored device matches 'Card 9'" "is named"
run "$cltune" best k --portable -p n=512,77
exits 3 "a size without results"
err_has "kernel k has no result for n=77 on the selected devices; search with -p n=77 first" "is named"
run "$cltune" best k --portable -p n=77
exits 3 "a single one as well"
err_has "kernel k has no result for these sizes; a stored problem is" "with one that there is"
run "$cltune" best k --portable --variants 2
exits 2 "one or several"
run "$cltune" best k --variants 0
exits 2 "none is no number"
err_has "--variants requires a number from 1 to 1000, or 'auto'" "which is said"
run "$cltune" best k --variants 2 --format make
exits 2 "make cannot choose"
run "$cltune" best k --variants 2 -p n=512:1,1024:2
exits 2 "weights are for one"
run "$cltune" best k --portable -p n=512:1,1024
exits 2 "a weight for each, or for none"
err_has "-p n: 1 of 2 values have a weight" "which is said"
run "$cltune" best k --portable -p n=512:0,1024:2
exits 2 "a weight of 0"
run "$cltune" best k --portable --candidates 2
exits 2 "candidates are for unknown devices"
run "$cltune" best q --portable
exits 3 "no such kernel"

make_points "$work/odd.db" <<'END'
1 64 A 1
1 128 A wrong
1 64 B 1
1 128 B 1
1 256 A 1
2 256 A 1
END
run "$cltune" best k --db "$work/odd.db" --variants auto -p n=256
exits 3 "where all that worked was wrong elsewhere on the device"
err_has 'every configuration of kernel k failed on Card 1 for {"n":256}: leave it out with -d or -p' "says so"
sqlite3 "$work/odd.db" "UPDATE kernel SET problem_macros = ''"
run "$cltune" best k --db "$work/odd.db" --variants auto -p n=64,128 --format header
exits 1 "options of which it is not known what follows from the problem"
err_has "the options of configuration {\"C\":\"B\"} differ between problems" "are not handed out for all"
sqlite3 "$work/odd.db" "UPDATE run SET objective = 'x'; UPDATE best SET objective = iif(problem_id = 64, 'x', 'y');
    UPDATE score SET objective = iif(problem_id = 64, 'x', 'y')"
run "$cltune" best k --db "$work/odd.db" --variants auto
exits 2 "several objectives"
err_has "kernel k was tuned for" "are named"
sqlite3 "$work/odd.db" "INSERT INTO kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s)
    VALUES (2, 'l', printf('%032x', 2), '', '{}', '[]', 1)"
run "$cltune" best --db "$work/odd.db" --portable
exits 2 "several kernels"
err_has "the database has several kernels, k and l among them: name one" "are named, too"

# --- databases in layers ---
# layer FILE DEVICE A B: a database with the times of two configurations, as imported.
layer() {
    printf 'C,time_ns\nA,%s\nB,%s\n' "$3" "$4" >"$work/layer.csv"
    "$cltune" db import "$work/layer.csv" --kernel k -d "$2" -p n=512 --db "$1" >"$out" 2>&1
}
mkdir "$work/app" "$work/share" "$work/share/cltune"
layer "$work/own.db" "Card 1" 1000 2000
layer "$work/app/app.db" "Card 1" 9000 1000
layer "$work/app/app.db" "Card 2" 4000 1000
layer "$work/share/cltune/system.db" "Card 3" 1000 1000
layered() { env CLTUNE_DB="$work/own.db" CLTUNE_DB_PATH="$work/app" XDG_DATA_DIRS="$work/share" "$@"; }
# Card 1's results are the user's alone, in which B takes twice as long.
cases() { jq -c '[.cases[] | [.device, (.loss * 1000 | round)]]' "$out"; }
run layered "$cltune" best k --portable --json
exits 0 "one for all devices of all layers"
ok "of each case the uppermost layer's results" "$(names)$(cases)" = '["B"][["Card 1",500],["Card 2",0],["Card 3",0]]'
run layered "$cltune" best k --variants auto --json
ok "few for all of them" "$(names)$(cases)" = '["A","B"][["Card 1",0],["Card 2",0],["Card 3",0]]'
run layered "$cltune" best k --variants auto --format header
out_has "cltune_k_select" "as C, too"
run layered "$cltune" best k --portable -d "Card 2,Card 3" --json
ok "patterns select from all layers" "$(cases)" = '[["Card 2",0],["Card 3",0]]'
run layered "$cltune" best k --portable --json --db "$work/own.db"
ok "--db is one file alone" "$(names)$(cases)" = '["A"][["Card 1",0]]'
run env CLTUNE_DB="$work/none.db" CLTUNE_DB_PATH="$work/app" XDG_DATA_DIRS="$work/none" "$cltune" best k --portable --json
ok "a layer answers where the user has no file" "$(cases)" = '[["Card 1",0],["Card 2",0]]'
ok "no layer is written to" "$(ls "$work/app")" = app.db
sqlite3 "$work/app/app.db" "UPDATE kernel SET source_hash = printf('%032x', 7), used_unix_s = 9999999999"
run layered "$cltune" best k --portable --json
ok "of a kernel's sources that of the uppermost layer counts" "$(cases)" = '[["Card 1",0],["Card 3",0]]'
err_has "left out: only an older source of kernel k was measured there" "which is said"
sqlite3 "$work/app/app.db" "UPDATE problem SET hash = printf('%032x', 7)"
run layered "$cltune" best k --portable --json
exits 0 "a layer that is not what its hashes say"
err_has "a database is not used: $work/app/app.db is damaged" "is left out with a warning"
ok "the others answer" "$(cases)" = '[["Card 1",0],["Card 3",0]]'

# --- what is stored of drivers, sources and experiments ---
sqlite3 "$CLTUNE_DB" "INSERT INTO kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s)
        VALUES (2, 'k', printf('%032x', 2), '', '{}', '[]', 9);
    UPDATE result SET kernel_id = 2 WHERE device_id = 1; UPDATE run SET kernel_id = 2 WHERE device_id = 1;
    UPDATE score SET kernel_id = 2 WHERE device_id = 1; UPDATE best SET kernel_id = 2 WHERE device_id = 1"
run "$cltune" best k --portable --json
ok "results of an older source are left out" "$(jq -c '[.cases[].device] | unique' "$out")" = '["Card 1"]'
err_has "2 cases are left out: only an older source of kernel k was measured there" "which is said"
done_testing
