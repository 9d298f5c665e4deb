// SPDX-License-Identifier: Apache-2.0
// Whether an answer may be out of date.
#include "report/stale.h"

#include "spacefile/spec.h"
#include "spacefile/trusted.h"

#include <string.h>
#include <sys/stat.h>

enum { SOURCE_FILE = 1 << 16 }; /* beside the library's reasons */

static const struct {
    int reason;
    const char *word;
    const char *text;
} reasons[] = {
    {CLTUNEDB_STALE_SOURCE, "source", "it is for an older source of the kernel"},
    {CLTUNEDB_STALE_SPACE, "space_file", "the space file has changed since"},
    {CLTUNEDB_STALE_DRIVER, "driver", "it was measured with another driver"},
    {SOURCE_FILE, "source_file", "a source file of the kernel was modified since"},
};
enum { REASONS = sizeof(reasons) / sizeof(reasons[0]) };

/* Whether a source of fixed name is newer than the result. */
static bool is_modified(const struct ct_spec *spec, const cltunedb_answer *answer)
{
    const char *slash = strrchr(answer->space_file, '/');
    bool modified = false;

    for (size_t i = 0; i < spec->kernel.program.source_count && slash; i++) {
        const char *source = spec->kernel.program.sources[i].text;
        struct ct_str path;
        struct stat info;

        if (!source || strchr(source, '{'))
            continue;
        ct_str_init(&path);
        if (*source != '/')
            ct_str_add(&path, answer->space_file,
                       (size_t)(slash - answer->space_file) + 1);
        ct_str_puts(&path, source);
        modified |= !path.failed && stat(path.data, &info) == 0 &&
                    (int64_t)info.st_mtime > answer->measured_unix_s;
        ct_str_release(&path);
    }
    return modified;
}

/* A database of others may name any file: only those that were searched here are read. */
static int reasons_of(const cltunedb_answer *answer)
{
    cltunedb_answer blind = *answer; /* of a file that is not read */
    struct ct_diags diags = {0};
    struct ct_spec *spec = NULL;
    int found;

    blind.space_file = "";
    if (answer->layer_number || !*answer->space_file ||
        !ct_trusted_space(answer->space_file))
        return cltunedb_stale(&blind);
    found = cltunedb_stale(answer);
    if (ct_spec_load(answer->space_file, &spec, &diags, NULL) == CT_OK &&
        is_modified(spec, answer))
        found |= SOURCE_FILE;
    if (spec)
        ct_spec_free(spec);
    ct_diags_release(&diags);
    return found;
}

void ct_stale_put(struct ct_str *out, const cltunedb_answer *answer)
{
    int found = reasons_of(answer);

    for (size_t i = 0; i < REASONS; i++)
        if (found & reasons[i].reason)
            ct_str_addf(out, "this answer may be out of date: %s; search again\n",
                        reasons[i].text);
}

json_t *ct_stale_json(const cltunedb_answer *answer)
{
    int found = reasons_of(answer);
    json_t *list = json_array();

    for (size_t i = 0; i < REASONS; i++)
        if (found & reasons[i].reason)
            json_array_append_new(list, json_string(reasons[i].word));
    return list;
}
