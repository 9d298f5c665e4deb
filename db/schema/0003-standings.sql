-- SPDX-License-Identifier: Apache-2.0
-- Play-offs and who won them, what is seen beside time, how far times can be trusted.

ALTER TABLE result ADD COLUMN observed TEXT NOT NULL DEFAULT ''
    CHECK (observed = '' OR json_valid(observed));
ALTER TABLE result ADD COLUMN end_to_end_ns REAL;
ALTER TABLE result ADD COLUMN end_to_end_low_ns REAL;
ALTER TABLE result ADD COLUMN end_to_end_high_ns REAL;
ALTER TABLE result ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0 CHECK (rounds >= 0);
-- As samples_ns, one a round.
ALTER TABLE result ADD COLUMN rounds_ns BLOB NOT NULL DEFAULT x''
    CHECK (length(rounds_ns) % 8 = 0);
ALTER TABLE result ADD COLUMN timer_ns REAL;
ALTER TABLE result ADD COLUMN raw_ns REAL;

-- Who was measured instead of whom.
CREATE INDEX result_by_twin ON result (device_id, twin_of) WHERE twin_of <> '';

ALTER TABLE run ADD COLUMN resolution REAL;
ALTER TABLE run ADD COLUMN playoff_resolution REAL;
ALTER TABLE run ADD COLUMN samples INTEGER;
ALTER TABLE run ADD COLUMN noise_processes INTEGER;
ALTER TABLE run ADD COLUMN noise_within REAL;
ALTER TABLE run ADD COLUMN noise_between REAL;
ALTER TABLE run ADD COLUMN drift REAL;
ALTER TABLE run ADD COLUMN race_saved_ns INTEGER;
ALTER TABLE run ADD COLUMN baseline_all_time_ns REAL;
ALTER TABLE run ADD COLUMN baseline_all_processors INTEGER;
ALTER TABLE run ADD COLUMN observed TEXT NOT NULL DEFAULT ''
    CHECK (observed = '' OR json_valid(observed));

ALTER TABLE baseline ADD COLUMN processors INTEGER;
ALTER TABLE baseline ADD COLUMN all_time_ns REAL;
ALTER TABLE baseline ADD COLUMN all_low_ns REAL;
ALTER TABLE baseline ADD COLUMN all_high_ns REAL;

-- NULL: not in the subject's last play-off; 0: its pick; 1, 2, ...: the others in their
-- order.  They come before all that have none.  The primary key stays the order of those.
ALTER TABLE score ADD COLUMN standing INTEGER CHECK (standing >= 0);
ALTER TABLE score ADD COLUMN tied INTEGER NOT NULL DEFAULT 0 CHECK (tied IN (0, 1));

CREATE UNIQUE INDEX score_by_standing
    ON score (device_id, kernel_id, problem_id, objective, direction, standing)
    WHERE standing IS NOT NULL;
