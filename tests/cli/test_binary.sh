#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best --format binary: what is built, when it is refused, and for whom the library loads it.  A real
# driver runs what was exported in test_programs.sh; tests/unit/test_binary.c has damaged files.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" XDG_DATA_HOME="$work/data"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
cd "$work" || exit 1
# A parameter that is inactive in the best, with a default that is not its first value.
sed -i 's/^WG .*/WG = 4, 12/; s/^VEC .*/VEC = 4, 16\nSTYLE = "a", "b" if VEC < 16/; s/"/'"'/g" virtual.ini
printf '[default]\nVEC = 4\nSTYLE = '"'b'"'\n' >>virtual.ini

if grep -q __asan_init "$build/libcltunedb.a"; then
    load() { :; }
    loads() { skip "$1" "the library has sanitizers, which its programs would have to have"; }
else
    cc -std=c11 -I"$root/db" -o user "$root/tests/cli/binary_user.c" "$build/libcltunedb.a" \
        -lsqlite3 -ljansson -lxxhash -lm -lpthread || exit 1
    load() { run ./user "$@"; }
    loads() { shift; "$@"; }
fi
device="VideoCore IV GPU"
binary() { run "$cltune" best vcopy --format binary "$@"; }

binary -o a.bin
exits 3 "nothing is stored"
run "$cltune" search virtual.ini -d VideoCore -q --rough
exits 0 "a search"
binary
exits 2 "no file is named"
err_has "requires -o FILE" "says so"
run "$cltune" best vcopy --format header -o a.h
exits 2 "-o with another format"
err_has "redirect the output" "says what to do instead"
binary -o a.bin
exits 0 "a binary"
ok "nothing is printed" ! -s "$out"
ok "the file is the program, as the JSON says" "$(wc -c <a.bin)" = "$(jq .bytes a.bin.json)"
ok "for the device and its driver" "$(jq -r '"\(.device)|\(.vendor)|\(.type)|\(.driver)"' a.bin.json)" = \
    "$device|Broadcom|GPU|0.4.9999"
ok "of the best" "$(jq -c '[.configuration, .problem]' a.bin.json)" = '[{"STYLE":"a","VEC":16,"WG":12},{"n":1024}]'
ok "whose experiment it is" "$(jq -r .experiment a.bin.json)" = "$("$cltune" best vcopy --json | jq -r '.[0].experiment')"
ok "and how to launch it" "$(jq -c '.launches[] | [.kernel, .program, .global, .local, .times]' a.bin.json)" = \
    '["copy",0,[1032],[12],1]'
ok "no part of a file is left" "$(ls a.bin* | tr '\n' ' ')" = "a.bin a.bin.json "
if python3 -c 'import jsonschema' 2>/dev/null; then
    run python3 "$root/tests/cli/check_json.py" "$root/doc/binary.schema.json" a.bin.json
    exits 0 "the JSON is as its schema says"
else
    skip 1 "no python3-jsonschema"
fi
cp a.bin before
binary -o a.bin
exits 2 "a file that exists"
err_has "a.bin exists already" "is named"
cmp -s a.bin before
ok "and stays" $? -eq 0
touch b.bin.json
binary -o b.bin
exits 2 "JSON that exists"
ok "then no binary is left either" ! -e b.bin
binary -o none/a.bin
exits 1 "a folder that is missing"
err_has "cannot write none/a.bin: No such file" "says why"

# --- loading ---
load a.bin "$device" Broadcom GPU 0.4.9999
loads 1 exits 0 "the library loads it"
loads 1 out_has "vcopy $(jq -r .experiment a.bin.json)" "and says what it is"
loads 1 out_has "program cltune virtual binary" "its bytes are the driver's"
loads 1 out_has "launch copy 0 1032/12 x1" "its launches, too"
load a.bin "$device" Broadcom GPU 0.5
loads 1 exits 1 "another driver"
loads 1 out_has "a.bin was built for a device with driver '0.4.9999', but this one has '0.5'" "is refused"
load a.bin "Virtual GPU" Broadcom GPU 0.4.9999
loads 1 exits 1 "another device"
load a.bin "$device" Broadcom GPU 0.4.9999 "$(jq -r .platform a.bin.json)" "$(jq -r .platform_version a.bin.json)"
loads 1 exits 0 "the same platform"
load a.bin "$device" Broadcom GPU 0.4.9999 "another platform"
loads 1 exits 1 "another platform"
printf x >>a.bin
load a.bin "$device" Broadcom GPU 0.4.9999
loads 1 exits 2 "a file that has grown"

# --- several programs, and launches of loops ---
sed 's/^name .*/name = pair/' virtual.ini >pair.ini
sed 's/factor WG/factor X/' virtual.cl >other.cl
cat >>pair.ini <<'END'
[loop pass]
launches = thrice
count    = 3
[launch thrice]
kernel = copy
source = other.cl
args   = input, output, uint(n)
global = n
END
run "$cltune" search pair.ini -d VideoCore -q --rough
exits 0 "a pipeline of two programs"
run "$cltune" best pair --format binary -o pair.bin
exits 0 "its binary"
ok "has both, one after the other" "$(jq -c '[.bytes == (.programs | map(.bytes) | add), .programs[1].offset == .programs[0].bytes]' pair.bin.json)" = \
    "[true,true]"
ok "and launches in order" "$(jq -c '[.launches[] | [.program, .times, .local]]' pair.bin.json)" = \
    '[[0,1,[12]],[1,3,null]]'
load pair.bin "$device" Broadcom GPU 0.4.9999
loads 1 ok "the library finds each" "$(grep -c '^program cltune virtual binary' "$out")" = 2
loads 1 out_has "launch copy 1 1024/0 x3" "and its launches"

# --- what has changed since ---
binary -o c.bin -d "Foo 3000"
exits 3 "a device that was never measured"
err_has "search on it first" "has no binary"
binary -o c.bin -p n=4096
exits 3 "a problem that was never measured"
err_has "the nearest is {\"n\":1024}" "neither"
VIRTUALCL_DRIVER=0.5 binary -o c.bin
exits 3 "a driver that was never measured"
err_has "measured with driver 0.4.9999, but the device now has driver 0.5: 'cltune recheck vcopy'" "neither"
VIRTUALCL_DRIVER=0.5 run "$cltune" recheck vcopy -q
exits 0 "a recheck"
VIRTUALCL_DRIVER=0.5 binary -o c.bin
exits 0 "then it is built"
ok "for that driver" "$(jq -r .driver c.bin.json)" = 0.5
binary -o d.bin
exits 0 "with the older driver, too"
ok "as was measured with it" "$(jq -r .driver d.bin.json)" = 0.4.9999
rm -f c.bin* d.bin*
VIRTUALCL_TYPE=cpu binary -o c.bin
exits 4 "a device that is not here"
err_has "VideoCore IV GPU is not present: export it on that machine" "is named"
VIRTUALCL_BINARY=none binary -o c.bin
exits 1 "a driver without binaries"
err_has "gives no program binary" "says so"
echo '#pragma virtual fault * * build_error' >>virtual.cl
binary -o c.bin
exits 3 "a source that has changed"
err_has "virtual.ini no longer describes what was measured" "is another experiment"
cp "$root/tests/cli/spaces/virtual.cl" .
# In comments, which are no part of an experiment, but which the virtual driver reads.
echo '// #pragma virtual fault * * build_error' >>virtual.cl
binary -o c.bin
exits 1 "a build that fails"
err_has "the best of vcopy cannot be built any more: " "says so"
cp "$root/tests/cli/spaces/virtual.cl" .
echo '// #pragma virtual fault * * build_hang' >>virtual.cl
binary -o c.bin --build-timeout 0.5s
exits 1 "a build that hangs"
err_has "cannot be built any more: not finished after 0.5 s" "is ended"
cp "$root/tests/cli/spaces/virtual.cl" .
sed -i 's/uniform(-1, 1)/uniform(-1, 2)/' virtual.ini
binary -o c.bin
exits 3 "a space file that has changed"
mv virtual.ini moved.ini
binary -o c.bin
exits 2 "a space file that is gone"
err_has "use --space FILE to name its new location" "says what to do"
sed -i 's/uniform(-1, 2)/uniform(-1, 1)/' moved.ini
binary -o c.bin --space moved.ini
exits 0 "the same in another place"
XDG_DATA_HOME=$work/other binary -o d.bin --space none.ini
exits 2 "no such file"
mv moved.ini virtual.ini
XDG_DATA_HOME=$work/other binary -o d.bin
exits 2 "a space file that the user has not searched"
err_has "confirm it with --space" "is not run"
sqlite3 "$CLTUNE_DB" "update kernel set space_file = ''"
binary -o d.bin
exits 2 "a result without a space file"
err_has "the database does not say which space file the results of vcopy come from" "asks for it"
ok "after all that, nothing else was written" "$(ls c.bin* d.bin* 2>/dev/null | tr '\n' ' ')" = "c.bin c.bin.json "

# --- several answers ---
run "$cltune" search virtual.ini -d VideoCore -q --rough -p n=2048
binary -o e.bin
exits 2 "two problems"
err_has "2 answers match that were measured on devices of this machine" "are too many"
binary -o e.bin -p n=2048
exits 0 "one of them is not"
ok "it is the named one" "$(jq -c .problem e.bin.json)" = '{"n":2048}'
run "$cltune" search virtual.ini -d VideoCore -q --rough -p n=512 --cache cold
binary -o f.bin -p n=512
exits 0 "what was timed with cold caches"
done_testing
