#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The data that cltune capture writes, of memory that is read in several pieces: to the byte, only what
# changed, and nothing of what cannot be read or written.
. "$(dirname "$0")/lib.sh"
cp "$build/libcltune-layer.so" "$work/bin/"
large=$build/tests/apps/large
cd "$work" || exit 1
mkdir truth

# same FILE CONTENTS: behind its head, the file has these contents.
same() { ok "$1 has what was there" "$(tail -c +129 "$1" | cmp - "$2" 2>&1)" = ""; }

run "$cltune" capture -o made -- "$large" truth
exits 0 "memory of five to eight MiB an argument"
for name in in kept tail plane solid; do
    same made/$name.npy truth/$name.before
done
for name in tail plane; do
    same made/$name.after.npy truth/$name.after
done
ok "what has not changed has no file of its own" "$(find made -name '*.after.npy' | wc -l)" = 2
run "$cltune" run --samples 1 made/SPACE.ini
out_has "status   ok" "the experiment gives what the program's launch gave"

# More than is written through the cache.
run "$cltune" capture -o huge --kernel tick --launch 2 -- "$build/tests/apps/launches" 3 1024 272629764
exits 0 "a buffer of 260 MiB, of which the launch changes the beginning"
head -c 272629764 /dev/zero >zeros
same huge/data.npy zeros
ok "with the change" "$(cmp huge/data.npy huge/data.after.npy 2>&1 | cut -d, -f1)" = "huge/data.npy huge/data.after.npy differ: byte 132"
ok "and nothing else" "$(cmp -i 4224 huge/data.npy huge/data.after.npy 2>&1)" = ""
rm -rf zeros huge

# --- devices and disks that fail ---
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_DEVICES=1 VIRTUALCL_PACE=0
run "$cltune" capture -o plain -- "$large" truth buffers
exits 0 "buffers alone, on the virtual driver"
same plain/tail.npy truth/tail.before
# Of three buffers with three pieces each, before and after the launch.
for nth in 1 5 9 11; do
    VIRTUALCL_FAIL=clEnqueueReadBuffer:$nth+:-5 run "$cltune" capture -o broken -- "$large" truth buffers
    exits 3 "a device that refuses reading number $nth"
    out_has "no: the device did not give its memory back" "is named"
    out_has "done" "while the program goes on"
    ok "and nothing is written" -z "$(find . -maxdepth 1 -name 'broken*')"
done
VIRTUALCL_FAIL=clEnqueueCopyBuffer:2+:-4 run "$cltune" capture -o broken -- "$large" truth buffers
out_has "no: the device did not give its memory back" "so is one that refuses a copy of what the host may not read"
unset OCL_ICD_VENDORS VIRTUALCL_DEVICES VIRTUALCL_FAIL
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=300m tmpfs full 2>"$err"; then
    run "$cltune" capture -o full/out --kernel tick --launch 2 -- "$build/tests/apps/launches" 3 1024 272629764
    exits 3 "a disk with room for the contents before the launch alone"
    out_has "its data cannot be written: No space left on device" "is said"
    ok "and left empty" -z "$(ls full)"
    umount full
else
    skip 3 "no file system of our own"
fi
done_testing
