// SPDX-License-Identifier: Apache-2.0
// Reading, writing, filling, copying and mapping buffers: 1 ns of virtual time a byte.

#include "vcl.h"

#include <string.h>

// What every transfer checks first.
static cl_int check(cl_command_queue queue, cl_mem mem, size_t offset_bytes,
                    size_t size_bytes, cl_uint waits, const cl_event *list)
{
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!vcl_object_is(mem, VCL_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (size_bytes == 0 || offset_bytes > mem->size_bytes ||
        size_bytes > mem->size_bytes - offset_bytes)
        return CL_INVALID_VALUE;
    if (mem->origin_bytes * 8 %
        vcl_device_number(queue->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN))
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    return vcl_waits_check(queue->context, waits, list);
}

static cl_int finish_if(cl_bool blocking, cl_command_queue queue)
{
    return blocking ? vcl_queue_finish(queue) : CL_SUCCESS;
}

static cl_int read_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                          size_t offset_bytes, size_t size_bytes, void *host,
                          cl_uint waits, const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueReadBuffer);
    if (!status)
        status = check(queue, mem, offset_bytes, size_bytes, waits, list);
    if (!status && !host)
        status = CL_INVALID_VALUE;
    if (!status && (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
        status = CL_INVALID_OPERATION;
    if (status)
        return status;
    memmove(host, mem->data + offset_bytes, size_bytes);
    vcl_command(queue, CL_COMMAND_READ_BUFFER, size_bytes, event);
    return finish_if(blocking, queue);
}

static cl_int write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                           size_t offset_bytes, size_t size_bytes, const void *host,
                           cl_uint waits, const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueWriteBuffer);
    if (!status)
        status = check(queue, mem, offset_bytes, size_bytes, waits, list);
    if (!status && !host)
        status = CL_INVALID_VALUE;
    if (!status && (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        status = CL_INVALID_OPERATION;
    if (status)
        return status;
    memmove(mem->data + offset_bytes, host, size_bytes);
    vcl_command(queue, CL_COMMAND_WRITE_BUFFER, size_bytes, event);
    return finish_if(blocking, queue);
}

static cl_int fill_buffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                          size_t pattern_bytes, size_t offset_bytes, size_t size_bytes,
                          cl_uint waits, const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueFillBuffer);
    if (!status)
        status = check(queue, mem, offset_bytes, size_bytes, waits, list);
    if (status)
        return status;
    if (!pattern || pattern_bytes == 0 || pattern_bytes > 128 ||
        (pattern_bytes & (pattern_bytes - 1)) || offset_bytes % pattern_bytes ||
        size_bytes % pattern_bytes)
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < size_bytes; i += pattern_bytes)
        memcpy(mem->data + offset_bytes + i, pattern, pattern_bytes);
    vcl_command(queue, CL_COMMAND_FILL_BUFFER, size_bytes, event);
    return CL_SUCCESS;
}

static cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                          size_t from_bytes, size_t to_bytes, size_t size_bytes,
                          cl_uint waits, const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueCopyBuffer);
    if (!status)
        status = check(queue, from, from_bytes, size_bytes, waits, list);
    if (!status)
        status = check(queue, to, to_bytes, size_bytes, waits, list);
    if (status)
        return status;
    const unsigned char *source = from->data + from_bytes;
    unsigned char *target = to->data + to_bytes;
    uintptr_t low = (uintptr_t)source, high = (uintptr_t)target;
    if (low < high + size_bytes && high < low + size_bytes)
        return CL_MEM_COPY_OVERLAP;
    memcpy(target, source, size_bytes);
    vcl_command(queue, CL_COMMAND_COPY_BUFFER, size_bytes, event);
    return CL_SUCCESS;
}

static void *map_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                        cl_map_flags flags, size_t offset_bytes, size_t size_bytes,
                        cl_uint waits, const cl_event *list, cl_event *event,
                        cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clEnqueueMapBuffer);
    if (!status)
        status = check(queue, mem, offset_bytes, size_bytes, waits, list);
    if (!status && (flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE |
                                            CL_MAP_WRITE_INVALIDATE_REGION)))
        status = CL_INVALID_VALUE;
    if (!status && (flags & CL_MAP_WRITE_INVALIDATE_REGION) &&
        (flags & (CL_MAP_READ | CL_MAP_WRITE)))
        status = CL_INVALID_VALUE;
    if (status)
        return vcl_refuse(error_ret, status);
    vcl_command(queue, CL_COMMAND_MAP_BUFFER, size_bytes, event);
    status = finish_if(blocking, queue);
    if (status)
        return vcl_refuse(error_ret, status);
    atomic_fetch_add(&mem->maps, 1);
    vcl_accept(error_ret);
    return mem->data + offset_bytes;
}

static cl_int unmap(cl_command_queue queue, cl_mem mem, void *mapped, cl_uint waits,
                    const cl_event *list, cl_event *event)
{
    cl_int status = VCL_INJECTED(clEnqueueUnmapMemObject);
    if (!status)
        status = check(queue, mem, 0, 1, waits, list);
    if (status)
        return status;
    unsigned char *place = mapped;
    if (!place || place < mem->data || place >= mem->data + mem->size_bytes ||
        atomic_load(&mem->maps) == 0)
        return CL_INVALID_VALUE;
    atomic_fetch_sub(&mem->maps, 1);
    vcl_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, 0, event);
    return CL_SUCCESS;
}

static cl_int migrate(cl_command_queue queue, cl_uint count, const cl_mem *mems,
                      cl_mem_migration_flags flags, cl_uint waits, const cl_event *list,
                      cl_event *event)
{
    (void)flags;
    cl_int status = VCL_INJECTED(clEnqueueMigrateMemObjects);
    if (status)
        return status;
    if (!vcl_object_is(queue, VCL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !mems)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count && !status; i++)
        status = check(queue, mems[i], 0, 1, waits, list);
    if (!status)
        vcl_command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, 0, event);
    return status;
}

void vcl_transfer_install(cl_icd_dispatch *table)
{
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueUnmapMemObject = unmap;
    table->clEnqueueMigrateMemObjects = migrate;
}
