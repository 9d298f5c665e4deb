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

struct comparison {
    const struct ct_layer_launch *own;
    cl_uint count;
    struct ct_argument_info *infos;
    cl_mem *
        before; /* copies, by argument; NULL: it cannot change, or another argument has it */
    cl_mem *after; /* what the program's own launch has left */
};

/* --- copies --- */

/* Whether no argument before has a copy of the memory: a constant has none, though another that is
 * the same memory may write to it. */
static bool is_first(const struct comparison *verify, cl_uint index)
{
    for (cl_uint i = 0; i < index; i++)
        if (verify->infos[i].memory == verify->infos[index].memory &&
            !verify->infos[i].constant)
            return false;
    return true;
}

/* NULL, or why not. */
static const char *prepare(struct comparison *verify)
{
    const struct ct_layer_kernel *record = verify->own->record;
    cl_program program = NULL;
    cl_kernel informed = ct_arguments_informed(verify->own, &program);
    const char *why = informed ? ct_arguments_describe(record, informed, verify->infos)
                               : "the driver does not tell what its arguments are";

    if (informed)
        ct_real.clReleaseKernel(informed);
    if (program)
        ct_real.clReleaseProgram(program);
    if (!why)
        ct_probe_types(verify->own, verify->infos);
    for (cl_uint i = 0; i < verify->count && !why; i++) {
        const struct ct_argument_info *info = &verify->infos[i];

        if (!info->memory || info->constant || !is_first(verify, i))
            continue;
        verify->before[i] = ct_memory_like(record->program->context, info);
        verify->after[i] = ct_memory_like(record->program->context, info);
        if (!verify->before[i] || !verify->after[i] ||
            !ct_memory_copy(verify->own->queue, info, info->memory, verify->before[i]))
            why = "memory for copies is short";
    }
    if (!why && ct_real.clFinish(verify->own->queue))
        why = "the device failed";
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

/* Whether memory is now what the program's own launch has left; -1 if it cannot be read. */
static int compare(const struct comparison *verify, cl_uint index)
{
    const struct ct_argument_info *info = &verify->infos[index];
    cl_command_queue queue = verify->own->queue;
    size_t length = ct_memory_length(info);
    unsigned char *bytes[2] = {ct_mem_array(length + 1, 1), ct_mem_array(length + 1, 1)};
    int answer = -1;

    /* The host may not be allowed to read the program's own: by way of a copy. */
    if (bytes[0] && bytes[1] && length &&
        ct_memory_read(queue, info, verify->after[index], bytes[1]) &&
        ct_memory_copy(queue, info, info->memory, verify->before[index]) &&
        !ct_real.clFinish(queue) &&
        ct_memory_read(queue, info, verify->before[index], bytes[0]))
        answer = equal(bytes[0], bytes[1], length, type_of(info));
    free(bytes[0]);
    free(bytes[1]);
    return answer;
}

/* Runs a launch and waits for it; what it had to wait for is done. */
static cl_int run(const struct ct_layer_launch *launch, cl_event *event)
{
    struct ct_layer_launch now = *launch;
    cl_int code;

    now.wait_count = 0;
    now.waits = NULL;
    code = ct_layer_enqueue(&now, event);
    if (!code && ct_real.clWaitForEvents(1, event)) {
        ct_real.clReleaseEvent(*event);
        return CL_OUT_OF_RESOURCES;
    }
    return code;
}

/* Copies all memory into `copies`, or puts it back into their state.  Waits, as an out-of-order queue
 * may run what comes next first. */
static bool copy_all(const struct comparison *verify, const cl_mem *copies, bool back)
{
    bool good = true;

    for (cl_uint i = 0; i < verify->count; i++) {
        cl_mem memory = verify->infos[i].memory;

        if (copies[i])
            good = ct_memory_copy(verify->own->queue, &verify->infos[i],
                                  back ? copies[i] : memory, back ? memory : copies[i]) &&
                   good;
    }
    return !ct_real.clFinish(verify->own->queue) && good;
}

static bool keep(const struct comparison *verify, const cl_mem *copies)
{
    return copy_all(verify, copies, false);
}

static bool put_back(const struct comparison *verify, const cl_mem *copies)
{
    return copy_all(verify, copies, true);
}

static enum ct_verify_outcome run_other(struct comparison *verify,
                                        const struct ct_layer_launch *other,
                                        cl_event *event, char *why, size_t size)
{
    cl_event second = NULL;
    bool same = true;
    bool readable = true;

    if (!keep(verify, verify->after)) {
        snprintf(why, size, "the device failed");
        return CT_VERIFY_UNKNOWN;
    }
    if (!put_back(verify, verify->before) || run(other, &second)) {
        put_back(verify, verify->after);
        snprintf(why, size, "the replaced launch failed");
        return CT_VERIFY_DIFFER;
    }
    for (cl_uint i = 0; i < verify->count && same && readable; i++) {
        int answer = verify->after[i] ? compare(verify, i) : 1;

        readable = answer >= 0;
        same = answer != 0;
        if (!same)
            snprintf(why, size, "argument %u (%s) differs", i, verify->infos[i].name);
    }
    if (same && readable) {
        ct_real.clReleaseEvent(*event);
        *event = second;
        return CT_VERIFY_EQUAL;
    }
    ct_real.clReleaseEvent(second);
    put_back(verify, verify->after);
    if (!readable)
        snprintf(why, size, "the device did not give its memory back");
    return readable ? CT_VERIFY_DIFFER : CT_VERIFY_UNKNOWN;
}

enum ct_verify_outcome ct_verify(const struct ct_layer_launch *own,
                                 const struct ct_layer_launch *other, cl_event *event,
                                 cl_int *code, char *why, size_t size)
{
    cl_uint count = own->record->argument_count;
    struct comparison verify = {.own = own,
                                .count = count,
                                .infos = ct_mem_array(count + 1u, sizeof(*verify.infos)),
                                .before =
                                    ct_mem_array(count + 1u, sizeof(*verify.before)),
                                .after = ct_mem_array(count + 1u, sizeof(*verify.after))};
    enum ct_verify_outcome outcome = CT_VERIFY_UNKNOWN;
    const char *reason = "memory is short";

    if (verify.infos && verify.before && verify.after)
        reason = !ct_layer_settle(own)
                     ? "it waits for something that the program does later"
                     : prepare(&verify);
    if (reason) {
        snprintf(why, size, "%s", reason);
        *code = ct_layer_enqueue(own, event);
    } else {
        *code = run(own, event);
        if (!*code)
            outcome = run_other(&verify, other, event, why, size);
        else
            snprintf(why, size, "the program's own launch failed");
    }
    for (cl_uint i = 0; i < count && verify.before && verify.after; i++) {
        if (verify.before[i])
            ct_real.clReleaseMemObject(verify.before[i]);
        if (verify.after[i])
            ct_real.clReleaseMemObject(verify.after[i]);
    }
    free(verify.infos);
    free(verify.before);
    free(verify.after);
    return outcome;
}
