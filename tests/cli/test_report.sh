#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune report: the file that is written, and what a real browser makes of it.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/causes.* "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
cd "$work" || exit 1

run "$cltune" report
exits 3 "without a database there is nothing"
run "$cltune" search causes.ini -d 0:1 -q --rough
run "$cltune" search virtual.ini -d VideoCore -q --rough -p n=1024
run "$cltune" search virtual.ini -d VideoCore -q --rough -p n=4096
sql "insert into ceiling select id, 'copy', 'GB/s', 12.5, 12, 13, 1700000000 from device"
sql "insert into ceiling select id, 'mad', 'GFLOP/s', 40, 39, 41, 1700000000 from device"
sql "update result set metrics = '{\"bytes\":8192.0,\"operations\":65536.0}' where status = 'ok'"
# What matters: VEC alone, and how it depends on WG.
sql "update result set time_ns = time_ns * 6, objective_value = objective_value * 6, raw_ns = null
    where configuration ->> 'WG' > 2 and configuration ->> 'VEC' = 4"
sql "update run set resolution = 0.001"
"$cltune" show vcopy -p n=1024 --importance --json | jq '.[0].importance' >importance.json

run "$cltune" report
exits 0 "a report of everything"
out_has "report.html: $(sql 'select count(*) from result') results" "says what it has written"
run "$cltune" report
exits 2 "a file that exists stays"
err_has "report.html exists already: choose another name with -o, or remove it" "and is named"
run "$cltune" report -o no/folder.html
exits 1 "a folder that does not exist"
err_has "cannot write no/folder.html: No such file" "is an error"
run "$cltune" report one two -o x.html
exits 2 "two kernels"
run "$cltune" report --json -o x.html
exits 2 "JSON is for another command"
err_has "use 'cltune results --json'" "which is named"
run "$cltune" report nothing -o x.html
exits 3 "an unknown kernel"
ok "writes nothing" ! -e x.html

# The desktop's program gets an absolute path.
mkdir desk
printf '#!/bin/sh\necho "$1" >"%s/opened"\n' "$work" >desk/xdg-open
chmod +x desk/xdg-open
run env PATH="$work/desk:$PATH" "$cltune" report vcopy -o ./-shown.html --open -q
exits 0 "--open"
ok "shows the file" "$(cat opened)" = "$work/-shown.html"
ok "quietly" ! -s "$out"
printf '#!/bin/sh\nexit 3\n' >desk/xdg-open
run env PATH="$work/desk:$PATH" "$cltune" report vcopy -o second.html --open
exits 1 "a desktop that cannot show it"
err_has "xdg-open cannot show second.html: open the file in a browser" "says what to do"
ok "and leaves the file" -s second.html

# Names and logs of strangers, as a kernel of their own.
cp "$CLTUNE_DB" hostile.db
evil="</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"''&amp;"
sqlite3 hostile.db "update kernel set name = '$evil' || char(1, 8232, 27), space_path = '/home/me/$evil';
    update device set name = '$evil', driver_version = '$evil' || char(10);
    update problem set sizes = json_set(sizes, '\$.' || '\"<b>x\"', '$evil');
    update result set message = '$evil', log = '$evil' || char(13) where status <> 'ok';
    update result set configuration = json_set(configuration, '\$.' || '\"<i>P\"', '$evil' || id);
    update ceiling set unit = '$evil'; update run set strategy = '$evil', version = '$evil'"
run "$cltune" report -o hostile.html --db hostile.db
exits 0 "a report of hostile names"
lacks hostile.html "<script>window" "has none of them as HTML"
lacks hostile.html "/home/me" "nor a path"
ok "its scripts end where ours end" "$(grep -c '</script>' hostile.html)" = \
    "$(grep -c '</script>' report.html)"

# An analysis takes time: of many subjects, a part has one.
cp "$CLTUNE_DB" many.db
sqlite3 many.db "
    with recursive i (n) as (select 1 union all select n + 1 from i where n < 40)
    insert into problem (sizes, hash) select json_object('n', n), printf('%032x', n) from i;
    insert into result select (select max(id) from result) + p.id, device_id, printf('%032x', p.id), run_id, kernel_id, p.id,
        $(sql "select group_concat(name, ', ') from pragma_table_info('result') where cid > 5")
        from result r, problem p where r.id = 1 and p.sizes ->> 'n' <= 40"
run "$cltune" report -o many.html --db many.db
exits 0 "a report of many subjects"
ok "analyses sixteen" "$(grep -o '"importance":{' many.html | grep -c .)" = 16
ok "and no others" "$(grep -o '"importance":null' many.html | grep -c .)" = 27

# Another device beside the first.
cp "$CLTUNE_DB" two.db
run "$cltune" search virtual.ini -d 0:1 -q --rough -p n=1024 --db two.db
sqlite3 two.db "update result set metrics = '{\"bytes\":8192.0,\"operations\":65536.0}' where status = 'ok'"
run "$cltune" report vcopy -o two.html --db two.db
exits 0 "a report of two devices"

# What no cltune has written.
cp "$CLTUNE_DB" damaged.db
sqlite3 damaged.db "update result set configuration = '{\"A\":[1]}'"
run "$cltune" report -o damaged.html --db damaged.db
exits 1 "a configuration that is none"
ok "writes nothing either" ! -e damaged.html

if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
    skip 1 "no chromium and chromedriver"
    done_testing
    exit 0
fi
python3 "$root/tests/cli/report_checks.py" "$work" >browsed 2>"$err"
ok "the browser's checks run to their end" "$(tail -1 browsed)" = "end"
while IFS=' ' read -r result name; do
    case $result in
    ok) report 0 "$name" ;;
    bad) report 1 "$name" ;;
    \#) echo "# $name" ;;
    esac
done <browsed
done_testing
