#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a running search shows: screens of a real terminal (tmux) of several widths, while it is
# resized, without colors and without UTF-8; and its results as JSON lines.
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
    skip 20 "no tmux"
    done_testing
fi
mux() { tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
# begin COLUMNS OPTIONS...: a search in a terminal of that width, with $locale and what $extra sets.
begin() {
    columns=$1
    shift
    rm -f "$work/screen.db"
    mux new-session -d -s search -x "$columns" -y 30 \
        "env LC_ALL=$locale $extra '$cltune' search '$work/virtual.ini' -d 0:1 --no-cache --db '$work/screen.db' $*; echo 'ended: '\$?; exec sleep 1000"
}
screen() { mux capture-pane -p -t search "$@" >"$work/screen"; }
# until_screen PATTERN: waits until a line of the screen has it; keeps that screen.
until_screen() {
    tries=0
    screen
    until grep -q -e "$1" "$work/screen" || [ $tries -ge 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
        screen
    done
}
end() { mux kill-session -t search; }
widest() { awk '{ n = length($0); if (n > most) most = n } END { print most + 0 }' "$1"; }
count() { grep -c -e "$1" "$work/screen"; }

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

# --- colors, characters, none at all ---
begin 80
until_screen '^search: .*build_failed'
screen -e
ok "colors" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" -ge 1
end
extra="NO_COLOR=1"
begin 80
until_screen '^search: .*build_failed'
screen -e
ok "NO_COLOR: none" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" = 0
end
begin 80 --color always
until_screen '^search: .*build_failed'
screen -e
ok "--color always has the last word" "$(grep -c "$(printf '\033\\[3[0-9]')" "$work/screen")" -ge 1
end
extra=
locale=C
begin 80
until_screen '^search: .*build_failed'
ok "without UTF-8: a bar in ASCII" "$(grep -c '\[#*\.*\] *[0-9]*/18' "$work/screen")" = 1
ok "and nothing else" "$(LC_ALL=C grep -c '[^ -~]' "$work/screen")" = 0
end
extra=TERM=dumb
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
