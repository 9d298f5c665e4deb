// SPDX-License-Identifier: Apache-2.0
// The form of FILE.json beside a program binary, for its writer (report/binary.c) and its reader.
#ifndef CT_DB_BINARY_H
#define CT_DB_BINARY_H

#include "base/hash.h"
#include "base/str.h"

enum {
    CT_BINARY_SCHEMA_VERSION = 1, /* of doc/binary.schema.json */
    CT_BINARY_BYTES_MOST = 256 << 20,
    CT_BINARY_JSON_MOST = 16 << 20,
    CT_BINARY_PROGRAMS_MOST = 1000,
    CT_BINARY_LAUNCHES_MOST = 100000,
};

/* Replaces the end of a JSON object ("\n}\n") by its last member, "check": the hash of all text
 * before it.  One changed byte anywhere is then noticed. */
void ct_binary_seal(struct ct_str *json);

#endif
