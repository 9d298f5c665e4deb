#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file that cltune reads is regular and has a limit: FIFOs would block it, devices and
# files without end would fill the memory.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
mkfifo "$work/fifo"
truncate -s 6G "$work/huge"
mkdir "$work/folder"

# bounded COMMAND...: within 1 GB of addresses; the time limit only ends what hangs.
bounded() {
    (
        limit_memory 1200000
        exec timeout 60 "$@"
    ) >"$out" 2>"$err" </dev/null
    status=$?
}

# What a kernel needs; ROLE is replaced by the file under attack.
make_space() {
    cat >"$work/s.ini" <<END
[kernel]
name = vcopy
source = ${source:-$root/tests/cli/spaces/virtual.cl}

[problem]
n = 1024

[param]
WG = 1, 2

[buffer input]
type = float
count = n
fill = ${fill:-uniform(-1, 1)}

[buffer output]
type = float
count = n
check = exact
${expect:+expect = $expect}

[launch copy]
kernel = copy
args = input, output, uint(n)
global = n
local = WG
${reference:+
[reference]
c = $reference
function = copy_reference
args = input, output, uint(n)
}
${baseline:+
[baseline]
c = $baseline
function = copy_reference
args = input, output, uint(n)
}
END
}

for file in "$work/fifo" /dev/zero "$work/huge" "$work/folder"; do
    bounded "$cltune" space "$file"
    ok "$file as a space file" "$status" -eq 2
    err_has "$file" "is named"
    for role in source include reference baseline fill fill-c expect; do
        source='' fill='' reference='' baseline='' expect=''
        case $role in
        source) source=$file ;;
        include)
            source=$work/include.cl
            {
                echo "#include \"$file\""
                cat "$root/tests/cli/spaces/virtual.cl"
            } >"$source"
            ;;
        reference) reference=$file ;;
        baseline) baseline=$file reference=$root/tests/cli/spaces/copy.c ;;
        fill) fill="file($file)" ;;
        fill-c) fill="c($file, f)" ;;
        expect) expect="file($file)" ;;
        esac
        make_space
        bounded "$cltune" run "$work/s.ini" -d VideoCore
        # A folder of an include's name is none to the compiler: its own matter.
        if [ "$role" = include ] && [ "$file" = "$work/folder" ]; then
            survived "$file as $role"
        else
            ok "$file as $role: refused" "$status" -eq 1 -o "$status" -eq 2
            err_has "$file" "and named"
        fi
    done
    bounded "$cltune" replay "$file"
    ok "$file as replay's data" "$status" -eq 1 -o "$status" -eq 2
    err_has "$file" "is named"
done

# What the system cannot read is no mistake of the user's: address 0 of the process itself.
bounded "$cltune" space /proc/self/mem
exits 1 "a space file that the system cannot read"
err_has "cannot read '/proc/self/mem'" "is named"

# A packed file may be small and what it holds large.
if command -v gzip >/dev/null; then
    head -c 300000000 /dev/zero | gzip -1 >"$work/bomb.tsv.gz"
    bounded "$cltune" replay "$work/bomb.tsv.gz"
    ok "a small file of a large one" "$status" -eq 1 -o "$status" -eq 2
    err_has "bomb.tsv.gz" "is named"
else
    skip 2 "no gzip"
fi
done_testing
