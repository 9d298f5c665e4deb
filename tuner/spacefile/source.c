// SPDX-License-Identifier: Apache-2.0
// Reads OpenCL C sources with their includes, once each.
#include "spacefile/source.h"

#include "base/file.h"
#include "base/str.h"
#include "base/wire.h"
#include "spacefile/file_hash.h"
#include "spacefile/given.h"
#include "spacefile/names_of_files.h"
#include "spacefile/notes.h"
#include "spacefile/source_word.h"
#include "spacefile/source_words.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    DEPTH_MAX = 200, /* like clang's limit of nested includes */
    NOT_FOUND = -1,
};

/* How an include directive names its file. */
enum include_form { INCLUDE_QUOTE, INCLUDE_ANGLE, INCLUDE_COMPUTED };

struct directive {
    enum include_form form;
    const char *name;
    int line;
    bool conditional;
};

/* A file as it was when first read; owned by the cache. */
struct file {
    const char *path;
    char *text;
    size_t length;
    struct ct_str stripped;
    dev_t device; /* with inode: identifies the same file under another path */
    ino_t inode;
    struct timespec changed; /* when it was read */
    bool included;           /* so the compiler reads it again by itself */
    bool given;              /* and not on disk */
    struct directive *directives;
    size_t directive_count;
    size_t directive_room;
};

/* A loaded source with the arguments of its query. */
struct entry {
    struct ct_source source;
    struct ct_source_words words;
    const char *path;
    size_t include_count;
    const char **include_dirs;
};

struct ct_source_cache {
    struct ct_arena arena;
    struct file **files;
    size_t file_count;
    size_t file_room;
    uint64_t bytes; /* of all files */
    struct entry **entries;
    size_t entry_count;
    size_t entry_room;
    struct ct_file_hashes hashes;
    struct ct_given_files given;
    struct ct_names_of_files names;
    struct ct_notes notes;
};

struct ct_source_cache *ct_source_cache_new(void)
{
    return ct_mem_array(1, sizeof(struct ct_source_cache));
}

static void file_free(struct file *file)
{
    free(file->text);
    free(file->directives);
    ct_str_release(&file->stripped);
    free(file);
}

static void entry_free(struct entry *entry)
{
    free(entry->words.words);
    free(entry);
}

void ct_source_cache_free(struct ct_source_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->file_count; i++)
        file_free(cache->files[i]);
    for (size_t i = 0; i < cache->entry_count; i++)
        entry_free(cache->entries[i]);
    ct_file_hashes_release(&cache->hashes);
    ct_given_release(&cache->given);
    ct_names_of_files_release(&cache->names);
    ct_notes_release(&cache->notes);
    free(cache->files);
    free(cache->entries);
    ct_arena_release(&cache->arena);
    free(cache);
}

struct ct_notes *ct_source_cache_notes(struct ct_source_cache *cache)
{
    return &cache->notes;
}

int ct_source_hash_file(struct ct_source_cache *cache, const char *path,
                        uint64_t limit_bytes, struct ct_hash *out)
{
    const struct ct_given_file *given = ct_given_find(&cache->given, path);

    if (given)
        *out = ct_hash_bytes(given->text, given->length);
    return given ? 0 : ct_file_hashes_get(&cache->hashes, path, limit_bytes, out);
}

enum ct_status ct_source_cache_give(struct ct_source_cache *cache, const char *path,
                                    const char *text, size_t length, struct ct_err *err)
{
    return ct_given_put(&cache->given, path, text, length) ? CT_OK : ct_err_nomem(err);
}

bool ct_source_cache_has(const struct ct_source_cache *cache, const char *path)
{
    for (size_t i = 0; i < cache->file_count; i++)
        if (strcmp(cache->files[i]->path, path) == 0)
            return true;
    return ct_given_find(&cache->given, path);
}

const char *ct_source_cache_path(struct ct_source_cache *cache,
                                 const struct ct_spec *spec, const char *path)
{
    return ct_names_of_files_get(&cache->names, spec, path);
}

/* Records `rest`, the text after "#include " on line number `line` of a file. */
static bool add_directive(struct ct_arena *arena, struct file *file, const char *rest,
                          int line, bool conditional)
{
    char closing = *rest == '"' ? '"' : '>';
    struct directive *directive;
    size_t length = 0;

    if (!ct_mem_grow(&file->directives, &file->directive_room, file->directive_count + 1,
                     sizeof(*file->directives)))
        return false;
    directive = &file->directives[file->directive_count];
    directive->line = line;
    directive->conditional = conditional;
    directive->form = *rest == '"'   ? INCLUDE_QUOTE
                      : *rest == '<' ? INCLUDE_ANGLE
                                     : INCLUDE_COMPUTED;
    if (directive->form != INCLUDE_COMPUTED) {
        rest++;
        while (rest[length] && rest[length] != closing && rest[length] != '\n')
            length++;
    }
    directive->name = ct_arena_copy(arena, rest, length);
    if (!directive->name)
        return false;
    file->directive_count++;
    return true;
}

/* Finds the include directives in the stripped text. */
static bool find_directives(struct ct_arena *arena, struct file *file)
{
    const char *at = file->stripped.data;
    int depth = 0;

    for (int line = 1; *at; line++) {
        const char *end = strchr(at, '\n');
        size_t mark = *at == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : 0;

        if (mark) {
            const char *word = ct_word_skip_blank(at + mark);
            const char *after = ct_word_skip(word);
            size_t length = (size_t)(after - word);

            if (ct_word_equal(word, length, "if") ||
                ct_word_equal(word, length, "ifdef") ||
                ct_word_equal(word, length, "ifndef"))
                depth++;
            else if (ct_word_equal(word, length, "endif") && depth > 0)
                depth--;
            else if ((ct_word_equal(word, length, "include") ||
                      ct_word_equal(word, length, "include_next") ||
                      ct_word_equal(word, length, "import")) &&
                     !add_directive(arena, file, ct_word_skip_blank(after), line,
                                    depth > 0))
                return false;
        }
        if (!end)
            break;
        at = end + 1;
    }
    return true;
}

/* --- reading --- */

/* Takes the place of reading a file that is given. */
static int take_given(const struct ct_given_file *given, uint64_t limit_bytes,
                      struct ct_str *text, struct stat *facts)
{
    if (given->length > limit_bytes)
        return CT_FILE_TOO_LARGE;
    ct_str_add(text, given->text, given->length);
    facts->st_ino = (ino_t)given->number; /* on no device */
    return text->failed ? ENOMEM : 0;
}

static enum ct_status read_text(const struct ct_source_cache *cache, const char *path,
                                struct file *file, struct ct_err *err)
{
    const struct ct_given_file *given = ct_given_find(&cache->given, path);
    /* What other files leave of the total limit. */
    uint64_t room_bytes = CT_FILE_SOURCES_MAX - cache->bytes;
    bool alone = room_bytes > CT_FILE_SOURCE_MAX;
    uint64_t limit_bytes = alone ? CT_FILE_SOURCE_MAX : room_bytes;
    char why[CT_FILE_WHY_SIZE];
    struct ct_str text;
    struct stat facts = {0};
    enum ct_status status = CT_OK;
    int error;

    ct_str_init(&text);
    error = given ? take_given(given, limit_bytes, &text, &facts)
                  : ct_file_read(path, limit_bytes, &text, &facts);
    if (error == CT_FILE_TOO_LARGE && !alone)
        status = ct_err_set(err, CT_E_IO,
                            "cannot read %s: the source and its includes are too large: "
                            "more than %d MiB together",
                            path, (int)(CT_FILE_SOURCES_MAX >> 20));
    else if (error)
        status = ct_err_set(err, CT_E_IO, "cannot read %s: %s", path,
                            ct_file_why(why, error, limit_bytes));
    else if (memchr(text.data, '\0', text.length))
        status = ct_err_at(err, CT_E_SPEC, path, 0, 0,
                           "the source contains a zero byte: it is not text");
    if (status)
        goto out;
    file->device = facts.st_dev;
    file->inode = facts.st_ino;
    file->changed = facts.st_mtim;
    file->given = given;
    file->length = text.length;
    file->text = ct_str_detach(&text);
    if (!file->text)
        status = ct_err_nomem(err);
out:
    ct_str_release(&text);
    return status;
}

/* The file at `path`, from the cache if it was read before. */
static enum ct_status file_get(struct ct_source_cache *cache, const char *path,
                               struct file **out, struct ct_err *err)
{
    enum ct_status status;
    struct file *file;

    for (size_t i = 0; i < cache->file_count; i++) {
        if (strcmp(cache->files[i]->path, path) == 0) {
            *out = cache->files[i];
            return CT_OK;
        }
    }
    file = ct_mem_array(1, sizeof(*file));
    if (!file)
        return ct_err_nomem(err);
    ct_str_init(&file->stripped);
    status = read_text(cache, path, file, err);
    if (status)
        goto fail;
    cache->bytes += file->length;
    ct_source_strip(file->text, file->length, &file->stripped);
    file->path = ct_arena_copy(&cache->arena, path, strlen(path));
    if (file->stripped.failed || !file->path || !find_directives(&cache->arena, file) ||
        !ct_mem_grow(&cache->files, &cache->file_room, cache->file_count + 1,
                     sizeof(struct file *))) {
        status = ct_err_nomem(err);
        goto fail;
    }
    cache->files[cache->file_count++] = file;
    *out = file;
    return CT_OK;
fail:
    file_free(file);
    return status;
}

/* --- following includes --- */

struct walk {
    struct ct_source_cache *cache;
    size_t include_count;
    const char *const *include_dirs;
    struct file **visited; /* in the order of first inclusion */
    size_t visited_count;
    size_t visited_room;
    struct ct_str form; /* what is hashed */
};

static bool is_file(const struct ct_source_cache *cache, const char *path)
{
    struct stat facts;

    return ct_given_find(&cache->given, path) ||
           (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode));
}

static bool try_dir(const struct ct_source_cache *cache, const char *dir, size_t length,
                    const char *name, struct ct_str *path)
{
    ct_str_reset(path);
    ct_str_add(path, dir, length);
    if (length && dir[length - 1] != '/')
        ct_str_putc(path, '/');
    ct_str_puts(path, name);
    return !path->failed && is_file(cache, path->data);
}

/* Finds the file that a directive names, like the compiler; false if there is none (or memory is
 * short: path->failed). */
static bool resolve_include(const struct walk *walk, const struct file *from,
                            const struct directive *directive, struct ct_str *path)
{
    const char *slash = strrchr(from->path, '/');
    size_t own = slash ? (size_t)(slash - from->path) + 1 : 0;

    if (directive->name[0] == '/')
        return try_dir(walk->cache, "", 0, directive->name, path);
    if (directive->form == INCLUDE_QUOTE &&
        try_dir(walk->cache, from->path, own, directive->name, path))
        return true;
    for (size_t i = 0; i < walk->include_count; i++) {
        const char *dir = walk->include_dirs[i];

        if (try_dir(walk->cache, dir, strlen(dir), directive->name, path))
            return true;
    }
    return false;
}

static enum ct_status not_found(const struct walk *walk, const struct file *from,
                                const struct directive *directive, struct ct_err *err)
{
    struct ct_str where;
    enum ct_status status;

    ct_str_init(&where);
    for (size_t i = 0; i < walk->include_count; i++)
        ct_str_addf(&where, "%s %s", i ? "," : " and in", walk->include_dirs[i]);
    status =
        ct_err_at(err, CT_E_SPEC, from->path, directive->line, 0,
                  "the included file '%s' is not found (searched beside this file%s)",
                  directive->name, where.failed ? "" : where.data);
    ct_str_release(&where);
    return status;
}

/* The compiler's view: non-empty lines. */
static void form_file(struct ct_str *form, const struct file *file)
{
    const char *at = file->stripped.data;

    while (*at) {
        size_t length = strcspn(at, "\n");

        if (length) {
            ct_str_add(form, at, length);
            ct_str_putc(form, '\n');
        }
        at += length + (at[length] == '\n');
    }
    ct_str_putc(form, '\0');
}

static int visited_index(const struct walk *walk, const struct file *file)
{
    for (size_t i = 0; i < walk->visited_count; i++)
        if (walk->visited[i]->device == file->device &&
            walk->visited[i]->inode == file->inode)
            return (int)i;
    return NOT_FOUND;
}

/* Adds a file and its includes to the walk; `*index` is its number there.  A file that was
 * visited before, or is including this one, is only referred to: whether its guard stops the
 * compiler is in its text. */
static enum ct_status visit_file(struct walk *walk, const char *path, int depth,
                                 int *index, struct ct_err *err)
{
    struct ct_str found;
    struct file *file = NULL;
    enum ct_status status = file_get(walk->cache, path, &file, err);

    if (status)
        return status;
    assert(file);
    *index = visited_index(walk, file);
    if (*index != NOT_FOUND)
        return CT_OK;
    if (!ct_mem_grow(&walk->visited, &walk->visited_room, walk->visited_count + 1,
                     sizeof(struct file *)))
        return ct_err_nomem(err);
    *index = (int)walk->visited_count;
    walk->visited[walk->visited_count++] = file;
    file->included |= depth > 0;
    form_file(&walk->form, file);
    ct_str_init(&found);
    for (size_t i = 0; i < file->directive_count && !status; i++) {
        const struct directive *directive = &file->directives[i];
        int target = NOT_FOUND;

        if (directive->form == INCLUDE_COMPUTED)
            continue;
        if (resolve_include(walk, file, directive, &found)) {
            if (depth >= DEPTH_MAX)
                status =
                    ct_err_at(err, CT_E_SPEC, file->path, directive->line, 0,
                              "files include each other more than %d deep", DEPTH_MAX);
            else
                status = visit_file(walk, found.data, depth + 1, &target, err);
        } else if (found.failed) {
            status = ct_err_nomem(err);
        } else if (directive->form == INCLUDE_QUOTE && !directive->conditional) {
            status = not_found(walk, file, directive, err);
        }
        ct_wire_put_u32(&walk->form, (uint32_t)target);
    }
    ct_str_release(&found);
    return status;
}

/* --- loading --- */

static bool same_question(const struct entry *entry, const char *path, size_t count,
                          const char *const *dirs)
{
    if (strcmp(entry->path, path) != 0 || entry->include_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(entry->include_dirs[i], dirs[i]) != 0)
            return false;
    return true;
}

/* Keeps the result of a walk; NULL if out of memory. */
static struct entry *cache_add(struct ct_source_cache *cache, const struct walk *walk,
                               const char *path)
{
    struct ct_arena *arena = &cache->arena;
    struct entry *entry = ct_mem_array(1, sizeof(*entry));

    if (!entry)
        return NULL;
    entry->path = ct_arena_copy(arena, path, strlen(path));
    entry->include_count = walk->include_count;
    entry->include_dirs = ct_arena_array(arena, walk->include_count, sizeof(char *));
    if (!entry->path || !entry->include_dirs || walk->form.failed)
        goto fail;
    for (size_t i = 0; i < walk->include_count; i++) {
        const char *dir = walk->include_dirs[i];

        entry->include_dirs[i] = ct_arena_copy(arena, dir, strlen(dir));
        if (!entry->include_dirs[i])
            goto fail;
    }
    for (size_t i = 0; i < walk->visited_count; i++) {
        const struct file *file = walk->visited[i];

        if (!ct_source_words_add(arena, &entry->words, file->stripped.data))
            goto fail;
    }
    ct_source_words_sort(&entry->words);
    entry->source.text = walk->visited[0]->text;
    entry->source.length = walk->visited[0]->length;
    entry->source.hash = ct_hash_bytes(walk->form.data, walk->form.length);
    entry->source.words = &entry->words;
    if (!ct_mem_grow(&cache->entries, &cache->entry_room, cache->entry_count + 1,
                     sizeof(struct entry *)))
        goto fail;
    cache->entries[cache->entry_count++] = entry;
    return entry;
fail:
    entry_free(entry);
    return NULL;
}

enum ct_status ct_source_load(struct ct_source_cache *cache, const char *path,
                              size_t include_count, const char *const *include_dirs,
                              const struct ct_source **out, struct ct_err *err)
{
    struct walk walk = {
        .cache = cache, .include_count = include_count, .include_dirs = include_dirs};
    struct entry *entry;
    enum ct_status status;
    int index;

    for (size_t i = 0; i < cache->entry_count; i++) {
        if (same_question(cache->entries[i], path, include_count, include_dirs)) {
            *out = &cache->entries[i]->source;
            return CT_OK;
        }
    }
    ct_str_init(&walk.form);
    status = visit_file(&walk, path, 0, &index, err);
    if (!status) {
        entry = cache_add(cache, &walk, path);
        if (entry)
            *out = &entry->source;
        else
            status = ct_err_nomem(err);
    }
    ct_str_release(&walk.form);
    free(walk.visited);
    return status;
}

const char *ct_source_included(struct ct_source_cache *cache, const char *from,
                               const char *name, bool quoted, size_t include_count,
                               const char *const *include_dirs, const char **path)
{
    const struct walk walk = {
        .cache = cache, .include_count = include_count, .include_dirs = include_dirs};
    const struct directive directive = {.form = quoted ? INCLUDE_QUOTE : INCLUDE_ANGLE,
                                        .name = name};
    const struct file including = {.path = from};
    struct file *file = NULL;
    struct ct_str found;
    struct ct_err why = CT_ERR_INIT;

    ct_str_init(&found);
    if (resolve_include(&walk, &including, &directive, &found))
        file_get(cache, found.data, &file, &why);
    ct_str_release(&found);
    if (file)
        *path = file->path;
    return file ? file->stripped.data : NULL;
}

/* Whether the file's contents have changed since it was read. */
static bool differs(struct file *file)
{
    struct stat facts;
    struct ct_str text;
    bool same;

    if (stat(file->path, &facts))
        return true;
    if (facts.st_mtim.tv_sec == file->changed.tv_sec &&
        facts.st_mtim.tv_nsec == file->changed.tv_nsec && facts.st_ino == file->inode &&
        (size_t)facts.st_size == file->length)
        return false;
    if ((size_t)facts.st_size != file->length)
        return true;
    ct_str_init(&text);
    same = !ct_file_read(file->path, file->length, &text, NULL) &&
           text.length == file->length &&
           memcmp(text.data, file->text, file->length) == 0;
    ct_str_release(&text);
    if (same) {
        /* Written again unchanged, as editors or builds do. */
        file->changed = facts.st_mtim;
        file->inode = facts.st_ino;
    }
    return !same;
}

const char *ct_source_cache_changed(struct ct_source_cache *cache)
{
    for (size_t i = 0; i < cache->file_count; i++)
        if (cache->files[i]->included && !cache->files[i]->given &&
            differs(cache->files[i]))
            return cache->files[i]->path;
    return NULL;
}
