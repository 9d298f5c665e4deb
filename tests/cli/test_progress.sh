#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a running search shows: screens of a real terminal (tmux) of several widths and heights, while
# it is resized, without colors and without UTF-8; what each builder compiles; a line for each device
# of several; and its results as JSON lines.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
unset NO_COLOR COLUMNS

cp "$root/tests/cli/spaces/virtual.cl" "$root/tests/cli/spaces/virtual.ini" \
    "$root/tests/cli/spaces/copy.c" "$work/"
cat >>"$work/virtual.cl" <<'END'
// #pragma virtual build_time 150000000
// #pragma virtual fault WG 2 build_error
END

# --- JSON lines ---
run "$cltune" search "$work/virtual.ini" -d 0:1 --json-lines --no-cache
exits 0 "search --json-lines"
ok "every line is an object" "$(jq -r type "$out" | sort -u)" = object
ok "a line for each result" "$(jq -r 'select(.record == "result").status' "$out" | sort | uniq -c | tr -s ' \n' ' ')" = \
    " 3 build_failed 15 ok "
ok "from its beginning" "$(head -1 "$out" | jq -r .record)" = search
ok "to its end" "$(tail -1 "$out" | jq -r .record)" = end
ok "with the best" "$(tail -1 "$out" | jq -Sc .best.configuration)" = '{"VEC":16,"WG":16}'
ok "no bar on what is no terminal" "$(grep -c "$(printf '\033')" "$err")" = 0

# --- screens ---
if ! command -v tmux >"$out" 2>&1; then
    skip 56 "no tmux"
    done_testing
fi
# The server stays between sessions: while it ends, a new session would be refused.
echo 'set -g exit-empty off' >"$work/tmux.conf"
mux() { tmux -S "$work/tmux" -f "$work/tmux.conf" "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
# begin COLUMNS OPTIONS...: a search of $space on $devices in a terminal of that width and of $rows, with
# $locale and what $extra sets.
begin() {
    columns=$1
    shift
    rm -f "$work/screen.db"
    mux new-session -d -s search -x "$columns" -y "$rows" \
        "env LC_ALL=$locale $extra '$cltune' search '$work/$space.ini' -d $devices --no-cache --db '$work/screen.db' $*; echo 'ended: '\$?; exec sleep 1000"
}
screen() { mux capture-pane -p -t search "$@" >"$work/screen"; }
# until_screen PATTERN [COUNT]: waits until so many lines of the screen (1) have it; keeps that screen.
until_screen() {
    since=$(date +%s)
    screen
    until [ "$(count "$1")" -ge "${2-1}" ]; do
        if [ $(($(date +%s) - since)) -ge 90 ]; then
            echo "# no ${2-1} lines with $1 in 90 s, on a screen of $columns columns:"
            sed 's/^/#   /' "$work/screen"
            return
        fi
        sleep 0.1
        screen
    done
}
end() { mux kill-session -t search; }
widest() { awk '{ n = length($0); if (n > most) most = n } END { print most + 0 }' "$1"; }
count() { grep -c -e "$1" "$work/screen"; }

space=virtual devices=0:1 rows=30
locale=C.UTF-8
extra=
for columns in 40 80 200; do
    begin $columns
    until_screen '^search: .*build_failed'
    ok "at $columns columns: the best and its gain, once" "$(count 'best ')" = 1
    ok "the phase, once" "$(count '^search: ')" = 1
    ok "the workers, once" "$(count '^workers: ')" = 1
    cp "$work/screen" "$work/screen.$columns"
    until_screen '^workers: .*[0-9] of [0-9]* b'
    ok "how many builders compile" "$(count '^workers: .*[0-9] of [0-9]* b')" = 1
    until_screen '^ended'
    screen -S -
    ok "nothing of it stays" "$(count '^search: \|^workers: \|left [0-9?]\|/18')" = 0
    ok "but the table" "$(count '^ *# ')" = 1
    end
done
ok "no bar at 40 columns" "$(grep -c '[█░]' "$work/screen.40")" = 0
ok "how many are done, then" "$(grep -c '/18' "$work/screen.40")" = 1
ok "a bar at 80" "$(grep -c '\[█*░*\] *[0-9]*/18' "$work/screen.80")" = 1
ok "the rate and the time left" "$(grep -c '/s .*left ' "$work/screen.80")" = 1
ok "failures by kind" "$(grep -c 'build_failed' "$work/screen.200")" = 1

# --- resizing ---
begin 120
until_screen '^search: .*build_failed'
mux resize-window -t search -x 50 -y 30
sleep 0.3
until_screen '^search: .*build_failed'
ok "after resizing: one line of each" "$(count 'best ') $(count '^search: ') $(count '^workers: ')" = "1 1 1"
end

# --- what each builder does ---
# All builds but that of the default never end, so that the screen stays as it is, and without an A/A test soon. For fewer than eight
# configurations nobody studies the compiler first, and for a CPU device nothing is compiled ahead.
sed 's/virtual\.cl/hanging.cl/; s/^WG .*/WG = 1, 2, 4, 6, 8, 12, 16/; s/^VEC .*/ITERATIONS_OF_THE_INNER_LOOP = 1/' \
    "$work/virtual.ini" >"$work/hanging.ini"
{ cat "$work/virtual.cl" && printf '#pragma virtual fault WG %s build_hang\n' 2 4 6 8 12 16; } >"$work/hanging.cl"
space=hanging extra=VIRTUALCL_TYPE=cpu
# builders: what is in $work/screen of them, one a line.
builders() { grep '^builder ' "$work/screen" | sed 's/  *\(builder [0-9]*:\|and [0-9]* more\)/\n\1/g'; }
for columns in 40 80 200; do
    begin $columns -j 4 --rough
    until_screen '^builder 4: WG'
    builders >"$work/builders"
    ok "at $columns columns: a line for each builder" "$(sed 's/:.*//' "$work/builders" | tr '\n' ' ')" = \
        "builder 1 builder 2 builder 3 builder 4 "
    ok "which fits" "$(LC_ALL=C.UTF-8 sed 's/…/./' "$work/builders" | wc -L)" -lt $columns
    shown=ITERATIONS_OF_THE_INNER_LOOP=1$
    [ $columns -gt 40 ] || shown='ITERAT.*…$'
    ok "with the configuration, each another one" "$(sed -n "s/^builder [0-9]: \(WG=[0-9]*\) $shown/\1/p" \
        "$work/builders" | sort -u | wc -l)" = 4
    end
done
rows=8
begin 80 -j 4 --rough
until_screen '^builder.*and 3 more'
ok "in a low terminal several share a line, and the last one counts the others" \
    "$(builders | sed 's/:.*//' | tr '\n' ' ')" = "builder 1 and 3 more "
ok "they take half of it" "$(count '/7 .*best \|^search: \|^workers: \|^builder ')" = 4
end
rows=30 extra=
# Before that, while the default of a GPU is built, it is those that the strategy will ask for.
echo '#pragma virtual fault WG 1 build_hang' >>"$work/hanging.cl"
begin 80 -j 4 --rough
until_screen '^builder 4: ahead: WG'
ok "what is compiled ahead is named, too" "$(builders | sed -n 's/^builder [2-4]: ahead: \(WG=[0-9]*\) ITERA.*/\1/p' | sort -u | wc -l)" = 3
ok "beside what is no configuration of the search" "$(count '^builder 1: compiling$') $(count '^the default is being measured')" = "1 1"
end
sed -i '$d' "$work/hanging.cl"

# --- several devices ---
# Both lines are waited for on one screen: another one may be caught while it is drawn.
both='^\[0:[01]\].* 1/7.*best [0-9].*'
devices=all
for columns in 40 80 200; do
    begin $columns -j 4 --rough
    last=
    [ $columns != 200 ] || last=' workers: '
    until_screen "$both$last" 2
    grep ' 1/7 ' "$work/screen" >"$work/rows.$columns"
    ok "at $columns columns: a line for each device" "$(cut -d' ' -f1 "$work/rows.$columns" | tr '\n' ' ')" = "[0:0] [0:1] "
    ok "which fits" "$(widest "$work/rows.$columns")" -lt $columns
    ok "and is not mixed with other lines" "$(grep -c '.\[0:' "$work/screen")" = 0
    ok "nothing is below" "$(sed -n '/ 1\/7 /,$p' "$work/screen" | grep -c .)" = 2
    end
done
ok "with the phase where there is room" "$(grep -c ' search: exhaustive ' "$work/rows.80")" = 2
ok "and the workers where there is more" "$(grep -c ' workers: ' "$work/rows.200")" = 2
devices=0:1 extra=VIRTUALCL_TYPE=cpu

# --- colors, characters, none at all ---
begin 80 --rough
until_screen '^search: '
screen -e
ok "colors" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" -ge 1
end
extra="VIRTUALCL_TYPE=cpu NO_COLOR=1"
begin 80 --rough
until_screen '^search: '
screen -e
ok "NO_COLOR: none" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" = 0
end
begin 80 --color always --rough
until_screen '^search: '
screen -e
ok "--color always has the last word" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" -ge 1
end
extra=VIRTUALCL_TYPE=cpu
locale=C
begin 80 -j 4 --rough
until_screen '^search: '
ok "without UTF-8: a bar in ASCII" "$(grep -c '\[#*\.*\] *[0-9]*/7' "$work/screen")" = 1
ok "and nothing else" "$(LC_ALL=C grep -c '[^ -~]' "$work/screen")" = 0
end
space=virtual extra=TERM=dumb
begin 80 -n 6
until_screen '^ended: 0'
ok "a dumb terminal gets none" "$(count '^search: \|^workers: ') $(count '^ended: 0')" = "0 1"
end
extra=
begin 80 -q -n 6
until_screen '^ended: 0'
ok "nor does -q" "$(count '^search: \|^workers: ') $(count '^ended: 0')" = "0 1"
end
done_testing
