// SPDX-License-Identifier: Apache-2.0
// Writes the strings of C++ sources that make up a kernel's program as .cl files.
#define _POSIX_C_SOURCE 200809L
#include "init/init_impl.h"

#include "base/create.h"
#include "base/file.h"
#include "init/cpp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct picking {
    struct ct_init *init;
    struct ct_cpp_part *parts; /* of the files in front, then of the C++ file */
    size_t count;
    size_t room;
    size_t chosen;
    bool has_chosen;
    size_t named;          /* strings that have become files */
    struct ct_str kernels; /* the files that have some, with commas between */
    bool is_many;          /* several have a wanted one */
};

/* --- reading --- */

static bool is_cpp_name(const char *path)
{
    static const char *const ends[] = {".cpp", ".cc", ".cxx", ".c++",
                                       ".hpp", ".hh", ".hxx", ".h++"};
    const char *point = strrchr(path, '.');

    for (size_t i = 0; point && i < sizeof(ends) / sizeof(*ends); i++)
        if (strcasecmp(point, ends[i]) == 0)
            return true;
    return false;
}

static bool add_part(struct picking *p, const struct ct_cpp_part *part)
{
    if (!ct_mem_grow(&p->parts, &p->room, p->count + 1, sizeof(*p->parts)))
        return false;
    p->parts[p->count++] = *part;
    return true;
}

/* The strings of a C++ file, or a file in front as it is.  The only string of a file in front is
 * needed, since the user has named it. */
static enum ct_status add_strings(struct picking *p, const char *path, size_t file,
                                  const struct ct_str *source, struct ct_err *err)
{
    bool is_front = file < p->init->options.path_count;
    struct ct_cpp_strings found;
    enum ct_status status = ct_cpp_scan(source->data, &p->init->arena, &found, err);

    if (!status && is_front && !found.has_raw && !is_cpp_name(path)) {
        struct ct_cpp_part whole = {
            .string = {.name = "",
                       .text =
                           ct_arena_copy(&p->init->arena, source->data, source->length),
                       .length = source->length},
            .file = file,
            .is_plain = true,
            .is_needed = true,
            .path = path};

        if (!whole.string.text || !add_part(p, &whole))
            status = ct_err_nomem(err);
        found.count = 0;
    }
    for (size_t i = 0; !status && i < found.count; i++)
        if (!add_part(p,
                      &(struct ct_cpp_part){.string = found.items[i],
                                            .file = file,
                                            .is_needed = is_front && found.count == 1}))
            status = ct_err_nomem(err);
    free(found.items);
    return status;
}

static enum ct_status read_file(struct picking *p, const char *path, size_t file,
                                struct ct_err *err)
{
    char why[CT_FILE_WHY_SIZE];
    struct ct_str source;
    enum ct_status status;
    int error;

    ct_str_init(&source);
    error = ct_file_read(path, CT_FILE_SOURCE_MAX, &source, NULL);
    status = error ? ct_err_set(err, ct_file_status(error), "cannot read %s: %s", path,
                                ct_file_why(why, error, CT_FILE_SOURCE_MAX))
                   : add_strings(p, path, file, &source, err);
    ct_str_release(&source);
    return status;
}

static enum ct_status read_files(struct picking *p, struct ct_err *err)
{
    const struct ct_init_options *options = &p->init->options;
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < options->path_count; i++)
        status = read_file(p, options->paths[i], i, err);
    return status ? status : read_file(p, options->from_cpp, options->path_count, err);
}

/* --- files --- */

static bool is_taken(const struct picking *p, const char *path)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->parts[i].path && strcmp(p->parts[i].path, path) == 0)
            return true;
    return false;
}

/* The path for a string: the name of its variable, else that of its file; with a number if it has
 * no name, or not the only string of this name. */
static const char *name_file(struct picking *p, size_t index)
{
    struct ct_init *init = p->init;
    const struct ct_cpp_part *part = &p->parts[index];
    const char *slash = strrchr(init->output, '/');
    const char *file = part->file < init->options.path_count
                           ? init->options.paths[part->file]
                           : init->options.from_cpp;
    const char *base = strrchr(file, '/');
    const char *name = part->string.name;
    int folder = slash ? (int)(slash - init->output + 1) : 0;
    const char *path = NULL;

    base = base ? base + 1 : file;
    p->named++;
    if (*name)
        path = ct_arena_format(&init->arena, "%.*s%s.cl", folder, init->output, name);
    if (*name && (!path || !is_taken(p, path)))
        return path;
    if (!*name)
        return ct_arena_format(&init->arena, "%.*s%.*s_%zu.cl", folder, init->output,
                               (int)strcspn(base, "."), base, p->named);
    return ct_arena_format(&init->arena, "%.*s%s_%zu.cl", folder, init->output, name,
                           p->named);
}

/* A file of that text beside the space file, unless it is there already. */
static enum ct_status write_file(struct ct_init *init, const struct ct_cpp_part *part,
                                 struct ct_err *err)
{
    const struct ct_cpp_string *string = &part->string;
    struct ct_str there;
    bool same;
    int error = ct_file_create(part->path, string->text, string->length);

    if (error == EEXIST) {
        ct_str_init(&there);
        same = ct_file_read(part->path, CT_FILE_SOURCE_MAX, &there, NULL) == 0 &&
               there.length == string->length &&
               memcmp(there.data, string->text, there.length) == 0;
        ct_str_release(&there);
        return same
                   ? CT_OK
                   : ct_err_set(err, CT_E_USAGE,
                                "%s exists already and is another kernel: choose another "
                                "folder with -o, or remove it",
                                part->path);
    }
    if (error)
        return ct_err_set(err, CT_E_IO, "cannot write %s: %s", part->path,
                          strerror(error));
    if (!ct_mem_grow(&init->created, &init->created_room, init->created_count + 1,
                     sizeof(*init->created)))
        return ct_err_nomem(err);
    init->created[init->created_count++] = part->path;
    return CT_OK;
}

static enum ct_status write_part(struct picking *p, size_t index, struct ct_err *err)
{
    struct ct_cpp_part *part = &p->parts[index];

    part->path = name_file(p, index);
    return part->path ? write_file(p->init, part, err) : ct_err_nomem(err);
}

/* --- the kernel --- */

/* Whether the text has a kernel, and whether that of --kernel. */
static enum ct_status look(struct picking *p, struct ct_cpp_part *part, bool *is_wanted,
                           struct ct_err *err)
{
    const char *wanted = p->init->options.kernel;
    struct ct_kernel_code *kernels;
    struct ct_code code;
    size_t count = 0;
    enum ct_status status =
        ct_code_read(part->string.text, part->string.length, &code, err);

    *is_wanted = false;
    if (!status)
        status = ct_kernels_find(&code, &kernels, &count, err);
    for (size_t i = 0; i < count; i++)
        *is_wanted = *is_wanted || !wanted || strcmp(kernels[i].name, wanted) == 0;
    part->has_kernel = count > 0;
    ct_code_release(&code);
    return status;
}

static enum ct_status find_kernel(struct picking *p, size_t index, struct ct_err *err)
{
    struct ct_cpp_part *part = &p->parts[index];
    bool is_wanted = false;
    enum ct_status status = CT_OK;

    if (part->file < p->init->options.path_count || !strstr(part->string.text, "kernel"))
        return CT_OK;
    status = look(p, part, &is_wanted, err);
    if (status || !part->has_kernel)
        return status;
    status = write_part(p, index, err);
    if (status)
        return status;
    ct_str_addf(&p->kernels, "%s%s", p->kernels.length ? ", " : "", part->path);
    p->is_many = p->is_many || (is_wanted && p->has_chosen);
    if (is_wanted && !p->has_chosen) {
        p->chosen = index;
        p->has_chosen = true;
    }
    return CT_OK;
}

static enum ct_status find_kernels(struct picking *p, struct ct_err *err)
{
    const struct ct_init_options *options = &p->init->options;
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < p->count; i++)
        status = find_kernel(p, i, err);
    if (!status && p->is_many)
        return ct_err_set(
            err, CT_E_USAGE,
            "%s has kernels in several strings (%s): name one with --kernel",
            options->from_cpp, p->kernels.data);
    if (status || p->has_chosen)
        return status;
    return options->kernel && p->kernels.length
               ? ct_err_set(err, CT_E_NOT_FOUND, "no string of %s has kernel '%s'",
                            options->from_cpp, options->kernel)
               : ct_err_set(err, CT_E_NOT_FOUND,
                            "no string of %s has a kernel: kernels are looked for in "
                            "\"...\" and R\"(...)\"",
                            options->from_cpp);
}

/* --- the program --- */

/* A file in front of which nothing is used has been named in vain. */
static enum ct_status check_front(const struct picking *p, size_t file,
                                  struct ct_err *err)
{
    const struct ct_init_options *options = &p->init->options;

    for (size_t i = 0; i < p->count; i++)
        if (p->parts[i].file == file && p->parts[i].is_needed)
            return CT_OK;
    return ct_err_set(err, CT_E_NOT_FOUND,
                      "no string of %s defines a name that the kernel of %s uses: leave "
                      "the file out",
                      options->paths[file], options->from_cpp);
}

/* The files of the program: what is needed, in the order of the files, then the kernel's. */
static enum ct_status list_files(struct picking *p, struct ct_err *err)
{
    struct ct_init *init = p->init;
    enum ct_status status = CT_OK;

    init->parts.items =
        ct_arena_array(&init->arena, p->count, sizeof(*init->parts.items));
    if (!init->parts.items)
        return ct_err_nomem(err);
    for (size_t i = 0; !status && i < p->count; i++) {
        if (!p->parts[i].is_needed)
            continue;
        if (!p->parts[i].path)
            status = write_part(p, i, err);
        init->parts.items[init->parts.count++].path = p->parts[i].path;
    }
    init->path = p->parts[p->chosen].path;
    init->parts.items[init->parts.count++].path = init->path;
    return status;
}

enum ct_status ct_init_extract(struct ct_init *init, struct ct_err *err)
{
    struct picking p = {.init = init};
    enum ct_status status;

    ct_str_init(&p.kernels);
    status = read_files(&p, err);
    if (!status)
        status = find_kernels(&p, err);
    if (!status)
        status = ct_cpp_need(p.parts, p.count, p.chosen, err);
    for (size_t i = 0; !status && i < init->options.path_count; i++)
        status = check_front(&p, i, err);
    if (!status)
        status = list_files(&p, err);
    ct_str_release(&p.kernels);
    free(p.parts);
    return status;
}
