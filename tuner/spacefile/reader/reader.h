// SPDX-License-Identifier: Apache-2.0
// Reading INI files without losing anything: sections and keys in file order, every character
// with its true place.
//
// The grammar of INI files is inih's, but inih alone would silently corrupt space files: it takes
// `WG <= 256` for a key `WG <`, makes indented keys and section headers part of the value before
// them, drops what follows `]`, cuts lines at 200 characters and section names at 49, keeps
// comments on continuation lines, cuts at ` ;` inside quotes and merges repeated sections.
// Therefore this reader splits the file into logical lines, gives inih a canonical file with a
// short numbered line for each (`[3]`, `key=17`), and maps inih's reports back to the lines.
// inih assigns entries to sections; it never reads a problematic character.
//
// The rules:
// - `[kind name]` opens a section, `key = value` is an entry.  The first `=` that is not part of
//   ==, <=, >= or != separates; keys are letters, digits, `_`, blanks and `-`.
// - A line indented deeper than its key continues it (the line end becomes a blank); headers may
//   be indented.  Tabs reach to the next multiple of 8.
// - `;` or `#` at the start of a line, and `;` after white space, begin a comment, except between
//   single quotes.  A quote ends on its line.
// - A UTF-8 byte order mark and CR before LF are ignored.
#ifndef CT_SPACEFILE_READER_READER_H
#define CT_SPACEFILE_READER_READER_H

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "spacefile/expr/expr.h"

#include <stddef.h>

/* Largest file that is read. */
enum { CT_READER_BYTES_MAX = (int)CT_FILE_SPACE_MAX };

struct ct_reader_entry {
    const char *key; /* runs of blanks are one blank */
    struct ct_place place;
    struct ct_text value; /* trimmed, without comments; may be empty */
    bool broken;          /* a diagnosis was made: the value is not reliable */
};

struct ct_reader_section {
    const char *kind; /* first word of the header */
    const char *name; /* the rest of it, or NULL */
    struct ct_place place;
    struct ct_place name_place;
    size_t entry_count;
    struct ct_reader_entry *entries;
};

/* All of it is owned by the arena given to ct_reader_parse; texts are UTF-8, columns
 * count characters (a tab is one). */
struct ct_reader_file {
    const char *path;
    size_t section_count;
    struct ct_reader_section *sections;
};

/* Reads `length` bytes of `text`; `path` names it in messages.  Invalid lines are left out and
 * all added to `diags`.  CT_E_SPEC if the text as a whole cannot be read (binary, too long; one
 * diagnosis), CT_E_NOMEM, CT_E_INTERNAL. */
enum ct_status ct_reader_parse(const char *path, const char *text, size_t length,
                               struct ct_arena *arena, struct ct_reader_file *out,
                               struct ct_diags *diags, struct ct_err *err);

/* Reads a whole file into the arena.  If it cannot be read, which includes files that are not
 * regular or larger than CT_READER_BYTES_MAX, the status of ct_file_status with the reason;
 * CT_E_NOMEM. */
enum ct_status ct_reader_slurp(const char *path, struct ct_arena *arena,
                               const char **text, size_t *length, struct ct_err *err);

#endif
