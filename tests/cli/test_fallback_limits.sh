#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A device without results gets nothing from others that it cannot run, as far as its limits are
# known; where they are not, that is said.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
sql() { sqlite3 "$CLTUNE_DB" "$1"; }
cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/factor WG 16 0.1/factor WG 16 0.7/' "$root/tests/cli/spaces/virtual.cl" >"$work/virtual.cl"
space=$work/virtual.ini
sed 's/^VEC = .*/VEC = 1, 16/; s/^WG  = .*/WG = 4, 12, 16/' "$root/tests/cli/spaces/virtual.ini" >"$space"

run "$cltune" search "$space" -d 0:1 -q
exits 0 "a search on a device that runs everything"
run "$cltune" best vcopy --json
ok "finds the largest group best" "$(jq -r '.[0].configuration.WG' "$out")" = 16
ok "the work-group is stored" \
    "$(sql "select json_extract(resources, '\$[0].local_size') from result join best on result.id = result_id")" \
    = "[16,0,0]"

# --- of the architecture ---
run "$cltune" best vcopy -d "VideoCore IV" --format flags
exits 0 "a device of a known architecture"
out_has "-D WG=12" "gets what fits its work-groups"
ok "without a word" ! -s "$err"
run "$cltune" best vcopy -d "VideoCore IV" --json
ok "and nothing is unknown" "$(jq -r '.[0].unknown_limits' "$out")" = ""

# --- not known ---
run "$cltune" best vcopy -d "Adreno 9999"
exits 0 "a device of which nothing is known"
out_has "WG=16" "gets the best"
out_has "note      whether it runs on your device is not known: that needs DEVICE_MAX_WORK_GROUP_SIZE of it; --assume gives limits" \
    "and is told"
run "$cltune" best vcopy -d "Adreno 9999" --format flags
out_has "-D WG=16" "flags too"
err_has "whether it runs on your device is not known" "with a warning"
run "$cltune" best vcopy -d "Adreno 9999" --format header
out_has "not known to run on the device asked for: that needs DEVICE_MAX_WORK_GROUP_SIZE" "and a header"
run "$cltune" best vcopy -d "Adreno 9999" --json
ok "and JSON" "$(jq -r '.[0].unknown_limits' "$out")" = DEVICE_MAX_WORK_GROUP_SIZE

# --- given ---
run "$cltune" best vcopy -d "Adreno 9999" --assume DEVICE_MAX_WORK_GROUP_SIZE=8 --format flags
exits 0 "a limit that is given"
out_has "-D WG=4" "holds"
ok "without a word" ! -s "$err"
run "$cltune" best vcopy -d "VideoCore IV" --assume DEVICE_MAX_WORK_GROUP_SIZE=64 --format flags
out_has "-D WG=16" "and comes before that of the architecture"
run "$cltune" best vcopy -d "VideoCore IV" --assume DEVICE_MAX_WORK_ITEM_SIZES_0=4 --format flags
out_has "-D WG=4" "sizes of one dimension count"
run "$cltune" best vcopy -d "Adreno 9999" --assume DEVICE_MAX_WORK_GROUP_SIZE=2 --format flags
exits 3 "nothing fits"
ok "nothing is printed" ! -s "$out"
err_has "no result of kernel vcopy that fits the device: the best needs a DEVICE_MAX_WORK_" "and why"
err_has "of 16, and has 2; search on the device itself" "and what to do"
run "$cltune" best vcopy -d "Adreno 9999" --assume DEVICE_MAX_WORKGROUP_SIZE=2
exits 2 "a limit that no device has"
err_has "--assume DEVICE_MAX_WORKGROUP_SIZE: no such limit of a device; did you mean DEVICE_MAX_WORK_GROUP_SIZE?" "is named"
for value in 4k '2*2' ''; do
    run "$cltune" best vcopy -d "Adreno 9999" --assume "DEVICE_MAX_WORK_GROUP_SIZE=$value" --format flags
    exits 2 "a limit of '$value'"
    ok "prints nothing" ! -s "$out"
    err_has "--assume DEVICE_MAX_WORK_GROUP_SIZE requires a whole number, not '$value'" "and the message quotes it"
done
run "$cltune" best vcopy -d "$("$cltune" best vcopy --json | jq -r '.[0].device')" --assume DEVICE_MAX_WORK_GROUP_SIZE=2 --format flags
out_has "-D WG=16" "a device with results of its own keeps them"

# --- stored with the device, by another kernel ---
sed 's/^name .*/name = other/' "$space" >"$work/other.ini"
run "$cltune" search "$work/other.ini" -d 0:0 -q
ok "another device" "$(sql 'select count(*) from device')" = 2
sql "update device set name = 'Foo 3000', name_key = 'foo 3000', architecture_key = '', vendor = 'Foo',
    vendor_key = 'foo' where name like '%VideoCore%'"
run "$cltune" best vcopy -d "Foo 3000" --format flags
exits 0 "a device that was measured with another kernel"
out_has "-D WG=12" "gets what fits its stored limits"
ok "without a word" ! -s "$err"

# --- constraints ---
printf '[let]\nroom = DEVICE_LOCAL_MEM_SIZE / 1024\n[derive]\nneeds = WG * 2\n[constraint]\nfits = needs <= room\n' >>"$space"
CLTUNE_DB=$work/constraint.db
run "$cltune" search "$space" -d 0:1 -q
exits 0 "a constraint on a limit"
ok "is stored without names of the file" \
    "$(sql "select json_extract(constraints, '\$[0].device') from kernel")" = "(WG * 2) <= (DEVICE_LOCAL_MEM_SIZE / 1024)"
run "$cltune" best vcopy -d "VideoCore IV" --format flags
out_has "-D WG=12" "what cannot be judged"
err_has "that needs DEVICE_LOCAL_MEM_SIZE of it" "is told"
run "$cltune" best vcopy -d "VideoCore IV" --assume DEVICE_LOCAL_MEM_SIZE=16384 --format flags
out_has "-D WG=4" "what it excludes is left out"
ok "without a word" ! -s "$err"
run "$cltune" best vcopy -d "VideoCore IV" --assume DEVICE_LOCAL_MEM_SIZE=1024 --format flags
exits 3 "a constraint that nothing satisfies"
err_has "of kernel vcopy that fits the device" "is explained"

# --- older databases know the text of the constraints alone ---
sql "update kernel set constraints = '[{\"name\":\"fits\",\"expression\":\"WG <= DEVICE_MAX_WORK_GROUP_SIZE\"}]';
     update result set resources = json_remove(resources, '\$[0].local_size')"
run "$cltune" best vcopy -d "VideoCore IV" --format flags
out_has "-D WG=12" "they are judged by it"
err_has "that needs the work-group of the result of it" "and what is missing is told"
# A stranger's database breaks nothing.
sql "update kernel set constraints = '[{\"name\":\"x\",\"expression\":\"DEVICE_ (((\"},7,{}]'; update result set resources = '[1,{\"local_size\":[\"a\",-1,99999999999999999]}]'"
run "$cltune" best vcopy -d "VideoCore IV" --format flags
ok "nonsense is survived" "$status" -le 3

done_testing
