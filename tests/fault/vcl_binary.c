// SPDX-License-Identifier: Apache-2.0
// Compiled code and program binaries: what is in them and what may differ without reason.

#include "vcl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- code: a source of our own language without macros, conditions or comments

static void write_kernel(const struct vcl_signature *kernel, struct vcl_text *out)
{
    vcl_text_print(out, "#pragma virtual kernel %s\n#pragma virtual base %llu\n",
                   kernel->name, (unsigned long long)kernel->time_ns);
    if (kernel->item_ns)
        vcl_text_print(out, "#pragma virtual item %llu\n",
                       (unsigned long long)kernel->item_ns);
    if (kernel->first_ns)
        vcl_text_print(out, "#pragma virtual first_time %llu\n",
                       (unsigned long long)kernel->first_ns);
    if (kernel->steady) // no macro is called that
        vcl_text_print(out, "#pragma virtual drifts * 0\n");
    for (size_t i = 0; i < kernel->fault_count; i++) {
        if (vcl_fault_is_at(&kernel->faults[i], VCL_AT_BUILD))
            continue;
        vcl_text_print(out, "#pragma virtual fault * * ");
        vcl_fault_write(&kernel->faults[i], out);
        vcl_text_print(out, "\n");
    }
}

void vcl_code_write(struct vcl_module *module)
{
    struct vcl_text code = {0};
    vcl_text_print(&code, "#pragma virtual load_time %llu\n",
                   (unsigned long long)module->load_ns);
    for (size_t i = 0; i < module->count; i++)
        write_kernel(&module->signatures[i], &code);
    vcl_text_add(&code, vcl_text_get(&module->text), module->text.length);
    free(module->code);
    module->code = code.data;
    module->digest = vcl_hash(VCL_HASH, code.data, code.length);
}

// ---- binaries

// Whether VIRTUALCL_BINARY, words with commas between them, has the word.
static bool wants(const char *word)
{
    static const char *const words[] = {"options", "plain", "temp", "pad", "none"};
    const char *text = getenv("VIRTUALCL_BINARY");
    bool found = false;
    for (; text && *text; text += strcspn(text, ",") + (strchr(text, ',') != NULL)) {
        size_t length = strcspn(text, ","), i = 0;
        while (i < sizeof words / sizeof *words && !vcl_is(text, length, words[i]))
            i++;
        if (i == sizeof words / sizeof *words) {
            fprintf(stderr, "virtual OpenCL: VIRTUALCL_BINARY: what is '%s'?\n", text);
            abort();
        }
        found = found || vcl_is(text, length, word);
    }
    return found;
}

// As compilers leave the names of temporary files: as long as ever, and always another.
static void add_temporary_name(struct vcl_text *notes)
{
    static atomic_uint made;
    cl_ulong seed[3] = {(cl_ulong)vcl_process(), vcl_wall_ns(),
                        atomic_fetch_add(&made, 1)};
    vcl_text_print(notes, "\n/tmp/virtual-%016llx",
                   (unsigned long long)vcl_hash(VCL_HASH, seed, sizeof seed));
}

static const char head_form[] = "cltune virtual binary 2 device %u driver %31s sum %llx "
                                "arguments %d notes %zu locals %zu code %zu pad %zu\n";

static unsigned long long sum_of(const char *locals, size_t locals_bytes,
                                 const char *code, size_t code_bytes)
{
    return vcl_hash(vcl_hash(VCL_HASH, locals, locals_bytes), code, code_bytes);
}

struct vcl_text vcl_binary_write(cl_device_id device, const struct vcl_build *build)
{
    struct vcl_text binary = {0}, notes = {0};
    if (build->status != CL_BUILD_SUCCESS || wants("none"))
        return binary;
    const struct vcl_text *locals = &build->locals;
    const char *code = build->module.code;
    if (!wants("plain"))
        vcl_text_add(&notes, build->options, strlen(build->options));
    if (wants("temp"))
        add_temporary_name(&notes);
    size_t pad = wants("pad") ? 1 + vcl_hash(build->source_sum ^ VCL_HASH, build->options,
                                             strlen(build->options)) %
                                        64
                              : 0;
    vcl_text_print(&binary,
                   "cltune virtual binary 2 device %u driver %s sum %016llx "
                   "arguments %d notes %zu locals %zu code %zu pad %zu\n",
                   device->model, vcl_device_driver(device),
                   sum_of(vcl_text_get(locals), locals->length, code, strlen(code)),
                   build->module.argument_info, notes.length, locals->length,
                   strlen(code), pad);
    vcl_text_add(&binary, vcl_text_get(&notes), notes.length);
    vcl_text_add(&binary, vcl_text_get(locals), locals->length);
    vcl_text_add(&binary, code, strlen(code));
    while (pad-- > 0)
        vcl_text_add(&binary, " ", 1);
    vcl_text_free(&notes);
    return binary;
}

// The sizes of the parts behind the head.
struct parts {
    size_t notes, locals, code, pad;
};

static bool fit(const struct parts *parts, size_t bytes)
{
    return parts->notes <= bytes && parts->locals <= bytes - parts->notes &&
           parts->code <= bytes - parts->notes - parts->locals &&
           parts->pad == bytes - parts->notes - parts->locals - parts->code;
}

bool vcl_binary_read(cl_device_id device, const unsigned char *data, size_t bytes,
                     struct vcl_build *build)
{
    char head[256], driver[32];
    const unsigned char *end = memchr(data, '\n', bytes < 255 ? bytes : 255);
    if (!end)
        return false;
    size_t head_bytes = (size_t)(end + 1 - data);
    unsigned stored;
    int arguments;
    unsigned long long sum;
    struct parts parts;
    memcpy(head, data, head_bytes);
    head[head_bytes] = '\0';
    if (sscanf(head, head_form, &stored, driver, &sum, &arguments, &parts.notes,
               &parts.locals, &parts.code, &parts.pad) != 8 ||
        stored != device->model || strcmp(driver, vcl_device_driver(device)) != 0 ||
        !fit(&parts, bytes - head_bytes))
        return false;
    const char *notes = (const char *)end + 1, *locals = notes + parts.notes;
    const char *code = locals + parts.locals;
    if (sum_of(locals, parts.locals, code, parts.code) != sum)
        return false;
    build->stored_options =
        vcl_copy(notes, strnlen(notes, parts.notes)); // all that was noted
    build->stored_code = vcl_copy(code, parts.code);
    build->stored_argument_info = arguments != 0;
    vcl_text_add(&build->locals, locals, parts.locals);
    return true;
}
