#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Standard input, output and error, closed in all eight combinations: the first files that
# a program opens take their numbers, and what it prints must not land there.  Results are
# the same, and lost output is a failure.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
stored() { sqlite3 "$1" "select count(*) from result where status = 'ok'"; }

# with COMBINATION COMMAND...: its descriptors named by digits are closed ("02").
with() {
    closed=$1
    shift
    : >"$out"
    : >"$err"
    case $closed in
    "") "$@" </dev/null >"$out" 2>"$err" ;;
    0) "$@" <&- >"$out" 2>"$err" ;;
    1) "$@" </dev/null >&- 2>"$err" ;;
    2) "$@" </dev/null >"$out" 2>&- ;;
    01) "$@" <&- >&- 2>"$err" ;;
    02) "$@" <&- >"$out" 2>&- ;;
    12) "$@" </dev/null >&- 2>&- ;;
    012) "$@" <&- >&- 2>&- ;;
    esac
    status=$?
}

# after COMBINATION NAME: what is printed there, or that it is lost
after() {
    case $1 in
    *1*)
        exits 1 "$2: lost output is a failure"
        case $1 in
        *2*) ;;
        *) err_has "standard output" "$2: which is said" ;;
        esac
        ;;
    *)
        exits 0 "$2"
        ok "$2: the output is there" -s "$out"
        ;;
    esac
}

for closed in "" 0 1 2 01 02 12 012; do
    what="closed '$closed'"
    db=$work/db-$closed.db
    with "$closed" "$cltune" search "$space" -d 0:0 --db "$db" --rough --samples 3 -n 12
    after "$closed" "search, $what"
    ok "search, $what: everything is stored" "$(stored "$db")" = "$(stored "$work/db-.db")"
    ok "search, $what: the database is whole" "$(sqlite3 "$db" 'pragma integrity_check')" = ok
    with "$closed" "$cltune" best --db "$db"
    after "$closed" "best, $what"
    with "$closed" "$cltune" space "$space"
    after "$closed" "space, $what"
done

# --- a full disk ---
for command in "search $space -d 0:0 --db $work/full.db --rough -n 4" "best --db $work/db-.db" "space $space" \
    "space $root/tests/cli/spaces/many.ini --list" "run $space -d 0:0" "--version"; do
    # shellcheck disable=SC2086
    "$cltune" $command </dev/null >/dev/full 2>"$err"
    status=$?
    : >"$out"
    exits 1 "${command%% *}: a full disk behind standard output is a failure"
    err_has "cannot write to standard output" "${command%% *}: which is said"
    ok "${command%% *}: with the reason, where it is known, or none" \
        -z "$(grep 'standard output' "$err" | grep -v -e 'No space left' -e 'output is incomplete')"
done
done_testing
