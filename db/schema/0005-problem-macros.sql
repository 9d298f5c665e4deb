-- SPDX-License-Identifier: Apache-2.0
-- What is needed to hand a result to another problem, and to find its space file again.

-- JSON: the macros of `flags` that follow from the problem, each with an expression in names of
-- the problem and of parameters, or null where more than these decides; '' : not known.
ALTER TABLE kernel ADD COLUMN problem_macros TEXT NOT NULL DEFAULT ''
    CHECK (problem_macros = '' OR json_valid(problem_macros));
-- The absolute path of space_path, and the hash of that file; '': not known.
ALTER TABLE kernel ADD COLUMN space_file TEXT NOT NULL DEFAULT '';
ALTER TABLE kernel ADD COLUMN space_hash TEXT NOT NULL DEFAULT ''
    CHECK (space_hash = '' OR length(space_hash) = 32);
