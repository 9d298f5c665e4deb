#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cltune best --candidates: for a device that was never measured, a short list that covers the group.
. "$(dirname "$0")/lib.sh"
# Performance relative to the best there, on three devices; BAD is the best on the third, and crashed on the first.
cat >"$work/table" <<'END'
MIDDLE 0.8 0.8 0.8
FIRST 1 0.1 0.1
SECOND 0.2 1 0.85
THIRD 0.1 0.3 0.95
BAD - 0.2 1
NOTHING 0.5 0.5 0.5
END
{
    echo "PRAGMA foreign_keys = OFF; BEGIN;"
    cat "$root"/db/schema/*.sql
    echo "PRAGMA user_version = $(ls "$root"/db/schema/*.sql | wc -l);"
    echo "INSERT INTO kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s)
        VALUES (1, 'k', printf('%032x', 1), '', '{}', '[]', 1);
        INSERT INTO problem (id, hash, sizes) VALUES (1, printf('%032x', 1), '{}');"
    for d in 1 2 3; do
        echo "INSERT INTO device VALUES ($d, printf('%032x', $d), 'P', '', 'Card $d', 'V$d', 'GPU', '1', '', $d,
            'card $d', 'v$d', 'arch$d', '{}', 1);
            INSERT INTO run (id, kernel_id, problem_id, device_id, objective, direction, strategy, seed, version,
                status, started_unix_s) VALUES ($d, 1, 1, $d, 'time', 'minimize', 's', 1, 'v', 'done', 1);"
    done
    n=0
    while read -r name a b c; do
        n=$((n + 1))
        for d in 1 2 3; do
            case $d in 1) share=$a ;; 2) share=$b ;; *) share=$c ;; esac
            id=$((n * 10 + d))
            status=ok
            time="1000.0 * $d / $share"
            [ "$share" != - ] || { status=crashed; time=NULL; }
            echo "INSERT INTO result (id, device_id, experiment, run_id, kernel_id, problem_id, configuration_hash,
                status, phase, objective_value, time_ns, launches_per_sample, build_ns, first_ns, check_ns,
                measure_ns, deadline_ns, binary_bytes, verified, stopped_early, wall_clock, attempts,
                measured_unix_s, mismatch_buffer, mismatch_element, mismatch_count, mismatch_guard,
                configuration, flags, metrics, resources, message, samples_ns, log)
                VALUES ($id, $d, printf('%032x', $id), $d, 1, 1, $n, '$status', '', $time, $time, 1, 0, 0, 0, 0, 0, 0,
                1, 0, 0, 1, $id, '', 0, 0, 0, '{\"C\":\"$name\"}', '-D C=$name', '', '', '', x'', '');"
        done
    done <"$work/table"
    echo "INSERT INTO score (device_id, kernel_id, problem_id, objective, direction, rank, result_id, configuration_hash)
        SELECT device_id, 1, 1, 'time', 'minimize', time_ns, id, configuration_hash FROM result WHERE status = 'ok';
        INSERT INTO best SELECT 1, device_id, 1, 'time', 'minimize', min(rank), result_id FROM score GROUP BY device_id;
        COMMIT;"
} | sqlite3 -bail "$CLTUNE_DB" >/dev/null
names() { jq -c '[.[].configuration.C]' "$out"; }

run "$cltune" best k -d Unknown --json
ok "one answer without the option" "$(names)" = '["MIDDLE"]'
run "$cltune" best k -d Unknown --candidates 3 --json
exits 0 "three candidates"
ok "each adds most to what the others reach" "$(names)" = '["MIDDLE","SECOND","FIRST"]'
ok "with what they cover" "$(jq -c '[.[] | (.coverage * 10000 | round)]' "$out")" = '[8000,8833,9500]'
ok "and their own mean" "$(jq -c '[.[] | (.relative_performance * 10000 | round)]' "$out")" = '[8000,6833,4000]'
ok "in order" "$(jq -c '[.[].candidate]' "$out")" = '[0,1,2]'
run "$cltune" best k -d Unknown --candidates 10 --json
ok "none that crashed, and none that adds nothing" "$(names)" = '["MIDDLE","SECOND","FIRST","THIRD"]'
run "$cltune" best k -d Unknown --candidates 3
out_has "try also  1: with those before, 88% of the best on them" "text says what they add"
run "$cltune" best k -d Unknown --candidates 3 --format flags
exits 2 "flags hold one"
run "$cltune" best k -d "Card 2" --candidates 3 --json
ok "a device that was measured has its best alone" "$(names)" = '["SECOND"]'
run "$cltune" best k -d Unknown --candidates 0
exits 2 "none is no number of candidates"
done_testing
