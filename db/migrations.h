// SPDX-License-Identifier: Apache-2.0
// The schema's SQL, embedded by scripts/embed from db/schema.
#ifndef CT_DB_MIGRATIONS_H
#define CT_DB_MIGRATIONS_H

/* Migration i takes a file from user_version i to i + 1. */
extern const char *const ct_migrations[];
extern const char *const ct_migrations_paths[];
extern const int ct_migrations_count;

/* One text: the rows (type|name|tbl_name|sql) of sqlite_schema, by type and name, after all
 * migrations; scripts/make-schema-objects writes it. */
extern const char *const ct_schema_objects[];
extern const char *const ct_schema_objects_paths[];
extern const int ct_schema_objects_count;

#endif
