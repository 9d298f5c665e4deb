#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/bench-versions: two versions take turns, each run is cold, processor times and choices are
# those of the programs.  These are scripts that write down how they were called: no wall time is
# judged.
. "$(dirname "$0")/lib.sh"

# A cltune that chooses A=VALUE after some work.
fake() { # NAME VALUE LOOPS
    cat >"$work/$1" <<END
#!/bin/sh
echo "$1 \$* cold=\$(ls "\$HOME" | wc -l)" >>"$work/log"
touch "\$HOME/warm"
case \$1 in
search)
    awk 'BEGIN { for (i = 0; i < $3; i++) sum += i }'
    case \$* in
    *--json-lines*)
        echo '{"record": "search"}'
        echo '{"record": "result", "seconds": 0.5, "configuration": {"A": 3, "B": true, "C": ""}}'
        echo '{"record": "result", "seconds": $4, "configuration": {"A": 5, "B": true, "C": ""}}'
        echo '{"record": "end", "best": {"configuration": {"A": $2, "B": true, "C": ""}}}' ;;
    *)
        echo '{"best": [{"configuration": {"A": $2, "B": true, "C": ""}, "ratio": 1},
            {"configuration": {"A": 5, "B": true, "C": ""}, "ratio": 1.015},
            {"configuration": {"A": 3, "B": true, "C": ""}, "ratio": 1.025}], "evaluated": 20,
            "spent_ns": {"wall": {"building": ${4}e9}}}' ;;
    esac ;;
compare)
    echo '{"configurations": [{}, {"ratio": 1.023, "ratio_low": 0.99, "ratio_high": 1.05}]}' ;;
esac
END
    chmod +x "$work/$1"
}
fake new 1 0 1000000
fake old 2 5000000 0

CLTUNE="$work/new" run "$root/scripts/bench-versions" "$work/old" --runs 2 --device 1:0 \
    --only dot --only gemm --search "--rough --seed 3"
exits 0 "two spaces, another version"
ok "the machine is named" "$(grep -c '^machine: .* processors' "$out")" = 1
ok "versions take turns" "$(grep -F "search spaces/dot.ini" "$work/log" | cut -d' ' -f1 | tr '\n' ' ')" = \
    "new old old new "
ok "each run is cold" "$(grep -vc 'cold=0' "$work/log")" = 0
ok "searches have the problem, the part and the options" \
    "$(grep -c 'search examples/gemm/gemm.ini -d 1:0 -p m=256 .* --param MTILE=32,64 .* --rough --seed 3 --json -q' "$work/log")" = 4
ok "this version compares the choices, the other's first" \
    "$(grep -c '^new compare spaces/dot.ini A=2 B=on C= A=1 B=on C= -d 1:0 --rounds 6 -p n=' "$work/log")" = 2
ok "both spaces have a row" "$(grep -cE '^(dot|gemm) +20 .* \+2\.3% \(-1\.0 to \+5\.0\), \+2\.3% ' "$out")" = 2
ok "processor time is that of the programs" \
    "$(sed -n 's/^dot .*) .*\/ *[0-9.]* *\([0-9.]*\)  +.*/\1/p' "$out" | awk '{ print $1 < 0.7 }')" = 1
# Building took a million seconds, it says: times what the other took as a whole.
ok "the floor is what building alone takes, of the other's time" \
    "$(awk '/^dot/ { sub("/", " / "); print ($5 * $7 > 5e5 && $5 * $7 < 2e6) }' "$out")" = 1

fake old 1 0 0
CLTUNE="$work/new" run "$root/scripts/bench-versions" "$work/old" --runs 1 --only dot
ok "equal choices need no comparison" "$(grep -c 'the same$' "$out")" = 1

# --- how soon there is an answer ---
: >"$work/log"
CLTUNE="$work/new" run "$root/scripts/bench-answer" --runs 2 --only dot
exits 0 "searches of everything, and with a budget"
ok "in turns, each cold" "$(grep -c 'cold=0' "$work/log") $(grep -v -- '-n 6' "$work/log" | wc -l)" = "4 2"
ok "the one within 2% of the best counts as the answer" \
    "$(awk '/^dot/ { print $2, $3, $5, $9, $10, $11 }' "$out")" = "20 6 1000000.0 2 of 2"
done_testing
