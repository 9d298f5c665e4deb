// SPDX-License-Identifier: Apache-2.0
// Guesses buffers, images and values for a kernel's arguments.
#include "init/guess.h"

#include "capture/space_data.h"
#include "init/structs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 64 };

static const char *const axes[] = {"size_x", "size_y", "size_z"};

static const char *size_of(const struct ct_draft *draft, size_t dim)
{
    return draft->dims == 1 ? "size" : axes[dim];
}

static bool is_integer(struct ct_ctype type)
{
    return type.name && strcmp(type.name, "float") != 0 &&
           strcmp(type.name, "double") != 0 && strcmp(type.name, "half") != 0;
}

/* "float4" */
static const char *type_name(struct ct_draft *draft, struct ct_ctype type)
{
    return type.width > 1 ? ct_draft_format(draft, "%s%u", type.name, type.width)
                          : type.name;
}

/* --- memory --- */

static const char *count_of(struct ct_draft *draft, const struct ct_guess *guess,
                            unsigned more)
{
    const char *items = draft->dims == 1   ? "size"
                        : draft->dims == 2 ? "size_x * size_y"
                                           : "size_x * size_y * size_z";

    if (guess->is_square)
        items = draft->dims == 1   ? "size * size"
                : draft->dims == 2 ? "size_x * size_y * size_x * size_y"
                                   : "size_x * size_y * size_z * size_z";
    more *= guess->factor ? guess->factor : 1;
    return more > 1 ? ct_draft_format(draft, "%u * %s", more, items) : items;
}

static const char *fill_of(struct ct_ctype type, const struct ct_guess *guess)
{
    if (is_integer(type))
        return guess->small_integers                       ? "zero"
               : type.size_bytes == 1 && *type.name != 'u' ? "uniform(0, 100)"
                                                           : "uniform(0, 255)";
    return "uniform(0, 1)";
}

/* Its argument's name, or another one that nothing else has. */
static const char *memory_name(struct ct_draft *draft, const char *given, size_t index)
{
    bool is_free = ct_space_data_is_free(given);

    for (size_t i = 0; is_free && i < index; i++)
        is_free = !draft->args[i].name || strcmp(draft->args[i].name, given) != 0;
    return is_free ? ct_draft_format(draft, "%s", given)
                   : ct_draft_format(draft, "argument_%zu", index);
}

static void guess_buffer(const struct ct_subject *s, const struct ct_guess *guess,
                         size_t index, struct ct_draft *draft)
{
    const struct ct_described_arg *given = &s->args[index];
    const struct ct_arg_usage *usage = &s->usage.args[index];
    struct ct_ctype type = ct_kernels_type(s->code, given->type);
    struct ct_draft_arg *arg = &draft->args[index];
    uint64_t bytes = type.name ? 0 : ct_structs_size(s->code, given->type);
    bool output = given->place == CT_PLACE_GLOBAL && !given->is_const &&
                  (usage->is_written || !usage->is_read);

    arg->memory = CT_DRAFT_BUFFER;
    arg->name = memory_name(draft, given->name, index);
    if (!type.name) {
        bool is_void = strncmp(given->type, "void", 4) == 0;

        type = ct_ctype_read("uchar");
        arg->decide =
            ct_draft_format(draft, "%s points to %s, so it is bytes here%s", given->name,
                            is_void ? "nothing in particular" : given->type,
                            bytes ? "" : "; the size of an element is a guess");
        bytes = bytes ? bytes : is_void ? 16 : 64;
    }
    arg->type = type_name(draft, type);
    arg->count = count_of(draft, guess, bytes ? (unsigned)bytes : 1);
    if (output)
        arg->check = ct_space_data_check_of(type);
    draft->has_outputs = draft->has_outputs || output;
    if (output && usage->is_written && !usage->is_read)
        arg->fill = "zero";
    else
        arg->fill = bytes ? "zero" : fill_of(type, guess);
}

/* Images of one to three dimensions, without arrays, depth and samples. */
static bool guess_image(const struct ct_subject *s, size_t index, const char *type,
                        struct ct_draft *draft)
{
    static const char *const names[] = {"image1d_t", "image2d_t", "image3d_t"};
    const struct ct_described_arg *given = &s->args[index];
    const struct ct_arg_usage *usage = &s->usage.args[index];
    struct ct_draft_arg *arg = &draft->args[index];
    size_t dims = 0;

    for (size_t i = 0; i < 3; i++)
        if (strcmp(type, names[i]) == 0)
            dims = i + 1;
    if (!dims)
        return false;
    arg->memory = CT_DRAFT_IMAGE;
    arg->name = memory_name(draft, given->name, index);
    arg->type = usage->image == 'i'   ? "CL_RGBA CL_SIGNED_INT32"
                : usage->image == 'u' ? "CL_RGBA CL_UNSIGNED_INT8"
                                      : "CL_RGBA CL_FLOAT";
    arg->count = dims == draft->dims && dims == 2   ? "size_x, size_y"
                 : dims == draft->dims && dims == 3 ? "size_x, size_y, size_z"
                 : dims == 1                        ? "4096"
                 : dims == 2                        ? "1024, 1024"
                                                    : "64, 64, 64";
    arg->fill = usage->is_written && !usage->is_read         ? "zero"
                : usage->image == 'i' || usage->image == 'u' ? "uniform(0, 255)"
                                                             : "uniform(0, 1)";
    if (usage->is_written) {
        arg->check = usage->image == 'i' || usage->image == 'u' ? "exact" : "1e-5";
        draft->has_outputs = true;
    }
    arg->decide =
        ct_draft_format(draft, "the size and the format of image %s", given->name);
    return true;
}

static void guess_local(const struct ct_subject *s, size_t index, struct ct_draft *draft)
{
    const struct ct_described_arg *given = &s->args[index];
    struct ct_ctype type = ct_kernels_type(s->code, given->type);
    uint64_t bytes = type.name ? type.size_bytes * (type.width == 3 ? 4 : type.width)
                               : ct_structs_size(s->code, given->type);
    struct ct_draft_arg *arg = &draft->args[index];
    struct ct_str text;

    ct_str_init(&text);
    ct_str_addf(&text, "local(%" PRIu64, bytes ? bytes : 16);
    for (size_t d = 0; d < draft->dims && draft->local[d]; d++)
        ct_str_addf(&text, " * %s%s%s", strchr(draft->local[d], ' ') ? "(" : "",
                    draft->local[d], strchr(draft->local[d], ' ') ? ")" : "");
    ct_str_putc(&text, ')');
    arg->text = ct_draft_format(draft, "%s", text.data);
    arg->decide = ct_draft_format(
        draft,
        "the bytes of local memory %s: here an element for each work-item of a group",
        given->name);
    ct_str_release(&text);
}

/* --- values --- */

/* Whether a name, in small letters, is one of the words, or begins or ends with one and an
 * underscore or a digit between them. */
static bool is_like(const char *name, const char *const *words)
{
    for (; *words; words++) {
        size_t length = strlen(*words);
        size_t all = strlen(name);
        const char *end = all >= length ? name + all - length : name;

        if (strcmp(name, *words) == 0)
            return true;
        if (length > 1 && length < all && strncmp(name, *words, length) == 0 &&
            (name[length] == '_' || isdigit((unsigned char)name[length])))
            return true;
        if (end > name && end[-1] == '_' && strcmp(end, *words) == 0)
            return true;
    }
    return false;
}

static void lower(const char *name, char *out)
{
    size_t i = 0;

    for (; name[i] && i + 1 < NAME_MOST; i++)
        out[i] = (char)tolower((unsigned char)name[i]);
    out[i] = '\0';
}

/* A number for an integer argument; `*known` if it is more than a guess. */
static const char *guess_integer(const struct ct_subject *s, const struct ct_guess *guess,
                                 size_t index, struct ct_draft *draft, bool *known)
{
    static const char *const widths[] = {"width", "w",     "cols",  "columns",
                                         "ncols", "nx",    "sizex", "size_x",
                                         "dimx",  "xsize", "x",     NULL};
    static const char *const heights[] = {"height", "h",     "rows",   "nrows",
                                          "ny",     "sizey", "size_y", "dimy",
                                          "ysize",  "y",     NULL};
    static const char *const depths[] = {"depth",  "nz",     "sizez",
                                         "size_z", "slices", NULL};
    static const char *const counts[] = {
        "n",     "num", "count", "len",    "length", "size",   "total",   "elements",
        "nelem", "m",   "k",     "nitems", "items",  "inputs", "outputs", NULL};
    static const char *const pitches[] = {"stride", "pitch", "lda", "ldb",
                                          "ldc",    "ld",    NULL};
    static const char *const zeros[] = {"offset", "off",  "start", "begin",
                                        "first",  "beta", NULL};
    int bound = s->usage.args[index].bound;
    char name[NAME_MOST] = "";

    lower(s->args[index].name, name);
    *known = bound > 0;
    if (bound > 0)
        return size_of(draft, (size_t)bound - 1 < draft->dims ? (size_t)bound - 1 : 0);
    if (guess->small_integers)
        return is_like(name, zeros) ? "0" : "1";
    if (is_like(name, zeros))
        return "0";
    if (draft->dims > 1 && is_like(name, pitches))
        return size_of(draft, 0);
    if (is_like(name, heights) && draft->dims > 1)
        return size_of(draft, 1);
    if (is_like(name, depths) && draft->dims > 2)
        return size_of(draft, 2);
    if (is_like(name, widths) || is_like(name, counts))
        return size_of(draft, 0);
    return "1";
}

static void guess_value(const struct ct_subject *s, const struct ct_guess *guess,
                        size_t index, struct ct_ctype type, struct ct_draft *draft)
{
    static const char *const zeros[] = {"beta", NULL};
    const struct ct_described_arg *given = &s->args[index];
    struct ct_draft_arg *arg = &draft->args[index];
    char name[NAME_MOST] = "";
    bool known = false;
    const char *value;

    lower(given->name, name);
    value = is_integer(type)       ? guess_integer(s, guess, index, draft, &known)
            : is_like(name, zeros) ? "0.0"
                                   : "1.0";
    arg->text = ct_draft_format(draft, "%s(%s)", type_name(draft, type), value);
    if (!known)
        arg->decide = ct_draft_format(draft, "argument %zu, %s: %s is a guess", index + 1,
                                      given->name, arg->text);
}

/* --- all --- */

static enum ct_status refuse(const struct ct_subject *s, size_t index, const char *type,
                             struct ct_err *err)
{
    const struct ct_described_arg *given = &s->args[index];

    return ct_err_set(
        err, CT_E_USAGE, "kernel %s: argument %zu, '%s %s', is not supported: %s",
        s->function, index + 1, given->type, given->name,
        strncmp(type, "image", 5) == 0
            ? "of images, space files know image1d_t, image2d_t and image3d_t"
        : strncmp(type, "pipe", 4) == 0 || strstr(type, "queue_t") ||
                strstr(type, "event_t")
            ? "space files have no such objects"
            : "its type is not defined in this file, so its members are unknown");
}

static enum ct_status guess_arg(const struct ct_subject *s, const struct ct_guess *guess,
                                size_t index, struct ct_draft *draft, struct ct_err *err)
{
    const struct ct_described_arg *given = &s->args[index];
    struct ct_draft_arg *arg = &draft->args[index];
    const char *alias = ct_kernels_alias(s->code, given->type);
    struct ct_ctype type = ct_kernels_type(s->code, given->type);
    bool pointer = strchr(given->type, '*') != NULL;

    if (!alias)
        return ct_err_nomem(err);
    if (given->place == CT_PLACE_LOCAL) {
        guess_local(s, index, draft);
    } else if (pointer) { /* PoCL reports images as global */
        guess_buffer(s, guess, index, draft);
    } else if (strcmp(alias, "sampler_t") == 0) {
        arg->text = "sampler(clamp_to_edge, nearest)";
    } else if (type.name) {
        guess_value(s, guess, index, type, draft);
    } else if (!guess_image(s, index, alias, draft)) {
        struct ct_str text;

        ct_str_init(&text);
        if (!ct_structs_put(s->code, given->type, &text)) {
            ct_str_release(&text);
            return refuse(s, index, alias, err);
        }
        arg->text = ct_draft_format(draft, "%s", text.data);
        arg->decide = ct_draft_format(draft, "the members of %s", given->name);
        ct_str_release(&text);
    }
    return CT_OK;
}

enum ct_status ct_guess_args(const struct ct_subject *s, const struct ct_guess *guess,
                             struct ct_draft *draft, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    draft->arg_count = s->arg_count;
    draft->args = ct_arena_array(&draft->arena, s->arg_count + 1, sizeof(*draft->args));
    if (!draft->args)
        return ct_err_nomem(err);
    for (size_t i = 0; i < s->arg_count && !status; i++)
        status = guess_arg(s, guess, i, draft, err);
    return status;
}
