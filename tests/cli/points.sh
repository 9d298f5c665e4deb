# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of `best --portable` and `--variants`: make_points FILE makes a database from
# standard input, each line DEVICE N CONFIGURATION SHARE [M]: what the configuration reaches of the
# best there, or the word of a failure.  Devices are numbers: "Card 1" of vendor V1, 16 compute units
# each; even ones are CPUs.  Options are -D C=CONFIGURATION -D N=n, and N follows from the problem.
# shellcheck shell=sh
make_points() {
    {
        echo "PRAGMA foreign_keys = OFF; BEGIN;"
        cat "$root"/db/schema/*.sql
        echo "PRAGMA user_version = $(ls "$root"/db/schema/*.sql | wc -l);"
        echo "INSERT INTO kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s,
                problem_macros)
            VALUES (1, 'k', printf('%032x', 1), '', '{}', '[]', 1, '{\"N\":\"n\"}');
            CREATE TEMP TABLE line (id INTEGER PRIMARY KEY, d INT, n INT, c TEXT, share TEXT, m INT);"
        awk '{ printf "INSERT INTO line (d, n, c, share, m) VALUES (%d, %d, '\''%s'\'', '\''%s'\'', %s);\n",
            $1, $2, $3, $4, (NF > 4 ? $5 : "NULL") }'
        cat <<'SQL'
INSERT INTO device SELECT DISTINCT d, printf('%032x', d), 'P', '', 'Card ' || d, 'V' || d,
    iif(d % 2, 'GPU', 'CPU'), '1', '', 16 * d, 'card ' || d, 'v' || d, 'arch' || d,
    json_object('DEVICE_LOCAL_MEM_SIZE', 1024 * d), 1 FROM line;
INSERT INTO problem (id, hash, sizes) SELECT n + 1000000 * ifnull(m, 0), printf('%032x', n + 1000000 * ifnull(m, 0)),
    iif(m IS NULL, json_object('n', n), json_object('m', m, 'n', n)) FROM line GROUP BY n, m;
INSERT INTO run (id, kernel_id, problem_id, device_id, objective, direction, strategy, seed, version,
    status, started_unix_s) SELECT min(id), 1, n + 1000000 * ifnull(m, 0), d, 'time', 'minimize', 's', 1,
    'v', 'done', 1 FROM line GROUP BY d, n, m;
CREATE TEMP TABLE name AS SELECT c, row_number() OVER (ORDER BY c) AS hash FROM line GROUP BY c;
INSERT INTO result (id, device_id, experiment, run_id, kernel_id, problem_id, configuration_hash,
    status, phase, objective_value, time_ns, launches_per_sample, build_ns, first_ns, check_ns,
    measure_ns, deadline_ns, binary_bytes, verified, stopped_early, wall_clock, attempts,
    measured_unix_s, mismatch_buffer, mismatch_element, mismatch_count, mismatch_guard,
    configuration, flags, metrics, resources, message, samples_ns, log)
    SELECT line.id, d, printf('%032x', line.id), (SELECT run.id FROM run WHERE run.device_id = d
        AND run.problem_id = n + 1000000 * ifnull(m, 0)), 1, n + 1000000 * ifnull(m, 0), hash,
        iif(share GLOB '[0-9]*', 'ok', share), '',
        iif(share GLOB '[0-9]*', 1000.0 * d * n / share, NULL),
        iif(share GLOB '[0-9]*', 1000.0 * d * n / share, NULL), 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, line.id, '',
        0, 0, 0, json_object('C', line.c), printf('-D C=%s -D N=%d', line.c, n), '', '', '', x'', ''
    FROM line JOIN name USING (c) ORDER BY line.id;
INSERT INTO score (device_id, kernel_id, problem_id, objective, direction, rank, result_id, configuration_hash)
    SELECT device_id, 1, problem_id, 'time', 'minimize', time_ns, id, configuration_hash FROM result
    WHERE status = 'ok';
INSERT INTO best SELECT 1, device_id, problem_id, 'time', 'minimize', min(rank), result_id FROM score
    GROUP BY device_id, problem_id;
COMMIT;
SQL
    } | sqlite3 -bail "$1" >/dev/null
}
