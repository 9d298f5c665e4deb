-- SPDX-License-Identifier: Apache-2.0
-- Results that were not measured themselves, because another configuration's program is
-- the same, name that one's experiment; '' for all others.
ALTER TABLE result ADD COLUMN twin_of TEXT NOT NULL DEFAULT ''
    CHECK (twin_of = '' OR length(twin_of) = 32);
