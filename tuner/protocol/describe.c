// SPDX-License-Identifier: Apache-2.0
// Descriptions of kernels in messages.
#include "protocol/describe.h"

void ct_described_put(struct ct_str *out, const struct ct_described *described)
{
    ct_wire_put_u32(out, described->built);
    ct_wire_put_text(out, described->log);
    ct_wire_put_u64(out, described->kernel_count);
    for (size_t i = 0; i < described->kernel_count; i++) {
        const struct ct_described_kernel *kernel = &described->kernels[i];

        ct_wire_put_text(out, kernel->name);
        for (int d = 0; d < 3; d++)
            ct_wire_put_u64(out, kernel->required[d]);
        ct_wire_put_u32(out, kernel->args != NULL);
        ct_wire_put_u64(out, kernel->arg_count);
        for (size_t a = 0; kernel->args && a < kernel->arg_count; a++) {
            ct_wire_put_text(out, kernel->args[a].name);
            ct_wire_put_text(out, kernel->args[a].type);
            ct_wire_put_u32(out, (uint32_t)kernel->args[a].place);
            ct_wire_put_u32(out, kernel->args[a].is_const);
        }
    }
}

static const char *get_text(struct ct_wire_reader *in, struct ct_arena *arena)
{
    const char *text = ct_wire_get_text(in, arena);

    return text ? text : "";
}

static void get_args(struct ct_wire_reader *in, struct ct_arena *arena,
                     struct ct_described_kernel *kernel)
{
    kernel->arg_count = ct_wire_get_count(in, 16);
    kernel->args = ct_arena_array(arena, kernel->arg_count + 1, sizeof(*kernel->args));
    in->failed = in->failed || !kernel->args;
    for (size_t a = 0; !in->failed && a < kernel->arg_count; a++) {
        struct ct_described_arg *arg = &kernel->args[a];
        uint32_t place;

        arg->name = get_text(in, arena);
        arg->type = get_text(in, arena);
        place = ct_wire_get_u32(in);
        in->failed = in->failed || place >= CT_PLACE_COUNT;
        arg->place = in->failed ? CT_PLACE_VALUE : (enum ct_described_place)place;
        arg->is_const = ct_wire_get_u32(in) != 0;
    }
}

void ct_described_get(struct ct_wire_reader *in, struct ct_arena *arena,
                      struct ct_described *out)
{
    *out = (struct ct_described){.built = ct_wire_get_u32(in) != 0};
    out->log = get_text(in, arena);
    out->kernel_count = ct_wire_get_count(in, 40);
    out->kernels = ct_arena_array(arena, out->kernel_count + 1, sizeof(*out->kernels));
    in->failed = in->failed || !out->kernels;
    for (size_t i = 0; !in->failed && i < out->kernel_count; i++) {
        struct ct_described_kernel *kernel = &out->kernels[i];

        kernel->name = get_text(in, arena);
        for (int d = 0; d < 3; d++)
            kernel->required[d] = ct_wire_get_u64(in);
        if (ct_wire_get_u32(in))
            get_args(in, arena, kernel);
        else
            kernel->arg_count = (size_t)ct_wire_get_u64(in);
    }
    if (in->failed)
        out->kernel_count = 0;
}
