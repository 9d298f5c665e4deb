// SPDX-License-Identifier: Apache-2.0
// Evaluates a configuration and collects what its buffers held.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "tune/repro.h"

#include "base/temporary.h"
#include "plan/layout.h"
#include "protocol/dump.h"
#include "protocol/npy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum ct_status ct_repro_init(struct ct_repro *repro,
                             const struct ct_tune_options *options,
                             const struct ct_observer *observer,
                             const struct ct_devinfo *device, const struct ct_spec *spec,
                             struct ct_binding *binding, struct ct_err *err)
{
    enum ct_status status;

    memset(repro, 0, sizeof(*repro));
    repro->seed = options->seed;
    status = ct_run_init(&repro->run, options, observer, device, spec, binding, err);
    if (!status && spec->command.present)
        status = ct_err_at(err, CT_E_USAGE, spec->path, 0, 0,
                           "[program] is not supported: its commands run without cltune; "
                           "'cltune space %s --explain' prints them",
                           spec->path);
    return status;
}

void ct_repro_release(struct ct_repro *repro)
{
    for (size_t i = 0; repro->buffers && i < repro->run.plan.buffer_count; i++) {
        free(repro->buffers[i].input);
        free(repro->buffers[i].after);
        free(repro->buffers[i].truth);
    }
    free(repro->buffers);
    ct_run_release(&repro->run);
}

/* --- what was dumped --- */

/* Reads one file; NULL in `*out` if it has not been written. */
static enum ct_status read_dumped(const struct ct_repro *repro, uint32_t buffer,
                                  enum ct_dump_kind kind, unsigned char **out,
                                  struct ct_err *err)
{
    const struct ct_outcome *outcome = &repro->run.outcome;
    const struct ct_plan_buffer *model = ct_dump_buffer(&repro->run.plan, buffer, kind);
    bool written = false;
    size_t size = 0;
    struct ct_str path;
    enum ct_status status;

    for (size_t i = 0; i < outcome->dump.count; i++)
        written = written || (outcome->dump.items[i].buffer == buffer &&
                              outcome->dump.items[i].kind == kind);
    *out = NULL;
    if (!written)
        return CT_OK;
    *out = ct_layout_size(model, &size) ? ct_mem_array(size, 1) : NULL;
    if (!*out)
        return ct_err_nomem(err);
    ct_str_init(&path);
    ct_str_addf(&path, "%s/", repro->run.dump);
    ct_dump_name(repro->run.plan.buffers[buffer].name, kind, &path);
    status = path.failed
                 ? ct_err_nomem(err)
                 : ct_npy_read(path.data, NULL, model->type, model->count, *out, err);
    ct_str_release(&path);
    return status;
}

static enum ct_status read_buffer(struct ct_repro *repro, uint32_t index,
                                  struct ct_err *err)
{
    const struct ct_plan_buffer *planned = &repro->run.plan.buffers[index];
    struct ct_repro_buffer *buffer = &repro->buffers[index];
    size_t size = 0;
    enum ct_status status = read_dumped(repro, index, CT_DUMP_AFTER, &buffer->after, err);

    if (!status)
        status = read_dumped(repro, index, CT_DUMP_BEFORE, &buffer->input, err);
    if (!status)
        status = read_dumped(repro, index, CT_DUMP_TRUTH, &buffer->truth, err);
    buffer->model = ct_dump_buffer(&repro->run.plan, index, CT_DUMP_TRUTH);
    /* What no launch writes is its input, too. */
    if (!status && buffer->after && !buffer->input &&
        planned->fill.kind != CT_FILL_NONE && ct_layout_size(planned, &size)) {
        buffer->input = ct_mem_array(size, 1);
        if (!buffer->input)
            return ct_err_nomem(err);
        memcpy(buffer->input, buffer->after, size);
    }
    /* A file is there whatever became of the configuration. */
    if (!status && !buffer->input && planned->fill.kind == CT_FILL_FILE &&
        ct_layout_size(planned, &size)) {
        buffer->input = ct_mem_array(size, 1);
        status = buffer->input ? ct_npy_read(planned->fill.path, NULL, planned->type,
                                             planned->count, buffer->input, err)
                               : ct_err_nomem(err);
    }
    return status;
}

/* --- how contents are made --- */

static bool is_small(double value)
{
    return fabs(value) < 0x1p50 && value == trunc(value);
}

/* Whether a program without cltune's code for large integers and halves can compute the fill. */
static bool is_computed(const struct ct_plan_buffer *buffer)
{
    const struct ct_fill *fill = &buffer->fill;
    bool real = buffer->type.scalar == CT_T_FLOAT || buffer->type.scalar == CT_T_DOUBLE;
    bool integer =
        buffer->type.scalar < CT_T_HALF && is_small(fill->a) && is_small(fill->b);

    switch (fill->kind) {
    case CT_FILL_ZERO:
        return true;
    case CT_FILL_CONSTANT:
    case CT_FILL_UNIFORM:
        return real || integer;
    case CT_FILL_RAMP:
        return real ||
               (integer &&
                fabs(fill->a) + fabs(fill->b) * 16 * (double)buffer->count < 0x1p50);
    case CT_FILL_NORMAL:
        return real;
    default:
        return false;
    }
}

/* Clamped values are not what a simple conversion gives: then the bytes are embedded. */
static bool fits(const struct ct_plan_buffer *buffer)
{
    const struct ct_fill *fill = &buffer->fill;
    double last = fill->kind == CT_FILL_RAMP
                      ? fill->a + fill->b * 16 * (double)buffer->count
                      : fill->b;
    size_t bits = 8 * ct_scalar_size(buffer->type.scalar);
    bool sign = buffer->type.scalar == CT_T_CHAR || buffer->type.scalar == CT_T_SHORT ||
                buffer->type.scalar == CT_T_INT || buffer->type.scalar == CT_T_LONG;
    double high = ldexp(1, (int)(bits - sign)) - 1;
    double low = sign ? -high - 1 : 0;

    if (buffer->type.scalar >= CT_T_HALF || fill->kind == CT_FILL_ZERO)
        return true;
    if (fill->kind == CT_FILL_CONSTANT)
        return fill->a >= low && fill->a <= high;
    return fmin(fill->a, last) >= low && fmax(fill->a, last) <= high;
}

static enum ct_repro_source source_of(const struct ct_plan_buffer *planned,
                                      const struct ct_repro_buffer *buffer)
{
    size_t size = 0;

    if (planned->fill.kind == CT_FILL_NONE)
        return CT_REPRO_NONE;
    if (planned->fill.kind == CT_FILL_COPY)
        return CT_REPRO_COPY;
    if (is_computed(planned) && fits(planned))
        return CT_REPRO_COMPUTED;
    if (!buffer->input || !ct_layout_size(planned, &size))
        return CT_REPRO_UNKNOWN;
    return size <= CT_REPRO_EMBEDDED_MOST ? CT_REPRO_EMBEDDED : CT_REPRO_BESIDE;
}

/* --- evaluating --- */

static enum ct_status keep_contents(struct ct_repro *repro, struct ct_err *err)
{
    enum ct_status status = CT_OK;

    repro->buffers = ct_mem_array(repro->run.plan.buffer_count, sizeof(*repro->buffers));
    if (!repro->buffers)
        return ct_err_nomem(err);
    for (size_t i = 0; !status && i < repro->run.plan.buffer_count; i++) {
        status = read_buffer(repro, (uint32_t)i, err);
        repro->buffers[i].source =
            source_of(&repro->run.plan.buffers[i], &repro->buffers[i]);
    }
    return status;
}

/* Removes what the worker wrote, and the folder. */
static void remove_dumped(const struct ct_repro *repro, const char *folder)
{
    for (size_t i = 0; i < repro->run.plan.buffer_count; i++)
        for (int kind = 0; kind < CT_DUMP_NO_TRUTH; kind++) {
            struct ct_str path;

            ct_str_init(&path);
            ct_str_addf(&path, "%s/", folder);
            ct_dump_name(repro->run.plan.buffers[i].name, (enum ct_dump_kind)kind, &path);
            if (!path.failed)
                unlink(path.data);
            ct_str_release(&path);
        }
    rmdir(folder);
}

enum ct_status ct_repro_measure(struct ct_repro *repro, struct ct_err *err)
{
    struct ct_str folder;
    enum ct_status status = CT_OK;
    int fd;

    ct_str_init(&folder);
    fd = ct_temporary_open(&folder, err);
    if (fd < 0) {
        ct_str_release(&folder);
        return CT_E_IO;
    }
    ct_str_puts(&folder, "/repro-XXXXXX");
    if (folder.failed)
        status = ct_err_nomem(err);
    else if (!mkdtemp(folder.data))
        status = ct_err_set(err, CT_E_IO, "cannot create folder %s: %s", folder.data,
                            strerror(errno));
    close(fd);
    if (!status) {
        status = ct_run_dump(&repro->run, folder.data, err);
        if (!status)
            status = ct_run_measure(&repro->run, err);
        if (!status)
            status = keep_contents(repro, err);
        remove_dumped(repro, folder.data);
    }
    ct_str_release(&folder);
    return status;
}
