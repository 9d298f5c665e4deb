// SPDX-License-Identifier: Apache-2.0
// Loads a space file: from text to a checked specification. realpath() is from XSI, beyond the
// POSIX base used elsewhere.
#define _XOPEN_SOURCE 700
#include "spacefile/spec.h"

#include "spacefile/spec_impl.h"

#include <stdlib.h>
#include <string.h>

/* The absolute folder of a file that need not exist, and the file's name without folder and
 * extension. */
static bool split_path(struct ct_spec *spec, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    char *folder = slash ? ct_arena_copy(&spec->arena, path,
                                         slash == path ? 1 : (size_t)(slash - path))
                         : ct_arena_copy(&spec->arena, ".", 1);
    char *real;

    if (!folder)
        return false;
    real = realpath(folder, NULL);
    spec->dir = real ? ct_arena_copy(&spec->arena, real, strlen(real)) : folder;
    free(real);
    spec->path = ct_arena_copy(&spec->arena, path, strlen(path));
    spec->kernel.name = ct_arena_copy(
        &spec->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    return spec->dir && spec->path && spec->kernel.name;
}

static enum ct_status build_spec(struct ct_spec *spec, const char *text, size_t length,
                                 struct ct_diags *diags, struct ct_err *err)
{
    struct ct_spec_builder b = {.spec = spec,
                                .diags = diags,
                                .sections = ct_spec_sections,
                                .section_count = ct_spec_section_count,
                                .keys = ct_spec_keys,
                                .key_count = ct_spec_key_count,
                                .loop = -1};
    struct ct_reader_file file;
    size_t errors = diags->errors;
    enum ct_status status =
        ct_reader_parse(spec->path, text, length, &spec->arena, &file, diags, err);

    if (status)
        return status;
    b.file = &file;
    ct_spec_expand_tuples(&b, &file);
    ct_spec_check_sections(&b);
    if (!b.nomem)
        ct_spec_collect(&b);
    if (!b.nomem)
        ct_spec_compile_symbols(&b);
    if (!b.nomem)
        ct_spec_read_buffers(&b);
    if (!b.nomem)
        ct_spec_read_launches(&b);
    if (!b.nomem)
        ct_spec_read_hosts(&b);
    if (!b.nomem)
        ct_spec_read_rest(&b);
    if (!b.nomem)
        ct_spec_check(&b, errors);
    return b.nomem || diags->failed ? ct_err_nomem(err) : CT_OK;
}

/* `err` gets the first error of the file. */
static enum ct_status summarise_errors(const struct ct_diags *diags, const char *path,
                                       struct ct_err *err)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == CT_ERROR &&
            strcmp(diags->items[i].file, path) == 0)
            return ct_err_at(err, CT_E_SPEC, diags->items[i].file, diags->items[i].line,
                             diags->items[i].column, "%s", diags->items[i].message);
    return ct_err_set(err, CT_E_SPEC, "the space file has errors");
}

enum ct_status ct_spec_parse(const char *path, const char *text, size_t length,
                             struct ct_spec **out, struct ct_diags *diags,
                             struct ct_err *err)
{
    struct ct_spec *spec = ct_mem_array(1, sizeof(*spec));
    size_t errors = diags->errors;
    enum ct_status status;

    *out = NULL;
    if (!spec || !split_path(spec, path)) {
        ct_spec_free(spec);
        return ct_err_nomem(err);
    }
    status = build_spec(spec, text, length, diags, err);
    if (status != CT_E_NOMEM)
        ct_diags_sort(diags);
    if (!status && diags->errors > errors)
        status = summarise_errors(diags, path, err);
    if (status)
        ct_spec_free(spec);
    else
        *out = spec;
    return status;
}

enum ct_status ct_spec_load(const char *path, struct ct_spec **out,
                            struct ct_diags *diags, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const char *text;
    size_t length;
    enum ct_status status = ct_reader_slurp(path, &arena, &text, &length, err);

    *out = NULL;
    if (!status)
        status = ct_spec_parse(path, text, length, out, diags, err);
    ct_arena_release(&arena);
    return status;
}

void ct_spec_free(struct ct_spec *spec)
{
    if (!spec)
        return;
    ct_arena_release(&spec->arena);
    free(spec);
}
