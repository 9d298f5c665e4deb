#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Folders that another local user has prepared: links and traps where cltune keeps its
# temporary files and its caches.  Nothing of the user's is removed, nothing of a
# stranger's is run, and nobody is kept from working.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
uid=$(id -u)
export TMPDIR="$work/tmp" XDG_CACHE_HOME="$work/cache"
unset XDG_RUNTIME_DIR
mkdir "$TMPDIR" "$XDG_CACHE_HOME"

tune() { run "$cltune" run "$space" -d 0:0 "$@"; }

# What the first two runs make, to be planted by a stranger, or to look for.
tune
exits 0 "as it is meant to be"
ok "nothing is left among the temporary files" -z "$(ls -A "$TMPDIR")"
key=$(cd "$XDG_CACHE_HOME/cltune/host" && ls ./*.so)
ok "the reference is cached" -n "$key"

# --- links to what is precious ---
rm -rf "$XDG_CACHE_HOME/cltune/host"
mkdir -p "$work/home/scratch/thesis" "$work/home/scratch/run-0123456789abcdef"
echo years >"$work/home/scratch/thesis/text"
echo years >"$work/home/scratch/run-0123456789abcdef/text"
chmod -R go-rwx "$work/home"
ln -s "$work/home" "$TMPDIR/cltune-$uid"
tune
exits 0 "a link in place of our temporary folder is no obstacle"
ok "and nothing behind it is removed" -f "$work/home/scratch/thesis/text"
ok "not even by a name like ours" -f "$work/home/scratch/run-0123456789abcdef/text"
ok "nor anything of ours left" "$(ls -A "$TMPDIR")" = "cltune-$uid"

rm -rf "$XDG_CACHE_HOME/cltune/host" "${TMPDIR:?}"/*
mkdir -m 700 "$TMPDIR/cltune-$uid"
ln -s "$work/home/scratch" "$TMPDIR/cltune-$uid/scratch"
tune
ok "nor behind a link one deeper" -f "$work/home/scratch/thesis/text"
ok "even by a name like ours" -f "$work/home/scratch/run-0123456789abcdef/text"

rm -rf "$XDG_CACHE_HOME/cltune/host" "${TMPDIR:?}"/*
mkdir -m 700 "$TMPDIR/cltune-$uid" "$TMPDIR/cltune-$uid/scratch" \
    "$TMPDIR/cltune-$uid/scratch/thesis" "$TMPDIR/cltune-$uid/scratch/run-0123456789abcdef"
ln -s "$work/home" "$TMPDIR/cltune-$uid/scratch/run-0123456789abcdee"
tune
ok "a folder there that is not ours by name stays" -d "$TMPDIR/cltune-$uid/scratch/thesis"
ok "what a killed process has left is swept" ! -e "$TMPDIR/cltune-$uid/scratch/run-0123456789abcdef"
ok "and no link is followed" -f "$work/home/scratch/thesis/text"

rm -rf "$XDG_CACHE_HOME/cltune/host" "${TMPDIR:?}"/*
mkdir "$TMPDIR/cltune-$uid"
mkdir -p "$TMPDIR/cltune-$uid/scratch/run-0123456789abcdef"
chmod -R 777 "$TMPDIR/cltune-$uid"
tune
exits 0 "a folder that others can write to is no obstacle"
ok "and is not swept" -d "$TMPDIR/cltune-$uid/scratch/run-0123456789abcdef"

# Where no cache can be written the driver's goes there too, and is found again.
rm -rf "${TMPDIR:?}"/*
: >"$TMPDIR/cltune-$uid"
for _ in 1 2; do run env XDG_CACHE_HOME=/proc/nowhere "$cltune" run "$space" -d 0:0; done
exits 0 "nor is a file"
ok "there is one folder of ours, found again" "$(ls -A "$TMPDIR" | wc -l)" -eq 2
ok "closed to others" "$(stat -c %a "$TMPDIR/cltune-$uid-"*)" = 700

# --- a temporary folder that is wrong ---
rm -rf "$XDG_CACHE_HOME/cltune/host" "${TMPDIR:?}"/*
run env TMPDIR=/nonexistent/tmp "$cltune" run "$space" -d 0:0
exits 1 "no temporary folder"
err_has "TMPDIR" "TMPDIR is named"
err_has "/nonexistent/tmp" "with its value"
mkdir -m 777 "$work/open"
chmod 777 "$work/open"
run env TMPDIR="$work/open" "$cltune" run "$space" -d 0:0
exits 1 "a temporary folder where others can rename ours"
err_has "other users can write to it" "is refused"
chmod 1777 "$work/open"
run env TMPDIR="$work/open" "$cltune" run "$space" -d 0:0
exits 0 "but not when it is sticky"

# --- XDG_RUNTIME_DIR: before /tmp, when it is this user's alone ---
# The user's C compiler tells where its temporary files go.
mkdir -m 700 "$work/runtime"
cat >"$work/bin/tellcc" <<C
#!/bin/sh
echo "\$TMPDIR" >>"$work/told"
exec cc "\$@"
C
chmod +x "$work/bin/tellcc"
rm -rf "$XDG_CACHE_HOME/cltune/host"
run env -u TMPDIR XDG_RUNTIME_DIR="$work/runtime" CC="$work/bin/tellcc" "$cltune" run "$space" -d 0:0
exits 0 "with XDG_RUNTIME_DIR"
room=$(df -Pk "$work/runtime" | awk 'NR == 2 { print $4 }')
if [ "$room" -gt 262144 ] && ! findmnt -no OPTIONS -T "$work/runtime" | grep -q noexec; then
    has "$work/told" "$work/runtime/cltune-$uid/" "temporary files go there"
else
    skip 1 "no room, or no programs, there"
fi
rm -rf "$XDG_CACHE_HOME/cltune/host" "$work/told"
chmod 755 "$work/runtime"
run env -u TMPDIR XDG_RUNTIME_DIR="$work/runtime" CC="$work/bin/tellcc" "$cltune" run "$space" -d 0:0
lacks "$work/told" "$work/runtime" "but not when others can enter it"
rm -rf "$XDG_CACHE_HOME/cltune/host" "$work/told"
chmod 700 "$work/runtime"
run env XDG_RUNTIME_DIR="$work/runtime" CC="$work/bin/tellcc" "$cltune" run "$space" -d 0:0
has "$work/told" "$TMPDIR/cltune-$uid/" "nor when TMPDIR is set"

# --- caches ---
# A reference that tells when it runs.
cat >"$work/evil.c" <<C
#include <stdio.h>
__attribute__((constructor)) static void begin(void)
{
    FILE *file = fopen("$work/ran", "w");
    if (file)
        fclose(file);
}
void ct_entry(void **a) { (void)a; }
const char ct_compiler[] = "";
C
cc -shared -fPIC -o "$work/evil.so" "$work/evil.c"
# With the checksum that cltune would have written: it is no secret.
cat >"$work/seal.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
static void put(const void *bytes, size_t length, char text[33])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, length);
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
int main(int argc, char **argv)
{
    static char code[1 << 20];
    char text[65] = "";
    char seal[33];
    size_t length = fread(code, 1, sizeof(code), stdin);
    memcpy(text, argv[argc - 1], 32);
    put(code, length, text + 32);
    put(text, 64, seal);
    fwrite(code, 1, length, stdout);
    printf("\ncltune host code %s", seal);
    return 0;
}
C
cc -o "$work/seal" "$work/seal.c" -lxxhash
stem=${key##*/}
"$work/seal" "${stem%.so}" <"$work/evil.so" >"$work/sealed.so"
plant() {
    rm -rf "$XDG_CACHE_HOME" "$work/ran"
    mkdir -p "$XDG_CACHE_HOME/cltune/host"
    cp "$work/sealed.so" "$XDG_CACHE_HOME/cltune/host/$key"
}
refused() {
    tune
    exits 0 "$1: no obstacle"
    ok "$1: not run" ! -e "$work/ran"
    err_has "is not safe" "$1: said"
}
plant
chmod -R go-w "$XDG_CACHE_HOME"
tune
ok "what is planted would run" -e "$work/ran"
plant
chmod 777 "$XDG_CACHE_HOME/cltune/host"
tune
exits 0 "a cache that others can write to: no obstacle"
ok "a cache that others can write to: not run" ! -e "$work/ran"
plant
chmod 777 "$XDG_CACHE_HOME/cltune"
refused "a folder above it that others can write to"
err_has "$XDG_CACHE_HOME/cltune" "and which one it is"
plant
chmod 777 "$XDG_CACHE_HOME"
refused "a home of caches that others can write to"
plant
mv "$XDG_CACHE_HOME/cltune" "$work/elsewhere"
ln -s "$work/elsewhere" "$XDG_CACHE_HOME/cltune"
refused "a link in place of the cache"
plant
mv "$XDG_CACHE_HOME" "$work/moved"
ln -s "$work/moved" "$XDG_CACHE_HOME"
rm "$XDG_CACHE_HOME/cltune/host/"*
tune
exits 0 "the home of caches may be a link of the user's"
ok "and is used" -f "$work/moved/cltune/host/$key"
rm "$XDG_CACHE_HOME"
mkdir -p "$XDG_CACHE_HOME/cltune"
ln -s "$work/home" "$XDG_CACHE_HOME/cltune/pocl"
tune
ok "a link in place of the driver's cache is not used" "$(ls -A "$work/home")" = scratch

# --- what belongs to somebody else ---
if can_be_stranger; then
    plant
    chown -R 65534:65534 "$XDG_CACHE_HOME/cltune"
    refused "a stranger's cache"
    plant
    chown 65534:65534 "$XDG_CACHE_HOME/cltune/host/$key"
    chmod 755 "$XDG_CACHE_HOME/cltune/host"
    tune
    ok "a stranger's file in our cache is not run" ! -e "$work/ran"
    plant
    chown 65534:65534 "$XDG_CACHE_HOME"
    refused "a stranger's home of caches"
    rm -rf "$XDG_CACHE_HOME" "${TMPDIR:?}"/*
    mkdir "$TMPDIR/cltune-$uid"
    chown 65534:65534 "$TMPDIR/cltune-$uid"
    tune
    exits 0 "a stranger who takes the name of our temporary folder is no obstacle"
    ok "and sees nothing of ours" -z "$(ls -A "$TMPDIR/cltune-$uid")"
else
    skip 10 "needs another user"
fi
done_testing
