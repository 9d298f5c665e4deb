// SPDX-License-Identifier: Apache-2.0
// Names and shapes of dumped files.
#include "protocol/dump.h"

void ct_dump_name(const char *buffer, enum ct_dump_kind kind, struct ct_str *out)
{
    ct_str_addf(out, "%s%s.npy", buffer,
                kind == CT_DUMP_AFTER    ? ""
                : kind == CT_DUMP_BEFORE ? ".before"
                                         : ".truth");
}

const struct ct_plan_buffer *ct_dump_buffer(const struct ct_plan *plan, uint32_t buffer,
                                            enum ct_dump_kind kind)
{
    const struct ct_plan_buffer *own = &plan->buffers[buffer];
    const struct ct_plan_buffer *other = own;

    if (kind == CT_DUMP_TRUTH && plan->reference_plan && !own->has_expect)
        other = &plan->reference_plan->buffers[buffer];
    /* The same scalars have the same shape, however the reference arranges them. */
    return other->count == own->count && other->type.scalar == own->type.scalar &&
                   other->type.width == own->type.width
               ? own
               : other;
}
