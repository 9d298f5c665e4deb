#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/bench-peers: programs take turns, each run is cold, and ratios are right.  The programs are
# scripts that write down when they ran and say how long they took: no wall time is judged.
. "$(dirname "$0")/lib.sh"

mkdir "$work/spaces"
: >"$work/spaces/one.ini"
: >"$work/spaces/two.ini"
# A cltune whose winner takes 2 ms.
fake() { # NAME TIME_NS
    cat >"$work/$1" <<END
#!/bin/sh
echo "$1 \$(basename "\$2") \$HOME \$* cold=\$(ls "\$HOME" | wc -l)" >>"$work/log"
touch "\$HOME/warm"
echo '{"best": [{"time_ns": $2}]}'
END
    chmod +x "$work/$1"
}
fake new 2000000
fake old 3000000
printf '# a comment\n' >"$work/commands"
printf 'peer\techo "peer {name} $HOME {space} {device}" >>%s/log; sleep 0.1; echo "1.0 ms"; echo "best: 2500 us"\t^best: ([0-9.]+)\n' \
    "$work" >>"$work/commands"
printf 'dumb\techo "dumb {name} $HOME" >>%s/log; [ {name} = two ] || exit 77; sleep 0.1\n' "$work" >>"$work/commands"

CLTUNE="$work/new" run "$root/scripts/bench-peers" "$work/spaces" "$work/commands" --against "$work/old" \
    --runs 2 --device 1:0 --json "$work/runs.json"
exits 0 "a folder of spaces, two peers and another cltune"
ok "the machine is named" "$(grep -c '^machine: .* cores' "$out")" = 1
ok "every round has another order, and what knows nothing of a space is not asked again" \
    "$(grep -F one "$work/log" | cut -d' ' -f1 | tr '\n' ' ')" = "new old peer dumb old peer new "
ok "programs take turns" "$(grep -F two "$work/log" | cut -d' ' -f1 | tr '\n' ' ')" = \
    "new old peer dumb old peer dumb new "
ok "each run has a home of its own" "$(grep -o '/tmp[^ ]*/tmp[^ ]*' "$work/log" | grep -v ini | sort | uniq -d | wc -l)" = 0
ok "which is empty" "$(grep -c 'cold=0' "$work/log")" = "$(grep -cE '^(new|old) ' "$work/log")"
ok "cltune searches the space on the device" "$(grep -c "^new one.ini .* search $work/spaces/one.ini -d 1:0 --json -q" "$work/log")" = 2
ok "placeholders are filled in" "$(grep -c "^peer one .* $work/spaces/one.ini 1:0" "$work/log")" = 2
ok "both spaces have a table" "$(grep -cE '^(one|two)\.ini$' "$out")" = 2
ok "the first program is 1" "$(grep -cE '^cltune +[0-9.]+ .* 1\.00 +2 ms +1\.000$' "$out")" = 2
ok "the winner of another cltune is 1.5 times slower" "$(grep -cE '^against .* 3 ms +1\.500$' "$out")" = 2
ok "that of a peer is read by its pattern" "$(grep -cE '^peer .* 2\.5 ms +1\.250$' "$out")" = 2
ok "a peer without a pattern has none" "$(grep -cE '^dumb .*ms' "$out")" = 0
ok "one with nothing for a space has no time" "$(grep -cE '^dumb +-$' "$out")" = 1
expected=$(jq -r '."two.ini" | ([.peer[][0]] | add / 2) / ([.cltune[][0]] | add / 2) * 100 | round / 100' "$work/runs.json")
ok "ratios are of the medians" "$(sed -n '/^two/,$p' "$out" |
    awk -v e="$expected" '$1 == "peer" { d = $4 - e; print (d < 0.006 && d > -0.006) ? "yes" : "no" }')" = yes

printf 'name without a command\n' >"$work/wrong"
CLTUNE="$work/new" run "$root/scripts/bench-peers" "$work/spaces" "$work/wrong"
exits 1 "a line without a command"
err_has "wrong:1: not NAME<TAB>COMMAND" "says where"
printf 'bad\tfalse\n' >"$work/bad"
CLTUNE="$work/new" run "$root/scripts/bench-peers" "$work/spaces" "$work/bad" --runs 1
exits 1 "a peer that fails"
err_has "bad, $work/spaces/one.ini: status 1" "is named"
done_testing
