// SPDX-License-Identifier: Apache-2.0
// Launches: the checks a real driver makes, and the copying that stands for a kernel.

#include "vcl.h"

#include <string.h>

#define LIMIT_NS 1000000000000000 // longer launches are cut to this

struct launch {
    cl_command_queue queue;
    cl_kernel kernel;
    struct vcl_signature *signature;
    struct vcl_build *build;
    struct vcl_faults faults;
    cl_uint dimensions;
    const size_t *global, *local;
};

cl_ulong vcl_kernel_local_bytes(cl_kernel kernel, const struct vcl_signature *signature)
{
    cl_ulong bytes = signature->local_bytes;
    for (size_t i = 0; i < signature->count; i++) {
        const struct vcl_argument *argument = &signature->arguments[i];
        if (argument->pointer && argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL)
            bytes += kernel->values[i].bytes;
    }
    return bytes;
}

static cl_int check_objects(struct launch *launch)
{
    if (!vcl_object_is(launch->queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!vcl_object_is(launch->kernel, VCL_KERNEL))
        return CL_INVALID_KERNEL;
    if (launch->kernel->program->context != launch->queue->context)
        return CL_INVALID_CONTEXT;
    launch->signature = launch->kernel->signatures[launch->queue->device->index];
    launch->build = &launch->kernel->program->builds[launch->queue->device->index];
    return launch->signature ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

static cl_int check_arguments(const struct launch *launch)
{
    cl_ulong align =
        vcl_device_number(launch->queue->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    for (size_t i = 0; i < launch->signature->count; i++) {
        const struct vcl_value *value = &launch->kernel->values[i];
        if (!value->set)
            return CL_INVALID_KERNEL_ARGS;
        if (!value->mem)
            continue;
        if (!vcl_object_is(value->mem, VCL_MEM))
            return CL_INVALID_MEM_OBJECT;
        if (value->mem->context != launch->queue->context)
            return CL_INVALID_CONTEXT;
        if (value->mem->origin_bytes * 8 % align)
            return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    }
    return CL_SUCCESS;
}

// OpenCL 1.2 refuses an empty range; 3.0 makes it a command that does nothing.
static cl_int check_global(const struct launch *launch)
{
    if (launch->dimensions < 1 || launch->dimensions > 3)
        return CL_INVALID_WORK_DIMENSION;
    bool old = launch->queue->device->model == 0;
    if (!launch->global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    for (cl_uint i = 0; i < launch->dimensions; i++)
        if (launch->global[i] == 0 && old)
            return CL_INVALID_GLOBAL_WORK_SIZE;
    return CL_SUCCESS;
}

static cl_int check_local(const struct launch *launch)
{
    cl_device_id device = launch->queue->device;
    const size_t *required = launch->signature->required;
    if (!launch->local)
        return required[0] ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
    size_t most = (size_t)vcl_device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (launch->signature->group_limit && launch->signature->group_limit < most)
        most = launch->signature->group_limit;
    size_t items = 1;
    for (cl_uint i = 0; i < launch->dimensions; i++) {
        size_t local = launch->local[i];
        if (local == 0 || local > most || local * items > most ||
            launch->global[i] % local)
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= local;
    }
    for (cl_uint i = 0; i < 3; i++) {
        size_t local = i < launch->dimensions ? launch->local[i] : 1;
        if (local > vcl_device_items(device, i))
            return CL_INVALID_WORK_ITEM_SIZE;
        if (required[0] && local != required[i])
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

static cl_int check_resources(const struct launch *launch)
{
    cl_ulong need = vcl_kernel_local_bytes(launch->kernel, launch->signature);
    return need > vcl_device_number(launch->queue->device, CL_DEVICE_LOCAL_MEM_SIZE)
               ? CL_OUT_OF_RESOURCES
               : CL_SUCCESS;
}

static cl_int check(struct launch *launch, cl_uint waits, const cl_event *list)
{
    cl_int status = check_objects(launch);
    if (!status)
        status = check_arguments(launch);
    if (!status)
        status = check_global(launch);
    if (!status)
        status = check_local(launch);
    if (!status)
        status = check_resources(launch);
    if (!status)
        status = vcl_waits_check(launch->queue->context, waits, list);
    return status;
}

static bool is_global(const struct vcl_argument *argument, bool constant)
{
    return argument->pointer && argument->address == CL_KERNEL_ARG_ADDRESS_GLOBAL &&
           !(argument->qualifiers & CL_KERNEL_ARG_TYPE_CONST) == !constant;
}

// What stands for the kernel: the first const buffer goes into all that are not.
static void run(const struct launch *launch)
{
    const struct vcl_signature *signature = launch->signature;
    const struct vcl_value *values = launch->kernel->values;
    cl_mem input = NULL;
    for (size_t i = 0; i < signature->count && !input; i++)
        if (is_global(&signature->arguments[i], true))
            input = values[i].mem;
    for (size_t i = 0; i < signature->count; i++) {
        const struct vcl_argument *argument = &signature->arguments[i];
        cl_mem output = values[i].mem;
        if (!output || !is_global(argument, false))
            continue;
        size_t written = output->size_bytes;
        if (input && input->size_bytes < written)
            written = input->size_bytes;
        if (input && !vcl_fault_run(&launch->faults, VCL_AT_COPY, NULL))
            memmove(output->data, input->data, written);
        struct vcl_victim victim = {
            .data = output->data,
            .written_bytes = written,
            .element_bytes = argument->value_bytes,
            .padding_bytes = argument->three ? argument->value_bytes / 4 : 0,
            .region_bytes = output->size_bytes,
            .room_before_bytes = output->origin_bytes,
            .room_after_bytes = output->room_after_bytes,
            .input = input ? input->data : NULL,
        };
        vcl_fault_run(&launch->faults, VCL_AT_OUTPUT, &victim);
    }
}

static cl_ulong items_of(const struct launch *launch)
{
    cl_ulong items = 1;
    for (cl_uint i = 0; i < launch->dimensions; i++) {
        if (launch->global[i] && items > LIMIT_NS / launch->global[i])
            return LIMIT_NS;
        items *= launch->global[i];
    }
    return items;
}

static cl_ulong time_of(const struct launch *launch, cl_ulong items)
{
    cl_ulong each = launch->signature->item_ns, time_ns = launch->signature->time_ns;
    time_ns += each && items > LIMIT_NS / each ? LIMIT_NS : each * items;
    if (time_ns > LIMIT_NS)
        time_ns = LIMIT_NS;
    cl_device_id device = launch->queue->device;
    struct vcl_victim victim = {.time_ns = &time_ns};
    if (!items)
        return 0;
    vcl_fault_run(&launch->faults, VCL_AT_TIME, &victim);
    return vcl_noise(device, launch->build->module.digest, launch->signature->steady,
                     vcl_device_time(device, time_ns));
}

// Compiles for the local size where that is still to be done, and draws the faults.
static cl_int begin(struct launch *launch)
{
    struct vcl_signature *signature = launch->signature;
    size_t local[3] = {0}; // the driver chooses
    struct vcl_victim victim = {.local_bytes =
                                    vcl_kernel_local_bytes(launch->kernel, signature)};
    for (cl_uint i = 0; launch->local && i < 3; i++)
        local[i] = i < launch->dimensions ? launch->local[i] : 1;
    victim.group_items = local[0] * local[1] * local[2];
    vcl_compiler_first(launch->build, signature, local);
    cl_ulong number = atomic_fetch_add(&signature->launches, 1) + 1;
    vcl_faults_draw(&launch->build->module, signature, number, &launch->faults);
    return vcl_fault_run(&launch->faults, VCL_AT_LAUNCH, &victim);
}

static cl_int launch_kernel(struct launch *launch, cl_command_type type, cl_uint waits,
                            const cl_event *list, cl_event *event)
{
    cl_int status = check(launch, waits, list);
    if (status)
        return status;
    if (vcl_launch_begins(launch->queue)) {
        vcl_noise_block();
        vcl_log("launch device=%u code=%016llx kernel=%s", launch->queue->device->index,
                (unsigned long long)launch->build->module.digest,
                launch->signature->name);
    }
    status = begin(launch);
    if (status)
        return status;
    cl_ulong items = items_of(launch);
    // What fails after it was accepted does nothing, and takes a tenth of its time.
    cl_int failure = vcl_fault_run(&launch->faults, VCL_AT_STATUS, NULL);
    if (items > 0 && !failure)
        run(launch);
    vcl_command_launch(launch->queue, type,
                       failure ? time_of(launch, items) / 10 : time_of(launch, items),
                       items, &launch->faults, event);
    return CL_SUCCESS;
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                             const size_t *offset, const size_t *global,
                             const size_t *local, cl_uint waits, const cl_event *list,
                             cl_event *event)
{
    (void)offset;
    cl_int status = VCL_INJECTED(clEnqueueNDRangeKernel);
    if (status)
        return status;
    struct launch launch = {.queue = queue,
                            .kernel = kernel,
                            .dimensions = dimensions,
                            .global = global,
                            .local = local};
    return launch_kernel(&launch, CL_COMMAND_NDRANGE_KERNEL, waits, list, event);
}

static cl_int enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                           const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueTask);
    if (status)
        return status;
    static const size_t one = 1;
    struct launch launch = {
        .queue = queue, .kernel = kernel, .dimensions = 1, .global = &one, .local = &one};
    return launch_kernel(&launch, CL_COMMAND_TASK, waits, list, event);
}

void vcl_launch_install(cl_icd_dispatch *table)
{
    table->clEnqueueNDRangeKernel = enqueue_kernel;
    table->clEnqueueTask = enqueue_task;
}
