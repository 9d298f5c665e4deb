// SPDX-License-Identifier: Apache-2.0
// The buffers of a configuration: how they are filled, and what a run leaves in them.
#include "report/repro_impl.h"

#include "plan/layout.h"
#include "spacefile/spec.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    SPOTS_ALL = 4096, /* as many expected values are all in the program */
    SPOTS = 1024,     /* of more, so many at equal distances, and those found wrong */
};

/* The position in host memory of scalar `i`, which does not count pad lanes. */
static size_t place_of(const struct ct_plan_buffer *buffer, uint64_t i)
{
    size_t width = buffer->type.width;
    size_t stride = width == 3 ? 4 : width;

    return (size_t)(i / width) * stride + (size_t)(i % width);
}

static uint64_t bits_at(const struct ct_plan_buffer *buffer, const unsigned char *bytes,
                        uint64_t i)
{
    size_t size = ct_scalar_size(buffer->type.scalar);
    const unsigned char *at = bytes + place_of(buffer, i) * size;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1:
        memcpy(&one, at, size);
        return one;
    case 2:
        memcpy(&two, at, size);
        return two;
    case 4:
        memcpy(&four, at, size);
        return four;
    default:
        memcpy(&eight, at, sizeof(eight));
        return eight;
    }
}

/* As the program computes it: FNV-1a, low bytes first. */
static uint64_t checksum_of(const struct ct_plan_buffer *buffer,
                            const unsigned char *bytes, uint64_t count)
{
    size_t size = ct_scalar_size(buffer->type.scalar);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = bits_at(buffer, bytes, i);

        for (size_t k = 0; k < size; k++)
            hash = (hash ^ (bits >> 8 * k & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void ct_report_repro_scalars(const struct ct_plan_buffer *buffer,
                             const unsigned char *bytes, struct ct_str *out)
{
    size_t size = ct_scalar_size(buffer->type.scalar);

    for (uint64_t e = 0; e < buffer->count; e++)
        ct_str_add(out, (const char *)bytes + e * ct_type_size(buffer->type),
                   size * buffer->type.width);
}

void ct_report_repro_file(const char *name, const struct ct_plan_buffer *buffer,
                          struct ct_str *out)
{
    ct_str_addf(out, "%s.%s.bin", name, buffer->name);
}

/* --- expected values --- */

static bool all_bits_set(const struct ct_plan_buffer *buffer, uint64_t bits)
{
    return bits == UINT64_MAX >> (64 - 8 * ct_scalar_size(buffer->type.scalar));
}

/* All bits set is what nobody has written: it is not compared. */
static size_t put_spot(struct ct_str *out, const struct ct_plan_buffer *buffer,
                       const unsigned char *truth, uint64_t i)
{
    uint64_t bits = bits_at(buffer, truth, i);

    if (all_bits_set(buffer, bits))
        return 0;
    ct_str_addf(out, "    {%" PRIu64 "u, UINT64_C(0x%" PRIx64 ")},\n", i, bits);
    return 1;
}

/* Scalars that cltune found wrong. */
static size_t put_wrong_spots(struct ct_str *out, const struct ct_repro *repro,
                              size_t index)
{
    const struct ct_plan_buffer *buffer = &repro->run.plan.buffers[index];
    const struct ct_outcome *outcome = &repro->run.outcome;
    size_t stride = buffer->type.width == 3 ? 4 : buffer->type.width;
    size_t put = 0;

    for (size_t i = 0; i < outcome->differences.count; i++) {
        const struct ct_mismatch *wrong = &outcome->differences.items[i];

        if (wrong->buffer == index && !wrong->guard)
            put += put_spot(out, buffer, repro->buffers[index].truth,
                            wrong->element / stride * buffer->type.width +
                                wrong->element % stride);
    }
    return put;
}

static size_t put_spots(struct ct_str *out, const struct ct_repro *repro, size_t index)
{
    const struct ct_plan_buffer *buffer = &repro->run.plan.buffers[index];
    const struct ct_repro_buffer *own = &repro->buffers[index];
    uint64_t total = buffer->compare * buffer->type.width;
    uint64_t shown = total <= SPOTS_ALL ? total : SPOTS;
    size_t count = 0;

    if (!own->truth || !own->after || buffer->reduce != CT_REDUCE_NONE ||
        buffer->check == CT_CHECK_NONE || buffer->check == CT_CHECK_C)
        return 0;
    ct_str_addf(out, "static const struct spot spots_%zu[] = {\n", index);
    for (uint64_t i = 0; i < shown; i++)
        count +=
            put_spot(out, buffer, own->truth, shown == total ? i : i * (total / shown));
    if (shown < total)
        count += put_wrong_spots(out, repro, index);
    if (!count)
        ct_str_puts(out, "    {0, 0},\n");
    ct_str_puts(out, "};\n");
    return count;
}

/* As the program does it: one component of the expected values, in order. */
static double reduced_of(const struct ct_plan_buffer *buffer, const unsigned char *truth,
                         size_t component, size_t components)
{
    uint64_t total = buffer->compare * buffer->type.width;
    double reduced = 0;

    for (uint64_t i = component; i < total; i += components) {
        double value = ct_scalar_load(buffer->type.scalar, truth, place_of(buffer, i));

        if (buffer->reduce == CT_REDUCE_SUM)
            reduced += value;
        else if (i == component ||
                 (buffer->reduce == CT_REDUCE_MIN ? value < reduced : value > reduced))
            reduced = value;
    }
    return reduced;
}

/* The reference may have a buffer of another size: `own->model`. */
static bool put_reduced(struct ct_str *out, size_t index,
                        const struct ct_plan_buffer *buffer,
                        const struct ct_repro_buffer *own)
{
    size_t components = ct_layout_host(buffer).components;

    if (!own->truth || buffer->reduce == CT_REDUCE_NONE ||
        buffer->check == CT_CHECK_NONE || buffer->check == CT_CHECK_C)
        return false;
    ct_str_addf(out, "static const double reduced_%zu[] = {", index);
    for (size_t c = 0; c < components; c++) {
        ct_str_puts(out, c ? ", " : "");
        ct_repro_put_real(out, reduced_of(own->model, own->truth, c, components));
    }
    ct_str_puts(out, "};\n");
    return true;
}

/* The scale of a relative tolerance (doc/space-file.md): over finite values. */
static double rms_of(const struct ct_plan_buffer *buffer, const unsigned char *truth)
{
    uint64_t total = buffer->compare * buffer->type.width;
    uint64_t count = 0;
    double sum = 0;

    for (uint64_t i = 0; i < total; i++) {
        double value = ct_scalar_load(buffer->type.scalar, truth, place_of(buffer, i));

        if (!isfinite(value))
            continue;
        sum += value * value;
        count++;
    }
    return count && isfinite(sum) ? sqrt(sum / (double)count) : 0;
}

/* --- contents --- */

static void put_bytes(struct ct_str *out, const char *what, size_t index,
                      const struct ct_plan_buffer *buffer, const unsigned char *input)
{
    struct ct_str scalars;

    ct_str_init(&scalars);
    ct_report_repro_scalars(buffer, input, &scalars);
    ct_str_addf(out, "static const unsigned char %s_%zu[] = {", what, index);
    for (size_t i = 0; i < scalars.length; i++)
        ct_str_addf(out, "%s%u,", i % 24 ? "" : "\n    ",
                    (unsigned)(unsigned char)scalars.data[i]);
    ct_str_puts(out, "\n};\n");
    ct_str_release(&scalars);
}

static const char *fill_name(const struct ct_plan_buffer *buffer,
                             enum ct_repro_source source)
{
    static const char *const computed[] = {
        [CT_FILL_NONE] = "FILL_NONE",         [CT_FILL_ZERO] = "FILL_ZERO",
        [CT_FILL_CONSTANT] = "FILL_CONSTANT", [CT_FILL_RAMP] = "FILL_RAMP",
        [CT_FILL_UNIFORM] = "FILL_UNIFORM",   [CT_FILL_NORMAL] = "FILL_NORMAL",
    };

    switch (source) {
    case CT_REPRO_NONE:
        return "FILL_NONE";
    case CT_REPRO_COMPUTED:
        return computed[buffer->fill.kind];
    case CT_REPRO_COPY:
        return "FILL_COPY";
    case CT_REPRO_EMBEDDED:
        return "FILL_BYTES";
    case CT_REPRO_BESIDE:
        return "FILL_FILE";
    case CT_REPRO_UNKNOWN:
        break;
    }
    return "FILL_ZERO";
}

static void put_input(const struct ct_repro *repro, size_t index, const char *name,
                      struct ct_str *out)
{
    const struct ct_plan_buffer *buffer = &repro->run.plan.buffers[index];
    const struct ct_repro_buffer *own = &repro->buffers[index];
    bool summed = own->input && own->source != CT_REPRO_NONE;

    ct_str_addf(out, "     .fill = %s", fill_name(buffer, own->source));
    if (own->source == CT_REPRO_COMPUTED) {
        ct_str_puts(out, ", .a = ");
        ct_repro_put_real(out, buffer->fill.a);
        ct_str_puts(out, ", .b = ");
        ct_repro_put_real(out, buffer->fill.b);
        ct_str_addf(out, ", .seed = UINT64_C(0x%" PRIx64 ")",
                    buffer->fill.seed ^ (repro->seed * 0x9e3779b97f4a7c15u));
    }
    if (own->source == CT_REPRO_COPY)
        ct_str_addf(out, ", .source = %" PRIu32, buffer->fill.sources[0]);
    if (own->source == CT_REPRO_EMBEDDED)
        ct_str_addf(out, ", .data = data_%zu", index);
    if (own->source == CT_REPRO_BESIDE) {
        struct ct_str file;

        ct_str_init(&file);
        ct_report_repro_file(name, buffer, &file);
        ct_str_puts(out, ", .file = ");
        ct_repro_put_string(out, file.data);
        ct_str_release(&file);
    }
    ct_str_puts(out, ",\n");
    if (summed)
        ct_str_addf(out,
                    "     .has_input_checksum = 1, .input_checksum = UINT64_C(0x%" PRIx64
                    "),\n",
                    checksum_of(buffer, own->input, buffer->count * buffer->type.width));
}

/* --- one buffer --- */

/* Whether launches access a buffer: others have no copies for cold caches. */
static bool is_used(const struct ct_plan *plan, size_t index)
{
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct ct_plan_launch *launch = &plan->launches[i];

        if ((launch->kind != CT_LAUNCH_KERNEL && launch->to == index) ||
            (launch->kind == CT_LAUNCH_COPY && launch->from == index))
            return true;
        for (size_t k = 0; k < launch->arg_count; k++)
            if (launch->args[k].kind == CT_ARG_BUFFER && launch->args[k].buffer == index)
                return true;
    }
    return false;
}

static void put_shape(const struct ct_plan_buffer *buffer, bool used, struct ct_str *out)
{
    static const char *const scalars[] = {
        [CT_T_CHAR] = "CHAR",     [CT_T_UCHAR] = "UCHAR",  [CT_T_SHORT] = "SHORT",
        [CT_T_USHORT] = "USHORT", [CT_T_INT] = "INT",      [CT_T_UINT] = "UINT",
        [CT_T_LONG] = "LONG",     [CT_T_ULONG] = "ULONG",  [CT_T_HALF] = "HALF",
        [CT_T_FLOAT] = "FLOAT",   [CT_T_DOUBLE] = "DOUBLE"};
    static const char *const flags[] = {
        [CT_TRANSFER_WRITE] = "0",
        [CT_TRANSFER_MAP] = "CL_MEM_ALLOC_HOST_PTR",
        [CT_TRANSFER_HOST] = "CL_MEM_USE_HOST_PTR",
    };
    struct ct_layout layout = ct_layout_device(buffer);
    size_t bytes = 0;

    (void)ct_layout_device_size(buffer, &bytes);
    ct_str_addf(out,
                "     .scalar = %s, .scalars = %" PRIu64
                "u, .components = %zu, .record_step = %zu,\n"
                "     .scalar_step = %zu, .bytes = %zu, .flags = %s, .restored = %d,\n"
                "     .used = %d,\n",
                scalars[buffer->type.scalar], buffer->count * buffer->type.width,
                layout.components, layout.record_step, layout.scalar_step, bytes,
                flags[buffer->transfer], buffer->restore == CT_RESTORE_EACH, used);
    if (buffer->image.dims)
        ct_str_addf(out,
                    "     .dims = %" PRIu32 ", .size = {%" PRIu64 ", %" PRIu64
                    ", %" PRIu64 "}, .format = {%s, %s},\n",
                    buffer->image.dims, buffer->image.size[0], buffer->image.size[1],
                    buffer->image.size[2], ct_spec_orders[buffer->image.order],
                    ct_spec_channels[buffer->image.channel]);
}

static void put_check(const struct ct_plan_buffer *buffer,
                      const struct ct_repro_buffer *own, size_t index, size_t spots,
                      bool reduced, bool judged, struct ct_str *out)
{
    static const char *const checks[] = {
        [CT_CHECK_NONE] = "CHECK_NONE",         [CT_CHECK_RELATIVE] = "CHECK_RELATIVE",
        [CT_CHECK_ABSOLUTE] = "CHECK_ABSOLUTE", [CT_CHECK_EXACT] = "CHECK_EXACT",
        [CT_CHECK_C] = "CHECK_OTHER",
    };
    static const char *const reductions[] = {"REDUCE_NONE", "REDUCE_SUM", "REDUCE_MIN",
                                             "REDUCE_MAX"};
    uint64_t compared = buffer->compare * buffer->type.width;

    if (buffer->check == CT_CHECK_NONE || !own->after)
        return;
    ct_str_addf(out,
                "     .compared = %" PRIu64
                "u, .has_checksum = 1, .checksum = UINT64_C(0x%" PRIx64 "),\n",
                compared, checksum_of(buffer, own->after, compared));
    ct_str_addf(out, "     .check = %s, .tolerance = ",
                judged ? "CHECK_FUNCTION" : checks[buffer->check]);
    ct_repro_put_real(out, buffer->tolerance);
    if (own->truth) {
        ct_str_puts(out, ", .rms = ");
        ct_repro_put_real(out, rms_of(own->model, own->truth));
    }
    if (spots)
        ct_str_addf(out, ", .spots = spots_%zu, .spot_count = %zu", index, spots);
    if (reduced)
        ct_str_addf(out, ", .reduce = %s, .reduced = reduced_%zu",
                    reductions[buffer->reduce], index);
    ct_str_puts(out, ",\n");
}

/* Replaces CHECK_OTHER. */
static void put_judge(const struct ct_repro *repro, size_t index, const char *name,
                      struct ct_str *out)
{
    const struct ct_plan_buffer *buffer = &repro->run.plan.buffers[index];
    const struct ct_plan_buffer *model = repro->buffers[index].model;
    struct ct_str file;

    ct_str_addf(out,
                "     .judge = judge_%zu, .elements = %" PRIu64 "u, .width = %" PRIu32
                "u,\n     .expected_scalars = %" PRIu64 "u, ",
                index, buffer->compare, buffer->type.width,
                model->count * model->type.width);
    ct_str_init(&file);
    if (ct_report_repro_expected(repro, name, index, &file)) {
        ct_str_puts(out, ".expected_file = ");
        ct_repro_put_string(out, file.data);
    } else {
        ct_str_addf(out, ".expected = expected_%zu", index);
    }
    ct_str_puts(out, ",\n");
    ct_str_release(&file);
}

void ct_repro_put_buffers(const struct ct_repro *repro, const char *name,
                          struct ct_str *out)
{
    const struct ct_plan *plan = &repro->run.plan;
    struct ct_str table;

    ct_str_init(&table);
    ct_str_puts(&table, plan->buffer_count ? "" : "    {.name = \"\"},\n");
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct ct_plan_buffer *buffer = &plan->buffers[i];
        const struct ct_repro_buffer *own = &repro->buffers[i];
        size_t spots = put_spots(out, repro, i);
        bool reduced = put_reduced(out, i, buffer, own);
        bool judged = ct_repro_has_judge(repro, i);

        if (own->source == CT_REPRO_EMBEDDED)
            put_bytes(out, "data", i, buffer, own->input);
        if (judged && !ct_repro_expected_beside(repro, i))
            put_bytes(out, "expected", i, own->model, own->truth);
        ct_str_puts(&table, "    {.name = ");
        ct_repro_put_string(&table, buffer->name);
        ct_str_puts(&table, ",\n");
        put_shape(buffer, is_used(plan, i), &table);
        put_input(repro, i, name, &table);
        put_check(buffer, own, i, spots, reduced, judged, &table);
        if (judged)
            put_judge(repro, i, name, &table);
        ct_str_puts(&table, "    },\n");
    }
    ct_str_addf(out, "\nstatic const struct buffer buffers[BUFFER_COUNT] = {\n%s};\n\n",
                table.data ? table.data : "");
    out->failed = out->failed || table.failed;
    ct_str_release(&table);
}
