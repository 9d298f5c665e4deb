// SPDX-License-Identifier: Apache-2.0
// Asks the compiler and the device about types.
#include "layer/probe.h"

#include "layer/memory.h"

#include "base/str.h"
#include "spacefile/arg_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Size, lanes, and behind 128 bytes a value of up to 128 bytes, which has its alignment. */
enum { VALUE_WORD = 32, ANSWER_WORDS = 64 };

/* The name without "*", qualifiers of memory and blanks at the end. */
static bool base_name(const char *type, char *out, size_t size)
{
    size_t length = strcspn(type, "*");

    while (length && isspace((unsigned char)type[length - 1]))
        length--;
    if (!length || length >= size)
        return false;
    memcpy(out, type, length);
    out[length] = '\0';
    return true;
}

/* The value 0.75 tells reals from integers, and reals from each other. */
static void name_type(const cl_uint *words, char *out, size_t size)
{
    static const char *const integers[] = {NULL, "uchar", "ushort", NULL,   "uint",
                                           NULL, NULL,    NULL,     "ulong"};
    size_t lanes = words[1];
    size_t each = lanes ? words[0] / (lanes == 3 ? 4 : lanes) : 0;
    const char *name = NULL;

    if (each == 4 && words[2] == 0x3f400000u)
        name = "float";
    else if (each == 8 && words[2] == 0 && words[3] == 0x3fe80000u)
        name = "double";
    else if (each == 2 && (words[2] & 0xffffu) == 0x3a00u)
        name = "half";
    else if (each <= 8 && (words[2] & 0xffu) == 0)
        name = integers[each];
    if (name && lanes == 1)
        snprintf(out, size, "%s", name);
    else if (name)
        snprintf(out, size, "%s%zu", name, lanes);
}

static bool run_probe(const struct ct_layer_launch *launch, cl_program program,
                      cl_uint *words)
{
    const struct ct_layer_program *built = launch->record->program;
    const size_t one = 1;
    cl_kernel kernel = ct_real.clCreateKernel(program, "cltune_probe", NULL);
    cl_mem answer =
        ct_real.clCreateBuffer(built->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               ANSWER_WORDS * sizeof(cl_uint), words, NULL);
    cl_event done = NULL;
    bool good = kernel && answer &&
                !ct_real.clSetKernelArg(kernel, 0, sizeof(cl_mem), &answer) &&
                !ct_real.clEnqueueNDRangeKernel(launch->queue, kernel, 1, NULL, &one,
                                                NULL, 0, NULL, &done) &&
                !ct_memory_await(launch->queue, done) &&
                !ct_real.clEnqueueReadBuffer(launch->queue, answer, CL_TRUE, 0,
                                             ANSWER_WORDS * sizeof(cl_uint), words, 0,
                                             NULL, NULL);

    if (answer)
        ct_real.clReleaseMemObject(answer);
    if (kernel)
        ct_real.clReleaseKernel(kernel);
    return good;
}

/* Builds the source with a kernel more, which only scalars and vectors compile in. */
static void ask(const struct ct_layer_launch *launch, const char *name, char *out,
                size_t size)
{
    const struct ct_layer_program *built = launch->record->program;
    cl_device_id device = ct_layer_device_of(launch->queue);
    cl_uint words[ANSWER_WORDS] = {0};
    cl_program program = NULL;
    struct ct_str text;
    const char *source;

    ct_str_init(&text);
    ct_str_add(&text, built->source, built->length);
    ct_str_addf(&text,
                "\n__kernel void cltune_probe(__global uint *cltune_out)\n{\n"
                "    cltune_out[0] = (uint)sizeof(%s);\n"
                "    cltune_out[1] = (uint)vec_step(%s);\n"
                "    *(__global %s *)(cltune_out + 32) = (%s)(0.75f);\n}\n",
                name, name, name, name);
    source = text.data;
    if (!text.failed)
        program = ct_real.clCreateProgramWithSource(built->context, 1, &source,
                                                    &text.length, NULL);
    if (program &&
        !ct_real.clBuildProgram(program, 1, &device, built->options, NULL, NULL) &&
        run_probe(launch, program, words)) {
        memmove(words + 2, words + VALUE_WORD, 2 * sizeof(*words));
        name_type(words, out, size);
    }
    if (program)
        ct_real.clReleaseProgram(program);
    ct_str_release(&text);
}

/* The answer for an earlier argument of the same type. */
static bool known_before(const struct ct_argument_info *infos, cl_uint index,
                         const char *name, char *out, size_t size)
{
    char other[CT_ARGUMENT_TEXT];

    for (cl_uint i = 0; i < index; i++)
        if (base_name(infos[i].type, other, sizeof(other)) && strcmp(other, name) == 0) {
            snprintf(out, size, "%s", infos[i].resolved);
            return true;
        }
    return false;
}

void ct_probe_types(const struct ct_layer_launch *launch, struct ct_argument_info *infos)
{
    for (cl_uint i = 0; i < launch->record->argument_count; i++) {
        struct ct_argument_info *info = &infos[i];
        struct ct_ctype type = ct_ctype_read(info->type);
        char name[CT_ARGUMENT_TEXT];

        if (info->kind != CT_ARGUMENT_VALUE && info->kind != CT_ARGUMENT_BUFFER)
            continue;
        if (type.name && type.width > 1)
            snprintf(info->resolved, sizeof(info->resolved), "%s%u", type.name,
                     type.width);
        else if (type.name)
            snprintf(info->resolved, sizeof(info->resolved), "%s", type.name);
        else if (base_name(info->type, name, sizeof(name)) && !strstr(name, "struct") &&
                 strcmp(name, "void") != 0 &&
                 !known_before(infos, i, name, info->resolved, sizeof(info->resolved)))
            ask(launch, name, info->resolved, sizeof(info->resolved));
    }
}
