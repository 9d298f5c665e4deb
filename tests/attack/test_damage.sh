#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Damaged caches: bits that have changed, files that were cut, emptied or mixed up.  What is
# damaged is made anew, without a word and without another verdict.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$work/tmp" XDG_CACHE_HOME="$work/cache"
mkdir "$TMPDIR" "$XDG_CACHE_HOME"
host=$XDG_CACHE_HOME/cltune/host

# flip FILE BYTES: changes the first byte of the first place with these bytes (perl)
flip() {
    perl -0777 -pi -e 's/\Q'"$2"'\E/chr(ord($&) ^ 1) . substr($&, 1)/se or die "not there\n"' "$1"
}

# --- references: shared objects with a constant that decides ---
mkdir "$work/host"
cp "$root"/tests/cli/spaces/virtual.* "$work/host/"
cat >"$work/host/copy.c" <<'C'
static const char decides[] = "constant that decides";

void copy_reference(const float *in, float *out, unsigned n)
{
    const volatile char *first = decides;

    for (unsigned i = 0; i < n; i++)
        out[i] = *first == 'c' ? in[i] : in[i] + 1;
}
C
tune() { run env OCL_ICD_VENDORS="$virtual" "$cltune" run "$work/host/virtual.ini" -d 0:0; }
sum() { cksum <"$host/$key"; }
tune
exits 0 "as it is meant to be"
key=$(cd "$host" && ls ./*.so)
cp "$host/$key" "$work/good.so"
good=$(sum)

damaged() {
    tune
    exits 0 "$1: no obstacle"
    ok "$1: no word" -z "$(cat "$err")"
    ok "$1: made anew" "$(sum)" = "$good"
}
flip "$host/$key" "constant that decides"
damaged "a constant that has changed"
for cut in 0 1 64 1000 -1 -40; do
    cp "$work/good.so" "$host/$key"
    size=$(stat -c %s "$host/$key")
    [ "$cut" -ge 0 ] || cut=$((size + cut))
    truncate -s "$cut" "$host/$key"
    damaged "a file cut after $cut bytes"
done
dd if=/dev/zero of="$host/$key" bs=512 seek=2 count=2 conv=notrunc 2>/dev/null
damaged "a block of zeros"
echo more >>"$host/$key"
damaged "bytes behind its end"
rm "$host/$key"
mkfifo "$host/$key"
run timeout 30 env OCL_ICD_VENDORS="$virtual" "$cltune" run "$work/host/virtual.ini" -d 0:0
exits 0 "a pipe in its place does not keep it waiting"
# The baseline's or another reference's code under this key.
sed -i "s/in\[i\] + 1/in[i]/; s/== 'c'/!= 'c'/; s/: in\[i\]/: in[i] - 1/" "$work/host/copy.c"
sed -i 's/? in\[i\]/? in[i] + 1/' "$work/host/copy.c"
sed 's/in\[i\] + 1/in[i] + 2/' "$work/host/copy.c" >"$work/other.c"
rm "$host"/*
cp "$work/other.c" "$work/host/copy.c"
tune
other=$(cd "$host" && ls ./*.so)
mv "$host/$other" "$host/$key"
cat >"$work/host/copy.c" <<'C'
static const char decides[] = "constant that decides";

void copy_reference(const float *in, float *out, unsigned n)
{
    const volatile char *first = decides;

    for (unsigned i = 0; i < n; i++)
        out[i] = *first == 'c' ? in[i] : in[i] + 1;
}
C
damaged "another reference's code in its place"

# --- what PoCL keeps in our cache ---
unset POCL_CACHE_DIR
pocl=$XDG_CACHE_HOME/cltune/pocl
cat >"$work/scale.cl" <<'C'
__kernel void scale(__global const int *in, __global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0)] + 0x5EED;
}
C
cat >"$work/scale.c" <<'C'
void scale(const int *in, int *out)
{
    for (int i = 0; i < 256; i++)
        out[i] = in[i] + 0x5EED;
}
C
cat >"$work/scale.ini" <<'C'
[kernel]
name = scale
source = scale.cl
[problem]
n = 256
[param]
WG = 4
[buffer in]
type = int
count = n
fill = ramp(1, 1)
[buffer out]
type = int
count = n
check = exact
[launch scale]
kernel = scale
args = in, out
global = n
local = WG
[reference]
c = scale.c
function = scale
args = in, out
C
device=$("$cltune" devices --json 2>/dev/null |
    jq -r 'map(select(.platform == "Portable Computing Language"))[0].index // "none"')
search() {
    rm -f "$work/pocl.db"
    run "$cltune" search "$work/scale.ini" -d "${device:-none}" --samples 3 --rough --db "$work/pocl.db" -q "$@"
}
states() { sqlite3 "$work/pocl.db" "select status, count(*) from result group by 1"; }
objects() { find "$pocl" -name '*.so' -size +0 | sort; }
search
if [ "$status" -eq 4 ]; then
    skip 11 "no PoCL"
else
    exits 0 "with PoCL as it is meant to be"
    ok "all are well" "$(states)" = "ok|1"
    objects >"$work/objects"
    ok "and its objects are in our cache" -s "$work/objects"
    # spoil HOW COMMAND...: does that to all objects, and searches again.
    spoil() {
        how=$1
        shift
        while read -r object; do "$@" "$object"; done <"$work/objects"
        search
        ok "objects that were $how: all are well" "$(states)" = "ok|1"
    }
    cut() { truncate -s 4096 "$1"; }
    empty() { : >"$1"; }
    # The kernel's constant, where it is part of an instruction.
    change() {
        perl -0777 -pi -e '$n += s/\xED\x5E\x00\x00/\xEC\x5E\x00\x00/g; END { print STDERR $n + 0, "\n" }' \
            "$1" 2>>"$work/changed"
    }
    spoil cut cut
    spoil emptied empty
    spoil changed change
    case $(uname -m) in
    x86_64) ok "there was a constant to change" "$(sort -n "$work/changed" | tail -1)" -gt 0 ;;
    *) skip 1 "other instructions" ;;
    esac
    # Without stored binaries the runner is the first that loads them.
    search --no-cache
    while read -r object; do cut "$object"; done <"$work/objects"
    search --no-cache
    ok "and without stored binaries" "$(states)" = "ok|1"
    # Before anybody has made checksums: the files of a machine that lost its power.
    rm -rf "$XDG_CACHE_HOME/cltune/objects"
    spoil "cut before they were known" cut
    # One configuration: there is no search that looks through the cache before it.
    rm -rf "$XDG_CACHE_HOME/cltune/objects"
    while read -r object; do cut "$object"; done <"$work/objects"
    run "$cltune" run "$work/scale.ini" -d "${device:-none}" --json
    exits 0 "a run with objects that were cut"
    ok "is well" "$(jq -r .status "$out")" = ok
fi
done_testing
