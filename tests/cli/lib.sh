# SPDX-License-Identifier: Apache-2.0
# TAP for shell tests: source it, call the checks, end with `done_testing`.
#
# run COMMAND...     runs it; leaves $status, and the output in $out and $err (files)
# ok NAME CONDITION  passes when `test CONDITION` holds
# exits N NAME       the last run ended with status N
# out_has / err_has / out_lacks / err_lacks TEXT NAME    fixed strings
# skip COUNT REASON
# tell_spent WHAT    a comment with the time that the last run, a search, has taken

# What the caller has left open would count where a test allows few descriptors.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

build=$(cd "${CT_BUILD:?run through scripts/run-tests}" && pwd)
root=$(cd "${CT_ROOT:?run through scripts/run-tests}" && pwd)
virtual=$build/tests/fault/vendors
if [ ! -e "$virtual/virtual.icd" ]; then
    echo "Bail out! $build has no tests: run 'make tests' first"
    exit 1
fi
# The same path in each run, where scripts/run-tests names it: PoCL compiles nothing anew for another.
work=${CT_WORK-}
if [ -z "$work" ] || ! mkdir -m 700 "$work" 2>/dev/null; then work=$(mktemp -d); fi
trap 'rm -rf "$work"' EXIT
# A program of its own, so that its workers differ from those of tests beside this one.
mkdir "$work/bin"
cp "$build/cltune" "$work/bin/"
cltune=$work/bin/cltune
out=$work/out
err=$work/err
status=0
number=0
export CLTUNE_DB="$work/cltune.db"

run() {
    "$@" >"$out" 2>"$err" </dev/null
    status=$?
}

report() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        echo "# status $status, standard output:"
        head -30 "$out" | sed 's/^/#   /'
        echo "# standard error:"
        head -30 "$err" | sed 's/^/#   /'
    fi
}

ok() {
    name=$1
    shift
    if test "$@"; then report 0 "$name"; else
        echo "# test $*"
        report 1 "$name"
    fi
}

exits() {
    if [ "$status" -eq "$1" ]; then report 0 "$2"; else
        echo "# expected status $1"
        report 1 "$2"
    fi
}

has() {
    if grep -qF -e "$2" "$1"; then report 0 "$3"; else
        echo "# missing: $2"
        report 1 "$3"
    fi
}
lacks() {
    if grep -qF -e "$2" "$1"; then
        echo "# unwanted: $2"
        report 1 "$3"
    else report 0 "$3"; fi
}
out_has() { has "$out" "$1" "$2"; }
err_has() { has "$err" "$1" "$2"; }
out_lacks() { lacks "$out" "$1" "$2"; }
err_lacks() { lacks "$err" "$1" "$2"; }

# What the search that ran last says of its time, as a comment.
tell_spent() { sed -n "s/^spent  */# $1: /p" "$out"; }

# copy_space NAME VALUES DEFAULT: a space file of $work/NAME.cl, whose kernel copies 256 numbers, with a
# parameter A, for the virtual driver's pragmas to tell configurations apart
copy_space() {
    cat >"$work/$1.ini" <<END
[kernel]
name = $1
source = $1.cl
[param]
A = $2
[buffer input]
type = float
count = 256
fill = uniform(-1, 1)
[buffer output]
type = float
count = 256
[launch copy]
kernel = copy
args = input, output, uint(256)
global = 256
local = 4
[default]
A = $3
END
}

skip() {
    for _ in $(seq "$1"); do
        number=$((number + 1))
        echo "ok $number # SKIP $2"
    done
}

done_testing() { echo "1..$number"; }
