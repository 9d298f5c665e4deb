// SPDX-License-Identifier: Apache-2.0
// Compares two ways to run one launch.
#include "layer/verify.h"

#include "layer/arguments.h"
#include "layer/memory.h"
#include "layer/probe.h"
#include "spacefile/arg_type.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN, OTHER };

struct comparison {
    const struct ct_layer_launch *launches[2];
    const struct ct_layer_kernel *record;
    cl_command_queue queue; /* the layer's own, in order */
    bool stuck;             /* commands in it are not done, and may never be */
    cl_uint count;
    struct ct_argument_info *infos;
    cl_mem
        *copies[2]; /* by argument; NULL: it cannot change, or another argument has it */
    cl_kernel kernels[2];
};

/* --- preparation --- */

static cl_program program_of(cl_kernel kernel)
{
    cl_program program = NULL;

    ct_real.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &program,
                            NULL);
    return program;
}

/* Whether launches of the program leave something that is in no argument: variables of the source. */
static bool has_variables(const struct comparison *verify)
{
    size_t bytes = 0;

    return !ct_real.clGetProgramBuildInfo(program_of(verify->launches[OWN]->kernel),
                                          ct_layer_device_of(verify->queue),
                                          CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                          sizeof(bytes), &bytes, NULL) &&
           bytes > 0;
}

/* Fills infos; NULL, or why not. */
static const char *describe(struct comparison *verify)
{
    struct ct_layer_launch launch = *verify->launches[OWN];
    cl_program program = NULL;
    cl_kernel informed = ct_arguments_informed(&launch, &program);
    const char *why = informed
                          ? ct_arguments_describe(verify->record, informed, verify->infos)
                          : "the driver does not tell what its arguments are";

    if (informed)
        ct_real.clReleaseKernel(informed);
    if (program)
        ct_real.clReleaseProgram(program);
    if (why)
        return why;
    if (has_variables(verify))
        return "its program has variables that launches change";
    if (ct_arguments_overlap(verify->infos, verify->count))
        return "two of its arguments are overlapping parts of one buffer";
    return NULL;
}

/* Copies what may change, twice: what is in both is the same, whatever other queues do. */
static const char *copy_memory(struct comparison *verify)
{
    cl_context context = verify->record->program->context;
    cl_int status;

    for (cl_uint i = 0; i < verify->count; i++) {
        const struct ct_argument_info *info = &verify->infos[i];
        cl_mem *own = &verify->copies[OWN][i];
        cl_mem *other = &verify->copies[OTHER][i];

        if (!info->memory || info->owner != i || info->constant)
            continue;
        *own = ct_memory_like(context, info);
        *other = ct_memory_like(context, info);
        if (!*own || !*other ||
            !ct_memory_copy(verify->queue, info, info->memory, *own) ||
            !ct_memory_copy(verify->queue, info, *own, *other))
            return "memory for copies is short";
    }
    status = ct_layer_drain(verify->queue);
    verify->stuck = status > CL_COMPLETE;
    return status ? "its memory cannot be copied now" : NULL;
}

/* Kernels of the layer's own, as the arguments of the program's belong to its launches. */
static bool make_kernel(struct comparison *verify, int which)
{
    cl_program program = program_of(verify->launches[which]->kernel);
    bool good = true;

    verify->kernels[which] =
        program ? ct_real.clCreateKernel(program, verify->record->name, NULL) : NULL;
    for (cl_uint i = 0; verify->kernels[which] && good && i < verify->count; i++) {
        const struct ct_layer_argument *argument = &verify->record->arguments[i];
        const cl_mem *copy = &verify->copies[which][verify->infos[i].owner];

        good = !ct_real.clSetKernelArg(verify->kernels[which], i, argument->size_bytes,
                                       *copy ? copy : argument->bytes);
    }
    return verify->kernels[which] && good;
}

/* NULL, or why not. */
static const char *prepare(struct comparison *verify)
{
    struct ct_layer_launch launch = *verify->launches[OWN];
    const char *why;

    if (!verify->infos || !verify->copies[OWN] || !verify->copies[OTHER])
        return "memory is short";
    verify->queue = ct_layer_own_queue(verify->launches[OWN]);
    if (!verify->queue)
        return "there is no further queue";
    why = describe(verify);
    if (!why)
        why = ct_layer_settle(verify->launches[OWN],
                              ct_arguments_bytes(verify->infos, verify->count, false),
                              verify->queue);
    if (why)
        return why;
    launch.queue = verify->queue;
    ct_probe_types(&launch, verify->infos);
    why = copy_memory(verify);
    if (!why && (!make_kernel(verify, OWN) || !make_kernel(verify, OTHER)))
        why = "its kernel cannot be made again";
    return why;
}

/* --- comparison --- */

static double real_at(const unsigned char *bytes, size_t index, bool is_double)
{
    float single;
    double real;

    if (is_double) {
        memcpy(&real, bytes + index * sizeof(real), sizeof(real));
        return real;
    }
    memcpy(&single, bytes + index * sizeof(single), sizeof(single));
    return (double)single;
}

/* As the checks of a captured space file: reals within a tolerance of the larger of the value and the
 * root mean square, all else exactly. */
static bool equal(const unsigned char *x, const unsigned char *r, size_t size,
                  struct ct_ctype type)
{
    bool is_double = type.name && strcmp(type.name, "double") == 0;
    bool is_real = is_double || (type.name && strcmp(type.name, "float") == 0);
    size_t count = is_real ? size / type.size_bytes : 0;
    double tolerance = is_double ? 1e-12 : 1e-5;
    double squares = 0;
    double mean;

    if (memcmp(x, r, size) == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        double value = real_at(r, i, is_double);

        squares += isfinite(value) ? value * value : 0;
    }
    mean = count ? sqrt(squares / (double)count) : 0;
    for (size_t i = 0; i < count; i++) {
        double got = real_at(x, i, is_double);
        double value = real_at(r, i, is_double);

        if (isnan(value) && isnan(got))
            continue;
        if (!(got == value || fabs(got - value) <= tolerance * fmax(fabs(value), mean)))
            return false;
    }
    return count > 0 && size % type.size_bytes == 0;
}

/* What a captured file says of the type: an image's is that of its channels. */
static struct ct_ctype type_of(const struct ct_argument_info *info)
{
    cl_image_format format = {0, 0};
    size_t size[3];
    size_t pixel_bytes;

    if (info->kind != CT_ARGUMENT_IMAGE)
        return ct_ctype_read(info->resolved);
    return ct_ctype_read(ct_memory_image(info->memory, size, &pixel_bytes, &format) &&
                                 format.image_channel_data_type == CL_FLOAT
                             ? "float"
                             : "");
}

/* Whether both launches have left the same in an argument's memory; -1 if it cannot be read. */
static int compare(struct comparison *verify, cl_uint index)
{
    const struct ct_argument_info *info = &verify->infos[index];
    size_t length = ct_memory_length(info);
    unsigned char *bytes[2] = {ct_mem_array(length + 1, 1), ct_mem_array(length + 1, 1)};
    int error = bytes[OWN] && bytes[OTHER] && length ? 0 : CT_MEMORY_DEVICE;
    int answer = -1;

    for (int which = OWN; which <= OTHER && !error; which++)
        error = ct_memory_read(verify->queue, info, verify->copies[which][index],
                               bytes[which]);
    if (!error)
        answer = equal(bytes[OTHER], bytes[OWN], length, type_of(info));
    verify->stuck = error == CT_MEMORY_STUCK;
    /* The device may still write to it. */
    if (verify->stuck)
        return -1;
    free(bytes[OWN]);
    free(bytes[OTHER]);
    return answer;
}

/* --- launches --- */

/* Runs one of the two on its copies and waits for it: as ct_layer_await. */
static cl_int run(struct comparison *verify, int which)
{
    struct ct_layer_launch launch = *verify->launches[which];
    cl_event event = NULL;
    cl_int status;

    launch.queue = verify->queue;
    launch.kernel = verify->kernels[which];
    launch.wait_count = 0;
    launch.waits = NULL;
    status = ct_layer_enqueue(&launch, &event);
    if (status)
        return status;
    ct_real.clFlush(verify->queue);
    status = ct_layer_await(event);
    ct_real.clReleaseEvent(event);
    verify->stuck = status > CL_COMPLETE;
    return status;
}

static enum ct_verify_outcome run_both(struct comparison *verify, char *why, size_t size)
{
    cl_int own = run(verify, OWN);
    cl_int other = own ? CL_COMPLETE : run(verify, OTHER);

    if (own > CL_COMPLETE || other > CL_COMPLETE) {
        snprintf(why, size, "it takes too long to be compared");
        return CT_VERIFY_UNKNOWN;
    }
    if (own || other) {
        snprintf(why, size, "%s launch failed",
                 own ? "the program's own" : "the replaced");
        return own ? CT_VERIFY_UNKNOWN : CT_VERIFY_DIFFER;
    }
    for (cl_uint i = 0; i < verify->count; i++) {
        int answer = verify->copies[OWN][i] ? compare(verify, i) : 1;

        if (answer < 0) {
            snprintf(why, size, "the device did not give its memory back");
            return CT_VERIFY_UNKNOWN;
        }
        if (!answer) {
            snprintf(why, size, "argument %u (%s) differs", i, verify->infos[i].name);
            return CT_VERIFY_DIFFER;
        }
    }
    return CT_VERIFY_EQUAL;
}

static void release(struct comparison *verify)
{
    for (int which = OWN; which <= OTHER; which++) {
        for (cl_uint i = 0; verify->copies[which] && i < verify->count; i++)
            if (verify->copies[which][i])
                ct_real.clReleaseMemObject(verify->copies[which][i]);
        if (verify->kernels[which])
            ct_real.clReleaseKernel(verify->kernels[which]);
        free(verify->copies[which]);
    }
    /* Some drivers wait for a queue that is released. */
    if (verify->queue && !verify->stuck)
        ct_real.clReleaseCommandQueue(verify->queue);
    free(verify->infos);
}

enum ct_verify_outcome ct_verify(const struct ct_layer_launch *own,
                                 const struct ct_layer_launch *other, char *why,
                                 size_t size)
{
    cl_uint count = own->record->argument_count;
    struct comparison verify = {.launches = {own, other},
                                .record = own->record,
                                .count = count,
                                .infos = ct_mem_array(count + 1u, sizeof(*verify.infos)),
                                .copies = {ct_mem_array(count + 1u, sizeof(cl_mem)),
                                           ct_mem_array(count + 1u, sizeof(cl_mem))}};
    const char *reason = prepare(&verify);
    enum ct_verify_outcome outcome = CT_VERIFY_UNKNOWN;

    if (reason)
        snprintf(why, size, "%s", reason);
    else
        outcome = run_both(&verify, why, size);
    release(&verify);
    return outcome;
}
