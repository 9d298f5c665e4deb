// SPDX-License-Identifier: Apache-2.0
// Reads a database that another process, perhaps on another machine, is writing to.
//
// SQLite's log needs memory that all readers and writers share, which network file systems do not
// have.  So the file and its log are copied first, and the copy is opened: nothing beside the original
// is created, locked or changed.
#ifndef CT_DB_SNAPSHOT_H
#define CT_DB_SNAPSHOT_H

#include "db/store.h"

/* What the files were like when they were copied last; {0}: never. */
struct ct_db_seen {
    struct ct_db_seen_file {
        uint64_t inode;
        uint64_t size_bytes;
        int64_t changed_ns;
    } file, log;
};

/* Copies the database at `path` to `folder`, which exists and is the caller's alone, and opens the
 * copy for reading.  `*out` is NULL, without an error, if nothing has changed since `seen` was set, or
 * the file is just being changed: the next call tries again.  After ct_db_close the caller removes
 * what is in the folder.
 *
 * CT_E_NOT_FOUND: there is no file, or no schema in it yet.  CT_E_DB: it cannot be read, or as for
 * ct_db_open.  CT_E_IO: the copy cannot be written.  CT_E_NOMEM. */
enum ct_status ct_db_snapshot_open(const char *path, const char *folder,
                                   struct ct_db_seen *seen, struct ct_db **out,
                                   struct ct_err *err);

#endif
