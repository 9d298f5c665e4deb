#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Databases whose version is not one that there is.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
space=$root/tests/cli/spaces/virtual.ini
few="--param WG=4 --param VEC=1"

# shellcheck disable=SC2086
run "$cltune" search "$space" -d 0:0 $few -q
exits 0 "a good database"
sqlite3 "$CLTUNE_DB" "pragma wal_checkpoint(truncate)" >/dev/null
cp "$CLTUNE_DB" "$work/good.db"

# One bit, the sign of user_version, at byte 60.
cp "$work/good.db" "$work/negative.db"
printf '\200' | dd of="$work/negative.db" bs=1 seek=60 conv=notrunc 2>/dev/null
cp "$work/negative.db" "$work/negative.copy"
for command in "search $space -d 0:0 $few -q" "peak -d 0:0" best; do
    # shellcheck disable=SC2086
    run "$cltune" $command --db "$work/negative.db"
    exits 1 "a negative version: ${command%% *}"
    err_has "negative.db" "${command%% *} names the file"
    ok "${command%% *} says one thing" "$(grep -c '^cltune: ' "$err")" -eq 1
    ok "${command%% *} writes nothing" "$(cmp "$work/negative.db" "$work/negative.copy" && echo same)" = same
done

# Tables that do not match the version, in a file that claims to be ours.
for version in 0 1; do
    cp "$work/good.db" "$work/lower.db"
    sqlite3 "$work/lower.db" "pragma user_version = $version"
    cp "$work/lower.db" "$work/lower.copy"
    for command in "search $space -d 0:0 $few -q" "peak -d 0:0" best recheck; do
        # shellcheck disable=SC2086
        run "$cltune" $command --db "$work/lower.db"
        exits 1 "tables of another version than $version: ${command%% *}"
        ok "${command%% *} writes nothing" "$(cmp "$work/lower.db" "$work/lower.copy" && echo same)" = same
    done
done

# flip FILE BIT: changes one bit of a copy of the good database.
flip() {
    cp "$work/good.db" "$1"
    at=$(($2 / 8))
    value=$(od -An -tu1 -j $at -N 1 "$1")
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((value ^ 1 << $2 % 8)))" |
        dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
}

# Every bit of user_version and some of application_id, for the commands that write; every
# eleventh bit of the header for one that reads.  Most make it another program's file, a newer one
# or a damaged one; whatever they make it, the program ends by itself and says so.
bad=0
tried=0
odd=
attack() {
    tried=$((tried + 1))
    run timeout -k 5 60 "$@"
    if [ "$status" -gt 4 ] || grep -qE 'AddressSanitizer|runtime error:' "$err"; then
        bad=$((bad + 1))
        odd="$odd $bit:$status"
    fi
}
for bit in $(seq 480 511) $(seq 544 4 575); do
    flip "$work/bit.db" "$bit"
    # shellcheck disable=SC2086
    attack "$cltune" search "$space" -d 0:0 $few -q --db "$work/bit.db"
    ok "bit $bit is refused" "$status" -eq 1
    [ $((bit % 8)) -ne 7 ] || attack "$cltune" recheck --db "$work/bit.db"
done
for bit in $(seq 0 11 799); do
    flip "$work/bit.db" "$bit"
    attack "$cltune" best --db "$work/bit.db"
done
ok "$tried runs on databases with one bit changed end by themselves$odd" "$bad" -eq 0
ok "they were many" "$tried" -gt 100

done_testing
