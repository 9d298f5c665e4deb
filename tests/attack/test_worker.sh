#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a reference, which runs in a worker as drivers and kernels do, finds there: no
# descriptors of the caller's, no way to more rights, no core dumps.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
cp "$root"/tests/cli/spaces/virtual.* "$work/"
cat >"$work/copy.c" <<C
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void copy_file(const char *path, FILE *to)
{
    FILE *from = fopen(path, "r");
    char line[512];

    while (from && fgets(line, sizeof(line), from))
        fputs(line, to);
    if (from)
        fclose(from);
}

void copy_reference(const float *in, float *out, unsigned n)
{
    FILE *to = fopen("$work/seen", "w");
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    char path[300];
    char link[300];

    memcpy(out, in, n * sizeof(float));
    while (dir && (entry = readdir(dir))) {
        ssize_t length;

        snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        length = readlink(path, link, sizeof(link) - 1);
        if (length > 0)
            fprintf(to, "fd %s %.*s\n", entry->d_name, (int)length, link);
    }
    if (dir)
        closedir(dir);
    copy_file("/proc/self/limits", to);
    copy_file("/proc/self/status", to);
    fclose(to);
}
C
cat >"$work/bin/tellcc" <<C
#!/bin/sh
ls -l /proc/self/fd >"$work/seen-by-cc"
exec cc "\$@"
C
chmod +x "$work/bin/tellcc"
echo secret >"$work/secret"
run env CC="$work/bin/tellcc" "$cltune" run "$work/virtual.ini" -d 0:0 \
    7<"$work/secret" 9>"$work/log-of-the-caller"
exits 0 "with open descriptors"
ok "the reference was there" -s "$work/seen"
lacks "$work/seen" "$work/secret" "it has no file that the caller had open"
lacks "$work/seen" "$work/log-of-the-caller" "nor one that it could write to"
ok "the compiler was there" -s "$work/seen-by-cc"
lacks "$work/seen-by-cc" "$work/secret" "nor has the compiler"
if [ -x /usr/bin/nvidia-modprobe ] && [ ! -e /dev/nvidia-uvm ]; then
    skip 1 "NVIDIA's driver may have to make its devices"
else
    ok "no setuid bit has an effect there" "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' "$work/seen")" = 1
fi
ok "core dumps are neither written nor handed to anybody" \
    "$(awk '/^Max core file size/ { print $5 }' "$work/seen")" = 1
done_testing
