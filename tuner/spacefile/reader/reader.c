// SPDX-License-Identifier: Apache-2.0
// Passes numbered canonical lines to inih, and collects sections and entries.
#include "spacefile/reader/reader.h"

#include "base/file.h"
#include "spacefile/reader/reader_impl.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Input and output of inih. */
struct passage {
    const struct ct_reader_lines *lines;
    size_t next;
    bool opened; /* the header before `next` has been sent, its opening entry has not */
    struct ct_reader_file *file;
    size_t section_of_line; /* index of the line that is the current section's header */
    bool failed;
};

/* inih's fgets: one canonical line.  A header is followed by an entry `open`, so that
 * inih reports sections without keys as well. */
static char *next_line(char *room, int size, void *stream)
{
    struct passage *passage = stream;
    const struct ct_reader_line *line;

    if (passage->opened) {
        passage->opened = false;
        snprintf(room, (size_t)size, "open=%zu\n", passage->next - 1);
        return room;
    }
    if (passage->next == passage->lines->count)
        return NULL;
    line = &passage->lines->items[passage->next];
    if (line->header) {
        snprintf(room, (size_t)size, "[%zu]\n", passage->next);
        passage->opened = true;
    } else {
        snprintf(room, (size_t)size, "key=%zu\n", passage->next);
    }
    passage->next++;
    return room;
}

/* inih's report of one entry: the numbers identify the lines. */
static int take_entry(void *user, const char *section, const char *name,
                      const char *value)
{
    struct passage *passage = user;
    struct ct_reader_file *file = passage->file;
    size_t number = strtoul(value, NULL, 10);
    size_t header = strtoul(section, NULL, 10);
    const struct ct_reader_line *line;

    if (number >= passage->lines->count)
        return 0;
    line = &passage->lines->items[number];
    if (strcmp(name, "open") == 0) {
        if (!line->header || header != number)
            return 0;
        file->sections[file->section_count++] = line->section;
        passage->section_of_line = number;
        return 1;
    }
    if (line->header || !file->section_count || header != passage->section_of_line)
        return 0;
    /* Entries are consecutive in `all`, so those of a section are, too. */
    file->sections[file->section_count - 1]
        .entries[file->sections[file->section_count - 1].entry_count++] = line->entry;
    return 1;
}

/* Reserves space for each header's entries, and leaves out entries before the first header, which
 * have been reported. */
static bool reserve_entries(struct ct_arena *arena, struct ct_reader_lines *lines,
                            struct ct_reader_file *file)
{
    struct ct_reader_entry *all =
        ct_arena_array(arena, lines->count, sizeof(struct ct_reader_entry));
    size_t headers = 0;
    size_t entries = 0;

    for (size_t i = 0; all && i < lines->count; i++) {
        if (lines->items[i].header) {
            lines->items[i].section.entries = all + entries;
            headers++;
        } else {
            entries++;
        }
    }
    file->sections = ct_arena_array(arena, headers, sizeof(*file->sections));
    return all && file->sections;
}

enum ct_status ct_reader_parse(const char *path, const char *text, size_t length,
                               struct ct_arena *arena, struct ct_reader_file *out,
                               struct ct_diags *diags, struct ct_err *err)
{
    struct ct_reader_lines lines = {0};
    struct passage passage = {.lines = &lines, .file = out};
    enum ct_status status;

    memset(out, 0, sizeof(*out));
    out->path = ct_arena_copy(arena, path, strlen(path));
    if (!out->path)
        return ct_err_nomem(err);
    status = ct_reader_cut(out->path, text, length, arena, &lines, diags, err);
    if (status)
        goto out;
    if (!reserve_entries(arena, &lines, out)) {
        status = ct_err_nomem(err);
        goto out;
    }
    if (ini_parse_stream(next_line, &passage, take_entry, &passage) != 0)
        status = ct_err_at(err, CT_E_INTERNAL, path, 0, 0,
                           "internal error: inih read the file differently");
out:
    free(lines.items);
    return status;
}

enum ct_status ct_reader_slurp(const char *path, struct ct_arena *arena,
                               const char **text, size_t *length, struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    enum ct_status status = CT_OK;
    struct ct_str bytes;
    int error;

    ct_str_init(&bytes);
    error = ct_file_read(path, CT_READER_BYTES_MAX, &bytes, NULL);
    *text = error ? NULL : ct_arena_copy(arena, bytes.data, bytes.length);
    *length = bytes.length;
    if (error)
        status = ct_err_set(err, ct_file_status(error), "cannot read '%s': %s", path,
                            ct_file_why(why, error, CT_READER_BYTES_MAX));
    else if (!*text)
        status = ct_err_nomem(err);
    ct_str_release(&bytes);
    return status;
}
