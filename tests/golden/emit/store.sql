-- SPDX-License-Identifier: Apache-2.0
-- A small database for tests of export formats: kernel `odd-1` with names and values that mean
-- something to shells, make, CMake and compilers, and kernel `ints` with integers only.
INSERT INTO device (id, hash, platform_name, platform_version, name, vendor, type, driver_version,
    opencl_version, compute_units, name_key, vendor_key, architecture_key, limits,
    first_seen_unix_s) VALUES
    (1, printf('%032x', 1), 'P', 'OpenCL 3.0', 'Card "A" */ $(id) #1 \', 'Ven;dor', 'GPU', '1.0 `x`',
     'OpenCL 3.0', 8, 'card a', 'ven', 'arch1', '{"DEVICE_MAX_WORK_GROUP_SIZE":256}', 1700000000),
    (2, printf('%032x', 2), 'P', 'OpenCL 3.0', 'Card B', 'Vendor', 'GPU', '2.0', 'OpenCL 3.0', 16,
     'card b', 'vendor', 'arch2', '{"DEVICE_MAX_WORK_GROUP_SIZE":1024}', 1700000000);
INSERT INTO kernel (id, name, source_hash, space_path, parameters, constraints, used_unix_s,
    problem_macros) VALUES
    (1, 'odd-1', printf('%032x', 1), 'odd.ini',
     '{"MODE":["a b","it''s $HOME; #x"],"SCALE":[0.5,2.0],"WG":[16,32,64]}',
     '[{"name":"line 3","expression":"WG % 16 == 0 && (SCALE < 1 || !(n / WG > 4))"},{"name":"line 4","expression":"ilog2(WG) < 9"}]',
     1700000000, '{}'),
    (2, 'ints', printf('%032x', 2), 'ints.ini', '{"PRECISION":[32],"WG":[16,32,64]}', '[]',
     1700000000, '{}');
INSERT INTO problem (id, hash, sizes) VALUES
    (1, printf('%032x', 1), '{"m":256,"n":512}'),
    (2, printf('%032x', 2), '{"n":1024}');
INSERT INTO run (id, kernel_id, problem_id, device_id, objective, direction, strategy, seed,
    version, status, space_count, valid_count, evaluated_count, reused_count, default_value,
    default_time_ns, baseline_time_ns, started_unix_s, ended_unix_s) VALUES
    (1, 1, 1, 1, 'time', 'minimize', 'exhaustive', 1, 'test', 'done', 12, 12, 9, 0, 2000000,
     2000000, NULL, 1700000000, 1700000100),
    (2, 1, 1, 2, 'time', 'minimize', 'exhaustive', 1, 'test', 'done', 12, 12, 1, 0, 500000,
     500000, NULL, 1700000000, 1700000100),
    (3, 2, 2, 2, 'time', 'minimize', 'exhaustive', 1, 'test', 'done', 3, 3, 2, 0, 500000,
     500000, NULL, 1700000000, 1700000100);
CREATE TEMP TABLE t (id, run, kernel, problem, device, hash, status, time, config, flags, message);
INSERT INTO t VALUES
    (1, 1, 1, 1, 1, 11, 'ok', 1000000.0, '{"MODE":"it''s $HOME; #x","SCALE":0.5,"WG":32}',
     '-cl-fast-relaxed-math -D "MODE=it''s $HOME; #x" -D SCALE=0.5 -D WG=32', ''),
    (2, 1, 1, 1, 1, 12, 'ok', 1500000.0, '{"MODE":"a b","SCALE":0.5,"WG":32}',
     '-D "MODE=a b" -D SCALE=0.5 -D WG=32', ''),
    (3, 1, 1, 1, 1, 13, 'build_failed', NULL, '{"MODE":"a b","SCALE":0.5,"WG":16}', '', 'no'),
    (4, 1, 1, 1, 1, 14, 'wrong', NULL, '{"MODE":"a b","SCALE":0.5,"WG":64}', '', 'differs'),
    (5, 1, 1, 1, 1, 15, 'crashed', NULL, '{"MODE":"a b","SCALE":2.0,"WG":16}', '', 'SIGSEGV'),
    (6, 1, 1, 1, 1, 16, 'timeout', NULL, '{"MODE":"a b","SCALE":2.0,"WG":32}', '', 'long'),
    (7, 1, 1, 1, 1, 17, 'invalid', NULL, '{"MODE":"a b","SCALE":2.0,"WG":64}', '', 'refused'),
    (8, 1, 1, 1, 1, 18, 'skipped', NULL, '{"MODE":"it''s $HOME; #x","SCALE":2.0,"WG":64}', '', 's'),
    (9, 1, 1, 1, 1, 19, 'interrupted', NULL, '{"MODE":"it''s $HOME; #x","SCALE":2.0,"WG":16}', '', ''),
    (10, 2, 1, 1, 2, 12, 'ok', 250000.0, '{"MODE":"a b","SCALE":0.5,"WG":32}',
     '-D "MODE=a b" -D SCALE=0.5 -D WG=32', ''),
    (11, 3, 2, 2, 2, 21, 'ok', 300000.0, '{"PRECISION":32,"WG":16}', '-D PRECISION=32 -D WG=16', ''),
    (12, 3, 2, 2, 2, 22, 'ok', 200000.0, '{"PRECISION":32,"WG":64}', '-D PRECISION=32 -D WG=64', '');
INSERT INTO result (id, device_id, experiment, run_id, kernel_id, problem_id, configuration_hash,
    status, phase, objective_value, time_ns, low_ns, high_ns, launches_per_sample, build_ns,
    first_ns, check_ns, measure_ns, deadline_ns, binary_bytes, verified, stopped_early, wall_clock,
    attempts, measured_unix_s, mismatch_buffer, mismatch_element, mismatch_expected, mismatch_seen,
    mismatch_count, mismatch_guard, configuration, flags, metrics, resources, message, samples_ns,
    log)
SELECT id, device, printf('%032x', id), run, kernel, problem, hash, status, '', time, time,
    time * 0.99, time * 1.01, 10, 500000000, 1000000, 2000000, 30000000, 0, 4096, 1, 0, 0, 1,
    1700000000 + id, '', 0, NULL, NULL, 0, 0, config, flags, '', '', message,
    CASE WHEN time IS NULL THEN x'' ELSE x'0000000080842e410000000080842e41' END, '' FROM t;
INSERT INTO score (device_id, kernel_id, problem_id, objective, direction, rank, result_id,
    configuration_hash)
SELECT device, kernel, problem, 'time', 'minimize', time, id, hash FROM t WHERE status = 'ok';
INSERT INTO best VALUES (1, 1, 1, 'time', 'minimize', 1000000.0, 1),
    (1, 2, 1, 'time', 'minimize', 250000.0, 10), (2, 2, 2, 'time', 'minimize', 200000.0, 12);
