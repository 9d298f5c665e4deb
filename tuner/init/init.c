// SPDX-License-Identifier: Apache-2.0
// Reads the kernel's file, and writes the space file.
#define _XOPEN_SOURCE 700 // realpath
#include "init/init_impl.h"

#include "base/create.h"
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE_MOST_BITS = 40 };

/* --- paths --- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* NAME.ini in the current folder. */
static const char *default_output(struct ct_init *init)
{
    const struct ct_init_options *options = &init->options;
    const char *base =
        base_of(options->from_cpp     ? options->from_cpp
                : options->path_count ? options->paths[options->path_count - 1]
                                      : options->from_t1);
    const char *point = strrchr(base, '.');

    return ct_arena_format(
        &init->arena, "%.*s.ini",
        (int)(point && point > base ? point - base : (ptrdiff_t)strlen(base)), base);
}

/* The folder of a path, absolute. */
static bool folder_of(const char *path, char out[PATH_MAX])
{
    size_t length = (size_t)(base_of(path) - path);
    char folder[PATH_MAX];

    if (length >= sizeof(folder))
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return realpath(length ? folder : ".", out) != NULL;
}

/* The way from one absolute folder to a file. */
static const char *way_to(struct ct_init *init, const char *folder, const char *file)
{
    size_t common = 0;
    struct ct_str way;
    const char *copy;

    for (size_t i = 0; folder[i] == file[i] || (!folder[i] && file[i] == '/'); i++) {
        if (!folder[i] || folder[i] == '/')
            common = i + 1;
        if (!folder[i])
            break;
    }
    ct_str_init(&way);
    if (common <= strlen(folder))
        for (const char *at = folder + common; *at; at += *at == '/') {
            ct_str_puts(&way, "../");
            at += strcspn(at, "/");
        }
    ct_str_puts(&way, file + common);
    copy = ct_arena_copy(&init->arena, way.data, way.length);
    ct_str_release(&way);
    return copy;
}

/* Folders for #include, from the space file's; what does not exist stays. */
static const char *place_folders(struct ct_init *init, const char *folder)
{
    struct ct_str all;
    const char *copy;

    ct_str_init(&all);
    for (const char *at = init->folders.data; *at;) {
        size_t length = strcspn(at, ",");
        const char *given = ct_arena_copy(&init->arena, at, length);
        char real[PATH_MAX];
        const char *way =
            given && realpath(given, real) ? way_to(init, folder, real) : given;

        ct_str_addf(&all, "%s%s", all.length ? ", " : "", way && *way ? way : ".");
        at += length + strspn(at + length, ", ");
    }
    copy = ct_arena_copy(&init->arena, all.data, all.length);
    ct_str_release(&all);
    return copy;
}

/* Where the space file finds one of the sources. */
static enum ct_status place_part(struct ct_init *init, const char *folder,
                                 struct ct_part *part, struct ct_err *err)
{
    char file[PATH_MAX];

    if (!realpath(part->path, file))
        return ct_err_set(err, ct_file_status(errno), "cannot read %s: %s", part->path,
                          strerror(errno));
    part->label = way_to(init, folder, file);
    if (!part->label)
        return ct_err_nomem(err);
    if (strpbrk(part->label, ",;\n'\"$"))
        return ct_err_set(
            err, CT_E_USAGE,
            "%s: a space file cannot name a path with a comma, a semicolon, "
            "a quote or a dollar sign: rename it",
            part->label);
    return CT_OK;
}

static enum ct_status place(struct ct_init *init, struct ct_err *err)
{
    char folder[PATH_MAX];
    enum ct_status status = CT_OK;

    if (!folder_of(init->output, folder))
        return ct_err_set(err, CT_E_IO, "the folder of %s does not exist", init->output);
    for (size_t i = 0; !status && i < init->parts.count; i++)
        status = place_part(init, folder, &init->parts.items[i], err);
    if (status)
        return status;
    init->label = ct_parts_join(&init->parts, true, ", ", &init->arena);
    init->include = place_folders(init, folder);
    return init->label && init->include ? CT_OK : ct_err_nomem(err);
}

/* --- opening --- */

static enum ct_status refuse_output(const struct ct_init *init, struct ct_err *err)
{
    return ct_err_set(err, CT_E_USAGE,
                      "%s exists already: choose another file with -o, or remove it",
                      init->output);
}

/* The files that were named, else the one of a description. */
static enum ct_status list_files(struct ct_init *init, struct ct_err *err)
{
    const struct ct_init_options *options = &init->options;
    size_t count = options->path_count ? options->path_count : 1;

    init->parts.items = ct_arena_array(&init->arena, count, sizeof(*init->parts.items));
    if (!init->parts.items)
        return ct_err_nomem(err);
    init->parts.count = count;
    for (size_t i = 0; i < count; i++)
        init->parts.items[i] = (struct ct_part){
            .path = options->path_count ? options->paths[i] : init->path};
    return CT_OK;
}

static enum ct_status read_source(struct ct_init *init, struct ct_err *err)
{
    init->title = ct_parts_join(&init->parts, false, " + ", &init->arena);
    return init->title ? ct_parts_read(&init->parts, &init->source, err)
                       : ct_err_nomem(err);
}

/* Macros and folders of the user's options. */
static enum ct_status read_options(struct ct_init *init, struct ct_err *err)
{
    char here[PATH_MAX];
    bool good;

    if (!getcwd(here, sizeof(here)))
        return ct_err_set(err, CT_E_IO, "cannot find the current folder: %s",
                          strerror(errno));
    good = ct_macros_split_options(init->options.options ? init->options.options : "",
                                   init->source.data, here, &init->subject.options,
                                   &init->folders, &init->rest) &&
           ct_macros_find(init->source.data, &init->subject.macros);
    return good ? CT_OK : ct_err_nomem(err);
}

/* Its kernel, unless the user has named one. */
static enum ct_status open_t1(struct ct_init *init, struct ct_err *err)
{
    enum ct_status status = ct_t1_open(init->options.from_t1, &init->t1, err);
    struct ct_str given;

    ct_str_init(&given);
    if (!status && !init->options.options) {
        ct_t1_put_options(init->t1, &given);
        init->options.options = ct_arena_copy(&init->arena, given.data, given.length);
    }
    ct_str_release(&given);

    if (!status && !init->path && !init->options.from_cpp)
        status = ct_t1_kernel_file(init->t1, &init->path, err);
    if (!status && !init->options.kernel && *ct_t1_kernel(init->t1))
        init->options.kernel = ct_t1_kernel(init->t1);
    return status;
}

enum ct_status ct_init_open(const struct ct_init_options *options, struct ct_init *out,
                            struct ct_err *err)
{
    enum ct_status status = CT_OK;

    *out = (struct ct_init){.options = *options};
    if (options->path_count)
        out->path = options->paths[options->path_count - 1];
    ct_str_init(&out->source);
    ct_str_init(&out->folders);
    ct_str_init(&out->rest);
    ct_str_init(&out->text);
    out->output = options->output ? options->output : default_output(out);
    if (!out->output)
        return ct_err_nomem(err);
    if (!options->may_exist && access(out->output, F_OK) == 0)
        return refuse_output(out, err);
    if (options->from_t1)
        status = open_t1(out, err);
    if (!status)
        status = options->from_cpp ? ct_init_extract(out, err) : list_files(out, err);
    if (!status)
        status = read_source(out, err);
    if (!status)
        status = ct_code_read(out->source.data, out->source.length, &out->code, err);
    if (!status)
        status = ct_kernels_find(&out->code, &out->kernels, &out->kernel_count, err);
    if (!status)
        status = read_options(out, err);
    if (!status && out->t1)
        status = ct_t1_macros(out->t1, &out->subject, err);
    if (!status)
        status = place(out, err);
    out->subject.code = &out->code;
    out->subject.parts = &out->parts;
    return status;
}

void ct_init_release(struct ct_init *init)
{
    for (size_t i = 0; i < init->created_count && !init->saved; i++)
        unlink(init->created[i]);
    free(init->created);
    ct_t1_free(init->t1);
    free(init->names);
    free(init->subject.undefined);
    ct_macros_release(&init->subject.macros);
    ct_macros_release(&init->subject.options);
    ct_draft_release(&init->draft);
    ct_code_release(&init->code);
    ct_str_release(&init->source);
    ct_str_release(&init->folders);
    ct_str_release(&init->rest);
    ct_str_release(&init->text);
    ct_arena_release(&init->arena);
}

/* --- kernels --- */

static bool add_name(struct ct_init *init, const char *name)
{
    for (size_t i = 0; i < init->name_count; i++)
        if (strcmp(init->names[i], name) == 0)
            return true;
    if (!ct_mem_grow(&init->names, &init->name_room, init->name_count + 1,
                     sizeof(*init->names)))
        return false;
    init->names[init->name_count++] = name;
    return true;
}

/* Why the compiler does not see a kernel that the source defines; `only`: it sees none. */
static enum ct_status refuse_left_out(const struct ct_init *init, bool only,
                                      const struct ct_kernel_code *kernel,
                                      struct ct_err *err)
{
    const struct ct_code_branch *branch = ct_code_branch_of(&init->code, kernel->line);
    int line = branch ? branch->line : kernel->line;
    const struct ct_part *part = ct_parts_find(&init->parts, &line);

    const char *path = init->parts.count > 1 ? part->path : init->title;
    struct ct_str why;

    ct_str_init(&why);
    if (branch)
        ct_str_addf(&why, "'%s' in line %d", branch->text, line);
    else
        ct_str_puts(&why, "#if");
    if (only)
        ct_err_set(err, CT_E_NOT_FOUND,
                   "%s has no kernel: kernel %s of %s is left out by %s: pass the macros "
                   "that it requires with --options",
                   init->title, kernel->name, path, why.data);
    else
        ct_err_set(err, CT_E_NOT_FOUND,
                   "kernel %s of %s is left out by %s: pass the macros that it requires "
                   "with --options",
                   kernel->name, path, why.data);
    ct_str_release(&why);
    return CT_E_NOT_FOUND;
}

enum ct_status ct_init_list(struct ct_init *init, struct ct_err *err)
{
    bool good = true;

    /* In the order of the source; what the driver does not have is in no program. */
    for (size_t i = 0; good && i < init->kernel_count; i++) {
        bool built = !init->described.built;

        for (size_t k = 0; !built && k < init->described.kernel_count; k++)
            built = strcmp(init->described.kernels[k].name, init->kernels[i].name) == 0;
        if (built)
            good = add_name(init, init->kernels[i].name);
    }
    for (size_t k = 0; good && k < init->described.kernel_count; k++)
        good = add_name(init, init->described.kernels[k].name);
    if (!good)
        return ct_err_nomem(err);
    if (init->name_count)
        return CT_OK;
    if (init->kernel_count)
        return refuse_left_out(init, true, &init->kernels[0], err);
    return ct_err_set(err, CT_E_NOT_FOUND,
                      "%s has no kernel: no function is declared 'kernel void'",
                      init->title);
}

static const char *join_names(struct ct_init *init)
{
    struct ct_str text;
    const char *copy;

    ct_str_init(&text);
    for (size_t i = 0; i < init->name_count && i < 40; i++)
        ct_str_addf(&text, "%s%s", i ? ", " : "", init->names[i]);
    if (init->name_count > 40)
        ct_str_addf(&text, " and %zu more", init->name_count - 40);
    copy = ct_arena_copy(&init->arena, text.data, text.length);
    ct_str_release(&text);
    return copy ? copy : "";
}

/* What the driver reports counts; names of arguments are the source's where it has none. */
static enum ct_status take_kernel(struct ct_init *init, const char *name,
                                  struct ct_err *err)
{
    struct ct_subject *s = &init->subject;
    const struct ct_described_kernel *built = NULL;

    s->function = name;
    for (size_t i = 0; i < init->kernel_count; i++)
        if (strcmp(init->kernels[i].name, name) == 0)
            s->kernel = &init->kernels[i];
    for (size_t i = 0; i < init->described.kernel_count; i++)
        if (strcmp(init->described.kernels[i].name, name) == 0)
            built = &init->described.kernels[i];
    if (built)
        memcpy(s->required, built->required, sizeof(s->required));
    if (built && built->args) {
        s->args = built->args;
        s->arg_count = built->arg_count;
        for (size_t i = 0; i < s->arg_count; i++)
            /* PoCL renames what is called like functions: _cl_step. */
            if (s->kernel && s->kernel->has_args &&
                s->kernel->arg_count == s->arg_count) {
                built->args[i].name = s->kernel->args[i].name;
                if (strstr(built->args[i].type, "_cl_"))
                    built->args[i].type = s->kernel->args[i].type;
            }
    } else if (s->kernel && s->kernel->has_args &&
               (!built || built->arg_count == s->kernel->arg_count)) {
        s->args = s->kernel->args;
        s->arg_count = s->kernel->arg_count;
    } else {
        return ct_err_set(
            err, CT_E_USAGE,
            "%s: the arguments of kernel %s cannot be read: the driver does "
            "not report them, and the source has more than types and names",
            init->title, name);
    }
    return ct_usage_find(&init->code, s->kernel, s->arg_count, s->args, &s->usage, err);
}

enum ct_status ct_init_choose(struct ct_init *init, const char *name, struct ct_err *err)
{
    const char *near;

    if (!name && init->name_count > 1)
        return ct_err_set(err, CT_E_USAGE,
                          "%s has %zu kernels: name one with --kernel: %s", init->title,
                          init->name_count, join_names(init));
    if (!name)
        name = init->names[0];
    for (size_t i = 0; i < init->name_count; i++)
        if (strcmp(init->names[i], name) == 0)
            return take_kernel(init, init->names[i], err);
    for (size_t i = 0; i < init->kernel_count; i++)
        if (strcmp(init->kernels[i].name, name) == 0)
            return refuse_left_out(init, false, &init->kernels[i], err);
    near = ct_str_suggest(name, init->names, init->name_count);
    if (near)
        return ct_err_set(err, CT_E_NOT_FOUND,
                          "%s has no kernel '%s'; did you mean '%s'?", init->title, name,
                          near);
    return ct_err_set(err, CT_E_NOT_FOUND, "%s has no kernel '%s'; it has %s",
                      init->title, name, join_names(init));
}

/* --- sizes --- */

enum ct_status ct_init_read_size(struct ct_init *init, const char *text,
                                 struct ct_err *err)
{
    uint64_t sizes[3];
    size_t dims = 0;
    const char *at = text;
    bool good = *text != '\0';

    while (good && *at) {
        char *end;
        uint64_t number = strtoull(at, &end, 10);
        unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;

        good = *at >= '0' && *at <= '9' && number && dims < 3 &&
               number < ((uint64_t)1 << SIZE_MOST_BITS);
        if (!good)
            break;
        sizes[dims++] = number << shift;
        at = end + (shift > 0);
        good = !*at || ((*at == 'x' || *at == ',') && at[1]);
        at += *at != '\0';
    }
    if (!good)
        return ct_err_set(err, CT_E_USAGE,
                          "--size requires up to three numbers of work-items such as "
                          "4096, 1024x768 or 64x64x64, not '%s'",
                          text);
    for (size_t d = 0; d < 3; d++)
        init->guess.sizes[d] = sizes[d < dims ? d : dims - 1];
    init->guess.dims = dims;
    init->has_size = true;
    return CT_OK;
}

void ct_init_put_size(const struct ct_init *init, struct ct_str *out)
{
    static const uint64_t usual[] = {1 << 20, 512, 64};

    for (size_t d = 0; d < init->subject.usage.dims; d++)
        ct_str_addf(out, "%s%" PRIu64, d ? "x" : "", usual[init->subject.usage.dims - 1]);
}

/* --- writing --- */

enum ct_status ct_init_save(struct ct_init *init, bool replace, struct ct_err *err)
{
    int error;

    if (replace)
        unlink(init->output);
    error = ct_file_create(init->output, init->text.data, init->text.length);
    if (error == EEXIST)
        return refuse_output(init, err);
    if (error)
        return ct_err_set(err, CT_E_IO, "cannot write %s: %s", init->output,
                          strerror(error));
    init->saved = true;
    return CT_OK;
}
