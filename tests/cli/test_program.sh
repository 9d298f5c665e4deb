#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs as the thing measured: [program] and [read].
. "$(dirname "$0")/lib.sh"
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
# Nobody needs OpenCL for this.
export OCL_ICD_VENDORS="$work/nothing"
# ini LINE... : space.ini with these lines of [program], then what standard input says.
ini() {
    { printf '[program]\nname = prog\n' && printf '%s\n' "$@" && cat; } >"$work/space.ini"
}
# measure ARG...: one quick run.
measure() { run "$cltune" run "$work/space.ini" --samples 1 "$@"; }

# --- a program that says how long it took ---
cat >"$work/prog.sh" <<'END'
#!/bin/sh
# Says that it took longer the larger its argument.
echo "size $2 in $1.5 ms, $((1000 / $1)) items"
echo "settings: $(cat settings 2>/dev/null)"
echo result >result.txt
END
chmod +x "$work/prog.sh"
echo 'wide = ${WIDE}, cost = $${WIDE}, sum = ${SUM}' >"$work/settings.in"
ini 'files = prog.sh' 'command = ./prog.sh ${STEP} "${WIDE} ${WIDE}"' 'expect = /^size/' \
    'compare = result.txt' 'template = settings.in as settings' 'limit = 20 s' <<'END'
[read]
time_ms = /in ([0-9.]+) ms/
items   = /([0-9]+) items/
[param]
STEP = 4, 2, 8, 6, 9
WIDE = 1, 2
[let]
SUM = STEP + WIDE
[metric]
per_ms = items / (time_ns / 1e6)
END
run "$cltune" space "$work/space.ini" --check
exits 0 "the file passes the check"
ok "without a warning: names in a template's file are used" ! -s "$err"
run "$cltune" space "$work/space.ini" --explain STEP=2 WIDE=2
exits 0 "its explanation"
out_has "command     ./prog.sh 2 '2 2'" "shows the command's words"
out_has "wide = 2, cost = \${WIDE}, sum = 4" "what a template becomes"
out_has "read        time_ms: /in ([0-9.]+) ms/ in the output" "what is read"
out_has "right       exit status 0, output matches /^size/, 'result.txt' as of the default configuration" "and what is right"
measure STEP=2 WIDE=1
exits 0 "a run"
out_has "time     2.500 ms" "has the time that the program prints"
out_has "items    500" "a number that it prints, as a metric"
out_has "per_ms   200" "and a metric of that number"
out_lacks "read_1" "under its own name only"
run "$cltune" search "$work/space.ini" -q --json
exits 0 "a search"
ok "measures all configurations" "$(jq .counts.ok "$out")" = 10
ok "finds the fastest" "$(jq '.best[0].configuration.STEP // .results[0].configuration.STEP' "$out")" = 2
ok "on the host's processor" "$(jq -r .device "$out" | grep -c .)" = 1
run "$cltune" search "$work/space.ini" -q --json
ok "a second search continues the first" "$(jq '[.known_before, .evaluated] | tostring' "$out")" = '"[10,0]"'
run "$cltune" best prog
exits 0 "best"
out_has "STEP=2" "knows it"
run "$cltune" best prog --format make
out_has "_STEP := 2" "and exports it"
run "$cltune" recheck prog
exits 0 "recheck, without OpenCL"
out_has "still the best" "agrees"
run "$cltune" compare "$work/space.ini" "STEP=2" "STEP=8" --rounds 6
exits 0 "compare"
out_has "slower" "tells which is slower"
run "$cltune" replay -s random --repeats 2 -q "$CLTUNE_DB"
exits 0 "replay"
sed 's/^\[metric\]/[measure]\nobjective = items\ndirection = maximize\n&/' "$work/space.ini" >"$work/most.ini"
run "$cltune" search "$work/most.ini" -q --json
exits 0 "a search for the most items"
ok "finds it" "$(jq '.best[0].configuration.STEP // .results[0].configuration.STEP' "$out")" = 2
run "$cltune" run "$work/space.ini" -d host STEP=2 WIDE=1 --samples 1
exits 0 "-d host names the processor"
run "$cltune" run "$work/space.ini" -d nothing STEP=2
exits 4 "another device must be there"
printf '#!/bin/sh\n# changed\n' >"$work/new" && sed 1d "$work/prog.sh" >>"$work/new" && cat "$work/new" >"$work/prog.sh"
run "$cltune" search "$work/space.ini" -q --json -n 1
ok "a changed file is another program" "$(jq .evaluated "$out")" = 1

# --- words ---
cat >"$work/args.sh" <<'END'
#!/bin/sh
printf '<%s>' "$@"
pwd
END
chmod +x "$work/args.sh"
ini 'files = args.sh as bin/args' "command = bin/args \${FLAGS} a\${N}b '\${FLAGS} x' \"it is\" '' \$HOME ; a comment" \
    'expect = /^<-O2><-g><a7b><-O2 -g x><it is><><[$]HOME>/' <<'END'
[param]
FLAGS = '-O2 -g', ''
N = 7
END
measure
exits 0 "a name alone splits into words, no shell reads them, quotes hold words together"
measure "FLAGS=''"
out_has "<a7b>< x>" "an empty value alone is no word"
ini 'shell = on' 'command = test "$PWD" = "$TMPDIR" && test -z "$(ls)" && echo ${N} | tr 7 9' 'expect = /^9$/' <<'END'
[param]
N = 7
END
measure
exits 0 "a shell where it is asked for, in an empty folder of its own"

# --- folder, input, environment, set-up and clean-up ---
mkdir "$work/in"
echo "from a file" >"$work/in/input"
ini 'folder = in' 'input = in/input' 'command = sh ${SCRIPT}' 'files = say.sh' \
    'setup = sh -c "echo made >made" && sh -c "cat made >made2"' 'cleanup = touch cleaned' 'exit = 3' \
    'reject = /error/' <<'END'
[env]
GREETING = hello ${N}
[param]
SCRIPT = 'say.sh'
N = 7
END
cat >"$work/say.sh" <<'END'
echo "$GREETING $(cat) $(cat made2)"
exit 3
END
sed -i 's/^exit/expect = \/^hello 7 from a file made$\/\n&/' "$work/space.ini"
measure
exits 0 "environment, input, set-up, an exit status of one's own"
ok "clean-up commands run" -e "$work/in/cleaned"
rm "$work/in/cleaned"
echo 'echo an error' >"$work/say.sh"
measure
exits 1 "another exit status"
out_has "status   invalid" "is a refusal"
out_has "the program ended with exit status 0 instead of 3: an error" "with the end of the output"
ok "and the clean-up runs, too" -e "$work/in/cleaned"
echo 'echo "hello 7 from a file made"; echo an error; exit 3' >"$work/say.sh"
measure
out_has "status   wrong" "output that must not be"
out_has "the output matches the rejected pattern 'error': hello 7 from a file made | an error" "is wrong"
sed -i 's/^setup = .*/setup = sh -c "echo no such option; exit 2"/' "$work/space.ini"
measure
out_has "status   build_failed" "a set-up that fails is a failed build"
out_has "the set-up ended with exit status 2 instead of 0: no such option" "with its reason"
sed -i 's/^setup = .*/setup = .\/no-such-program/' "$work/space.ini"
measure
out_has "the set-up cannot be run: './no-such-program': No such file or directory" "and so is one that is missing"

# --- set-ups side by side ---
cat >"$work/build.sh" <<'END'
#!/bin/sh
# build.sh LOG N: a set-up that takes a while, and fails for N = 5; for N = 6 only the first time.
echo "begin $2" >>"$1"
sleep 0.$2
echo "end $2" >>"$1"
[ "$2" != 5 ] || exit 1
[ "$2" != 6 ] || [ "$(grep -c 'begin 6' "$1")" -gt 1 ] || exit 1
echo "$2" >made
END
cat >"$work/use.sh" <<'END'
#!/bin/sh
# use.sh LOG N: only what its own set-up has made is there.
[ "$(cat made)" = "$2" ] && [ "$(ls | tr '\n' ' ')" = "build.sh made use.sh " ] || exit 9
echo "run $2" >>"$1"
echo "took $2 ms"
END
chmod +x "$work/build.sh" "$work/use.sh"
# beside KEY=VALUE JOBS: a search, whose set-ups and runs are in the file log.
beside() {
    rm -f "$work/log"
    ini "$1" 'files = build.sh, use.sh' "setup = ./build.sh $work/log \${N}" "command = ./use.sh $work/log \${N}" <<'END'
[read]
time_ms = /took ([0-9.]+) ms/
[param]
N = 1, 2, 3, 4, 5, 6, 7, 8
END
    run "$cltune" search "$work/space.ini" -q --json --rough -s exhaustive --jobs "$2" --db "$work/beside.db"
    # Set-ups that were open at once, at most; and runs while one was.
    most=$(awk '/^begin/ { open++ } /^end/ { open-- } open > most { most = open } END { print most }' "$work/log")
    timed=$(awk '/^begin/ { open++ } /^end/ { open-- } /^run/ && open { bad++ } END { print bad + 0 }' "$work/log")
    ok "$1, $2 jobs: no program runs during a set-up" "$timed" = 0
    rm -f "$work"/beside.db*
}
beside "parallel_setup = on" 4
exits 0 "a search with set-ups side by side"
ok "as many as there are builders" "$most" = 4
ok "each in a folder of its own, those that fail in company tried again" "$(jq -c '[.counts.ok, .counts.build_failed]' "$out")" = '[7,1]'
ok "others are set up once for each time that they are measured" "$(grep -c 'begin 3' "$work/log")" = 1
beside "parallel_setup = on" 1
ok "one builder: one after the other" "$most" = 1
beside "shell = off" 4
ok "and so without the key" "$most" = 1
ok "with the same results, but for what fails at first" "$(jq -c '[.counts.ok, .counts.build_failed]' "$out")" = '[6,2]'
# One that takes more than half of what it may take has the processors for itself.
rm "$work/log"
printf '#!/bin/sh\necho "begin $2" >>"$1"\nsleep $((2 * $2 - 2))\necho "$2" >made\n' >"$work/build.sh"
sed -i 's/^shell = off/parallel_setup = on/; s/^N = .*/N = 1, 2, 3/' "$work/space.ini"
run "$cltune" search "$work/space.ini" -q --json --rough -s exhaustive --jobs 4 --build-timeout 6
exits 0 "set-ups that are too slow to run side by side"
ok "are no failures" "$(jq -c .counts.ok "$out")" = 3
ok "they are stopped and have their turns alone" "$(grep -c 'begin 3' "$work/log")" = 2
# A search that ends early leaves nothing of those that were set up ahead.
run "$cltune" search "$work/space.ini" -q --rough -n 1 --jobs 4 --db "$work/other.db"
ok "no folder is left of set-ups that were not needed" -z "$(ls "$TMPDIR")"

# --- what fails is one failed result ---
cat >"$work/fail.sh" <<'END'
#!/bin/sh
echo right >out.txt
case $1 in
slow) sleep 30 ;;
stdin) read -r line && exit 9 ;;
tty) (: </dev/tty) 2>/dev/null && exit 9 ;;
daemon) (setsid sleep 76 &) ;;
large) head -c 9000000 /dev/zero >large ;;
many) for i in 1 2 3 4 5; do head -c 900000 /dev/zero >"many$i"; done ;;
loud) yes ;;
segv) kill -SEGV $$ ;;
wrong) printf 'right\nand more\n' >out.txt ;;
none) rm out.txt ;;
esac
[ "$1" = mute ] || echo "took 1 ms"
END
chmod +x "$work/fail.sh"
ini 'files = fail.sh' 'command = ./fail.sh ${HOW}' 'limit = 0.5 s' 'disk = 4 MiB' 'compare = out.txt' <<'END'
[read]
time_ms = /took ([0-9.]+) ms/
[param]
HOW = 'good', 'slow', 'stdin', 'tty', 'daemon', 'large', 'many', 'loud', 'segv', 'wrong', 'none', 'mute'
END
# fails HOW STATUS MESSAGE
fails() {
    measure "HOW=$1"
    out_has "status   $2" "$1: $2"
    out_has "$3" "$1: why"
}
measure HOW=stdin
exits 0 "a program that reads its input finds its end"
measure HOW=tty
exits 0 "and has no terminal"
fails slow timeout "the program was not finished after its limit of 0.5 s"
fails daemon crashed "the program left 1 process running, which was killed"
ok "daemon: nothing is left" -z "$(pgrep -f '^sleep 76$')"
fails large crashed "the program wrote more than the 4 MiB of 'disk'"
fails many crashed "the program wrote more than the 4 MiB of 'disk'"
fails loud crashed "the program wrote more than the 4 MiB of 'disk'"
fails segv crashed "the program died of signal 11 (Segmentation fault)"
fails wrong wrong "'out.txt' differs from the default configuration's in line 2"
fails none wrong "there is no file 'out.txt': No such file or directory"
fails mute wrong "the output has no number for 'time_ms'"
run "$cltune" search "$work/space.ini" -q --json --rough
exits 0 "a search in which nearly all fail"
ok "keeps what works" "$(jq -c '[.counts.ok, .counts.crashed, .counts.timeout, .counts.wrong]' "$out")" = '[3,5,1,3]'
ok "no temporary folder is left" -z "$(ls "$TMPDIR")"
sed -i "s/'good', //" "$work/space.ini"
measure HOW=stdin
exits 2 "a default configuration that fails"
err_has "the default configuration, which 'compare' requires, failed: the program was not finished" "is an error, as nothing can be compared"
sed -i "s/^HOW = .*/HOW = 'none', 'good'/" "$work/space.ini"
measure HOW=good
exits 2 "and so is one"
err_has "after a run of the default configuration: there is no file 'out.txt'" "that leaves no file"
ini 'command = echo 5' 'compare = output' <<'END'
[read]
number = /([0-9]+)/ in result
[param]
N = 1, 2
END
measure N=2
err_has "there is no file 'result'" "a file with numbers that is not there"
sed -i 's/ in result//; s/echo 5/echo ${N}/' "$work/space.ini"
measure N=2
out_has "'output' differs from the default configuration's in line 1" "what is printed can be compared"

# --- what is wrong with a file ---
# refused MESSAGE LINE...
refused() {
    message=$1
    shift
    printf '%s\n' "$@" >"$work/bad.ini"
    run "$cltune" space "$work/bad.ini" --check
    exits 2 "refused: $message"
    err_has "$message" "with the reason"
}
P='[program]'
refused "there is no program 'no-such-program-at-all' in PATH; write ./no-such-program-at-all if the set-up makes it" \
    "$P" 'name = p' 'command = no-such-program-at-all' '[param]' 'N = 1, 2'
refused "[program] requires the key 'command'" "$P" 'name = p' '[param]' 'N = 1, 2'
refused "unknown key 'comand' in [program]; did you mean 'command'?" "$P" 'name = p' 'comand = true' '[param]' 'N = 1, 2'
refused "the command is empty" "$P" 'name = p' 'command = ${N}' '[param]' "N = '', 'x'"
refused "a quoted word ends with a quote and a blank" "$P" 'name = p' 'command = true "a"b' '[param]' 'N = 1, 2'
refused "bad.ini:3:18: error: unknown name 'M'" "$P" 'name = p' 'command = true ${M}' '[param]' 'N = 1, 2'
refused "a name is missing here: write 'FILE as NAME'" "$P" 'name = p' 'command = true' 'template = bad.ini' '[param]' 'N = 1, 2'
refused "'../x' is not a name within the folder of the program" "$P" 'name = p' 'command = true' 'files = bad.ini as ../x' '[param]' 'N = 1, 2'
refused "cannot read 'nowhere.txt'" "$P" 'name = p' 'command = true' 'files = nowhere.txt' '[param]' 'N = 1, 2'
refused "cannot read 'nowhere.txt'" "$P" 'name = p' 'command = true' 'template = nowhere.txt as x' '[param]' 'N = 1, 2'
refused "a pattern is written between slashes" "$P" 'name = p' 'command = true' 'expect = done' '[param]' 'N = 1, 2'
refused "/(/ is not a pattern:" "$P" 'name = p' 'command = true' 'expect = /(/' '[param]' 'N = 1, 2'
refused "/ms/ requires parentheses around the number" "$P" 'name = p' 'command = true' '[read]' 'time_ms = /ms/' '[param]' 'N = 1, 2'
refused "'time_ms' and 'time_s' both read the time of a run" "$P" 'name = p' 'command = true' '[read]' 'time_ms = /(a)/' 'time_s = /(b)/' '[param]' 'N = 1, 2'
refused "[read] can have at most 8 numbers besides times" "$P" 'name = p' 'command = true' '[read]' \
    'a=/(a)/' 'b=/(a)/' 'c=/(a)/' 'd=/(a)/' 'e=/(a)/' 'f=/(a)/' 'g=/(a)/' 'h=/(a)/' 'i=/(a)/' '[param]' 'N = 1, 2'
refused "'if' is a reserved word; choose another name" "$P" 'name = p' 'command = true' '[read]' 'if = /(a)/' '[param]' 'N = 1, 2'
refused "'N' is defined twice" "$P" 'name = p' 'command = true' '[read]' 'N = /(a)/' '[param]' 'N = 1, 2'
refused "[read] needs a [program] section" '[read]' 'a = /(a)/' '[param]' 'N = 1, 2'
refused "[buffer] is about a kernel: a file measures a kernel or a [program]" "$P" 'name = p' 'command = true' '[buffer x]' 'type = float' 'count = 1' '[param]' 'N = 1, 2'
refused "'replaces' is about a kernel's source" "$P" 'name = p' 'command = true' '[param]' 'N = 1, 2 replaces'
refused "'cache = cold' is about the buffers of a kernel" "$P" 'name = p' 'command = true' '[measure]' 'cache = cold' '[param]' 'N = 1, 2'
refused "'disk' must be a number with a unit KiB, MiB or GiB" "$P" 'name = p' 'command = true' 'disk = 5' '[param]' 'N = 1, 2'
refused "'limit' must be a number with a unit" "$P" 'name = p' 'command = true' 'limit = soon' '[param]' 'N = 1, 2'
refused "'maybe' is not a valid switch; use off or on" "$P" 'name = p' 'command = true' 'shell = maybe' '[param]' 'N = 1, 2'
echo '${NOWHERE}' >"$work/bad.in"
refused "'\${NOWHERE}' in 'bad.in' is no name of this file with a value; write \$\${" "$P" 'name = p' 'command = true' 'template = bad.in as x' '[param]' 'N = 1, 2'
refused "with 'parallel_setup = on' each configuration requires a folder of its own" "$P" 'name = p' 'command = true ${N}' 'folder = .' 'parallel_setup = on' '[param]' 'N = 1, 2'
ini 'command = true' <<'END'
[param]
N = 1, 2
END
run "$cltune" space "$work/space.ini" --check
err_has "parameter 'N' is not used, neither in this file nor in the source" "a parameter that nothing uses is named"
run "$cltune" search "$work/space.ini" --cache cold -q
exits 2 "cold caches"
err_has "a [program] has no buffers, so cold caches cannot be measured" "are of kernels"
run "$cltune" search "$work/space.ini" --objective end_to_end -q
err_has "so end-to-end time, with transfers, cannot be measured" "and so is the time with transfers"
printf 'x' >"$work/occupied"
ini 'command = true' 'folder = occupied' 'files = prog.sh' <<'END'
[param]
N = 1, 2
END
run "$cltune" run "$work/space.ini" N=1
err_has "cannot write 'prog.sh' for the program: Not a directory" "a folder that is none"

done_testing
