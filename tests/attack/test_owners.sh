#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same experiment under another name, or for another size that only a metric uses: it is
# measured once, and belongs to all that asked for it.
. "$(dirname "$0")/lib.sh"
export OCL_ICD_VENDORS="$virtual"
query() { sqlite3 "$CLTUNE_DB" "$1"; }
few="--param WG=8,12 --param VEC=16"
cp "$root"/tests/cli/spaces/virtual.* "$root/tests/cli/spaces/copy.c" "$work/"
cd "$work" || exit 1
sed -i 's/^n = 1024/&\nweight = 1/; s/^gbytes.*/&\nworth = weight * 1000 \/ time_ns/' virtual.ini
for name in alpha beta gamma; do
    sed "s/^name .*/name = $name/" virtual.ini >$name.ini
done
printf '[measure]\nobjective = worth\ndirection = maximize\n' >>gamma.ini

last() { query "select evaluated_count || ' ' || reused_count from run order by id desc limit 1"; }
search() {
    # shellcheck disable=SC2086
    run "$cltune" search "$@" -d 0:0 $few -q
    [ "$status" -eq 0 ] || report 1 "search $*"
}

# --- another name ---
search alpha.ini
ok "alpha is measured" "$(last)" = "2 0"
search beta.ini
ok "beta is known" "$(last)" = "0 2"
for name in alpha beta; do
    run "$cltune" best $name --format flags
    exits 0 "best $name answers"
    out_has "-D WG=12 -D VEC=16" "best $name: the best"
done
ok "each has its play-off" "$(query 'select count(*), count(distinct kernel_id) from score
    where standing = 0')" = "2|2"
search alpha.ini
ok "alpha is still known" "$(last)" = "0 2"
run "$cltune" recheck alpha -q
exits 0 "alpha can be rechecked"
run "$cltune" recheck beta -q
exits 0 "beta, too"

# --- a size that only a metric uses ---
search alpha.ini -p weight=5 --rough
ok "another weight is known" "$(last)" = "0 2"
for weight in 1 5; do
    run "$cltune" best alpha -p weight=$weight --json
    exits 0 "best of weight $weight answers"
    ok "with its own metric" "$(jq --argjson w $weight '.[0] | .problem.weight == $w
        and (.metrics.worth * .time_ns / 1000 - $w | fabs) < 1e-9' "$out")" = true
done

# --- an objective that is such a metric ---
search gamma.ini --rough
search gamma.ini -p weight=7 --rough
ok "its results are known" "$(last)" = "0 2"
for weight in 1 7; do
    run "$cltune" best gamma -p weight=$weight --json
    ok "the best worth of weight $weight" "$(jq --argjson w $weight '.[0] |
        .objective == "worth" and (.objective_value * .time_ns / 1000 - $w | fabs) < 1e-9' \
        "$out")" = true
done

# --- measured again ---
was=$(query "select count(*) from best")
query "update result set measured_unix_s = 5"
search alpha.ini --fresh --rough
ok "fresh is fresh" "$(last)" = "2 0"
ok "what beta has is known to be older" "$(query "select count(*) > 0 from result join kernel
    on kernel.id = kernel_id where name = 'beta' and superseded")" = 1
ok "nobody has lost the best" "$(query "select count(*) from best")" = "$was"
search beta.ini --rough
search gamma.ini -p weight=7 --rough
ok "gamma takes over what is new" "$(last)" = "0 2"
ok "with its own worth" "$(query "select max(superseded), min(measured_unix_s) > 5,
    max(abs(objective_value * time_ns / 1000 - json_extract(sizes, '\$.weight'))) < 1e-9
    from result join kernel on kernel.id = kernel_id join problem on problem.id = problem_id
    where name = 'gamma' and json_extract(sizes, '\$.weight') = 7")" = "0|1|1"
ok "so does beta" "$(query "select max(superseded), min(measured_unix_s) > 5 from result
    join kernel on kernel.id = kernel_id where name = 'beta'")" = "0|1"
ok "metrics are there" "$(query "select count(*) from result where metrics in ('', '{}')")" = 0
ok "the database is sound" "$(query 'pragma integrity_check; pragma foreign_key_check')" = ok

done_testing
