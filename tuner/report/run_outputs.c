// SPDX-License-Identifier: Apache-2.0
// Shows wrong values and dumped files of `cltune run`.
#include "report/run_outputs.h"

#include "base/show.h"
#include "plan/json.h"
#include "plan/shape.h"
#include "protocol/dump.h"
#include "report/print.h"

#include <inttypes.h>
#include <stdio.h>

/* --- wrong values --- */

/* Workers are not trusted. */
static bool is_known(const struct ct_run *run, uint32_t buffer)
{
    return buffer < run->plan.buffer_count;
}

static void print_difference(const struct ct_run *run, const struct ct_mismatch *item)
{
    const struct ct_plan_buffer *buffer = &run->plan.buffers[item->buffer];
    struct ct_shape index = ct_shape_index(buffer, item->element);
    struct ct_arena arena = {0};

    ct_print("%s[", buffer->name);
    for (unsigned d = 0; d < index.dims; d++)
        ct_print("%s%" PRIu64, d ? ", " : "", index.size[d]);
    ct_print("]: %s, %s %s\n",
             item->unwritten ? "never written" : ct_show_line(&arena, item->seen_text),
             buffer->has_expect ? "expected is" : "the reference has",
             ct_show_line(&arena, item->expected_text));
    ct_arena_release(&arena);
}

void ct_report_run_differences(const struct ct_run *run)
{
    const char *label = "differs  ";

    for (size_t i = 0; i < run->outcome.differences.count; i++) {
        const struct ct_mismatch *item = &run->outcome.differences.items[i];

        if (!is_known(run, item->buffer))
            continue;
        ct_print("%s", label);
        print_difference(run, item);
        label = "         ";
    }
}

json_t *ct_report_run_differences_json(const struct ct_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->outcome.differences.count; i++) {
        const struct ct_mismatch *item = &run->outcome.differences.items[i];
        struct ct_shape index;
        json_t *indices = json_array();

        if (!is_known(run, item->buffer)) {
            json_decref(indices);
            continue;
        }
        index = ct_shape_index(&run->plan.buffers[item->buffer], item->element);
        for (unsigned d = 0; d < index.dims; d++)
            json_array_append_new(indices, json_integer((json_int_t)index.size[d]));
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:b}", "buffer",
                            ct_json_text(run->plan.buffers[item->buffer].name), "index",
                            indices, "value", ct_json_text(item->seen_text), "expected",
                            ct_json_text(item->expected_text), "never_written",
                            item->unwritten ? 1 : 0));
    }
    return list;
}

/* --- files --- */

static void print_file(const struct ct_run *run, const struct ct_dumped *file)
{
    const struct ct_plan_buffer *buffer =
        ct_dump_buffer(&run->plan, file->buffer, file->kind);
    struct ct_shape shape = ct_shape_of(buffer);
    struct ct_str name;
    char type[16];

    ct_str_init(&name);
    ct_dump_name(run->plan.buffers[file->buffer].name, file->kind, &name);
    ct_type_name((struct ct_type){buffer->type.scalar, 1}, type);
    ct_print("         %s", name.data);
    if (file->kind == CT_DUMP_NO_TRUTH) {
        ct_print(" is not written: nothing is expected of buffer %s\n", buffer->name);
    } else {
        ct_print("  %s", type);
        for (unsigned d = 0; d < shape.dims; d++)
            ct_print("%s%" PRIu64, d ? " x " : " ", shape.size[d]);
        ct_print_text("\n");
    }
    ct_str_release(&name);
}

/* A worker that died while it timed had written the files, but did not list them. */
static bool died_later(const struct ct_outcome *outcome)
{
    return !outcome->dump.count && outcome->phase == CT_PHASE_MEASURE;
}

void ct_report_run_dump(const struct ct_run *run)
{
    const struct ct_outcome *o = &run->outcome;
    struct ct_arena arena = {0};

    if (!run->dump)
        return;
    if (!o->dump.count && !died_later(o))
        ct_print("dump     nothing to write: the configuration left no outputs (%s)\n",
                 ct_result_status_name(o->status));
    else
        ct_print("dump     %s, buffers after the %s\n", ct_show_line(&arena, run->dump),
                 o->dump.timed ? "timed launches" : "first launch");
    for (size_t i = 0; i < o->dump.count; i++)
        if (is_known(run, o->dump.items[i].buffer))
            print_file(run, &o->dump.items[i]);
    ct_arena_release(&arena);
}

json_t *ct_report_run_dump_json(const struct ct_run *run)
{
    const struct ct_outcome *o = &run->outcome;
    json_t *files = json_array();

    for (size_t i = 0; i < o->dump.count; i++) {
        const struct ct_dumped *file = &o->dump.items[i];
        struct ct_str name;

        if (!is_known(run, file->buffer) || file->kind == CT_DUMP_NO_TRUTH)
            continue;
        ct_str_init(&name);
        ct_dump_name(run->plan.buffers[file->buffer].name, file->kind, &name);
        json_array_append_new(files, ct_json_text(name.data));
        ct_str_release(&name);
    }
    return run->dump ? json_pack("{s:o, s:b, s:o}", "folder", ct_json_text(run->dump),
                                 "timed", o->dump.timed ? 1 : 0, "files", files)
                     : (json_decref(files), json_null());
}
