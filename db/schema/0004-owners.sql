-- SPDX-License-Identifier: Apache-2.0
-- A result belongs to every kernel and problem that asked for its experiment: each has a
-- row of its own, with its own metrics, scores and standings.  SQLite cannot change what is
-- unique in a table, so the table is made anew; ids stay.

CREATE TABLE result_now (
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device (id),
    experiment TEXT NOT NULL CHECK (length(experiment) = 32),
    run_id INTEGER NOT NULL REFERENCES run (id),
    -- The run's, repeated here for the indices.
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    -- XXH3 of the configuration, for the index that finds all results of one.
    configuration_hash INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'build_failed', 'invalid', 'wrong',
        'crashed', 'timeout', 'interrupted', 'skipped')),
    phase TEXT NOT NULL,
    objective_value REAL,
    time_ns REAL,
    low_ns REAL,
    high_ns REAL,
    launches_per_sample INTEGER NOT NULL,
    build_ns INTEGER NOT NULL,
    first_ns INTEGER NOT NULL,
    check_ns INTEGER NOT NULL,
    measure_ns INTEGER NOT NULL,
    deadline_ns INTEGER NOT NULL,
    binary_bytes INTEGER NOT NULL,
    verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
    stopped_early INTEGER NOT NULL CHECK (stopped_early IN (0, 1)),
    wall_clock INTEGER NOT NULL CHECK (wall_clock IN (0, 1)),
    attempts INTEGER NOT NULL CHECK (attempts > 0),
    measured_unix_s INTEGER NOT NULL,
    -- 1: measured again for another kernel or problem; this one's metrics of that are not
    -- known yet.
    superseded INTEGER NOT NULL DEFAULT 0 CHECK (superseded IN (0, 1)),
    mismatch_buffer TEXT NOT NULL,
    mismatch_element INTEGER NOT NULL,
    mismatch_expected REAL,
    mismatch_seen REAL,
    mismatch_count INTEGER NOT NULL,
    mismatch_guard INTEGER NOT NULL CHECK (mismatch_guard IN (0, 1)),
    end_to_end_ns REAL,
    end_to_end_low_ns REAL,
    end_to_end_high_ns REAL,
    timer_ns REAL,
    raw_ns REAL,
    rounds INTEGER NOT NULL DEFAULT 0 CHECK (rounds >= 0),
    twin_of TEXT NOT NULL DEFAULT '' CHECK (twin_of = '' OR length(twin_of) = 32),
    configuration TEXT NOT NULL
        CHECK (json_valid(configuration) AND json_type(configuration) = 'object'),
    flags TEXT NOT NULL,
    metrics TEXT NOT NULL CHECK (metrics = '' OR json_valid(metrics)),
    resources TEXT NOT NULL CHECK (resources = '' OR json_valid(resources)),
    observed TEXT NOT NULL DEFAULT '' CHECK (observed = '' OR json_valid(observed)),
    message TEXT NOT NULL,
    -- Little-endian IEEE 754 doubles, one a sample; one a round.
    samples_ns BLOB NOT NULL CHECK (length(samples_ns) % 8 = 0),
    rounds_ns BLOB NOT NULL DEFAULT x'' CHECK (length(rounds_ns) % 8 = 0),
    -- Last, because long logs move to pages of their own that nothing else then reads.
    log TEXT NOT NULL,
    UNIQUE (device_id, experiment, kernel_id, problem_id)
) STRICT;

INSERT INTO result_now (id, device_id, experiment, run_id, kernel_id, problem_id,
    configuration_hash, status, phase, objective_value, time_ns, low_ns, high_ns,
    launches_per_sample, build_ns, first_ns, check_ns, measure_ns, deadline_ns,
    binary_bytes, verified, stopped_early, wall_clock, attempts, measured_unix_s,
    mismatch_buffer, mismatch_element, mismatch_expected, mismatch_seen, mismatch_count,
    mismatch_guard, end_to_end_ns, end_to_end_low_ns, end_to_end_high_ns, timer_ns,
    raw_ns, rounds, twin_of, configuration, flags, metrics, resources, observed, message,
    samples_ns, rounds_ns, log)
SELECT id, device_id, experiment, run_id, kernel_id, problem_id, configuration_hash,
    status, phase, objective_value, time_ns, low_ns, high_ns, launches_per_sample,
    build_ns, first_ns, check_ns, measure_ns, deadline_ns, binary_bytes, verified,
    stopped_early, wall_clock, attempts, measured_unix_s, mismatch_buffer,
    mismatch_element, mismatch_expected, mismatch_seen, mismatch_count, mismatch_guard,
    end_to_end_ns, end_to_end_low_ns, end_to_end_high_ns, timer_ns, raw_ns, rounds,
    twin_of, configuration, flags, metrics, resources, observed, message, samples_ns,
    rounds_ns, log
FROM result ORDER BY id;

-- Foreign keys are off meanwhile: what refers to the table finds the new one.
DROP TABLE result;
ALTER TABLE result_now RENAME TO result;

CREATE INDEX result_by_subject ON result (kernel_id, problem_id, device_id);
CREATE INDEX result_by_configuration
    ON result (kernel_id, configuration_hash, device_id, problem_id);
CREATE INDEX result_by_run ON result (run_id);
-- Who was measured instead of whom.
CREATE INDEX result_by_twin ON result (device_id, twin_of) WHERE twin_of <> '';
