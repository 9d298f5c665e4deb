// SPDX-License-Identifier: Apache-2.0
// Compares given with declared arguments.
#include "worker/build/args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ct_args_name(const struct ct_plan *plan, const struct ct_plan_arg *arg, char *out,
                  size_t size)
{
    char type[16];

    switch (arg->kind) {
    case CT_ARG_BUFFER:
        if (plan->buffers[arg->buffer].image.dims) {
            snprintf(out, size, "image %s (%uD)", plan->buffers[arg->buffer].name,
                     (unsigned)plan->buffers[arg->buffer].image.dims);
            break;
        }
        ct_type_name(plan->buffers[arg->buffer].type, type);
        snprintf(out, size, "buffer %s (%s)", plan->buffers[arg->buffer].name, type);
        break;
    case CT_ARG_SAMPLER:
        snprintf(out, size, "a sampler");
        break;
    case CT_ARG_SCALAR:
        ct_type_name(arg->type, type);
        snprintf(out, size, "%s", type);
        break;
    case CT_ARG_BYTES:
        snprintf(out, size, "%" PRIu64 " bytes by value", arg->data_bytes);
        break;
    case CT_ARG_NULL:
        snprintf(out, size, "null");
        break;
    default:
        snprintf(out, size, "local(%" PRIu64 ")", arg->local_bytes);
        break;
    }
}

/* Compilers spell unsigned types in two ways. */
static bool parse_type(const char *name, struct ct_type *type)
{
    static const char *const spelled[][2] = {
        {"unsigned char", "uchar"}, {"unsigned short", "ushort"},
        {"unsigned int", "uint"},   {"unsigned", "uint"},
        {"unsigned long", "ulong"},
    };

    for (size_t i = 0; i < sizeof(spelled) / sizeof(*spelled); i++)
        if (!strcmp(name, spelled[i][0]))
            name = spelled[i][1];
    return ct_type_parse(name, type);
}

static bool is_real(struct ct_type type)
{
    return type.scalar == CT_T_HALF || type.scalar == CT_T_FLOAT ||
           type.scalar == CT_T_DOUBLE;
}

static bool scalar_fits(struct ct_type given, const char *declared)
{
    struct ct_type type;

    if (!parse_type(declared, &type))
        return true;
    return ct_type_size(type) == ct_type_size(given) && type.width == given.width &&
           is_real(type) == is_real(given);
}

/* Whether the declared type is an image of that many dimensions, and not an array of images or an
 * image made of a buffer. */
static bool is_image(const char *declared, uint32_t dims)
{
    char name[24];

    snprintf(name, sizeof(name), "image%ud_t", (unsigned)dims);
    return !strcmp(declared, name);
}

/* Whether a kernel's pointer type ("float4*") is a valid view of a buffer's elements.  Bytes may
 * be anything, and so may types that OpenCL does not have. */
static bool pointee_fits(struct ct_type given, const char *declared)
{
    char name[64];
    struct ct_type type;
    size_t size = ct_scalar_size(given.scalar);
    int length = (int)strcspn(declared, "*");

    while (length && declared[length - 1] == ' ')
        length--;
    snprintf(name, sizeof(name), "%.*s", length, declared);
    if (!parse_type(name, &type) || type.scalar == CT_T_CHAR || type.scalar == CT_T_UCHAR)
        return true;
    /* Halves are passed as ushort if a device does not support them. */
    return ct_scalar_size(type.scalar) == size &&
           (size == 2 || is_real(type) == is_real(given));
}

static bool arg_fits(const struct ct_plan *plan, const struct ct_plan_arg *arg,
                     const struct ct_kernel_arg *declared)
{
    bool pointer = strchr(declared->type, '*') != NULL;
    bool image = ct_str_starts(declared->type, "image");
    bool sampler = !strcmp(declared->type, "sampler_t");
    struct ct_type type;

    switch (arg->kind) {
    case CT_ARG_BUFFER:
        if (plan->buffers[arg->buffer].image.dims)
            return is_image(declared->type, plan->buffers[arg->buffer].image.dims);
        return !image && !sampler &&
               (declared->address == CT_ADDRESS_GLOBAL ||
                declared->address == CT_ADDRESS_CONSTANT) &&
               pointee_fits(plan->buffers[arg->buffer].type, declared->type);
    case CT_ARG_LOCAL:
        return declared->address == CT_ADDRESS_LOCAL;
    case CT_ARG_SAMPLER:
        return sampler;
    case CT_ARG_NULL:
        return pointer && (declared->address == CT_ADDRESS_GLOBAL ||
                           declared->address == CT_ADDRESS_CONSTANT);
    case CT_ARG_BYTES:
        return declared->address == CT_ADDRESS_PRIVATE && !pointer && !image &&
               !sampler &&
               (!parse_type(declared->type, &type) ||
                ct_type_size(type) == arg->data_bytes);
    default:
        return declared->address == CT_ADDRESS_PRIVATE && !pointer && !image &&
               !sampler && scalar_fits(arg->type, declared->type);
    }
}

bool ct_args_size_unknown(const struct ct_plan_arg *arg,
                          const struct ct_kernel_arg *declared)
{
    struct ct_type type;

    return (arg->kind == CT_ARG_SCALAR || arg->kind == CT_ARG_BYTES) && *declared->type &&
           !parse_type(declared->type, &type);
}

enum ct_status ct_args_check(const struct ct_plan *plan,
                             const struct ct_plan_launch *launch, size_t index,
                             const struct ct_kernel_arg *declared, struct ct_err *err)
{
    static const char *const spaces[] = {
        [CT_ADDRESS_GLOBAL] = "__global ",
        [CT_ADDRESS_LOCAL] = "__local ",
        [CT_ADDRESS_CONSTANT] = "__constant ",
        [CT_ADDRESS_PRIVATE] = "",
    };
    bool object =
        ct_str_starts(declared->type, "image") || !strcmp(declared->type, "sampler_t");
    char given[300];

    if (arg_fits(plan, &launch->args[index], declared))
        return CT_OK;
    ct_args_name(plan, &launch->args[index], given, sizeof(given));
    return ct_err_set(
        err, CT_E_SPEC,
        "launch %s: argument %zu of kernel %s is `%s%s%s%s`, but 'args' passes %s",
        launch->name, index + 1, launch->kernel, object ? "" : spaces[declared->address],
        declared->type, *declared->name ? " " : "", declared->name, given);
}
