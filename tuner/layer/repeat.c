// SPDX-License-Identifier: Apache-2.0
// Repeats a launch on copies of its memory.
#include "layer/repeat.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies of more are not worth their time. */
#define REPEAT_BYTES_MAX ((uint64_t)256 << 20)

struct repeat {
    const struct ct_layer_launch *launch;
    const struct ct_argument_info *infos;
    const struct ct_repeat_argument *memory;
    cl_uint count;
    cl_kernel kernel;
    cl_mem *copies; /* of what may change, by owner */
    bool stuck;     /* a command does not begin */
};

/* Whether all that may change has a reasonable size. */
static bool is_possible(const struct repeat *repeat)
{
    return ct_arguments_bytes(repeat->infos, repeat->count, true) <= REPEAT_BYTES_MAX;
}

static bool fill(struct repeat *repeat, const char *folder)
{
    const struct ct_layer_kernel *record = repeat->launch->record;
    char path[PATH_MAX + 64];

    for (cl_uint i = 0; i < repeat->count; i++) {
        const struct ct_layer_argument *argument = &record->arguments[i];
        cl_uint owner = repeat->memory[i].owner;
        const void *value = argument->bytes;

        if (repeat->infos[i].memory && !repeat->infos[owner].constant) {
            if (owner == i) {
                repeat->copies[i] =
                    ct_memory_like(record->program->context, &repeat->infos[i]);
                snprintf(path, sizeof(path), "%s/%u-raw.npy", folder, i);
                if (!repeat->copies[i] ||
                    ct_memory_load(repeat->launch->queue, &repeat->infos[i],
                                   repeat->copies[i], path))
                    return false;
            }
            value = &repeat->copies[owner];
        }
        if (ct_real.clSetKernelArg(repeat->kernel, i, argument->size_bytes, value))
            return false;
    }
    return true;
}

/* Runs it once more: are the copies now what the program's memory was after the launch? */
static enum ct_repeat_answer run(struct repeat *repeat)
{
    struct ct_layer_launch launch = *repeat->launch;
    enum ct_repeat_answer answer = CT_REPEAT_YES;
    cl_event event = NULL;
    int error;

    launch.kernel = repeat->kernel;
    launch.wait_count = 0;
    launch.waits = NULL;
    error = ct_layer_enqueue(&launch, &event) ? CT_MEMORY_DEVICE
                                              : ct_memory_await(launch.queue, event);
    repeat->stuck = error == CT_MEMORY_STUCK;
    if (error)
        return CT_REPEAT_UNKNOWN;
    for (cl_uint i = 0; i < repeat->count; i++) {
        struct ct_argument_info copy = repeat->infos[i];
        struct ct_memory_digest digest = {.count = 0};

        copy.memory = repeat->copies[i];
        if (!copy.memory)
            continue;
        error = ct_memory_save(launch.queue, &copy, NULL, NULL, &digest);
        ct_memory_release(&digest);
        repeat->stuck = error == CT_MEMORY_STUCK;
        if (error)
            return CT_REPEAT_UNKNOWN;
        if (strcmp(digest.all.text, repeat->memory[i].after.text) != 0)
            answer = CT_REPEAT_NO;
    }
    return answer;
}

/* Fills the copies with bytes of 0xff, as memory without contents has in a search. */
static bool poison(struct repeat *repeat)
{
    cl_int status;

    for (cl_uint i = 0; i < repeat->count; i++)
        if (repeat->copies[i] && !ct_memory_poison(repeat->launch->queue,
                                                   &repeat->infos[i], repeat->copies[i]))
            return false;
    status = ct_layer_drain(repeat->launch->queue);
    repeat->stuck = status > CL_COMPLETE;
    return !status;
}

static void ask_limits(struct repeat *repeat, struct ct_repeat_result *result)
{
    cl_device_id device = ct_layer_device_of(repeat->launch->queue);

    ct_real.clGetKernelWorkGroupInfo(
        repeat->launch->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
        sizeof(result->work_group_max), &result->work_group_max, NULL);
    if (ct_real.clGetKernelWorkGroupInfo(
            repeat->launch->kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
            sizeof(result->required), result->required, NULL))
        memset(result->required, 0, sizeof(result->required));
}

void ct_repeat_test(const struct ct_layer_launch *launch, const char *folder,
                    const struct ct_argument_info *infos,
                    const struct ct_repeat_argument *memory,
                    struct ct_repeat_result *result)
{
    struct repeat repeat = {.launch = launch,
                            .infos = infos,
                            .memory = memory,
                            .count = launch->record->argument_count};

    *result = (struct ct_repeat_result){.deterministic = CT_REPEAT_UNKNOWN};
    ask_limits(&repeat, result);
    if (!is_possible(&repeat))
        return;
    repeat.copies = ct_mem_array(repeat.count + 1u, sizeof(*repeat.copies));
    repeat.kernel = ct_real.clCreateKernel(launch->record->program->handle,
                                           launch->record->name, NULL);
    if (repeat.copies && repeat.kernel && fill(&repeat, folder)) {
        result->deterministic = run(&repeat);
        if (result->deterministic == CT_REPEAT_YES)
            result->repeatable = run(&repeat);
        /* The last question, as indices that are not written yet lead anywhere: only of kernels that
         * need none of what was there, which the second run has shown. */
        if (result->repeatable == CT_REPEAT_YES && poison(&repeat))
            result->independent = run(&repeat);
    }
    result->stuck = repeat.stuck;
    for (cl_uint i = 0; repeat.copies && i < repeat.count; i++)
        if (repeat.copies[i])
            ct_real.clReleaseMemObject(repeat.copies[i]);
    if (repeat.kernel)
        ct_real.clReleaseKernel(repeat.kernel);
    free(repeat.copies);
}
