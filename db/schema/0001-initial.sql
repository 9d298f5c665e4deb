-- SPDX-License-Identifier: Apache-2.0
-- The first schema.  doc/schema.md describes it; a column's unit is in its name.
-- Texts that are not known are '', numbers that are not known are NULL.

-- 'cltu': other programs' SQLite files are never taken for ours.
PRAGMA application_id = 0x636c7475;

CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 32),
    platform_name TEXT NOT NULL,
    platform_version TEXT NOT NULL,
    name TEXT NOT NULL,
    vendor TEXT NOT NULL,
    type TEXT NOT NULL,
    driver_version TEXT NOT NULL,
    opencl_version TEXT NOT NULL,
    compute_units INTEGER NOT NULL,
    -- Normalised by db/names.c, for matching.
    name_key TEXT NOT NULL,
    vendor_key TEXT NOT NULL,
    architecture_key TEXT NOT NULL,
    limits TEXT NOT NULL CHECK (json_valid(limits)),
    first_seen_unix_s INTEGER NOT NULL
) STRICT;

CREATE TABLE kernel (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    source_hash TEXT NOT NULL CHECK (length(source_hash) = 32),
    space_path TEXT NOT NULL,
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    constraints TEXT NOT NULL CHECK (json_valid(constraints)),
    -- Strictly increases with every use of another source of the same name: the newest
    -- source is the one used last, also when an old one comes back.
    used_unix_s INTEGER NOT NULL,
    UNIQUE (name, source_hash)
) STRICT;

CREATE TABLE problem (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 32),
    sizes TEXT NOT NULL CHECK (json_valid(sizes))
) STRICT;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    device_id INTEGER NOT NULL REFERENCES device (id),
    objective TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('minimize', 'maximize')),
    strategy TEXT NOT NULL,
    seed INTEGER NOT NULL,
    version TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
    space_count REAL,
    valid_count INTEGER,
    evaluated_count INTEGER,
    reused_count INTEGER,
    default_value REAL,
    default_time_ns REAL,
    baseline_time_ns REAL,
    started_unix_s INTEGER NOT NULL,
    ended_unix_s INTEGER
) STRICT;

CREATE INDEX run_by_subject ON run (kernel_id, problem_id, device_id, started_unix_s);
CREATE INDEX run_by_device ON run (device_id);

CREATE TABLE result (
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
    mismatch_buffer TEXT NOT NULL,
    mismatch_element INTEGER NOT NULL,
    mismatch_expected REAL,
    mismatch_seen REAL,
    mismatch_count INTEGER NOT NULL,
    mismatch_guard INTEGER NOT NULL CHECK (mismatch_guard IN (0, 1)),
    configuration TEXT NOT NULL CHECK (json_valid(configuration) AND json_type(configuration) = 'object'),
    flags TEXT NOT NULL,
    metrics TEXT NOT NULL CHECK (metrics = '' OR json_valid(metrics)),
    resources TEXT NOT NULL CHECK (resources = '' OR json_valid(resources)),
    message TEXT NOT NULL,
    -- Little-endian IEEE 754 doubles, one a sample.
    samples_ns BLOB NOT NULL CHECK (length(samples_ns) % 8 = 0),
    -- Last, because long logs move to pages of their own that nothing else then reads.
    log TEXT NOT NULL,
    UNIQUE (device_id, experiment)
) STRICT;

CREATE INDEX result_by_subject ON result (kernel_id, problem_id, device_id);
CREATE INDEX result_by_configuration
    ON result (kernel_id, configuration_hash, device_id, problem_id);
CREATE INDEX result_by_run ON result (run_id);

-- The results that compete, best first: `rank` is the value, or its negative where more is
-- better.  One row an objective; of one configuration only the newest experiment is here.
CREATE TABLE score (
    device_id INTEGER NOT NULL REFERENCES device (id),
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    objective TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('minimize', 'maximize')),
    rank REAL NOT NULL,
    result_id INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
    configuration_hash INTEGER NOT NULL,
    PRIMARY KEY (device_id, kernel_id, problem_id, objective, direction, rank, result_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX score_by_result ON score (result_id);

-- The first row of each subject in `score`, so that the usual question reads one row.
CREATE TABLE best (
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    device_id INTEGER NOT NULL REFERENCES device (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    objective TEXT NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('minimize', 'maximize')),
    value REAL NOT NULL,
    result_id INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
    PRIMARY KEY (kernel_id, device_id, problem_id, objective, direction)
) STRICT, WITHOUT ROWID;

CREATE INDEX best_by_result ON best (result_id);

-- Host code, as a kernel's baseline.
CREATE TABLE baseline (
    kernel_id INTEGER NOT NULL REFERENCES kernel (id),
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    host_cpu TEXT NOT NULL,
    function TEXT NOT NULL,
    time_ns REAL NOT NULL,
    low_ns REAL,
    high_ns REAL,
    measured_unix_s INTEGER NOT NULL,
    PRIMARY KEY (kernel_id, problem_id, host_cpu)
) STRICT, WITHOUT ROWID;

-- What is being evaluated right now.  A row whose process is gone tells what took it down.
CREATE TABLE inflight (
    device_id INTEGER NOT NULL REFERENCES device (id),
    experiment TEXT NOT NULL CHECK (length(experiment) = 32),
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    since_unix_s INTEGER NOT NULL,
    PRIMARY KEY (device_id, experiment)
) STRICT, WITHOUT ROWID;

CREATE INDEX inflight_by_run ON inflight (run_id);

-- What `cltune peak` found to be the limits of a device.
CREATE TABLE ceiling (
    device_id INTEGER NOT NULL REFERENCES device (id),
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    value REAL NOT NULL,
    low REAL,
    high REAL,
    measured_unix_s INTEGER NOT NULL,
    PRIMARY KEY (device_id, name)
) STRICT, WITHOUT ROWID;
