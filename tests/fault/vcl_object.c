// SPDX-License-Identifier: Apache-2.0
// Reference counts of the virtual driver's objects and the size rules of its queries.

#include "vcl.h"

#include <string.h>

void vcl_object_init(struct vcl_object *object, enum vcl_kind kind)
{
    object->dispatch = vcl_dispatch();
    object->kind = kind;
    atomic_init(&object->references, 1);
}

bool vcl_object_is(const void *handle, enum vcl_kind kind)
{
    return handle && ((const struct vcl_object *)handle)->kind == kind;
}

void vcl_object_retain(struct vcl_object *object)
{
    atomic_fetch_add(&object->references, 1);
}

bool vcl_object_drop(struct vcl_object *object)
{
    return atomic_fetch_sub(&object->references, 1) == 1;
}

cl_int vcl_answer(const void *data, size_t data_bytes, size_t value_bytes, void *value,
                  size_t *value_bytes_ret)
{
    if (value && value_bytes < data_bytes)
        return CL_INVALID_VALUE;
    if (value && data_bytes > 0)
        memcpy(value, data, data_bytes);
    if (value_bytes_ret)
        *value_bytes_ret = data_bytes;
    return CL_SUCCESS;
}

cl_int vcl_answer_text(const char *text, size_t value_bytes, void *value,
                       size_t *value_bytes_ret)
{
    if (!text)
        text = "";
    return vcl_answer(text, strlen(text) + 1, value_bytes, value, value_bytes_ret);
}

void *vcl_refuse(cl_int *error_ret, cl_int status)
{
    if (error_ret)
        *error_ret = status;
    return NULL;
}

void vcl_accept(cl_int *error_ret)
{
    if (error_ret)
        *error_ret = CL_SUCCESS;
}
