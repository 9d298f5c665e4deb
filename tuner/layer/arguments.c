// SPDX-License-Identifier: Apache-2.0
// Finds out what arguments are.
#include "layer/arguments.h"

#include <stdio.h>
#include <string.h>

/* Whether 8 bytes are a buffer or an image.  Only handles of live objects may be asked: drivers
 * that tell about arguments say so; others are asked for a kernel built anew. */
static bool is_pointer(cl_kernel kernel, cl_uint index, bool *known)
{
    cl_kernel_arg_address_qualifier address = 0;

    *known = ct_real.clGetKernelArgInfo &&
             !ct_real.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                         sizeof(address), &address, NULL);
    return *known && (address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                      address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
}

void ct_arguments_put_shape(const struct ct_layer_kernel *kernel, struct ct_str *key)
{
    for (cl_uint i = 0; i < kernel->argument_count; i++) {
        const struct ct_layer_argument *argument = &kernel->arguments[i];
        size_t size = argument->size_bytes;
        cl_mem memory = NULL;
        bool known;

        if (argument->bytes && argument->size_bytes == sizeof(memory) &&
            !argument->pointer && is_pointer(kernel->handle, i, &known)) {
            memcpy(&memory, argument->bytes, sizeof(memory));
            if (memory)
                ct_real.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size,
                                           NULL);
        }
        ct_str_addf(key, "|%zu", size);
    }
}

static void text_of(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, char *out)
{
    char text[1024] = "";

    if (ct_real.clGetKernelArgInfo(kernel, index, what, sizeof(text) - 1, text, NULL))
        text[0] = '\0';
    snprintf(out, CT_ARGUMENT_TEXT, "%.*s", (int)CT_ARGUMENT_TEXT - 1, text);
}

/* The kind of what is a memory object. */
static const char *describe_memory(const struct ct_layer_argument *argument,
                                   struct ct_argument_info *info)
{
    cl_mem_object_type type = 0;

    if (argument->bytes && argument->size_bytes == sizeof(info->memory))
        memcpy(&info->memory, argument->bytes, sizeof(info->memory));
    if (!info->memory) {
        info->kind = CT_ARGUMENT_NULL;
        return NULL;
    }
    if (ct_real.clGetMemObjectInfo(info->memory, CL_MEM_TYPE, sizeof(type), &type,
                                   NULL) ||
        ct_real.clGetMemObjectInfo(info->memory, CL_MEM_SIZE, sizeof(info->size_bytes),
                                   &info->size_bytes, NULL))
        return "one of its arguments is no memory object that the driver knows";
    if (type == CL_MEM_OBJECT_BUFFER)
        info->kind = CT_ARGUMENT_BUFFER;
    else if (type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE2D ||
             type == CL_MEM_OBJECT_IMAGE3D)
        info->kind = CT_ARGUMENT_IMAGE;
    else
        return "it uses an array of images, an image of a buffer or a pipe";
    return NULL;
}

static const char *describe_one(const struct ct_layer_argument *argument,
                                cl_kernel informed, cl_uint index,
                                struct ct_argument_info *info)
{
    cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifiers = 0;

    if (!argument->set)
        return "not all of its arguments were seen";
    if (argument->pointer)
        return "it uses shared virtual memory";
    ct_real.clGetKernelArgInfo(informed, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                               sizeof(address), &address, NULL);
    ct_real.clGetKernelArgInfo(informed, index, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                               sizeof(access), &access, NULL);
    ct_real.clGetKernelArgInfo(informed, index, CL_KERNEL_ARG_TYPE_QUALIFIER,
                               sizeof(qualifiers), &qualifiers, NULL);
    text_of(informed, index, CL_KERNEL_ARG_TYPE_NAME, info->type);
    text_of(informed, index, CL_KERNEL_ARG_NAME, info->name);
    if (qualifiers & CL_KERNEL_ARG_TYPE_PIPE)
        return "it uses a pipe";
    info->size_bytes = argument->size_bytes;
    info->constant = address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
                     qualifiers & CL_KERNEL_ARG_TYPE_CONST ||
                     access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        info->kind = CT_ARGUMENT_LOCAL;
        return NULL;
    }
    if (strstr(info->type, "sampler_t")) {
        info->kind = CT_ARGUMENT_SAMPLER;
        return NULL;
    }
    if (strstr(info->type, "queue_t") || strstr(info->type, "clk_event_t"))
        return "it enqueues kernels from the device";
    if (access != CL_KERNEL_ARG_ACCESS_NONE || address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
        address == CL_KERNEL_ARG_ADDRESS_CONSTANT)
        return describe_memory(argument, info);
    info->kind = CT_ARGUMENT_VALUE;
    return NULL;
}

static void find_owners(struct ct_argument_info *infos, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        infos[i].owner = i;
        for (cl_uint other = i; other-- > 0;)
            if (infos[i].memory && infos[other].memory == infos[i].memory)
                infos[i].owner = other;
    }
    /* What one of two arguments may write to is no constant for the other. */
    for (cl_uint i = 0; i < count; i++)
        if (!infos[i].constant)
            infos[infos[i].owner].constant = false;
}

const char *ct_arguments_describe(const struct ct_layer_kernel *kernel,
                                  cl_kernel informed, struct ct_argument_info *infos)
{
    for (cl_uint i = 0; i < kernel->argument_count; i++) {
        const char *why = describe_one(&kernel->arguments[i], informed, i, &infos[i]);

        if (why)
            return why;
    }
    find_owners(infos, kernel->argument_count);
    return NULL;
}

static void range_of(const struct ct_argument_info *info, cl_mem *root, size_t *begin)
{
    cl_mem parent = NULL;

    *root = info->memory;
    *begin = 0;
    if (ct_real.clGetMemObjectInfo(info->memory, CL_MEM_ASSOCIATED_MEMOBJECT,
                                   sizeof(cl_mem), &parent, NULL) ||
        !parent)
        return;
    *root = parent;
    ct_real.clGetMemObjectInfo(info->memory, CL_MEM_OFFSET, sizeof(*begin), begin, NULL);
}

static bool overlap(const struct ct_argument_info *a, const struct ct_argument_info *b)
{
    cl_mem roots[2];
    size_t begins[2];

    if (!a->memory || !b->memory || a->memory == b->memory ||
        (a->constant && b->constant))
        return false;
    range_of(a, &roots[0], &begins[0]);
    range_of(b, &roots[1], &begins[1]);
    return roots[0] == roots[1] && begins[0] < begins[1] + b->size_bytes &&
           begins[1] < begins[0] + a->size_bytes;
}

bool ct_arguments_overlap(const struct ct_argument_info *infos, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        for (cl_uint other = 0; other < i; other++)
            if (overlap(&infos[i], &infos[other]))
                return true;
    return false;
}

/* Whether the driver tells everything about the program's own kernel: some do without being asked at
 * the build, which may take a minute. */
static bool tells_all(const struct ct_layer_launch *launch)
{
    for (cl_uint i = 0; i < launch->record->argument_count; i++) {
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_type_qualifier qualifiers;
        char type[CT_ARGUMENT_TEXT];
        char name[CT_ARGUMENT_TEXT];

        if (ct_real.clGetKernelArgInfo(launch->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                       sizeof(address), &address, NULL) ||
            ct_real.clGetKernelArgInfo(launch->kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                                       sizeof(access), &access, NULL) ||
            ct_real.clGetKernelArgInfo(launch->kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                       sizeof(qualifiers), &qualifiers, NULL))
            return false;
        text_of(launch->kernel, i, CL_KERNEL_ARG_TYPE_NAME, type);
        text_of(launch->kernel, i, CL_KERNEL_ARG_NAME, name);
        if (!*type || !*name)
            return false;
    }
    return ct_real.clRetainKernel && !ct_real.clRetainKernel(launch->kernel);
}

uint64_t ct_arguments_bytes(const struct ct_argument_info *infos, cl_uint count,
                            bool changing)
{
    uint64_t bytes = 0;

    for (cl_uint i = 0; i < count; i++)
        if (infos[i].memory && infos[i].owner == i && !(changing && infos[i].constant))
            bytes += infos[i].size_bytes;
    return bytes;
}

cl_kernel ct_arguments_informed(const struct ct_layer_launch *launch, cl_program *program)
{
    const struct ct_layer_program *built = launch->record->program;
    const char *text = built->source;
    cl_device_id device = ct_layer_device_of(launch->queue);
    cl_kernel kernel = NULL;
    struct ct_str options;

    *program = NULL;
    if (!ct_real.clGetKernelArgInfo)
        return NULL;
    if (tells_all(launch))
        return launch->kernel;
    ct_str_init(&options);
    ct_str_addf(&options, "%s -cl-kernel-arg-info", built->options);
    *program =
        ct_real.clCreateProgramWithSource(built->context, 1, &text, &built->length, NULL);
    if (*program &&
        !ct_real.clBuildProgram(*program, 1, &device, options.data, NULL, NULL))
        kernel = ct_real.clCreateKernel(*program, launch->record->name, NULL);
    ct_str_release(&options);
    return kernel;
}
