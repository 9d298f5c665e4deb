// SPDX-License-Identifier: Apache-2.0
// Buffers and sub-buffers of the virtual driver: plain host memory with some slack.

#include "vcl.h"

#include <stdlib.h>
#include <string.h>

#define ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS                                                                      \
    (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_POINTER (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

void vcl_mem_release(cl_mem mem)
{
    if (!vcl_object_drop(&mem->object))
        return;
    mem->object.kind = 0;
    if (mem->parent)
        vcl_mem_release(mem->parent);
    vcl_context_release(mem->context);
    free(mem->storage);
    free(mem);
}

// At most one flag of each group.
static bool flags_fit(cl_mem_flags flags)
{
    cl_mem_flags access = flags & ACCESS, host = flags & HOST_ACCESS;
    if (flags & ~(cl_mem_flags)(ACCESS | HOST_ACCESS | HOST_POINTER))
        return false;
    if ((access & (access - 1)) || (host & (host - 1)))
        return false;
    return !(flags & CL_MEM_USE_HOST_PTR) ||
           !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static bool size_fits(cl_context context, size_t size_bytes)
{
    for (cl_uint i = 0; i < context->count; i++)
        if (size_bytes <=
            vcl_device_number(context->devices[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE))
            return true;
    return false;
}

static cl_mem new_mem(cl_context context, cl_mem_flags flags, size_t size_bytes)
{
    cl_mem mem = vcl_allocate(1, sizeof *mem);
    vcl_object_init(&mem->object, VCL_MEM);
    vcl_object_retain(&context->object);
    mem->context = context;
    mem->flags = flags & ACCESS ? flags : flags | CL_MEM_READ_WRITE;
    mem->size_bytes = size_bytes;
    atomic_init(&mem->maps, 0);
    return mem;
}

static cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t size_bytes,
                          void *host, cl_int *error_ret)
{
    if (!vcl_object_is(context, VCL_CONTEXT))
        return vcl_refuse(error_ret, CL_INVALID_CONTEXT);
    if (!flags_fit(flags))
        return vcl_refuse(error_ret, CL_INVALID_VALUE);
    if (size_bytes == 0 || !size_fits(context, size_bytes))
        return vcl_refuse(error_ret, CL_INVALID_BUFFER_SIZE);
    if (!host != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return vcl_refuse(error_ret, CL_INVALID_HOST_PTR);
    cl_mem mem = new_mem(context, flags, size_bytes);
    if (flags & CL_MEM_USE_HOST_PTR) {
        mem->host_pointer = host;
        mem->data = host;
    } else {
        // Aligned like the strictest device; never zero, so that nobody relies on it.
        size_t room = (size_bytes + VCL_SLACK_BYTES + 511) / 512 * 512;
        mem->storage = aligned_alloc(512, room);
        if (!mem->storage) {
            vcl_mem_release(mem);
            return vcl_refuse(error_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        }
        memset(mem->storage, 0xCB, room);
        if (host)
            memcpy(mem->storage, host, size_bytes);
        mem->data = mem->storage;
        mem->room_after_bytes = room - size_bytes;
    }
    vcl_accept(error_ret);
    return mem;
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size_bytes,
                            void *host, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateBuffer);
    if (status)
        return vcl_refuse(error_ret, status);
    return make_buffer(context, flags, size_bytes, host, error_ret);
}

static cl_mem create_buffer_with(cl_context context, const cl_mem_properties *list,
                                 cl_mem_flags flags, size_t size_bytes, void *host,
                                 cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateBufferWithProperties);
    if (!status && list && list[0])
        status = CL_INVALID_PROPERTY;
    if (status)
        return vcl_refuse(error_ret, status);
    return make_buffer(context, flags, size_bytes, host, error_ret);
}

// Whether the origin suits at least one device of the context.
static bool origin_fits(cl_context context, size_t origin_bytes)
{
    for (cl_uint i = 0; i < context->count; i++)
        if (origin_bytes * 8 %
                vcl_device_number(context->devices[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN) ==
            0)
            return true;
    return false;
}

static cl_mem create_sub(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *information, cl_int *error_ret)
{
    cl_int status = VCL_INJECTED(clCreateSubBuffer);
    if (status)
        return vcl_refuse(error_ret, status);
    if (!vcl_object_is(parent, VCL_MEM) || parent->parent)
        return vcl_refuse(error_ret, CL_INVALID_MEM_OBJECT);
    const cl_buffer_region *region = information;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || !flags_fit(flags) ||
        (flags & HOST_POINTER))
        return vcl_refuse(error_ret, CL_INVALID_VALUE);
    if (region->size == 0)
        return vcl_refuse(error_ret, CL_INVALID_BUFFER_SIZE);
    if (region->origin > parent->size_bytes ||
        region->size > parent->size_bytes - region->origin)
        return vcl_refuse(error_ret, CL_INVALID_VALUE);
    if (!origin_fits(parent->context, region->origin))
        return vcl_refuse(error_ret, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    if (!(flags & ACCESS))
        flags |= parent->flags & ACCESS;
    if (!(flags & HOST_ACCESS))
        flags |= parent->flags & HOST_ACCESS;
    flags |= parent->flags & HOST_POINTER;
    cl_mem mem = new_mem(parent->context, flags, region->size);
    vcl_object_retain(&parent->object);
    mem->parent = parent;
    mem->origin_bytes = region->origin;
    mem->data = parent->data + region->origin;
    if (parent->host_pointer)
        mem->host_pointer = mem->data;
    mem->room_after_bytes =
        parent->size_bytes - region->origin - region->size + parent->room_after_bytes;
    vcl_accept(error_ret);
    return mem;
}

static cl_int retain_mem(cl_mem mem)
{
    cl_int status = VCL_INJECTED(clRetainMemObject);
    if (status)
        return status;
    if (!vcl_object_is(mem, VCL_MEM))
        return CL_INVALID_MEM_OBJECT;
    vcl_object_retain(&mem->object);
    return CL_SUCCESS;
}

static cl_int release_mem(cl_mem mem)
{
    cl_int status = VCL_INJECTED(clReleaseMemObject);
    if (status)
        return status;
    if (!vcl_object_is(mem, VCL_MEM))
        return CL_INVALID_MEM_OBJECT;
    vcl_mem_release(mem);
    return CL_SUCCESS;
}

static cl_int mem_info(cl_mem mem, cl_mem_info name, size_t value_bytes, void *value,
                       size_t *value_bytes_ret)
{
    cl_int status = VCL_INJECTED(clGetMemObjectInfo);
    if (status)
        return status;
    if (!vcl_object_is(mem, VCL_MEM))
        return CL_INVALID_MEM_OBJECT;
    cl_uint number = 0;
    switch (name) {
    case CL_MEM_TYPE:
        number = CL_MEM_OBJECT_BUFFER;
        break;
    case CL_MEM_MAP_COUNT:
        number = atomic_load(&mem->maps);
        break;
    case CL_MEM_REFERENCE_COUNT:
        number = atomic_load(&mem->object.references);
        break;
    case CL_MEM_USES_SVM_POINTER:
        break;
    case CL_MEM_FLAGS:
        return vcl_answer(&mem->flags, sizeof mem->flags, value_bytes, value,
                          value_bytes_ret);
    case CL_MEM_SIZE:
        return vcl_answer(&mem->size_bytes, sizeof mem->size_bytes, value_bytes, value,
                          value_bytes_ret);
    case CL_MEM_HOST_PTR:
        return vcl_answer(&mem->host_pointer, sizeof mem->host_pointer, value_bytes,
                          value, value_bytes_ret);
    case CL_MEM_CONTEXT:
        return vcl_answer(&mem->context, sizeof mem->context, value_bytes, value,
                          value_bytes_ret);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return vcl_answer(&mem->parent, sizeof mem->parent, value_bytes, value,
                          value_bytes_ret);
    case CL_MEM_OFFSET:
        return vcl_answer(&mem->origin_bytes, sizeof mem->origin_bytes, value_bytes,
                          value, value_bytes_ret);
    case CL_MEM_PROPERTIES:
        return vcl_answer(NULL, 0, value_bytes, value, value_bytes_ret);
    default:
        return CL_INVALID_VALUE;
    }
    return vcl_answer(&number, sizeof number, value_bytes, value, value_bytes_ret);
}

static cl_int image_formats(cl_context context, cl_mem_flags flags,
                            cl_mem_object_type type, cl_uint entries,
                            cl_image_format *formats, cl_uint *count)
{
    (void)flags, (void)type, (void)entries, (void)formats;
    cl_int status = VCL_INJECTED(clGetSupportedImageFormats);
    if (status)
        return status;
    if (!vcl_object_is(context, VCL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (count)
        *count = 0;
    return CL_SUCCESS;
}

void vcl_memory_install(cl_icd_dispatch *table)
{
    table->clCreateBuffer = create_buffer;
    table->clCreateBufferWithProperties = create_buffer_with;
    table->clCreateSubBuffer = create_sub;
    table->clRetainMemObject = retain_mem;
    table->clReleaseMemObject = release_mem;
    table->clGetMemObjectInfo = mem_info;
    table->clGetSupportedImageFormats = image_formats;
}
