#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that do not want to end, that hide, that fill the disk, that attack what watches them; and
# a cltune that is killed while they run.  Nothing may be left, neither processes nor files.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
export OCL_ICD_VENDORS="$work/nothing"
# A number that no other program sleeps for, to find what is left.
nap=$((40000 + $$ % 10000))
left() { pgrep -f "^sleep $nap\$" | wc -l; }
# Within five seconds: what is killed needs time to disappear on a busy machine.
gone() {
    tries=0
    while [ "$("$@")" != 0 ] && [ $tries -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    "$@"
}
folders() { find "$TMPDIR" -name 'run-*' | wc -l; }

cat >"$work/evil.sh" <<END
#!/bin/sh
trap '' TERM INT HUP
case \$1 in
good) ;;
deaf) sleep $nap ;;
double) (setsid sh -c "(setsid sleep $nap >/dev/null 2>&1 &)" &) ;;
tree) for i in 1 2 3 4 5 6; do (trap '' TERM; sleep $nap & sleep $nap & wait) & done; sleep 0.1 ;;
forest) for i in 1 2 3 4 5 6; do (trap '' TERM; sleep $nap & sleep $nap & wait) & done; sleep $nap ;;
spawn) (n=0; while [ \$n -lt 200 ]; do n=\$((n + 1)); sleep $nap & done; wait) & ;;
keeper) sleep $nap & kill -9 \$PPID; sleep $nap ;;
group) sleep $nap & kill -9 0 ;;
stop) kill -STOP \$\$ ;;
sparse) truncate -s 1G sparse || exit 1 ;;
deep) mkdir -p a/b/c/d && for i in 1 2 3 4 5; do head -c 900000 /dev/zero >a/b/c/d/\$i; done ;;
links) ln -s "$work/precious" link && ln -s / root ;;
remove) rm -rf "\$PWD" ;;
fifo) mkfifo numbers ;;
tmp) echo x >"\$TMPDIR/file" ;;
binary) head -c 100000 /dev/urandom; printf '\\000\\377%%s%%n\\n' ;;
esac
exit 0
END
chmod +x "$work/evil.sh"
mkdir "$work/precious"
echo gold >"$work/precious/file"
cat >"$work/evil.ini" <<'END'
[program]
name = evil
files = evil.sh
command = ./evil.sh ${HOW}
limit = 1 s
disk = 4 MiB
cleanup = rm -f nothing
[param]
HOW = 'good', 'deaf', 'double', 'tree', 'forest', 'spawn', 'keeper', 'group', 'stop', 'sparse', 'deep', 'links', 'remove', 'fifo', 'tmp', 'binary'
END
# attack HOW STATUS
attack() {
    run "$cltune" run "$work/evil.ini" "HOW=$1" --samples 1
    survived "$1: cltune ends"
    out_has "status   $2" "$1: $2"
    ok "$1: no process is left" "$(gone left)" = 0
    ok "$1: no folder is left" "$(gone folders)" = 0
}
attack deaf timeout
attack double crashed
attack tree crashed
attack spawn crashed
attack keeper crashed
out_has "the program killed the process that watches it" "keeper: which is said"
attack group crashed
attack stop timeout
attack sparse invalid
attack deep crashed
attack links ok
ok "links: what they point to is still there" "$(cat "$work/precious/file")" = gold
attack tmp ok
attack binary ok
run "$cltune" run "$work/evil.ini" HOW=remove --samples 1
survived "remove: cltune ends"
ok "remove: no folder is left" "$(gone folders)" = 0
run "$cltune" search "$work/evil.ini" -q --json --rough --param "HOW='good', 'deaf', 'keeper', 'double', 'tmp'"
exits 0 "a search survives them"
ok "and keeps what is good" "$(jq .counts.ok "$out")" = 2

# A pipe in place of a file with numbers.
{ cat "$work/evil.ini" && printf '[read]\nx = /([0-9])/ in numbers\n'; } >"$work/fifo.ini"
run "$cltune" run "$work/fifo.ini" HOW=fifo --samples 1
survived "a pipe in place of a file"
out_has "there is no file 'numbers': it is no regular file" "is no file"

# cltune itself is killed, or interrupted, while a program runs.
# killed SIGNAL COMMAND CONFIGURATION [OPTION]
killed() {
    sed 's/^limit = .*/limit = 60 s/' "$work/evil.ini" >"$work/long.ini"
    "$cltune" "$2" "$work/long.ini" $4 "$3" >"$out" 2>"$err" &
    pid=$!
    tries=0
    while [ "$(left)" = 0 ] && [ $tries -lt 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    ok "$1 of $2: the program runs" "$(left)" != 0
    kill "-$1" $pid
    wait $pid 2>/dev/null
    ok "$1 of $2: it dies with cltune" "$(gone left)" = 0
    ok "$1 of $2: and leaves no folder" "$(gone folders)" = 0
}
killed KILL run HOW=deaf
killed TERM run HOW=forest
killed TERM search "HOW='deaf'" --param
killed KILL search "HOW='good', 'deaf'" --param

done_testing
