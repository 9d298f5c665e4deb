#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing is drawn while a processor is timed: when cltune writes to its terminal (strace) and when the
# virtual device, which says that it is a processor, runs launches (its log).
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual" VIRTUALCL_TYPE=cpu VIRTUALCL_LOG="$work/log" TERM=xterm
unset NO_COLOR COLUMNS
if ! strace -o "$out" true 2>"$err"; then
    skip 4 "no strace"
    done_testing
fi
cp "$root/tests/cli/spaces/virtual.ini" "$root/tests/cli/spaces/copy.c" "$work/"
sed 's/virtual base 200000/virtual base 4000000/' "$root/tests/cli/spaces/virtual.cl" >"$work/virtual.cl"

# What strace notes by CLOCK_REALTIME the log does by CLOCK_MONOTONIC.
ahead() { python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC))'; }
ahead=$(ahead)
run python3 "$root/tests/cli/terminal.py" "" strace -ttt -s 4096 -e trace=write -o "$work/trace" \
    "$cltune" search "$work/virtual.ini" -d 0:1 --no-cache --rough
exits 0 "a search at a terminal"
ok "the clocks were not set meanwhile" "$(($(ahead) - ahead))" -lt 1000000 -a "$(($(ahead) - ahead))" -gt -1000000

# One process at a time measures: it loads what others have built.  From a launch to the next
# finish_end the device is busy.
cat >"$work/quiet.py" <<'END'
import re
import sys

drawn = []
for line in open(sys.argv[1], errors="replace"):
    found = re.match(r'(\d+)\.(\d{6}) write\(\d+, ".*\\33\[[JK]', line)
    if found:
        drawn.append(int(found[1] + found[2]) * 1000 - int(sys.argv[3]))
events = sorted((int(w[0]), w[1], w[2]) for w in map(str.split, open(sys.argv[2])) if len(w) > 2)
runners = {pid for _, pid, what in events if what == "load_begin"}
timed, since = [], {}
for at, pid, what in events:
    if pid in runners and what == "launch":
        since.setdefault(pid, at)
    elif pid in runners and what == "finish_end" and pid in since:
        timed.append((since.pop(pid), at))
# What strace rounds off is none of it.
wrong = [at for at in drawn if any(begin + 1000 < at < end - 1000 for begin, end in timed)]
between = [at for at in drawn if timed and timed[0][0] < at < timed[-1][1]]
print(f"# {len(drawn)} drawings, {len(between)} between the first launch and the last, {len(timed)} times the device "
      f"is busy, for {sum(end - begin for begin, end in timed) / 1e6:.0f} ms", file=sys.stderr)
print(len(between) >= 3, len(timed) >= 50, len(wrong))
END
said=$(python3 "$work/quiet.py" "$work/trace" "$work/log" "$ahead" 2>"$err")
cat "$err"
ok "it draws meanwhile, and much is timed" "${said% *}" = "True True"
ok "but never while a launch runs" "${said##* }" = 0
done_testing
