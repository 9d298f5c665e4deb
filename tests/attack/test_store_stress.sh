#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many processes write to and read from one database while some of them are killed: nothing fails,
# nothing that was stored is lost, and nothing is there twice.  scripts/bench-store takes a minute for it.
. "$(dirname "$0")/lib.sh"

run "$CT_BUILD/tests/bench/store_stress" "$work/stress.db" 8 4 3
exits 0 "eight writers and four readers"
out_has " 0 lost, 0 too many" "everything is there once"
run "$cltune" db check --db "$work/stress.db"
exits 0 "the database is sound"

done_testing
