// SPDX-License-Identifier: Apache-2.0
// OpenCL C sources: reading them with what they include, and telling whether two of them
// are the same program text.
#ifndef CT_SPACEFILE_SOURCE_H
#define CT_SPACEFILE_SOURCE_H

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files read once and kept while a search runs, so that a change on disk in its middle
 * cannot mix two versions. */
struct ct_source_cache;

/* NULL when memory is short. */
struct ct_source_cache *ct_source_cache_new(void);
void ct_source_cache_free(struct ct_source_cache *cache);

/* The path of an included file whose bytes are no longer those that were read, or NULL.
 * Compilers read includes by themselves, so what was built since may not be what the hash
 * says. */
const char *ct_source_cache_changed(struct ct_source_cache *cache);

struct ct_source {
    const char *text; /* of the file itself, owned by the cache */
    size_t length;
    struct ct_hash hash; /* of it and its includes, without comments and needless space */
    /* All words of it and its includes, for "is this name used?" questions. */
    const struct ct_source_words *words;
};

/* Reads `path` and, recursively, every file it includes with quotes, searched in the
 * including file's folder and then in `include_dirs`.  Include directives in angle
 * brackets are searched in `include_dirs` only and belong to the compiler when not found
 * there.  A quoted include that is not found is CT_E_SPEC with file and line, unless it
 * stands inside a conditional (#if), where only the compiler can know whether it matters.
 * A file that cannot be read is CT_E_IO ("cannot read PATH: reason"), one that is no text
 * CT_E_SPEC.  The result is owned by the cache and the same for every later call with the
 * same arguments. */
enum ct_status ct_source_load(struct ct_source_cache *cache, const char *path,
                              size_t include_count, const char *const *include_dirs,
                              const struct ct_source **out, struct ct_err *err);

/* The hash of any file's bytes, as they were when first asked for.  0, or why not
 * (base/file.h). */
int ct_source_hash_file(struct ct_source_cache *cache, const char *path,
                        uint64_t limit_bytes, struct ct_hash *out);

/* Whether `name` occurs as a word in the source or its includes (comments left out,
 * string literals not).  A name that does not may still be used where ct_source_pastes or
 * ct_source_computed_include. */
bool ct_source_uses(const struct ct_source *source, const char *name);

/* Whether words may be made from parts: there is a `##`. */
bool ct_source_pastes(const struct ct_source *source);

/* Whether there is an `#include MACRO`: then files that nobody but the compiler knows
 * belong to the source, and `hash` does not cover them. */
bool ct_source_computed_include(const struct ct_source *source);

/* Appends `text` without comments: each comment becomes a space, runs of blanks one
 * blank, blanks at the ends of a line nothing; string and character literals are kept as
 * they are. Lines that a comment or a continuation joins become one, followed by as many
 * empty lines, so that what follows keeps its line number. */
struct ct_str;
void ct_source_strip(const char *text, size_t length, struct ct_str *out);

#endif
