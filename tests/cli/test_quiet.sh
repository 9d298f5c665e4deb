#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# While a processor is timed nothing else of ours works: no builder, and nobody writes to
# the database or waits for its disk.  On other devices builders work ahead.
#
# The virtual driver's log tells what happened on the device; a library loaded in front of
# the C library's tells every write and sync of the database.  Both use CLOCK_MONOTONIC.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"

cat >"$work/watch.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* One line, in one write, like those of the driver. */
static void note(int fd, const char *what)
{
    const char *log = getenv("WATCH_LOG");
    char link[64];
    char path[4096];
    char line[128];
    struct timespec now;
    ssize_t length;
    int out;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    if (!log || !strstr(path, "watched.db"))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(line, sizeof(line), "%lld %d %s\n",
             (long long)now.tv_sec * 1000000000 + now.tv_nsec, (int)getpid(), what);
    out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(out, line, strlen(line)) < 0)
        abort();
    close(out);
}

#define NEXT(name) (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    note(fd, "db_write");
    return (NEXT(pwrite64))(fd, bytes, count, offset);
}

int fdatasync(int fd)
{
    int status = (NEXT(fdatasync))(fd);

    note(fd, "db_sync");
    return status;
}

int fsync(int fd)
{
    int status = (NEXT(fsync))(fd);

    note(fd, "db_sync");
    return status;
}
C
cc -shared -fPIC -o "$work/watch.so" "$work/watch.c" -ldl || exit 1

cp "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/^#pragma virtual factor A.*/&\n#pragma virtual build_time 50000000/' \
    "$root/tests/cli/spaces/many.cl" >"$work/many.cl"
cp "$root/tests/cli/spaces/many.ini" "$work/"

# search TYPE: 40 configurations on a device of that type; what happened goes to
# $work/TYPE.log, in order of time.
search() {
    rm -f "$work"/watched.db* "$work/device" "$work/writes"
    run env VIRTUALCL_TYPE="$1" VIRTUALCL_LOG="$work/device" WATCH_LOG="$work/writes" \
        LD_PRELOAD="$work/watch.so" ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
        "$cltune" search "$work/many.ini" -d 0:1 -j 2 --param A=0..3 --param B=0..9 --json \
        --no-cache --no-race --samples 10 --db "$work/watched.db"
    exits 0 "$1: search"
    ok "$1: everything is measured" "$(jq .counts.ok "$out")" = 40
    sort -n "$work/device" "$work/writes" >"$work/$1.log"
}

# disturbances LOG WORDS: how many events of these kinds, of whatever other process, fall
# between the launches of a sample (ten or more behind one clFinish) and their end.
disturbances() {
    awk -v words="$2" '
        BEGIN { n = split(words, w, " "); for (i = 1; i <= n; i++) wanted[w[i]] = 1 }
        $3 == "launch" { inside[$2] = 1; seen[$2] = 0 }
        $3 == "finish_end" {
            sub(/launches=/, "", $4)
            if (inside[$2] && $4 + 0 >= 10) bad += seen[$2]
            inside[$2] = 0
            samples += $4 + 0 >= 10
        }
        $3 in wanted { for (p in inside) if (inside[p] && p != $2) seen[p]++ }
        END { print (samples > 0 ? bad + 0 : "no samples") }' "$1"
}

# The check itself: a write within a sample counts, one within a single launch does not.
cat >"$work/made.log" <<'L'
100 7 launch device=1
101 5 db_write
102 7 finish_end launches=1 status=0
103 7 launch device=1
104 5 db_write
105 7 finish_end launches=10 status=0
106 5 db_write
L
ok "a disturbance would be seen" "$(disturbances "$work/made.log" "db_write db_sync")" = 1

search cpu
ok "a processor: the database was written" "$(grep -c db_write "$work/cpu.log")" -gt 40
ok "a processor: and its disk waited for" "$(grep -c db_sync "$work/cpu.log")" -ge 2
ok "a processor: two builders worked" "$(awk '$3 == "build_begin" { print $2 }' \
    "$work/cpu.log" | sort -u | wc -l)" -ge 2
ok "a processor: never while it was timed" \
    "$(disturbances "$work/cpu.log" "build_begin build_end first_begin first_end launch")" = 0
ok "a processor: nor was the database" \
    "$(disturbances "$work/cpu.log" "db_write db_sync")" = 0

search gpu
ok "another device: builders work ahead meanwhile" \
    "$(disturbances "$work/gpu.log" "build_begin build_end")" -gt 5

done_testing
