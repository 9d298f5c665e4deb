// SPDX-License-Identifier: Apache-2.0
// Check functions of C: their files as a part of the program, and a call for each buffer.
#include "report/repro_impl.h"

#include "init/definitions.h"
#include "plan/layout.h"
#include "spacefile/reader/reader.h"
#include "spacefile/type.h"

#include <string.h>

bool ct_repro_has_judge(const struct ct_repro *repro, size_t index)
{
    const struct ct_repro_buffer *own = &repro->buffers[index];

    return repro->run.plan.buffers[index].check == CT_CHECK_C && own->truth && own->after;
}

bool ct_repro_expected_beside(const struct ct_repro *repro, size_t index)
{
    size_t size = 0;

    return ct_repro_has_judge(repro, index) &&
           ct_layout_size(repro->buffers[index].model, &size) &&
           size > CT_REPRO_EMBEDDED_MOST;
}

bool ct_report_repro_expected(const struct ct_repro *repro, const char *name,
                              size_t index, struct ct_str *out)
{
    if (!ct_repro_expected_beside(repro, index))
        return false;
    ct_str_addf(out, "%s.%s.expected.bin", name, repro->run.plan.buffers[index].name);
    return true;
}

/* --- names --- */

/* Where one file's names are put. */
struct renaming {
    struct ct_str *out;
    size_t index; /* of the first buffer that the file checks */
    bool ends;
};

/* Two files may define the same name, and so does this program. */
static void rename_one(void *context, const char *name)
{
    const struct renaming *r = context;

    if (r->ends)
        ct_str_addf(r->out, "#undef %s\n", name);
    else
        ct_str_addf(r->out, "#undef %s\n#define %s check_%zu_%s\n", name, name, r->index,
                    name);
}

static void put_names(const struct ct_code *code, size_t index, bool ends,
                      struct ct_str *out)
{
    struct renaming r = {out, index, ends};

    for (size_t i = 0; ends && i < code->macro_count; i++)
        ct_str_addf(out, "#undef %s\n", code->macros[i].name);
    ct_definitions_find(code, CT_DEFINITIONS_ALL, rename_one, &r);
}

/* --- calls --- */

static void put_value(const struct ct_plan_arg *arg, size_t index, size_t i,
                      struct ct_str *out)
{
    bool bytes = arg->kind == CT_ARG_BYTES;
    const unsigned char *data = bytes ? arg->data : arg->bytes;
    size_t size = bytes ? (size_t)arg->data_bytes : ct_type_size(arg->type);

    ct_str_addf(out, "static const unsigned char cltune_bytes_%zu_%zu[] = {", index, i);
    for (size_t k = 0; k < size; k++)
        ct_str_addf(out, "%s%u", k ? ", " : "", data[k]);
    ct_str_puts(out, "};\n");
}

/* The variable that holds a value, with the alignment of its type. */
static void put_variable(const struct ct_plan_arg *arg, size_t index, size_t i,
                         struct ct_str *out)
{
    if (arg->kind == CT_ARG_BYTES)
        ct_str_addf(out, "    uint64_t cltune_%zu[%zu];\n", i,
                    (size_t)(arg->data_bytes + 7) / 8);
    else
        ct_str_addf(out, "    %s cltune_%zu[%zu];\n", ct_type_c_name(arg->type), i,
                    ct_type_size(arg->type) / ct_scalar_size(arg->type.scalar));
    ct_str_addf(out,
                "\n    memcpy(cltune_%zu, cltune_bytes_%zu_%zu, "
                "sizeof(cltune_bytes_%zu_%zu));\n",
                i, index, i, index, i);
}

static bool has_value(const struct ct_plan_arg *arg)
{
    return arg->kind == CT_ARG_SCALAR || arg->kind == CT_ARG_BYTES;
}

/* The call, with the arguments that cltune's own has (worker/host/host.h). */
static void put_call(const struct ct_plan_buffer *buffer, struct ct_str *out)
{
    const struct ct_fill *by = &buffer->check_by;
    const char *type = ct_type_c_name(buffer->type);

    /* All types of half accept a pointer to void. */
    if (buffer->type.scalar == CT_T_HALF)
        ct_str_addf(out, "    return (uint64_t)%s(cltune_actual, cltune_expected",
                    by->function);
    else
        ct_str_addf(out,
                    "    return (uint64_t)%s((%s *)cltune_actual, (%s *)cltune_expected",
                    by->function, type, type);
    ct_str_puts(out, ", cltune_count");
    for (size_t i = 0; i < by->arg_count; i++) {
        const struct ct_plan_arg *arg = &by->args[i];

        if (!has_value(arg))
            ct_str_puts(out, ", (void *)0");
        else if (arg->kind == CT_ARG_BYTES)
            ct_str_addf(out, ", (void *)cltune_%zu", i);
        else
            ct_str_addf(out, ", cltune_%zu%s", i, arg->type.width > 1 ? "" : "[0]");
    }
    ct_str_puts(out, ");\n}\n");
}

static void put_judge(const struct ct_plan_buffer *buffer, size_t index,
                      struct ct_str *out)
{
    const struct ct_fill *by = &buffer->check_by;

    for (size_t i = 0; i < by->arg_count; i++)
        if (has_value(&by->args[i]))
            put_value(&by->args[i], index, i, out);
    ct_str_addf(out,
                "static uint64_t judge_%zu(void *cltune_actual, void *cltune_expected,\n"
                "                        uint64_t cltune_count)\n{\n",
                index);
    for (size_t i = 0; i < by->arg_count; i++)
        if (has_value(&by->args[i]))
            put_variable(&by->args[i], index, i, out);
    put_call(buffer, out);
}

/* --- files --- */

static bool same_file(const struct ct_plan_buffer *a, const struct ct_plan_buffer *b)
{
    return strcmp(a->check_by.path, b->check_by.path) == 0;
}

/* Whether an earlier buffer has put the file of this one. */
static bool is_put(const struct ct_repro *repro, size_t index)
{
    const struct ct_plan_buffer *buffers = repro->run.plan.buffers;

    for (size_t i = 0; i < index; i++)
        if (ct_repro_has_judge(repro, i) && same_file(&buffers[i], &buffers[index]))
            return true;
    return false;
}

/* The text of a check's file, with what it includes.  Its includes need not be found: then they
 * stay. */
static enum ct_status read_file(const struct ct_repro *repro, const struct ct_fill *by,
                                struct ct_str *out, size_t *left, struct ct_err *err)
{
    struct ct_arena arena = {0};
    const struct ct_source *source;
    const char *text = NULL;
    size_t length = 0;
    enum ct_status status = ct_reader_slurp(by->path, &arena, &text, &length, err);

    if (!status && strcmp(ct_hash_bytes(text, length).text, by->path_hash.text) != 0)
        status = ct_err_set(err, CT_E_SPEC,
                            "the check's file %s was changed while the configuration was "
                            "measured: run cltune repro again",
                            by->path);
    if (!status) {
        /* So that included files are known. */
        (void)ct_source_load(repro->run.work.sources, by->path, 0, NULL, &source, NULL);
        ct_repro_unfold_c(repro, text, by->path, out, left);
        if (out->length && out->data[out->length - 1] != '\n')
            ct_str_putc(out, '\n');
        if (out->failed)
            status = ct_err_nomem(err);
    }
    ct_arena_release(&arena);
    return status;
}

/* One file with all of its functions' calls. */
static enum ct_status put_file(const struct ct_repro *repro, size_t index,
                               struct ct_str *out, size_t *left, struct ct_err *err)
{
    const struct ct_plan *plan = &repro->run.plan;
    struct ct_str text;
    struct ct_code code;
    enum ct_status status;

    ct_str_init(&text);
    status = read_file(repro, &plan->buffers[index].check_by, &text, left, err);
    if (status) {
        ct_str_release(&text);
        return status;
    }
    status = ct_code_read(text.data, text.length, &code, err);
    if (!status) {
        put_names(&code, index, false, out);
        ct_str_add(out, text.data, text.length);
        ct_str_puts(out, "#include <stdint.h>\n#include <string.h>\n");
        for (size_t i = index; i < plan->buffer_count; i++)
            if (ct_repro_has_judge(repro, i) &&
                same_file(&plan->buffers[i], &plan->buffers[index]))
                put_judge(&plan->buffers[i], i, out);
        put_names(&code, index, true, out);
    }
    ct_code_release(&code);
    ct_str_release(&text);
    return status;
}

enum ct_status ct_repro_put_checks(const struct ct_repro *repro, struct ct_str *out,
                                   size_t *left, struct ct_err *err)
{
    /* A file has functions for other buffers, too. */
    static const char *const harmless[] = {"unused-function",       "unused-parameter",
                                           "unused-variable",       "sign-compare",
                                           "unused-const-variable", "pointer-sign"};
    enum ct_status status = CT_OK;

    for (size_t i = 0; !status && i < repro->run.plan.buffer_count; i++) {
        if (!ct_repro_has_judge(repro, i) || is_put(repro, i))
            continue;
        ct_str_puts(out, "\n#ifdef __GNUC__\n#pragma GCC diagnostic push\n");
        for (size_t k = 0; k < sizeof(harmless) / sizeof(*harmless); k++)
            ct_str_addf(out, "#pragma GCC diagnostic ignored \"-W%s\"\n", harmless[k]);
        ct_str_puts(out, "#endif\n");
        status = put_file(repro, i, out, left, err);
        ct_str_puts(out, "#ifdef __GNUC__\n#pragma GCC diagnostic pop\n#endif\n");
    }
    if (!status && out->failed)
        status = ct_err_nomem(err);
    return status;
}
