#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several builders: budgets stay exact, results the same; what can be asked for again.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
spaces=$root/tests/cli/spaces
space=$spaces/many.ini

# On a processor a whole batch comes back at once, elsewhere one result at a time.
for type in cpu gpu; do
    export VIRTUALCL_TYPE=$type
    for jobs in 1 2 4; do
        CLTUNE_DB=$work/$type$jobs.db
        run "$cltune" search "$space" -d 0:1 -j $jobs -n 7 --seed 3 --json
        exits 0 "$type, $jobs builders"
        ok "$type, $jobs builders: a budget of 7 is 7" "$(jq .evaluated "$out")" = 7
        ok "$type, $jobs builders: so many are stored" \
            "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')" = 7
        ok "$type, $jobs builders: nothing is in flight" \
            "$(sqlite3 "$CLTUNE_DB" 'select count(*) from inflight')" = 0
        ok "$type, $jobs builders: that is how many there are" "$(jq .scheduler.jobs "$out")" = $jobs
        ok "$type, $jobs builders: nothing is built in vain" "$(jq ".scheduler.built + .scheduler.from_cache" "$out")" = 7
        sqlite3 "$CLTUNE_DB" "select configuration, time_ns from result order by 1" \
            >"$work/$type$jobs.txt"
        run "$cltune" search "$space" -d 0:1 -j $jobs -n 1 --seed 3 --json
        ok "$type, $jobs builders: one more is one more" \
            "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')" = 8
    done
    run cmp "$work/${type}1.txt" "$work/${type}2.txt"
    exits 0 "$type: the same seed chooses the same for two builders as for one"
    run cmp "$work/${type}1.txt" "$work/${type}4.txt"
    exits 0 "$type: and for four"
done
unset VIRTUALCL_TYPE

CLTUNE_DB=$work/time.db
run "$cltune" search "$space" -d 0:1 -j 4 -t 1 --json
exits 0 "a budget of time"
ok "what was evaluated is stored" \
    "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')" = "$(jq .evaluated "$out")"
ok "and it ended before the space did" "$(jq .evaluated "$out")" -lt 1000
ok "with nothing in flight" "$(sqlite3 "$CLTUNE_DB" 'select count(*) from inflight')" = 0

# Of a small budget, many builders get no more than a part before there are results to learn from.
cp "$space" "$spaces/copy.c" "$work/"
{ echo '#pragma virtual build_time 500000000' && cat "$spaces/many.cl"; } >"$work/many.cl"
at_once() {
    awk '$3 == "build_begin" && ++now > most { most = now } $3 == "build_end" { now-- }
        END { print most + 0 }' "$work/log"
}
for strategy in auto random; do
    CLTUNE_DB=$work/$strategy.db
    : >"$work/log"
    VIRTUALCL_TYPE=gpu VIRTUALCL_LOG=$work/log run "$cltune" search "$work/many.ini" -d 0:1 -j 16 -n 40 \
        -s $strategy --rough --no-cache -q
    exits 0 "16 builders, a budget of 40, $strategy"
    if [ $strategy = auto ]; then
        # Six, and as many that were begun before the default had a time.
        ok "few are built at once" "$(at_once)" -le 12
    else
        ok "more if nothing is learnt" "$(at_once)" -gt 12
    fi
done

# Compilers get large pages from glibc, what is timed does not.
# log_of NAME [VARIABLE=VALUE]...
log_of() {
    name=$1
    shift
    CLTUNE_DB=$work/$name.db
    run env -u GLIBC_TUNABLES VIRTUALCL_LOG="$work/$name.log" "$@" "$cltune" search "$space" -d 0:1 -n 5 --rough --no-cache -q
    exits 0 "pages of builders ($name)"
}
# processes NAME PATTERN: whether large pages were asked for in processes with such lines
processes() {
    awk -v pattern="$2" '$3 == "start" { large[$2] = /hugetlb=1/ ? "yes" : "no" }
        $0 ~ pattern { print large[$2] }' "$work/$1.log" | sort -u | tr '\n' ' '
}
log_of processor VIRTUALCL_TYPE=cpu
ok "some that build have large pages" "$(processes processor build_begin)" = "no yes "
# Others than builders launch more than once before they wait.
ok "those that time have not" "$(processes processor 'finish_begin launches=[0-9][0-9]')" = "no "
log_of gpu VIRTUALCL_TYPE=gpu
ok "none has where builders may time later" "$(processes gpu build_begin)" = "no "
log_of own VIRTUALCL_TYPE=cpu GLIBC_TUNABLES=glibc.malloc.perturb=0
ok "nor with settings of the user's" "$(processes own build_begin)" = "no "

for bad in x -1 1.5 5000 ""; do
    run "$cltune" search "$space" -d 0:1 --jobs "$bad"
    exits 2 "--jobs '$bad'"
    err_has "'auto' or 0 (one for each processor)" "names what it wants"
done
run "$cltune" search "$space" -d 0:1 --jobs auto -n 2
exits 0 "--jobs auto"
run "$cltune" search "$space" -d 0:1 -j0 -n 2
exits 0 "-j0"
ok "is the same" "$("$cltune" search --help all | tr -s ' \n' ' ' | grep -c 'auto (the default) or 0: one for each processor')" = 1

# --- --retry ---
run "$cltune" search "$space" -d 0:1 --retry crashd
exits 2 "a misspelt status"
err_has "did you mean 'crashed'?" "and the likely one"
run "$cltune" search "$space" -d 0:1 --retry crashed,
exits 2 "an empty status"
err_has "build_failed, invalid" "lists what there is"
run "$cltune" search "$space" -d 0:1 --retry ok
exits 2 "what worked"
err_has "--fresh" "is for --fresh"

CLTUNE_DB=$work/retry.db
cp "$spaces/faults.cl" "$spaces/copy.c" "$work/"
sed 's/^FAULT = .*/FAULT = 0, 1, 4, 5, 6, 8, 12/' "$spaces/faults.ini" >"$work/faults.ini"
again() { run "$cltune" search "$work/faults.ini" -d 0:1 --timeout 1s "$@"; }
again
exits 0 "failures of every kind"
out_has "  wrong         FAULT=8: output[1023] is" "the worst element is shown"
out_has "  timeout       FAULT=12: " "and one of each kind"
again --retry crashed
out_has "2 evaluated now, 5 stored before" "the crashed ones again"
ok "their attempts are counted" "$(sqlite3 "$CLTUNE_DB" \
    "select sum(attempts) from result where status = 'crashed'")" = 4
again --retry build_failed,wrong,invalid
out_has "3 evaluated now, 4 stored before" "three other kinds"
again --retry timeout
out_has "1 evaluated now, 6 stored before" "timeouts"
again --retry all
out_has "6 evaluated now, 1 stored before" "all that failed"
ok "nothing is doubled" "$(sqlite3 "$CLTUNE_DB" 'select count(*) from result')" = 7
again --json --retry wrong
ok "JSON has one of each kind, too" "$(jq -r .failures.wrong "$out" | grep -c '^FAULT=8: output\[1023\] is')" = 1

run "$cltune" search "$space" -d 0:1 -j 257
exits 2 "more builders than the scheduler starts"
err_has "--jobs requires a number from 1 to 256, or 'auto'" "are refused"
run "$cltune" search "$space" -d 0:1 -j 256 -n 1 --rough --json
ok "as many as it starts are not" "$(jq .scheduler.jobs "$out")" = 256

done_testing
