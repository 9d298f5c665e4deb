// SPDX-License-Identifier: Apache-2.0
// OpenCL C sources: reads them with their includes, and decides whether two of them are the same
// program text.
#ifndef CT_SPACEFILE_SOURCE_H
#define CT_SPACEFILE_SOURCE_H

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files are read once and kept during a search, so that a change on disk in between cannot mix
 * two versions. */
struct ct_source_cache;

/* NULL if out of memory. */
struct ct_source_cache *ct_source_cache_new(void);
void ct_source_cache_free(struct ct_source_cache *cache);

/* Gives the contents of the file at `path`, which is not read from disk then; copies both.  CT_E_NOMEM. */
enum ct_status ct_source_cache_give(struct ct_source_cache *cache, const char *path,
                                    const char *text, size_t length, struct ct_err *err);

/* Whether the contents of a file are given or have been read. */
bool ct_source_cache_has(const struct ct_source_cache *cache, const char *path);

/* As ct_spec_path, whose answer to the first question about a path is kept.  Owned by the cache; NULL
 * if out of memory. */
struct ct_spec;
const char *ct_source_cache_path(struct ct_source_cache *cache,
                                 const struct ct_spec *spec, const char *path);

/* Facts that callers have found out about the contents, and that hold as long as the cache does. */
struct ct_notes;
struct ct_notes *ct_source_cache_notes(struct ct_source_cache *cache);

/* The path of an included file whose contents have changed since it was read, or NULL. Compilers
 * read includes by themselves, so later builds may not match the hash. */
const char *ct_source_cache_changed(struct ct_source_cache *cache);

struct ct_source {
    const char *text; /* of the file itself, owned by the cache */
    size_t length;
    /* of it and its includes, without comments and unnecessary space */
    struct ct_hash hash;
    /* All words of it and its includes, for "is this name used?" questions. */
    const struct ct_source_words *words;
};

/* Reads `path` and, recursively, every file it includes with quotes, searched in the including
 * file's folder and then in `include_dirs`.  Include directives in angle brackets are searched in
 * `include_dirs` only and left to the compiler if not found there.  A quoted include that is not
 * found is CT_E_SPEC with file and line, unless it is inside a conditional (#if), where only the
 * compiler can know whether it matters. A file that cannot be read is CT_E_IO ("cannot read PATH:
 * reason"), one that is not text CT_E_SPEC.  The result is owned by the cache and the same for
 * every later call with the same arguments. */
enum ct_status ct_source_load(struct ct_source_cache *cache, const char *path,
                              size_t include_count, const char *const *include_dirs,
                              const struct ct_source **out, struct ct_err *err);

/* The text, without comments, and the path of the file that an include directive in `from` names, as
 * ct_source_load has found it; NULL if there is none.  Owned by the cache. */
const char *ct_source_included(struct ct_source_cache *cache, const char *from,
                               const char *name, bool quoted, size_t include_count,
                               const char *const *include_dirs, const char **path);

/* The hash of any file's contents at the first call.  0, or why not (base/file.h). */
int ct_source_hash_file(struct ct_source_cache *cache, const char *path,
                        uint64_t limit_bytes, struct ct_hash *out);

/* Whether `name` occurs as a word in the source or its includes (comments excluded, string
 * literals included).  Even if not, it may be used: made with `##`, or in a file that a macro
 * names. */
bool ct_source_uses(const struct ct_source *source, const char *name);

/* Appends `text` without comments: each comment becomes a space, runs of blanks one blank, blanks
 * at line ends are removed; string and character literals are unchanged. Lines joined by a
 * comment or a continuation become one, followed by as many empty lines, so that later lines keep
 * their numbers. */
struct ct_str;
void ct_source_strip(const char *text, size_t length, struct ct_str *out);

#endif
